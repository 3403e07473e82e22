// Filters: what was chosen of a facet's values, as conditions of the query language.

// Facets whose values are those of another field.
const FIELDS = { site: "host", year: "date" };
const TITLES = { site: "Site", host: "Site", lang: "Language", kind: "Kind", year: "Year", date: "Date", domain: "Domain" };
const CONDITION = /([a-z][a-z0-9_]*):(?:"((?:[^"\\]|\\.)*)"|([^\s"()|&]+))(?: \| |$)/y;
const BARE = /^(?:\d{4}|true|false)$/; // years and truths are no words: they have no quotes

export const fieldOf = (facet) => FIELDS[facet] ?? facet;

/** "in_stock" → "In stock" */
export const titleOf = (name) => TITLES[name] ?? (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll("_", " ");

/** A value as people read it. */
export function shown(field, value) {
  if (field === "lang") return languageOf(value);
  if (value === "true") return "Yes";
  return value === "false" ? "No" : value;
}

function languageOf(code) {
  try { return new Intl.DisplayNames("en", { type: "language" }).of(code) ?? code; } catch { return code; }
}

/** The field of a filter and the values of which it wants one; null if it says something else. */
export function read(filter) {
  const values = [];
  let field = null;
  for (CONDITION.lastIndex = 0; CONDITION.lastIndex < filter.length;) {
    const found = CONDITION.exec(filter);
    if (!found || (field !== null && found[1] !== field)) return null;
    field = found[1];
    values.push(found[2] === undefined ? found[3] : found[2].replace(/\\(["\\])/g, "$1"));
  }
  return field === null ? null : { field, values };
}

function written(field, values) {
  const quoted = (value) => (BARE.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`);
  return values.map((value) => `${field}:${quoted(value)}`).join(" | ");
}

/** The values that were chosen of a field. */
export const chosen = (filters, field) => filters.map(read).filter((each) => each?.field === field).flatMap((each) => each.values);

/** The filters with one more value of a field, or without it. */
export function toggled(filters, field, value) {
  const before = chosen(filters, field);
  const values = before.includes(value) ? before.filter((other) => other !== value) : [...before, value];
  const others = filters.filter((filter) => read(filter)?.field !== field);
  return values.length ? [...others, written(field, values)] : others;
}

/** Each thing that was chosen: its name, and the filters that are left without it. */
export const choices = (filters) => filters.flatMap((filter) => {
  const found = read(filter);
  if (!found) return [{ name: filter, left: filters.filter((other) => other !== filter) }];
  return found.values.map((value) => ({
    name: `${titleOf(found.field)}: ${shown(found.field, value)}`,
    left: toggled(filters, found.field, value),
  }));
});
