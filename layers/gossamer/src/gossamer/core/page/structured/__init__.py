"""What pages declare about themselves: linked data, microdata, meta tags, state and tables."""

from gossamer.core.page.structured.page_data import PageData

__all__ = ["PageData"]
