"""Names of the months in the main languages."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from functools import cache
from typing import Final

# Of each language the twelve months; forms of one month are joined by "/".
_NAMES: Final[dict[str, str]] = {
    "en": "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug"
    " september/sep/sept october/oct november/nov december/dec",
    "de": "januar/jänner/jan/jän februar/feber/feb märz/mär/mrz april/apr mai juni/jun juli/jul"
    " august/aug september/sep/sept oktober/okt november/nov dezember/dez",
    "fr": "janvier/janv/jan février/févr/fév mars/mar avril/avr mai juin/jun juillet/juil/jul"
    " août/aou septembre/sept/sep octobre/oct novembre/nov décembre/déc",
    "es": "enero/ene febrero/feb marzo/mar abril/abr mayo/may junio/jun julio/jul agosto/ago"
    " septiembre/setiembre/sept/sep/set octubre/oct noviembre/nov diciembre/dic",
    "it": "gennaio/gen febbraio/feb marzo/mar aprile/apr maggio/mag giugno/giu luglio/lug"
    " agosto/ago settembre/set/sett ottobre/ott novembre/nov dicembre/dic",
    "pt": "janeiro/jan fevereiro/fev março/mar abril/abr maio/mai junho/jun julho/jul agosto/ago"
    " setembro/set outubro/out novembro/nov dezembro/dez",
    "ca": "gener/gen febrer/feb març/mar abril/abr maig juny/jun juliol/jul agost/ago"
    " setembre/set octubre/oct novembre/nov desembre/des",
    "nl": "januari/jan februari/feb maart/mrt april/apr mei juni/jun juli/jul augustus/aug"
    " september/sep/sept oktober/okt november/nov december/dec",
    "pl": "stycznia/styczeń/sty lutego/luty/lut marca/marzec/mar kwietnia/kwiecień/kwi maja/maj"
    " czerwca/czerwiec/cze lipca/lipiec/lip sierpnia/sierpień/sie września/wrzesień/wrz"
    " października/październik/paź listopada/listopad/lis grudnia/grudzień/gru",
    "ru": "января/январь/янв февраля/февраль/фев/февр марта/март/мар апреля/апрель/апр мая/май"
    " июня/июнь/июн июля/июль/июл августа/август/авг сентября/сентябрь/сен/сент"
    " октября/октябрь/окт ноября/ноябрь/ноя/нояб декабря/декабрь/дек",
    "uk": "січня/січень/січ лютого/лютий/лют березня/березень/бер квітня/квітень/кві"
    " травня/травень/тра червня/червень/чер липня/липень/лип серпня/серпень/сер"
    " вересня/вересень/вер жовтня/жовтень/жов листопада/листопад/лис грудня/грудень/гру",
    "cs": "ledna/leden/led února/únor/úno března/březen/bře dubna/duben/dub května/květen/kvě"
    " června/červen/čvn července/červenec/čvc srpna/srpen/srp září/zář října/říjen/říj"
    " listopadu/listopad/lis prosince/prosinec/pro",
    "sk": "januára/január/jan februára/február/feb marca/marec/mar apríla/apríl/apr mája/máj"
    " júna/jún júla/júl augusta/august/aug septembra/september/sep októbra/október/okt"
    " novembra/november/nov decembra/december/dec",
    "sv": "januari/jan februari/feb mars/mar april/apr maj juni/jun juli/jul augusti/aug"
    " september/sep/sept oktober/okt november/nov december/dec",
    "da": "januar/jan februar/feb marts/mar april/apr maj juni/jun juli/jul august/aug"
    " september/sep/sept oktober/okt november/nov december/dec",
    "no": "januar/jan februar/feb mars/mar april/apr mai juni/jun juli/jul august/aug"
    " september/sep/sept oktober/okt november/nov desember/des",
    "fi": "tammikuuta/tammikuu/tammi helmikuuta/helmikuu/helmi maaliskuuta/maaliskuu/maalis"
    " huhtikuuta/huhtikuu/huhti toukokuuta/toukokuu/touko kesäkuuta/kesäkuu/kesä"
    " heinäkuuta/heinäkuu/heinä elokuuta/elokuu/elo syyskuuta/syyskuu/syys"
    " lokakuuta/lokakuu/loka marraskuuta/marraskuu/marras joulukuuta/joulukuu/joulu",
    "tr": "ocak/oca şubat/şub mart/mar nisan/nis mayıs/may haziran/haz temmuz/tem ağustos/ağu"
    " eylül/eyl ekim/eki kasım/kas aralık/ara",
    "hu": "január/jan február/febr/feb március/márc április/ápr május/máj június/jún július/júl"
    " augusztus/aug szeptember/szept október/okt november/nov december/dec",
    "ro": "ianuarie/ian februarie/feb martie/mar aprilie/apr mai iunie/iun iulie/iul august/aug"
    " septembrie/sept octombrie/oct noiembrie/noi/nov decembrie/dec",
    "hr": "siječnja/siječanj/sij veljače/veljača/velj ožujka/ožujak/ožu travnja/travanj/tra"
    " svibnja/svibanj/svi lipnja/lipanj/lip srpnja/srpanj/srp kolovoza/kolovoz/kol"
    " rujna/rujan/ruj listopada/listopad/lis studenoga/studenog/studeni/stu"
    " prosinca/prosinac/pro",
    "bg": "януари/ян февруари/февр март/мар април/апр май юни юли август/авг септември/септ"
    " октомври/окт ноември/ноем декември/дек",
    "el": "ιανουαρίου/ιανουάριος/ιαν φεβρουαρίου/φεβρουάριος/φεβ μαρτίου/μάρτιος/μαρ"
    " απριλίου/απρίλιος/απρ μαΐου/μάιος/μαι ιουνίου/ιούνιος/ιουν ιουλίου/ιούλιος/ιουλ"
    " αυγούστου/αύγουστος/αυγ σεπτεμβρίου/σεπτέμβριος/σεπ οκτωβρίου/οκτώβριος/οκτ"
    " νοεμβρίου/νοέμβριος/νοε δεκεμβρίου/δεκέμβριος/δεκ",
    "id": "januari/jan februari/feb maret/mar april/apr mei juni/jun juli/jul agustus/agu/agt"
    " september/sep oktober/okt november/nov desember/des",
    "ar": "يناير فبراير مارس أبريل/ابريل مايو يونيو/يونيه يوليو/يوليه أغسطس/اغسطس سبتمبر"
    " أكتوبر/اكتوبر نوفمبر ديسمبر",
    "he": "ינואר/בינואר פברואר/בפברואר מרץ/במרץ אפריל/באפריל מאי/במאי יוני/ביוני יולי/ביולי"
    " אוגוסט/באוגוסט ספטמבר/בספטמבר אוקטובר/באוקטובר נובמבר/בנובמבר דצמבר/בדצמבר",
    "hi": "जनवरी फरवरी/फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर/सितम्बर"
    " अक्टूबर/अक्तूबर नवंबर/नवम्बर दिसंबर/दिसम्बर",
    "th": "มกราคม/ม.ค กุมภาพันธ์/ก.พ มีนาคม/มี.ค เมษายน/เม.ย พฤษภาคม/พ.ค มิถุนายน/มิ.ย กรกฎาคม/ก.ค"
    " สิงหาคม/ส.ค กันยายน/ก.ย ตุลาคม/ต.ค พฤศจิกายน/พ.ย ธันวาคม/ธ.ค",
}
_SAME: Final = {"nb": "no", "nn": "no", "iw": "he", "bs": "hr", "be": "ru"}


def month_of(word: str, language: str = "") -> int | None:
    """The month of a name; None if it names none, or in several languages different ones."""
    meant = _months().get(folded(word))
    if not meant:
        return None
    own = meant.get(_SAME.get(language, language))
    return own or (next(iter(meant.values())) if len(set(meant.values())) == 1 else None)


def folded(word: str) -> str:
    """A word without accents, in small letters."""
    apart = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in apart if not "\u0300" <= letter <= "\u036f")


@cache
def _months() -> dict[str, dict[str, int]]:
    """Which month a word names in each language."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for language, names in _NAMES.items():
        for month, forms in enumerate(names.split(), 1):
            for form in forms.split("/"):
                found[folded(form)][language] = month
    return found
