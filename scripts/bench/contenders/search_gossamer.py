"""How long does Gossamer's searcher take for some queries? Snippets included."""

from gossamer import retrieval, runtime
from gossamer.settings import Settings
from scripts.bench.contenders.timed_queries import answer, told


def main() -> None:
    """Ask an indexed collection."""
    task = told()
    home = runtime.open_local(Settings(data=task["data"]), read_only=True)
    searcher = retrieval.searcher(home)
    answer(task, lambda query: searcher.search(query).total)


if __name__ == "__main__":
    main()
