"""Near-duplicate texts by datasketch's MinHashLSH. Run by the interpreter that has it."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import datasketch  # type: ignore[import-not-found, unused-ignore]

from scripts.bench.contenders.timed_queries import read_task


def main() -> None:
    """Hash every text; for each threshold, insert all into an LSH and query each."""
    task = read_task()
    texts = json.loads(Path(task["texts"]).read_text(encoding="utf-8"))
    began = time.process_time()
    hashes = [_minhash(words, task["width"], task["permutations"]) for words in texts]
    hash_us = 1e6 * (time.process_time() - began) / len(texts)
    found = [_found(hashes, least, task["permutations"]) for least in task["thresholds"]]
    json.dump({"hash_us": hash_us, "version": datasketch.__version__, "found": found}, sys.stdout)


def _found(
    hashes: "list[datasketch.MinHash]", threshold: float, permutations: int
) -> dict[str, Any]:
    began = time.process_time()
    lsh = datasketch.MinHashLSH(threshold=threshold, num_perm=permutations)
    for number, value in enumerate(hashes):
        lsh.insert(number, value)
    pairs = [[a, b] for a, value in enumerate(hashes) for b in lsh.query(value) if a < b]
    find_us = 1e6 * (time.process_time() - began) / len(hashes)
    return {"threshold": threshold, "keys": lsh.b, "pairs": pairs, "find_us": find_us}


def _minhash(words: list[str], width: int, permutations: int) -> "datasketch.MinHash":
    value = datasketch.MinHash(num_perm=permutations)
    runs = {" ".join(words[at : at + width]) for at in range(len(words) - width + 1)}
    value.update_batch([run.encode() for run in runs])
    return value


if __name__ == "__main__":
    main()
