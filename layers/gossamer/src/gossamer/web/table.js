// Renders results as a table: a row for each result, a column for each of its values.

import { link, parameters } from "./address.js";
import { picture } from "./cards.js";
import { h } from "./dom.js";
import { titleOf } from "./filters.js";
import { titleLink } from "./results.js";
import { price, shown, textOf } from "./values.js";

const MOST = 100; // rows of a file: the maximum of the API
const DESCENDING = "-";
const PICTURE = "image"; // the name under which pages declare theirs
const SHORT = 24; // characters that stay on one line
const MOST_TITLE = 500; // characters of a text that are shown when one points at it
const LONG = 60; // characters from which a column is as wide as one of text

let sortable = new Set(); // columns that the collection can be sorted by
let drawHeads = () => {}; // of the table that is shown

/** What results can be sorted by, as the collection says: perhaps after the table is shown. */
export function sorts(names) {
  sortable = new Set(names);
  drawHeads();
}

export function table(answer, state) {
  const all = [...new Set(answer.hits.flatMap((hit) => Object.keys(hit.values ?? {})))];
  const names = all.filter((name) => !answer.hits.every((hit) => isAgain(hit.values?.[name], hit)));
  const heads = h("tr");
  drawHeads = () => heads.replaceChildren(h("th", { scope: "col" }, "Title"), ...names.map((name) => heading(name, state)));
  drawHeads();
  const rows = answer.hits.map((hit) => h("tr", { class: "row" },
    h("th", { scope: "row" }, titleLink(hit)), names.map((name) => cell(hit.values?.[name], name === pictured(hit) ? picture(hit) : null))));
  return [
    // A region that scrolls must be reached by keyboard.
    h("div", { class: "table", role: "region", "aria-label": "Results as a table", tabindex: 0 },
      h("table", {}, h("thead", {}, heads), h("tbody", {}, rows))),
    all.length ? null : h("p", { class: "hint" }, "These results have no values. Templates, and what pages declare of themselves, give them some."),
    h("p", { class: "files" }, "As a file: ", ["csv", "jsonl"].flatMap((format, at) => [at ? ", " : null, file(format, state)])),
  ];
}

/** The column of the picture that is stored of a result: `image`, or the first that has one. */
function pictured({ picture: isStored, values }) {
  return isStored ? [PICTURE, ...Object.keys(values)].find((name) => [values[name]].flat()[0]?.type === "image") : null;
}

/** Whether a value only says what the result is called, or where it leads. */
function isAgain(value, { title, url }) {
  return value === undefined || value === title || value?.url === url;
}

function heading(name, state) {
  if (!sortable.has(name)) return h("th", { scope: "col" }, titleOf(name));
  const now = state.sort === name ? "ascending" : state.sort === DESCENDING + name ? "descending" : null;
  const sort = now === "ascending" ? DESCENDING + name : name;
  const mark = now ? h("span", { "aria-hidden": "true" }, now === "ascending" ? " ↑" : " ↓") : null;
  return h("th", { scope: "col", "aria-sort": now ?? "none" }, h("a", { href: link({ ...state, sort, page: 1 }), "data-page": 1 }, titleOf(name), mark));
}

function cell(value, before) {
  if (value === undefined || value === null) return h("td");
  const parts = [value].flat();
  const isNumber = parts.length === 1 && (typeof value === "number" || value.amount !== undefined);
  const text = textOf(value);
  const width = text.length > LONG ? "long" : text.length > SHORT ? null : "short";
  const said = parts.flatMap((part, at) => [at ? ", " : null, part.amount === undefined ? shown(part) : price(part)]);
  // Of a long text some lines: a row as high as all of it would hide the others.
  return h("td", { class: isNumber ? "number" : value.on ? "day" : width, dir: "auto", title: width === "long" ? text.slice(0, MOST_TITLE) : null },
    before, width === "long" ? h("div", {}, said) : said);
}

function file(format, state) {
  const asked = Object.entries({ ...parameters(state), limit: MOST, format }).flatMap(([name, value]) => [value].flat().map((each) => [name, each]));
  return h("a", { href: `./search?${new URLSearchParams(asked)}`, download: `results.${format}` }, format === "csv" ? "CSV" : "JSON lines");
}
