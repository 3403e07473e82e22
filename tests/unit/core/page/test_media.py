"""Are pictures, sound and video documents of what the page says of them, and only if asked for?"""

from __future__ import annotations

import json

import pytest

from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.page.media import MAX_MEDIA
from gossamer.core.page.parts import main_part, parts_of
from gossamer.core.page.read_response import read_response
from gossamer.core.page.values import Image, Link

URL = "http://a.test/webs/"
HTML = [("Content-Type", "text/html; charset=utf-8")]
ASKED = Rules(JobConfig(media=True))


def read(body, head="", rules=ASKED):
    page = f"<html lang=en><head><title>Webs</title>{head}</head><body><main><p>Silk is strong.</p>"
    parsed = read_response("page", (page + body).encode(), URL, HTML, rules)
    return parsed.documents


def media(body, head=""):
    return [document for document in read(body, head) if document.kind]


def test_without_asking_a_page_is_one_document():
    body = '<img src="orb.jpg" alt="An orb web">'

    assert [each.kind for each in read(body, rules=Rules(JobConfig()))] == [""]
    assert [each.kind for each in read(body)] == ["", "image"]


def test_a_picture_has_the_texts_around_it():
    [document] = media(
        '<h2>Orb webs</h2><figure><div><img src="/img/garden-spider_2.jpg" alt="A web at dawn">'
        "</div><figcaption>Seen in May.</figcaption></figure>"
    )

    assert (document.url, document.key) == (URL, "http://a.test/img/garden-spider_2.jpg")
    assert (document.kind, document.title) == ("image", "A web at dawn")
    assert document.text.split("\n") == [
        "A web at dawn", "Seen in May.", "Orb webs", "garden spider", "Webs"
    ]  # fmt: skip
    assert document.values == {"image": Image(document.key, "A web at dawn")}


@pytest.mark.parametrize(
    ("tag", "url"),
    [
        ('<img data-src="a.jpg" src="data:image/gif;base64,AA" alt=x>', "a.jpg"),
        ('<img srcset="b.jpg 2x, c.jpg 3x" alt=x>', "b.jpg"),
        ('<video title=x><source src="d.mp4"></video>', "d.mp4"),
        ('<audio aria-label=x src="e.mp3"></audio>', "e.mp3"),
    ],
)
def test_a_medium_is_found_where_it_is(tag, url):
    [document] = media(tag)

    assert document.key == URL + url


@pytest.mark.parametrize(
    "tag",
    [
        '<img src="a.jpg">',
        '<img src="a.jpg" alt="">',
        "<img alt=x>",
        '<img src="data:image/png;base64,AA" alt=x>',
        '<img src="a.jpg" alt=x width=16 height=16>',
        '<img src="a.jpg" alt=x width="1px">',
        '<img src="file:///etc/passwd" alt=x>',
    ],
)
def test_what_has_no_words_or_is_an_icon_is_none(tag):
    assert media(tag) == []


def test_what_the_page_shows_when_it_is_shared_counts_once():
    head = (
        '<meta property="og:image" content="/orb.jpg"><meta property="og:image:alt" content="Dawn">'
        '<meta property="og:video" content="/orb.mp4"><meta property="og:title" content="The film">'
    )

    found = media('<img src="/orb.jpg" alt="An orb web">', head)

    assert [(each.kind, each.title) for each in found] == [
        ("image", "An orb web"), ("video", "The film")
    ]  # fmt: skip


def test_a_video_is_read_from_linked_data():
    said = {
        "@graph": [
            {
                "@type": ["VideoObject"], "name": "A web is spun", "uploadDate": "2026-07-01",
                "description": "In an hour.", "contentUrl": "/spun.mp4",
            },
            {"@type": "AudioObject", "name": "no address"},
            {"@type": 7, "url": {"@type": "ImageObject", "url": ["x"]}},
        ]
    }  # fmt: skip

    [video] = media("", f'<script type="application/ld+json">{json.dumps(said)}</script>')

    assert (video.kind, video.title, video.date) == ("video", "A web is spun", "2026-07-01")
    assert video.values == {"video": Link("http://a.test/spun.mp4", "A web is spun")}
    assert "In an hour." in video.text


def test_a_picture_and_a_film_are_read_from_microdata():
    [picture, film] = media(
        "<div itemscope itemtype='https://schema.org/ImageObject'><meta itemprop=name content=Dawn>"
        "<link itemprop=contentUrl href=/dawn.webp></div>"
        "<div itemscope itemtype='https://schema.org/Article'><div itemprop=video itemscope"
        " itemtype='http://schema.org/VideoObject'><b itemprop=name>A hunt</b>"
        "<a itemprop=url href=/hunt>see</a><time itemprop=uploadDate datetime=2026-07-01></time>"
        "</div></div>"
    )

    assert (picture.kind, picture.key, picture.title) == (
        "image", "http://a.test/dawn.webp", "Dawn"
    )  # fmt: skip
    assert (film.kind, film.key, film.title, film.date) == (
        "video", "http://a.test/hunt", "A hunt", "2026-07-01"
    )  # fmt: skip


def test_addresses_are_relative_to_the_base_of_the_page():
    [document] = media('<img src="orb.jpg" alt="An orb web">', "<base href=http://cdn.test/i/>")

    assert (document.url, document.key) == (URL, "http://cdn.test/i/orb.jpg")


@pytest.mark.parametrize(
    ("head", "header"),
    [("<meta name=robots content='index; NoImageIndex'>", ""), ("", "noimageindex, follow")],
)
def test_the_pictures_of_a_page_that_forbids_it_are_not_found(head, header):
    page = (
        f"<title>Webs</title>{head}<p>Silk.<img src=a.jpg alt=x><video src=b.mp4 title=y></video>"
    )
    said = [*HTML, ("X-Robots-Tag", header)]

    parsed = read_response("page", page.encode(), URL, said, ASKED)

    assert [document.kind for document in parsed.documents] == ["", "video"]
    assert parsed.noimageindex


def test_the_page_stays_the_one_that_other_pages_name():
    documents = read('<img src="a.jpg" alt="An orb web"><img src="a.jpg" alt="again">')

    parts = parts_of(documents)
    part = main_part(parts)
    assert len(parts) == 2
    assert part is not None
    assert parts[part].title == "Webs"


def test_many_media_are_bounded_and_none_raises():
    tags = "".join(f'<img src="{n}.jpg" alt="silk">' for n in range(3 * MAX_MEDIA))
    broken = '<script type="application/ld+json">' + "[" * 5_000 + "</script><figure>" * 500

    assert len(media(tags + broken)) == MAX_MEDIA
