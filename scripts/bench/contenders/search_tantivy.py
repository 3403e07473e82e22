"""Index and query documents with tantivy. Run by the interpreter that has it.

Texts are stored, and each answer has ten snippets, as Gossamer's have. The number of threads that
index is part of the task.
"""

import json
import time
from pathlib import Path
from typing import Any

import tantivy

from scripts.bench.contenders.timed_queries import answer, read_task

FIELDS = ("title", "text")
HEAP_BYTES = 256_000_000  # of all threads


def build(texts: Path, folder: Path, threads: int) -> tuple[Any, Any, float]:
    """Index all documents; return the index, its schema and the seconds."""
    began = time.perf_counter()
    builder = tantivy.SchemaBuilder()
    for name in FIELDS:
        builder.add_text_field(name, stored=True, tokenizer_name="en_stem")
    schema = builder.build()
    folder.mkdir()
    index = tantivy.Index(schema, str(folder))
    writer = index.writer(heap_size=HEAP_BYTES, num_threads=threads)
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
    index, schema, seconds = build(Path(task["texts"]), folder, task["threads"])
    searcher = index.searcher()

    def search(query: str) -> int:
        if query.endswith("*"):  # its parser has no prefixes of single words
            parsed = tantivy.Query.regex_query(schema, "text", f"{query[:-1]}.*")
        else:
            parsed = index.parse_query(query, list(FIELDS))
        hits = searcher.search(parsed, 10).hits
        snippets = tantivy.SnippetGenerator.create(searcher, parsed, schema, "text")
        for _, address in hits:
            snippets.snippet_from_doc(searcher.doc(address)).to_html()
        return len(hits)

    size = sum(file.stat().st_size for file in folder.iterdir())
    threads = task["threads"]
    answer(task, search, seconds=seconds, bytes=size, threads=threads, version=tantivy.__version__)


if __name__ == "__main__":
    main()
