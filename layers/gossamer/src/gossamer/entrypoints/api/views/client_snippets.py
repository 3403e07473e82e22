"""How clients ask an operation of the API: its example for curl, Python and JavaScript."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    Json = dict[str, Any]

MEDIA_TYPE = "application/json"


class Call(NamedTuple):
    """An example of a request."""

    method: str
    url: str
    body: Json | str | None  # what is sent as JSON, or a text
    headers: dict[str, str]
    gives_json: bool


def call_of(base: str, path: str, method: str, operation: Json) -> Call:
    """The example of an operation, made from the examples of its parameters and its body."""
    given = [each for each in operation["parameters"] if "example" in each]
    for each in given:
        path = path.replace(f"{{{each['name']}}}", quote(str(each["example"]), safe=""))
    query = urlencode([(p["name"], p["example"]) for p in given if p["in"] == "query"])
    content = operation.get("requestBody", {}).get("content", {})
    kind = next(iter(content), MEDIA_TYPE)
    body = content.get(kind, {}).get("example")
    headers = {"Authorization": "Bearer KEY"} if "security" in operation else {}
    headers |= {str(p["name"]): str(p["example"]) for p in given if p["in"] == "header"}
    if body is not None:
        headers["Content-Type"] = kind
    url = base.rstrip("/") + path + (f"?{query}" if query else "")
    gives_json = next(iter(operation["responses"]["200"]["content"]), "") == MEDIA_TYPE
    return Call(method.upper(), url, body, headers, gives_json)


def snippets(call: Call) -> dict[str, str]:
    """The same request in each language."""
    return {"curl": _curl(call), "Python": _python(call), "JavaScript": _javascript(call)}


def _curl(call: Call) -> str:
    is_plain = call.method == ("POST" if call.body else "GET")  # what curl takes it for
    words = ["curl", *([] if is_plain else ["-X", call.method])]
    for name, value in call.headers.items():
        words += ["-H", f"{name}: {value}"]
    if isinstance(call.body, str):
        words += ["--data-binary", call.body]
    elif call.body is not None:
        words += ["-d", json.dumps(call.body)]
    return shlex.join([*words, call.url])


def _python(call: Call) -> str:
    options = [f"method={call.method!r}"] if call.method != "GET" else []
    options += [f"headers={call.headers!r}"] if call.headers else []
    is_json = isinstance(call.body, dict)
    data = "json.dumps(body)" if is_json else "body"
    options += [f"data={data}.encode()"] if call.body is not None else []
    lines = ["import json"] if call.gives_json or is_json else []
    lines.append("from urllib.request import Request, urlopen")
    if call.body is not None:
        lines += ["", f"body = {call.body!r}"]
    lines += ["", "request = Request(", f"    {json.dumps(call.url)},"]
    lines += [f"    {option}," for option in options]
    read = "json.load(response)" if call.gives_json else "response.read().decode()"
    lines += [")", "with urlopen(request) as response:", f"    print({read})"]
    return "\n".join(lines)


def _javascript(call: Call) -> str:
    options = [f"method: {json.dumps(call.method)}"] if call.method != "GET" else []
    options += [f"headers: {json.dumps(call.headers)}"] if call.headers else []
    if call.body is not None:
        body = json.dumps(call.body)
        sent = f"JSON.stringify({body})" if isinstance(call.body, dict) else body
        options.append(f"body: {sent}")
    told = ", {\n" + "".join(f"  {option},\n" for option in options) + "}" if options else ""
    read = "json" if call.gives_json else "text"
    return (
        f"const response = await fetch({json.dumps(call.url)}{told});\n"
        f"console.log(await response.{read}());"
    )
