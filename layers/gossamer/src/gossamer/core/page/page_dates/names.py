"""The names under which pages declare their dates in meta elements."""

from __future__ import annotations

from typing import Final

PUBLISHED: Final = tuple(
    str.split(
        "article:published_time og:article:published_time og:published_time datepublished"
        " parsely-pub-date sailthru.date article.published article:published pubdate publishdate"
        " publish-date publish_date publication_date publication-date published_date og:pubdate"
        " bt:pubdate citation_publication_date citation_online_date dc.date.issued dcterms.issued"
        " dc.date.created dcterms.created dc.date dcterms.date dc.date.x-metadatalastmodified"
        " cxenseparse:recs:publishtime rnews:datepublished originalpublicationdate"
        " article_date_original"
        " date displaydate date.created datecreated created_time dateposted timestamp"
    )
)
MODIFIED: Final = tuple(
    str.split(
        "article:modified_time og:article:modified_time og:updated_time og:modified_time"
        " article:updated_time datemodified dc.date.modified dcterms.modified lastmod"
        " last-modified last_modified modified_date date.modified updated_time revised"
    )
)
