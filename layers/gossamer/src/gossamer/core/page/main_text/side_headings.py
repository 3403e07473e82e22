"""The headings of sections that are about other pages, or about the site: "Related articles"."""

from __future__ import annotations

import re
from enum import Enum

SHORTEST, LONGEST = 4, 60  # characters


class Side(Enum):
    """What a section beside the text is about."""

    PAGES = "other pages"
    SITE = "the site"
    COMMENTS = "comments"


_THINGS = (
    "articles?|posts?|stories|news|insights|blogs?|products|items|content|videos|resources|topics"
    "|threads|discussions|questions|reads?|reading|pages|links|searches|listings|games|courses"
    "|podcasts|episodes|guides|events"
)
# In the main languages of the web. A list of things may be the text; "top ten products" is.
_PAGES = rf"""
(?:related|similar|recommended|suggested|trending|latest|recent|featured|popular) .*\b(?:{_THINGS})
more .*\b(?:{_THINGS})|more (?:from|in|by|like this|to explore)\b.*
related|recommendations|trending|(?:most|more) (?:popular|read|viewed)|recommended for you.*
you (?:may|might|could|ll) (?:also )?(?:like|love|enjoy|be interested).*
(?:people|customers|others|readers|shoppers) (?:who|also).*|(?:frequently|often) bought.*
(?:recently|previously|last) (?:viewed|seen).*|(?:our )?blog|tags?
(?:what to )?read (?:next|also|this next).*|(?:up|read) next|keep (?:reading|exploring)
continue reading|in case you missed.*|(?:explore|discover) more|sponsored.*|promoted.*
(?:ähnliche|verwandte|weitere) (?:artikel|beiträge|produkte|themen).*|das könnte (?:sie|dich).*
auch interessant|meistgelesen|mehr (?:zum thema|aus|von).*|zuletzt angesehen|kunden (?:kauf|die).*
articles (?:similaires|liés|récents|connexes)|produits similaires|(?:à )?lire aussi
vous (?:aimerez|pourriez).*|(?:artículos|productos|entradas) relacionad.*|también te (?:pue|pod).*
(?:articoli|prodotti) correlati|potrebbe (?:interessarti|piacerti).*|leggi anche
(?:artigos|produtos|posts) relacionados|veja também|leia (?:também|mais)|gerelateerde.*|lees ook
powiązane.*|zobacz też|похожие.*|читайте также
関連(?:記事|商品)|相关(?:文章|阅读|产品)|推荐阅读|관련 (?:글|기사)
"""
_SITE = r"""
subscribe.*|(?:our |join )?.*\bnewsletter|sign up (?:for|to) (?:our|the|free|news|updates|email).*
join (?:our|the (?:conversation|discussion|community)).*|get (?:the latest|updates).*
stay (?:up to date|informed|connected|in touch|updated|in the know).*|(?:never|don t) miss.*
(?:follow|connect with|find) (?:us|me)\b.*|share|share (?:this|on|it|via|with)\b.*|advertisement
about the authors?|(?:meet|about) the (?:author|writer)
payment (?:and )?(?:security|methods|options)|secure (?:payment|checkout)
folgen sie.*|über (?:den autor|die autorin)|teilen|suivez nous.*|partager.*|abonnez.*|inscrivez.*
à propos de l auteur|síguenos.*|compartir.*|suscr.*|seguici.*|condividi.*|iscriviti.*|siga nos.*
inscreva.*|volg ons.*
"""
_COMMENTS = r"""
(?:(?:user|reader|readers) )?comments?(?: on .*)?|(?:leave|post|add|write) a (?:reply|comment)
(?:leave|post|add|write) a review|thoughts on .*|join the discussion|(?:leser)?kommentare?
kommentar schreiben|(?:vos )?commentaires?|comentarios?|comentários?|commenti
reacties|komentarze|komentáře|kommentarer|kommentit
hozzászólások|комментари[ийев]+|yorumlar|コメント|评论|댓글
"""
# They head other things as well, unless they are counted.
_COUNTED = r"""
responses?(?: to .*)?|replies(?: to .*)?|discussion|diskussion|(?:vos )?réactions?|reactions?
コメント 件|条评论|개의 댓글
"""


def _pattern(phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases.split("\n")[1:-1]), re.IGNORECASE)


_SIDES = tuple(
    (side, _pattern(phrases))
    for side, phrases in zip(Side, (_PAGES, _SITE, _COMMENTS), strict=True)
)
_COUNTED_COMMENTS = _pattern(_COUNTED)
_find_words = re.compile(r"[^\W\d_]+").findall
_has_count = re.compile(r"\d").search


def side_of(heading: str) -> Side | None:
    """What is below a heading, if that stands beside the text."""
    words = " ".join(_find_words(heading))
    side = next((side for side, names in _SIDES if names.fullmatch(words)), None)
    if side is None and _has_count(heading) and _COUNTED_COMMENTS.fullmatch(words):
        return Side.COMMENTS
    return side
