"""A template without its conditions: what parameters turn off is left out.

CloudFormation does not look at a resource whose condition is false. LocalStack does, and fails
where such a resource names another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def settled(template: dict[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
    """A built template as it is for these parameters; the others have their defaults."""
    defaults = {name: each.get("Default", "") for name, each in template["Parameters"].items()}
    values = {name: str(value) for name, value in (defaults | dict(given)).items()}
    return _Settling(template.get("Conditions", {}), values).template(template)


def unnamed(value: Any, name: str) -> Any:
    """A value without a name that SAM makes: LocalStack looks for it before there is one."""
    match value:
        case {"Ref": str(named)} if named == name:
            return ""
        case {"Fn::Sub": str(text)}:
            return {"Fn::Sub": text.replace(f"${{{name}}}", "")}
        case dict():
            return {key: unnamed(each, name) for key, each in value.items()}
        case list():
            return [unnamed(each, name) for each in value]
    return value


class _Settling:
    def __init__(self, conditions: dict[str, Any], values: Mapping[str, str]) -> None:
        self._conditions, self._values = conditions, values

    def template(self, template: dict[str, Any]) -> dict[str, Any]:
        """All of it."""
        left = {name: self._chosen(template[name]) for name in template if name != "Conditions"}
        for section in ("Resources", "Outputs"):
            left[section] = self._present(template.get(section, {}))
        return left

    def _present(self, section: dict[str, Any]) -> dict[str, Any]:
        return {
            name: self._chosen({key: value for key, value in each.items() if key != "Condition"})
            for name, each in section.items()
            if self._is_true({"Condition": each["Condition"]} if "Condition" in each else True)
        }

    def _chosen(self, value: Any) -> Any:
        """A value with the branches that count."""
        match value:
            case {"Fn::If": [name, yes, no]}:
                return self._chosen(yes if self._is_true({"Condition": name}) else no)
            case dict():
                return {key: self._chosen(each) for key, each in value.items()}
            case list():
                return [self._chosen(each) for each in value]
        return value

    def _is_true(self, condition: Any) -> bool:
        match condition:
            case bool():
                return condition
            case {"Condition": str(name)}:
                return self._is_true(self._conditions[name])
            case {"Fn::Not": [one]}:
                return not self._is_true(one)
            case {"Fn::And": some}:
                return all(map(self._is_true, some))
            case {"Fn::Or": some}:
                return any(map(self._is_true, some))
            case {"Fn::Equals": [one, other]}:
                return self._text(one) == self._text(other)
        raise ValueError(f"a condition that is not known: {condition}")

    def _text(self, value: Any) -> str:
        return self._values[value["Ref"]] if isinstance(value, dict) else str(value)
