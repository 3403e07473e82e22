// Why does a page stand where it stands? A table whose last column sums to the score.

import { count, h } from "./dom.js";

const decimal = (number) => number.toFixed(Math.abs(number) < 0.01 && number !== 0 ? 4 : 2);

export function sheet(explanation) {
  const { profile, score, terms, rank, rank_score: rankScore } = explanation;
  const heads = [["Word"], ["Pages", "how many pages have it"], ["Rarity", "inverse document frequency"],
    ["Found in", "times × weight of the field", "where"], ["Weight", "saturated, from 0 to 1"], ["Points"]];
  const rows = terms.map((part) => h("tr", {},
    h("th", { scope: "row" }, part.term),
    h("td", {}, count(part.df)),
    h("td", {}, decimal(part.idf)),
    h("td", { class: "where" }, part.fields.map((each) => h("span", {},
      `${each.field} `, h("small", {}, `×${count(each.frequency)} · ${decimal(each.weight)}`)))),
    h("td", {}, decimal(part.weight)),
    points(part.score, score)));
  rows.push(h("tr", {},
    h("th", { scope: "row" }, "PageRank"), h("td"), h("td"),
    h("td", { class: "where" }, h("small", {}, rank ? "how well other pages link here" : "not known yet")),
    h("td", {}, decimal(rank)),
    points(rankScore, score)));
  return h("div", { class: "sheet" }, h("table", {},
    h("caption", {}, `Scored with ${profile}`),
    h("thead", {}, h("tr", {}, heads.map(([text, title, kind]) => h("th", { scope: "col", title, class: kind }, text)))),
    h("tbody", {}, rows),
    h("tfoot", {}, h("tr", {}, h("th", { scope: "row", colspan: 5 }, "Sum"), h("td", {}, decimal(score))))));
}

function points(part, whole) {
  const thread = h("i");
  thread.style.width = `${whole > 0 ? Math.max(0, Math.min(100, (100 * part) / whole)) : 0}%`;
  return h("td", { class: "points" }, decimal(part), thread);
}
