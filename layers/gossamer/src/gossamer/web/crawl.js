// Shows the size of the collection and the progress of its crawl.

import { ask } from "./ask.js";
import { byId, count, counted, duration, size } from "./dom.js";

const EVERY = 2000; // milliseconds between two requests during a crawl
const LATER = 10000; // milliseconds after a failed request
const PATIENCE = 15; // requests without growth of the index before polling stops

// Crawls that stand still, and what to do about it.
const STANDING = {
  paused: { label: "Crawl paused", text: "gossamer resume lets it go on" },
  interrupted: { label: "Crawl interrupted", text: "the same command resumes it" },
};

let timer = 0;
let known = -1; // pages in the index at the last request
let unchanged = 0;

let tell = () => {}; // who else wants to know

/** Asks for statistics, and repeats it while the collection grows and the page is visible. */
export async function watch(listener = tell) {
  tell = listener;
  clearTimeout(timer);
  let wait = 0;
  try {
    const stats = await ask("stats");
    show(stats);
    tell(stats);
    unchanged = stats.documents === known ? unchanged + 1 : 0;
    known = stats.documents;
    if (stats.crawl_state === "running" || isBehind(stats)) wait = EVERY;
  } catch {
    if (!byId("crawl").hidden) wait = LATER;
  }
  if (wait && !document.hidden) timer = setTimeout(() => watch(), wait);
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden && !byId("crawl").hidden) watch();
});

/** Fetched pages reach the index a little later. */
const isBehind = (stats) => stats.documents < (stats.by_state.parsed ?? 0) && unchanged < PATIENCE;

function show(stats) {
  const running = stats.crawl_state === "running";
  const pages = counted(stats.documents, "page");
  const hosts = counted(stats.hosts, "host");
  const standing = STANDING[stats.crawl_state];
  byId("crawl").hidden = !running && !standing;
  byId("crawl-bar").hidden = !running;
  byId("crawl-label").textContent = running ? "Crawling" : (standing?.label ?? "");
  if (running) progress(stats);
  else if (standing) byId("crawl-text").textContent = stats.crawl_reason || standing.text;
  const index = stats.index_bytes ? [`${size(stats.index_bytes)} of index`] : []; // not every home knows it
  byId("stats").textContent = [stats.collection, pages, hosts, `${size(stats.bytes)} fetched`, ...index].join(" · ");
  if (stats.documents) byId("tagline").textContent = `${pages} from ${hosts}`;
  else if (standing) byId("tagline").textContent = "No pages are indexed yet.";
  else if (running) byId("tagline").textContent = "The crawl is running. Its first pages can be found in some seconds.";
  else byId("tagline").textContent = "This collection is empty. To fill it: gossamer crawl URL";
}

function progress({ crawl_pages: pages, crawl_waiting: waiting, crawl_seconds: seconds }) {
  byId("crawl-bar").value = pages + waiting ? pages / (pages + waiting) : 0;
  byId("crawl-text").textContent = `${counted(pages, "page")}, ${count(waiting)} waiting, ${duration(seconds)}`;
}
