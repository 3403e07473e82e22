"""An HTTP/1.1 client over asyncio: connections, address checks, limits."""
