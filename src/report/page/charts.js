// The kinds of charts, drawn with D3. Each returns a figure.

function axes(svg, x, y, box, xTicks, yTitle, xTitle) {
  svg.append("g").attr("class", "grid").attr("transform", `translate(${box.left},0)`)
    .call(d3.axisLeft(y).ticks(5).tickSize(-(box.right - box.left)).tickFormat(""));
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${box.bottom})`).call(xTicks(d3.axisBottom(x)));
  svg.append("g").attr("class", "axis").attr("transform", `translate(${box.left},0)`).call(d3.axisLeft(y).ticks(5));
  svg.append("text").attr("class", "soft").attr("x", box.left).attr("y", 12).text(yTitle);
  svg.append("text").attr("class", "soft").attr("x", box.right).attr("y", box.bottom + 34).attr("text-anchor", "end").text(xTitle);
}

// From the least to the largest value, and never nothing.
function extentOf(values) {
  const [least, largest] = d3.extent(values);
  return least === largest ? [least - 1, largest + 1] : [least, largest];
}

const boxOf = (width, height, left = 46) => ({left, right: width - 14, top: 24, bottom: height - 42});

// Lines over epochs. series: [{name, values: [[x, y]..], color, dash}]; mark: {x, text}.
// The pointer or the arrow keys move a cursor, and the caption tells the values there.
function lineChart(label, series, xTitle, yTitle, mark) {
  return chart(label, (svg, width, tell) => {
    const height = 260, box = boxOf(width, height);
    const points = series.flatMap(line => line.values);
    const x = d3.scaleLinear().domain(extentOf(points.map(point => point[0]))).range([box.left, box.right]);
    const y = d3.scaleLinear().domain(extentOf(points.map(point => point[1]))).nice().range([box.bottom, box.top]);
    axes(svg, x, y, box, axis => axis.ticks(Math.min(8, width / 60)), yTitle, xTitle);
    for (const line of series) {
      svg.append("path").datum(line.values).attr("class", "curve").attr("stroke", line.color)
        .attr("stroke-dasharray", line.dash || null).attr("d", d3.line().x(point => x(point[0])).y(point => y(point[1])));
    }
    const key = svg.append("g").attr("transform", `translate(${box.right},${box.top - 12})`);
    let offset = 0;
    for (const line of [...series].reverse()) {
      const entry = key.append("text").attr("x", offset).attr("text-anchor", "end").text(line.name);
      const length = entry.node().getComputedTextLength();
      key.append("line").attr("class", "curve").attr("stroke", line.color).attr("stroke-dasharray", line.dash || null)
        .attr("x1", offset - length - 24).attr("x2", offset - length - 5).attr("y1", -4).attr("y2", -4);
      offset -= length + 36;
    }
    if (mark) {
      svg.append("line").attr("class", "cursor").attr("x1", x(mark.x)).attr("x2", x(mark.x)).attr("y1", box.top).attr("y2", box.bottom);
      const late = x(mark.x) > width / 2;
      svg.append("text").attr("class", "soft halo").attr("x", x(mark.x) + (late ? -5 : 5)).attr("y", box.bottom - 6)
        .attr("text-anchor", late ? "end" : "start").text(mark.text);
    }
    followPointer(svg, series, x, box, xTitle, tell);
    return height;
  }, true);
}

function followPointer(svg, series, x, box, xTitle, tell) {
  const cursor = svg.append("line").attr("class", "cursor").attr("y1", box.top).attr("y2", box.bottom).attr("visibility", "hidden");
  const places = series[0].values.map(point => point[0]);
  let at = places.length - 1;
  const show = index => {
    at = Math.max(0, Math.min(places.length - 1, index));
    cursor.attr("visibility", "visible").attr("x1", x(places[at])).attr("x2", x(places[at]));
    tell(`${xTitle} ${places[at]}: ` + series.map(line => `${line.name} ${digits(line.values[at][1])}`).join(", "));
  };
  tell("Point at the chart, or focus it and use the arrow keys, to read values.");
  svg.attr("tabindex", 0)
    .on("mousemove", function() { show(d3.bisectCenter(places, x.invert(d3.mouse(this)[0]))); })
    .on("keydown", () => {
      const step = {ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -1e9, End: 1e9}[d3.event.key];
      if (!step) return;
      d3.event.preventDefault();
      show(at + step);
    });
}

// A dot and its interval per row: [{label, mean, low, high, own, paper, runs: [..]}].
function intervalChart(label, rows, xTitle, metric = "accuracy") {
  return chart(label, (svg, width, tell) => {
    const longest = d3.max(rows, row => row.label.length);
    const left = Math.min(width * .42, 14 + longest * 7), line = 26;
    const height = rows.length * line + 42, box = {left, right: width - 50, top: 0, bottom: height - 42};
    const values = rows.flatMap(row => [row.low, row.high, row.mean, row.paper].concat(row.runs || [])).filter(value => value !== undefined);
    const x = d3.scaleLinear().domain(extentOf(values)).nice().range([box.left + 8, box.right]);
    const y = index => box.top + (index + .5) * line;
    svg.append("g").attr("class", "grid").attr("transform", `translate(0,${box.bottom})`)
      .call(d3.axisBottom(x).ticks(width / 90).tickSize(-(box.bottom - box.top)).tickFormat(""));
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${box.bottom})`).call(d3.axisBottom(x).ticks(width / 90));
    svg.append("text").attr("class", "soft").attr("x", box.right).attr("y", box.bottom + 34).attr("text-anchor", "end").text(xTitle);
    rows.forEach((row, index) => {
      const group = svg.append("g").attr("transform", `translate(0,${y(index)})`);
      group.append("text").attr("x", left).attr("dy", ".35em").attr("text-anchor", "end")
        .attr("font-weight", row.own ? 600 : null).text(shortened(row.label, left / 6.6));
      group.selectAll("circle.run").data(row.runs || []).join("circle").attr("cx", x).attr("r", 2).attr("fill", "var(--soft)").attr("opacity", .35);
      if (hasInterval(row))
        group.append("line").attr("x1", x(row.low)).attr("x2", x(row.high)).attr("stroke", "var(--ink)").attr("stroke-width", 2);
      group.append("circle").attr("cx", x(row.mean)).attr("r", 5).attr("class", "mark").attr("fill", row.own ? "var(--bad)" : "var(--good)");
      if (row.paper !== undefined) {
        group.append("path").attr("transform", `translate(${x(row.paper)},0)`).attr("d", d3.symbol().type(d3.symbolDiamond).size(70)())
          .attr("fill", "none").attr("stroke", "var(--ink)").attr("stroke-width", 1.5);
      }
      group.append("text").attr("x", width).attr("dy", ".35em").attr("text-anchor", "end").text(oneDigit(row.mean));
      group.append("title").text(`${row.label}: ${percent(row.mean)}${hasInterval(row) ? `, 95 % interval ${intervalText(row)}` : ""}`);
    });
    tell(`Dot: ${metric} in percent.` + (rows.some(hasInterval) ? " Line: 95 % interval." : "") + (rows.some(row => row.paper !== undefined) ? " Diamond: the paper's number." : "") +
      (rows.some(row => row.runs) ? " Small dots: single runs." : ""));
    return height;
  });
}

// Bars from zero with their deviation: rows [{name, drop, deviation}].
function dropChart(label, rows) {
  return chart(label, (svg, width, tell) => {
    const line = 22, left = Math.min(220, width * .4), right = width - 52, height = rows.length * line + 44;
    const ends = rows.flatMap(row => [row.drop - row.deviation, row.drop + row.deviation, 0]);
    const x = d3.scaleLinear().domain([d3.min(ends), Math.max(.1, d3.max(ends))]).nice().range([left, right]);
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${rows.length * line + 6})`).call(d3.axisBottom(x).ticks(5));
    svg.append("line").attr("class", "cursor").attr("x1", x(0)).attr("x2", x(0)).attr("y1", 0).attr("y2", rows.length * line + 6);
    rows.forEach((row, index) => {
      const group = svg.append("g").attr("transform", `translate(0,${(index + .5) * line})`);
      group.append("text").attr("x", left - 8).attr("dy", ".35em").attr("text-anchor", "end").text(shortened(row.name, left / 7));
      group.append("rect").attr("x", Math.min(x(0), x(row.drop))).attr("width", Math.abs(x(row.drop) - x(0)))
        .attr("y", -line / 2 + 4).attr("height", line - 8).attr("fill", row.drop < 0 ? "var(--class-7)" : "var(--good)");
      group.append("line").attr("x1", x(row.drop - row.deviation)).attr("x2", x(row.drop + row.deviation)).attr("stroke", "var(--ink)").attr("stroke-width", 1.5);
      group.append("text").attr("x", width).attr("dy", ".35em").attr("text-anchor", "end").text(d3.format("+.2f")(row.drop));
      group.append("title").text(`${row.name}: ${d3.format("+.2f")(row.drop)} points, deviation ${d3.format(".2f")(row.deviation)}`);
    });
    svg.append("text").attr("class", "soft").attr("x", right).attr("y", height - 4).attr("text-anchor", "end").text("points lost");
    tell("Bar: mean loss in points. Line: deviation of the permutations. A bar within its line may be chance.");
    return height;
  });
}

// Accuracy against the number of orders: series [{name, color, points: [{order, mean, low, high}]}].
function orderChart(label, series, yTitle) {
  return chart(label, (svg, width, tell) => {
    const height = 280, box = boxOf(width, height);
    const points = series.flatMap(line => line.points);
    const x = d3.scaleLinear().domain([d3.min(points, point => point.order) - .3, d3.max(points, point => point.order) + .3]).range([box.left, box.right]);
    const y = d3.scaleLinear().domain(extentOf(points.flatMap(point => [point.mean, point.low, point.high, point.paper].filter(value => value !== undefined)))).nice().range([box.bottom, box.top]);
    const orders = [...new Set(points.map(point => point.order))].sort((a, b) => a - b);
    axes(svg, x, y, box, axis => axis.tickValues(orders).tickFormat(d3.format("d")), yTitle, "orders up to K (1: the plain graph)");
    series.forEach((line, index) => {
      const shift = (index - (series.length - 1) / 2) * 7;  // keeps intervals from hiding each other
      const group = svg.append("g").attr("transform", `translate(${shift},0)`);
      group.append("path").datum(line.points).attr("class", "curve").attr("stroke", line.color)
        .attr("d", d3.line().x(point => x(point.order)).y(point => y(point.mean)));
      group.selectAll("line").data(line.points.filter(hasInterval)).join("line").attr("x1", point => x(point.order)).attr("x2", point => x(point.order))
        .attr("y1", point => y(point.low)).attr("y2", point => y(point.high)).attr("stroke", line.color).attr("stroke-width", 1.5);
      group.selectAll("path.mark").data(line.points).join("path").attr("class", "mark").attr("fill", line.color)
        .attr("transform", point => `translate(${x(point.order)},${y(point.mean)})`).attr("d", d3.symbol().type(shapes[index % shapes.length]).size(64)())
        .append("title").text(point => `${line.name}, K = ${point.order}: ${percent(point.mean)} ${intervalText(point)}`);
      group.selectAll("path.paper").data(line.points.filter(point => point.paper !== undefined)).join("path").attr("class", "paper")
        .attr("transform", point => `translate(${x(point.order)},${y(point.paper)})`).attr("d", d3.symbol().type(d3.symbolDiamond).size(70)())
        .attr("fill", "none").attr("stroke", "var(--ink)").attr("stroke-width", 1.5);
    });
    series.forEach((line, index) => {
      const last = line.points[line.points.length - 1];
      svg.append("text").attr("class", "halo").attr("x", x(last.order)).attr("y", Math.max(box.top + 12, y(last.mean) - 10)).attr("text-anchor", "end").text(line.name);
    });
    tell(`${series.map(line => line.name).join(", ")}: accuracy${points.some(hasInterval) ? " and 95 % interval" : ""}.${
      points.some(point => point.paper !== undefined) ? " Diamond: the paper's number." : ""}`);
    return height;
  });
}

// Rows: true classes, columns: predicted ones; the colour is the share of the row.
function confusionChart(names, confusion) {
  return chart("Confusion matrix: true class by row, predicted class by column", (svg, width, tell) => {
    const count = names.length;
    const left = Math.min(150, width * .3), cell = Math.min(54, (width - left - 40) / count);
    const long = names.some(name => name.length > cell / 7), top = long ? 90 : 30;
    const height = top + count * cell + 26;
    const share = (row, column) => confusion[row][column] / Math.max(1, d3.sum(confusion[row]));
    svg.append("text").attr("class", "soft").attr("x", left).attr("y", 12).text("predicted →");
    names.forEach((name, row) => {
      svg.append("text").attr("x", left - 6).attr("y", top + (row + .5) * cell).attr("dy", ".35em").attr("text-anchor", "end")
        .text(shortened(name, left / 7));
      const head = svg.append("text").attr("class", "soft").text(shortened(name, long ? 14 : cell / 7));
      head.attr("transform", `translate(${left + (row + .5) * cell},${top - 6})${long ? "rotate(-40)" : ""}`).attr("text-anchor", long ? "start" : "middle");
      head.append("title").text(name);
    });
    for (let row = 0; row < count; ++row) {
      for (let column = 0; column < count; ++column) {
        const part = share(row, column);
        const group = svg.append("g").attr("transform", `translate(${left + column * cell},${top + row * cell})`);
        group.append("rect").attr("class", "cell").attr("width", cell).attr("height", cell)
          .attr("fill", row === column ? "var(--good)" : "var(--bad)").attr("fill-opacity", .6 * part);
        if (confusion[row][column] > 0 && cell > 22) {
          group.append("text").attr("x", cell / 2).attr("y", cell / 2).attr("dy", ".35em").attr("text-anchor", "middle")
            .text(confusion[row][column]);
        }
        group.append("title").text(`${names[row]} predicted as ${names[column]}: ${confusion[row][column]} nodes, ${percent(100 * part)} of the class`);
      }
    }
    tell("Blue: right. Orange: wrong. The deeper, the larger the share of its row.");
    return height;
  });
}

// Accuracy against confidence; the diagonal is what it should be.
function reliabilityChart(bins, rawBins) {
  return chart("Reliability: accuracy against confidence", (svg, width, tell) => {
    const size = Math.min(width, 420), height = size, box = {...boxOf(size, height), right: size - 14};
    const x = d3.scaleLinear().domain([0, 100]).range([box.left, box.right]);
    const y = d3.scaleLinear().domain([0, 100]).range([box.bottom, box.top]);
    axes(svg, x, y, box, axis => axis.ticks(5), "of these right (%)", "confidence (%)");
    svg.append("line").attr("class", "cursor").attr("x1", x(0)).attr("y1", y(0)).attr("x2", x(100)).attr("y2", y(100));
    const draw = (list, color, dash, symbol) => {
      const group = svg.append("g");
      group.append("path").datum(list).attr("class", "curve").attr("stroke", color).attr("stroke-dasharray", dash)
        .attr("d", d3.line().x(bin => x(bin.confidence)).y(bin => y(bin.accuracy)));
      group.selectAll("path.mark").data(list).join("path").attr("class", "mark").attr("fill", color)
        .attr("transform", bin => `translate(${x(bin.confidence)},${y(bin.accuracy)})`)
        .attr("d", bin => d3.symbol().type(symbol).size(30 + 170 * Math.sqrt(bin.count / d3.sum(list, other => other.count)))())
        .append("title").text(bin => `${whole(bin.count)} nodes with confidence ${percent(bin.confidence)}: ${percent(bin.accuracy)} right`);
    };
    draw(rawBins, "var(--class-7)", "5 4", d3.symbolSquare);
    svg.append("g").selectAll("line").data(bins).join("line").attr("x1", bin => x(bin.confidence)).attr("x2", bin => x(bin.confidence))
      .attr("y1", bin => y(bin.low)).attr("y2", bin => y(bin.high)).attr("stroke", "var(--good)").attr("stroke-width", 1.5);
    draw(bins, "var(--good)", null, d3.symbolCircle);
    tell((bins.length > 0 ? "Circles: calibrated, with 95 % intervals; the larger, the more nodes. " : "") + "Grey squares: before calibration. Diagonal: perfect.");
    return height;
  });
}

// Shares that add up to 100 per row: [{label, values}], parts: names; darker is heavier.
function shareChart(label, rows, parts) {
  return chart(label, (svg, width, tell) => {
    const line = 30, left = 60, height = 8 + rows.length * line + 40, right = width - 10;
    const x = d3.scaleLinear().domain([0, 100]).range([left, right]);
    const color = index => d3.interpolateViridis(.1 + .85 * index / Math.max(1, parts.length - 1));
    rows.forEach((row, index) => {
      const group = svg.append("g").attr("transform", `translate(0,${8 + index * line})`);
      group.append("text").attr("x", left - 8).attr("y", line / 2).attr("dy", ".3em").attr("text-anchor", "end").text(row.label);
      let start = 0;
      row.values.forEach((value, part) => {
        group.append("rect").attr("class", "cell").attr("x", x(start)).attr("width", Math.max(0, x(start + value) - x(start)))
          .attr("height", line - 6).attr("fill", color(part)).append("title").text(`${row.label}, ${parts[part]}: ${d3.format(".2f")(value)} %`);
        start += value;
      });
    });
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${8 + rows.length * line})`).call(d3.axisBottom(x).ticks(5));
    svg.append("text").attr("class", "soft").attr("x", right).attr("y", height - 2).attr("text-anchor", "end").text("share of the ring members (%)");
    tell("");
    return height;
  });
}

function shareLegend(parts) {
  return element("ul", {class: "legend"}, parts.map((part, index) => {
    const swatch = element("span", {style: `display:inline-block;width:1rem;height:1rem;margin-right:.3rem;vertical-align:-.15rem;background:${
      d3.interpolateViridis(.1 + .85 * index / Math.max(1, parts.length - 1))}`, "aria-hidden": "true"});
    return element("li", {}, swatch, part);
  }));
}
