// What people do with the page: choices, pointer, keyboard, search and table.

const LISTED = 100;

const element = (id) => document.getElementById(id);
const data = JSON.parse(element("data").textContent);
const isDifference = data.head.base !== null;
const wholeTree = treeOfData(data);
const states = statesOf(wholeTree, data.names);
const graph = new Graph(element("graph"), element("canvas"), element("spacer"), data);
let slice = wholeSlice(), callersTree = null, hiddenColour = null;
let sortedBy = "change", isAscending = false, listed = LISTED, hits = [], hit = -1;

function make(kind, text, className) {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function count(number) {
  return number.toLocaleString("en");
}

function describeHead() {
  const { head } = data;
  element("title").textContent = isDifference ? `${head.new} compared with ${head.base}` : head.new;
  const [base, now] = head.samples.map(count);
  const frames = `${count(wholeTree.count - 1)} frames`;
  element("summary").textContent = isDifference
    ? `${base} samples in base, ${now} in new, ${frames}; widths and changes are shares of the samples`
    : `${now} samples, ${frames}`;
  const notes = [...head.notes];
  if (head.smallest > 0) {
    notes.push(`frames with shares up to ${(100 * head.smallest).toPrecision(2)}% are not drawn; the table of the whole profile counts them`);
  }
  const [first, second] = [0, 1].filter((side) => !head.iterations[side]);
  if (isDifference && first !== undefined && second === undefined) {
    notes.push(`${["base", "new"][first]} was recorded without the durations of its iterations: no slice of slow iterations can be compared`);
  }
  element("notes").append(...notes.map((note) => make("li", note)));
  if (!slice.times) element("colour").querySelector("[value=time]").remove();
  if (!isDifference) {
    for (const id of ["width", "colour"]) element(id).closest("label").hidden = true;
    element("width").value = "new";
    element("colour").value = "crate";
  }
}

function show() {
  const isCallers = element("view").value === "callers", ofTime = element("colour").querySelector("[value=time]");
  if (isCallers && !callersTree) callersTree = callersOf(slice.tree);
  if (ofTime) ofTime.disabled = !slice.times;
  // Without times per iteration, shares are left; with them again, the choice of before.
  if (!slice.times && element("colour").value === "time") {
    hiddenColour = "time";
    element("colour").value = "absolute";
  } else if (slice.times && hiddenColour) {
    element("colour").value = hiddenColour;
    hiddenColour = null;
  }
  graph.show(isCallers ? { ...slice, tree: callersTree } : slice, element("width").value, element("colour").value);
  describeLegend();
  search();
  showCrumbs();
}

function describeLegend() {
  const { colour } = graph;
  const strongest = graph.strongest[colour] || 0;
  const more = {
    absolute: `larger share of the whole than in base, up to ${points(strongest).slice(1)} points`,
    relative: `larger share of the caller than in base, up to ${points(strongest).slice(1)} points`,
    time: "more time per iteration than in base" + (Number.isFinite(strongest) ? `, up to ${nanoseconds(strongest)}` : ""),
  };
  element("legend").textContent = colour === "crate"
    ? "A colour is a crate. Grey frames are of no crate, or narrower than half a pixel."
    : `Vermilion: ${more[colour]}. `
      + "Blue: smaller. Hatched: no change beyond chance. Grey bars: frames narrower than half a pixel.";
}

function showCrumbs() {
  const chain = [];
  for (let frame = graph.zoom; ; frame = graph.tree.parent[frame]) {
    chain.unshift(frame);
    if (frame === 0) break;
  }
  const shown = chain.length > 40 ? [0, ...chain.slice(-39)] : chain;
  element("crumbs").replaceChildren(...shown.flatMap((frame, place) => {
    const button = make("button", shortened(graph.nameOf(frame), 40));
    button.type = "button";
    button.title = graph.nameOf(frame);
    button.addEventListener("click", () => zoomTo(frame));
    return place ? [" \u203a ", button] : [button];
  }));
  element("crumbs").scrollLeft = 1e9;
}

function zoomTo(frame) {
  graph.zoomTo(frame);
  showCrumbs();
}

// Rows of what is known of a frame: a label, then one cell a side.
function factsOf(frame) {
  const { tree } = graph, sides = isDifference ? [0, 1] : [1];
  const whole = changeOf(graph.shares(frame, 0), graph.samples);
  const shares = graph.shares(frame, 0);
  const interval = (side) => whole.intervals[side].map(percent).join(" to ");
  const facts = [
    ["weight", ...sides.map((side) => count(tree.total[side][frame]))],
    ["own weight", ...sides.map((side) => count(tree.own[side][frame]))],
    ["share", ...sides.map((side) => percent(shares[side]))],
    ["95% interval", ...sides.map(interval)],
  ];
  const times = graph.times(frame);
  if (times) {
    const distance = ({ variance }) => nanoseconds(NORMAL_975 * Math.sqrt(variance));
    facts.push(["per iteration", ...sides.map((side) => `${nanoseconds(times[side].ns)} \u00b1 ${distance(times[side])}`)]);
  }
  if (isDifference) {
    const within = graph.changeOf(frame, "relative");
    facts.push(["change", `${points(whole.change)} points (${points(whole.lower)} to ${points(whole.upper)}), z ${signed(whole.z)}`]);
    if (times) {
      const { change, lower, upper, z } = timeChangeOf(times);
      facts.push(["change per iteration", `${signedTime(change)} (${signedTime(lower)} to ${signedTime(upper)}), z ${signed(z)}`]);
    }
    facts.push(["within caller", `${points(within.change)} points, z ${signed(within.z)}`]);
  }
  return facts;
}

function showTip(event) {
  const frame = graph.frameAt(event.clientX, event.clientY), tip = element("tip");
  tip.hidden = frame === undefined;
  if (frame === undefined) return;
  if (frame < 0) {
    tip.replaceChildren(make("div", "frames narrower than half a pixel: click their caller to see them"));
  } else {
    const table = make("table");
    if (isDifference) {
      const heading = make("tr");
      heading.append(make("td"), make("td", "base"), make("td", "new"));
      table.append(heading);
    }
    for (const [label, ...cells] of factsOf(frame)) {
      const row = make("tr");
      row.append(make("td", label), ...cells.map((cell) => make("td", cell)));
      if (cells.length === 1) row.lastChild.colSpan = 2;
      table.append(row);
    }
    tip.replaceChildren(make("div", graph.nameOf(frame), "name"), table);
  }
  const { offsetWidth, offsetHeight } = tip;
  tip.style.left = Math.max(0, Math.min(event.clientX + 14, innerWidth - offsetWidth - 8)) + "px";
  const below = event.clientY + 16;
  tip.style.top = (below + offsetHeight > innerHeight ? Math.max(0, event.clientY - offsetHeight - 10) : below) + "px";
}

function describeFocus() {
  const { focus } = graph;
  const facts = factsOf(focus).map(([label, ...cells]) => `${label} ${cells.join(" / ")}`);
  element("status").textContent = `${graph.nameOf(focus)}: ${facts.join("; ")}`;
}

// Marks all frames that match, and adds them up; what is inside of a match counts with it.
function search() {
  const box = element("search"), { tree } = graph;
  hits = [];
  hit = -1;
  box.classList.remove("wrong");
  graph.found = null;
  element("matches").textContent = "";
  if (box.value) {
    let pattern;
    try {
      pattern = new RegExp(box.value, /[A-Z]/.test(box.value) ? "" : "i");
    } catch (error) {
      box.classList.add("wrong");
      element("matches").textContent = "no regular expression";
    }
    if (pattern) {
      graph.found = Uint8Array.from(data.names, (name) => pattern.test(name));
      const sum = [0, 0];
      for (let frame = 1; frame < tree.count;) {
        if (!graph.found[tree.name[frame]]) { frame++; continue; }
        hits.push(frame);
        for (const side of [0, 1]) sum[side] += tree.total[side][frame];
        frame = tree.end[frame];
      }
      const shares = sum.map((it, side) => percent(it / (tree.total[side][0] || 1)));
      element("matches").textContent = `${count(hits.length)} place${hits.length === 1 ? "" : "s"}, `
        + (isDifference ? `${shares[0]} of base, ${shares[1]} of new` : shares[1]);
    }
  }
  graph.draw();
}

function nextHit(step) {
  if (!hits.length) return;
  hit = (hit + step + hits.length) % hits.length;
  graph.walkTo(hits[hit]);
  showCrumbs();
  describeFocus();
}

function rowsOfTable() {
  const { tree, samples, times } = slice;
  const isListed = tree === wholeTree && data.functions.length > 0;
  const rows = isListed
    ? data.functions.map(([name, baseOwn, newOwn, baseTotal, newTotal]) =>
      ({ name, own: [baseOwn, newOwn], total: [baseTotal, newTotal] }))
    : functionsOf(tree, data.names.length);
  const whole = tree.total.map((total) => total[0] || 1);
  return rows.map(({ name, own, total }) => {
    const shares = own.map((it, side) => it / whole[side]), totals = total.map((it, side) => it / whole[side]);
    const change = changeOf(shares, samples), totalChange = changeOf(totals, samples);
    const time = isDifference && times ? timeChangeOf(own.map((it, side) =>
      timeOf(it, times.whole[side], times.samples[side], times.iteration[side]))) : {};
    return { name: data.names[name], base: shares[0], new: shares[1], change: change.change, lower: change.lower,
      upper: change.upper, z: change.z, baseTotal: totals[0], newTotal: totals[1], totalChange: totalChange.change,
      time: time.change, timeLower: time.lower, timeUpper: time.upper };
  });
}

const columns = () => (isDifference
  ? [["base", "own base", percent], ["new", "own new", percent], ["change", "change", points], ["interval", "95% interval"],
    ["z", "z", signed],
    ...(slice.times ? [["time", "per iteration", signedTime], ["timeInterval", "95% interval"]] : []),
    ["baseTotal", "total base", percent], ["newTotal", "total new", percent],
    ["totalChange", "change", points], ["name", "function"]]
  : [["new", "own", percent], ["newTotal", "total", percent], ["name", "function"]]);

function showTable() {
  if (!columns().some(([key]) => key === sortedBy)) sortedBy = isDifference ? "change" : "new";
  const rows = rowsOfTable();
  const direction = isAscending ? 1 : -1;
  rows.sort((one, other) => (sortedBy === "name"
    ? direction * (one.name < other.name ? -1 : 1)
    : direction * (one[sortedBy] - other[sortedBy])));
  const table = make("table"), head = make("tr");
  for (const [key, label, format] of columns()) {
    const cell = make("th", undefined, key === "name" ? "name" : "");
    const button = make("button", label + (key === sortedBy ? (isAscending ? " \u25b2" : " \u25bc") : ""));
    button.type = "button";
    if (format || key === "name") button.addEventListener("click", () => sortBy(key));
    cell.setAttribute("aria-sort", key === sortedBy ? (isAscending ? "ascending" : "descending") : "none");
    cell.append(button);
    head.append(cell);
  }
  table.append(head, ...rows.slice(0, listed).map(rowOf));
  element("table").replaceChildren(table);
  if (rows.length > listed) {
    const more = make("button", `Show ${count(Math.min(rows.length, 10 * listed))} of ${count(rows.length)} functions`);
    more.type = "button";
    more.addEventListener("click", () => { listed *= 10; showTable(); });
    element("table").append(more);
  }
  element("table-note").textContent = "A function is summed over all its callers; recursion counts once. "
    + (isDifference ? `Bold: no accident, |z| of ${data.head.culpritZ.toFixed(1)} or more. Faint: |z| below 2. ` : "")
    + "Click a function to mark it above.";
}

function rowOf(row) {
  const isCulprit = isDifference && Math.abs(row.z) >= data.head.culpritZ;
  const isChance = isDifference && Math.abs(row.z) < CHANCE;
  const made = make("tr", undefined, [isCulprit && "culprit", isChance && "chance", row.change < 0 && "less"].filter(Boolean).join(" "));
  for (const [key, , format] of columns()) {
    if (key === "name") {
      const cell = make("td", undefined, "name"), button = make("button", row.name);
      button.type = "button";
      button.title = row.name;
      button.addEventListener("click", () => mark(row.name));
      cell.append(button);
      made.append(cell);
    } else {
      const intervals = {
        interval: () => `${points(row.lower)} to ${points(row.upper)}`,
        timeInterval: () => `${signedTime(row.timeLower)} to ${signedTime(row.timeUpper)}`,
      };
      const text = format ? format(row[key]) : intervals[key]();
      made.append(make("td", text, key === "change" ? "change" : ""));
    }
  }
  return made;
}

function sortBy(key) {
  isAscending = key === sortedBy ? !isAscending : key === "name";
  sortedBy = key;
  showTable();
}

function mark(name) {
  element("search").value = "^" + name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "$";
  search();
  element("graph").scrollIntoView({ block: "nearest" });
}

function onKey(event) {
  const { key } = event;
  if (key.startsWith("Arrow")) {
    graph.walkTo(graph.neighbour(key));
    showCrumbs();
  } else if (key === "Enter" || key === " ") {
    zoomTo(graph.focus);
  } else if (key === "Escape") {
    zoomTo(0);
  } else if (key === "Backspace") {
    zoomTo(graph.tree.parent[graph.zoom]);
  } else {
    return;
  }
  describeFocus();
  event.preventDefault();
}

function listen() {
  const box = element("graph");
  element("colour").addEventListener("change", () => { hiddenColour = null; });
  for (const id of ["width", "colour", "view"]) element(id).addEventListener("change", show);
  element("reset").addEventListener("click", showWhole);
  element("search").addEventListener("input", search);
  element("search").addEventListener("keydown", (event) => {
    if (event.key === "Enter") nextHit(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") { event.target.value = ""; search(); box.focus(); }
  });
  box.addEventListener("mousemove", showTip);
  box.addEventListener("mouseleave", () => { element("tip").hidden = true; });
  box.addEventListener("click", (event) => {
    const frame = graph.frameAt(event.clientX, event.clientY);
    if (frame >= 0) { zoomTo(frame); describeFocus(); }
  });
  box.addEventListener("keydown", onKey);
  for (const name of ["focus", "blur"]) box.addEventListener(name, () => graph.draw());
  let isDrawing = false;
  box.addEventListener("scroll", () => {
    element("tip").hidden = true;
    if (isDrawing) return;
    isDrawing = true;
    requestAnimationFrame(() => { isDrawing = false; graph.draw(); });
  });
  new ResizeObserver(() => graph.layout()).observe(box);
  dark.addEventListener("change", () => graph.draw());
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "f" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    element("search").select();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.activeElement !== element("search") && document.activeElement !== box) zoomTo(0);
  });
}

describeHead();
describeSlice();
fillSlices();
listen();
show();
showTable();
