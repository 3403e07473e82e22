// Explains a result: a table whose last column sums to the score, and the pages that link to it.

import { ask } from "./ask.js";
import { address, count, counted, h, unfold } from "./dom.js";

function decimal(number) {
  if (number > 0 && number < 0.0005) return "<0.001";
  return number.toFixed(Math.abs(number) < 0.01 && number !== 0 ? 3 : 2);
}

export function sheet({ profile, score, terms, rank, rank_score: rankScore, boosts }) {
  const heads = [["Word"], ["Pages", "how many pages have it"], ["Rarity", "inverse document frequency"],
    ["Weight", "of the word in this page, from 0 to 1"], ["Points", "rarity × weight"]];
  const rows = terms.map((part) => row(part.term, [called(part), standsFor(part), written(part), ...part.fields.map(found)], count(part.df), decimal(part.idf), part.weight, part.score, score));
  rows.push(row("PageRank", rank ? "importance by links from other pages" : "not computed yet", "", "", rank, rankScore, score));
  rows.push(...boosts.map((part) => row(part.name, boost(part), "", "", null, part.score, score)));
  return h("div", { class: "sheet" }, h("table", {},
    h("caption", {}, `Scored with ${profile}`),
    h("thead", {}, h("tr", {}, heads.map(([text, title]) => h("th", { scope: "col", title }, text)))),
    h("tbody", {}, rows),
    h("tfoot", {}, h("tr", {}, h("th", { scope: "row", colspan: 4 }, "Sum"), h("td", {}, decimal(score))))));
}

/** A term in quotes is the whole query as a name of the page. */
const called = (part) => (part.term.startsWith('"') ? h("span", {}, "a name of this page") : null);

/** What the owner of the collection adds to scores or takes from them. */
const boost = ({ what, values }) => [what === "word" ? "weighted word" : "formula", ...Object.entries(values).map(([name, value]) => `${name} ${count(value)}`)].map((text) => h("span", {}, text));

/** A synonym counts less than the word that was typed, and so do others that stand for it. */
const standsFor = (part) => (part.synonym_of ? h("span", { class: "long" }, `in place of ${part.synonym_of} × ${part.factor}`) : null);

/** A word as C++ has, as it is written, the most that its parts could add. */
const written = (part) => (part.as_written ? h("span", {}, `as it is written · +${decimal(part.as_written)} points`) : null);

/** "title ×1 · 0.30" */
const found = (part) => h("span", {}, `${part.field} ×${count(part.frequency)} · ${decimal(part.weight)}`);

function row(name, note, df, idf, weight, part, whole) {
  const thread = h("i");
  thread.style.width = `${whole > 0 ? Math.max(0, Math.min(100, (100 * part) / whole)) : 0}%`;
  return h("tr", {},
    h("th", { scope: "row" }, name, h("small", {}, note)),
    h("td", {}, df), h("td", {}, idf), h("td", {}, weight === null ? "" : decimal(weight)),
    h("td", { class: "points" }, decimal(part), thread));
}

/** A button that loads and shows the pages linking to a page. */
export const linkers = (id) => h("div", { class: "linkers" },
  unfold("Who links here?", async () => linkedBy((await ask(`documents/${encodeURIComponent(id)}`)).inlinks)));

function linkedBy({ total, links }) {
  if (!total) return [h("p", {}, "No crawled page links here, or gossamer rank has not run yet.")];
  const more = total > links.length ? ", of which these have the highest rank" : "";
  return [h("p", {}, `${counted(total, "page")}${more}:`), h("ul", {}, links.map(linker))];
}

function linker({ url, anchor }) {
  const to = address(url);
  const name = h("bdi", {}, url);
  return h("li", {}, to ? h("a", { href: to.href }, name) : name, anchor ? h("q", { dir: "auto" }, anchor) : null);
}
