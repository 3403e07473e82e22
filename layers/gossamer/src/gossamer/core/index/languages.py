"""What the analyzer knows of each language: stemmer, stop words, apostrophes."""

from __future__ import annotations

from typing import Final

# English is Snowball's second one: +.006 nDCG@10 and +.002 MAP over Porter's, mean of four sets.
STEMMERS: Final = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
NEW_STEMMERS: Final = frozenset(str.split("cs eo et fa pl st yi"))  # since version 3
AUTO: Final = "auto"  # every document is analysed by its own language
_AUTO_OR: Final = f"{AUTO}:"  # and those whose language is not known by the one that follows
DEFAULT: Final = "en"  # of documents whose language is not known
# Written in other letters, and without a stemmer: the Latin words among them are mostly English.
_OTHER_LETTERS: Final = frozenset(
    str.split("be bg bn gu he ja ka km kn ko lo mk ml mr my or pa si te th uk ur zh")
)
SAME_LANGUAGE: Final = {"nb": "no", "nn": "no"}

# Articles, pronouns, prepositions, conjunctions, auxiliaries, question words. What is also a name
# or a thing (us, one, ill, well) stays a term: it can be asked for.
STOP_WORDS: Final = {
    "en": """
        a about above after again against all also although am among an and another any anyone
        anything are aren't as at be became because become becomes been before being below between
        both but by can can't cannot could couldn't did didn't do does doesn't doing done don't down
        during each either else etc ever every everyone everything few for from further had hadn't
        has hasn't have haven't having he her here hers herself him himself his how however i if in
        into is isn't it its itself just may me might more most much must mustn't my myself neither
        no nobody none nor not nothing of off often on once only onto or other others otherwise
        ought our ours ourselves out over own per perhaps rather same shall she should shouldn't
        since so some somebody somehow someone something sometimes somewhat somewhere such than that
        the their theirs them themselves then there thereby therefore these they this those though
        through throughout thus till to too toward towards under unless until up upon very via was
        wasn't we were weren't what whatever when whenever where whereas whereby wherein wherever
        whether which whichever while who whoever whom whose why will with within without won't
        would wouldn't yet you your yours yourself yourselves
    """,
    "de": """
        aber alle allem allen aller alles als also am an andere anderem anderen anderer anderes auch
        auf aus bei beim bin bis bist da dabei dadurch dafür dagegen daher damit danach dann daran
        darauf daraus darf darin darum darüber das dass davon dazu dein deine deinem deinen deiner
        dem den denen denn der deren des dessen dich die dies diese diesem diesen dieser dieses dir
        doch dort du durch ein eine einem einen einer eines er es etwas euch euer eure für gegen
        haben habe hast hat hatte hatten hier hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im
        in ins ist ja jede jedem jeden jeder jedes jedoch jene jenem jenen jener jenes jetzt kann
        kein keine keinem keinen keiner können könnte man manche mein meine meinem meinen meiner
        mich mir mit muss müssen nach neben nicht nichts noch nun nur ob oder ohne sehr sein seine
        seinem seinen seiner seit selbst sich sie sind so sobald solche solchem solchen solcher soll
        sollen sollte sondern sonst sowie über um und uns unser unsere unserem unseren unter viel
        vom von vor während war waren warum was weil welche welchem welchen welcher welches wenn wer
        werde werden wie wieder will wir wird wirst wo worden wurde wurden würde zu zum zur zwar
        zwischen
    """,
    "fr": """
        à afin ai ainsi alors après au aucun aucune aujourd'hui auquel aura aurait aussi autre
        autres aux auxquels avaient avait avant avec avez avoir avons c ça car ce ceci cela celle
        celles celui cependant ces cet cette ceux chaque chez ci comme comment contre d dans de
        depuis des désormais dès donc dont du duquel durant elle elles en encore entre envers es est
        et étaient était étant été être eu eux fait font fut hors il ils j jamais je jusque l la
        laquelle là le lequel les lesquels leur leurs lors lorsque lui m ma mais malgré me même
        mêmes mes moi moins mon n ne néanmoins ni non nos notre nous on ont or ou où outre par parce
        parmi pas pendant peu peut peuvent plus plusieurs plutôt pour pourquoi pourtant près puis
        puisque qu quand que quel quelle quelles quelque quelques quels qui quoi quoique s sa sans
        se selon sera serait ses si sinon sont soit son sous suis sur t ta tandis te tel telle
        telles tels tes toi ton toujours tous tout toute toutes très tu un une vers voici voilà vos
        votre vous y
    """,
    "es": """
        a acá ahí al algo alguien algún alguna algunas alguno algunos allí ambos ante antes aquel
        aquella aquellas aquello aquellos aquí así aún aunque bajo bien cada casi como cómo con
        conmigo contigo contra cual cuál cuales cuáles cualquier cuando cuándo cuanto cuánto cuya
        cuyas cuyo cuyos de del desde donde dónde durante e él el ella ellas ellos en entonces entre
        era eran eres es esa esas ese eso esos esta está están estaba estaban estamos estar estas
        este esto estos estoy fue fueron ha había habían haber hace hacia han has hasta hay he hemos
        incluso la las le les lo los luego más me mediante mi mí mía mientras mío mis mismo misma
        mismos mucho muchos muy nada ni ningún ninguna ninguno no nos nosotros nuestra nuestras
        nuestro nuestros o os otra otras otro otros para pero poco por porque pues puede pueden que
        qué quien quién quienes se según ser será si sí sido sin sino sobre sois solo sólo somos son
        soy su sus suya suyo tal también tampoco tan tanto te tiene tienen ti toda todas todavía
        todo todos tras tu tú tus tuya tuyo u un una unas uno unos usted ustedes vosotros vuestra
        vuestro y ya yo
    """,
    "it": """
        a abbia abbiamo ad agli ai al alcuna alcune alcuni alcuno alla alle allo allora altra altre
        altri altro anche ancora avere aveva avevano c che chi ci ciascuno ciò coi col come con
        contro così cui d da dagli dai dal dalla dalle dallo degli dei del della delle dello dentro
        di dopo dove dunque durante e è ecco ed egli era erano essa esse essere essi essendo fino
        fra fu furono gli ha hai hanno ho i il in infatti inoltre invece io l la le lei li lo loro
        lui ma me mentre mi mia mie miei mio molta molti molto ne né negli nei nel nella nelle nello
        nessun nessuna nessuno niente noi non nostra nostre nostri nostro nulla o od ogni oltre
        oppure ora per perché però più poco poi poiché prima proprio può qua qual quale quali quando
        quanto quasi quella quelle quelli quello questa queste questi questo qui quindi sarà se
        secondo sei sempre senza si sia siamo siano siete solo sono sopra sotto sta stata state
        stati stato stessa stesso su sua sue sugli sui sul sulla sulle sullo suo suoi tale tali
        tanto te ti tra tu tua tue tuo tuoi tutta tutte tutti tutto un una uno verso vi voi vostra
        vostro
    """,
    "pt": """
        a à ainda além algo alguém algum alguma algumas alguns ante antes ao aos após aquela aquelas
        aquele aqueles aquilo aqui as às assim até cada com como contra contudo cuja cujas cujo
        cujos da daquela daquele das de dela delas dele deles desde dessa desse desta deste do dos
        durante e é ela elas ele eles em embora enquanto entre era eram és essa essas esse esses
        esta está estão estas estava estavam este estes estou eu foi foram for fora há isso isto já
        la lá lhe lhes lo logo mais mas me menos mesma mesmas mesmo mesmos meu meus mim minha minhas
        muita muitas muito muitos na nada não nas nem nenhum nenhuma nessa nesse nesta neste no nos
        nós nossa nossas nosso nossos num numa o onde os ou outra outras outro outros para pela
        pelas pelo pelos per perante pode podem pois por porém porque portanto pouco qual quais
        qualquer quando quanto que quê quem se seja sem sempre ser será seu seus si sido sim só sob
        sobre somos sou sua suas tal também tampouco tanto te tem têm tendo tenha ter teu teus ti
        tinha toda todas todavia todo todos tu tua tuas tudo um uma umas uns vos você vocês vós
        vosso
    """,
    "nl": """
        aan aangezien achter af al alle alles als altijd ander andere anders beide ben bent bij
        binnen boven buiten daar daarna daarom dan dat de deze die dit doch doen door dus echter een
        eens elk elke en enige er ergens geen geweest haar had hadden heb hebben hebt heeft hem hen
        het hier hij hoe hoewel hun ieder iedere iemand iets ik in indien is ja je jij jou jouw
        jullie kan kon konden kunnen maar me mee meer men met mij mijn mocht moet moeten mogen na
        naar naast niemand niet niets noch nog nu of om omdat onder ons onze ook op over reeds
        sedert sinds sommige te tegen tenzij terwijl tijdens toch toen tot tussen u uit uw vaak van
        vanaf vandaar veel via volgens voor vooral waar waarom wanneer want waren was wat we weer
        welk welke wel werd werden wie wij wil worden wordt zal ze zei zelf zich zij zijn zo zoals
        zodat zonder zou zouden zulke
    """,
    "sv": """
        alla allt än andra är åt att av båda bara bland blev bli blir blivit då där därför de dem
        den denna deras dess dessa det detta dig din dina ditt du efter ej eller en enligt er era
        ert ett får fick från för före ha hade han hans har här henne hennes hon honom hos hur i
        icke igen in inga ingen inget inom inte ja jag kan kunde man många med medan mellan men mer
        mig min mina mindre mitt mot mycket någon något några när ni nog nu och också oss på redan
        samma samt sedan sig sin sina sitt ska skall skulle själv så som till trots under upp ut
        utan vad var vår våra vara varför varit varje vart vem vems vi vid vilka vilken vilket vill
    """,
    "no": """
        alle andre at av bare begge ble blei bli blir både da de deg dei deim deira dem den denne
        der dere deres det dette di din disse ditt du eg ein eit eitt eller elles en enn er et ett
        etter for fordi fra før ha hadde han hans har hennar henne hennes her hjå ho hoe honom hos
        hun hva hvem hver hvilke hvilken hvis hvor hvordan hvorfor i ikke ikkje ingen inn inni ja
        jeg kan korleis kva kvar kven kvi man mange me med medan mellom men mens mer mi min mine
        mitt mot mye må ned nei no noe noen nokon noko nå når og også om opp oss over på samme seg
        selv si sia siden sin sine sitt sjøl skal skulle slik so som somme så til um under upp ut
        uten var vart ved vere verte vi vil ville vore vår være vært å
    """,
    "da": """
        ad af alle alt anden andet andre at begge blev blive bliver da de dem den denne der deres
        det dette dig din dine disse dit dog du efter eller en end endnu enten er et flere for fordi
        fra før gennem ham han hans har havde have hen hende hendes her hos hun hvad hver hvem hvert
        hvilke hvilken hvis hvor hvordan hvorfor hvornår i igen ikke ind ingen intet jeg jer jeres
        jo kan kun kunne lige man mange med meget mellem men mens mere mig min mindre mine mit mod
        måske ned nej nogen noget nogle nu når også og om op os over på samme samt selv sig sin sine
        sit skal skulle som sådan så thi til ud uden under var ved vi vil ville vor vores være været
    """,
    "fi": """
        ei eikä eivät eli ellei en enemmän ennen ensin että ette he heidän heidät heille heitä hän
        hänen hänet häntä ilman itse ja johon joita joiden joihin joissa joista joka jokainen jolla
        jolle jolloin jolta jona jonka jos joskus jossa josta jota jotka jotta kaikki kanssa kautta
        keiden ken kenen kenet ketkä ketä koko koska kuin kuinka kuitenkin kuka kun kunnes me meidän
        meidät meille meitä mihin mikä mikäli mikään miksi millä minkä minun minut minä missä mistä
        miten mitkä mitä molemmat muiden mukaan mutta muu muut myös myöten ne niiden niihin niiksi
        niille niin niissä niistä niitä noiden nuo nyt näiden näihin näille näin näissä näistä näitä
        nämä ole olemme olen olet olette oli olisi olit olivat olla olleet ollut on ovat paitsi
        poikki sekä sellainen sen siellä siihen siinä siitä sille sillä silti sinun sinut sinä
        sitten sitä sinne se tai taikka te teidän teidät teille teitä tuo tuon tuossa tämä tämän
        tällä tälle tässä tästä tätä vaan vaikka vai vain varten vasta vielä voi voivat yli
    """,
    "ru": """
        а без более бы был была были было быть в вам вами вас ваш ваша ваше ваши весь во вот все всё
        всего всей всем всех вы где да даже для до его ее её ей ему если есть ещё еще же за зачем
        здесь и из или им ими их к как какая какие какой кем ко когда кого которая которого которое
        которой котором которому которую которые который которых кто куда ли либо между меня мне
        мной мог могут мое мои мой мою моя мы на над надо нам нами нас наш наша наше наши не него
        нее неё ней нельзя нет ни ним ними них но ну о об однако он она они оно от ото перед по под
        после потом потому почему почти при про раз с сам сама сами само свое своего своей свои
        своих свой себе себя со собой так также такие такое такой там тебе тебя тем теперь то тобой
        тогда того тоже той только том тому тот ту ты у уж уже хоть хотя чего чей чем через что чтоб
        чтобы чьё чья эта эти этим этих это этого этой этом этому этот эту я
    """,
}

# What melts with a word before it (they've) or behind it (l'amour) and is no part of it.
ENCLITICS: Final = {"en": "s d ll m re ve"}
ANY_ENCLITIC: Final = "s"
ELISIONS: Final = {
    "ca": "d l m n s t",
    "fr": "c d j jusqu l lorsqu m n puisqu qu s t",
    "it": "agl all c coll d dagl dall degl dell l m negl nell quell quest s sugl sull t un v",
}
ANY_ELISION: Final = "d l qu"


def is_auto(setting: str) -> bool:
    """Whether each document is analysed by its own language: "auto", or "auto:de"."""
    return setting == AUTO or setting.startswith(_AUTO_OR)


def default_of(setting: str) -> str:
    """The language of documents that have none, and of words where none is asked about."""
    if not is_auto(setting):
        return setting
    return setting.removeprefix(_AUTO_OR) if setting.startswith(_AUTO_OR) else DEFAULT


def analysed_as(language: str, default: str = DEFAULT) -> str:
    """The language by whose rules documents of a language are analysed; "" for none."""
    known = SAME_LANGUAGE.get(language, language)
    if known in STEMMERS:
        return known
    return default if not known or known in _OTHER_LETTERS else ""
