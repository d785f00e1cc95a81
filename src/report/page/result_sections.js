// Results of `hwgcn evaluate` and `hwgcn reproduce`: a section each.

function pValue(row) {
  return row.p === undefined ? "" : row.p < .001 ? "< 0.001" : d3.format(".3f")(row.p);
}

function groupParts(group) {
  const paired = group.rows.some(row => row.difference !== undefined);
  const columns = [
    {title: "method", text: true, value: row => row.label},
    {title: "accuracy", value: row => d3.format(".2f")(row.mean)},
    {title: "95 % interval", value: row => `${d3.format(".2f")(row.low)} – ${d3.format(".2f")(row.high)}`}];
  if (paired) {
    const first = group.rows.find(row => row.against).against;
    columns.push({title: `against ${first}`, value: row => row.difference === undefined ? "" : d3.format("+.2f")(row.difference)},
      {title: "p (paired)", value: pValue});
  }
  if (group.rows.some(row => row.paper !== undefined))
    columns.push({title: "paper", value: row => row.paper === undefined ? "" : row.paper});
  return [element("h3", {}, `${group.name} (${group.runs === 1 ? "one run" : `${group.runs} runs`})`),
    intervalChart(`Accuracy of methods, ${group.name}`, group.rows, "test accuracy (%)"), folded("The numbers", table("In percent", columns, group.rows))];
}

function curveParts(curve) {
  return [element("h3", {}, `${curve.name} (${curve.runs} runs)`),
    orderChart(`Accuracy against the number of orders, ${curve.name}`,
      [{name: "HWGCN", color: "var(--good)", points: curve.rows.map(row => ({...row, order: row.order}))}], "test accuracy (%)")];
}

function resultSection(result, index) {
  section(`result-${index + 1}`, result.title,
    paragraph("Test accuracy, mean over runs with a split and a seed of their own; the methods of a group had the same ones."),
    result.groups.flatMap(groupParts), result.curves.flatMap(curveParts));
}
