// Live pages of a server: sections that are fetched when they are reached, and events that update them.
import { el } from "./dom.js";
import { KINDS, draw } from "./blocks.js";

/** Fetch JSON of this server. */
export async function fetched(address, options = {}) {
  const answer = await fetch(address, { credentials: "same-origin", ...options });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/** Return the element of a block `later`: its blocks are fetched once a reader comes near. */
function later(block) {
  const place = el("div", { class: "note", "aria-busy": "true" }, "is made when you scroll here…");
  const load = async () => {
    place.textContent = "is made…";
    try {
      place.replaceWith(...(await fetched(block.address)).map(draw));
    } catch (error) {
      place.textContent = `Not shown: ${error.message}`;
      place.removeAttribute("aria-busy");
    }
  };
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    load();
  }, { rootMargin: "300px" });
  seen.observe(place);
  return place;
}

KINDS.later = later;

/** Put blocks in place of those of a section; figures that can update themselves stay. */
function refresh(holder, blocks) {
  const old = [...holder.children].slice(1);
  blocks.forEach((block, index) => {
    if (old[index]?.update?.(block)) return;
    const made = draw(block);
    if (old[index]) old[index].replaceWith(made);
    else holder.append(made);
  });
  old.slice(blocks.length).forEach((child) => child.remove());
}

/** Follow the events of a page: each has the new blocks of sections, by title or by number. */
export function follow(page) {
  if (!page.events) return;
  const state = el("span", { class: "note live", role: "status" }, "live");
  document.querySelector("nav").append(state);
  const events = new EventSource(page.events);
  const sections = [...document.querySelectorAll("main > section")];
  const titled = (name) => sections.find((each, index) => each.dataset.title === name || String(index) === name);
  events.onmessage = (event) => {
    for (const [name, blocks] of Object.entries(JSON.parse(event.data))) {
      const holder = titled(name);
      if (holder) refresh(holder, blocks);
      else if (blocks.length) state.textContent = "live; reload for new sections";
    }
    state.dataset.updates = Number(state.dataset.updates ?? 0) + 1;
  };
  addEventListener("pagehide", () => events.close());
  events.onopen = () => (state.textContent = "live");
  events.onerror = () => (state.textContent = "no connection");
}
