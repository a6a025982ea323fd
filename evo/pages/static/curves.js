// Charts of lines, drawn by uPlot. The values under the pointer stand in the legend.
import { LINES, colour, el, percent, shown, svg } from "./dom.js";
import { savers, svgSource } from "./save.js";

const SHARES = [0.0001, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999];
const NEAREST = 0.0005; // shares of 0 and 1 have no finite odds and are drawn at this distance

const LETTERS = 18; // height of a tick's label in pixels

const logOdds = (share) => {
  const inside = Math.min(Math.max(share, NEAREST), 1 - NEAREST);
  return Math.log(inside / (1 - inside));
};

/** Return the figure of a block `curves`. */
export function curves(block) {
  const byOdds = block.scale === "odds";
  const height = (value) => (value === null ? null : byOdds ? logOdds(value) : value);
  const joined = (lines) => {
    const tables = lines.map((line) => {
      const ends = line.low ? [line.low, line.high] : [];
      return [line.x, ...[line.y, ...ends].map((values) => values.map(height))];
    });
    return uPlot.join(tables, tables.map((table) => table.map(() => 2)));
  };
  const isShare = block.scale !== "plain";
  const form = (value) => (value === null || value === undefined ? "–" : isShare ? percent(byOdds ? 1 / (1 + Math.exp(-value)) : value) : shown(value, "g"));
  const holder = el("div", { class: "chart" });
  const chart = new uPlot(options(block, holder, form, byOdds), joined(block.lines), holder);
  const resize = () => chart.setSize(size(holder));
  new ResizeObserver(() => Math.abs(chart.width - size(holder).width) > 1 && resize()).observe(holder);
  document.addEventListener("themechange", () => chart.redraw());
  const rows = () => {
    const titles = ["line", block.axes[0], block.axes[1], "low", "high"];
    return [titles, ...block.lines.flatMap((line) => line.x.map((x, row) => [line.name, x, line.y[row], line.low?.[row], line.high?.[row]]))];
  };
  const picture = () => ({ source: svgSource(redrawn(chart, block, holder)), width: chart.width, height: chart.height + 20 * block.lines.length });
  const figure = el("figure", {}, el("figcaption", {}, block.title), holder, block.note && el("p", { class: "note" }, block.note), savers(block.name, picture, rows));
  const form_of = (one) => JSON.stringify([one.kind, one.title, one.axes, one.scale, one.lines?.map((line) => [line.name, !line.low])]);
  /** Take the new values of the same lines; a part that is enlarged stays so. */
  figure.update = (next) => {
    if (form_of(next) !== form_of(block)) return false;
    const [x] = chart.data;
    const isWhole = chart.scales.x.min <= x[0] && chart.scales.x.max >= x[x.length - 1];
    block.lines = next.lines;
    chart.setData(joined(next.lines), isWhole);
    if (!isWhole) chart.redraw();
    return true;
  };
  return figure;
}

function size(holder) {
  const width = Math.max(280, holder.clientWidth || 640);
  return { width, height: Math.round(Math.min(380, Math.max(240, width * 0.5))) };
}

function options(block, holder, form, byOdds) {
  const series = [{ label: block.axes[0], value: (_, x) => shown(x, "d") || "–" }];
  const bands = [];
  block.lines.forEach((line, index) => {
    const stroke = () => colour(LINES[index % LINES.length]);
    const dash = line.dashed ? [6, 4] : undefined;
    const few = line.x.length < 40;
    series.push({ label: line.name, stroke, dash, width: 2, spanGaps: true, points: { show: few, size: 5 }, value: (_, y) => form(y) });
    if (!line.low) return;
    const place = series.length;
    const edge = { spanGaps: true, points: { show: false }, width: 0, stroke: "transparent", class: "u-hidden" };
    series.push({ ...edge, label: `${line.name} low` }, { ...edge, label: `${line.name} high` });
    bands.push({ series: [place + 1, place], fill: () => `${stroke()}33` });
  });
  const grid = { stroke: () => colour("--grid"), width: 1 };
  const axis = { stroke: () => colour("--ink"), grid, ticks: grid, font: "12px system-ui, sans-serif" };
  const vertical = { ...axis, label: block.axes[1], labelSize: 22, size: 62, values: (_, ticks) => ticks.map(form) };
  if (byOdds) vertical.splits = (chart, _, low, high) => apart(SHARES.map(logOdds).filter((tick) => tick >= low && tick <= high), (high - low) / (chart.bbox.height / devicePixelRatio / LETTERS));
  return {
    ...size(holder),
    series,
    bands,
    hooks: { setScale: [(chart, name) => name === "x" && (holder.dataset.range = `${chart.scales.x.min} ${chart.scales.x.max}`)] },
    scales: { x: { time: false }, y: block.scale === "share" ? { range: [-0.02, 1.02] } : {} },
    axes: [{ ...axis, label: block.axes[0], labelSize: 22, values: (_, ticks) => ticks.map((tick) => shown(tick, "g")) }, vertical],
    cursor: { drag: { x: true, y: false } },
    legend: { live: true },
  };
}

/** Return ticks with a least distance, the one nearest to a half first. */
function apart(ticks, least) {
  const kept = [];
  for (const tick of [...ticks].sort((a, b) => Math.abs(a) - Math.abs(b))) {
    if (kept.every((other) => Math.abs(other - tick) >= least)) kept.push(tick);
  }
  return kept.sort((a, b) => a - b);
}

/** Return the chart as an SVG picture: the same lines, bands, ticks and labels. */
function redrawn(chart, block, holder) {
  const place = (x, y) => `${chart.valToPos(x, "x").toFixed(1)},${chart.valToPos(y, "y").toFixed(1)}`;
  const box = chart.over;
  const [left, top] = [box.offsetLeft, box.offsetTop];
  const inside = svg("g", { transform: `translate(${left},${top})` });
  const frame = { x: 0, y: 0, width: box.clientWidth, height: box.clientHeight, fill: "none", stroke: colour("--grid") };
  inside.append(svg("rect", frame));
  const write = (text, x, y, anchor, fill = colour("--ink")) => svg("text", { x, y, "text-anchor": anchor, fill, "font-size": 12, "font-family": "sans-serif" }, text);
  let series = 1;
  block.lines.forEach((line, index) => {
    const stroke = colour(LINES[index % LINES.length]);
    const points = (values) => chart.data[0].map((x, row) => [x, values[row]]).filter(([, y]) => y !== null && y !== undefined);
    const path = (pairs) => pairs.map(([x, y]) => place(x, y)).join(" ");
    if (line.low) {
      const [low, high] = [points(chart.data[series + 1]), points(chart.data[series + 2])];
      inside.append(svg("polygon", { points: path([...low, ...high.reverse()]), fill: stroke, "fill-opacity": 0.2, stroke: "none" }));
    }
    inside.append(svg("polyline", { points: path(points(chart.data[series])), fill: "none", stroke, "stroke-width": 2, "stroke-dasharray": line.dashed ? "6 4" : null }));
    inside.append(write(line.name, 0, box.clientHeight + 58 + 18 * index, "start", stroke));
    series += line.low ? 3 : 1;
  });
  chart.axes.forEach((axis, side) => {
    const ticks = axis._splits ?? [];
    const labels = axis.values(chart, ticks);
    ticks.forEach((tick, index) => {
      const at = chart.valToPos(tick, side ? "y" : "x");
      if (at < 0 || at > (side ? box.clientHeight : box.clientWidth)) return;
      inside.append(side ? write(labels[index], -6, at + 4, "end") : write(labels[index], at, box.clientHeight + 16, "middle"));
    });
  });
  inside.append(write(block.axes[0], box.clientWidth / 2, box.clientHeight + 36, "middle"));
  inside.append(write(`${block.title} (${block.axes[1]})`, 0, -6, "start"));
  const tall = top + box.clientHeight + 60 + 18 * block.lines.length;
  const picture = svg("svg", { viewBox: `0 0 ${chart.width} ${tall}`, width: chart.width, height: tall, class: "hidden" }, inside);
  holder.append(picture); // computed colours need a place in the page
  setTimeout(() => picture.remove());
  return picture;
}
