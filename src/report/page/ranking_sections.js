// ROC and precision-recall curves: how well probabilities rank the nodes of a class, whatever the threshold.

const knownPercent = value => value === null || value === undefined ? "–" : percent(value);

// Lines in a square from 0 to 100 percent: [{index, name, points: [[x, y]..], told, at: [x, y]}]; reference:
// [[x, y], [x, y]]. `at` is where the predictions are, in percent; undefined where that is nowhere.
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
    for (const line of lines) {
      const group = svg.append("g");
      group.append("path").datum(line.points).attr("class", "curve").attr("stroke", classColor(line.index))
        .attr("d", d3.line().x(point => x(100 * point[0])).y(point => y(100 * point[1])).curve(shape));
      group.append("title").text(`${line.name}: ${line.told}`);
    }
    for (const {index, name, at} of lines) {
      if (!at) continue;
      svg.append("path").attr("class", "mark").attr("fill", classColor(index)).attr("d", classSymbol(index, 110))
        .attr("transform", `translate(${x(at[0])},${y(at[1])})`)
        .append("title").text(`${name}, the predictions: ${yTitle} ${oneDigit(at[1])}, ${xTitle} ${oneDigit(at[0])}`);
    }
    const [only] = lines.filter(line => line.at);
    if (only && lines.length === 1) {
      const late = only.at[0] > 60;
      svg.append("text").attr("class", "soft halo").attr("x", x(only.at[0]) + (late ? -10 : 10)).attr("y", Math.min(box.bottom - 6, y(only.at[1]) + 18))
        .attr("text-anchor", late ? "end" : "start").text("the predictions");
    }
    tell(caption);
    return size;
  });
}

function rankingLegend(curves, names) {
  return element("ul", {class: "legend", "aria-label": "Curves"}, curves.map(curve => element("li", {}, legendSymbol(curve.class),
    `${shortened(names[curve.class], 40)}: ROC AUC ${percent(curve.roc_auc)}, average precision ${percent(curve.average_precision)}`)));
}

// What the marks on the curves are.
function predictionsText(run, curves) {
  const {threshold, threshold_class: positive} = run.judgement.ranking;
  const rule = threshold !== undefined && run.judgement.on !== "held_out" ? `“${shortened(run.classes[positive], 40)}” from a probability of ${percent(threshold)} on`
    : run.judgement.ranking.weighed ? "the class whose weighted probability is largest" : "the most probable class";
  const unpredicted = curves.filter(curve => curve.predictions && curve.predictions.right === undefined);
  return (curves.length > 1
    ? `Marks: the predictions of this run, ${rule}. A curve has a threshold for one class alone: its mark need not lie on it.`
    : `Mark: the predictions of this run, ${rule}. Other thresholds are the other points of the curve (--threshold).`) +
    (unpredicted.length > 0 ? ` Precision has no mark for ${unpredicted.map(curve => `“${shortened(run.classes[curve.class], 40)}”`).join(", ")}: no node is predicted so.` : "");
}

function rankingCurves(run, curves) {
  const names = run.classes;
  const lines = (key, area, title, at) => curves.map(curve => ({index: curve.class, name: names[curve.class], points: curve[key],
    told: `${title} ${percent(curve[area])}`, at: curve.predictions && at(curve.predictions)}));
  // Precision holds from one recall to the next: it starts where the first nodes are found.
  const steps = lines("precision_recall", "average_precision", "average precision",
    made => made.right === undefined ? undefined : [made.found, made.right]).map(line => ({...line, points: [[0, line.points[0][1]], ...line.points]}));
  const single = curves.length === 1 && curves[0].share !== undefined;
  return [element("div", {class: "pair"},
      rankingChart("ROC curves: share of the class found against share of the others taken for it", lines("roc", "roc_auc", "ROC AUC", made => [made.others_taken, made.found]),
        "others taken for it (%)", "of the class found (%)", [[0, 0], [100, 100]], d3.curveLinear, "ROC: the further to the upper left, the better. Diagonal: chance."),
      rankingChart("Precision-recall curves: share that is right against share of the class found", steps,
        "of the class found: recall (%)", "of these right: precision (%)", single ? [[0, curves[0].share], [100, curves[0].share]] : null, d3.curveStepBefore,
        `Precision and recall: the further to the upper right, the better.${single ? " Dashed: chance." : ""}`)),
    rankingLegend(curves, names),
    curves.some(curve => curve.predictions) ? paragraph(predictionsText(run, curves), "soft") : null,
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
    section("ranking", title, missing(ranking.balanced_accuracy === null
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
