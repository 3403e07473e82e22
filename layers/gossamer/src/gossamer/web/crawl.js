// How large is the collection, and how is its crawl getting on?

import { ask } from "./ask.js";
import { byId, count, counted, duration, size } from "./dom.js";

const EVERY = 2000; // milliseconds between two looks at a running crawl
const LATER = 10000; // after a failure

let timer = 0;

/** Looks once; and again and again while a crawl is running and somebody is watching. */
export async function watch() {
  clearTimeout(timer);
  let wait = 0;
  try {
    const stats = await ask("stats");
    show(stats);
    if (stats.crawl_state === "running") wait = EVERY;
  } catch {
    if (!byId("crawl").hidden) wait = LATER;
  }
  if (wait && !document.hidden) timer = setTimeout(watch, wait);
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden && !byId("crawl").hidden) watch();
});

function show(stats) {
  const running = stats.crawl_state === "running";
  const pages = counted(stats.documents, "page");
  const hosts = counted(stats.hosts, "host");
  byId("crawl").hidden = !running;
  if (running) progress(stats);
  byId("stats").textContent = [stats.collection, pages, hosts, `${size(stats.bytes)} fetched`, `${size(stats.index_bytes)} of index`].join(" · ");
  if (stats.documents) byId("tagline").textContent = `${pages} from ${hosts}`;
  else if (running) byId("tagline").textContent = "The first pages are on their way.";
  else byId("tagline").textContent = "Nothing is in this collection yet: gossamer crawl fills it.";
}

function progress({ crawl_pages: pages, crawl_waiting: waiting, crawl_seconds: seconds }) {
  byId("crawl-bar").value = pages + waiting ? pages / (pages + waiting) : 0;
  byId("crawl-text").textContent = `${counted(pages, "page")}, ${count(waiting)} waiting, ${duration(seconds)}`;
}
