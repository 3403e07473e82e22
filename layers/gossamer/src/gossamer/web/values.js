// Values of documents, as people read them.

import { address, h } from "./dom.js";

const lastStep = (url) => url.pathname.split("/").filter(Boolean).at(-1) ?? url.host;

/** A value: a link for what has an address, else its text. */
export function shown(value) {
  if (typeof value !== "object") return textOf(value);
  const url = address(value.url);
  const text = value.url && !value.text ? (url ? lastStep(url) : value.url) : textOf(value);
  return url ? h("a", { href: url.href }, text) : text;
}

/** A value in words alone; of a list all. */
export function textOf(value) {
  if (value === true) return "Yes";
  if (value === false) return "No";
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (typeof value !== "object") return String(value);
  if (value.amount !== undefined) return `${value.amount} ${value.currency ?? ""}`.trim();
  return String(value.text || value.on || value.url || "");
}

/** 120.5 EUR → "€120.50" */
export function price({ amount, currency }) {
  try {
    return new Intl.NumberFormat("en", { style: "currency", currency }).format(amount);
  } catch { // no currency, or none that is known
    return textOf({ amount, currency });
  }
}
