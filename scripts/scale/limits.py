"""Limits that AWS documents, and the few numbers that are assumed; each with its source.

Everything else comes from the template (deployment.py), from measurements over moto (profile.json),
or from the code itself.
"""

# "Checked": compared in November 2026 with a stored copy of the page; the others are as they were
# written down first, and were not found or not looked for.
# ── documented ──────────────────────────────────────────────────────────────────────────────────
# DynamoDB developer guide, "Best practices for designing partition keys": of one partition.
PARTITION_READS, PARTITION_WRITES = 3_000.0, 1_000.0
# Checked in "DynamoDB on-demand capacity mode": a new table, then twice the former peak; the 30
# minutes were not in the part that was found.
NEW_TABLE_READS, NEW_TABLE_WRITES = 12_000.0, 4_000.0
PEAK_GROWTH, PEAK_SECONDS = 2.0, 1_800.0
# Checked there, too: of a table on demand, unless AWS raises it.
TABLE_READS, TABLE_WRITES = 40_000.0, 40_000.0
ITEM_BYTES = 400 * 1024  # "Service quotas", not checked: the largest item
# Lambda developer guide, "Quotas". A new account may begin with as few as 10.
ACCOUNT_CONCURRENCY = 1_000.0
LONGEST_FUNCTION = 900.0
# Checked in "Configuring scaling behavior for SQS event source mappings": five, 300 and 1,250 (an
# older edition says 1,000). Two pollers are enough for Lambda when a queue is quiet, but not where
# MaximumConcurrency is set, as it is here.
FIRST_POLLERS, MORE_A_MINUTE, MOST_OF_A_QUEUE = 5.0, 300.0, 1_250.0
LONG_POLL = 20.0  # seconds; five of these are always open, so an idle queue costs requests
# Checked in "Amazon SQS standard queue quotas": received and not deleted, approximately.
IN_FLIGHT = 120_000.0
# S3 user guide, "Optimizing performance": of a prefix, each second.
PREFIX_PUTS, PREFIX_GETS = 3_500.0, 5_500.0
# Price lists of us-east-1, looked up in 2026, of what core.cost has no price for: USD.
S3_GB_MONTH, TABLE_GB_MONTH = 0.023, 0.25
SPARK_CORE_HOUR, SPARK_GB_HOUR = 0.052624, 0.0057785  # EMR Serverless, x86

# ── measured elsewhere ──────────────────────────────────────────────────────────────────────────
# docs/performance.md, "The index in the cloud": a function of 1 GB. COMPACT took 63 s for 88 MB; a
# part about 30 s; joining moves every byte twice at 60 MB/s, and takes 22 s a million documents.
COMPACT_SECONDS_A_MB = 63.0 / 88.0
PART_SECONDS = 30.0
JOIN_MB_A_SECOND, JOIN_SECONDS_A_DOCUMENT = 60.0, 22e-6
SEGMENT_BYTES_A_DOCUMENT = 1_220.0  # the same: 122 MB for 100,000 synthetic documents
# docs/operations.md, "Rank": fifteen minutes suffice for twenty million links, 3 GB for fifty.
RANK_LINKS_A_SECOND = 20e6 / 900.0
# docs/performance.md, "The cloud home": bytes of a message's line, and of the lines of a call, 800
# of which Lambda writes itself.
MESSAGE_LOG_BYTES, CALL_LOG_BYTES = 276.0, 1_680.0
# docs/performance.md, "The cloud home": of CPU time to import and open, times 1.6 as above.
COLD_START = 0.9

# ── assumed: the first week measures them (docs/first-week.md) ──────────────────────────────────
SCAN_MB_A_SECOND = 20.0  # a sequential scan of a table by one process
URL_BYTES = 500.0  # of an item of `urls`
PAGE_BYTES = 15_000.0  # of a page in a WARC file, packed
DOCUMENT_BYTES = 2_500.0  # of a page in DynamoDB, all tables together
LINKS_A_PAGE = 10.0  # kept of a page, as RANK reads them
PROCESS_SECONDS = 7_200.0  # after which Lambda replaces a busy process, and bills its start
POLL_GAP = 0.05  # seconds between two receives of a poller: messages of that time share a batch
SPARK_CORE_SECONDS_A_PAGE = (
    0.012  # rank, names, near-duplicates and segments, on this machine's cores
)
