// Renders results, pages of results and errors.

import { link } from "./address.js";
import { ask } from "./ask.js";
import { facts, grid, isMedium, medium, picture } from "./cards.js";
import { address, count, counted, h, unfold } from "./dom.js";
import { textOf } from "./values.js";
import { linkers, sheet } from "./why.js";

const DEEPEST = 10000; // page × limit: the maximum of the API
const LANGUAGE = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i;
const dates = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

export const lastPage = (answer) => Math.max(1, Math.min(Math.ceil((Math.min(answer.total, DEEPEST) - answer.similar) / answer.limit), Math.floor(DEEPEST / answer.limit)));

/** "1,204 results, page 2 · 1.3 ms" */
export function summary(answer) {
  if (!answer.total) return answer.partial ? "Stopped" : "No results";
  const number = `${answer.total_is_exact ? "" : "at least "}${counted(answer.total, "result")}`;
  const page = answer.page > 1 ? `, page ${count(answer.page)}` : "";
  return `${number}${page} · ${answer.took_ms.toFixed(answer.took_ms < 10 ? 1 : 0)} ms`;
}

/** What stands above the results: each of these makes an element of an answer, or null. */
const ABOVE = [correction, small, notes];
export const above = (answer, state) => ABOVE.map((make) => make(answer, state));

/** What was computed, or the one page that is called as the query, with its values. */
function small({ answer }) {
  if (!answer) return null;
  if (answer.kind !== "card") return h("p", { class: "small-answer", role: "note" }, `${answer.asked} = `, h("b", {}, answer.text));
  const rows = Object.entries(answer.values ?? {}).map(([name, value]) => [h("dt", {}, name), h("dd", { dir: "auto" }, textOf(value))]);
  return h("section", { class: "small-answer", "aria-label": answer.title }, h("b", {}, title(answer)), rows.length ? h("dl", {}, rows.flat()) : null);
}

/** Another spelling: its results are shown, or it is a suggestion. */
function correction({ correction: other }, state) {
  if (!other) return null;
  const to = (changes, text) => h("a", { href: link({ ...state, page: 1, ...changes }), "data-page": 1 }, h("bdi", {}, text));
  return other.applied
    ? h("p", { class: "correction" }, "Showing results for ", h("b", {}, h("bdi", {}, other.corrected)), ". Search instead for ", to({ q: other.typed, correct: false }, other.typed), ".")
    : h("p", { class: "correction" }, "Did you mean ", to({ q: other.corrected }, other.corrected), "?");
}

/** What of the query was understood otherwise than it may have been meant, and what is missing. */
function notes(answer) {
  return answer.notes?.length ? h("ul", { class: "notes" }, answer.notes.map((note) => h("li", {}, note))) : null;
}

/** `question` is what was asked, `all` the address of the same answer with all similar pages. */
export function hits(answer, question, all) {
  // One request explains all results of the page.
  let explained;
  const explain = () => (explained ??= ask("search", { ...question, explain: true })
    .catch((trouble) => { explained = undefined; throw trouble; }));
  const more = (hit) => (hit.similar ? alike(hit, question, all) : null);
  const list = answer.hits.every(isMedium) ? grid(answer.hits, titleLink) : h("ol", { class: "hits", start: answer.hits[0].rank, role: "list" }, answer.hits.map((hit, index) => item(hit, explain, more(hit), hit.filled && !answer.hits[index - 1]?.filled)));
  if (answer.logged) for (const kind of ["click", "auxclick"]) list.addEventListener(kind, (event) => countClick(event, answer.query));
  return list;
}

/** Says that a result of a query was opened, and not which one; only where the owner logs queries. */
function countClick(event, q) {
  if (event.target.closest("h2 a")) navigator.sendBeacon("./clicks", new Blob([JSON.stringify({ q })], { type: "application/json" }));
}

/** `isBelowLine`: it is the first that fills up an answer with few results. */
function item(hit, explain, more, isBelowLine) {
  const lang = LANGUAGE.test(hit.language ?? "") ? hit.language : null;
  const pieces = hit.highlights?.length ? hit.highlights : [{ text: hit.snippet, hit: false }];
  return h("li", { class: "hit" },
    isBelowLine ? h("p", { class: "filled" }, "Results that have only some of the words") : null,
    h("h2", {}, title(hit, lang)),
    crumb(hit),
    picture(hit),
    h("p", { class: "snippet", dir: "auto", lang }, pieces.map((piece) => (piece.hit ? h("mark", {}, piece.text) : piece.text))),
    facts(hit),
    more,
    why(hit, explain));
}

export const titleLink = (hit) => title(hit, LANGUAGE.test(hit.language ?? "") ? hit.language : null);

function title(hit, lang) {
  const url = address(hit.url);
  const name = hit.title.trim() || hit.url;
  if (url && hit.page > 1) url.hash = `page=${hit.page}`;
  return url ? h("a", { href: url.href, dir: "auto", lang }, name) : h("span", { class: "dead", dir: "auto", lang }, name);
}

/** What stands beside the address of a result: each of these makes an element of it, or null. */
const MARKS = [pinned, medium, page, date, copy];

/** Where the owner of the collection put it, whatever its score. */
function pinned(hit) {
  return hit.pinned ? h("span", { class: "pinned" }, "Pinned") : null;
}

/** The page of a file that the snippet is on. */
function page(hit) {
  return hit.page ? h("span", { class: "page" }, `Page ${hit.page}`) : null;
}

function crumb(hit) {
  return h("p", { class: "crumb" }, h("bdi", {}, breadcrumb(address(hit.url), hit.url)), MARKS.map((make) => make(hit)));
}

/** A button that opens the similar pages for which a result stands, beneath it. */
function alike(hit, question, all) {
  return h("div", { class: "alike" }, unfold(similarPages(hit), async () => {
    const { hits: found } = await ask("search", { ...question, like: hit.id });
    if (!found.length) return [h("p", {}, "The results have changed. Search again to see them.")];
    return [h("ul", {}, found.map((other) => h("li", {}, title(other), crumb(other)))),
      h("p", {}, h("a", { href: all, "data-page": 1 }, "Show all results with their similar pages"))];
  }));
}

/** The page as it was fetched, which may be another one by now. */
function copy(hit) {
  return address(hit.url) && h("a", { class: "copy", href: `./documents/${encodeURIComponent(hit.id)}/cached`, "aria-label": `Stored copy of ${hit.title.trim() || hit.url}` }, "Stored copy");
}

/** "3 similar pages" */
const similarPages = (hit) => counted(hit.similar, "similar page");

function breadcrumb(url, text) {
  if (!url) return [text];
  const steps = url.pathname.split("/").filter(Boolean).map(readable);
  if (url.search) steps.push(readable(url.search));
  const shown = steps.length > 4 ? [steps[0], "…", ...steps.slice(-2)] : steps;
  return [h("b", {}, url.host), ...shown.flatMap((step) => [h("i", { "aria-hidden": "true" }, "›"), step])];
}

function readable(step) {
  let text = step;
  try { text = decodeURIComponent(step); } catch { /* not UTF-8: as it is */ }
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

const SOURCES = { "last-modified": "Last changed, as its server says", sitemap: "Last changed, as the site's list of pages says" };

/** What has no date shows none: when it was fetched says nothing about it. */
function date(hit) {
  const moment = new Date(hit.date || NaN);
  if (Number.isNaN(moment.getTime())) return null;
  return h("time", { datetime: moment.toISOString(), title: SOURCES[hit.date_source] ?? null }, dates.format(moment));
}

function why(hit, explain) {
  const body = h("div", { "aria-live": "polite" });
  const details = h("details", { class: "why" }, h("summary", {}, "Why this result?"), body);
  details.addEventListener("toggle", async () => {
    if (!details.open || body.firstChild) return;
    try {
      const answer = await explain();
      const same = answer.hits.find((other) => other.id === hit.id);
      body.replaceChildren(same?.explain ? h("div", {}, sheet(same.explain), unshown(same), linkers(hit.id)) : h("p", {}, answer.partial ? answer.notes.at(-1) : "The results have changed. Search again to see why."));
    } catch (trouble) {
      details.addEventListener("toggle", () => body.replaceChildren(), { once: true }); // closing forgets it
      body.replaceChildren(h("p", {}, trouble.message));
    }
  });
  return details;
}

const unshown = (hit) => (hit.similar ? h("p", {}, `${similarPages(hit)} ${hit.similar > 1 ? "are" : "is"} not shown.`) : null);

export function pages(answer, to) {
  const last = lastPage(answer);
  if (last < 2) return null;
  const near = Array.from({ length: 5 }, (_, index) => answer.page - 2 + index);
  const shown = [...new Set([1, ...near, last])].filter((page) => page >= 1 && page <= last).sort((a, b) => a - b);
  const list = [];
  const add = (...children) => list.push(h("li", {}, ...children));
  const turn = (page, text, more = {}) => h("a", { href: to({ page }), "data-page": page, ...more }, text);
  if (answer.page > 1) add(turn(answer.page - 1, "‹", { rel: "prev", "aria-label": "Previous page" }));
  shown.forEach((page, index) => {
    if (index && page - shown[index - 1] > 1) add(h("span", { "aria-hidden": "true" }, "…"));
    add(turn(page, count(page), { "aria-label": `Page ${page}`, "aria-current": page === answer.page ? "page" : null }));
  });
  if (answer.page < last) add(turn(answer.page + 1, "›", { rel: "next", "aria-label": "Next page" }));
  return h("ul", {}, list);
}

export function nothing(answer, state, to) {
  if (answer.total) {
    const last = lastPage(answer);
    return h("div", { class: "state" }, h("h2", {}, `There is no page ${count(answer.page)}`),
      h("p", {}, h("a", { href: to({ page: last }), "data-page": last }, `Go to the last one, page ${count(last)}`)));
  }
  // The notes above say why, and what to do.
  if (answer.partial) return h("div", { class: "state" }, h("h2", {}, "Nothing found in what was searched"));
  const hints = ["Check the spelling.", "Try fewer or more general words."];
  if (answer.mode === "boolean") hints.push("This query has operators or quotes. Plain words match more pages.");
  if (state.filters.length) hints.unshift(h("a", { href: to({ filters: [], page: 1 }), "data-page": 1 }, "Search without filters."));
  const list = h("ul", {}, hints.map((hint) => h("li", {}, hint)));
  ask("stats").then((stats) => { if (!stats.documents) list.replaceChildren(h("li", {}, emptiness(stats))); }).catch(() => { /* the hints stay */ });
  return h("div", { class: "state" }, h("h2", {}, "No pages match ", h("bdi", {}, `“${answer.query}”`)), list);
}

/** Why nothing at all can be found. */
function emptiness(stats) {
  if (stats.crawl_state === "running") return "The crawl is running. Its first pages can be found in some seconds.";
  return stats.by_state.parsed ? "The crawled pages are not indexed. Run gossamer index." : "This collection has no pages yet.";
}

export function trouble(problem, { q, filters }, actions) {
  if (problem.code !== "query_syntax" && problem.position === null) {
    return h("div", { class: "state", role: "alert" }, h("h2", {}, "The search failed"), h("p", {}, problem.message), h("p", {}, actions));
  }
  const isQuery = problem.field === "q";
  const [text] = isQuery ? [q] : problem.field === "filter" && filters.length === 1 ? filters : [];
  const where = text === undefined ? "" : ` (at character ${problem.position + 1})`;
  return h("div", { class: "state", role: "alert" }, h("h2", {}, isQuery ? "This query cannot be read" : "This cannot be searched"),
    text === undefined ? null : marked(text, problem.position), h("p", { id: "problem" }, `${sentence(problem.message)}${where}`), h("p", {}, actions));
}

/** The query with the place of the error marked; positions count whole characters, not UTF-16. */
function marked(query, position) {
  const characters = Array.from(query);
  return h("p", { class: "wrong" }, characters.slice(0, position).join(""),
    h("mark", {}, characters[position] ?? "\u00a0"), characters.slice(position + 1).join(""));
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);
