"""Crawl a site with Scrapy and with wget."""

from collections.abc import Sequence
from pathlib import Path

from scripts.bench.machine.environments import interpreter
from scripts.bench.machine.processes import Finished, require, run

SPIDER = Path(__file__).with_name("scrapy_spider.py")
SCRAPY_SETTINGS = {
    "ROBOTSTXT_OBEY": "True",
    "DOWNLOAD_DELAY": "0",
    "CONCURRENT_REQUESTS": "16",
    "CONCURRENT_REQUESTS_PER_DOMAIN": "16",
    "LOG_ENABLED": "False",
    "TELNETCONSOLE_ENABLED": "False",
}
# Only tags that lead to pages: by default wget -r fetches images and style sheets too.
WGET_OPTIONS = ("-r", "-l", "inf", "-q", "-nH", "--follow-tags=a,area,iframe,frame")


def scrapy_program(cache: Path) -> Path:
    """Scrapy in its own environment, installed on first use."""
    return interpreter(cache, "scrapy", "scrapy").with_name("scrapy")


def scrapy_crawl(
    program: Path, url: str, folder: Path, *, limit: float, max_pages: int, is_tuned: bool
) -> Finished:
    """Crawl with Scrapy; 0 pages means all."""
    settings = {**SCRAPY_SETTINGS, "CLOSESPIDER_PAGECOUNT": str(max_pages)}
    options = [part for key, value in settings.items() for part in ("-s", f"{key}={value}")]
    tuned = ["-a", "tuned=1"] if is_tuned else []
    arguments = ["-a", f"url={url}", "-a", f"folder={folder}", *tuned, *options]
    return run([program, "runspider", SPIDER, *arguments], limit=limit, folder=folder)


def wget_crawl(url: str, folder: Path, *, limit: float) -> Finished:
    """Crawl with wget. Its exit code is 8 if any link was broken."""
    return run(["wget", *WGET_OPTIONS, "-P", folder, url], limit=limit)


def stored_pages(folder: Path) -> int:
    """How many HTML files a crawl stored."""
    return sum(1 for file in folder.rglob("*.html") if file.is_file())


def versions(tools: Sequence[str], cache: Path) -> dict[str, str]:
    """The versions of the tools."""
    found = {}
    if not {"scrapy", "scrapy-tuned"}.isdisjoint(tools):
        found["scrapy"] = require([scrapy_program(cache), "version"], limit=60).strip()
    if "wget" in tools:
        found["wget"] = require(["wget", "--version"], limit=60).splitlines()[0]
    return found
