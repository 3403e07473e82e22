"""HTTP clients that fetch the same pages, one module per library.

`python -m scripts.bench.contenders.http_clients` compares them; the results are in
docs/decisions/0009-http-client.md. Each client imports its library only when it is used, so that
one library can be measured without installing the others.
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

USER_AGENT = "GossamerBench/1 (+http://localhost/)"
TIMEOUT = 60  # seconds for one request
Get = Callable[[str], Awaitable[int]]  # URL -> bytes of body
Client = Callable[[int], AbstractAsyncContextManager[Get]]  # connections -> get
