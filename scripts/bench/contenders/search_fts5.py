"""Index and query documents with SQLite FTS5, with snippets."""

import json
import sqlite3  # noqa: TID251 a peer, not a store
import time
from pathlib import Path

from scripts.bench.contenders.timed_queries import answer, read_task

CREATE = "CREATE VIRTUAL TABLE pages USING fts5(title, text, tokenize = 'porter unicode61')"
FIND = (
    "SELECT rowid, title, snippet(pages, 1, '<b>', '</b>', '…', 32) FROM pages"
    " WHERE pages MATCH ? ORDER BY rank LIMIT 10"
)


def build(texts: Path, file: Path) -> float:
    """Index all documents; returns the seconds, merging included."""
    began = time.perf_counter()
    db = sqlite3.connect(file)
    db.execute(CREATE)
    with texts.open(encoding="utf-8") as lines:
        pages = ((page["title"], page["text"]) for page in map(json.loads, lines))
        db.executemany("INSERT INTO pages VALUES (?, ?)", pages)
    db.execute("INSERT INTO pages(pages) VALUES ('optimize')")
    db.commit()
    db.close()
    return time.perf_counter() - began


def main() -> None:
    """Index, then time the queries."""
    task = read_task()
    file = Path(task["folder"]) / "fts5.db"
    seconds = build(Path(task["texts"]), file)
    db = sqlite3.connect(file)
    db.execute("PRAGMA cache_size=-262144")
    facts = {"seconds": seconds, "bytes": file.stat().st_size, "version": sqlite3.sqlite_version}
    answer(task, lambda query: len(db.execute(FIND, (query,)).fetchall()), **facts)


if __name__ == "__main__":
    main()
