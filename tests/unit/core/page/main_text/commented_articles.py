"""Twenty articles in ten languages whose comments are twice as long as their text.

Layouts, names of classes and languages differ; all is generated, from a seed by number.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES = 2  # characters of comments for one of the text

WORDS = {
    "en": "the harbour council reported that new ferries will cross every bay before winter while"
    " older ships remain in service and many people wait for an answer about their daily way",
    "de": "der Hafen meldet dass neue Fähren vor dem Winter jede Bucht queren während ältere"
    " Schiffe im Dienst bleiben und viele Leute auf eine Antwort über ihren Weg warten",
    "fr": "le port annonce que de nouveaux bateaux vont traverser chaque baie avant cet hiver"
    " pendant que les anciens navires restent en service et beaucoup attendent une réponse",
    "es": "el puerto anuncia que nuevos barcos van a cruzar cada bahía antes del invierno mientras"
    " los antiguos siguen en servicio y mucha gente espera una respuesta sobre su camino",
    "it": "il porto annuncia che nuove navi attraversano ogni baia prima dell inverno mentre le"
    " vecchie restano in servizio e molti aspettano una risposta sul loro viaggio",
    "nl": "de haven meldt dat nieuwe veerboten voor de winter elke baai oversteken terwijl oude"
    " schepen in dienst blijven en veel mensen wachten op een antwoord over hun weg",
    "pt": "o porto anuncia que novos barcos vão atravessar cada baía antes do inverno enquanto os"
    " antigos continuam em serviço e muita gente espera uma resposta sobre o seu caminho",
    "pl": "port ogłasza że nowe promy przed zimą przepłyną każdą zatokę podczas gdy stare statki"
    " pozostają w służbie a wielu ludzi czeka na odpowiedź w sprawie swojej drogi",
    "ru": "порт сообщает что новые паромы до зимы пересекут каждый залив пока старые суда остаются"
    " на службе и многие люди ждут ответа на вопрос",
    "ja": "港は 新しい 船が 冬の 前に すべての 湾を 渡ると 発表した 古い 船も 残り 多くの 人が 道の"
    " 答えを 待っている",
}
NAMES = ("Anna K.", "bo_77", "Cem", "Dora L", "erik", "Fatma", "gus99", "Hana", "Ivo", "Jun")
OG_ARTICLE = '<meta property="og:type" content="article">'
LINKED_ARTICLE = (
    '<script type="application/ld+json">{"@context":"https://schema.org",'
    '"@type":"NewsArticle","headline":"H"}</script>'
)


@dataclass(frozen=True)
class Layout:
    """How a site writes its articles; `{0}` in `each` is an author, `{1}` what was said."""

    language: str
    page: str  # {text} and {comments}
    comments: str  # {all} and {count}
    each: str
    head: str = OG_ARTICLE
    paragraph: str = "<p>{0}</p>"


WORDPRESS = (
    '<li id="comment-{2}" class="comment even depth-1"><article class="comment-body">'
    '<footer class="comment-meta"><b class="fn">{0}</b> says:<time>May 3, 2024</time></footer>'
    '<div class="comment-content">{1}</div><div class="reply"><a href="#r">Reply</a></div>'
    "</article></li>"
)
LAYOUTS = (
    Layout(
        "en",
        '<article class="post hentry"><h1>Ferries</h1><div class="entry-content">{text}</div>'
        "</article>{comments}",
        '<div id="comments" class="comments-area"><h2>{count} thoughts on “Ferries”</h2>'
        '<ol class="comment-list">{all}</ol></div>',
        WORDPRESS,
    ),
    Layout(
        "en",
        '<main><article class="single"><h1>Ferries</h1>{text}{comments}</article></main>',
        '<section class="comments-wrap"><h3>Comments ({count})</h3>{all}</section>',
        '<div class="c-item"><strong>{0}</strong><span>2 hours ago</span>{1}</div>',
        LINKED_ARTICLE,
    ),
    Layout(
        "de",
        '<main><h1>Fähren</h1><div class="artikel__inhalt">{text}</div>{comments}</main>',
        '<section class="leserkommentare"><h3>Kommentare ({count})</h3>{all}</section>',
        '<div class="kommentar"><div class="kommentar__kopf">{0}, 3. Mai 2024</div>{1}'
        '<a href="#">Antworten</a></div>',
        LINKED_ARTICLE,
    ),
    Layout(
        "fr",
        '<div id="contenu"><h1>Bateaux</h1><div class="texte">{text}</div>{comments}</div>',
        '<div id="commentaires"><h2>{count} commentaires</h2>{all}</div>',
        '<div class="commentaire"><p class="qui">{0} le 3 mai</p>{1}</div>',
        "",
    ),
    Layout(
        "en",
        '<div class="css-1x0"><h1 class="css-a1">Ferries</h1><div class="css-7q">{text}</div>'
        "{comments}</div>",
        '<div class="css-z9"><h2 class="css-k2">Comments</h2><ul class="css-u4">{all}</ul></div>',
        '<li class="css-8m"><span class="css-n1">{0}</span><div class="css-b0">{1}</div>'
        '<a class="css-r2">Reply</a></li>',
    ),
    Layout(
        "en",
        '<div itemscope itemtype="https://schema.org/BlogPosting"><h1>Ferries</h1>'
        '<div class="x1">{text}</div>{comments}</div>',
        '<div class="x9">{all}</div>',
        '<div class="x8" itemprop="comment" itemscope itemtype="https://schema.org/Comment">'
        '<span class="x7">{0}</span><div class="x6">{1}</div></div>',
        "",
    ),
    Layout(
        "es",
        '<article><h1>Barcos</h1><div class="cuerpo-noticia">{text}</div></article>{comments}',
        '<div class="listado-comentarios"><p class="titulo">{count} comentarios</p>{all}</div>',
        '<div class="comentario"><p class="autor">{0}</p><div class="comentario__texto">{1}</div>'
        "</div>",
        LINKED_ARTICLE,
    ),
    Layout(
        "en",
        '<table id="frame"><tr><td class="story"><h1>Ferries</h1>{text}</td></tr></table>'
        "{comments}",
        '<div id="talk"><h4>{count} comments:</h4><dl id="comments-block">{all}</dl></div>',
        '<dt class="comment-author">{0} said...</dt><dd class="comment-body">{1}</dd>'
        '<dd class="comment-footer">3 May 2024</dd>',
        "",
        "{0}<br><br>",
    ),
    Layout(
        "it",
        '<div class="pagina"><div class="testo-articolo"><h1>Navi</h1>{text}</div>{comments}</div>',
        '<section id="commenti"><h3>Commenti: {count}</h3>{all}</section>',
        '<div class="riga"><em>{0}</em>{1}<a href="#">Rispondi</a></div>',
    ),
    Layout(
        "en",
        '<div class="content"><h1>Ferries</h1>{text}</div>{comments}',
        '<div id="disqus_thread"><ul id="dsq-comments">{all}</ul></div>',
        '<li id="dsq-comment-{2}"><div class="dsq-comment-header">{0}</div>'
        '<div class="dsq-comment-body">{1}</div></li>',
    ),
    Layout(
        "en",
        '<main id="main"><div class="post"><h1>Ferries</h1><div class="post-body">{text}</div>'
        "{comments}</div></main>",
        '<div class="discussion-thread"><h2>Discussion</h2>{all}</div>',
        '<div class="comment"><div class="comment-head">{0} · 3 May</div>{1}'
        '<div class="children"><div class="comment"><div class="comment-head">Ed</div>'
        "<p>So it is, so it is, and nobody here will say anything else about that.</p></div></div>"
        "</div>",
        "",
    ),
    Layout(
        "nl",
        '<article class="bericht"><h1>Veerboten</h1>{text}</article>{comments}',
        '<div class="reacties"><h2>Reacties ({count})</h2>{all}</div>',
        '<div class="reactie"><span class="naam">{0}</span>{1}</div>',
        LINKED_ARTICLE,
    ),
    Layout(
        "en",
        '<div class="wrapper"><section class="story-body"><h1>Ferries</h1>{text}</section>'
        "{comments}</div>",
        '<section class="responses"><h2>Responses ({count})</h2>{all}</section>',
        '<div class="response"><a href="/u">{0}</a><time>May 3</time>{1}'
        '<a href="#">Reply</a></div>',
    ),
    Layout(
        "pt",
        '<main><h1>Barcos</h1><div class="materia">{text}</div></main>{comments}',
        '<div class="caixa"><h3>Comentários ({count})</h3><ul>{all}</ul></div>',
        '<li class="item"><b>{0}</b>{1}<a href="#">Responder</a></li>',
        LINKED_ARTICLE,
    ),
    Layout(
        "pl",
        '<article><h1>Promy</h1><div class="tresc">{text}</div></article>{comments}',
        '<div class="komentarze"><h3>Komentarze: {count}</h3>{all}</div>',
        '<div class="komentarz"><span>{0}</span>{1}</div>',
    ),
    Layout(
        "ru",
        '<div class="main-col"><h1>Паромы</h1><div class="article-text">{text}</div>{comments}'
        "</div>",
        '<div class="b-talk"><div class="b-talk__title">Комментарии ({count})</div>{all}</div>',
        '<div class="b-talk__row"><span>{0}</span>{1}</div>',
        LINKED_ARTICLE,
    ),
    Layout(
        "ja",
        '<div id="honbun"><h1>船</h1>{text}</div>{comments}',
        '<div id="cmt"><h2>コメント {count}件</h2><ul>{all}</ul></div>',
        "<li><span>{0}</span>{1}</li>",
    ),
    Layout(
        "en",
        "<app-root><app-article><h1>Ferries</h1>{text}</app-article>{comments}</app-root>",
        "<app-comments>{all}</app-comments>",
        '<app-comment><span class="who">{0}</span><div class="said">{1}</div></app-comment>',
    ),
    Layout(
        "de",
        '<div class="seite"><div class="beitrag"><h1>Fähren</h1>{text}</div>{comments}</div>',
        '<div class="box-17" aria-label="Kommentare"><div class="zahl">{count} Kommentare</div>'
        "{all}</div>",
        '<div class="box-18"><i>{0}</i><div class="box-19">{1}</div></div>',
        "",
    ),
    Layout(
        "fr",
        '<main><article><h1>Bateaux</h1><div class="article__body">{text}</div>{comments}'
        "</article></main>",
        '<div class="wall"><h2>Vos réactions ({count})</h2><div class="list-reactions">{all}</div>'
        "</div>",
        '<article class="reaction"><header>{0}</header>{1}<a href="#">Répondre</a></article>',
        LINKED_ARTICLE,
    ),
)


@dataclass(frozen=True)
class Article:
    """A page, its text, and what was said about it."""

    html: str
    text: str
    comments: str


def article(number: int) -> Article:
    """Return the article in a layout."""
    layout, chance = LAYOUTS[number], Random(number)
    text = [_paragraph(layout.language, chance) for _ in range(chance.randint(6, 14))]
    said: list[str] = []
    while sum(map(len, said)) < TIMES * sum(map(len, text)):
        said.append(_paragraph(layout.language, chance))
    texts = "".join(map(layout.paragraph.format, text))
    comments = "".join(map(_comment(layout, chance), range(len(said)), said))
    comments = layout.comments.format(all=comments, count=len(said))
    return Article(_page(layout, texts, comments), "\n".join(text), "\n".join(said))


def _comment(layout: Layout, chance: Random) -> Callable[[int, str], str]:
    def write(number: int, said: str) -> str:
        return layout.each.format(chance.choice(NAMES), f"<p>{said}</p>", number)

    return write


def _paragraph(language: str, chance: Random) -> str:
    """Some sentences; numbers make them unlike others."""
    words = WORDS[language].split()
    sentences = (
        " ".join([*chance.choices(words, k=chance.randint(8, 16)), str(chance.randrange(10**6))])
        for _ in range(chance.randint(2, 5))
    )
    return ". ".join(f"{sentence[0].upper()}{sentence[1:]}" for sentence in sentences) + "."


def _page(layout: Layout, texts: str, comments: str) -> str:
    menu = "".join(f'<li><a href="/{n}">Section {n}</a></li>' for n in range(12))
    more = "".join(f'<li><a href="/s/{n}">Another story, number {n}</a></li>' for n in range(6))
    main = layout.page.format(text=texts, comments=comments)
    return (
        f'<!doctype html><html lang="{layout.language}"><head><meta charset="utf-8">'
        f"<title>Ferries</title>{layout.head}</head><body><header><nav><ul>{menu}</ul></nav></header>"
        f'{main}<div class="box-more"><ul>{more}</ul></div><footer>© The Harbour News</footer>'
        "</body></html>"
    )
