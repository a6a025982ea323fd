// Boards from the shapes that a game draws, and games that are played back move by move.
import { button, el, percent, shown, svg } from "./dom.js";
import { shade } from "./heat.js";
import { savers, svgSource } from "./save.js";

const SECONDS = 0.7; // a move

/** Return the SVG element of a shape. */
export function drawn(shape) {
  const [kind, ...parts] = shape;
  if (kind === "polygon") return svg("polygon", { points: parts[0].map((point) => point.join(",")).join(" "), fill: parts[1] });
  if (kind === "disc") return svg("circle", { cx: parts[0], cy: parts[1], r: parts[2], fill: parts[3] });
  if (kind === "line") return svg("line", { x1: parts[0], y1: parts[1], x2: parts[2], y2: parts[3], "stroke-width": parts[4], stroke: parts[5], "stroke-linecap": "round" });
  if (kind === "text") return svg("text", { x: parts[0], y: parts[1], "font-size": parts[3], fill: parts[4], "xml:space": "preserve", class: "mono" }, parts[2]);
  return svg("g", {}, parts[0].map(drawn));
}

/** Return a board of a number of cells with a margin; `show(shapes)` draws a position. */
export function board({ width, height, margin }, label) {
  const box = `0 0 ${width + 2 * margin} ${height + 2 * margin}`;
  const picture = svg("svg", { viewBox: box, class: "board", role: "img", "aria-label": label });
  return { picture, show: (shapes) => picture.replaceChildren(...shapes.map(drawn)) };
}

/** Return the layers of a move by name: what the player saw, and perfect play. */
const layersOf = (move) => Object.fromEntries((move.seen ?? []).map((layer) => [layer.by === "perfect play" ? layer.by : "what the player saw", layer]));

/** Return the words of a value of a layer. */
const valueWords = ({ what }, value) => (what === "chance" ? percent(value) : what === "output" ? value.toFixed(2) : shown(value, "g"));

/** Return the shares between 0 and 1 that colour the values of a layer. */
function sharesOf(layer) {
  const values = layer.actions.map(([, value]) => value);
  const [low, high] = ["chance", "output"].includes(layer.what) ? [0, 1] : [Math.min(...values), Math.max(...values)];
  return values.map((value) => (high > low ? (value - low) / (high - low) : 1));
}

/** Return the shapes that show a layer on the board: beliefs, then arrows and values where the actions are. */
function overlay(layer, margin) {
  const shares = sharesOf(layer);
  const places = layer.actions.filter(([, , x]) => x !== undefined);
  const gaps = places.flatMap(([, , x, y], index) => places.slice(0, index).map(([, , otherX, otherY]) => Math.hypot(x - otherX, y - otherY)));
  const radius = Math.min(0.32, 0.48 * Math.min(...gaps));
  const squares = (layer.belief ?? []).map(([column, row, share]) =>
    svg("rect", { x: margin + column, y: margin + row, width: 1, height: 1, fill: "#e6b34d", "fill-opacity": 0.15 + 0.75 * share }, svg("title", {}, `probability ${percent(share)}`)),
  );
  const marks = layer.actions.map(([name, value, x, y, fromX, fromY], index) => {
    if (x === undefined) return null;
    const words = valueWords(layer, value);
    const fill = shade(shares[index]);
    const isStep = fromX !== undefined;
    const strength = layer.what === "chance" ? 0.15 + 0.85 * value : 1;
    const arrow = isStep ? arrowOf(fromX, fromY, x, y, fill, strength) : null;
    const ring = { cx: x, cy: y, r: radius, fill, stroke: "#222222", "stroke-width": 0.02, opacity: isStep ? 0.9 : 0.8 };
    const size = radius * Math.min(0.8, 3 / words.length);
    const ink = Math.abs(shares[index] - 0.5) > 0.3 ? "#ffffff" : "#222222";
    const number = svg("text", { x, y: y + size / 3, "font-size": size, "text-anchor": "middle", fill: ink, class: "mono" }, words);
    return svg("g", {}, arrow, svg("circle", ring), number, svg("title", {}, `${name}: ${words}`));
  });
  return [...squares, ...marks.filter(Boolean).reverse()];
}

/** Return an arrow between two places, in cells. */
export function arrowOf(fromX, fromY, x, y, stroke, opacity) {
  const [long, reach] = [Math.hypot(x - fromX, y - fromY), 0.3];
  const [dx, dy] = [(x - fromX) / long, (y - fromY) / long];
  const [tipX, tipY] = [x - 0.2 * dx, y - 0.2 * dy];
  const wing = (side) => `${tipX - reach * (dx + side * 0.6 * dy)},${tipY - reach * (dy - side * 0.6 * dx)}`;
  const shaft = svg("line", { x1: fromX, y1: fromY, x2: tipX, y2: tipY, stroke, "stroke-width": 0.12 });
  return svg("g", { opacity, class: "arrow" }, shaft, svg("polygon", { points: `${tipX},${tipY} ${wing(1)} ${wing(-1)}`, fill: stroke }));
}

/** Return the list of a layer's values beside the board. */
function listed(layer, played) {
  const shares = sharesOf(layer);
  const rows = layer.actions.map(([name, value], index) => {
    const bar = el("span", { class: "bar" });
    bar.style.width = `${0.2 + 6 * shares[index]}rem`;
    bar.style.background = shade(shares[index]);
    const words = `${valueWords(layer, value)}${name === played ? " (played)" : ""}`;
    return el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "number" }, words), el("td", {}, bar));
  });
  const squares = [...(layer.belief ?? [])].sort((a, b) => b[2] - a[2]).slice(0, 6);
  const places = squares.map(([column, row, share]) => `column ${column + 1}, row ${row + 1}: ${percent(share)}`).join("; ");
  const belief = squares.length ? el("p", { class: "note" }, `Where enemies may be: ${places}`) : null;
  return [el("p", { class: "note" }, [layer.by, layer.what].filter(Boolean).join(": ")), rows.length ? el("table", {}, el("tbody", {}, rows)) : null, belief];
}

/** Return the figure of a block `game`: the board, the moves, and the keys to go through them. */
export function game(block) {
  const { picture, show } = board(block, block.title);
  const frames = block.frames.map((frame) => frame.map((number) => block.shapes[number]));
  let at = 0, timer = null;
  const slider = el("input", { type: "range", min: 0, max: frames.length - 1, value: 0, "aria-label": "move", input: () => go(Number(slider.value)) });
  const caption = el("output", { class: "caption" });
  const moves = block.moves.map((move, number) => el("li", {}, button(move.words, () => go(number)), move.note ? el("span", { class: move.loss > 0 ? "loss" : "note" }, ` ${move.note}`) : null));
  const names = [...new Set(block.moves.flatMap((move) => Object.keys(layersOf(move))))].sort().reverse();
  let layerName = "";
  const beside = el("div", { class: "seen" });
  const layers = names.map((name) => button(name, () => { layerName = layerName === name ? "" : name; go(at); }));
  const look = () => {
    layers.forEach((each, index) => each.setAttribute("aria-pressed", names[index] === layerName));
    const layer = layersOf(block.moves[at])[layerName];
    if (layer) picture.append(...overlay(layer, block.margin));
    const none = layerName ? [el("p", { class: "note" }, "Nothing is known in this position.")] : [];
    beside.replaceChildren(...(layer ? listed(layer, block.moves[at].played) : none).filter(Boolean));
  };
  const go = (number) => {
    at = Math.min(Math.max(number, 0), frames.length - 1);
    show(frames[at]);
    look();
    slider.value = at;
    caption.textContent = [`${at} of ${frames.length - 1}`, block.moves[at].words, block.moves[at].note].filter(Boolean).join(" · ");
    moves.forEach((move, index) => move.classList.toggle("now", index === at));
    const list = moves[at].parentElement;
    if (list) list.scrollTop = moves[at].offsetTop - list.offsetTop - list.clientHeight / 2;
  };
  const stop = () => { clearInterval(timer); timer = null; play.textContent = "play"; };
  const step = () => (at < frames.length - 1 ? go(at + 1) : stop());
  const play = button("play", () => {
    if (timer) return stop();
    if (at === frames.length - 1) go(0);
    timer = setInterval(step, 1000 * SECONDS);
    play.textContent = "stop";
  });
  const moved = (by) => () => { stop(); go(at + by); };
  const controls = el("div", { class: "controls" }, button("«", () => { stop(); go(0); }, { "aria-label": "first position" }), button("‹", moved(-1), { "aria-label": "move back" }), play, button("›", moved(1), { "aria-label": "next move" }), button("»", () => { stop(); go(frames.length - 1); }, { "aria-label": "last position" }), slider);
  const keys = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by && event.target !== slider) { event.preventDefault(); moved(by)(); }
  };
  go(0);
  const source = () => { const { width, height } = picture.getBoundingClientRect(); return { source: svgSource(picture), width, height }; };
  const rows = () => [["ply", "move", "note"], ...block.moves.map((move, ply) => [ply, move.words, move.note])];
  return el("figure", { class: "game", keydown: keys }, el("figcaption", {}, block.title), el("div", { class: "players" }, block.players.map((name, seat) => el("span", { class: `seat-${seat}` }, name))), el("div", { class: "beside" }, el("div", {}, picture, controls, layers.length ? el("div", { class: "controls" }, layers) : null, caption, beside), el("ol", { class: "moves", start: 0 }, moves)), savers(block.name, source, rows));
}
