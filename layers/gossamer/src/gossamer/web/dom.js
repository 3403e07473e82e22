// Builds DOM elements and formats numbers. Text is always inserted as text, never parsed as markup.

/** An element: `h("a", {href: "./"}, "home")`. Empty children are left out. */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/** The URL if it is http or https, otherwise null: only such URLs become links. */
export function address(text) {
  try {
    const url = new URL(text);
    return ["http:", "https:"].includes(url.protocol) ? url : null;
  } catch {
    return null;
  }
}

/** A button and, beneath it, what `load` gives: asked for when it is opened for the first time. */
export function unfold(text, load) {
  const button = h("button", { type: "button", "aria-expanded": "false" }, text);
  const body = h("div", { "aria-live": "polite", hidden: true });
  button.addEventListener("click", async () => {
    const open = body.hidden;
    button.setAttribute("aria-expanded", open);
    body.hidden = !open;
    if (!open || body.firstChild) return;
    try {
      body.replaceChildren(...(await load()));
    } catch (trouble) {
      button.addEventListener("click", () => body.replaceChildren(), { once: true }); // closing forgets it
      body.replaceChildren(h("p", {}, trouble.message));
    }
  });
  return [button, body];
}

export const byId = (id) => document.getElementById(id);

const whole = new Intl.NumberFormat("en");
export const count = (number) => whole.format(number);
export const counted = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** 1,843,200 → "1.8 MB" */
export function size(bytes) {
  for (const unit of ["B", "kB", "MB", "GB"]) {
    if (bytes < 1000) return `${bytes < 10 && unit !== "B" ? bytes.toFixed(1) : Math.round(bytes)} ${unit}`;
    bytes /= 1000;
  }
  return `${bytes.toFixed(1)} TB`;
}

/** 83 → "1 min 23 s" */
export function duration(seconds) {
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}
