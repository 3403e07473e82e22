"""All forms of the words of a Hunspell dictionary: a list of stems (.dic) and its affixes (.aff).

Words are formed by suffixes, by suffixes of these, and by prefixes of any of them. Compounds are
not formed.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

MAX_FORMS_PER_WORD = 5_000
MAX_SUFFIXES = 2  # of one word: Hunspell looks for no more
# Flags of entries and forms that are no words by themselves.
HIDING_OPTIONS = ("ONLYINCOMPOUND", "NEEDAFFIX", "PSEUDOROOT")


class Affix(NamedTuple):
    """A rule: what is taken off a word and what is put in its place."""

    strip: str
    add: str
    matches: Callable[[str], re.Match[str] | None]
    flags: frozenset[str]
    is_crossed: bool  # with affixes at the other end


@dataclass
class Affixes:
    """The rules of an .aff file by their flags."""

    encoding: str
    flag_type: str = ""
    forbidden_flag: str = ""
    aliases: list[str] = field(default_factory=list)
    hiding_flags: set[str] = field(default_factory=set)
    prefixes: dict[str, list[Affix]] = field(default_factory=lambda: defaultdict(list))
    suffixes: dict[str, list[Affix]] = field(default_factory=lambda: defaultdict(list))

    def parse_flags(self, text: str) -> frozenset[str]:
        """Return the flags after the slash of an entry."""
        if self.aliases and text.isdigit():
            text = self.aliases[int(text)]
        if self.flag_type == "num":
            return frozenset(filter(None, text.split(",")))
        size = 2 if self.flag_type == "long" else 1
        return frozenset(text[start : start + size] for start in range(0, len(text), size))

    def expand(self, word: str, flags: frozenset[str]) -> set[str]:
        """Return a word with all its forms."""
        forms = set() if flags & self.hiding_flags else {word}
        suffixed = [(word, flags, True), *self._add_suffixes(word, flags)]
        for form, form_flags, is_crossed in suffixed:
            if not form_flags & self.hiding_flags:
                forms.add(form)
            if is_crossed:
                forms.update(self._add_prefixes(form, flags | form_flags, form != word))
            if len(forms) > MAX_FORMS_PER_WORD:
                break
        return forms

    def _add_suffixes(
        self, word: str, flags: frozenset[str], depth: int = 1
    ) -> Iterator[tuple[str, frozenset[str], bool]]:
        for flag in sorted(flags & self.suffixes.keys()):
            for rule in self.suffixes[flag]:
                if word.endswith(rule.strip) and rule.matches(word):
                    form = word[: len(word) - len(rule.strip)] + rule.add
                    yield form, rule.flags, rule.is_crossed
                    if depth < MAX_SUFFIXES:
                        yield from self._add_suffixes(form, rule.flags, depth + 1)

    def _add_prefixes(self, word: str, flags: frozenset[str], is_suffixed: bool) -> Iterator[str]:
        for flag in sorted(flags & self.prefixes.keys()):
            for rule in self.prefixes[flag]:
                is_allowed = rule.is_crossed or not is_suffixed
                if is_allowed and word.startswith(rule.strip) and rule.matches(word):
                    yield rule.add + word[len(rule.strip) :]


def read_forms(dictionary: Path) -> Iterator[str]:
    """Yield all forms of the words of a .dic file; its .aff lies beside it."""
    affixes = read_affixes(dictionary.with_suffix(".aff"))
    lines = dictionary.read_text(affixes.encoding, errors="replace").splitlines()
    entries = [_entry(affixes, line) for line in lines[1:]]  # the first is their number
    forbidden = {word for word, flags in entries if affixes.forbidden_flag in flags}
    for word, flags in entries:
        if word not in forbidden:
            yield from affixes.expand(word, flags) - forbidden


def _entry(affixes: Affixes, line: str) -> tuple[str, frozenset[str]]:
    word, _, flags = line.partition("\t")[0].partition(" ")[0].partition("/")
    return word, affixes.parse_flags(flags)


def read_affixes(file: Path) -> Affixes:
    """Return the rules of an .aff file."""
    content = file.read_bytes()
    declared = re.search(rb"^SET\s+(\S+)", content, re.MULTILINE)
    affixes = Affixes(declared[1].decode().replace("microsoft-cp", "cp") if declared else "latin-1")
    lines = [line.split() for line in content.decode(affixes.encoding, "replace").splitlines()]
    lines = [fields for fields in lines if len(fields) > 1]
    options = {fields[0]: fields[1] for fields in lines}
    affixes.flag_type = options.get("FLAG", "")
    affixes.forbidden_flag = options.get("FORBIDDENWORD", "")
    affixes.hiding_flags = {options[name] for name in HIDING_OPTIONS if name in options}
    affixes.aliases = [fields[1] for fields in lines if fields[0] == "AF"]
    is_crossed: dict[tuple[str, str], bool] = {}
    for kind, flag, *fields in lines:
        if kind not in {"PFX", "SFX"}:
            continue
        if (kind, flag) not in is_crossed:  # the first line of a group counts its rules
            is_crossed[kind, flag] = fields[0] == "Y"
            continue
        rules = affixes.prefixes if kind == "PFX" else affixes.suffixes
        rules[flag].append(_affix(affixes, kind, fields, is_crossed[kind, flag]))
    return affixes


def _affix(affixes: Affixes, kind: str, fields: list[str], is_crossed: bool) -> Affix:
    strip, added, *rest = fields
    add, _, flags = added.partition("/")
    condition = rest[0] if rest and not rest[0].startswith("#") else "."
    pattern = re.compile(condition if kind == "PFX" else f"(?:{condition})$")
    matches = pattern.match if kind == "PFX" else pattern.search
    return Affix(
        "" if strip == "0" else strip,
        "" if add == "0" else add,
        matches,
        affixes.parse_flags(flags),
        is_crossed,
    )
