// The address of the page: it says everything that the page shows.

/** What an address asks for. */
export function wanted(search = location.search) {
  const given = new URLSearchParams(search);
  const page = Number.parseInt(given.get("page") ?? "1", 10);
  return {
    q: (given.get("q") ?? "").trim(),
    filters: given.getAll("filter").map((filter) => filter.trim()).filter(Boolean),
    sort: (given.get("sort") ?? "").trim(),
    similar: given.get("similar") === "all" ? "all" : "one",
    correct: given.get("correct") !== "false",
    page: page >= 1 ? page : 1,
    view: given.get("view") === "table" ? "table" : "list",
  };
}

/** The address that asks for something; what is not said has its default. */
export function link({ q, filters = [], sort = "", similar = "one", correct = true, page = 1, view = "list" }) {
  if (!q) return "./";
  const query = new URLSearchParams({ q });
  for (const filter of filters) query.append("filter", filter);
  if (sort) query.set("sort", sort);
  if (similar === "all") query.set("similar", similar);
  if (!correct) query.set("correct", "false");
  if (page > 1) query.set("page", page);
  if (view === "table") query.set("view", view);
  return `./?${query}`;
}

/** The same as parameters of the API. */
export const parameters = ({ q, filters, sort, similar, correct }) => ({
  q, filter: filters, ...(sort ? { sort } : {}), similar, ...(correct ? {} : { correct: false }), fields: "*", // of a list, what its results declare
});
