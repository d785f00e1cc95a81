// The sections about what went in and what comes out: features, and predictions of nodes without a label.

function featuresSection(run) {
  const {count, text, columns} = run.features;
  const shown = [];
  if (count === 0) shown.push(missing("The nodes have no features."));
  if (text) shown.push(paragraph(text));
  if (columns.length > 0) {
    const made = table("", [
      {title: "column", text: true, value: row => shortened(row.name, 40)},
      {title: "what it became", text: true, value: row => shortened(row.use, 120)}], columns);
    shown.push(columns.length <= 15 ? made : folded(`All ${whole(columns.length)} columns`, made));
  } else if (count > 0 && !text) {
    shown.push(missing(`The data have ${counted(count, "feature")} and no table of columns.`));
  }
  section("features", "Features", shown);
}

// What predictions lose where a column is not that of the node.
function importancesSection(run) {
  const {missing: reason, columns, columns_in_all: inAll, measured, repeats, metric, score, nodes, on} = run.importances;
  const title = "Which features matter";
  if (columns === undefined) {
    section("importances", title, missing(reason));
    return;
  }
  section("importances", title,
    paragraph(`How many points of the ${metric} (${percent(score)} on ${whole(nodes)} ${partNames[on]} nodes) are lost where a column of the features is permuted among all nodes: the mean of ${counted(repeats, "permutation")}, and their deviation. Columns that say the same stand in for each other; the model and its weights stay as they are.`),
    dropChart(`Loss of ${metric} by permuted column`, columns),
    folded("The numbers", table("In points", [
      {title: "column", text: true, value: row => shortened(row.name, 60)}, {title: "features", value: row => whole(row.features)},
      {title: "loss", value: row => d3.format("+.2f")(row.drop)}, {title: "deviation", value: row => d3.format(".2f")(row.deviation)}], columns)),
    measured < inAll ? missing(`Of ${whole(inAll)} columns the ${whole(measured)} that the model weighs most were permuted${columns.length < measured ? `, and the ${columns.length} with the largest loss are shown` : ""}. More:`, `hwgcn explain RUN --importances --columns ${inAll}`)
      : columns.length < inAll ? missing(`Of ${whole(inAll)} columns the ${columns.length} with the largest loss are shown. All:`, `hwgcn explain RUN --importances --top ${inAll}`) : null);
}

// A table whose rows are sorted by a click on a column with a `key`; `sort` has the title of the first one.
function sortableTable(caption, columns, rows, sort) {
  const holder = element("div");
  const show = chosen => {
    const {key} = columns.find(column => column.title === chosen);
    const sorted = [...rows].sort((a, b) => d3.ascending(key(a), key(b)));
    const made = table(caption, columns.map(column => ({...column, title: column.key
      ? element("button", {type: "button", "data-sort": column.title, onclick: () => {
        show(column.title);
        [...holder.querySelectorAll("[data-sort]")].find(button => button.dataset.sort === column.title).focus();
      }}, column.title + (column.title === chosen ? " ▾" : "")) : column.title})), sorted);
    made.classList.add("members");
    made.tabIndex = 0;
    holder.replaceChildren(made);
  };
  show(sort);
  return holder;
}

const sureText = share => percent(Math.min(99.9, share));  // nothing is ever quite sure

// Opens a node in the explorer, where that has it.
function nodeLink(id, explorable) {
  if (!explorable.has(id)) return shortened(id, 40);
  return element("button", {type: "button", class: "link", onclick: () => {
    location.hash = `node=${encodeURIComponent(id)}`;
    document.getElementById("explorer").scrollIntoView();
  }}, shortened(id, 40));
}

function unlabelledSection(run) {
  const {nodes, unsure, rows} = run.unlabelled, title = "Predictions of nodes without a label";
  if (nodes === 0) {
    section("unlabelled", title, missing("Every node of this graph has a label: none is left to predict."));
    return;
  }
  const explorable = new Set(run.explorer.ids.slice(0, run.explorer.focus));
  const name = index => index === undefined ? "" : shortened(run.classes[index], 40);
  const columns = [
    {title: "node", text: true, key: row => row.id, value: row => nodeLink(row.id, explorable)},
    {title: "predicted", text: true, key: row => run.classes[row.predicted], value: row => name(row.predicted)},
    {title: "probability", key: row => row.sure, value: row => sureText(row.sure)}];
  if (run.classes.length > 1) {
    columns.push({title: "second", text: true, key: row => run.classes[row.second], value: row => name(row.second)},
      {title: "its probability", key: row => -row.second_sure, value: row => percent(row.second_sure)});
  }
  section("unlabelled", title,
    paragraph(`${counted(nodes, "node")} ${nodes === 1 ? "has" : "have"} no label. ${unsure === 0 ? "All predictions have" : `${counted(unsure, "prediction")} ${unsure === 1 ? "has" : "have"}`} a probability of ${unsure === 0 ? "at least" : "less than"} 50 %. The least sure come first: there, a label helps most.`),
    sortableTable("", columns, rows, "probability"),
    rows.length < nodes ? missing(`And ${whole(nodes - rows.length)} more, which are surer. All of them:`, "hwgcn predict RUN --out predictions.csv") : null);
}
