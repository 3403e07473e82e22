"""Typed values from texts as people write them, in all common locales."""

from gossamer.core.page.value_texts.bools import read_bool
from gossamer.core.page.value_texts.days import read_day
from gossamer.core.page.value_texts.money import read_money
from gossamer.core.page.value_texts.numbers import read_number

__all__ = ["read_bool", "read_day", "read_money", "read_number"]
