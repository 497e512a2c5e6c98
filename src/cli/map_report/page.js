"use strict";
// What a page shows: one document about all kernels, and one for each source that is in this file. Text of programs only
// ever becomes text.
const $ = id => document.getElementById(id);
const make = (name, text, type, attributes) => {
  const element = document.createElement(name);
  if (text !== undefined && text !== null) element.textContent = text;
  if (type) element.className = type;
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  return element;
};
const draw = (name, attributes, parent) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (parent) parent.append(element);
  return element;
};
const nest = (outer, ...inner) => (outer.append(...inner), outer);
const short = n => n < 1e4 ? String(Math.round(n)) : n < 1e6 ? (n / 1e3).toFixed(1) + " k" : n < 1e9 ? (n / 1e6).toFixed(1) + " M" : (n / 1e9).toFixed(1) + " G";
const percent = (x, digits = 1) => (100 * x).toFixed(digits) + " %";
const base = file => file.split("/").pop();
const at = place => place ? `${base(place.file)}:${place.line}` : "–";
const sum = (list, of) => list.reduce((all, one) => all + of(one), 0);
const change = (a, b) => a === b || b === null || b === undefined ? String(a) : `${a} → ${b}`;

const { index, notes, legend, up } = JSON.parse($("index").textContent);
// a name without its scopes, which libraries have many of
const brief = name => name.replace(/^(?:\w+::)+/, "");
// sources are read when they are first looked at
const units = new Map([...document.querySelectorAll("script[type='application/json']")].filter(e => e.id !== "index").map(e => [e.id, e]));
const read = new Map();
const unit = name => read.get(name) ?? read.set(name, prepared(JSON.parse(units.get(name).textContent))).get(name);

// ---- what remarks mean
const REFUSED = { "fuse-branches": "not fused", "unroll-loops": "not unrolled", "steer-spills": "not moved" };
const words = (remark, done) => {
  const refused = !done && REFUSED[legend[remark]?.[0]], own = refused ? remark.replace(/^(NotFused|Unroll)(?=[A-Z])/, "") : remark;
  return (refused ? refused + ": " : "") + own.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
};
const meaning = remark => legend[remark] ? `${remark} (${legend[remark][0]}): ${legend[remark][1]}` : remark;
const chips = (tallies, type) => tallies.map(one => make("span", words(one.remark, type) + (one.count > 1 ? ` ×${one.count}` : ""), `chip ${type}`, { title: meaning(one.remark) }));

// ---- tables: columns are {name, cell, key, type, title}; a cell is text or nodes. Columns without any cell are left out
const CHUNK = 200;
function offer(parent, left, what, grow) {
  const button = make("button", `${left} ${what}`);
  button.addEventListener("click", grow);
  parent.replaceChildren(...(left > 0 ? [button] : []));
}
function table(parent, title, all, rows, options = {}) {
  parent.replaceChildren();
  parent.hidden = !rows.length;
  if (!rows.length) return;
  const head = make("div", null, "head"), box = make("input", null, "", { type: "search", placeholder: "filter", "aria-label": `filter ${title}` });
  const number = make("span", "", "soft"), body = make("tbody"), more = make("div"), line = make("tr");
  head.append(make("h2", title), ...(options.note ? [make("span", options.note, "soft")] : []), ...(rows.length > 5 ? [box, number] : []));
  const text = (column, row) => { const c = column.cell(row); return Array.isArray(c) ? c.map(e => e.textContent ?? e).join(" ") : String(c ?? ""); };
  const columns = all.filter(column => rows.some(row => text(column, row))), list = rows.map(row => ({ row, text: null }));
  let count = options.chunk || CHUNK, sorted = -1, down = true;
  const show = () => {
    const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = list.filter(one => !wanted.length || (one.text ??= columns.map(c => text(c, one.row)).join(" ").toLowerCase(), wanted.every(w => one.text.includes(w))));
    if (sorted >= 0) {
      const column = columns[sorted], key = one => column.key ? column.key(one.row) : text(column, one.row);
      found.sort((a, b) => { const [x, y] = [key(a), key(b)], order = x < y ? -1 : x > y ? 1 : 0; return down ? -order : order; });
    }
    number.textContent = `${found.length} of ${rows.length}`;
    body.replaceChildren(...found.slice(0, count).map(({ row }) => {
      const element = make("tr", null, options.go ? "go" : "");
      for (const column of columns) {
        const content = column.cell(row) ?? "";
        element.append(nest(make("td", null, column.type), ...(Array.isArray(content) ? content : [content])));
      }
      if (options.go) {
        element.tabIndex = 0;
        element.addEventListener("click", event => event.target.closest("a, button") || options.go(row));
        element.addEventListener("keydown", event => event.key === "Enter" && event.target === element && options.go(row));
      }
      return element;
    }));
    offer(more, found.length - count, "more", () => { count += CHUNK; show(); });
  };
  columns.forEach((column, number) => {
    const th = make("th", column.name, column.type, { scope: "col", tabindex: 0, ...(column.title && { title: column.title }) });
    const sort = () => {
      down = sorted === number ? !down : /right/.test(column.type);
      sorted = number;
      [...line.children].forEach(other => other.removeAttribute("aria-sort"));
      th.setAttribute("aria-sort", down ? "descending" : "ascending");
      show();
    };
    th.addEventListener("click", sort);
    th.addEventListener("keydown", event => event.key === "Enter" && sort());
    line.append(th);
  });
  box.addEventListener("input", show);
  parent.append(head, nest(make("div", null, "scroll"), nest(make("table"), nest(make("thead"), line), body)), more);
  show();
}
const link = (row, place) => make("a", place ? at(place) : base(row.file), "", { href: address(row.page, place, row.symbol), ...(place && { title: `${place.file}:${place.line}` }) });
function address(page, place, symbol) {
  const name = place ? `${encodeURIComponent(place.file)}:${place.line}` : "";
  const of = symbol ? `@${encodeURIComponent(symbol)}` : "";
  return units.has(page) ? `#${units.size > 1 ? encodeURIComponent(page) + "!" : ""}${name}${of}` : `${page}#${name}${of}`;
}
// at its hottest line
const openKernel = row => { location.href = address(row.page, null, row.symbol); };
function paste(text) {
  const button = make("button", text, "paste", { title: "copy" });
  button.addEventListener("click", () => { navigator.clipboard?.writeText(text); button.title = "copied"; });
  return button;
}

// ---- the first screen
const LOST = [["divergence", "divergence"], ["sectors", "sectors fetched, not needed"], ["banks", "bank conflicts"], ["local", "local memory"], ["rest", "the rest"]];
function bar(costs, share, type) {
  const element = make("div", null, `bar ${type}`), cycles = Math.max(costs.cycles, 1);
  element.style.width = `${100 * share}%`;
  const parts = { ...costs, rest: cycles - costs.divergence - costs.sectors - costs.banks - costs.local };
  for (const [key, name] of LOST) {
    const part = make("i", null, key, { title: `${name}: ${percent(parts[key] / cycles)} of ${short(cycles)} cycles` });
    part.style.width = `${100 * parts[key] / cycles}%`;
    if (parts[key] > 0) element.append(part);
  }
  return element;
}
function picture() {
  const parent = $("picture"), kernels = index.kernels;
  const [ms, cycles, visits] = [r => r.milliseconds, r => r.costs[0] && r.costs[0].cycles, r => r.seen && r.seen.visits];
  const scales = [["measured ms", ms, "measured (--times), each bar split as estimated"], ["estimated cycles", cycles, "issue cycles of one warp, estimated from the code"], ["visits of branches", visits, "counted (map)"]]
    .filter(([, of]) => kernels.some(of));
  parent.hidden = !scales.length;
  if (!scales.length) return;
  const has = kernels.some(row => row.costs[1]);
  let chosen = 0, count = 20;
  const head = make("div", null, "head"), grid = make("div", null, "bars"), more = make("div"), note = make("span", "", "soft");
  const buttons = scales.map(([name], number) => {
    const button = make("button", name);
    button.addEventListener("click", () => { chosen = number; show(); });
    return button;
  });
  const key = make("span", null, "legend");
  const show = () => {
    const [, of, source] = scales[chosen], rows = kernels.filter(of).sort((a, b) => of(b) - of(a));
    const counted = of === visits, most = Math.max(...rows.map(row => Math.max(of(row), of === cycles && row.costs[1] ? row.costs[1].cycles : 0)));
    buttons.forEach((button, number) => button.setAttribute("aria-pressed", number === chosen));
    const left = kernels.length - rows.length;
    note.textContent = `${source}${of === cycles && has ? "; thin bar: with the plugin" : ""}${left ? `; ${left} not ${of === ms ? "launched" : "known"}` : ""}`;
    key.replaceChildren(...(counted ? [["divergence", "visits that split"], ["rest", "visits together"]] : LOST).map(([type, name]) => nest(make("span"), make("i", null, type), name)));
    grid.replaceChildren(...rows.slice(0, count).map(row => {
      const button = make("button", null, ""), track = make("div", null, "track"), [before, after] = row.costs;
      button.append(make("span", brief(row.name), "name", { title: `${row.name}\n${row.place ? `${row.place.file}:${row.place.line}` : row.file}` }), track);
      const split = counted ? { cycles: row.seen.visits, divergence: row.seen.splits, sectors: 0, banks: 0, local: 0 } : before || { cycles: 1, divergence: 0, sectors: 0, banks: 0, local: 0 };
      track.append(bar(split, of(row) / most, ""));
      if (of === cycles && after) track.append(bar(after, after.cycles / most, "after"));
      const value = counted ? short(of(row)) : of === ms ? `${of(row).toFixed(3)} ms` : short(of(row));
      const share = after && before && after.cycles !== before.cycles ? `${after.cycles < before.cycles ? "−" : "+"}${percent(Math.abs(1 - after.cycles / before.cycles), 0)}` : "";
      button.append(make("span", value, "value"), make("span", counted ? percent(row.seen.splits / row.seen.visits) : of === cycles ? share : "", "value " + (share[0] === "−" ? "good" : "warn"), { title: counted ? "split" : `estimated cycles with the plugin: ${after ? short(after.cycles) : "not known"}` }));
      button.addEventListener("click", () => openKernel(row));
      return button;
    }));
    offer(more, rows.length - count, "more kernels", () => { count += 100; show(); });
  };
  head.append(make("h2", "Where the time goes"), ...(buttons.length > 1 ? buttons : []), note);
  parent.append(head, key, grid, more);
  show();
}
function overview() {
  const kernels = index.kernels, some = of => kernels.some(of), pair = key => row => row.machine ? change(row.machine[0][key], row.machine[1][key]) : null;
  picture();
  table($("changes"), "What changed", [
    { name: "kernel", cell: c => [make("code", c.kernel)], type: "name" }, { name: "line", cell: c => c.place && at(c.place), type: "tight" }, { name: "source", cell: c => [make("code", c.text)], type: "wrap" },
    { name: "before → after", cell: c => c.figures.map(([name, [a, b]]) => `${name} ${a ?? "–"} → ${b ?? "–"}`).join(", ") },
    { name: "by", cell: c => c.by.map(one => make("span", one.replace(/\w+$/, name => words(name, true)), "chip done", { title: meaning(one.split(": ").pop()) })) },
  ], index.changes || [], { note: "against the other build" });
  const all = sum(kernels, r => r.cycles), worth = a => a.milliseconds !== null ? `${a.milliseconds.toFixed(3)} ms` : percent(a.cycles / Math.max(all, a.cycles));
  table($("todo"), "What to do first", [
    { name: "worth", cell: worth, key: a => a.milliseconds ?? a.cycles, type: "right", title: "milliseconds if measured, else the share of all estimated cycles" },
    { name: "place", cell: a => { const row = kernels.find(r => a.kernels.includes(r.name)), [, file, line] = a.place.match(/^(.*):(\d+)$/) || []; return row && file ? [link(row, { file, line: +line })] : a.place; }, type: "tight" },
    { name: "kernels", cell: a => [make("code", a.kernels.join(", "), "", { title: a.kernels.join(", ") })], type: "name" }, { name: "what", cell: a => a.what, type: "wide" }, { name: "do", cell: a => [make("b", a.action)] },
  ], index.todo || []);
  const columns = [
    { name: "kernel", cell: r => [make("code", brief(r.name), "", { title: r.name })], type: "name" },
    { name: "place", cell: r => [link(r, r.place), ...(r.units > 1 ? [` in ${r.units} files`] : [])], type: "tight" },
    { name: "ms", cell: r => r.milliseconds?.toFixed(3), key: r => r.milliseconds ?? -1, type: "right", title: "measured (--times)" },
    { name: "cycles", cell: r => r.costs[0] && change(short(r.costs[0].cycles), r.costs[1] && short(r.costs[1].cycles)), key: r => r.costs[0]?.cycles ?? -1, type: "right", title: "estimated issue cycles of one warp → with the plugin" },
    { name: "lost", cell: r => r.costs[0] && percent(1 - kept(r.costs[0]), 0), key: r => r.costs[0] ? 1 - kept(r.costs[0]) : -1, type: "right", title: "share of the estimated cycles lost to divergence and memory" },
    ...["registers", "stack", "spills", "shared"].map(key => some(r => r.machine?.some(one => one[key])) && { name: key, cell: pair(key), key: r => r.machine?.[0][key] ?? -1, type: "right", title: "ptxas, without → with the plugin" }),
    { name: "divergent", cell: r => r.branches ? `${r.divergent_branches} of ${r.branches}` : null, key: r => r.divergent_branches, type: "right", title: "divergent branches; the others are proven uniform (analysis)" },
    { name: "never split", cell: r => r.seen?.reached ? `${r.seen.never_split} of ${r.seen.reached}` : null, key: r => r.seen?.never_split ?? -1, type: "right", title: "of the divergent branches that were reached (map)" },
    { name: "split rate", cell: r => r.seen && r.seen.visits ? percent(r.seen.splits / r.seen.visits) : null, key: r => r.seen && r.seen.visits ? r.seen.splits / r.seen.visits : -1, type: "right", title: "splits per visit of a branch (map)" },
    { name: "local bytes", cell: r => r.local_bytes || null, key: r => r.local_bytes, type: "right" },
    { name: "costly", cell: r => r.bad_strides || null, key: r => r.bad_strides, type: "right", title: "accesses with more sectors or phases than necessary (analysis)" },
    { name: "done", cell: r => chips(r.done, "done"), type: "chips" },
    { name: "refused", cell: r => chips(r.refused, ""), type: "chips" },
  ].filter(Boolean);
  table($("kernels"), "Kernels", columns, kernels, { note: `${kernels.length} in ${index.units} file${index.units === 1 ? "" : "s"}`, go: openKernel });
  const statements = kernels.flatMap(row => row.statements.map(s => ({ ...s, row, never: row.seen && s.places.some(p => row.seen.places.includes(at(p))) })));
  statements.sort((a, b) => b.never - a.never);
  table($("statements"), "What you can state about launches", [
    { name: "branches", cell: s => s.places.length ? s.places.slice(0, 6).flatMap((p, i) => [i ? " " : "", link(s.row, p)]).concat(s.places.length > 6 ? [` +${s.places.length - 6}`] : []) : "–", type: "wrap" },
    { name: "kernel", cell: s => [make("code", s.row.name, "", { title: s.row.name })], type: "name" },
    { name: "in the runs", cell: s => s.never ? [make("b", "never split", "good")] : s.row.seen && s.row.seen.reached ? "split, or not reached" : null, type: "tight", title: "map" },
    { name: "lanes agree if, or ptxas said", cell: s => s.when, type: "wide" }, { name: "do", cell: s => s.action, type: "wide" },
    { name: "paste", cell: s => s.paste ? [paste(s.paste)] : null },
  ].filter(Boolean), statements, { note: "conditions of launches, bounds and registers" });
  $("failures").hidden = !index.failures.length;
  if (index.failures.length) $("failures").append(make("h2", "Could not be looked at"), ...index.failures.flatMap(f => [make("p", f.file), make("pre", f.reason)]));
  const used = new Map(["done", "refused"].flatMap(kind => kernels.flatMap(r => r[kind]).map(one => [words(one.remark, kind === "done"), one.remark])).sort());
  const list = nest(make("dl", null, "words"), ...[...used].flatMap(([said, name]) => [make("dt", said), make("dd", legend[name]?.[0] ?? "", "soft"), make("dd", legend[name]?.[1] ?? "", "")]));
  $("words").hidden = !used.size;
  $("words").append(nest(make("details"), make("summary", "What the words mean"), list));
}
const kept = costs => 1 - (costs.divergence + costs.sectors + costs.banks + costs.local) / Math.max(costs.cycles, 1);

// ---- sources: counts are joined to lines and branches once
function prepared(data) {
  for (const f of data.functions) {
    const counts = data.counts?.[f.symbol] || {};
    Object.assign(f, { launches: counts.launches, measured: counts.lines || {} });
    f.total = sum(Object.values(f.lines).flat(), line => line.cycles || 0);
    f.samples = sum(Object.values(f.measured), line => line.samples || 0);
    for (const b of f.branches) b.counts = counts.branches?.[b.key];
    f.table = new Map();
    const known = (file, line) => {
      if (!f.table.has(file)) f.table.set(file, new Map());
      const lines = f.table.get(file);
      if (!lines.has(line)) lines.set(line, { branches: [] });
      return lines.get(line);
    };
    for (const file in f.lines) for (const line of f.lines[file]) {
      const one = Object.assign(known(file, line.line), line);
      one.measured = f.measured[`${base(file)}:${line.line}`];
    }
    // the same branch may stand in several copies, whose counts are one
    for (const b of f.branches) if (b.place) {
      const one = known(b.place.file, b.place.line);
      if (b.counts && !one.branches.some(other => other.key === b.key)) {
        const c = one.counts ??= { visits: 0, splits: 0, lanes: 0 };
        for (const key in c) c[key] += b.counts[key];
      }
      one.branches.push(b);
    }
  }
  return data;
}
// what was proven, what was measured, and whether they disagree
function verdict(line) {
  const divergent = line.branches.some(b => b.is_divergent), c = line.counts, m = line.measured;
  if (c && c.visits && divergent && !c.splits) return ["divergent", "never split", "good", "called divergent, and never split in the runs of the map"];
  if (c && c.splits && line.branches.length && !divergent) return ["uniform", "but split", "bad", "proven uniform, and split: please report this"];
  if (line.is_unknown && m?.sectors && m.sectors[1] <= m.sectors[0] * 1.01) return ["unknown", "adjacent", "good", "lanes an unknown distance apart, and always adjacent where it was measured"];
  if (m?.sectors && line.request && line.request[1] <= line.request[0] && m.sectors[1] > 1.5 * m.sectors[0]) return ["adjacent", "but far", "warn", "proven to need the fewest sectors if rows are aligned; more were measured"];
  const word = line.class || (line.branches.length ? divergent ? "divergent" : "uniform" : "");
  return word ? [word, "", "", { uniform: "all lanes hold one value", affine: "a fixed multiple of the thread index, plus something uniform", divergent: "lanes may differ" }[word] || ""] : null;
}
// {name, of: where it comes from, cell: line → [text, heat 0 to 1, title]}; columns without any cell are left out
const SOURCES = { estimate: ["est.", "estimated from the code"], map: ["map", "counted by a divergence map"], table: ["run", "measured: Nsight Compute, or the lockstep machine (--lines)"] };
const ratio = pair => pair.map(n => short(n).replace(" ", "")).join("/");
const COLUMNS = [
  { name: "samples", of: "table", width: 56, cell: (l, f) => l.measured?.samples && [percent(l.measured.samples / f.samples), l.measured.samples / f.samples, "share of the kernel's samples"] },
  { name: "cycles", of: "estimate", width: 54, cell: (l, f) => l.cycles / f.total >= 0.0005 && [percent(l.cycles / f.total), l.cycles / f.total, `share of the kernel's cycles: ${short(l.cycles)} of ${short(f.total)}`] },
  { name: "plugin", of: "estimate", width: 48, cell: l => l.after !== undefined && l.cycles && Math.round(l.after) !== l.cycles && [`${l.after < l.cycles ? "−" : "+"}${percent(Math.abs(l.after / l.cycles - 1), 0)}`, 0, `cycles with the plugin: ${short(l.after)}; lines may change places with others`] },
  { name: "lost", of: "estimate", width: 52, cell: (l, f) => { const lost = (l.divergence + l.sectors + l.banks + l.local) / f.total; return lost >= 0.0005 && [percent(lost), lost, LOST.filter(([k]) => l[k]).map(([k, n]) => `${n} ${percent(l[k] / f.total)}`).join(", ")]; } },
  { name: "executed", of: "table", width: 60, cell: l => l.measured?.instructions && [short(l.measured.instructions), 0, "instructions that warps executed"] },
  { name: "visits", of: "map", width: 56, cell: l => l.counts && [short(l.counts.visits), 0, "warps, or groups of their lanes, that reached the branch"] },
  { name: "per warp", instead: "executed", of: "estimate", width: 52, cell: l => l.executions > 0 && [l.executions < 9.95 ? l.executions.toFixed(1) : short(l.executions), 0, "how often a warp executes the line"] },
  { name: "split", of: "map", width: 52, cell: l => l.counts && l.counts.visits && [percent(l.counts.splits / l.counts.visits), l.counts.splits / l.counts.visits, `${l.counts.splits} of ${l.counts.visits} visits split`] },
  { name: "lanes", of: "map", width: 42, cell: l => l.counts && l.counts.visits && [(l.counts.lanes / l.counts.visits).toFixed(1), 1 - l.counts.lanes / l.counts.visits / 32, "lanes of 32 that are active"] },
  { name: "lanes", of: "table", width: 42, cell: l => l.measured?.lanes && l.measured.instructions && [(l.measured.lanes / l.measured.instructions).toFixed(1), 1 - l.measured.lanes / l.measured.instructions / 32, "lanes of 32 that are active"] },
  { name: "sectors", of: "table", width: 92, cell: l => l.measured?.sectors && [ratio(l.measured.sectors), 1 - l.measured.sectors[0] / l.measured.sectors[1], "sectors needed / fetched"] },
  { name: "sectors", of: "estimate", width: 52, cell: l => l.request && [l.request.join(" / "), 1 - l.request[0] / Math.max(...l.request, 1), "sectors needed / fetched by a request of the worst access"] },
  { name: "phases", of: "table", width: 92, cell: l => l.measured?.phases && [ratio(l.measured.phases), 1 - l.measured.phases[0] / l.measured.phases[1], "phases of shared memory needed / made"] },
  { name: "phases", of: "estimate", width: 46, cell: l => l.phases && [String(l.phases), 1 - 1 / l.phases, "phases of shared memory for a request of the worst access"] },
  { name: "registers", of: "table", width: 54, cell: l => l.measured?.registers && [String(l.measured.registers), 0, "registers live in the machine code"] },
  { name: "registers", of: "estimate", width: 54, cell: l => l.registers && [String(l.registers), 0, "32-bit values live, without addresses that ptxas adds"] },
  { name: "copies", of: "estimate", width: 46, cell: l => l.copies > 1 && [`×${l.copies}`, 0, "by inlining and unrolling; all figures are of all copies"] },
];

let shown = { unit: null, f: null, file: null, line: 0 }, hot = [], place = -1;

function showFunction(name, number) {
  const data = unit(name);
  if (shown.unit !== name) {
    const groups = new Map();
    data.functions.forEach((f, i) => { const stem = f.name.split("<")[0]; groups.set(stem, [...(groups.get(stem) || []), i]); });
    shown.groups = groups;
    $("function").replaceChildren(...[...groups].map(([stem, [first]]) => new Option(stem, first)));
    showTables(data);
  }
  const f = data.functions[number];
  if (shown.f === f) return;
  Object.assign(shown, { unit: name, f, file: null, line: 0 });
  const same = shown.groups.get(f.name.split("<")[0]);
  $("function").value = same[0];
  $("instances").hidden = same.length < 2;
  $("instance").replaceChildren(...same.map(i => new Option(data.functions[i].name, i)));
  $("instance").value = number;
  $("file").replaceChildren(...Object.keys(data.files).sort((a, b) => f.table.has(b) - f.table.has(a)).map(file => new Option(f.table.has(file) ? file : `${file} (no code of this kernel)`, file)));
  hot = [...f.table].flatMap(([file, lines]) => [...lines].map(([line, l]) => ({ file, line, heat: heat(l, f) }))).filter(l => l.heat >= 0.005).sort((a, b) => b.heat - a.heat);
  place = -1;
  $("hot").textContent = hot.length ? `${hot.length} hot line${hot.length > 1 ? "s" : ""}` : "";
  [$("source"), $("detail")].forEach(e => e.replaceChildren());
  graph();
}
const heat = (l, f) => f.samples ? (l.measured?.samples || 0) / f.samples : f.total ? (l.cycles || 0) / f.total : l.counts ? l.counts.splits / Math.max(...f.branches.map(b => b.counts?.splits || 0), 1) : 0;

const ROW = 18, LINES = 100;
const KEYWORDS = new Set("alignas auto bool break case char class const constexpr continue default do double else enum extern false float for goto if inline int long namespace nullptr operator private public return short signed sizeof static struct switch template this true typedef typename union unsigned using void volatile while __global__ __device__ __host__ __shared__ __constant__ __restrict__ __forceinline__ __launch_bounds__ dim3 float2 float4 int2 int4 size_t threadIdx blockIdx blockDim gridDim".split(" "));
const TOKEN = /(\/\/.*|\/\*.*?(?:\*\/|$))|("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(^\s*#.*)|([A-Za-z_]\w*)|(\b\d[\w.']*)/g;
// the text of a line as tokens; `inside`: it begins in a comment
function tokens(text, inside, into) {
  let from = 0;
  const put = (part, type) => part && into.append(type ? make("span", part, type) : part);
  if (inside) {
    const end = text.indexOf("*/");
    put(end < 0 ? text : text.slice(0, end + 2), "c");
    if (end < 0) return;
    from = end + 2;
  }
  TOKEN.lastIndex = from;
  for (let match; (match = TOKEN.exec(text));) {
    const type = match[1] ? "c" : match[2] ? "s" : match[3] ? "d" : match[4] ? (KEYWORDS.has(match[4]) ? "k" : "") : "m";
    put(text.slice(from, match.index));
    put(match[0], type);
    from = TOKEN.lastIndex;
  }
  put(text.slice(from));
}
let watch = null;
function showFile(file) {
  if (shown.file === file) return;
  const { f } = shown, data = unit(shown.unit), texts = data.files[file] || [], lines = f.table.get(file) || new Map();
  Object.assign(shown, { file, line: 0 });
  $("file").value = file;
  const known = COLUMNS.filter(column => [...lines.values()].some(line => column.cell(line, f)));
  // what was measured takes the place of what was counted, and this of what was estimated
  const rank = column => Object.keys(SOURCES).indexOf(column.of);
  const columns = known.filter(column => !known.some(other => rank(other) > rank(column) && [column.name, column.instead].includes(other.name)));
  const says = [...lines.values()].some(verdict);
  let inside = false;
  const comments = texts.map(text => {
    const was = inside, rest = inside ? text : text.replace(/\/\/.*/, "");
    if (rest.includes("/*") || inside) inside = rest.lastIndexOf("/*") > rest.lastIndexOf("*/") || (inside && !rest.includes("*/"));
    return was;
  });
  const most = Math.max(...[...lines.values()].map(line => heat(line, f)), 1e-9);
  const row = number => {
    const line = lines.get(number), element = make("div", null, "row" + (line ? " known" : ""), { id: "line-" + number, role: "row" });
    for (const column of columns) {
      const value = line && column.cell(line, f), cell = make("span", value ? value[0] : "", "", value ? { title: value[2] } : {});
      cell.style.width = column.width + "px";
      if (value && value[1] > 0.02) cell.style.background = `rgba(var(--hot), ${Math.min(0.08 + 0.5 * value[1], 0.6)})`;
      element.append(cell);
    }
    if (says) {
      const said = line && verdict(line), cell = make("span", said ? said[0] : "", "verdict soft", said ? { title: said[3] } : {});
      if (said && said[1]) cell.replaceChildren(make("b", `≠ ${said[1]}`, said[2]));
      element.append(cell);
    }
    const text = make("span", null, "text"), warmth = line ? heat(line, f) / most : 0;
    tokens(texts[number - 1] ?? "", comments[number - 1], text);
    if (warmth > 0.01) element.style.background = `rgba(var(--hot), ${0.04 + 0.24 * Math.sqrt(warmth)})`;
    element.append(make("span", String(number), "number"), text);
    if (line) element.addEventListener("click", () => go(file, number));
    element.classList.toggle("marked", number === shown.line);
    return element;
  };
  const head = make("div", null, "cols", { role: "row" });
  for (const column of columns) {
    const cell = nest(make("span", column.name, "", { title: SOURCES[column.of][1] }), make("small", SOURCES[column.of][0]));
    cell.style.width = column.width + "px";
    head.append(cell);
  }
  if (says) head.append(nest(make("span", "verdict", "verdict", { title: "proven by the analysis; ≠ where what was measured disagrees" }), make("small", "proven")));
  head.append(make("span", "line", "number"));
  const inner = nest(make("div", null, "inner"), head);
  // lines are made when they come near the window: thousands would make a page slow
  watch?.disconnect();
  watch = new IntersectionObserver(entries => entries.forEach(entry => entry.isIntersecting && fill(entry.target)), { root: $("source"), rootMargin: "1500px" });
  const fill = chunk => {
    if (chunk.children.length) return;
    const first = +chunk.dataset.first;
    chunk.append(...Array.from({ length: Math.min(LINES, texts.length - first + 1) }, (_, i) => row(first + i)));
  };
  shown.fill = number => { const chunk = inner.children[Math.ceil(number / LINES)]; if (chunk) fill(chunk); };
  shown.fillAll = () => [...inner.children].slice(1).forEach(fill);
  for (let first = 1; first <= texts.length; first += LINES) {
    const chunk = make("div", null, "", { "data-first": first });
    chunk.style.height = ROW * Math.min(LINES, texts.length - first + 1) + "px";
    inner.append(chunk);
  }
  $("source").replaceChildren(inner);
  shown.fill(1);
  [...inner.children].slice(1).forEach(chunk => watch.observe(chunk));
}
function showLine(file, number, keep) {
  showFile(file);
  shown.fill(number);
  document.querySelectorAll("#source .marked").forEach(e => e.classList.remove("marked"));
  shown.line = number;
  const element = $("line-" + number), box = $("source");
  if (element) {
    element.classList.add("marked");
    const top = (number - 1) * ROW, seen = top >= box.scrollTop && top < box.scrollTop + box.clientHeight - 80;
    if (!seen || !keep) box.scrollTop = Math.max(0, top - box.clientHeight / 3);
  }
  detail(file, number);
  const own = shown.f.table.get(file)?.get(number)?.branches[0];
  mark(b => own ? b.blocks.includes(own.block) : b.blocks.some(i => covers(shown.f, i, file, number)));
}
function mark(isWanted) {
  document.querySelectorAll("svg .marked").forEach(e => e.classList.remove("marked"));
  const drawn = $("box-" + shown.f.drawing.boxes.findIndex(isWanted));
  if (drawn) { drawn.classList.add("marked"); drawn.scrollIntoView({ block: "nearest", inline: "nearest" }); }
}
const covers = (f, i, file, line) => f.place?.file === file && f.blocks[i].lines[0] <= line && line <= f.blocks[i].lines[1];
function detail(file, number) {
  const { f } = shown, line = f.table.get(file)?.get(number), data = unit(shown.unit), parent = $("detail"), head = make("div", null, "head");
  head.append(make("h2", `${base(file)}:${number}`), make("code", (data.files[file]?.[number - 1] ?? "").trim().slice(0, 90)));
  parent.replaceChildren(head);
  if (!line) return parent.append(make("p", `no code of ${f.name} comes from this line`, "soft"));
  const list = make("ul"), reasons = new Set(line.branches.map(b => b.why).filter(Boolean)), add = (text, type) => list.append(make("li", text, type)), said = verdict(line);
  if (said && said[1]) add(`${said[0]}, ${said[1]}: ${said[3]}`, said[2]);
  for (const note of line.notes || []) if (!reasons.size || !note.startsWith("branch diverges")) add(note, /diverges|instead|conflict/.test(note) ? "warn" : "");
  for (const why of reasons) add(`branch diverges: ${why}`, "warn");
  for (const b of line.branches) {
    if (b.counts) add(`${short(b.counts.visits)} visits, ${short(b.counts.splits)} split; lanes to ${b.targets.map((t, i) => `${label(f, t)}: ${short(b.counts.taken[i] || 0)}`).join(", ")}`);
    if (b.location.includes(" inlined at ")) add(`inlined: ${b.location}`, "soft");
  }
  const here = data.details?.deeds?.filter(d => d.place && d.place.line === number && base(d.place.file) === base(file)) || [];
  list.append(...here.map(d => nest(make("li"), ...chips([d], d.is_done ? "done" : ""), " ", d.text)));
  list.append(...(line.values || []).map(([expression, , told]) => nest(make("li", null, "soft"), make("code", expression), `: ${told}`)));
  parent.append(list);
}
const label = (f, block) => { const [first] = f.blocks[block].lines; return first ? `line ${first}` : f.blocks[block].name; };

// ---- the graph: the width of an edge is its share of the lanes
function flows(f) {
  const { boxes, edges } = f.drawing, of = new Map(), inflow = boxes.map(() => 0), has = f.branches.some(b => b.counts);
  if (!has) return of;
  const branch = new Map(f.branches.map(b => [b.block, b])), box = new Map(boxes.flatMap((b, i) => b.blocks.map(block => [block, i])));
  const first = f.branches.find(b => b.counts);
  for (let round = 0; round < 2; round++) boxes.forEach((b, i) => {
    const out = edges.filter(e => e.from === i), own = branch.get(b.blocks[b.blocks.length - 1]);
    inflow[i] = Math.max(sum(edges.filter(e => e.to === i), e => of.get(e) || 0), i === 0 && first ? first.counts.lanes : 0);
    for (const e of out) {
      const which = own?.counts ? own.targets.findIndex(t => box.get(t) === e.to) : -1;
      if (which >= 0) of.set(e, own.counts.taken[which] || 0);
      else if (out.length === 1) of.set(e, own?.counts?.lanes ?? inflow[i]);
    }
  });
  return of;
}
function graph() {
  const { f } = shown, d = f.drawing, [w, h] = d.size, data = unit(shown.unit), lanes = flows(f), most = Math.max(...lanes.values(), 1);
  $("flow").textContent = `${f.is_kernel ? "kernel" : "device function"} ${f.name}${f.launches ? `, ${f.launches} launch${f.launches > 1 ? "es" : ""}` : ""}; values: ${f.values[0]} uniform, ${f.values[1]} affine, ${f.values[2]} divergent${lanes.size ? "; width: share of lanes (map)" : ""}`;
  const svg = draw("svg", { viewBox: `0 0 ${d.width} ${d.height}`, role: "img", "aria-label": "control flow", style: `width: ${d.width}px; max-width: 100%; min-width: ${Math.round(0.65 * d.width)}px` });
  const tip = draw("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" }, draw("defs", {}, svg));
  draw("path", { d: "M0,0 L8,4 L0,8 z" }, tip);
  const branch = new Map(f.branches.map(b => [b.block, b])), last = b => b.blocks[b.blocks.length - 1];
  for (const e of d.edges) {
    const a = d.boxes[e.from].at, b = d.boxes[e.to].at, own = branch.get(last(d.boxes[e.from]));
    const [x, y, u, v] = [a[0] + w / 2, a[1] + h, b[0] + w / 2, b[1] - 2], far = e.is_back || v - y > 60;
    const bow = (e.is_back ? -1 : 1) * (w * 0.62 + Math.min(40, Math.abs(v - y) / 10)), part = lanes.has(e) ? lanes.get(e) / most : null;
    const path = far ? `M${x},${y} C${x + bow},${y + 24} ${u + bow},${v - 24} ${u},${v}` : `M${x},${y} C${x},${y + 18} ${u},${v - 18} ${u},${v}`;
    const type = [own?.is_divergent && "split", e.is_back && "back", part === 0 && "never"].filter(Boolean).join(" ");
    const line = draw("path", { d: path, class: type, "marker-end": "url" + "(#tip)", "stroke-width": part === null ? 1 : 1 + 6 * part }, svg);
    draw("title", {}, line).textContent = part === null ? "not counted" : `${short(lanes.get(e))} lanes, ${percent(part)} of the most`;
  }
  d.boxes.forEach((b, number) => {
    const own = branch.get(last(b)), spans = b.blocks.map(i => f.blocks[i].lines).filter(([first]) => first), first = own?.place?.line ?? spans[0]?.[0];
    const file = own?.place?.file ?? f.place?.file, text = first ? (data.files[file]?.[first - 1] ?? "").trim() : "";
    const group = draw("g", { class: "box" + (own?.is_divergent ? " divergent" : ""), id: "box-" + number, transform: `translate(${b.at})`, tabindex: 0 }, svg);
    draw("rect", { width: w, height: h, rx: 4 }, group);
    draw("text", { x: 7, y: 15 }, group).textContent = first ? `${first}  ${text}`.slice(0, 31) : f.blocks[b.blocks[0]].name.slice(0, 31);
    const size = sum(b.blocks, i => f.blocks[i].size), end = Math.max(...spans.map(s => s[1]), 0), start = Math.min(...spans.map(s => s[0]), end || 0);
    const counted = own?.counts && own.counts.visits ? ` · ${short(own.counts.visits)} visits · split ${percent(own.counts.splits / own.counts.visits)}` : "";
    draw("text", { x: 7, y: 29, class: "soft" }, group).textContent = `${start && end > start && !counted ? `lines ${start}–${end} · ` : ""}${size} instr.${counted}`;
    if (b.joins) {
      draw("line", { x1: 0, x2: w, y1: -1, y2: -1, class: "join" }, group);
      draw("text", { x: w - 4, y: -5, class: "join", "text-anchor": "end" }, group).textContent = "lanes meet again";
    }
    draw("title", {}, group).textContent = `${b.blocks.map(i => f.blocks[i].name).join(", ")}: ${size} instructions${own ? own.is_divergent ? "; divergent branch" : "; uniform branch" : ""}\n${text}`;
    const open = () => first && go(file, first);
    group.addEventListener("click", open);
    group.addEventListener("keydown", event => event.key === "Enter" && open());
  });
  $("graph").replaceChildren(svg);
}

// ---- tables of a source
function showTables(data) {
  const details = data.details || {};
  const open = row => {
    const number = data.functions.findIndex(f => row.f ? f === row.f : f.name === row.function);
    if (number >= 0) showFunction(shown.unit, number);
    if (row.place) go(row.place.file, row.place.line);
    else if (row.f) mark(b => b.blocks.includes(row.block));
  };
  const worst = a => (a.is_costly ? 1e6 : 0) + (a.sectors || 0) - (a.ideal || 0) + 4 * (a.ways || 0);
  const folded = new Map();
  for (const f of data.functions) for (const b of f.branches) {
    const key = [f.symbol, b.place ? [at(b.place), b.why, b.is_divergent] : b.block].join(), known = folded.get(key) ?? { ...b, f, keys: [], copies: 0, counts: null };
    // copies of the same branch have one count
    if (b.counts && !known.keys.includes(b.key)) known.counts = { visits: (known.counts?.visits || 0) + b.counts.visits, splits: (known.counts?.splits || 0) + b.counts.splits };
    folded.set(key, Object.assign(known, { keys: [...known.keys, b.key], copies: known.copies + 1, depth: Math.max(known.depth, b.depth) }));
  }
  const branches = [...folded.values()], where = { name: "line", cell: r => at(r.place), type: "tight" }, of = { name: "function", cell: r => [make("code", r.function)] };
  const list = [
    ["Branches", branches, [where, { name: "function", cell: b => [make("code", b.f.name)] }, { name: "source", cell: b => [make("code", b.place ? (data.files[b.place.file]?.[b.place.line - 1] ?? "").trim().slice(0, 60) : "")] },
      { name: "analysis", cell: b => [make("span", b.is_divergent ? b.counts?.visits && !b.counts.splits ? "divergent ≠ never split" : "divergent" : b.counts?.splits ? "uniform, but split" : "uniform", b.is_divergent || b.counts?.splits ? "warn" : "good")], key: b => b.is_divergent, type: "tight" },
      { name: "visits", cell: b => b.counts ? short(b.counts.visits) : null, key: b => b.counts?.visits ?? -1, type: "right", title: "map" },
      { name: "splits", cell: b => b.counts ? short(b.counts.splits) : null, key: b => b.counts?.splits ?? -1, type: "right", title: "map" },
      { name: "split rate", cell: b => b.counts?.visits ? percent(b.counts.splits / b.counts.visits) : null, key: b => b.counts?.visits ? b.counts.splits / b.counts.visits : -1, type: "right", title: "map" },
      { name: "loops", cell: b => b.depth || null, key: b => b.depth, type: "right", title: "around it" },
      { name: "copies", cell: b => b.copies > 1 ? `×${b.copies}` : null, key: b => b.copies, type: "right", title: "by inlining and unrolling" }, { name: "why", cell: b => b.why || "", type: "wide" }]],
    ["Memory accesses", [...(details.accesses || [])].sort((a, b) => worst(b) - worst(a)), [where, of, { name: "memory", cell: a => a.space },
      { name: "sectors needed / fetched", cell: a => a.sectors === null ? null : `${a.ideal} / ${a.sectors}`, key: a => a.sectors ?? -1, type: "right", title: "by one request (analysis)" },
      { name: "bank phases", cell: a => a.ways, key: a => a.ways ?? -1, type: "right", title: "of one request (analysis)" }, { name: "copies", cell: a => a.count > 1 ? `×${a.count}` : null, key: a => a.count, type: "right", title: "by inlining and unrolling; the first is shown" }, { name: "access", cell: a => a.what, type: "wide" }]],
    ["Done and refused", details.deeds || [], [where, of, { name: "", cell: d => chips([d], d.is_done ? "done" : "") }, { name: "pass", cell: d => legend[d.remark]?.[0] ?? "", type: "tight" },
      { name: "what was said", cell: d => d.text, type: "wide" }, { name: "it means", cell: d => legend[d.remark]?.[1] ?? "", type: "wide soft" }]],
    ["Local memory", details.locals || [], [where, of, { name: "object", cell: o => [make("code", o.name)] }, { name: "bytes", cell: o => o.bytes, key: o => o.bytes, type: "right" }]],
    ["Repeated by all threads", (details.repeated || []).map(([name, text]) => ({ function: name, text })), [of, { name: "what", cell: r => r.text, type: "wide" }]],
  ].filter(([, rows]) => rows.length);
  const buttons = list.map(([title, rows, columns]) => {
    const button = make("button", `${title} (${rows.length})`, "", { role: "tab" });
    button.addEventListener("click", () => {
      buttons.forEach(other => other.setAttribute("aria-pressed", other === button));
      table($("tables"), title, columns, rows, { go: open });
    });
    return button;
  });
  $("tabs").replaceChildren(...buttons);
  if (buttons.length) buttons[0].click();
  else $("tables").replaceChildren();
}

// ---- where one is: `#`, `#file:line@symbol`, or `#unit!file:line@symbol` where there are several sources
function go(file, line) {
  const { unit: name, f } = shown;
  history.replaceState(null, "", address(name, { file, line }, f.symbol));
  showLine(file, line, true);
}
function fromAddress() {
  const [, name, file, line, symbol] = (location.hash.slice(1).match(/^(?:([^!]*)!)?(?:([^@]*?):(\d+))?(?:@(.*))?$/) || []).map(part => part && decodeURIComponent(part));
  const source = units.has(name) ? name : file || symbol || (up && units.size) ? [...units.keys()].find(key => !file || unit(key).files[file]) ?? [...units.keys()][0] : null;
  $("overview").hidden = !!source;
  $("sources").hidden = !source;
  views();
  if (!source) return;
  const data = unit(source), own = f => file && f.table.get(file)?.has(+line);
  const hottest = (a, b) => (b.total || 0) - (a.total || 0) || sum(b.branches, x => x.counts?.splits || 0) - sum(a.branches, x => x.counts?.splits || 0);
  const kernels = [...data.functions].sort(hottest);
  const f = data.functions.find(one => one.symbol === symbol) ?? kernels.find(one => one.place?.file === file && one.place?.line === +line) ?? kernels.find(own) ?? kernels[0];
  if (!f) return;
  showFunction(source, data.functions.indexOf(f));
  const first = file && data.files[file] ? file : f.place?.file ?? Object.keys(data.files)[0];
  const worst = hot[0] ?? { file: first, line: f.place?.line || 1 };
  if (first) showLine(file ? first : worst.file, file ? +line : worst.line);
}
function step(by) {
  if (!hot.length) return;
  place = (place + by + hot.length) % hot.length;
  $("hot").textContent = `${place + 1} of ${hot.length} hot lines: ${percent(hot[place].heat)}`;
  go(hot[place].file, hot[place].line);
}
function walk(by) {
  const lines = [...(shown.f?.table.get(shown.file)?.keys() || [])].sort((a, b) => a - b);
  const next = by > 0 ? lines.find(line => line > shown.line) : lines.filter(line => line < shown.line).pop();
  if (next) go(shown.file, next);
}
function views() {
  const inside = !$("sources").hidden, first = [...units.keys()][0];
  const item = (text, href, pressed) => { const a = make("a", text, "", { href, ...(pressed && { "aria-current": "page" }) }); if (pressed) a.style.fontWeight = 600; return a; };
  $("views").replaceChildren(item("Overview", up || "#", !inside), ...(units.size ? [item("Source", shown.unit ? address(shown.unit, null, shown.f?.symbol) : address(first, null, index.kernels[0]?.symbol ?? unit(first).functions[0]?.symbol ?? "-"), inside)] : []));
}
$("title").textContent = document.title = `warpwise: ${index.project}`;
const total = sum(index.kernels, row => row.milliseconds || 0);
$("about").textContent = [`${index.kernels.length} kernel${index.kernels.length === 1 ? "" : "s"}`, total ? `${total.toFixed(3)} ms measured` : "", ...notes].filter(Boolean).join(" · ");
overview();
const chooseFunction = event => { showFunction(shown.unit, +event.target.value); const first = hot[0] ?? { file: shown.f.place?.file, line: shown.f.place?.line }; if (first.file) go(first.file, first.line); };
$("function").addEventListener("change", chooseFunction);
$("instance").addEventListener("change", event => { const { file, line } = shown; showFunction(shown.unit, +event.target.value); go(file, line); });
$("file").addEventListener("change", event => { showFile(event.target.value); $("source").scrollTop = 0; });
$("next").addEventListener("click", () => step(1));
$("previous").addEventListener("click", () => step(-1));
$("help").addEventListener("click", () => $("keys").showModal());
addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
  const source = !$("sources").hidden;
  const key = { n: () => source && step(1), p: () => source && step(-1), j: () => source && walk(1), k: () => source && walk(-1), "?": () => $("keys").showModal(),
    o: () => { location.href = up || "#"; }, s: () => units.size && !source && $("views").lastChild.click(), "/": () => [...document.querySelectorAll("input[type=search]")].find(box => box.offsetParent)?.focus() }[event.key];
  if (key) { event.preventDefault(); key(); }
});
addEventListener("hashchange", fromAddress);
addEventListener("beforeprint", () => shown.fillAll?.());
fromAddress();
