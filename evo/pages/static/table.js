// Tables that sort by a click on a title and filter by typing.
import { button, el, node, plainValue } from "./dom.js";
import { savers } from "./save.js";

const MANY = 12; // rows from which on a table has a filter
const MOST = 500; // rows that are shown at once

/** Return the figure of a block `table`. */
export function table(block) {
  const state = { by: -1, down: false, words: "" };
  const ticked = new Set();
  const body = el("tbody");
  const count = el("span", { class: "note" });
  const kept = () => {
    const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = block.rows.filter((row) => {
      const text = row.map((value) => String(plainValue(value) ?? "")).join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
    if (state.by >= 0) rows.sort((a, b) => order(plainValue(a[state.by]), plainValue(b[state.by])) * (state.down ? -1 : 1));
    return rows;
  };
  const fill = () => {
    const rows = kept();
    body.replaceChildren(
      ...rows.slice(0, MOST).map((row) =>
        el("tr", {}, tick(row), row.map((value, column) => {
          const form = block.columns[column][1];
          return el("td", { class: form ? "number" : null }, node(value, form));
        })),
      ),
    );
    count.textContent = rows.length > MOST ? `${MOST} of ${rows.length} rows` : rows.length < block.rows.length ? `${rows.length} of ${block.rows.length} rows` : "";
  };
  const tick = (row) => {
    if (!block.ticks) return null;
    const name = block.ticks.names[block.rows.indexOf(row)];
    const change = (event) => { event.target.checked ? ticked.add(name) : ticked.delete(name); compare.disabled = ticked.size < 1; };
    return el("td", {}, name === null ? null : el("input", { type: "checkbox", checked: ticked.has(name), "aria-label": `tick ${name}`, change }));
  };
  const compare = block.ticks && button(block.ticks.label, () => (location.href = `${block.ticks.to}?${[...ticked].map((name) => `name=${encodeURIComponent(name)}`).join("&")}`), { disabled: true });
  const heads = block.columns.map(([title], column) => el("th", { scope: "col", class: block.columns[column][1] ? "number" : null }, button(title, () => sort(column))));
  const sort = (column, down = state.by === column && !state.down) => {
    Object.assign(state, { by: column, down });
    heads.forEach((head, index) => head.setAttribute("aria-sort", index !== column ? "none" : down ? "descending" : "ascending"));
    fill();
  };
  const filter = el("input", { type: "search", placeholder: "filter rows", "aria-label": "filter rows", input: (event) => { state.words = event.target.value; fill(); } });
  fill();
  if (block.sort) sort(block.columns.findIndex(([title]) => title === block.sort), true);
  const whole = () => [block.columns.map(([title]) => title), ...kept().map((row) => row.map(plainValue))];
  const figure = el("figure", {}, block.rows.length >= MANY || block.ticks ? el("div", { class: "filter" }, filter, compare, count) : null, el("div", { class: "wide" }, el("table", {}, el("thead", {}, el("tr", {}, block.ticks ? el("th", {}, el("span", { class: "hidden" }, "tick")) : null, heads)), body)), savers(block.name, null, whole));
  figure.update = (next) => {
    if (next.kind !== block.kind || String(next.columns) !== String(block.columns)) return false;
    Object.assign(block, next);
    fill();
    return true;
  };
  return figure;
}

function order(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}
