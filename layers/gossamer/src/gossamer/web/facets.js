// Beside the results: facets to choose from, what was chosen, another order. On phones facets are a sheet.

import { ask } from "./ask.js";
import { parameters } from "./address.js";
import { byId, count, counted, h } from "./dom.js";
import { choices, chosen, fieldOf, shown, titleOf, toggled } from "./filters.js";

const FEW = 6; // values of a facet that are shown at once
const MOST = 20; // values that the API counts: with fewer, those that are not there have no results
const ALWAYS = ["date", "published", "fetched", "rank"]; // sorts of every collection
const ORDERS = [["", "Relevance"], ["-date", "Newest first"], ["date", "Oldest first"]];

const panel = byId("facets");
const sheet = byId("sheet");
const opener = byId("filters-button");
const menu = byId("sort");
const wide = matchMedia("(min-width: 64rem)");
const unfolded = new Set(); // facets of which all values are shown

let state = null; // what the address asks for
let counts = {}; // of values, by facet
let known = ""; // the question that they answer
let change = () => {}; // goes to another address

/** `go` is called with what should be asked for instead. */
export function begin(go) {
  change = (changes) => go({ ...state, page: 1, ...changes });
  panel.addEventListener("change", ({ target }) => change({ filters: toggled(state.filters, fieldOf(target.dataset.facet), target.value) }));
  menu.addEventListener("change", () => change({ sort: menu.value }));
  opener.addEventListener("click", open);
  sheet.addEventListener("click", (event) => { if (event.target === sheet || event.target.closest("[data-close]")) sheet.close(); });
  sheet.addEventListener("close", () => { byId("aside").append(panel); opener.focus(); });
  sheet.addEventListener("keydown", stay);
  wide.addEventListener("change", () => sheet.open && sheet.close());
}

/** Shows what an address has chosen, and asks what else there is to choose. */
export async function refine(wanted, signal) {
  state = wanted;
  chips();
  orders();
  const { q, filters, correct } = wanted;
  const question = JSON.stringify([q, filters, correct]);
  if (!q || question === known) { draw(); return; }
  const asked = { ...parameters({ ...wanted, sort: "", similar: "all" }), fields: [], limit: 1, facets: "*" };
  let answer = null;
  try {
    answer = await ask("search", asked, signal);
  } catch (trouble) {
    if (trouble.name === "AbortError") return; // the next address is on its way
  }
  if (signal.aborted) return;
  counts = answer?.facets ?? {};
  known = answer && !answer.partial ? question : "";
  draw(answer?.total);
}

/** What can be sorted by besides, as the collection declares it. */
export function sortable(sorts) {
  const own = sorts.filter((name) => !ALWAYS.includes(name));
  const more = own.flatMap((name) => [[name, `${titleOf(name)}, ascending`], [`-${name}`, `${titleOf(name)}, descending`]]);
  const missing = more.filter(([value]) => !ORDERS.some(([other]) => other === value));
  ORDERS.push(...missing);
  if (missing.length && state) orders();
}

function orders() {
  const strange = ORDERS.some(([value]) => value === state.sort) ? [] : [[state.sort, state.sort]];
  menu.replaceChildren(...[...ORDERS, ...strange].map(([value, text]) => h("option", { value }, text)));
  menu.value = state.sort;
}

// ── facets ──────────────────────────────────────────────────────────────────────────────────────

function draw(total) {
  const focused = panel.contains(document.activeElement) ? { ...document.activeElement.dataset } : null;
  const groups = Object.entries(counts).map(([facet, values]) => group(facet, values)).filter(Boolean);
  panel.replaceChildren(...groups);
  if (focused) inputs(focused)[0]?.focus({ preventScroll: true });
  const number = state.filters.length ? ` (${count(choices(state.filters).length)})` : "";
  opener.textContent = `Filters${number}`;
  opener.dataset.ready = String(groups.length > 0);
  if (total !== undefined) byId("sheet-done").textContent = total ? `Show ${counted(total, "result")}` : "No results";
}

const inputs = ({ facet, value }) => [...panel.querySelectorAll("input, button")].filter((each) => each.dataset.facet === facet && each.dataset.value === value);

/** A facet with its values; null if there is nothing to choose. */
function group(facet, values) {
  const mine = chosen(state.filters, fieldOf(facet));
  if (values.length < 2 && !mine.length) return null;
  const unseen = mine.filter((value) => !values.some((each) => each.value === value)).map((value) => ({ value, count: values.length < MOST ? 0 : null }));
  const all = [...values, ...unseen];
  if (facet === "year") all.sort((one, other) => other.value.localeCompare(one.value));
  const few = unfolded.has(facet) ? all : all.filter((each, place) => place < FEW || mine.includes(each.value));
  return h("fieldset", {}, h("legend", {}, titleOf(facet)),
    h("ul", {}, few.map((each) => h("li", {}, box(facet, each, mine)))),
    all.length > FEW ? more(facet, all.length - FEW) : null);
}

function box(facet, { value, count: number }, mine) {
  const input = h("input", { type: "checkbox", value, "data-facet": facet, "data-value": value });
  input.checked = mine.includes(value);
  return h("label", {}, input, h("bdi", {}, shown(facet, value)),
    number === null ? null : h("span", { class: "number" }, count(number), h("span", { class: "unseen" }, number === 1 ? " result" : " results")));
}

function more(facet, hidden) {
  const open = unfolded.has(facet);
  const button = h("button", { type: "button", class: "plain", "data-facet": facet, "data-value": "", "aria-expanded": String(open) },
    open ? "Show fewer" : `Show ${count(hidden)} more`, h("span", { class: "unseen" }, ` of ${titleOf(facet)}`));
  button.addEventListener("click", () => {
    if (!unfolded.delete(facet)) unfolded.add(facet);
    draw();
  });
  return button;
}

// ── what was chosen ─────────────────────────────────────────────────────────────────────────────

function chips() {
  const list = byId("chips");
  const all = state.q ? choices(state.filters) : [];
  const chip = (name, left, what) => {
    const button = h("button", { type: "button", "aria-label": what }, h("bdi", {}, name), h("span", { "aria-hidden": "true" }, "×"));
    button.addEventListener("click", () => remove(left, [...list.querySelectorAll("button")].indexOf(button)));
    return h("li", {}, button);
  };
  const clear = all.length > 1 ? [chip("Clear all", [], "Remove all filters")] : [];
  list.replaceChildren(...all.map(({ name, left }) => chip(name, left, `Remove the filter ${name}`)), ...clear);
  list.hidden = !all.length;
}

/** The focus goes to the next chip, or to the results. */
async function remove(left, place) {
  await change({ filters: left });
  const others = byId("chips").querySelectorAll("button");
  (others[Math.min(place, others.length - 1)] ?? byId("results")).focus({ preventScroll: true });
}

// ── the sheet ───────────────────────────────────────────────────────────────────────────────────

function open() {
  byId("sheet-body").append(panel);
  sheet.showModal();
}

/** The focus stays in the sheet: Tab leads from its end to its beginning. */
function stay(event) {
  if (event.key !== "Tab") return;
  const all = [...sheet.querySelectorAll("button, input")].filter((each) => each.checkVisibility());
  const [from, to] = event.shiftKey ? [all.at(0), all.at(-1)] : [all.at(-1), all.at(0)];
  if (document.activeElement !== from) return;
  event.preventDefault();
  to.focus();
}
