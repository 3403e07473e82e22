"""Index and query documents with tantivy, without snippets. Run by the interpreter that has it."""

import json
import time
from pathlib import Path
from typing import Any

import tantivy

from scripts.bench.contenders.timed_queries import answer, read_task

FIELDS = ("title", "text")


def build(texts: Path, folder: Path) -> tuple[Any, Any, float]:
    """Index all documents with one thread; returns the index, its schema and the seconds."""
    began = time.perf_counter()
    builder = tantivy.SchemaBuilder()
    for name in FIELDS:
        builder.add_text_field(name, stored=False, tokenizer_name="en_stem")
    schema = builder.build()
    folder.mkdir()
    index = tantivy.Index(schema, str(folder))
    writer = index.writer(heap_size=256_000_000, num_threads=1)
    with texts.open(encoding="utf-8") as lines:
        for page in map(json.loads, lines):
            writer.add_document(tantivy.Document(**page))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index, schema, time.perf_counter() - began


def main() -> None:
    """Index, then time the queries."""
    task = read_task()
    folder = Path(task["folder"]) / "tantivy"
    index, schema, seconds = build(Path(task["texts"]), folder)
    searcher = index.searcher()

    def search(query: str) -> int:
        if query.endswith("*"):  # its parser has no prefixes of single words
            parsed = tantivy.Query.regex_query(schema, "text", f"{query[:-1]}.*")
        else:
            parsed = index.parse_query(query, list(FIELDS))
        return len(searcher.search(parsed, 10).hits)

    size = sum(file.stat().st_size for file in folder.iterdir())
    answer(task, search, seconds=seconds, bytes=size, version=tantivy.__version__)


if __name__ == "__main__":
    main()
