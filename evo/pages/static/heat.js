// Maps of shares by colour: orange below a half, blue above, with the number of the cell under the pointer.
import { el, percent, svg } from "./dom.js";
import { savers, svgSource } from "./save.js";

const LOW = [213, 94, 0], MIDDLE = [245, 245, 245], HIGH = [0, 114, 178];

/** Return the colour of a share between 0 and 1. */
export function shade(share) {
  const end = share < 0.5 ? LOW : HIGH;
  const part = Math.min(1, Math.abs(share - 0.5) * 2);
  return `rgb(${MIDDLE.map((middle, index) => Math.round(middle + part * (end[index] - middle))).join(",")})`;
}

/** Return the figure of a block `heat`. */
export function heat(block) {
  const [rows, columns] = [block.rows.length, block.columns.length];
  const cell = Math.max(6, Math.min(28, Math.floor(560 / Math.max(rows, columns))));
  const left = 12 + 7 * Math.max(...block.rows.map((name) => name.length));
  const bottom = 22;
  const [width, height] = [left + Math.max(cell * columns, 7 * block.axes[1].length + 20) + 8, cell * rows + bottom + 22];
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": block.title, class: "heat" });
  const label = (text, x, y, anchor) => picture.append(svg("text", { x, y, "text-anchor": anchor, "font-size": 11 }, text));
  const step = Math.max(1, Math.ceil(14 / cell));
  block.rows.forEach((name, row) => row % step || label(name, left - 4, row * cell + cell / 2 + 4, "end"));
  const wide = Math.max(step, Math.ceil((8 + 7 * Math.max(...block.columns.map((name) => name.length))) / cell));
  block.columns.forEach((name, column) => column % wide || label(name, left + column * cell + cell / 2, rows * cell + 14, "middle"));
  label(`${block.axes[1]} →`, left, rows * cell + bottom + 14, "start");
  const readout = el("output", { class: "readout" }, `rows: ${block.axes[0]}; columns: ${block.axes[1]}`);
  block.values.forEach((values, row) =>
    values.forEach((value, column) => {
      if (value === null) return;
      const words = `${block.axes[0]} ${block.rows[row]}, ${block.axes[1]} ${block.columns[column]}: ${percent(value)}`;
      picture.append(svg("rect", { x: left + column * cell, y: row * cell, width: cell, height: cell, fill: shade(value), pointerenter: () => (readout.textContent = words) }, svg("title", {}, words)));
    }),
  );
  const table = () => [["", ...block.columns], ...block.values.map((values, row) => [block.rows[row], ...values])];
  const source = () => ({ source: svgSource(picture), width, height });
  return el("figure", {}, el("figcaption", {}, block.title), el("div", { class: "wide" }, picture), readout, block.note && el("p", { class: "note" }, block.note), savers(block.name, source, table));
}
