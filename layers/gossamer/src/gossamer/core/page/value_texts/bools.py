"""Read a yes or a no, in words of many languages or as a sign."""

from __future__ import annotations

from typing import Final


def _phrases(joined: str) -> frozenset[str]:
    return frozenset(joined.split("|"))


_YES: Final = _phrases(
    "1|true|yes|y|t|on|ja|oui|sí|si|sì|sim|tak|да|так|ano|áno|jo|kyllä|evet|igen|da|ναι|نعم|כן|हाँ"
    "|はい|有|是|有り|あり|예|네|có|ya|✓|✔|✅|☑|in stock|available|auf lager|lieferbar|en stock"
    "|disponible|disponibile|disponível|op voorraad|dostępny|skladem|в наличии|i lager|på lager"
    "|varastossa|stokta|在庫あり|有货|有貨|재고 있음|vrai|wahr|verdadero|enabled"
)
_NO: Final = _phrases(
    "0|false|no|n|f|off|nein|non|não|nao|nie|нет|ні|ne|nej|nei|ei|nee|hayır|nem|nu|όχι|لا|לא|नहीं"
    "|いいえ|无|無|否|なし|아니요|아니오|không|tidak|✗|✘|❌|☐|✕|×|out of stock|sold out"
    "|unavailable|not available|ausverkauft|nicht lieferbar|rupture de stock|épuisé|agotado"
    "|esaurito|non disponibile|esgotado|uitverkocht|niet op voorraad|wyprzedany|vyprodáno"
    "|нет в наличии|slutsåld|udsolgt|utsolgt|loppu|tükendi|在庫なし|缺货|缺貨|품절|faux|falsch"
    "|disabled|no disponible"
)


def read_bool(text: str) -> bool | None:
    """True for a yes, False for a no, None for anything else."""
    word = " ".join(text[:40].casefold().replace("\ufe0f", "").split()).strip(".!: ")
    if word in _YES:
        return True
    return False if word in _NO else None
