// The ego explorer: one node in the middle, around it the members of its rings that weigh most.

const partWords = ["", "training", "validation", "test"];
const noLabel = 65535;

function unpack(text, Kind) {
  const bytes = Uint8Array.from(atob(text), character => character.charCodeAt(0));
  return new Kind(bytes.buffer);
}

// The tables that src/report/explorer_section.cpp packed.
class EgoTables {
  constructor(packed) {
    Object.assign(this, {ids: packed.ids, rings: packed.rings, perRing: packed.per_ring, focus: packed.focus, allNodes: packed.all_nodes});
    this.predicted = unpack(packed.predicted, Uint16Array);
    this.label = unpack(packed.label, Uint16Array);
    this.confidence = unpack(packed.confidence, Uint16Array);
    this.part = unpack(packed.part, Uint8Array);
    this.ringNodes = unpack(packed.ring_nodes, Uint32Array);
    this.ringWeight = unpack(packed.ring_weight, Float32Array);
    this.neighbor = unpack(packed.neighbor, packed.wide ? Uint32Array : Uint16Array);
    this.weight = unpack(packed.weight, Uint16Array);
    this.hasShares = packed.share !== undefined;
    if (this.hasShares) {
      this.shared = packed.shared && unpack(packed.shared, Uint8Array);  // not there where all have some
      this.share = unpack(packed.share, Int16Array);
      this.ringShare = unpack(packed.ring_share, Int16Array);
      this.ownShare = unpack(packed.own_share, Int16Array);
      this.otherShare = unpack(packed.other_share, Int16Array);
    }
    this.weightOf = code => Math.exp(packed.weight_range[0] + code / 65535 * (packed.weight_range[1] - packed.weight_range[0]));
    // All but the lightest twentieth: a few next to nothing would fill the slider otherwise.
    this.lightest = this.weightOf(d3.quantile(Uint16Array.from(this.weight).sort(), .05) ?? 65535);
    this.heaviest = Math.exp(packed.weight_range[1]);
    this.starts = new Uint32Array(this.focus * this.rings + 1);
    for (let ring = 0; ring < this.focus * this.rings; ++ring)
      this.starts[ring + 1] = this.starts[ring] + Math.min(this.ringNodes[ring], this.perRing);
  }

  isWrong(node) { return this.label[node] !== noLabel && this.label[node] !== this.predicted[node]; }

  // Nothing is ever quite sure.
  confidenceOf(node) { return percent(Math.min(99.9, 100 * this.confidence[node] / 65535)); }

  hasSharesOf(node) { return this.hasShares && node < this.focus && (!this.shared || this.shared[node] === 1); }

  shareOf(code) { return 100 * code / 32767; }

  // The rings of a node: {distance, nodes, weight, share, members: [{node, distance, weight, share}]}.
  around(node) {
    const shared = this.hasSharesOf(node);
    return d3.range(this.rings).map(ring => {
      const place = node * this.rings + ring, distance = ring + 1;
      const members = d3.range(this.starts[place], this.starts[place + 1]).map(entry => ({
        node: this.neighbor[entry], distance, weight: this.weightOf(this.weight[entry]),
        share: shared ? this.shareOf(this.share[entry]) : null}));
      return {distance, members, nodes: this.ringNodes[place], weight: this.ringWeight[place],
        share: shared ? this.shareOf(this.ringShare[place]) : null};
    });
  }
}

const quoted = text => /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;  // for a shell

const distanceWords = distance => distance < 0 ? "others, over several steps" : distance === 0 ? "the node itself"
  : distance === 1 ? "neighbors" : `distance ${distance}`;

function explorerSection(run) {
  const tables = new EgoTables(run.explorer);
  new Explorer(tables, run.classes).appendTo(section("explorer", "Ego explorer",
    paragraph(run.weights.length > 0
      ? "A node and those it learns from: rings are distances in the graph, lines are as thick as the learned weight (an edge weighs 1), colour and shape are the predicted class."
      : "A node and its neighbors in the graph; colour and shape are the predicted class."),
    run.explorer.kind === "gradient" ? paragraph(`Shares of ${run.title} are those of a gradient times the features of each node: what each adds to first order. Unlike the sum that other networks are, they do not add up to the score.`, "soft") : null,
    run.explorer.kind === "average" ? paragraph("Shares are of what nodes add to the margin of each member between its own scores of two classes, divided by its temperature and times its weight in the average. They add up to the weighted mean of these margins, not to the log-odds of the averaged probabilities.", "soft") : null,
    run.explorer.kind === "shapley" ? paragraph(`Shares of ${run.title} are Shapley values of the columns that its trees look at; what a statistic of neighbors adds is shared among the neighbors that made it.`, "soft") : null,
    tables.hasShares && run.explorer.beyond ? paragraph(`${run.title} passes on what it hears several times: shares count all the ways that lead to a node, and nodes without a weight of their own speak, too (the others; hwgcn explain lists them).`, "soft") : null,
    paragraph(`Shown are the ${tables.perRing} heaviest of each ring. A thick outline marks nodes whose label was trained on. Click on a node, or reach the picture with Tab, move with the arrow keys and press Enter, to go there.`, "soft")));
}

class Explorer {
  constructor(tables, classes) {
    this.tables = tables;
    this.classes = classes;
    this.visited = [];
    this.least = 0;
    this.sort = {column: "share"};
    this.wrong = d3.range(tables.focus).filter(node => tables.part[node] === 3 && tables.isWrong(node));
    this.makeControls();
    this.told = element("p", {class: "told", "aria-live": "polite"});
    this.head = element("h3", {id: "ego-title"});
    this.rings = element("div");
    this.list = element("div");
    this.picture = chart("A node and its rings", (svg, width) => { this.svg = svg; return this.draw(width); });
    this.centre = this.nodeOfAddress() ?? this.firstNode();
    window.addEventListener("hashchange", () => {
      const wanted = this.nodeOfAddress();
      if (wanted !== undefined && wanted !== this.centre) this.show(wanted);
    });
  }

  appendTo(holder) {
    const used = [...new Set(this.tables.predicted)].sort((a, b) => a - b);
    holder.append(this.controls, this.head, element("div", {class: "explorer"},
      element("div", {}, classLegend(this.classes, used), this.picture, this.told), element("div", {}, this.rings, this.list)));
    this.show(this.centre, false);
    if (this.nodeOfAddress() !== undefined) holder.scrollIntoView();
  }

  // A node with something to see: the test node with the most members around it, among the first ones.
  firstNode() {
    const {tables} = this;
    const tested = d3.range(tables.focus).filter(node => tables.part[node] === 3);
    const first = (tested.length > 0 ? tested : d3.range(tables.focus)).slice(0, 200), shared = first.filter(node => tables.hasSharesOf(node));
    const size = node => d3.sum(tables.around(node), ring => ring.members.length);
    return (shared.length > 0 ? shared : first).reduce((best, node) => size(node) > size(best) ? node : best);
  }

  noSuchNode(id) {
    const {focus, allNodes} = this.tables;
    return `No node with “${shortened(id, 40)}”${focus < allNodes ? ` among the ${whole(focus)} of ${whole(allNodes)} that this page has` : ""}.`;
  }

  nodeOfAddress() {
    const wanted = new URLSearchParams(location.hash.slice(1)).get("node");
    if (wanted === null) return undefined;
    const found = this.tables.ids.indexOf(wanted);
    const isThere = found >= 0 && found < this.tables.focus;
    this.status.textContent = isThere ? "" : this.noSuchNode(wanted);
    return isThere ? found : undefined;
  }

  makeControls() {
    this.search = element("input", {id: "ego-search", type: "text", role: "combobox", autocomplete: "off", spellcheck: "false",
      "aria-expanded": "false", "aria-controls": "ego-found", "aria-autocomplete": "list", placeholder: "node id",
      oninput: () => this.suggest(), onkeydown: event => this.searchKey(event), onblur: () => this.closeSuggestions()});
    this.found = element("ul", {id: "ego-found", role: "listbox", "aria-label": "Nodes found", hidden: true});
    this.slider = element("input", {id: "ego-least", type: "range", min: 0, max: 100, value: 0, oninput: () => this.setLeast()});
    this.leastText = element("output", {for: "ego-least"}, "all");
    this.status = element("p", {class: "status", role: "status"});
    this.back = element("button", {type: "button", disabled: true, onclick: () => this.goBack()}, "Back");
    const nextWrong = element("button", {type: "button", disabled: this.wrong.length === 0, onclick: () => this.goToWrong()},
      this.wrong.length > 0 ? `Next wrong prediction (${this.wrong.length})` : "No wrong prediction on test nodes");
    this.controls = element("div", {class: "controls"},
      element("div", {class: "search"}, element("label", {for: "ego-search"}, "Go to the node"), this.search, this.found, this.status),
      element("div", {}, element("label", {for: "ego-least"}, "Weights of at least: ", this.leastText), this.slider),
      this.back, nextWrong);
  }

  // Ids that begin with the text, then those that contain it.
  suggest() {
    const wanted = this.search.value.trim().toLowerCase(), {ids, focus} = this.tables;
    const begin = [], within = [];
    for (let node = 0; wanted !== "" && node < focus && begin.length < 8; ++node) {
      const place = ids[node].toLowerCase().indexOf(wanted);
      if (place === 0) begin.push(node);
      else if (place > 0 && within.length < 8) within.push(node);
    }
    const exact = ids.indexOf(this.search.value.trim());
    const matches = [...new Set([...(exact >= 0 && exact < focus ? [exact] : []), ...begin, ...within])].slice(0, 8);
    this.found.replaceChildren(...matches.map((node, index) => element("li", {role: "option", id: `ego-found-${index}`,
      "aria-selected": index === 0 ? "true" : "false", "data-node": node,
      onmousedown: event => { event.preventDefault(); this.choose(node); }}, `${ids[node]} · ${this.classes[this.tables.predicted[node]]}`)));
    this.found.hidden = matches.length === 0;
    this.search.setAttribute("aria-expanded", String(matches.length > 0));
    this.status.textContent = wanted !== "" && matches.length === 0 ? this.noSuchNode(this.search.value.trim()) : "";
    this.markSuggestion(0);
  }

  markSuggestion(index) {
    const options = [...this.found.children];
    options.forEach((option, place) => option.setAttribute("aria-selected", String(place === index)));
    if (options[index]) this.search.setAttribute("aria-activedescendant", options[index].id);
    else this.search.removeAttribute("aria-activedescendant");
  }

  searchKey(event) {
    const options = [...this.found.children];
    const at = options.findIndex(option => option.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      this.markSuggestion((at + (event.key === "ArrowDown" ? 1 : options.length - 1)) % Math.max(1, options.length));
    } else if (event.key === "Enter" && options[at]) {
      this.choose(Number(options[at].dataset.node));
    } else if (event.key === "Escape") {
      this.closeSuggestions();
    }
  }

  closeSuggestions() {
    this.found.hidden = true;
    this.found.replaceChildren();
    this.search.setAttribute("aria-expanded", "false");
    this.search.removeAttribute("aria-activedescendant");
  }

  choose(node) {
    this.search.value = this.tables.ids[node];
    this.closeSuggestions();
    this.show(node);
  }

  setLeast() {
    const {lightest, heaviest} = this.tables, share = Number(this.slider.value) / 100;
    this.least = share === 0 ? 0 : lightest * Math.pow(heaviest / lightest, share) * (1 - 1e-3);
    this.leastText.textContent = share === 0 ? "all" : digits(this.least);
    this.slider.setAttribute("aria-valuetext", this.leastText.textContent);
    this.redraw();
  }

  goBack() {
    this.show(this.visited.pop(), false);
    if (this.back.disabled) this.focusCentre();  // a disabled button would lose the focus
  }

  focusCentre() { this.svg.select("g.node").node().focus(); }

  goToWrong() {
    this.show(this.wrong.find(node => node > this.centre) ?? this.wrong[0]);
  }

  show(node, remember = true) {
    if (remember && node !== this.centre) this.visited.push(this.centre);
    this.centre = node;
    this.back.disabled = this.visited.length === 0;
    if (this.shown) history.replaceState(null, "", `#node=${encodeURIComponent(this.tables.ids[node])}`);
    this.shown = true;
    this.redraw();
    this.tell(this.describe({node, distance: 0}));
  }

  tell(text) { this.told.textContent = text; }

  describe(member) {
    const {tables, classes} = this, {node} = member;
    const known = tables.label[node] === noLabel ? "no label" : `label ${classes[tables.label[node]]}`;
    const part = partWords[tables.part[node]];
    return [`${tables.ids[node]}: predicted ${classes[tables.predicted[node]]} (${tables.confidenceOf(node)})`,
      known + (part ? `, ${part} node` : "") + (tables.isWrong(node) ? ", wrong" : ""),
      member.distance > 0 ? `distance ${member.distance}, weight ${digits(member.weight)}` : "",
      member.distance > 0 && member.share !== null ? `share ${signed(member.share)} %` : ""].filter(text => text).join(" · ");
  }

  redraw() {
    const {tables} = this;
    this.around = tables.around(this.centre);
    for (const ring of this.around) ring.members = ring.members.filter(member => member.weight >= this.least);
    this.head.textContent = `Node ${tables.ids[this.centre]}: ${this.classes[tables.predicted[this.centre]]}, ${tables.confidenceOf(this.centre)} sure`;
    this.showTables();
    if (this.width) this.draw(this.width);
  }

  // Rings from the inside out; members of a ring by class, then by weight.
  draw(width) {
    this.width = width;
    const size = Math.min(width, 620), middle = width / 2, {tables, svg} = this;
    const step = (size / 2 - 26) / (tables.rings + .3), radius = distance => step * (distance + .3);
    const thickness = d3.scaleSqrt().domain([0, Math.max(1, tables.heaviest)]).range([.4, 9]);
    const centre = {node: this.centre, distance: 0, x: middle, y: size / 2};
    const members = this.around.flatMap(ring => [...ring.members]
      .sort((a, b) => tables.predicted[a.node] - tables.predicted[b.node] || b.weight - a.weight)
      .map((member, index, all) => {
        const angle = 2 * Math.PI * ((index + .5) / all.length + ring.distance * .381966) - Math.PI / 2;
        return {...member, x: middle + radius(ring.distance) * Math.cos(angle), y: size / 2 + radius(ring.distance) * Math.sin(angle)};
      }));
    svg.selectAll("*").remove();
    svg.selectAll("circle.ring").data(this.around).join("circle").attr("class", "ring").attr("cx", middle).attr("cy", size / 2)
      .attr("r", ring => radius(ring.distance));
    svg.selectAll("line.spoke").data(members).join("line").attr("class", "spoke").attr("x1", centre.x).attr("y1", centre.y)
      .attr("x2", member => member.x).attr("y2", member => member.y).attr("stroke", member => classColor(tables.predicted[member.node]))
      .attr("stroke-width", member => thickness(member.weight));
    svg.selectAll("text.ring-name").data(this.around).join("text").attr("class", "ring-name soft halo").attr("text-anchor", "middle")
      .attr("x", middle).attr("y", ring => size / 2 - radius(ring.distance) - 3).text(ring => ring.distance);
    this.drawNodes([centre, ...members]);
    svg.attr("viewBox", `0 0 ${width} ${size}`).attr("role", "group").attr("aria-label", `Node ${tables.ids[this.centre]} and ${members.length} others around it`);
    return size;
  }

  drawNodes(members) {
    const {tables, svg} = this, explorer = this;
    const nodes = svg.selectAll("g.node").data(members).join("g")
      .attr("class", member => `node${tables.part[member.node] === 1 ? " known" : ""}${member.node < tables.focus ? "" : " dim"}`)
      .attr("transform", member => `translate(${member.x},${member.y})`).attr("role", "button")
      .attr("data-id", member => tables.ids[member.node])
      .attr("tabindex", (member, index) => index === 0 ? 0 : -1).attr("aria-label", member => this.describe(member));
    nodes.append("path").attr("d", member => classSymbol(tables.predicted[member.node], member.distance === 0 ? 320 : 110))
      .attr("fill", member => classColor(tables.predicted[member.node]));
    nodes.append("title").text(member => this.describe(member));
    nodes.on("mouseenter focus", member => explorer.tell(explorer.describe(member)))
      .on("click", member => explorer.visit(member))
      .on("keydown", function(member, index, all) { explorer.nodeKey(member, index, all); });
  }

  visit(member) {
    if (member.node >= this.tables.focus) this.tell(`${this.tables.ids[member.node]} is not among the nodes that this page can put in the middle.`);
    else if (member.distance > 0) {
      this.show(member.node);
      this.focusCentre();
    }
  }

  nodeKey(member, index, all) {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[d3.event.key];
    if (step) {
      d3.event.preventDefault();
      const next = all[(index + step + all.length) % all.length];
      d3.selectAll(all).attr("tabindex", -1);
      d3.select(next).attr("tabindex", 0);
      next.focus();
    } else if (d3.event.key === "Enter" || d3.event.key === " ") {
      d3.event.preventDefault();
      this.visit(member);
    }
  }

  showTables() {
    const {tables} = this, shared = tables.hasSharesOf(this.centre);
    const rows = this.around.map(ring => ({...ring, shown: ring.members.length}));
    if (shared) rows.unshift({distance: 0, nodes: 1, weight: 1, shown: 1, share: tables.shareOf(tables.ownShare[this.centre])});
    const others = shared ? tables.shareOf(tables.otherShare[this.centre]) : 0;
    if (Math.abs(others) >= .05) rows.push({distance: -1, share: others});
    const columns = [
      {title: "ring", text: true, value: row => distanceWords(row.distance)},
      {title: "nodes", value: row => row.nodes === undefined ? "" : whole(row.nodes)},
      {title: "shown", value: row => row.shown === undefined ? "" : whole(row.shown)},
      {title: "weight", value: row => row.weight === undefined ? "" : digits(row.weight)}];
    if (shared) columns.push({title: "share %", value: row => signed(row.share)});
    this.rings.replaceChildren(table(shared ? "Contributions by distance" : "By distance", columns, rows),
      tables.hasShares && !shared ? missing("This page has no shares for this node:", `hwgcn explain RUN --node ${quoted(tables.ids[this.centre])}`) : "");
    this.list.replaceChildren(this.memberTable());
  }

  memberTable() {
    const {tables, classes} = this, shared = tables.hasSharesOf(this.centre);
    const members = this.around.flatMap(ring => ring.members);
    const sorted = this.sort.column === "share" && !shared ? "weight" : this.sort.column;
    const key = {share: member => Math.abs(member.share), weight: member => member.weight, distance: member => -member.distance}[sorted];
    members.sort((a, b) => key(b) - key(a) || a.node - b.node);
    const sorter = (column, title) => element("button", {type: "button", "data-sort": column, onclick: () => {
      this.sort.column = column;
      this.list.replaceChildren(this.memberTable());
      this.list.querySelector(`[data-sort="${column}"]`).focus();
    }}, title + (sorted === column ? " ▾" : ""));
    const columns = [
      {title: "node", text: true, value: member => member.node < tables.focus
        ? element("button", {type: "button", class: "link", onclick: () => this.visit(member)}, shortened(tables.ids[member.node], 16))
        : shortened(tables.ids[member.node], 16)},
      {title: sorter("distance", "distance"), value: member => member.distance},
      {title: sorter("weight", "weight"), value: member => digits(member.weight)}];
    if (shared) columns.push({title: sorter("share", "share %"), value: member => signed(member.share)});
    columns.push({title: "predicted", text: true, value: member => shortened(classes[tables.predicted[member.node]], 13)},
      {title: "label", text: true, value: member => tables.label[member.node] === noLabel ? "" : shortened(classes[tables.label[member.node]], 13)});
    const made = table(`${counted(members.length, "node")} shown`, columns, members);
    made.classList.add("members");
    made.tabIndex = 0;
    return made;
  }
}
