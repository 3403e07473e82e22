"""The documents that are indexed and searched.

A corpus is a Gossamer collection that holds documents and no index. Corpora are made once and kept
in the cache: real sites, crawled by Gossamer, and synthetic ones of any size made from their text.
"""

import argparse
import json
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from gossamer import homes
from gossamer.core.index.schema import texts_of
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.ports.home import Home
from gossamer.settings import Settings
from scripts.bench.contenders.gossamer_cli import Gossamer
from scripts.bench.failure import BenchFailure
from scripts.bench.machine.progress import log
from scripts.bench.worlds import debian_sites, synthetic_documents
from scripts.bench.worlds.debian_sites import Site
from scripts.bench.worlds.nginx import LOOPBACK, serve

DATABASE = Settings().database.name
FACTS = "facts.json"  # written last, so a corpus without it is incomplete
TEXTS = "documents.jsonl"  # for engines that cannot open a collection


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents that are not indexed yet."""

    name: str
    folder: Path
    documents: int
    text_bytes: int  # all that is searched: body, titles, headings, texts of images

    @property
    def database(self) -> Path:
        """The collection's database."""
        return self.folder / DATABASE

    @property
    def texts(self) -> Path:
        """Title and text of each document, one JSON object per line."""
        return self.folder / TEXTS


def real(settings: argparse.Namespace, name: str) -> Corpus:
    """The documents of a real site: NAME or NAME=FOLDER."""
    folder: Path = settings.cache / "corpora" / name.partition("=")[0]
    if not (folder / FACTS).exists():
        [site] = debian_sites.find([name], settings.cache)
        with _crawled(site, settings) as home:
            _write(folder, _documents(home))
    return _corpus(folder)


def of_size(settings: argparse.Namespace, count: int) -> Corpus:
    """`count` synthetic documents, the same ones each time."""
    folder: Path = settings.cache / "corpora" / f"synthetic-{count}"
    if not (folder / FACTS).exists():
        originals = [real(settings, name) for name in debian_sites.DEFAULT]
        log(f"generating {count:,} documents in {folder}")
        found = (document for corpus in originals for document in documents(corpus))
        _write(folder, synthetic_documents.documents(found, count))
    return _corpus(folder)


def documents(corpus: Corpus) -> Iterator[Document]:
    """Every document of a corpus."""
    with closing(_open(corpus.folder)) as home:
        yield from _documents(home)


def _documents(home: Home) -> Iterator[Document]:
    return (document for page in home.documents.all() for document in page.documents.values())


@contextmanager
def _crawled(site: Site, settings: argparse.Namespace) -> Iterator[Home]:
    """A collection with the whole site, removed after the `with` block."""
    log(f"{site.name}: crawling it to get its documents")
    with (
        tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as folder,
        serve({LOOPBACK: site.root}, port=settings.port) as server,
    ):
        gossamer = Gossamer(settings.gossamer, Path(folder), settings.limit)
        finished, said = gossamer.crawl([f"{server.origin()}/"])
        if finished.code != 0:
            raise BenchFailure(f"crawl of {site.name}: exit {finished.code}: {said}")
        with closing(_open(Path(folder))) as home:
            yield home


def _write(folder: Path, found: Iterable[Document]) -> None:
    """Write a corpus, over what an interrupted run may have left."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / DATABASE).unlink(missing_ok=True)
    count = size = 0
    with (
        closing(_open(folder, read_only=False)) as home,
        (folder / TEXTS).open("w", encoding="utf-8") as texts,
    ):
        for document in found:
            home.documents.put(url_id(document.url), [document], 1.0)
            texts.write(json.dumps({"title": document.title, "text": document.text}) + "\n")
            count, size = count + 1, size + _text_bytes(document)
    facts = asdict(Corpus(folder.name, folder, count, size)) | {"folder": ""}
    (folder / FACTS).write_text(json.dumps(facts) + "\n")


def _corpus(folder: Path) -> Corpus:
    return Corpus(**json.loads((folder / FACTS).read_text()) | {"folder": folder})


def _text_bytes(document: Document) -> int:
    return sum(len(text.encode()) for _, texts in texts_of(document) for text in texts)


def _open(folder: Path, *, read_only: bool = True) -> Home:
    return homes.open_home(Settings(data=str(folder)), read_only=read_only)
