// Boards from the shapes that a game draws, and games that are played back move by move.
import { button, el, svg } from "./dom.js";
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

/** Return the figure of a block `game`: the board, the moves, and the keys to go through them. */
export function game(block) {
  const { picture, show } = board(block, block.title);
  const frames = block.frames.map((frame) => frame.map((number) => block.shapes[number]));
  let at = 0, timer = null;
  const slider = el("input", { type: "range", min: 0, max: frames.length - 1, value: 0, "aria-label": "move", input: () => go(Number(slider.value)) });
  const caption = el("output", { class: "caption" });
  const moves = block.moves.map((move, number) => el("li", {}, button(move.words, () => go(number)), move.note ? el("span", { class: move.loss > 0 ? "loss" : "note" }, ` ${move.note}`) : null));
  const go = (number) => {
    at = Math.min(Math.max(number, 0), frames.length - 1);
    show(frames[at]);
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
  return el("figure", { class: "game", keydown: keys }, el("figcaption", {}, block.title), el("div", { class: "players" }, block.players.map((name, seat) => el("span", { class: `seat-${seat}` }, name))), el("div", { class: "beside" }, el("div", {}, picture, controls, caption), el("ol", { class: "moves", start: 0 }, moves)), savers(block.name, source, rows));
}
