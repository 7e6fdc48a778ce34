"use strict";
// Code shared by the pages. Text is inserted only as text, never as markup.
const data = JSON.parse(document.getElementById("data").textContent);

const byId = (id) => document.getElementById(id);

function html(name, parent, text, className) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  parent.append(element);
  return element;
}

function svg(name, parent, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) {
    const value = attributes[key];
    element.setAttribute(key, typeof value === "number" ? Math.round(value * 10) / 10 : value);
  }
  if (text !== undefined) element.textContent = text;
  if (parent) parent.append(element);
  return element;
}

function newPlot(id, width, height, label) {
  const box = byId(id);
  box.replaceChildren();
  return svg("svg", box, {width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label});
}

/// Shows why there is no plot.
function noPlot(id, reason) {
  byId(id).replaceChildren();
  html("p", byId(id), reason);
}

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const percent = (share, digits = 2) => share === null ? "–" : `${(100 * share).toFixed(digits)} %`;

/// A number or a word as shown on an axis or in the table.
function short(value) {
  if (typeof value !== "number") return value;
  if (value !== 0 && Math.abs(value) < 1e-3) return Number(value.toPrecision(3)).toExponential();
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(3)));
}

/// The unit of time for this many seconds.
function timeUnit(seconds) {
  return seconds < 180 ? {size: 1, name: "s"} : seconds < 10800 ? {size: 60, name: "min"} : {size: 3600, name: "h"};
}
function duration(seconds) {
  const unit = timeUnit(seconds);
  return `${(seconds / unit.size).toFixed(1)} ${unit.name}`;
}

const pen = document.createElement("canvas").getContext("2d");
function textWidth(text, size, weight = 400) {
  pen.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}
/// Text shortened to this width with an ellipsis.
function fitted(text, size, width, weight = 400) {
  if (textWidth(text, size, weight) <= width) return text;
  let length = text.length;
  while (length > 1 && textWidth(text.slice(0, length) + "…", size, weight) > width) --length;
  return text.slice(0, length) + "…";
}

/// About `count` round numbers between two.
function roundNumbers(from, to, count) {
  const rough = (to - from) / count;
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const numbers = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * step; ++i) {
    numbers.push(Number((i * step).toPrecision(12)));
  }
  return numbers;
}

/// The range of all scores, with a margin; never empty. Scores that differ only by rounding of sums count as equal.
function scoreRange(scores) {
  const least = Math.min(...scores), largest = Math.max(...scores);
  const most = largest - least > 1e-9 ? largest : least;
  const room = most > least ? 0.04 * (most - least) : 0.01;
  return {least, most, from: least - room, to: most + room};
}
/// Percentages at round numbers, with enough digits to distinguish them.
function scoreTicks(range, count) {
  const numbers = roundNumbers(100 * range.from, 100 * range.to, count);
  const step = numbers.length > 1 ? numbers[1] - numbers[0] : 1;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return numbers.map((number) => ({score: number / 100, text: `${number.toFixed(digits)} %`}));
}

/// The boxes at the top of a page: pairs of a name and a text.
function drawFacts(facts) {
  for (const [name, text] of facts) {
    const box = html("div", byId("facts"));
    html("dt", box, name);
    html("dd", box, text);
  }
}

/// Draws now, and again when the window changes its width.
function drawAtAnyWidth(draw) {
  draw();
  let lastWidth = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === lastWidth) return;
    lastWidth = window.innerWidth;
    requestAnimationFrame(draw);
  });
}
