// What a result's document declares: facts beneath its snippet, and media as a grid of cards.

import { address, count, counted, h } from "./dom.js";
import { titleOf } from "./filters.js";
import { price, shown, textOf } from "./values.js";

const MOST = 6; // facts of a result
const LONGEST = 80; // characters of a fact; what is longer is a text, and the snippet's matter
const FIRST = ["price", "salary", "rating", "availability", "starts", "location", "brand", "company", "author"];
// The title, what stands elsewhere in the result, and what only a program reads.
const UNSAID = new Set(["title", "name", "url", "link", "type", "image", "audio", "video", "breadcrumb", "reviews", "published_on", "modified_on", "gtin", "sku", "questions", "answers"]);
const MEDIA = { image: "Picture", audio: "Sound", video: "Video" };

export const isMedium = (hit) => hit.kind in MEDIA;

/** Whether an address asks for media alone, which are shown as a grid. */
export const asksForMedia = ({ q, filters }) => [q, ...filters].some((text) => /(^|[\s(&])kind:"?(image|video|audio)\b/.test(text) && !/[!-]kind:/.test(text));

/** What a result is, if it is no page. */
export function medium(hit) {
  return isMedium(hit) ? h("span", { class: "kind" }, MEDIA[hit.kind]) : null;
}

/** The picture that its document names, if it was stored with the pages: none is ever asked for on the web. */
export function picture(hit) {
  return hit.picture ? h("img", { src: `./documents/${encodeURIComponent(hit.id)}/picture`, alt: "", loading: "lazy", decoding: "async" }) : null;
}

/** The price, the rating and other short values of a document; null if it has none. */
export function facts(hit) {
  if (isMedium(hit)) return null;
  const said = Object.entries(hit.values ?? {}).filter(([name, value]) => !UNSAID.has(name) && isShort(value));
  said.sort(([one], [other]) => placeOf(one) - placeOf(other));
  if (!said.length) return null;
  return h("dl", { class: "facts" }, said.slice(0, MOST).map(([name, value]) => h("div", { class: name === "price" || name === "salary" ? "price" : null },
    h("dt", {}, titleOf(name)), h("dd", { dir: "auto" }, worded(name, value, hit.values)))));
}

const placeOf = (name) => (FIRST.indexOf(name) + 1 || FIRST.length + 1);

function isShort(value) {
  const text = value?.type === "image" ? "" : textOf(value);
  return text !== "" && text.length <= LONGEST;
}

function worded(name, value, values) {
  if (value?.amount !== undefined) return price(value);
  if (name === "rating" && typeof value === "number") {
    const reviews = typeof values.reviews === "number" ? ` from ${counted(values.reviews, "review")}` : "";
    return `${Math.round(value * 10) / 10}${reviews}`;
  }
  if (typeof value === "number") return Number.isInteger(value) && value >= 10000 ? count(value) : String(value);
  return Array.isArray(value) ? textOf(value) : shown(value);
}

/** Results that all are media, side by side; `name` makes the link of one. */
export function grid(hits, name) {
  return h("ol", { class: "hits grid", start: hits[0].rank, role: "list" }, hits.map((hit) => tile(hit, name)));
}

function tile(hit, name) {
  const url = address(hit.url);
  const file = address(hit.values?.[hit.kind]?.url);
  return h("li", { class: "hit tile" },
    picture(hit) ?? h("p", { class: "none", "aria-hidden": "true" }, file?.pathname.match(/\.([a-z0-9]{2,4})$/i)?.[1].toUpperCase() ?? MEDIA[hit.kind]),
    h("h2", {}, name(hit)),
    h("p", { class: "crumb" }, h("bdi", {}, url ? url.host : hit.url),
      file ? h("a", { class: "copy", href: file.href, "aria-label": `${MEDIA[hit.kind]} itself: ${hit.title}` }, MEDIA[hit.kind]) : medium(hit)));
}
