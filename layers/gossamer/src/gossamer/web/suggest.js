// Completions beneath the search box: an ARIA combobox whose list pops up while one types.

import { ask } from "./ask.js";
import { byId, counted, h } from "./dom.js";

const PAUSE = 60; // milliseconds without a key before completions are asked for
const LIMIT = 8;

/** Where a word of `text` begins with `typed`; -1 if it is written otherwise. */
function beginning(text, typed) {
  let at = text.indexOf(typed);
  while (at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1])) at = text.indexOf(typed, at + 1);
  return at;
}

/** Completes what is typed into `box`; Enter or a click calls `choose`. Returns what closes the list. */
export function complete(box, choose) {
  const list = byId("suggestions");
  const status = byId("suggested");
  let asking = null;
  let waiting = 0;
  let active = -1; // the option that Enter takes

  const options = () => [...list.children];

  function close() {
    clearTimeout(waiting);
    asking?.abort();
    asking = null;
    active = -1;
    list.hidden = true;
    list.replaceChildren();
    status.textContent = "";
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  }

  async function look() {
    const typed = box.value.trim();
    asking?.abort();
    if (!typed) { close(); return; }
    const mine = new AbortController();
    asking = mine;
    try {
      const [, texts, kinds] = await ask("suggest", { q: typed, limit: LIMIT }, mine.signal);
      if (asking === mine) open(typed, texts, kinds);
    } catch {
      if (asking === mine) close(); // completions are a help: without them one goes on typing
    }
  }

  function open(typed, texts, kinds) {
    if (!texts.length || document.activeElement !== box) { close(); return; }
    active = -1;
    box.removeAttribute("aria-activedescendant");
    list.replaceChildren(...texts.map((text, number) => option(text, kinds[number], number, typed)));
    list.hidden = false;
    box.setAttribute("aria-expanded", "true");
    status.textContent = `${counted(texts.length, "suggestion")}; arrow keys to choose`;
  }

  function option(text, kind, number, typed) {
    const at = beginning(text.toLowerCase(), typed.toLowerCase());
    const end = at + typed.length;
    const words = at < 0 ? [text] : [h("b", {}, text.slice(0, at)), text.slice(at, end), h("b", {}, text.slice(end))];
    const line = h("span", { class: "completion" }, words);
    return h(
      "li",
      { role: "option", id: `suggestion-${number}`, "aria-selected": "false", "data-text": text },
      line,
      h("span", { class: "kind" }, kind),
    );
  }

  /** Moves to the next or previous option; beyond either end one is back in the box. */
  function move(by) {
    const all = options();
    all[active]?.setAttribute("aria-selected", "false");
    active = active < 0 && by < 0 ? all.length - 1 : active + by;
    if (active < 0 || active >= all.length) active = -1;
    const chosen = all[active];
    if (!chosen) { box.removeAttribute("aria-activedescendant"); return; }
    chosen.setAttribute("aria-selected", "true");
    chosen.scrollIntoView({ block: "nearest", behavior: "instant" });
    box.setAttribute("aria-activedescendant", chosen.id);
  }

  box.setAttribute("role", "combobox");
  box.setAttribute("aria-autocomplete", "list");
  box.setAttribute("aria-haspopup", "listbox");
  box.setAttribute("aria-controls", list.id);
  close();

  box.addEventListener("input", (event) => {
    clearTimeout(waiting);
    if (!event.isComposing) waiting = setTimeout(look, PAUSE);
  });
  box.addEventListener("compositionend", () => { waiting = setTimeout(look, PAUSE); });
  box.addEventListener("blur", close);
  box.addEventListener("keydown", (event) => {
    if (event.isComposing || list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Escape") {
      event.preventDefault();
      close();
    } else if (event.key === "Enter" && active >= 0) {
      event.preventDefault();
      choose(options()[active].dataset.text);
    }
  });
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the box keeps the focus
  list.addEventListener("click", (event) => {
    const chosen = event.target.closest("[role=option]");
    if (chosen) choose(chosen.dataset.text);
  });
  return close;
}
