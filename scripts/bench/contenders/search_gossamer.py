"""Query an indexed collection with Gossamer's searcher, with snippets."""

from gossamer import homes
from gossamer.settings import Settings
from scripts.bench.contenders.timed_queries import answer, read_task


def main() -> None:
    """Time the queries."""
    task = read_task()
    home = homes.open_home(Settings(data=task["data"]), read_only=True)
    searcher = homes.searcher(home)

    def search(query: str) -> int:
        found = searcher.search(query)
        return found.total - found.filled  # peers do not fill up boolean answers

    answer(task, search)


if __name__ == "__main__":
    main()
