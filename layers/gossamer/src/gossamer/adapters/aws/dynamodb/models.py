"""The tables of a stack: keys, indexes and attributes.

template.yaml creates the same tables; a test compares the two. Names of attributes are short
because DynamoDB bills them with every item. A model says what a table looks like and how its values
lie there; `tables.Table` makes the calls.
"""

# ruff: noqa: D106 the inner Meta is how PynamoDB wants to be told
from __future__ import annotations

from pynamodb.indexes import GlobalSecondaryIndex, IncludeProjection, KeysOnlyProjection
from pynamodb.models import Model

from gossamer.adapters.aws.dynamodb.attributes import Count, Ref, Time, blob, text


class UrlItem(Model):
    """A URL and where it stands: collection#id."""

    class Meta:
        table_name = "urls"
        recoverable = True

    key = blob("k", hash_key=True)
    url = text("u", null=True)
    host = text("h", null=True)
    state = text("st", null=True)
    reason = text("why", null=True)
    target = text("to", null=True)
    depth = Count(attr_name="dep", null=True)
    hops = Count(attr_name="hop", null=True)
    via = blob("via", null=True)
    nearer_via = blob("nv", null=True)
    tries = Count(attr_name="try", null=True)
    slot = Time(attr_name="cl", null=True)
    lease = Time(attr_name="lse", null=True)
    fetched_at = Time(attr_name="at", null=True)
    code = Count(attr_name="code", null=True)
    size = Count(attr_name="size", null=True)
    md5 = blob("md5", null=True)
    etag = text("et", null=True)
    modified = text("lm", null=True)
    page = Ref(attr_name="pg", null=True)
    job = text("job", null=True)
    units = Count(attr_name="un", null=True)  # bit 1: a page's, bit 2: a document's
    history = blob("his", null=True)  # how often it was found changed
    hinted_at = Time(attr_name="hin", null=True)  # when it changed, as a sitemap or feed says
    cookies = text("ck", null=True)  # what its last redirect hands on
    ttl = Count(attr_name="ttl", null=True)


class ByDue(GlobalSecondaryIndex["PackItem"]):  # type: ignore[no-untyped-call]
    """The markers of parked hosts by due time. Packs have no `until`, so they are not in it."""

    class Meta:
        index_name = "by_due"
        projection = KeysOnlyProjection()

    host = text("h", hash_key=True)
    until = Time(attr_name="un", range_key=True)


class PackItem(Model):
    """Parked URLs of a host; and under collection#~hosts, which hosts have some."""

    class Meta:
        table_name = "frontier"

    host = text("h", hash_key=True)
    place = text("p", range_key=True)  # depth#digest, or the host
    body = blob("x", null=True)
    number = Count(attr_name="n", null=True)  # URLs of a pack; of a marker, grows with each pack
    lease = Time(attr_name="lse", null=True)
    until = Time(attr_name="un", null=True)
    mark = Count(attr_name="m", null=True)  # another one each time that a pack is parked
    by_due = ByDue()


class HostItem(Model):
    """A host: its pace and record ("h"), its robots.txt ("r…") and its quotas ("q#…")."""

    class Meta:
        table_name = "domains"
        recoverable = True

    host = text("h", hash_key=True)
    part = text("s", range_key=True)
    next_slot = Time(attr_name="nx", null=True)
    last_slot = Time(attr_name="ls", null=True)
    not_before = Time(attr_name="nb", null=True)
    penalty = Time(attr_name="pen", null=True)
    robots_code = Count(attr_name="rc", null=True)
    robots_parts = Count(attr_name="rp", null=True)  # how many items its text takes
    robots_unavailable = Count(attr_name="ru", null=True)
    robots_until = Time(attr_name="rx", null=True)
    robots_tries = Count(attr_name="rt", null=True)
    robots_fault = text("rf", null=True)
    robots_lease = Time(attr_name="rl", null=True)
    service_slot = Time(attr_name="sv", null=True)
    requests = Count(attr_name="tot", null=True)
    bad = Count(attr_name="bad", null=True)
    bad_in_a_row = Count(attr_name="row", null=True)
    set_aside = text("aside", null=True)
    era = Count(attr_name="era", null=True)
    pages = Count(attr_name="pgs", null=True)  # that were kept of it
    worth = Count(attr_name="w", null=True)
    named = Count(attr_name="nam", null=True)
    body = blob("x", null=True)  # a piece of robots.txt
    used = Count(attr_name="n", null=True)  # of a quota


class ContentItem(Model):
    """A content and the URL that owns it."""

    class Meta:
        table_name = "content_seen"

    key = blob("k", hash_key=True)
    owner = text("u", null=True)


class DocumentItem(Model):
    """A page with its documents: collection#d + its id."""

    class Meta:
        table_name = "documents"
        recoverable = True

    key = blob("k", hash_key=True)
    body = blob("x", null=True)
    file = text("s3", null=True)  # where a body lies that is too large for an item
    fetched_at = Time(attr_name="at", null=True)
    anchors = blob("anc", null=True)  # what other pages call it
    parts = blob("pt", null=True)  # which documents it has, if not just itself


class EdgeItem(Model):
    """The links of a page, packed; or those that lead to it (part -1)."""

    class Meta:
        table_name = "edges"

    key = blob("k", hash_key=True)
    part = Count(attr_name="part", range_key=True)
    body = blob("x", null=True)


class ByTfidf(GlobalSecondaryIndex["IndexItem"]):  # type: ignore[no-untyped-call]
    """The heads of a term in all segments, by falling bound when it is read backwards.

    Keys and projection are those of the first edition of the index: CloudFormation cannot change
    them in place.
    """

    class Meta:
        index_name = "by_tfidf"
        projection = IncludeProjection(["x", "n", "df"])

    term = text("term", hash_key=True)
    impact = Count(attr_name="imp", range_key=True)


class IndexItem(Model):
    """The head of a frequent term in a segment: its heaviest layer, and where the others lie."""

    class Meta:
        table_name = "inverted_index"

    key = text("k", hash_key=True)  # collection#term
    segment = text("g", range_key=True)
    first = blob("x", null=True)
    layers = blob("n", null=True)
    df = Count(attr_name="df", null=True)
    term = text("term", null=True)  # the key again
    impact = Count(attr_name="imp", null=True)  # the bound of the first layer
    by_tfidf = ByTfidf()


class SegmentItem(Model):
    """The manifest of the index or of the founders.

    Settings of a collection that were last written before they had a table lie here, too.
    """

    class Meta:
        table_name = "segments"

    key = text("k", hash_key=True)
    sort = text("s", range_key=True)
    body = blob("x", null=True)
    version = Count(attr_name="v", null=True)
    format = Count(attr_name="f", null=True)  # of the index; its first edition has none
    writer = blob("w", null=True)  # who published it: tells an answer that was lost
    at = Time(attr_name="at", null=True)  # when it was published


class SettingsItem(Model):
    """The settings of a collection, or a part of one of its lists of synonyms or templates."""

    class Meta:
        table_name = "settings"
        recoverable = True

    key = text("k", hash_key=True)
    sort = text("s", range_key=True)
    body = blob("x", null=True)
    version = Count(attr_name="v", null=True)


class PagePackItem(Model):
    """Small WARC objects that were joined into a pack (collection#packs); and up to which pack they
    were deleted (collection#swept)."""

    class Meta:
        table_name = "page_packs"
        recoverable = True

    key = text("k", hash_key=True)
    last = text("s", range_key=True)  # the name of the last member
    pack = text("p", null=True)
    body = blob("x", null=True)  # names and sizes of the members
    at = Time(attr_name="at", null=True)  # when it was published


class ByState(GlobalSecondaryIndex["JobItem"]):  # type: ignore[no-untyped-call]
    """Jobs by state. Configurations and leases have no state, so they are not in it."""

    class Meta:
        index_name = "by_state"
        projection = KeysOnlyProjection()

    state = text("st", hash_key=True)
    key = text("k", range_key=True)


class JobItem(Model):
    """A job, its configuration (collection#~cfg#job), units of it (~blk#job#), or a lease."""

    class Meta:
        table_name = "jobs"
        recoverable = True

    key = text("k", hash_key=True)
    config = blob("cfg", null=True)
    version = text("cv", null=True)  # which configuration the limits below are of
    max_pages = Count(attr_name="mp", null=True)
    max_documents = Count(attr_name="md", null=True)
    state = text("st", null=True)
    reason = text("why", null=True)
    pages = Count(attr_name="pg", null=True)
    documents = Count(attr_name="dc", null=True)
    lent = Count(attr_name="ln", null=True)  # how often units were lent to blocks
    progress = blob("cur", null=True)  # how far housekeeping came that takes several minutes
    micros = Count(attr_name="sec", null=True)  # microseconds that it has been running
    started_at = Time(attr_name="beg", null=True)
    owner = text("own", null=True)
    lease = Time(attr_name="lse", null=True)
    epoch = Count(attr_name="ep", null=True)
    ttl = Count(attr_name="ttl", null=True)
    by_state = ByState()


class StatItem(Model):
    """Counters of an hour, or of the states of URLs. Their names are data."""

    class Meta:
        table_name = "stats"

    key = text("k", hash_key=True)
    shard = Count(attr_name="s", range_key=True)
    upto = Time(attr_name="upto", null=True)  # of the total: which hours are not in it yet
    body = blob("x", null=True)  # of a recount: how far it came
    version = Count(attr_name="v", null=True)
    ttl = Count(attr_name="ttl", null=True)


MODELS: tuple[type[Model], ...] = (
    UrlItem, PackItem, HostItem, ContentItem, DocumentItem, EdgeItem, IndexItem, SegmentItem,
    SettingsItem, PagePackItem, JobItem, StatItem,
)  # fmt: skip
