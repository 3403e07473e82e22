"""Do the models describe the tables of template.yaml?"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest
import yaml

from gossamer.adapters.aws.dynamodb.models import MODELS
from scripts.create_stack import table_definition

TEMPLATE = Path(__file__).parents[5] / "template.yaml"
NAMES = {model.Meta.table_name for model in MODELS}


class Loader(yaml.SafeLoader):
    """Reads CloudFormation's short forms as {tag: value}."""


def _short_form(loader, suffix, node):
    if isinstance(node, yaml.ScalarNode):
        return {suffix: loader.construct_scalar(node)}
    if isinstance(node, yaml.SequenceNode):
        return {suffix: loader.construct_sequence(node, deep=True)}
    return {suffix: loader.construct_mapping(node, deep=True)}


Loader.add_multi_constructor("!", _short_form)


@lru_cache(maxsize=1)
def tables():
    """By the last part of its name, each table of the template."""
    template = yaml.load(TEMPLATE.read_text(), Loader)  # noqa: S506 a safe loader
    resources = template.get("Resources", {}).values()
    found = [r["Properties"] for r in resources if r.get("Type") == "AWS::DynamoDB::Table"]
    return {str(p["TableName"]).rpartition("-")[2].rstrip("'}"): p for p in found}


@pytest.fixture
def table(request):
    found = tables()
    if not found:
        pytest.skip("the template has no tables yet")
    return found[request.param.Meta.table_name]


def test_the_template_has_the_tables_of_the_models_and_no_others():
    found = tables()
    if not found:
        pytest.skip("the template has no tables yet")

    assert set(found) == NAMES
    assert len(NAMES) == 12


def names_of(schema):
    return {(key["AttributeName"], key["KeyType"]) for key in schema}


@pytest.mark.parametrize(
    ("table", "model"), [(m, m) for m in MODELS], indirect=["table"], ids=sorted(NAMES)
)
def test_keys_and_indexes_are_the_same(table, model):
    ours = table_definition("s", model)

    assert names_of(table["KeySchema"]) == names_of(ours["KeySchema"])
    types = {(a["AttributeName"], a["AttributeType"]) for a in table["AttributeDefinitions"]}
    assert types == {(a["AttributeName"], a["AttributeType"]) for a in ours["AttributeDefinitions"]}
    assert table["BillingMode"] == "PAY_PER_REQUEST"
    theirs = {index["IndexName"]: index for index in table.get("GlobalSecondaryIndexes", [])}
    assert set(theirs) == {index["IndexName"] for index in ours.get("GlobalSecondaryIndexes", [])}
    keys = {key["AttributeName"] for key in table["KeySchema"]}
    for index in ours.get("GlobalSecondaryIndexes", []):
        other = theirs[index["IndexName"]]
        assert names_of(other["KeySchema"]) == names_of(index["KeySchema"])
        projected = set(other["Projection"].get("NonKeyAttributes", []))
        assert projected - keys == set(index["Projection"].get("NonKeyAttributes", []))


@pytest.mark.parametrize(
    ("table", "model"), [(m, m) for m in MODELS], indirect=["table"], ids=sorted(NAMES)
)
def test_what_expires_and_what_can_be_recovered_is_the_same(table, model):
    expires = table.get("TimeToLiveSpecification", {}).get("AttributeName")
    recovers = table.get("PointInTimeRecoverySpecification", {}).get("PointInTimeRecoveryEnabled")

    own = {attribute.attr_name for attribute in model.get_attributes().values()}
    assert expires == ("ttl" if "ttl" in own else None)
    assert bool(recovers) == getattr(model.Meta, "recoverable", False)


def test_no_two_attributes_of_a_model_share_a_name():
    for model in MODELS:
        names = [attribute.attr_name for attribute in model.get_attributes().values()]
        assert len(names) == len(set(names)), model
