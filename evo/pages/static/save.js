// Files that readers save: pictures as SVG and PNG, numbers as CSV.
import { button, el, svg } from "./dom.js";

/** Save a text or a blob as a file. */
export function saveFile(name, content, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Return rows as CSV. Texts that a spreadsheet would run as formulas begin with an apostrophe. */
export function csv(rows) {
  const cell = (value) => {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return String(value);
    const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** Return the source of an SVG element with the colours that the page gives it. */
export function svgSource(picture) {
  const copy = picture.cloneNode(true);
  const own = [picture, ...picture.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((node, index) => {
    const style = getComputedStyle(own[index]);
    for (const name of ["fill", "stroke", "font-size", "font-family", "text-anchor"]) {
      if (!node.hasAttribute(name) || node.hasAttribute("class")) node.setAttribute(name, style.getPropertyValue(name));
    }
    node.removeAttribute("class");
  });
  const { width, height } = picture.getBoundingClientRect();
  const paper = getComputedStyle(picture).backgroundColor;
  if (paper !== "rgba(0, 0, 0, 0)") copy.prepend(svg("rect", { width: "100%", height: "100%", fill: paper }));
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", Math.round(width));
  copy.setAttribute("height", Math.round(height));
  return new XMLSerializer().serializeToString(copy);
}

/** Return an SVG source as a PNG, in twice its size, on a background. */
function png(source, width, height, background) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      const canvas = el("canvas", { width: 2 * width, height: 2 * height });
      const context = canvas.getContext("2d");
      context.fillStyle = background;
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(resolve, "image/png");
    };
    image.onerror = () => reject(new Error("the picture cannot be drawn"));
    image.src = URL.createObjectURL(new Blob([source], { type: "image/svg+xml" }));
  });
}

/**
 * Return the buttons that save a figure.
 * picture() returns an SVG source and its size; rows() the numbers with their titles.
 */
export function savers(name, picture, rows) {
  const background = () => getComputedStyle(document.body).backgroundColor;
  return el(
    "div",
    { class: "savers" },
    picture && button("SVG", () => saveFile(`${name}.svg`, picture().source, "image/svg+xml"), { title: "Save the picture as SVG" }),
    picture &&
      button("PNG", async () => {
        const { source, width, height } = picture();
        saveFile(`${name}.png`, await png(source, width, height, background()));
      }, { title: "Save the picture as PNG" }),
    rows && button("CSV", () => saveFile(`${name}.csv`, csv(rows()), "text/csv"), { title: "Save the numbers as CSV" }),
  );
}
