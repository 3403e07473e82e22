// Results while one types, unless the person or the device saves data.

const PAUSE = 250; // milliseconds without a key: about the end of a word
const SHORTEST = 2; // characters

const saves = matchMedia("(prefers-reduced-data: reduce)");

/** Calls `preview` with what is in `box` after a pause. Returns what cancels a call that waits. */
export function instantly(box, preview) {
  let waiting = 0;
  const cancel = () => clearTimeout(waiting);
  box.addEventListener("input", (event) => {
    cancel();
    if (event.isComposing || saves.matches || navigator.connection?.saveData) return;
    waiting = setTimeout(() => {
      const typed = box.value.trim();
      if (typed.length >= SHORTEST) preview(typed);
    }, PAUSE);
  });
  return cancel;
}
