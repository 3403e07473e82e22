from gossamer.core.page.templates.template import read_template
from gossamer.entrypoints.cli.templates.trial import Page, to_text, try_template

PAGE = Page("http://a.test/1", "<div class=c><h2>Silk</h2></div><div class=c><h2>Wool</h2></div>")
TEMPLATE = """
match = "http://a.test/*"
items = ".c"
title = "{name}"
[fields]
name = "h2"
price = ".price:hover"
[fields.brand]
select = ".brand"
required = true
"""


def tried(text, page=PAGE):
    return to_text(try_template(read_template(text, "a.toml"), [page], lambda url: PAGE))


def test_fields_of_which_a_page_has_nothing_are_named_once():
    said = tried(TEMPLATE)

    assert said.count("  nothing is found for: price\n") + said.endswith("for: price") == 1
    assert said.count("brand         missing, and required") == 2


def test_a_field_that_one_record_has_is_not_named():
    page = Page(PAGE.url, PAGE.html + "<div class=c><h2>Felt</h2><i class=price>3</i></div>")

    assert "nothing is found" not in tried(TEMPLATE.replace(":hover", ""), page)


def test_a_page_without_records_is_told_as_such_alone():
    assert tried(TEMPLATE.replace(".c", ".d")) == "http://a.test/1: 0 records"
