// The search page: reads the query from the address, asks the API and shows the results.

import { ask } from "./ask.js";
import { watch } from "./crawl.js";
import { byId, h } from "./dom.js";
import { hits, notes, nothing, pages, small, summary, trouble } from "./results.js";

const LIMIT = 10;
const SETTLED = 100; // milliseconds without scrolling before the position is saved
const PATIENT = 150; // milliseconds before a busy sign is shown
const REMEMBERED = 30; // answers cached for the back button

const root = document.documentElement;
const form = byId("form");
const box = byId("q");
const results = byId("results");
const nav = byId("pages");
const coarse = matchMedia("(pointer: coarse)");

const remembered = new Map();
let asking = null; // the request under way
let settling = 0;

// ── the address ─────────────────────────────────────────────────────────────────────────────────

function wanted() {
  const given = new URLSearchParams(location.search);
  const page = Number.parseInt(given.get("page") ?? "1", 10);
  const similar = given.get("similar") === "all" ? "all" : "one";
  return { q: (given.get("q") ?? "").trim(), page: page >= 1 ? page : 1, similar };
}

function link({ q, page, similar = "one" }) {
  if (!q) return "./";
  const query = new URLSearchParams({ q });
  if (similar === "all") query.set("similar", similar);
  if (page > 1) query.set("page", page);
  return `./?${query}`;
}

function go(to) {
  keepPlace();
  history.pushState({ y: 0 }, "", to);
  return show();
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
  show({ again: true });
});

// ── results ─────────────────────────────────────────────────────────────────────────────────────

/** Shows the results for the address; with `again`, from the cache if possible. */
async function show({ again = false } = {}) {
  const { q, page, similar } = wanted();
  const key = JSON.stringify([q, page, similar]);
  asking?.abort();
  asking = null;
  box.value = q;
  document.title = q ? `${q}${page > 1 ? ` (page ${page})` : ""} – Gossamer` : "Gossamer";
  byId("feed").href = q ? `search.rss?${new URLSearchParams({ q, sort: "-date" })}` : "./";
  if (!q) {
    settle("home", "", null);
    box.focus();
    return;
  }
  if (again && remembered.has(key)) {
    answered(remembered.get(key));
    return;
  }
  const mine = new AbortController();
  asking = mine;
  const slow = setTimeout(() => { root.dataset.busy = ""; results.ariaBusy = "true"; }, PATIENT);
  try {
    const answer = await ask("search", { q, page, limit: LIMIT, similar }, mine.signal);
    if (asking === mine) {
      if (!answer.partial) remember(key, answer);
      answered(answer);
    }
  } catch (problem) {
    if (asking === mine) failed(problem, q);
  } finally {
    clearTimeout(slow);
    if (asking === mine) asking = null;
  }
}

function remember(key, answer) {
  remembered.delete(key);
  remembered.set(key, answer);
  if (remembered.size > REMEMBERED) remembered.delete(remembered.keys().next().value);
}

function answered(answer) {
  const { similar } = wanted();
  const to = (page) => link({ q: answer.query, page, similar });
  const all = link({ q: answer.query, page: 1, similar: "all" });
  const found = answer.hits.length ? hits(answer, similar, all) : nothing(answer, to);
  settle("answer", summary(answer), [small(answer), notes(answer), found], pages(answer, to));
}

function failed(problem, q) {
  const again = h("button", { type: "button", class: "plain" }, "Try again");
  again.addEventListener("click", () => show());
  const help = h("button", { type: "button", class: "plain" }, "Show the query syntax");
  help.addEventListener("click", () => { toggleHelp(true); byId("help").scrollIntoView({ block: "nearest" }); });
  const misread = problem.position !== null;
  settle("answer", "", trouble(problem, q, misread ? help : again));
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

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const q = box.value.trim();
  if (!q) { box.focus(); return; }
  if (coarse.matches) box.blur(); // closes the phone's keyboard
  go(link({ q, page: 1 }));
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
  const onResult = event.target.closest?.(".hit h2 a");
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
  const links = [...results.querySelectorAll(".hit h2 a")];
  if (!links.length) return false;
  const inside = document.activeElement.closest(".hit")?.querySelector("h2 a");
  const next = inside ? links.indexOf(inside) + by : by > 0 ? 0 : -1;
  if (next < 0) {
    box.focus();
    scrollTo({ top: 0, behavior: "instant" });
  } else if (next < links.length) {
    links[next].focus({ preventScroll: true });
    links[next].closest(".hit").scrollIntoView({ block: "nearest", behavior: "instant" });
  }
  return true;
}

show();
watch();
