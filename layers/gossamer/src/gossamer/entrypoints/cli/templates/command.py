"""The command `gossamer template`: turn the pages of a site into documents with typed values."""

from __future__ import annotations

import sys
from contextlib import closing, contextmanager
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.bolts.index import made_otherwise
from gossamer.core.crawl.job import JobConfig
from gossamer.core.errors import ConfigurationError, MissingResource, Unending
from gossamer.core.page.charset import decode
from gossamer.core.page.templates.template import to_toml
from gossamer.entrypoints.cli.command import (
    DONE,
    FAILED,
    cause,
    print_result,
    progress,
    settings_of,
)
from gossamer.entrypoints.cli.templates import (
    applying,
    bounded,
    exchanging,
    healing,
    health,
    keeping,
    learning,
    starter,
    trial,
)
from gossamer.entrypoints.cli.templates.fetching import fetch_page
from gossamer.entrypoints.cli.templates.sending import Sending
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.index_workers import index_all

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from gossamer.core.page.templates.template import Template
    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.entrypoints.collection.templates import Kept
    from gossamer.ports.home import Home
    from gossamer.ports.parser import ParserPool

ACTIONS = (
    "list",
    "show",
    "new",
    "test",
    "add",
    "remove",
    "apply",
    "health",
    "heal",
    "import",
    "export",
    "learn",
)
WITHOUT_COLLECTION = ("new", "test", "import", "export", "learn")
DESCRIPTION = """\
A template says, for the pages of some URLs, which records are on them and which values those have:
pages become documents that are searched, filtered and sorted by these values. `add` gives files to
the collection, and so does `gossamer crawl --template FILE`; `apply` reads the pages again that are
stored already, and asks no website. When a site was redesigned, `health` says so, and `heal` looks
for the values of earlier visits in the new pages, learns the selectors again and proposes them.
"""
EXAMPLES = """\
examples:
  gossamer template new https://shop.example/p/1 > shop.toml   a first one for a page, to be edited
  gossamer template test shop.toml https://shop.example/p/1    what it finds, and where
  gossamer crawl https://shop.example/ --template shop.toml    crawl with it
  gossamer template apply shop.toml                            use it for pages that are stored
  gossamer template health                                     what it finds less of than before
  gossamer template heal shop                                  learn again what a redesign broke
  gossamer template heal shop --apply                          and use it, if 95 % comes out
  gossamer template import sitemap.json --into templates       of webscraper.io, crawl4ai, Elastic
  gossamer template export shop                                a schema for crawl4ai
  gossamer template learn shop --list https://shop.example/    learn the records of a list
  gossamer template learn shop --page https://shop.example/p/1 --value price=12.50 --page …
  gossamer template list                                       or show NAME, remove NAME
"""


class Listed(msgspec.Struct, frozen=True):
    """A template of a collection."""

    name: str
    match: list[str]
    fields: list[str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, and with what."""
    parser.description, parser.epilog = DESCRIPTION, EXAMPLES
    parser.add_argument("action", choices=ACTIONS, metavar="ACTION", help=", ".join(ACTIONS))
    parser.add_argument(
        "what", nargs="*", metavar="NAME|FILE|URL",
        help="templates by name or file; pages by URL or HTML file",
    )  # fmt: skip

    parser.add_argument(
        "--match", action="append", default=[], metavar="PATTERN",
        help="`import`: for which pages a schema of crawl4ai is, which does not say it",
    )  # fmt: skip
    parser.add_argument(
        "--into", metavar="FOLDER", help="`import`, `heal`: write each template as NAME.toml there"
    )
    parser.add_argument(
        "--allow-private", action="store_true",
        help="`new`, `test` and `learn` may ask loopback and private addresses for a page",
    )  # fmt: skip
    learning.add_arguments(parser)
    healing.add_arguments(parser)


def _refuse_ignored_flags(args: argparse.Namespace) -> None:
    """Raise ConfigurationError for a flag that the action would ignore."""
    flags = {
        **dict.fromkeys(learning.flags_of(args), ("learn",)),
        "--apply": ("heal",) if args.apply else (),
        "--match": ("import",) if args.match else (),
        "--into": ("import", "heal") if args.into is not None else (),
        "--allow-private": ("new", "test", "learn") if args.allow_private else (),
    }
    for flag, actions in flags.items():
        if actions and args.action not in actions:
            raise ConfigurationError(
                f"`gossamer template {args.action}` takes no {flag}; it goes with"
                f" {' and '.join(actions)}"
            )


def run(args: argparse.Namespace) -> int:
    """Work on the collection of this machine."""
    _refuse_ignored_flags(args)
    match args.action:
        case "add" | "remove":
            with session.locked(settings_of(args), "template", create=True) as home:
                return _say_kept(args, _keep(home, args))
        case "apply":
            return _apply_here(args)
        case "learn":
            with _home_here(args) as home:
                return _learn(home, args)
        case "heal":
            return _heal_here(args)
    with _home_here(args) as home:
        return _look(home, args)


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Work on a collection of a stack."""
    _refuse_ignored_flags(args)
    home = stack.home
    if args.action in ("add", "remove"):
        return _say_kept(args, _keep(home, args))
    if args.action == "learn":
        return _learn(home, args)
    if args.action == "heal":
        return _heal(home, args, lambda name: _reread_there(stack, args, name))
    if args.action != "apply":
        return _look(home, args)
    done = _reread_there(stack, args, _to_apply(home, args))
    print_result(args, done, applying.to_text(done))
    return DONE


def _reread_there(stack: Stack, args: argparse.Namespace, name: str) -> applying.Applied:
    """Let PARSE of a stack read pages again."""
    show, folder = progress(args), Path(settings_of(args).data)
    done = Sending(stack.home, stack.deployment.stack, name, folder).run(show)
    show("")
    return msgspec.structs.replace(done, outdated=made_otherwise(stack.home))


@contextmanager
def _home_here(args: argparse.Namespace) -> Iterator[Home | None]:
    """The collection, to be read; None if there is none, which a file and a URL do without."""
    try:
        home = homes.open_home(settings_of(args), read_only=True)
    except MissingResource:
        if args.action not in WITHOUT_COLLECTION:
            raise
        yield None
        return
    with closing(home):
        yield home


def _keep(home: Home, args: argparse.Namespace) -> Kept:
    if not args.what:
        raise ConfigurationError(f"`gossamer template {args.action}` needs a name or a file")
    if args.action == "remove":
        for name in args.what:
            kept = keeping.remove(home, name)
        return kept
    return keeping.add(home, args.what)


def _say_kept(args: argparse.Namespace, kept: Kept) -> int:
    names = ", ".join(kept.templates) or "none"
    after = "; `gossamer template apply` reads stored pages again" if kept.changed else ""
    print_result(args, kept, f"templates of this collection: {names}{after}")
    return DONE


def _apply_here(args: argparse.Namespace) -> int:
    with session.opened(settings_of(args)) as (home, pool):
        done = _reread_here(home, pool, args, _to_apply(home, args))
    print_result(args, done, applying.to_text(done))
    return DONE


def _reread_here(
    home: Home, pool: ParserPool, args: argparse.Namespace, name: str
) -> applying.Applied:
    """Read pages again on this machine, and index them."""
    settings, show = settings_of(args), progress(args)
    done = applying.apply(home, pool, name, show)
    index_all(home, settings)  # finds by itself what has another version
    if made_otherwise(home):  # the schema has got other columns
        index_all(home, settings, again=True)
    show("")
    return done


def _heal_here(args: argparse.Namespace) -> int:
    if not args.apply:
        with closing(homes.open_home(settings_of(args), read_only=True)) as home:
            return _heal(home, args, None)
    with session.opened(settings_of(args)) as (home, pool):
        return _heal(home, args, lambda name: _reread_here(home, pool, args, name))


def _heal(
    home: Home, args: argparse.Namespace, reread: Callable[[str], applying.Applied] | None
) -> int:
    """Propose what heals a template, and use it if that is wanted and may be."""
    found, template = healing.propose(home, args, _first(args), progress(args))
    if args.apply and reread is not None and found.proposal and not found.refused:
        healing.keep(home, template)
        found = msgspec.structs.replace(found, applied=reread(template.name))
    print_result(args, found, healing.to_text(found))
    if found.proposal:
        return FAILED if args.apply and found.refused else DONE
    return DONE if healing.is_well(found) else FAILED


def _to_apply(home: Home, args: argparse.Namespace) -> str:
    """The name of the template whose pages are read again; of a file it is kept first."""
    if not args.what:
        return ""
    if not is_file(args.what[0]):
        return keeping.template_in(home, args.what[0]).name
    keeping.add(home, args.what)
    return keeping.read_file(args.what[0]).name if len(args.what) == 1 else ""


def _look(home: Home | None, args: argparse.Namespace) -> int:
    """Do what changes nothing."""
    match args.action:
        case "new":
            return _new(home, args)
        case "test":
            return _test(home, args)
        case "import":
            return _import(args)
        case "export":
            return _export(home, args)
        case "health" if home is not None:
            found = health.health_in(home, args.what)
            print_result(args, found, health.to_text(found))
            return FAILED if any(each.alarms for each in found) else DONE
        case "show" if home is not None:
            template = keeping.template_in(home, _first(args))
            print_result(args, template, to_toml(template).rstrip())
        case _ if home is not None:
            known = [Listed(t.name, t.match, [*t.fields]) for t in keeping.templates_in(home)]
            lines = [f"{each.name:16} {', '.join(each.match)}" for each in known]
            print_result(args, known, "\n".join(lines) or "this collection has no templates")
    return DONE


def _first(args: argparse.Namespace) -> str:
    if not args.what:
        raise ConfigurationError(f"`gossamer template {args.action}` needs a name, a file or a URL")
    first: str = args.what[0]
    return first


def _new(home: Home | None, args: argparse.Namespace) -> int:
    page = _page(home, _first(args), args)
    name = args.what[1] if len(args.what) > 1 else "pages"
    text = _begun(page, name)
    print_result(args, {"name": name, "template": text}, text.rstrip())
    return DONE


def _begun(page: trial.Page, name: str) -> str:
    """A first template for a page, if reading that ends."""
    try:
        return bounded.within(bounded.PAGE_SECONDS, lambda: starter.starter(page, name))
    except Unending as error:
        raise Unending(f"{page.url}: reading this page does not end: {error}") from None


def _import(args: argparse.Namespace) -> int:
    brought = exchanging.bring(_first(args), args.match)
    if args.into is None:
        print_result(args, brought, exchanging.as_files(brought))
        return DONE
    files = exchanging.write(brought, args.into)
    notes = [f"note: {note}" for note in brought.notes]
    print_result(args, brought, "\n".join([*notes, *files]))
    return DONE


def _export(home: Home | None, args: argparse.Namespace) -> int:
    taken = exchanging.take(_named(home, _first(args)))
    for note in taken.notes:
        print(f"gossamer: {note}", file=sys.stderr)
    print_result(args, taken, exchanging.as_schema(taken))
    return DONE


def _named(home: Home | None, name: str) -> Template:
    """A template by its name in the collection, or by its file."""
    return keeping.read_file(name) if is_file(name) else keeping.template_in(_some(home), name)


def _test(home: Home | None, args: argparse.Namespace) -> int:
    name = _first(args)
    template = _named(home, name)
    keeping.check(home, template)
    pages = [_page(home, each, args) for each in args.what[1:]]
    if not pages and home is not None:
        pages = trial.sample(home, template)
    done = trial.try_template(template, pages, lambda page: _page(home, page, args))
    print_result(args, done, trial.to_text(done))
    return FAILED if done.failures else DONE


def _learn(home: Home | None, args: argparse.Namespace) -> int:
    learned = learning.run(args, _first(args), lambda name: _page(home, name, args))
    print_result(args, learned, learning.to_text(learned))
    return DONE


def _some(home: Home | None) -> Home:
    if home is None:
        raise ConfigurationError("there is no collection here; name a file, as shop.toml")
    return home


def _page(home: Home | None, name: str, args: argparse.Namespace) -> trial.Page:
    """A page that is stored, or else from the web; or an HTML file."""
    path = Path(name)
    if "://" not in name and path.is_file():
        return _from_file(path)
    stored = trial.stored_page(home, name) if home is not None else None
    return stored or fetch_page(name, allow_private=args.allow_private)


def _from_file(path: Path) -> trial.Page:
    """A page that was saved as a file."""
    most = JobConfig().max_bytes
    try:
        with path.open("rb") as file:
            body = file.read(most + 1)
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {cause(error)}") from error
    if len(body) > most:
        raise ConfigurationError(f"{path}: a page has at most {most:,} bytes")
    return trial.Page(path.resolve().as_uri(), decode(body, ""))


def is_file(name: str) -> bool:
    """Whether a template is named by its file."""
    return PurePath(name).suffix == ".toml" or "/" in name
