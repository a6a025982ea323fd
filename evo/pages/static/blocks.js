// A page from its data: a heading, links to the sections, and the blocks of each section.
import { button, el, node } from "./dom.js";
import { curves } from "./curves.js";
import { heat } from "./heat.js";
import { table } from "./table.js";
import { genomes } from "./genomes.js";
import { game } from "./board.js";

const text = (block) => el("div", { class: block.tone || null }, block.paragraphs.map((words) => el("p", {}, words)));

const facts = (block) => el("dl", {}, block.rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, node(value))]));

/** Return a command with a button that copies it. */
function command(block) {
  const words = el("code", {}, block.command);
  const copied = button("copy", async () => {
    try {
      await navigator.clipboard.writeText(block.command);
      copied.textContent = "copied";
    } catch { // no clipboard over file:// in some browsers: select the words
      getSelection().selectAllChildren(words);
      copied.textContent = "selected";
    }
    setTimeout(() => (copied.textContent = "copy"), 1500);
  });
  return el("div", { class: "command" }, el("span", { class: "note" }, block.what), el("pre", {}, words), copied);
}

/** Return the figure of a text of a program. Added and removed lines of changes have colours. */
function code(block) {
  const tones = { "+": "added", "-": "removed", "@": "note" };
  const lines = block.code.split("\n").map((words) => el("span", { class: (block.is_diff && tones[words[0]]) || null }, `${words}\n`));
  const notes = [block.note, block.cut].filter(Boolean).map((words) => el("div", { class: "note" }, words));
  return el("figure", { class: "code" }, el("figcaption", {}, block.title), notes, el("pre", { tabindex: "0" }, el("code", {}, lines)));
}

export const KINDS = { text, facts, command, code, table, curves, heat, genomes, game };

/** Return the element of a block. */
export const draw = (block) => KINDS[block.kind](block, draw);

/** Draw a page into an element. Charts need their place in the page before they are drawn. */
export function show(page, place) {
  const theme = button("dark or light", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    document.dispatchEvent(new Event("themechange"));
  });
  const name = (index) => `section-${index + 1}`;
  const links = page.sections.map((section, index) => el("a", { href: `#${name(index)}` }, section.title));
  const main = el("main");
  const above = page.links.length ? el("p", { class: "above" }, page.links.flatMap((link) => [node(link), " / "])) : null;
  place.append(el("header", {}, above, el("h1", {}, page.title), el("p", { class: "note" }, page.subtitle), el("nav", { "aria-label": "sections" }, links, theme)), main);
  page.sections.forEach((section, index) => {
    const holder = el("section", { id: name(index), "data-title": section.title }, el("h2", {}, section.title));
    main.append(holder);
    for (const block of section.blocks) holder.append(draw(block));
  });
}
