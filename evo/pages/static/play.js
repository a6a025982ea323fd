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
  const start = el("button", { type: "submit", disabled: true }, "begin");
  const offer = async (wanted = "") => {
    start.disabled = true; // until the opponents are those of the game
    const asked = spec();
    try {
      const found = await fetched(`play/offers?game=${encodeURIComponent(asked)}`);
      if (asked !== spec()) return; // another game was chosen since
      options(opponent, found.opponents);
      options(seat, ["any seat", ...found.seats]);
      opponent.value = found.opponents.includes(wanted) ? wanted : found.strongest;
      more.placeholder = Object.entries(found.options).map(([name, value]) => `${name}=${value}`).join(",") || "no options";
      words.textContent = found.summary;
      start.disabled = false;
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
  return el("form", { class: "choose", submit: begin }, pick("game", game), pick("options", more), pick("opponent", opponent), pick("your seat", seat), pick("seed", seed), start, words);
}

/** Return the element of a block `play`: the board, the moves, and what a person can do. */
function play(block) {
  let state = block.state;
  let chosen = []; // places that were clicked and do not yet name a move
  let isShown = false; // whether the moves of a search are shown
  let isEditing = false; // whether a click on the board changes the position
  const at = block.at;
  const holder = el("div", { class: "table" });
  const status = el("p", { class: "status", role: "status", "aria-live": "polite" });
  const list = el("div", { class: "choices", role: "group", "aria-label": "legal moves" });
  const said = el("pre", { class: "said" });
  const rounds = el("pre", { class: "said rounds" });
  const log = el("ol", { class: "moves", "aria-label": "moves so far" });
  const filter = el("input", { type: "search", placeholder: "filter moves", "aria-label": "filter moves", input: () => choices() });
  const words = el("input", { "aria-label": "change of the position", placeholder: "edit, such as 2:3 4:3" });
  let hadFocus = false; // whether the keyboard was in the list of moves, and returns to it
  let picture = null;
  let shown = null; // the move whose position is previewed under the pointer

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
    shown = null;
    show();
  };
  const move = (each) => send("move", { action: each.action });

  /** The moves that change all chosen places. */
  const fitting = (spots) => state.moves.filter((each) => spots.every((spot) => each.spots.some((other) => key(other) === key(spot))));

  /** Return the place nearest to a point that is within reach. */
  const nearest = (spots, point, reach) => {
    const far = (spot) => Math.hypot(spot[0] - point[0], spot[1] - point[1]);
    return spots.filter((spot) => far(spot) <= reach).sort((a, b) => far(a) - far(b))[0];
  };
  const target = (each) => each.spots.at(-1);
  const isAt = (spot, other) => key(spot) === key(other);

  /** Choose a place, and return the move that the chosen places name: one that ends there. */
  function named(spot) {
    const again = chosen.findIndex((other) => isAt(other, spot));
    if (state.search && again >= 0) chosen = chosen.toSpliced(again, 1);
    else if (state.search || fitting([...chosen, spot]).length) chosen = [...chosen, spot];
    else chosen = [spot];
    const found = fitting(chosen);
    if (state.search) return found.find((each) => each.spots.length === chosen.length);
    const ending = found.filter((each) => each.spots.length && chosen.some((other) => isAt(target(each), other)));
    const isNamed = ending.length === 1 && (found.length === 1 || ending[0].spots.length === chosen.length);
    return isNamed ? ending[0] : null;
  }

  function press(point, reach) {
    if (isEditing) {
      const spot = nearest(state.edits.map((each) => each.spot), point, reach);
      const edited = spot && state.edits.find((each) => isAt(each.spot, spot));
      return edited && send("edit", { words: edited.words });
    }
    const spot = nearest(state.moves.flatMap((each) => each.spots), point, reach);
    if (!spot) chosen = [];
    const one = spot && named(spot);
    if (one) return move(one);
    show();
  }

  /** Show the position after the move that a press at a point would play. */
  function hover(point, reach) {
    if (isEditing || state.search) return;
    const before = chosen;
    const spot = nearest(state.moves.flatMap((each) => each.spots), point, reach);
    const one = spot && named(spot);
    chosen = before;
    if (one !== shown) paint((shown = one));
  }

  function paint(preview = null) {
    const gone = new Set(preview?.gone);
    picture.show(state.frame.filter((number) => !gone.has(number)).map((number) => state.shapes[number]));
    const marks = [];
    const hinted = state.moves.find((each) => each.action === state.hint);
    const mark = (spot, kind) => marks.push(svg("circle", { cx: spot[0], cy: spot[1], r: kind === "spot" ? 0.07 : 0.28, class: kind }));
    const open = isEditing ? [] : state.search ? (isShown ? state.moves : []) : fitting(chosen);
    const places = open.flatMap((each) => each.spots);
    new Map(places.map((spot) => [key(spot), spot])).forEach((spot) => mark(spot, "spot"));
    hinted?.spots.forEach((spot) => mark(spot, "hinted"));
    chosen.forEach((spot) => mark(spot, "chosen"));
    if (preview) {
      const ghost = svg("g", { class: "ghost" }, preview.new.map((number) => drawn(state.shapes[number])));
      picture.picture.append(ghost);
      preview.spots.forEach((spot) => mark(spot, "chosen"));
    }
    picture.picture.append(...marks);
  }

  function choices() {
    const wanted = filter.value.toLowerCase();
    const all = chosen.length && !state.search ? fitting(chosen) : state.moves;
    const kept = state.search && !isShown ? [] : all.filter((each) => each.name.toLowerCase().includes(wanted));
    filter.hidden = state.moves.length < 13;
    hadFocus ||= list.querySelector(":focus-visible") !== null;
    list.replaceChildren(
      ...kept.slice(0, 120).map((each) => {
        const show = () => paint(each);
        return button(each.name, () => move(each), { class: each.action === state.hint ? "hinted" : null, focus: show, blur: () => paint(), pointerenter: show, pointerleave: () => paint() });
      }),
    );
    if (hadFocus && list.firstChild) {
      list.firstChild.focus();
      hadFocus = false;
    }
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
      const at = (use) => (event) => {
        const matrix = picture.picture.getScreenCTM();
        const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
        use([x, y], Math.max(REACH, FINGER / matrix.a));
      };
      picture.picture.addEventListener("click", at(press));
      picture.picture.addEventListener("pointermove", at(hover));
      picture.picture.addEventListener("pointerleave", () => { if (shown) paint((shown = null)); });
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
    editing.setAttribute("aria-pressed", isEditing);
    actions.moves.hidden = !state.search;
    actions.moves.textContent = isShown ? "hide moves" : "show moves";
    if (state.thinking) setTimeout(async () => { state = await fetched(`${at}/state`); show(); }, WAIT);
  }

  const editing = button("edit on the board", () => { isEditing = !isEditing; chosen = []; show(); });
  const edit = block.edits
    ? el("form", { class: "edit", submit: (event) => { event.preventDefault(); send("edit", { words: words.value }); } }, words, el("button", { type: "submit" }, "edit"), editing)
    : null;
  show();
  return el("figure", { class: "game play" }, status, el("div", { class: "beside" }, el("div", {}, holder, el("div", { class: "controls" }, Object.values(actions)), edit, said), el("div", {}, filter, list, rounds, log)));
}

Object.assign(KINDS, { choose, play });
