"""Is a page found no more once the day has passed that it named?"""

from __future__ import annotations

import time

from gossamer import homes
from gossamer.core.ids import document_id
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.ports.documents import Version
from tests.indexing import index_all, writer_of


def test_a_page_is_found_until_its_last_day(any_home):
    now = time.time()
    for name, end in (("never", 0.0), ("tomorrow", now + 86_400), ("yesterday", now - 86_400)):
        url = f"http://a.test/{name}"
        document = Document(url=url, text=f"silk {name}", unavailable_after=end)
        version = Version(document_id(url_id(url)), 1.0, document)
        any_home.documents.put(url_id(url), [document], 1.0)
        index_all(writer_of(any_home.index), [version])

    found = homes.searcher(any_home).search("silk")

    assert sorted(hit.url[14:] for hit in found.hits) == ["never", "tomorrow"]
    assert [hit.rank for hit in found.hits] == [1, 2]
