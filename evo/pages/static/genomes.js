// A population: a picture of each genome, and the chosen one larger, on the board where its inputs have places.
import { LINES, button, colour, el, shown, svg } from "./dom.js";
import { arrowOf, board } from "./board.js";
import { shade } from "./heat.js";
import { savers, svgSource } from "./save.js";

const TOP = 127; // level of the largest weight

/** Return the levels of all genomes as int8, from base64. */
const levelsOf = (text) => Int8Array.from(atob(text), (letter) => (letter.charCodeAt(0) << 24) >> 24);

/** Return the figure of a block `genomes`. */
export function genomes(block) {
  const levels = levelsOf(block.levels);
  const size = block.parts.reduce((sum, [, rows, columns]) => sum + rows * columns, 0);
  const isPolicy = block.actions.length > 0;
  const paint = (level) => (isPolicy ? (level < 0 ? "transparent" : colour(LINES[level % LINES.length])) : shade((level / TOP + 1) / 2));
  const words = (level) => (isPolicy ? (block.actions[level] ?? "none") : shown((level / TOP) * block.largest, "g"));
  const large = el("div", { class: "large" });
  const readout = el("output", { class: "readout" });
  const policy = el("div", { class: "boards" });
  const cells = block.individuals.map(([id, fitness], index) =>
    el("button", { type: "button", class: "cell", title: `id ${id}, raw fitness ${shown(fitness, "g")}`, "aria-label": `individual ${id}`, click: () => choose(index) }, thumbnail(index)),
  );
  let chosen = 0;

  function thumbnail(index) {
    const width = Math.max(...block.parts.map(([, , columns]) => columns));
    const height = block.parts.reduce((sum, [, rows]) => sum + rows, 0);
    const canvas = el("canvas", { width, height });
    const context = canvas.getContext("2d");
    each(index, (part, row, column, level) => {
      context.fillStyle = paint(level);
      const above = block.parts.slice(0, part).reduce((sum, [, rows]) => sum + rows, 0);
      context.fillRect(column, above + row, 1, 1);
    });
    return canvas;
  }

  function each(index, draw) {
    let at = index * size;
    block.parts.forEach(([, rows, columns], part) => {
      for (let row = 0; row < rows; row++) for (let column = 0; column < columns; column++) draw(part, row, column, levels[at++]);
    });
  }

  function choose(index) {
    chosen = index;
    cells.forEach((cell, number) => cell.setAttribute("aria-pressed", number === index));
    const [id, fitness, ...parents] = block.individuals[index];
    const from = parents.filter((parent) => parent !== null && parent >= 0);
    readout.textContent = `individual ${id}, raw fitness ${shown(fitness, "g")}${from.length ? `, child of ${from.join(" and ")}` : ""}`;
    const matrices = block.parts.map(([, rows, columns]) => Array.from({ length: rows }, () => new Array(columns)));
    each(index, (part, row, column, level) => (matrices[part][row][column] = level));
    policy.replaceChildren(...positions(index));
    large.replaceChildren(...matrices.map((matrix, part) => el("div", {}, el("p", { class: "note" }, caption(part)), ...drawn(matrix, part))));
  }

  /** Return the boards of some positions with the move that an individual chooses in each. */
  function positions(index) {
    const { choices } = block;
    if (!choices) return [];
    return choices.frames.map((frame, number) => {
      const action = choices.chosen[index][number];
      const [x, y, fromX, fromY] = choices.places[number][action];
      const words = `after ${choices.titles[number]}: ${block.actions[action]}`;
      const { picture, show } = board(choices, words);
      show(frame.map((shape) => choices.shapes[shape]));
      const ring = svg("circle", { cx: x, cy: y, r: 0.3, fill: "none", stroke: "#007a5a", "stroke-width": 0.1 });
      picture.append(fromX === undefined ? ring : arrowOf(fromX, fromY, x, y, "#007a5a", 1));
      return el("figure", {}, picture, el("figcaption", { class: "note" }, words));
    });
  }

  const caption = (part) => {
    const [name, rows, columns] = block.parts[part];
    if (isPolicy || block.parts.length === 1) return `${rows} × ${columns} ${isPolicy ? "positions" : name}`;
    return part === 0 && block.places ? `${name}: the weights of each node on the board` : `${name}: a row per node, a column per input, the threshold last`;
  };

  function drawn(matrix, part) {
    if (part > 0 || !block.places) return [grid(matrix)];
    return [el("div", { class: "boards" }, matrix.map((weights, node) => onBoard(weights, node)))];
  }

  function grid(matrix) {
    const cell = Math.max(4, Math.min(16, Math.floor(520 / matrix[0].length)));
    const picture = svg("svg", { width: cell * matrix[0].length, height: cell * matrix.length, role: "img" });
    matrix.forEach((values, row) => values.forEach((level, column) => picture.append(svg("rect", { x: column * cell, y: row * cell, width: cell, height: cell, fill: paint(level) }, svg("title", {}, `row ${row + 1}, column ${column + 1}: ${words(level)}`)))));
    return el("div", { class: "wide" }, picture);
  }

  function onBoard(weights, node) {
    const { width, height, middles } = block.places;
    const picture = svg("svg", { viewBox: `0 0 ${width + 1} ${height + 1}`, role: "img", "aria-label": `node ${node + 1}` });
    middles.forEach(([x, y], input) => picture.append(svg("circle", { cx: x, cy: y, r: 0.08 + 0.3 * Math.sqrt(Math.abs(weights[input]) / TOP), fill: weights[input] < 0 ? "#d55e00" : "#0072b2" }, svg("title", {}, words(weights[input])))));
    return el("figure", {}, picture, el("figcaption", { class: "note" }, `node ${node + 1}, threshold ${words(weights[middles.length])}`));
  }

  choose(0);
  document.addEventListener("themechange", () => choose(chosen));
  const legend = isPolicy
    ? el("p", { class: "note" }, block.actions.slice(0, 12).map((action, index) => { const mark = el("span", {}, "■ "); mark.style.color = colour(LINES[index % LINES.length]); return el("span", {}, mark, `${action} `); }))
    : el("p", { class: "note" }, "Blue: positive weights. Orange: negative weights.");
  const picture = () => { const source = large.querySelector("svg"); const { width, height } = source.getBoundingClientRect(); return { source: svgSource(source), width, height }; };
  const rows = () => [["id", "raw fitness", ...Array.from({ length: size }, (_, gene) => `gene ${gene}`)], ...block.individuals.map(([id, fitness], index) => [id, fitness, ...Array.from(levels.subarray(index * size, (index + 1) * size), (level) => (isPolicy ? level : (level / TOP) * block.largest))])];
  return el("figure", {}, el("figcaption", {}, block.title), el("div", { class: "cells" }, cells), readout, policy, legend, large, savers(block.name, picture, rows));
}
