// What the sections are put together from. Text from outside only ever becomes text, never markup.

const data = JSON.parse(document.getElementById("data").textContent);

const whole = d3.format(",d");
const oneDigit = d3.format(".1f");
const signed = d3.format("+.1f");
const percent = value => `${oneDigit(value)} %`;
const digits = value => String(Number(value.toPrecision(3)));

// A class has a colour and a shape; both differ for up to seven classes, the pair of them for up to 56.
const shapes = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross, d3.symbolStar,
  d3.symbolWye];
const classColor = index => `var(--class-${index % 8})`;
const classSymbol = (index, size) => d3.symbol().type(shapes[index % shapes.length]).size(size)();

// element("p", {class: "soft"}, "text", otherElement)
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter(child => child !== null && child !== undefined && child !== ""));
  return made;
}

const paragraph = (text, kind) => element("p", kind ? {class: kind} : {}, text);

// What the page would say, had it the data: [{title, children}].
const leftOut = [];

// A section of the page and its entry in the contents. One that says no more than what is missing is left out.
function section(id, title, ...children) {
  const parts = children.flat(2).filter(part => part);
  if (parts.length > 0 && parts.every(part => part.classList?.contains("missing"))) {
    leftOut.push({title, parts});
    return null;
  }
  document.getElementById("contents").append(element("li", {}, element("a", {href: `#${id}`}, title)));
  const made = element("section", {id, "aria-labelledby": `${id}-title`}, element("h2", {id: `${id}-title`}, title), ...children);
  document.getElementById("content").append(made);
  return made;
}

// Says what is not there and which command brings it.
function missing(text, command) {
  return element("p", {class: "missing"}, text, command ? " " : "", command ? element("code", {}, command) : "");
}

// Columns: {title, text: whether it is text, value: row => string or element}. Rows may have `own`.
function table(caption, columns, rows) {
  return element("div", {class: "scroll"},
    element("table", {}, caption ? element("caption", {}, caption) : "",
      element("thead", {}, element("tr", {},
        columns.map(column => element("th", {scope: "col", class: column.text ? "text" : false}, column.title)))),
      element("tbody", {}, rows.map(row => element("tr", {class: row.own ? "own" : false},
        columns.map(column => element("td", {class: column.text ? "text" : false}, column.value(row))))))));
}

const folded = (title, ...children) => element("details", {}, element("summary", {}, title), ...children);

function facts(entries) {
  return element("dl", {class: "facts"}, entries.filter(entry => entry).map(([name, value, more]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value, more ? element("small", {}, more) : ""))));
}

const legendSymbol = index => {
  const holder = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  d3.select(holder).attr("viewBox", "-9 -9 18 18").attr("aria-hidden", "true").append("path")
    .attr("class", "mark").attr("d", classSymbol(index, 110)).attr("fill", classColor(index));
  return holder;
};

function classLegend(names, used) {
  return element("ul", {class: "legend", "aria-label": "Classes"},
    used.map(index => element("li", {}, legendSymbol(index), shortened(names[index], 40))));
}

const counted = (number, noun) => `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;

const shortened = (text, length) => text.length > length ? `${text.slice(0, Math.max(1, Math.floor(length) - 1))}…` : text;

const hasInterval = row => row.low !== undefined;
const intervalText = row => hasInterval(row) ? `${oneDigit(row.low)} – ${oneDigit(row.high)}` : "";

// A figure whose chart is drawn anew whenever its width changes: draw(svg, width, tell) returns the height.
// With `live`, what the caption tells changes while the chart is used.
function chart(label, draw, live = false) {
  const caption = element("figcaption", {"aria-live": live ? "polite" : false});
  const holder = element("figure", {}, caption);
  const svg = d3.select(holder).insert("svg", "figcaption").attr("role", "img").attr("aria-label", label);
  let drawn = 0;
  const redraw = width => {
    if (width < 50 || Math.abs(width - drawn) < 1) return;
    drawn = width;
    svg.selectAll("*").remove();
    const height = draw(svg, width, text => { caption.textContent = text; });
    svg.attr("viewBox", `0 0 ${width} ${height}`);
  };
  new ResizeObserver(entries => requestAnimationFrame(() => redraw(entries[0].contentRect.width))).observe(holder);
  return holder;
}
