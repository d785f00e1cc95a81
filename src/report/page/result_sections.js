// Results of `hwgcn evaluate` and `hwgcn reproduce`: a section each.

function pValue(row) {
  return row.p === undefined ? "" : row.p < .001 ? "< 0.001" : d3.format(".3f")(row.p);
}

function groupParts(group, metric) {
  const paired = group.rows.some(row => row.difference !== undefined);
  const columns = [
    {title: "method", text: true, value: row => row.label},
    {title: metric, value: row => d3.format(".2f")(row.mean)},
    {title: "95 % interval", value: row => hasInterval(row) ? `${d3.format(".2f")(row.low)} – ${d3.format(".2f")(row.high)}` : ""}];
  if (paired) {
    const first = group.rows.find(row => row.against).against;
    columns.push({title: `against ${first}`, value: row => row.difference === undefined ? "" : d3.format("+.2f")(row.difference)},
      {title: "p (paired)", value: pValue});
  }
  if (group.rows.some(row => row.paper !== undefined))
    columns.push({title: "paper", value: row => row.paper === undefined ? "" : row.paper});
  return [element("h3", {}, `${group.name} (${counted(group.runs, "run")})`),
    intervalChart(`Methods by test ${metric}, ${group.name}`, group.rows, `test ${metric} (%)`, metric), folded("The numbers", table("In percent", columns, group.rows))];
}

function curveParts(curve) {
  const series = [{name: curve.rows[curve.rows.length - 1].label, color: "var(--good)", points: curve.rows}];
  return [element("h3", {}, `${curve.name} (${counted(curve.runs, "run")})`),
    orderChart(`Accuracy against the number of orders, ${curve.name}`, series, "test accuracy (%)"), orderTable(series)];
}

function resultSection(result, index) {
  section(`result-${index + 1}`, result.title,
    paragraph(`Test ${result.metric}, mean over runs with a seed and, where splits are random, a split of their own; the methods of a group had the same ones.`),
    result.groups.flatMap(group => groupParts(group, result.metric)), result.curves.flatMap(curveParts));
}
