// Elements and numbers. Texts become text nodes and never markup.

const SVG = "http://www.w3.org/2000/svg";

/** Return an element with attributes and children. Functions among the attributes listen: {click}. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Return an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** Return a value of a table or of facts as a node: links lead to another place. */
export function node(value, form = "") {
  const text = document.createTextNode(shown(plainValue(value), form));
  return value?.to === undefined ? text : el("a", { href: value.to }, text);
}

/** Return a value without its link. */
export const plainValue = (value) => (value?.to === undefined ? value : value.text);

/** Return a number in the format of its column: "d" whole numbers, "%" shares, "g" others. */
export function shown(value, form) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  if (form === "time") return new Date(1000 * value).toLocaleString("sv").slice(0, 16);
  if (form === "%") return percent(value);
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return Number(value.toPrecision(4)).toLocaleString("en", { maximumSignificantDigits: 4 });
}

/** Return a share in percent; shares near 0% and 100% keep the digits that tell them apart. */
export function percent(share) {
  const rest = Math.abs(Math.min(share, 1 - share));
  const digits = share === 0 || share === 1 ? 0 : rest < 0.0001 ? 4 : rest < 0.01 ? 2 : 1;
  return `${(100 * share).toFixed(digits)}%`;
}

/** Return a button. */
export function button(label, click, attributes = {}) {
  return el("button", { type: "button", click, ...attributes }, label);
}

/** Return the value of a colour of the style sheet, such as "--ink". */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export const LINES = ["--line-1", "--line-2", "--line-3", "--line-4", "--line-5", "--line-6", "--line-7"];
