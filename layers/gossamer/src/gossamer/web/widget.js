// <gossamer-search>: a search box for one's own pages (docs/http.md says how to embed it).
// Text is inserted as text, never parsed as markup, and only the server is asked.

customElements.get("gossamer-search") || customElements.define("gossamer-search", class extends HTMLElement {
  static #source = document.currentScript?.src ?? document.baseURI;
  static #texts = {
    en: ["Search", "Close", "Results:", "Nothing found", "All results"],
    de: ["Suchen", "Schließen", "Treffer:", "Nichts gefunden", "Alle Treffer"],
    es: ["Buscar", "Cerrar", "Resultados:", "Sin resultados", "Todos los resultados"],
    fr: ["Rechercher", "Fermer", "Résultats :", "Aucun résultat", "Tous les résultats"],
  };
  // Not a <style>, which the policy of the page may forbid.
  static #sheet = new CSSStyleSheet();
  static #dark = new CSSStyleSheet();
  static {
    const colours = (...values) => ["text", "soft", "background", "border", "accent", "highlight"]
      .map((name, index) => `--${name}:var(--gossamer-${name},${values[index]});`).join("");
    this.#dark.replaceSync(`:host{${colours("#e8e5dd", "#a3adb5", "#182026", "#3d4a53", "#8dcfdf", "#4a3a1a")}color-scheme:dark}`);
    this.#sheet.replaceSync(`
:host{all:initial;display:inline-block;${colours("#20262b", "#59626b", "#fffefb", "#cfc9bc", "#0f5d70", "#f6e7c6")}color-scheme:light}
[hidden],:host([hidden]){display:none!important}
*{box-sizing:border-box}
button,dialog{font:var(--gossamer-font,16px/1.5 system-ui,sans-serif);color:var(--text);background:var(--background);border:1px solid var(--border);border-radius:var(--gossamer-radius,10px)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
button{cursor:pointer;color:var(--soft)}
button:hover{border-color:var(--accent)}
.opener{display:flex;align-items:center;gap:.6em;width:100%;min-width:11em;min-height:44px;padding:0 .8em}
.opener::before{content:"";width:16px;height:16px;background:currentColor;clip-path:path(evenodd,"M6.5 0a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M6.5 1.7a4.8 4.8 0 1 1 0 9.6a4.8 4.8 0 1 1 0-9.6M11.5 10.3L16 14.8 14.8 16 10.3 11.5")}
kbd{font:inherit;font-size:.8em;margin-inline-start:auto}
@media(hover:none){kbd{display:none}}
dialog{width:min(40em,100vw - 2em);max-width:none;max-height:80vh;margin:10vh auto;padding:0;overflow:hidden;box-shadow:0 1em 4em #0006}
dialog[open]{display:flex;flex-direction:column}
dialog::backdrop{background:#0008}
.bar{display:flex;align-items:center;gap:.6em;padding:.4em .5em .4em 1em;border-bottom:1px solid var(--border);color:var(--soft)}
.bar:focus-within{border-color:var(--accent)}
input{all:unset;outline:0!important;flex:1;min-width:0;font-size:max(1.1em,16px);color:var(--text)}
input::placeholder{color:var(--soft)}
.close{width:44px;height:44px;font-size:1.5em;line-height:1;border-color:transparent;background:none}
.said,.all{margin:0;padding:.6em 1.2em;font-size:.85em;color:var(--soft);overflow-wrap:anywhere}
.said:empty{display:none}
.list{overflow:auto;overscroll-behavior:contain;padding:0 .5em .5em}
.hit{display:block;padding:.5em .7em;border-radius:8px;color:inherit;text-decoration:none;overflow-wrap:anywhere;outline-offset:-2px}
.hit[aria-selected=true]{background:color-mix(in srgb,var(--accent) 12%,transparent);outline:2px solid var(--accent)}
.hit>*{display:block;font-size:.85em}
.hit b{font-size:1em;color:var(--accent)}
.hit bdi{color:var(--soft)}
.hit span{max-height:3em;overflow:hidden}
mark{color:inherit;background:var(--highlight)}
.all{border-top:1px solid var(--border);color:var(--accent);outline-offset:-3px}
@media(max-width:40em){dialog{width:100vw;height:100dvh;max-height:none;margin:0;border:0;border-radius:0}.list{flex:1}}`);
  }

  #asking; // the request under way
  #timer;
  #dialog; // made when it is first opened
  #input;
  #list;
  #said;
  #all;
  #system = matchMedia("(prefers-color-scheme:dark)");
  #paint = () => {
    this.shadowRoot.adoptedStyleSheets = [this.constructor.#sheet, ...(this.#isDark ? [this.constructor.#dark] : [])];
  };
  #watcher = new MutationObserver(this.#paint); // of pages that switch between light and dark
  #onKey = (event) => this.#hotkey(event);

  connectedCallback() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    this.#paint();
    this.#system.addEventListener("change", this.#paint);
    for (const part of [document.documentElement, document.body, this]) this.#watcher.observe(part, { attributes: true });
    const key = this.#key && (/Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl ") + this.#key.toUpperCase();
    const opener = this.#h("button", { class: "opener", part: "button", "aria-haspopup": "dialog" },
      this.#label, key && this.#h("kbd", { "aria-hidden": "true" }, key));
    opener.addEventListener("click", () => this.show());
    root.replaceChildren(opener, this.#dialog ?? "");
    document.addEventListener("keydown", this.#onKey);
  }

  disconnectedCallback() {
    document.removeEventListener("keydown", this.#onKey);
    this.#system.removeEventListener("change", this.#paint);
    this.#watcher.disconnect();
  }

  /** Whether the page is dark here: by the nearest background, or else by its colour scheme. */
  get #isDark() {
    const theme = this.getAttribute("theme");
    if (theme) return theme === "dark";
    for (let at = this.parentElement; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      const [red, green, blue, alpha = 1] = colour.startsWith("rgb") ? colour.match(/[\d.]+/g) : [0, 0, 0, 0];
      if (alpha > 0.5) return 0.3 * red + 0.6 * green + 0.1 * blue < 128;
    }
    const scheme = getComputedStyle(this.parentElement ?? document.documentElement).colorScheme;
    return scheme.includes("dark") && (this.#system.matches || !scheme.includes("light"));
  }

  get #words() {
    const { en, ...others } = this.constructor.#texts;
    return others[this.closest("[lang]")?.lang.slice(0, 2).toLowerCase()] ?? en;
  }

  get #label() { return this.getAttribute("placeholder") || this.#words[0]; }
  get #key() { return (this.getAttribute("hotkey") ?? "k").toLowerCase(); }

  /** Where the server is: where this script came from, unless the page says otherwise. */
  get #server() {
    const given = this.getAttribute("server");
    return given ? new URL(given.replace(/\/*$/, "/"), document.baseURI) : new URL("../", this.constructor.#source);
  }

  /** A condition on all results, beside the query. */
  get #narrowed() {
    const filter = this.getAttribute("filter");
    return filter ? { filter } : {};
  }

  show() {
    this.#paint();
    if (!this.#dialog) this.#build();
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#input.focus();
    this.#input.select();
  }

  close() { this.#dialog?.close(); }

  #build() {
    const label = this.#label;
    this.#input = this.#h("input", { type: "text", role: "combobox", "aria-label": label, placeholder: label, maxlength: 4000, "aria-controls": "list", "aria-expanded": "false",
      "aria-autocomplete": "list", autocomplete: "off", autocapitalize: "none", spellcheck: "false", enterkeyhint: "search" });
    this.#said = this.#h("p", { class: "said", role: "status" });
    this.#list = this.#h("div", { class: "list", id: "list", role: "listbox", "aria-label": label, tabindex: -1 });
    this.#all = this.#h("a", { class: "all", hidden: "" }, this.#words[4]);
    const close = this.#h("button", { class: "close", "aria-label": this.#words[1] }, "×");
    this.#dialog = this.#h("dialog", { part: "dialog", "aria-label": label }, this.#h("div", { class: "bar" }, this.#input, close), this.#said, this.#list, this.#all);
    this.#input.addEventListener("input", () => this.#typed());
    close.addEventListener("click", () => this.close());
    this.#dialog.addEventListener("keydown", (event) => this.#pressed(event));
    this.#dialog.addEventListener("click", ({ target }) => target === this.#dialog && this.close());
    this.shadowRoot.append(this.#dialog);
  }

  /** An element; empty children are left out. */
  #h(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children.filter(Boolean));
    return element;
  }

  // Keyboard

  #hotkey(event) {
    const held = (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey;
    if (!held || event.defaultPrevented || event.key.toLowerCase() !== this.#key) return;
    event.preventDefault();
    if (this.#dialog?.open) this.close();
    else this.show();
  }

  #pressed(event) {
    if (event.isComposing) return;
    const hits = [...this.#list.children];
    const at = hits.findIndex((hit) => hit.ariaSelected === "true");
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (event.key === "Escape") this.close();
    else if (event.key === "Tab") this.#turn(event.shiftKey ? -1 : 1);
    else if (event.target !== this.#input) return;
    else if (to !== undefined && hits.length) this.#choose(hits.at(to % hits.length));
    else if (event.key === "Enter") this.#open(hits[at], event);
    else return;
    event.preventDefault();
  }

  #open(hit, { ctrlKey, metaKey, shiftKey }) {
    if (hit) hit.dispatchEvent(new MouseEvent("click", { ctrlKey, metaKey, shiftKey, cancelable: true }));
    else this.#typed(0);
  }

  /** From the last stop to the first, and back: the page behind is inert. */
  #turn(by) {
    const stops = [...this.#dialog.querySelectorAll("input, button, .all:not([hidden])")];
    stops.at((stops.indexOf(this.shadowRoot.activeElement) + by) % stops.length).focus();
  }

  #choose(hit) {
    for (const each of this.#list.children) each.ariaSelected = String(each === hit);
    this.#input.setAttribute("aria-activedescendant", hit.id);
    hit.scrollIntoView({ block: "nearest" });
  }

  // Asking

  #typed(wait = 150) {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.#asking = null;
    const text = this.#input.value.trim();
    if (text) this.#timer = setTimeout(() => this.#ask(text), wait);
    else this.#tell("");
  }

  async #ask(text) {
    const mine = (this.#asking = new AbortController());
    try {
      let answer = await this.#get(text, mine.signal);
      // What was not found may be the beginning of a word.
      if (!answer.total && /^[\p{L}\p{N} ]+$/u.test(text)) answer = await this.#get(`${text}*`, mine.signal);
      if (this.#asking === mine) this.#answered(text, answer);
    } catch ({ message }) {
      if (this.#asking === mine) this.#tell(message);
    }
  }

  async #get(text, signal) {
    const url = new URL("search", this.#server);
    url.search = new URLSearchParams({ q: text, ...this.#narrowed, limit: this.getAttribute("limit") || 8 });
    let response, body;
    try {
      response = await fetch(url, { signal, credentials: "omit", referrerPolicy: "no-referrer" });
      body = await response.json();
    } catch (error) {
      if (signal.aborted) throw error;
      throw new Error(await this.#cause(this.#server.href, location.origin));
    }
    if (!response.ok) throw new Error(body.error?.message ?? response.status);
    return body;
  }

  /** Why there was no answer. A browser does not say; but a server that refuses is there. */
  async #cause(server, origin) {
    let line = origin === "null" ? "A page opened as a file may not search: open it over http." : `Pages of ${origin} may not search here yet. Owner: gossamer serve --allow-origin ${origin}`;
    let more = "; or GOSSAMER_ALLOW_ORIGIN; on a stack, AllowOrigin";
    try {
      await fetch(`${server}health`, { mode: "no-cors", cache: "no-store" });
    } catch {
      line = `No answer from ${server}`;
      more = ". Is it running, and in connect-src of this page's policy? An https page needs https";
    }
    console.error(`gossamer-search: ${line}${more}.`);
    return line;
  }

  #answered(text, { query, total, total_is_exact: isExact, hits }) {
    const count = total.toLocaleString() + (isExact ? "" : "+");
    this.#tell(total ? `${this.#words[2]} ${count}` : `${this.#words[3]}: ${text}`, hits.map((hit, index) => this.#option(hit, index)));
    this.#all.href = new URL(`?${new URLSearchParams({ q: query, ...this.#narrowed })}`, this.#server);
    this.#all.hidden = total <= hits.length;
  }

  #tell(text, options = []) {
    this.#said.textContent = text;
    this.#list.replaceChildren(...options);
    this.#all.hidden = true;
    this.#input.ariaExpanded = options.length > 0;
    this.#input.removeAttribute("aria-activedescendant");
    if (options.length) this.#choose(options[0]);
  }

  /** Only what leads to the web is a link. */
  #option({ url, title, snippet, highlights }, index) {
    const isWeb = /^https?:/i.test(url);
    let shown = url;
    try { shown = decodeURI(url); } catch { /* not UTF-8: as it is */ }
    const pieces = highlights?.length ? highlights : [{ text: snippet }];
    return this.#h(isWeb ? "a" : "div", { class: "hit", role: "option", id: `hit-${index}`, tabindex: -1, ...(isWeb && { href: url }) },
      this.#h("b", { dir: "auto" }, title.trim() || url), this.#h("bdi", {}, shown),
      this.#h("span", { dir: "auto" }, ...pieces.map((piece) => (piece.hit ? this.#h("mark", {}, piece.text) : piece.text))));
  }
});
