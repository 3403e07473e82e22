// The search page: reads the query from the address, asks the API and shows the results.

import { link, parameters, wanted } from "./address.js";
import { ask } from "./ask.js";
import { asksForMedia } from "./cards.js";
import { watch } from "./crawl.js";
import { byId, h } from "./dom.js";
import { begin, refine, sortable } from "./facets.js";
import { instantly } from "./instant.js";
import { above, hits, nothing, pages, summary, trouble } from "./results.js";
import { complete } from "./suggest.js";
import { sorts, table } from "./table.js";

const LIMITS = { list: 10, table: 50, grid: 30 };
const limitOf = (state) => LIMITS[state.view === "list" && asksForMedia(state) ? "grid" : state.view];
const SETTLED = 100; // milliseconds without scrolling before the position is saved
const PATIENT = 150; // milliseconds before a busy sign is shown
const RESULTS = ":is(.hit h2, .row th) a"; // the names of results, in a list or a table
const REMEMBERED = 30; // answers cached for the back button

const root = document.documentElement;
const form = byId("form");
const box = byId("q");
const results = byId("results");
const nav = byId("pages");
const coarse = matchMedia("(pointer: coarse)");

const remembered = new Map();
let asking = null; // the request under way
let refining = new AbortController(); // of the request that counts facets
let settling = 0;
let previewed = false; // whether the newest entry of the history is one that typing made

// ── the address ─────────────────────────────────────────────────────────────────────────────────

function go(to) {
  if (!previewed) keepPlace();
  remain(to);
  previewed = false;
  return show();
}

/** Makes an address the present one: typing makes one entry of the history, however long it takes. */
function remain(to) {
  if (previewed) history.replaceState({ y: 0 }, "", to);
  else history.pushState({ y: 0 }, "", to);
}

history.scrollRestoration = "manual"; // we restore the position after the results are shown

function keepPlace() {
  clearTimeout(settling);
  history.replaceState({ ...history.state, y: scrollY }, "");
}

addEventListener("scroll", () => {
  clearTimeout(settling);
  settling = setTimeout(() => asking || keepPlace(), SETTLED); // a new answer sets its own position
}, { passive: true });

addEventListener("popstate", () => {
  clearTimeout(settling);
  previewed = false;
  show({ again: true });
});

// ── results ─────────────────────────────────────────────────────────────────────────────────────

/** Shows the results for the address; with `again`, from the cache if possible. */
async function show({ again = false } = {}) {
  const state = wanted();
  const { q, page } = state;
  const key = JSON.stringify(state);
  asking?.abort();
  asking = null;
  closeList();
  cancelPreview();
  box.value = q;
  document.title = q ? `${q}${page > 1 ? ` (page ${page})` : ""} – Gossamer` : "Gossamer";
  byId("feed").href = q ? feed(state) : "./";
  refining.abort();
  refining = new AbortController();
  refine(state, refining.signal);
  if (!q) {
    settle("home", "", null);
    box.focus();
    return;
  }
  if (again && remembered.has(key)) {
    answered(remembered.get(key), state);
    return;
  }
  const mine = new AbortController();
  asking = mine;
  const slow = setTimeout(() => { root.dataset.busy = ""; results.ariaBusy = "true"; }, PATIENT);
  try {
    const answer = await ask("search", { ...parameters(state), page, limit: limitOf(state) }, mine.signal);
    if (asking === mine) {
      if (!answer.partial) remember(key, answer);
      answered(answer, state);
    }
  } catch (problem) {
    if (asking === mine) failed(problem, state);
  } finally {
    clearTimeout(slow);
    if (asking === mine) asking = null;
  }
}

const feed = ({ q, filters }) => `search.rss${link({ q, filters, sort: "-date" }).slice(2)}`;

/** Shows results while one types; what fails or finds nothing leaves what is there. */
async function preview(q) {
  asking?.abort();
  const mine = new AbortController();
  const state = { ...wanted(), q, page: 1, similar: "one", correct: true };
  asking = mine;
  try {
    const answer = await ask("search", { ...parameters(state), limit: limitOf(state), correct: false }, mine.signal);
    if (asking !== mine || !answer.hits.length) return;
    if (!previewed) keepPlace();
    remain(link(state));
    previewed = true;
    document.title = `${q} – Gossamer`;
    answered(answer, state);
    await refine(state, mine.signal);
  } catch {
    // A query that is half typed may not be readable yet.
  } finally {
    if (asking === mine) asking = null;
  }
}

function remember(key, answer) {
  remembered.delete(key);
  remembered.set(key, answer);
  if (remembered.size > REMEMBERED) remembered.delete(remembered.keys().next().value);
}

function answered(answer, state) {
  const to = (changes) => link({ ...state, ...changes });
  const question = { ...parameters(state), page: answer.page, limit: answer.limit };
  const listed = () => (state.view === "table" ? table(answer, state) : [hits(answer, question, to({ page: 1, similar: "all" }))]);
  const found = answer.hits.length ? listed() : [nothing(answer, state, to)];
  byId("view").href = to({ page: 1, view: state.view === "table" ? "list" : "table" });
  byId("view").textContent = state.view === "table" ? "List" : "Table";
  settle("answer", summary(answer), [...above(answer, state), ...found], pages(answer, to));
}

function failed(problem, state) {
  const again = h("button", { type: "button", class: "plain" }, "Try again");
  again.addEventListener("click", () => show());
  const help = h("button", { type: "button", class: "plain" }, "Show the query syntax");
  help.addEventListener("click", () => { toggleHelp(true); byId("help").scrollIntoView({ block: "nearest" }); });
  const without = h("a", { href: link({ q: state.q }), "data-page": 1 }, "Search without filters and order");
  const misread = problem.position !== null && problem.field === "q";
  const actions = problem.position === null ? again : misread ? help : without;
  settle("answer", "", trouble(problem, state, actions));
  if (misread) {
    box.setAttribute("aria-invalid", "true");
    box.setAttribute("aria-describedby", "problem");
  }
}

function settle(view, text, content, turning = null) {
  delete root.dataset.busy;
  results.ariaBusy = "false";
  box.removeAttribute("aria-invalid");
  box.removeAttribute("aria-describedby");
  root.dataset.view = view;
  byId("count").textContent = text;
  results.replaceChildren(...[content].flat().filter(Boolean));
  nav.replaceChildren(...(turning ? [turning] : []));
  nav.hidden = !turning;
  scrollTo({ top: history.state?.y ?? 0, behavior: "instant" });
}

// ── input: mouse, touch and keyboard ────────────────────────────────────────────────────────────

const closeList = complete(box, (text) => {
  box.value = text;
  form.requestSubmit();
});
const cancelPreview = instantly(box, preview);
box.addEventListener("focus", () => { previewed = false; });

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const q = box.value.trim();
  if (!q) { box.focus(); return; }
  if (coarse.matches) box.blur(); // closes the phone's keyboard
  const { filters, sort, view } = wanted(); // they are seen beside the results, and stay
  go(link({ q, filters, sort, view }));
});

document.addEventListener("click", async (event) => {
  const anchor = event.target.closest("a[data-page], a.brand");
  if (!anchor || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  await go(anchor.getAttribute("href"));
  if (anchor.dataset.page) results.focus({ preventScroll: true });
});

addEventListener("pagehide", () => asking || keepPlace());

function toggleHelp(open) {
  byId("help").hidden = !open;
  byId("help-button").setAttribute("aria-expanded", String(open));
}
byId("help-button").addEventListener("click", () => toggleHelp(byId("help").hidden));

const steps = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input, textarea, select");
  const onResult = event.target.closest?.(RESULTS);
  const letter = event.key.length === 1;
  if (event.key === "/" && !typing) {
    event.preventDefault();
    box.focus();
    box.select();
  } else if (steps[event.key] && (letter ? !typing : onResult || (event.target === box && event.key === "ArrowDown"))) {
    if (step(steps[event.key])) event.preventDefault();
  }
});

/** Focuses the next or previous result; from the first result back to the search box. */
function step(by) {
  const links = [...results.querySelectorAll(RESULTS)];
  if (!links.length) return false;
  const inside = document.activeElement.closest(".hit, .row")?.querySelector(RESULTS);
  const next = inside ? links.indexOf(inside) + by : by > 0 ? 0 : -1;
  if (next < 0) {
    box.focus();
    scrollTo({ top: 0, behavior: "instant" });
  } else if (next < links.length) {
    links[next].focus({ preventScroll: true });
    links[next].closest(".hit, .row").scrollIntoView({ block: "nearest", behavior: "instant" });
  }
  return true;
}

begin((state) => go(link(state)));
show();
watch(({ sorts: names = [] }) => { sortable(names); sorts(names); });
