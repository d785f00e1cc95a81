// The sections about one trained run.

function runSections(run) {
  summarySection(run);
  featuresSection(run);
  curvesSection(run);
  ordersSection(run);
  comparisonSection(run);
  data.results.forEach(resultSection);
  confusionSection(run);
  rankingSection(run);
  reliabilitySection(run);
  importancesSection(run);
  unlabelledSection(run);
  weightsSection(run);
  explorerSection(run);
  settingsSection(run);
}

const partNames = {train: "training", validation: "validation", test: "test", held_out: "held-out"};

// What the same answer for every node would get right of the same nodes.
function commonestClass(run) {
  const {commonest} = run.judgement || {};
  return commonest ? ["Always the commonest class", percent(commonest.accuracy), `“${shortened(commonest.name, 30)}” for every node`] : null;
}

// What to expect on nodes without a label.
function expectation(run) {
  const held = run.judgement ? run.parts.find(part => part.part === run.judgement.on) : undefined;
  if (held) {
    return ["Accuracy", percent(held.accuracy), `${oneDigit(held.low)} to ${percent(held.high)} on ${whole(held.nodes)} ${partNames[held.part]} nodes`];
  }
  if (run.choice && run.choice.candidates.length > 0) {
    const chosen = run.choice.candidates[run.choice.chosen];
    return ["Held-out accuracy", percent(chosen.accuracy), `${oneDigit(chosen.low)} to ${percent(chosen.high)}, ${whole(chosen.nodes)} labels in turn`];
  }
  return ["Accuracy", "unknown", "no label was held out"];
}

// What an average is made of, and how each part did alone.
function membersTable(run) {
  if (run.members.length === 0) return null;
  const held = label => run.choice.candidates.find(one => one.label === label);
  return table("Members of the average: the share of each in the probabilities, and how it did alone on the held-out nodes", [
    {title: "member", text: true, value: row => row.label},
    {title: "weight", value: row => row.weight.toFixed(3)},
    {title: "held-out accuracy %", value: row => oneDigit(held(row.label).accuracy)}], run.members);
}

function summarySection(run) {
  const graph = run.graph;
  section("summary", "Summary",
    paragraph(`${run.method} was trained on the graph ${run.dataset} with the split ${run.split} and the seed ${run.seed}.`),
    facts([
      expectation(run),
      commonestClass(run),
      ...rankingFacts(run),
      run.judgement && run.judgement.ece !== undefined ? ["Calibration error", percent(run.judgement.ece), `before calibration ${percent(run.judgement.raw_ece)}`] : null,
      ["Nodes", whole(graph.nodes), `${whole(graph.labelled)} with a label`],
      ["Edges", whole(graph.edges), `mean degree ${oneDigit(graph.mean_degree)}`],
      ["Features", whole(graph.features)],
      ["Classes", whole(run.classes.length)],
      graph.homophily === null ? null
        : ["Edges within a class", percent(graph.homophily), graph.homophily < 50 && graph.labelled_edges >= 20 ? "low: neighbors may mislead" : `of the ${counted(graph.labelled_edges, "edge")} with two labels`],
      ["Components", whole(graph.components), graph.isolated > 0 ? `${counted(graph.isolated, "node")} alone` : ""],
    ]),
    run.choice ? paragraph(run.choice.reason) : null,
    membersTable(run),
    table("Accuracy in percent with its 95 % interval", [
      {title: "nodes of the split", text: true, value: row => partNames[row.part]},
      {title: "nodes", value: row => whole(row.nodes)},
      {title: "accuracy", value: row => oneDigit(row.accuracy)},
      {title: "interval", value: row => row.part === "train" ? "" : intervalText(row)},
      {title: "macro-F1", value: row => oneDigit(row.macro_f1)},
      ...rankingColumns(run),
      {title: "log loss", value: row => digits(row.nll)},
      {title: "calibration error", value: row => oneDigit(row.ece)}], run.parts),
    run.notes.map(note => paragraph(note, "soft")),
    folded("How to read this page",
      element("ul", {}, [
        "Training nodes taught the model, validation nodes chose the epoch (and the method, if that was automatic). Only test nodes say how good it is on nodes that it has not seen.",
        "An interval behind the accuracy of one run: how far it may be off because only so many nodes were judged (95 %). Over several runs: how far their mean may be off, by seeds and splits. Training nodes were learned and say nothing about others; validation nodes had a say and look a little too good.",
        "Two methods on the same nodes or splits can differ for certain where their intervals overlap: hwgcn evaluate compares them pair by pair.",
        "LP has only the graph, Linear only the features: a method that uses both should beat both.",
        "Confidence is the probability that the model gives to its prediction. The reliability chart shows whether it can be taken at its word.",
        "The higher-order weights were learned without labels: for every node and distance, which few of the nodes there resemble its own neighborhood.",
        run.explorer.share ? "In the explorer, shares say how much each node contributed to the predicted class (+) or to the runner-up (−); over all nodes, their sizes add up to 100 %." : "",
      ].filter(text => text).map(text => element("li", {}, text)))));
}

function curvesSection(run) {
  if (!run.history) {
    section("curves", "Training", missing(`${run.title} is not trained in epochs: there are no curves.`));
    return;
  }
  const column = index => run.history.map(record => [record[0], record[index]]);
  const validated = run.history[0][2] !== null;
  const mark = {x: run.best_epoch, text: `epoch ${run.best_epoch} was kept`};
  const losses = [{name: "training", values: column(1), color: "var(--bad)", dash: "6 3"}];
  if (validated) losses.push({name: "validation", values: column(2), color: "var(--good)"});
  section("curves", "Training",
    paragraph(validated
      ? `${counted(run.history.length, "epoch")}; the one with the best validation ${run.selection} was kept. Training loss is measured with dropout: it may stay above that of validation.`
      : `${counted(run.history.length, "epoch")}; without validation nodes, the last one was kept.`),
    element("div", {class: "pair"},
      lineChart("Loss by epoch", losses, "epoch", "loss", mark),
      validated ? lineChart("Validation accuracy by epoch", [{name: "validation", values: column(3), color: "var(--good)"}], "epoch", "accuracy (%)", mark) : null),
    folded("The numbers", table("", [
      {title: "epoch", value: row => row[0]}, {title: "training loss", value: row => digits(row[1])},
      ...validated ? [{title: "validation loss", value: row => digits(row[2])}, {title: "validation accuracy %", value: row => oneDigit(row[3])}] : []], run.history)));
}

// Candidates of one method with several orders, as curves.
function seriesOfCandidates(tried) {
  const byTitle = d3.group(tried, one => one.title);
  const plain = tried.find(one => one.title === "GCN");
  const series = [];
  for (const [name, list] of byTitle) {
    const points = list.map(one => ({order: one.order, mean: one.accuracy, low: one.low, high: one.high}));
    if (name === "HWGCN" && plain) points.push({order: 1, mean: plain.accuracy, low: plain.low, high: plain.high});
    if (points.some(point => point.order > 1) && points.length > 1)
      series.push({name, color: ["var(--good)", "var(--bad)", "var(--class-2)"][series.length % 3], points: points.sort((a, b) => a.order - b.order)});
  }
  return series;
}

function orderTable(series) {
  return folded("The numbers", table("Accuracy in percent", [
    {title: "method", text: true, value: row => row.name}, {title: "K", value: row => row.order},
    {title: "accuracy", value: row => oneDigit(row.mean)}, {title: "95 % interval", value: intervalText},
    ...series.some(line => line.points.some(point => point.paper !== undefined)) ? [{title: "paper", value: row => row.paper === undefined ? "" : row.paper}] : []],
    series.flatMap(line => line.points.map(point => ({...point, name: line.name})))));
}

function intervalTable(rows) {
  return folded("The numbers", table("In percent", [
    {title: "method", text: true, value: row => row.label}, {title: "accuracy", value: row => oneDigit(row.mean)},
    {title: "95 % interval", value: intervalText}], rows));
}

function ordersSection(run) {
  const shown = [];
  if (run.orders.length > 0) {
    const series = [{name: run.title, color: "var(--good)", points: run.orders}];
    shown.push(paragraph(`${run.title} with orders up to K on the split of this run, ${counted(run.orders[0].count, "training")} each with ${
      run.orders[0].count === 1 ? "the seed of the run" : "seeds of their own; the interval is that of their mean"}.`),
      orderChart("Accuracy against the number of orders", series, "test accuracy (%)"), orderTable(series));
  }
  const series = run.choice ? seriesOfCandidates(run.choice.candidates) : [];
  if (series.length > 0) {
    shown.push(paragraph(`The candidates of the automatic choice, judged on ${run.choice.judged_on}; intervals are those of a share of so many nodes.`),
      orderChart("Held-out accuracy of the candidates against the number of orders", series, "held-out accuracy (%)"), orderTable(series));
  }
  if (shown.length === 0 && run.members.length > 0) shown.push(missing("An average has no single number of orders to vary."));
  else if (shown.length === 0 && run.order === 1) shown.push(missing(`${run.method} has no orders to vary: hwgcn and hwgpr have.`));
  else if (shown.length === 0) shown.push(missing("Not measured for this run. To have it in the report, each number of orders trained three times:", "hwgcn report RUN --orders 3"));
  section("orders", "Accuracy against K", shown);
}

function comparisonSection(run) {
  const shown = [];
  if (run.judgement && run.judgement.comparison.length > 0) {
    const rows = run.judgement.comparison.map((row, index) => ({...row, mean: row.accuracy, own: index === 0}));
    shown.push(paragraph(`On the same ${whole(run.judgement.nodes)} ${partNames[run.judgement.on]} nodes.`),
      intervalChart("Accuracy of the method and the baselines", rows, "accuracy (%)"), intervalTable(rows),
      element("ul", {class: "soft"}, rows.filter(row => row.role).map(row => element("li", {}, `${row.label}: ${row.role}`))));
    if (rows.length === 1) shown.push(missing("The run was trained without its baselines.", ""));
    shown.push(run.judgement.remarks.map(remark => element("p", {}, element("strong", {}, remark))));
  }
  if (run.choice && run.choice.candidates.length > 0) {
    const average = run.choice.average;
    const rows = run.choice.candidates.map((one, index) => ({...one, mean: one.accuracy, own: average ? one.weight > 0 : index === run.choice.chosen}));
    shown.push(element("h3", {}, "Candidates of the automatic choice"), paragraph(`Judged on ${run.choice.judged_on}.`),
      intervalChart("Held-out accuracy of the candidates", rows, "held-out accuracy (%)"), intervalTable(rows));
  }
  if (data.results.length === 0)
    shown.push(missing("One split says little about which method is better in general. Several, paired:", `hwgcn evaluate DATA --method ${run.choice ? "gcn,auto" : run.settings.method === "gcn" ? "gcn,hwgcn" : `gcn,${run.settings.method}`} --json compared.json && hwgcn report RUN --result compared.json`));
  section("comparison", "Methods compared", shown.flat());
}

const allTrained = "All labels were trained on and none is left to judge by. To keep some back:";

// Support, precision, recall and F1 of each class.
function classRows(names, confusion) {
  return names.map((name, index) => {
    const support = d3.sum(confusion[index]), predicted = d3.sum(confusion, row => row[index]), hits = confusion[index][index];
    const share = (part, all) => all > 0 ? 100 * part / all : 0;
    return {name, support, precision: share(hits, predicted), recall: share(hits, support), f1: share(2 * hits, support + predicted)};
  });
}

// Of many classes, the pairs that are taken for each other most often.
function commonConfusions(names, confusion) {
  const pairs = confusion.flatMap((row, label) => row.map((count, predicted) => ({label, predicted, count})))
    .filter(pair => pair.count > 0 && pair.label !== pair.predicted).sort((a, b) => b.count - a.count).slice(0, 20);
  return table("The most frequent mistakes", [
    {title: "class", text: true, value: row => shortened(names[row.label], 40)},
    {title: "predicted as", text: true, value: row => shortened(names[row.predicted], 40)},
    {title: "nodes", value: row => whole(row.count)}], pairs);
}

function judgedOn(judgement) {
  return judgement.on === "held_out"
    ? `On ${whole(judgement.nodes)} training labels, each held out in turn: no other label was kept back.`
    : `On the ${whole(judgement.nodes)} ${partNames[judgement.on]} nodes.`;
}

function confusionSection(run) {
  const judgement = run.judgement;
  if (!judgement) {
    section("confusion", "Right and wrong by class", missing(allTrained, "hwgcn train DATA --split shares:60:20 --out RUN"));
    return;
  }
  section("confusion", "Right and wrong by class", paragraph(judgedOn(judgement)),
    element("div", {class: "pair"},
      run.classes.length <= 30 ? confusionChart(run.classes, judgement.confusion) : commonConfusions(run.classes, judgement.confusion),
      table("In percent", [
        {title: "class", text: true, value: row => shortened(row.name, 40)},
        {title: "nodes", value: row => whole(row.support)},
        {title: "precision", value: row => oneDigit(row.precision)},
        {title: "recall", value: row => oneDigit(row.recall)},
        {title: "F1", value: row => oneDigit(row.f1)}], classRows(run.classes, judgement.confusion))));
}

// What the temperature was fitted on, and whether that can be judged here.
function calibrationText(run) {
  const {judgement} = run, few = run.calibration_labels < run.enough_to_calibrate;
  if (run.calibration_labels === 0) return `No label was held out to fit the probabilities to. They stay as the model has them: take them as a ranking. The calibration error is ${percent(judgement.raw_ece)}.`;
  const smoothing = run.smoothing >= 0.0005 ? ` and ${percent(100 * run.smoothing)} of equal probabilities` : "";
  const fitted = `Probabilities have the temperature ${digits(run.temperature)}${smoothing}, fitted on ${counted(run.calibration_labels, "label")} ${run.choice && run.choice.cross_fitted ? "held out in turn" : "not trained on"}${few ? ", which are few: take them as a ranking" : ""}.`;
  if (judgement.reliability && judgement.on === "held_out")
    return `${fitted} To judge it by labels that had no say, those of each fold were calibrated by what fits the other folds: the calibration error is ${percent(judgement.ece)}; uncalibrated it would be ${percent(judgement.raw_ece)}.`;
  return judgement.reliability
    ? `${fitted} The calibration error is ${percent(judgement.ece)}; uncalibrated it would be ${percent(judgement.raw_ece)}.`
    : `${fitted} They are the labels that are shown here, and none are left to test it: the chart is that before calibration, with an error of ${percent(judgement.raw_ece)}.`;
}

function reliabilitySection(run) {
  const judgement = run.judgement;
  if (!judgement) {
    section("reliability", "Can the confidence be trusted?", missing(allTrained, "hwgcn train DATA --split shares:60:20 --out RUN"));
    return;
  }
  const bins = judgement.reliability || [];
  section("reliability", "Can the confidence be trusted?", paragraph(judgedOn(judgement)), paragraph(calibrationText(run)),
    element("div", {class: "pair"},
      reliabilityChart(bins, judgement.raw_reliability),
      table("Predictions by confidence, in percent", [
        {title: "confidence", text: true, value: row => `${Math.round(100 * row.lower)} – ${Math.round(100 * row.upper)}`},
        {title: "nodes", value: row => whole(row.count)},
        {title: "mean", value: row => oneDigit(row.confidence)},
        {title: "right", value: row => oneDigit(row.accuracy)}], bins.length > 0 ? bins : judgement.raw_reliability)));
}

const weightBins = ["below 1e-5 or none", "1e-5 to 1e-4", "1e-4 to 1e-3", "1e-3 to 1e-2", "1e-2 to 1e-1", "above 1e-1"];

function weightsSection(run) {
  if (run.weights.length === 0) {
    section("weights", "Learned weights", missing(`${run.method} ${run.uses_graph ? "works on the edges as they are" : "does not look at the graph"}: no higher-order weights were learned.`));
    return;
  }
  section("weights", "Learned weights",
    paragraph("The nodes at distance k of a node are its ring. A small problem per ring, solved exactly, gives weight to the few whose features resemble the node's neighborhood; the gap bounds how far from the optimum the worst solution is."),
    shareChart("Members of the rings by their weight", run.weights.map(order => ({label: `k = ${order.order}`, values: order.statistics})), weightBins),
    shareLegend(weightBins),
    table("", [
      {title: "order", value: row => row.order},
      {title: "rings", value: row => whole(row.problems)},
      {title: "mean ring", value: row => oneDigit(row.ring_pairs / run.graph.nodes)},
      {title: "largest", value: row => whole(row.largest_ring)},
      {title: "with weight, per node", value: row => oneDigit(row.kept / run.graph.nodes)},
      {title: "worst gap", value: row => d3.format(".1e")(row.worst_gap)}], run.weights));
}

function settingsSection(run) {
  section("settings", "Settings",
    folded("All settings of the run", table("", [
      {title: "setting", text: true, value: row => row[0]}, {title: "value", text: true, value: row => row[1]}], Object.entries(run.settings))),
    leftOut.length > 0 ? [element("h3", {}, "Not on this page"), element("ul", {id: "left-out"},
      leftOut.map(({title, parts}) => element("li", {}, element("strong", {}, `${title}: `), parts.flatMap(part => [...part.childNodes, " "]))))] : null,
    paragraph(`hwgcn ${run.version}; SHA-256 of the data: ${run.dataset_sha256.slice(0, 16)}…`, "soft"));
}
