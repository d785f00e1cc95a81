// ROC and precision-recall curves: how well probabilities rank the nodes of a class, whatever the threshold.

const knownPercent = value => value === null || value === undefined ? "–" : percent(value);

// Lines in a square from 0 to 100 percent: [{index, name, points: [[x, y]..], told}]; reference: [[x, y], [x, y]].
function rankingChart(label, lines, xTitle, yTitle, reference, shape, caption) {
  return chart(label, (svg, width, tell) => {
    const size = Math.min(width, 420), box = boxOf(size, size);
    const x = d3.scaleLinear().domain([0, 100]).range([box.left, box.right]);
    const y = d3.scaleLinear().domain([0, 100]).range([box.bottom, box.top]);
    axes(svg, x, y, box, axis => axis.ticks(5), yTitle, xTitle);
    if (reference) {
      const [[x1, y1], [x2, y2]] = reference;
      svg.append("line").attr("class", "cursor").attr("x1", x(x1)).attr("y1", y(y1)).attr("x2", x(x2)).attr("y2", y(y2));
    }
    lines.forEach((line, order) => {
      const group = svg.append("g");
      group.append("path").datum(line.points).attr("class", "curve").attr("stroke", classColor(line.index))
        .attr("d", d3.line().x(point => x(100 * point[0])).y(point => y(100 * point[1])).curve(shape));
      // The shape of the class, each on another place of its curve.
      const at = line.points[Math.floor((line.points.length - 1) * (order + 1) / (lines.length + 1))];
      group.append("path").attr("class", "mark").attr("fill", classColor(line.index)).attr("d", classSymbol(line.index, 64))
        .attr("transform", `translate(${x(100 * at[0])},${y(100 * at[1])})`);
      group.append("title").text(`${line.name}: ${line.told}`);
    });
    tell(caption);
    return size;
  });
}

function rankingLegend(curves, names) {
  return element("ul", {class: "legend", "aria-label": "Curves"}, curves.map(curve => element("li", {}, legendSymbol(curve.class),
    `${shortened(names[curve.class], 40)}: ROC AUC ${percent(curve.roc_auc)}, average precision ${percent(curve.average_precision)}`)));
}

function rankingCurves(run, curves) {
  const names = run.classes;
  const lines = (key, area, title) => curves.map(curve => ({index: curve.class, name: names[curve.class], points: curve[key], told: `${title} ${percent(curve[area])}`}));
  // Precision holds from one recall to the next: it starts where the first nodes are found.
  const steps = lines("precision_recall", "average_precision", "average precision").map(line => ({...line, points: [[0, line.points[0][1]], ...line.points]}));
  const single = curves.length === 1 && curves[0].share !== undefined;
  return [element("div", {class: "pair"},
      rankingChart("ROC curves: share of the class found against share of the others taken for it", lines("roc", "roc_auc", "ROC AUC"),
        "others taken for it (%)", "of the class found (%)", [[0, 0], [100, 100]], d3.curveLinear, "ROC: the further to the upper left, the better. Diagonal: chance."),
      rankingChart("Precision-recall curves: share that is right against share of the class found", steps,
        "of the class found: recall (%)", "of these right: precision (%)", single ? [[0, curves[0].share], [100, curves[0].share]] : null, d3.curveStepBefore,
        `Precision and recall: the further to the upper right, the better.${single ? " Dashed: chance." : ""}`)),
    rankingLegend(curves, names),
    folded("The numbers", table("In percent", [
      {title: "class", text: true, value: row => shortened(names[row.class], 40)},
      {title: "nodes", value: row => row.nodes === undefined ? "" : whole(row.nodes)},
      {title: "share", value: row => row.share === undefined ? "" : oneDigit(row.share)},
      {title: "ROC AUC", value: row => oneDigit(row.roc_auc)},
      {title: "average precision", value: row => oneDigit(row.average_precision)}], curves))];
}

function rankingSection(run) {
  const title = "Are the nodes ranked well?";
  if (!run.judgement) {
    section("ranking", title, missing(allTrained, "hwgcn train DATA --split shares:60:20 --out RUN"));
    return;
  }
  const ranking = run.judgement.ranking;
  if (ranking.roc_auc === null) {
    section("ranking", title, paragraph(judgedOn(run.judgement)), missing(ranking.balanced_accuracy === null
      ? "The run is of an earlier version, which did not keep these numbers: train it again to have them."
      : "All of these nodes are of one class: there is nothing to rank."));
    return;
  }
  const of = ranking.positive === null ? "on average over the classes, each against the others" : `for “${shortened(ranking.positive, 40)}”, the rarer class`;
  section("ranking", title, paragraph(judgedOn(run.judgement)),
    paragraph(`ROC AUC is ${percent(ranking.roc_auc)}: so often a node of the class has a higher probability than one of another class (chance: 50 %). Average precision is ${
      percent(ranking.average_precision)}, ${of}. Neither depends on a threshold.`),
    ranking.curves.length > 0 ? rankingCurves(run, ranking.curves)
      : missing(`Curves are drawn for at most ${ranking.most_curves} classes.`, ""));
}

// For the summary, where accuracy alone says too little.
function rankingFacts(run) {
  const ranking = run.judgement && run.judgement.ranking;
  if (!ranking || !ranking.shown || ranking.roc_auc === null) return [];
  return [
    ["ROC AUC", percent(ranking.roc_auc), ranking.positive === null ? "mean over the classes" : `average precision ${percent(ranking.average_precision)} for “${shortened(ranking.positive, 20)}”`],
    ["Balanced accuracy", knownPercent(ranking.balanced_accuracy), "mean recall of the classes"]];
}

function rankingColumns(run) {
  if (!run.judgement || !run.judgement.ranking.shown || run.parts.every(part => part.balanced_accuracy === null)) return [];
  const cell = key => row => row[key] === null ? "–" : oneDigit(row[key]);
  return [{title: "balanced", value: cell("balanced_accuracy")}, {title: "ROC AUC", value: cell("roc_auc")}];
}
