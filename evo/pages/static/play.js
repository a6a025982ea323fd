// Games against players: the server knows the rules, this page draws positions and sends actions.
import { button, el, svg } from "./dom.js";
import { board, drawn } from "./board.js";
import { saveFile } from "./save.js";
import { KINDS } from "./blocks.js";
import { fetched } from "./live.js";

const WAIT = 300; // milliseconds between two looks whether the opponent has moved
const REACH = 0.75; // distance from a place within which a click counts, in cells of the board
const FINGER = 14; // and at least so many pixels

const post = (address, content) =>
  fetched(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content) });

/** Return the element of a block `choose`: game, options, opponent, seat and seed of a new game. */
function choose(block) {
  const pick = (label, input) => el("label", {}, el("span", {}, label), input);
  const options = (select, names) => select.replaceChildren(...names.map((name) => el("option", { value: name }, name)));
  const game = el("select", { change: () => offer() }, block.games.map((name) => el("option", { value: name }, name)));
  const more = el("input", { placeholder: "rows=2,cols=2", change: () => offer() });
  const opponent = el("select");
  const seat = el("select");
  const seed = el("input", { type: "number", min: 0, value: 1 });
  const words = el("p", { class: "note", role: "status" });
  const spec = () => (more.value.trim() ? `${game.value}:${more.value.trim()}` : game.value);
  const offer = async (wanted = "") => {
    try {
      const found = await fetched(`play/offers?game=${encodeURIComponent(spec())}`);
      options(opponent, found.opponents);
      options(seat, ["any seat", ...found.seats]);
      opponent.value = found.opponents.includes(wanted) ? wanted : found.strongest;
      more.placeholder = Object.entries(found.options).map(([name, value]) => `${name}=${value}`).join(",") || "no options";
      words.textContent = found.summary;
    } catch (error) {
      words.textContent = error.message;
    }
  };
  const begin = async (event) => {
    event.preventDefault();
    try {
      const { to } = await post("play/new", { game: spec(), opponent: opponent.value, seat: seat.value, seed: Number(seed.value) });
      location.href = to;
    } catch (error) {
      words.textContent = error.message;
    }
  };
  const [name, ...rest] = block.given.game.split(":");
  if (block.games.includes(block.given.game)) game.value = block.given.game;
  else if (block.games.includes(name)) [game.value, more.value] = [name, rest.join(":")];
  offer(block.given.opponent);
  return el("form", { class: "choose", submit: begin }, pick("game", game), pick("options", more), pick("opponent", opponent), pick("your seat", seat), pick("seed", seed), el("button", { type: "submit" }, "begin"), words);
}

/** Return the element of a block `play`: the board, the moves, and what a person can do. */
function play(block) {
  let state = block.state;
  let chosen = []; // places that were clicked and do not yet name a move
  let isShown = false; // whether the moves of a search are shown
  const at = block.at;
  const holder = el("div", { class: "table" });
  const status = el("p", { class: "status", role: "status", "aria-live": "polite" });
  const list = el("div", { class: "choices", role: "group", "aria-label": "legal moves" });
  const said = el("pre", { class: "said" });
  const rounds = el("pre", { class: "said rounds" });
  const log = el("ol", { class: "moves", "aria-label": "moves so far" });
  const filter = el("input", { type: "search", placeholder: "filter moves", "aria-label": "filter moves", input: () => choices() });
  const words = el("input", { "aria-label": "change of the position", placeholder: "edit, such as 2:3 4:3" });
  let picture = null;

  const key = ([x, y]) => `${x},${y}`;
  const send = async (action, more = {}) => {
    try {
      state = await post(`${at}/${action}`, { ply: state.ply, ...more });
    } catch (error) {
      try {
        const answer = JSON.parse(error.message);
        state = answer.state;
        state.note = answer.error;
      } catch {
        state.note = error.message;
      }
    }
    chosen = [];
    show();
  };
  const move = (each) => send("move", { action: each.action });

  /** The moves that change all chosen places. */
  const fitting = (spots) => state.moves.filter((each) => spots.every((spot) => each.spots.some((other) => key(other) === key(spot))));

  /** Choose the place nearest to a point: play the move that it names, or wait for another place. */
  function press(point, reach) {
    const spots = new Map(state.moves.flatMap((each) => each.spots.map((spot) => [key(spot), spot])));
    const far = (spot) => Math.hypot(spot[0] - point[0], spot[1] - point[1]);
    const near = [...spots.values()].filter((spot) => far(spot) <= reach).sort((a, b) => far(a) - far(b));
    if (!near.length) {
      chosen = [];
      return show();
    }
    const again = chosen.findIndex((spot) => key(spot) === key(near[0]));
    if (again >= 0) chosen.splice(again, 1);
    else chosen.push(near[0]);
    if (!fitting(chosen).length && !state.search) chosen = [near[0]];
    const found = fitting(chosen);
    const isWhole = (each) => each.spots.length === chosen.length;
    const one = state.search ? found.find(isWhole) : found.length === 1 ? found[0] : null;
    if (one && chosen.length) return move(one);
    show();
  }

  function paint(preview = null) {
    const shapes = state.frame.map((number) => state.shapes[number]);
    picture.show(shapes);
    const marks = [];
    const hinted = state.moves.find((each) => each.action === state.hint);
    const mark = (spot, kind) => marks.push(svg("circle", { cx: spot[0], cy: spot[1], r: 0.28, class: kind }));
    if (!state.search || isShown) for (const each of state.moves) each.spots.forEach((spot) => mark(spot, "spot"));
    hinted?.spots.forEach((spot) => mark(spot, "hinted"));
    chosen.forEach((spot) => mark(spot, "chosen"));
    if (preview) {
      const ghost = svg("g", { class: "ghost" }, preview.new.map((number) => drawn(state.shapes[number])));
      picture.picture.append(ghost);
    }
    picture.picture.append(...marks);
  }

  function choices() {
    const wanted = filter.value.toLowerCase();
    const all = chosen.length && !state.search ? fitting(chosen) : state.moves;
    const kept = state.search && !isShown ? [] : all.filter((each) => each.name.toLowerCase().includes(wanted));
    filter.hidden = state.moves.length < 13;
    list.replaceChildren(
      ...kept.slice(0, 120).map((each) => {
        const show = () => paint(each);
        return button(each.name, () => move(each), { class: each.action === state.hint ? "hinted" : null, focus: show, pointerenter: show, pointerleave: () => paint() });
      }),
    );
  }

  const keys = (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const buttons = [...list.children];
    const place = buttons.indexOf(document.activeElement);
    if (!by || place < 0) return;
    event.preventDefault();
    buttons[(place + by + buttons.length) % buttons.length].focus();
  };
  list.addEventListener("keydown", keys);

  const actions = {
    hint: button("hint", () => send("hint")),
    undo: button("undo", () => send("undo")),
    swap: button("swap seats", () => send("swap")),
    resign: button("resign", () => send("resign")),
    moves: button("show moves", () => { isShown = !isShown; show(); }),
    record: button("save record", async () => saveFile("game.json", JSON.stringify(await fetched(`${at}/record`)), "application/json")),
    again: button("new game", () => (location.href = `../play?game=${encodeURIComponent(block.game)}`)),
  };

  function show() {
    if (!picture || picture.size !== `${state.width},${state.height}`) {
      picture = board(state, `board of ${block.game}`);
      picture.size = `${state.width},${state.height}`;
      picture.picture.addEventListener("click", (event) => {
        const corner = picture.picture.createSVGPoint();
        [corner.x, corner.y] = [event.clientX, event.clientY];
        const matrix = picture.picture.getScreenCTM();
        const { x, y } = corner.matrixTransform(matrix.inverse());
        press([x, y], Math.max(REACH, FINGER / matrix.a));
      });
      holder.replaceChildren(picture.picture);
    }
    picture.picture.querySelector("title")?.remove();
    picture.picture.setAttribute("aria-description", state.text);
    paint();
    choices();
    const whose = state.seats.map((seat, number) => `${seat}: ${state.names[number]}`).join(", ");
    const turn = state.over ? state.result : state.thinking ? "the opponent thinks…" : `your move as ${state.seats[state.seat]}`;
    status.textContent = `${turn} — ${whose}`;
    said.textContent = state.note;
    rounds.textContent = [block.payoffs, state.rounds].filter(Boolean).join("\n\n");
    log.replaceChildren(...state.plies.map((ply) => el("li", {}, ply)));
    log.scrollTop = log.scrollHeight;
    const isMine = !state.over && !state.thinking;
    actions.hint.disabled = actions.resign.disabled = !isMine;
    actions.swap.disabled = state.over || state.thinking;
    actions.undo.disabled = !state.undo || state.thinking;
    actions.moves.hidden = !state.search;
    actions.moves.textContent = isShown ? "hide moves" : "show moves";
    if (state.thinking) setTimeout(async () => { state = await fetched(`${at}/state`); show(); }, WAIT);
  }

  const edit = block.edits
    ? el("form", { class: "edit", submit: (event) => { event.preventDefault(); send("edit", { words: words.value }); } }, words, el("button", { type: "submit" }, "edit"))
    : null;
  show();
  return el("figure", { class: "game play" }, status, el("div", { class: "beside" }, el("div", {}, holder, el("div", { class: "controls" }, Object.values(actions)), edit, said), el("div", {}, filter, list, rounds, log)));
}

Object.assign(KINDS, { choose, play });
