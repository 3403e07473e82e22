"""How do links get into Parquet and ranks out of it? Run by an interpreter that has pyarrow.

as_parquet.py write FILE    columns as JSON on stdin; ids in hexadecimal become binary
as_parquet.py read FOLDER   id → rank as JSON on stdout
"""

from __future__ import annotations

import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq

IDS = ("source", "target", "id")


def write(file: str) -> None:
    columns = json.load(sys.stdin)
    for name in IDS:
        if name in columns:
            columns[name] = pa.array(map(bytes.fromhex, columns[name]), pa.binary())
    pq.write_table(pa.table(columns), file)


def read(folder: str) -> None:
    rows = pq.read_table(folder).to_pylist()
    json.dump({row["id"].hex(): row["rank"] for row in rows}, sys.stdout)


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](sys.argv[2])
