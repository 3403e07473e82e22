// Calls the API.

/** An answer that is not a success; `position` counts characters of the parameter `field`, from 0. */
export class Trouble extends Error {
  constructor({ code = "unreachable", message = "", position = null, field = null } = {}) {
    super(message);
    this.code = code;
    this.position = position;
    this.field = field;
  }
}

/** Asks the API; a parameter that is a list is given several times. */
export async function ask(path, parameters = {}, signal = undefined) {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => [value].flat().map((each) => [name, each]));
  const query = new URLSearchParams(pairs).toString();
  let response, body;
  try {
    response = await fetch(query ? `${path}?${query}` : path, { signal, headers: { Accept: "application/json" } });
    body = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Trouble({ message: "No answer came back. Is the server still running?" });
  }
  if (!response.ok) throw new Trouble(body.error);
  return body;
}
