// Maps of shares by colour: orange below a half, blue above, with the number of the cell under the pointer.
import { el, percent, svg } from "./dom.js";
import { savers, svgSource } from "./save.js";

const FEW = 14; // columns up to which a cell holds its number
const LOW = [213, 94, 0], MIDDLE = [245, 245, 245], HIGH = [0, 114, 178];

/** Return the colour of a share between 0 and 1. */
export function shade(share) {
  const end = share < 0.5 ? LOW : HIGH;
  const part = Math.min(1, Math.abs(share - 0.5) * 2);
  return `rgb(${MIDDLE.map((middle, index) => Math.round(middle + part * (end[index] - middle))).join(",")})`;
}

/** Return the figure of a block `heat`. */
export function heat(block, draw) {
  const [rows, columns] = [block.rows.length, block.columns.length];
  const hasNumbers = Math.max(rows, columns) <= FEW;
  const cell = hasNumbers ? 40 : Math.max(6, Math.min(28, Math.floor(560 / Math.max(rows, columns))));
  const longest = (names) => 7 * Math.max(...names.map((name) => name.length));
  const isSlanted = hasNumbers && longest(block.columns) > cell;
  const left = Math.max(12 + longest(block.rows), isSlanted ? 0.8 * longest(block.columns) - cell / 2 : 0);
  const bottom = isSlanted ? 14 + 0.6 * longest(block.columns) : 22;
  const [width, height] = [left + Math.max(cell * columns, 7 * block.axes[1].length + 20) + 8, cell * rows + bottom + 22];
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: block.opens.length ? "group" : "img", "aria-label": block.title, class: "heat" });
  const label = (text, x, y, anchor, more = {}) => picture.append(svg("text", { x, y, "text-anchor": anchor, "font-size": 11, ...more }, text));
  const step = Math.max(1, Math.ceil(14 / cell));
  block.rows.forEach((name, row) => row % step || label(name, left - 4, row * cell + cell / 2 + 4, "end"));
  const wide = isSlanted ? 1 : Math.max(step, Math.ceil((8 + longest(block.columns)) / cell));
  block.columns.forEach((name, column) => {
    const [x, y] = [left + column * cell + cell / 2, rows * cell + 14];
    if (column % wide) return;
    if (isSlanted) label(name, x + 6, y, "end", { transform: `rotate(-35 ${x + 6} ${y})` });
    else label(name, x, y, "middle");
  });
  label(`${block.axes[1]} →`, left, rows * cell + bottom + 14, "start");
  const below = el("div", { class: "opened", "aria-live": "polite" });
  const readout = el("output", { class: "readout" }, `rows: ${block.axes[0]}; columns: ${block.axes[1]}`);
  block.values.forEach((values, row) =>
    values.forEach((value, column) => {
      if (value === null) return;
      const words = `${block.axes[0]} ${block.rows[row]}, ${block.axes[1]} ${block.columns[column]}: ${percent(value)}`;
      const part = block.cells[`${row},${column}`];
      const read = () => (readout.textContent = words);
      const open = () => {
        read();
        below.replaceChildren(...block.opens[part].map(draw));
        below.scrollIntoView({ block: "nearest" });
      };
      const press = (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        open();
      };
      const act = part === undefined ? {} : { tabindex: 0, role: "button", "aria-label": words, focus: read, click: open, keydown: press };
      const place = { x: left + column * cell, y: row * cell, width: cell, height: cell };
      picture.append(svg("rect", { ...place, fill: shade(value), pointerenter: read, ...act }, svg("title", {}, words)));
      if (hasNumbers) label(`${Math.round(100 * value)}%`, left + column * cell + cell / 2, row * cell + cell / 2 + 4, "middle", { fill: Math.abs(value - 0.5) > 0.3 ? "#ffffff" : "#222222", class: "number" });
    }),
  );
  const table = () => [["", ...block.columns], ...block.values.map((values, row) => [block.rows[row], ...values])];
  const source = () => ({ source: svgSource(picture), width, height });
  return el("figure", {}, el("figcaption", {}, block.title), el("div", { class: "wide" }, picture), readout, block.note && el("p", { class: "note" }, block.note), savers(block.name, source, table), below);
}
