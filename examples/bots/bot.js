// A bot in JavaScript: any legal action, each as likely as the others. See docs/bots.md.
"use strict";
const lines = require("readline").createInterface({ input: process.stdin });

let seed = 0;

function below(limit) {
  // mulberry32: Math.random takes no seed, so games could not be played again
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
}

lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "game") {
    seed = message.seed | 0;
  } else if (message.type === "move") {
    const action = message.legal[below(message.legal.length)];
    console.log(JSON.stringify({ action }));
  }
});
