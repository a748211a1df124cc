"use strict";
(() => {
  const D = JSON.parse(document.getElementById("data").textContent);
  const runs = D.runs.length, topics = D.topics.length;
  const $ = (id) => document.getElementById(id);
  const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7B5EA7", "#8C6D31"];
  const SVG = "http://www.w3.org/2000/svg";

  // data ------------------------------------------------------------------------------------------------------------
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const cache = new Map();
  const scoresOf = (m) => {
    if (!cache.has(m)) cache.set(m, new Float64Array(bytes(D.scores[m])));
    return cache.get(m);
  };
  const strips = new Uint8Array(bytes(D.strips.cells));
  const lengths = new Int32Array(bytes(D.lengths));
  const cuts = new Int32Array(bytes(D.cut.length));
  const shown = (x, digits = 4) => (x === null || Number.isNaN(x) ? "–" : x.toFixed(digits));

  // state -----------------------------------------------------------------------------------------------------------
  const state = { measure: 0, sort: 0, down: true, chosen: new Set(), find: "", topic: 0, curve: 0 };
  const mean = (m, r) => D.board[m].mean[r];
  const compare = (m, up) => (a, b) => {
    const x = mean(m, a), y = mean(m, b);
    if (x === null || y === null) return (x === null) - (y === null);
    return up ? y - x : x - y;
  };
  const ranking = (m = state.measure) => [...Array(runs).keys()].sort(compare(m, D.measures[m].up));
  for (const r of ranking(0).slice(0, 4)) state.chosen.add(r);
  const colour = (r) => {
    const place = [...state.chosen].indexOf(r);
    return place < 0 ? "var(--grey)" : COLOURS[place % COLOURS.length];
  };

  // small helpers ---------------------------------------------------------------------------------------------------
  const el = (name, attributes = {}, ...children) => {
    const node = document.createElement(name);
    for (const [k, v] of Object.entries(attributes)) k in node && k !== "list" ? (node[k] = v) : node.setAttribute(k, v);
    node.append(...children);
    return node;
  };
  const draw = (name, attributes = {}, text = null) => {
    const node = document.createElementNS(SVG, name);
    for (const [k, v] of Object.entries(attributes)) node.setAttribute(k, v);
    if (text !== null) node.textContent = text;
    return node;
  };
  const tip = $("tip");
  const tell = (event, text) => {
    tip.textContent = text;
    tip.hidden = false;
    tip.style.left = `${Math.min(event.clientX + 12, innerWidth - 220)}px`;
    tip.style.top = `${event.clientY + 14}px`;
  };
  const hush = () => { tip.hidden = true; };
  const hint = (node, text) => {
    node.append(draw("title", {}, text));
    node.addEventListener("mousemove", (e) => tell(e, text));
    node.addEventListener("mouseleave", hush);
    return node;
  };
  const canvas = (figure, width, height, label) => {
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
    document.querySelector(`#${figure} .plot`).replaceChildren(svg);
    return svg;
  };
  const line = (svg, x1, y1, x2, y2, more = {}) => svg.append(draw("line", { x1, y1, x2, y2, class: "axis", ...more }));
  const text = (svg, x, y, words, more = {}) => svg.append(draw("text", { x, y, ...more }, words));
  const ticks = (low, high, count = 5) => {
    const raw = (high - low) / count || 1, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((s) => s * power).find((s) => s >= raw);
    const out = [];
    for (let t = Math.ceil(low / step) * step; t <= high + step * 1e-9; t += step) out.push(Number(t.toPrecision(12)));
    return out;
  };
  const short = (name, most = 22) => (name.length > most ? `${name.slice(0, most - 1)}…` : name);

  // leaderboard -----------------------------------------------------------------------------------------------------
  function header() {
    const row = el("tr");
    const add = (words, key, css = "") => {
      const cell = el("th", { scope: "col", className: css });
      if (key === null) cell.textContent = words;
      else {
        cell.setAttribute("aria-sort", state.sort === key ? (state.down ? "descending" : "ascending") : "none");
        const button = el("button", { type: "button", textContent: words });
        button.addEventListener("click", () => {
          state.down = state.sort === key ? !state.down : key !== "run";
          state.sort = key;
          if (typeof key === "number") { state.measure = key; $("measure").value = key; }
          refresh();
          [...document.querySelectorAll("#leaderboard th button")].find((b) => b.textContent === words)?.focus();
        });
        cell.append(button);
      }
      row.append(cell);
    };
    add("Run", "run", "text");
    add("Show", null);
    D.measures.forEach((m, i) => add(m.name, i));
    add("95 % interval", null);
    add("Letters", null, "text");
    add("Beats", "better");
    document.querySelector("#leaderboard thead").replaceChildren(row);
  }

  function order() {
    const all = [...Array(runs).keys()].filter((r) => D.runs[r].toLowerCase().includes(state.find.toLowerCase()));
    if (state.sort === "run") all.sort((a, b) => (D.runs[a] < D.runs[b] ? -1 : 1) * (state.down ? -1 : 1));
    else if (state.sort === "better") {
      const better = D.board[state.measure].better;
      all.sort((a, b) => (better[b] - better[a]) * (state.down ? 1 : -1));
    } else all.sort(compare(state.sort, state.down));
    return all;
  }

  function leaderboard() {
    header();
    const best = D.measures.map((m, i) => mean(i, ranking(i)[0]));
    const board = D.board[state.measure];
    const rows = order().map((r) => {
      const row = el("tr", { className: state.chosen.has(r) ? "chosen" : "" });
      row.append(el("td", { className: "text", textContent: D.runs[r] }));
      const box = el("input", { type: "checkbox", checked: state.chosen.has(r) });
      box.setAttribute("aria-label", `Draw ${D.runs[r]}`);
      box.addEventListener("change", () => {
        box.checked ? state.chosen.add(r) : state.chosen.delete(r);
        row.className = box.checked ? "chosen" : "";
        figures();
      });
      row.append(el("td", {}, box));
      D.measures.forEach((m, i) =>
        row.append(el("td", { className: mean(i, r) === best[i] && runs > 1 ? "best" : "", textContent: shown(mean(i, r)) })));
      row.append(el("td", { textContent: `${shown(board.low[r], 3)} – ${shown(board.high[r], 3)}` }));
      row.append(el("td", { className: "text", textContent: short(board.letters[r], 12), title: board.letters[r] }));
      row.append(el("td", { textContent: board.better[r] }));
      return row;
    });
    document.querySelector("#leaderboard tbody").replaceChildren(...rows);
    const m = D.measures[state.measure];
    $("measure-says").textContent = `${m.full}. ${m.says}${m.up ? "" : " Lower is better."}`;
  }

  function intervals() {
    const board = D.board[state.measure], rows = ranking().slice(0, 40);
    const width = 760, left = 190, top = 24, gap = 18, height = top + rows.length * gap + 30;
    const values = rows.flatMap((r) => [board.low[r], board.high[r], mean(state.measure, r)]).filter((v) => v !== null);
    const low = Math.min(0, ...values), high = Math.max(...values, low + 1e-9);
    const x = (v) => left + ((v - low) / (high - low)) * (width - left - 30);
    const svg = canvas("fig-board", width, height, `Means and intervals of ${D.measures[state.measure].name}`);
    for (const t of ticks(low, high)) {
      line(svg, x(t), top - 6, x(t), height - 24);
      text(svg, x(t), height - 8, String(t), { "text-anchor": "middle", class: "tick" });
    }
    rows.forEach((r, i) => {
      const y = top + i * gap + 6;
      text(svg, left - 10, y + 4, short(D.runs[r]), { "text-anchor": "end" });
      const paint = state.chosen.has(r) ? colour(r) : "var(--quiet)";
      if (board.low[r] !== null)
        svg.append(draw("line", { x1: x(board.low[r]), x2: x(board.high[r]), y1: y, y2: y, stroke: paint, "stroke-width": 2 }));
      const value = mean(state.measure, r);
      if (value !== null)
        svg.append(hint(draw("circle", { cx: x(value), cy: y, r: 4.5, style: `fill: ${paint}` }), `${D.runs[r]}: ${shown(value)}`));
    });
    text(svg, left, 12, `${D.measures[state.measure].name}${runs > rows.length ? `, the best ${rows.length} of ${runs} runs` : ""}`);
  }

  // depth -----------------------------------------------------------------------------------------------------------
  function depthCurves() {
    if (!D.curves.measures.length) return;
    const width = 760, height = 360, left = 56, right = 150, top = 20, bottom = 44;
    const ks = D.curves.depths, lines = D.curves.mean[state.curve];
    const high = Math.max(...lines.flat(), 1e-9), low = Math.min(0, ...lines.flat());
    const x = (k) => left + (Math.log(k) / Math.log(ks[ks.length - 1] || 2)) * (width - left - right);
    const y = (v) => top + (1 - (v - low) / (high - low)) * (height - top - bottom);
    const svg = canvas("fig-depth", width, height, `${D.curves.measures[state.curve]} by evaluation depth`);
    for (const t of ticks(low, high)) {
      line(svg, left, y(t), width - right, y(t));
      text(svg, left - 8, y(t) + 4, String(t), { "text-anchor": "end", class: "tick" });
    }
    for (const k of [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].filter((k) => k <= ks[ks.length - 1]))
      text(svg, x(k), height - 26, String(k), { "text-anchor": "middle", class: "tick" });
    text(svg, (left + width - right) / 2, height - 6, "evaluation depth k (log scale)", { "text-anchor": "middle" });
    const path = (r) => lines[r].map((v, i) => `${i ? "L" : "M"}${x(ks[i]).toFixed(1)},${y(v).toFixed(1)}`).join("");
    for (let r = 0; r < runs; r++)
      if (!state.chosen.has(r))
        svg.append(hint(draw("path", { d: path(r), style: "fill: none; stroke: var(--grey)", "stroke-width": 1, opacity: 0.7 }), D.runs[r]));
    const ends = [];
    for (const r of state.chosen) {
      svg.append(hint(draw("path", { d: path(r), style: `fill: none; stroke: ${colour(r)}`, "stroke-width": 2.5 }), D.runs[r]));
      ends.push([y(lines[r][ks.length - 1]), r]);
    }
    let last = -Infinity;
    for (const [at, r] of ends.sort((a, b) => a[0] - b[0])) {
      last = Math.max(at, last + 14);
      text(svg, width - right + 8, last + 4, short(D.runs[r], 20), { style: `fill: ${colour(r)}` });
    }
  }

  // truncation ------------------------------------------------------------------------------------------------------
  function truncation() {
    const c = D.cut;
    $("truncation-says").textContent = `For each list the length that maximises ${c.measure}; 0 means: better to return nothing.`;
    const width = 760, height = 280, left = 50, top = 30, bottom = 40, n = c.bins.length;
    const high = Math.max(...c.percent, ...c.relevant, 1);
    const step = (width - left - 20) / n;
    const y = (v) => top + (1 - v / high) * (height - top - bottom);
    const svg = canvas("fig-cut", width, height, "Histogram of best lengths");
    for (const t of ticks(0, high)) {
      line(svg, left, y(t), width - 20, y(t));
      text(svg, left - 8, y(t) + 4, `${t} %`, { "text-anchor": "end", class: "tick" });
    }
    c.bins.forEach((label, i) => {
      const x = left + i * step, bar = step * 0.38;
      const column = (value, at, style, words) =>
        svg.append(hint(draw("rect", { x: at, y: y(value), width: bar, height: height - bottom - y(value), style }), `${words} ${label}: ${value.toFixed(1)} %`));
      column(c.percent[i], x + step * 0.1, "fill: var(--accent)", "best length");
      column(c.relevant[i], x + step * 0.52, "fill: var(--warm)", "relevant documents");
      text(svg, x + step / 2, height - 22, label, { "text-anchor": "middle", class: "tick" });
    });
    text(svg, left, 14, "■ best length of a list", { style: "fill: var(--accent)" });
    text(svg, left + 170, 14, "■ relevant documents of a topic", { style: "fill: var(--warm)" });
    text(svg, (left + width) / 2, height - 4, "documents", { "text-anchor": "middle" });
    const head = el("tr", {}, ...["Run", "Mean best length", "Score there", "Whole list", "Gain"].map((t, i) => el("th", { scope: "col", textContent: t, className: i ? "" : "text" })));
    document.querySelector("#cuts thead").replaceChildren(head);
    const rows = ranking().map((r) => el("tr", { className: state.chosen.has(r) ? "chosen" : "" },
      el("td", { className: "text", textContent: D.runs[r] }), el("td", { textContent: shown(c.mean[r], 1) }),
      el("td", { textContent: shown(c.value[r]) }), el("td", { textContent: shown(c.full[r]) }),
      el("td", { textContent: c.value[r] === null ? "–" : shown(c.value[r] - c.full[r]) })));
    document.querySelector("#cuts tbody").replaceChildren(...rows);
  }

  // trust -----------------------------------------------------------------------------------------------------------
  function trust() {
    $("checks").replaceChildren(...D.checks.map((c) => el("li", { className: c.severity },
      el("span", { className: "severity", textContent: c.severity }), el("strong", { textContent: `${c.check}. ` }), c.text)));
    const said = D.findings.length ? D.findings : ["Nothing was missing, doubled or undefined."];
    $("findings").replaceChildren(...said.map((f) => el("li", { textContent: f })));
  }

  // preferences -----------------------------------------------------------------------------------------------------
  function preferences() {
    const p = D.preferences;
    if (!p) { $("preferences").hidden = true; return; }
    $("preferences-says").textContent = `Lexicographic precision ties on ${(100 * p.ties).toFixed(2)} % of the comparisons of two runs on a topic.`;
    const rows = ranking().slice(0, 40), n = rows.length;
    const left = 180, top = 20, cell = Math.max(10, Math.min(26, 560 / n));
    const svg = canvas("fig-pref", left + n * cell + 20, top + n * cell + 110, "Preference matrix");
    rows.forEach((a, i) => {
      text(svg, left - 8, top + i * cell + cell * 0.7, short(D.runs[a]), { "text-anchor": "end" });
      rows.forEach((b, j) => {
        const v = p.matrix[a][b];
        const paint = a === b ? "var(--panel)" : v > 0 ? "#0072B2" : "#D55E00";
        const box = draw("rect", { x: left + j * cell, y: top + i * cell, width: cell - 1, height: cell - 1, style: `fill: ${paint}; fill-opacity: ${a === b ? 1 : (0.08 + 0.92 * Math.abs(v)).toFixed(3)}` });
        svg.append(a === b ? box : hint(box, `${D.runs[a]} over ${D.runs[b]}: ${v.toFixed(3)}`));
      });
      const x = left + i * cell + cell * 0.65, y = top + n * cell + 8;
      text(svg, x, y, short(D.runs[a], 16), { transform: `rotate(-60 ${x} ${y})`, "text-anchor": "end" });
    });
  }

  // topics ----------------------------------------------------------------------------------------------------------
  const gradeColour = (g) => {
    const share = D.gmax > 1 ? (g - 1) / (D.gmax - 1) : 1;
    return `hsl(${160 - 20 * share} 70% ${62 - 34 * share}%)`;
  };
  const strip = (r, t) => {
    const depth = D.strips.depth, from = (r * topics + t) * depth, n = Math.min(lengths[r * topics + t], depth), cut = cuts[r * topics + t];
    const cell = depth > 60 ? 7 : 10, height = 18;
    const words = `${D.runs[r]}: ${lengths[r * topics + t]} documents${cut >= 0 ? `, best length ${cut}` : ""}`;
    const svg = draw("svg", { width: depth * cell + 8, height, role: "img", "aria-label": words });
    for (let i = 0; i < n; i++) {
      const code = strips[from + i];
      const fill = code === 1 ? "var(--unjudged)" : code === 2 ? "var(--nonrel)" : gradeColour(code - 2);
      const label = code === 1 ? "unjudged" : code === 2 ? "not relevant" : `grade ${code - 2}`;
      svg.append(hint(draw("rect", { x: 2 + i * cell, y: 3, width: cell - 1, height: height - 6, style: `fill: ${fill}; stroke: var(--grey)`, "stroke-width": 0.5 }), `rank ${i + 1}: ${label}`));
    }
    if (cut >= 0 && cut <= depth)
      svg.append(hint(draw("line", { x1: 1.5 + cut * cell, x2: 1.5 + cut * cell, y1: 0, y2: height, style: "stroke: var(--warm)", "stroke-width": 2.5 }), `best length ${cut}`));
    if (n < depth && lengths[r * topics + t] <= depth)
      svg.append(hint(draw("line", { x1: 3 + n * cell, x2: 3 + n * cell, y1: 2, y2: height - 2, style: "stroke: var(--ink)", "stroke-width": 1.5 }), "end of the list"));
    return svg;
  };

  function topicView() {
    const values = scoresOf(state.measure), t = state.topic, up = D.measures[state.measure].up;
    const rows = [...(state.chosen.size ? state.chosen : ranking().slice(0, 4))]
      .sort((a, b) => (values[b * topics + t] - values[a * topics + t]) * (up ? 1 : -1));
    const head = el("tr", {}, el("th", { scope: "col", className: "text", textContent: "Run" }),
      el("th", { scope: "col", textContent: D.measures[state.measure].name }), el("th", { scope: "col", textContent: "Best length" }),
      el("th", { scope: "col", className: "text", textContent: `First ${D.strips.depth} ranks` }));
    document.querySelector("#strips thead").replaceChildren(head);
    document.querySelector("#strips tbody").replaceChildren(...rows.map((r) => el("tr", {},
      el("td", { className: "text", textContent: D.runs[r] }), el("td", { textContent: shown(values[r * topics + t]) }),
      el("td", { textContent: cuts[r * topics + t] < 0 ? "–" : cuts[r * topics + t] }), el("td", { className: "strip" }, strip(r, t)))));
    const swatch = (style, words) => { const i = el("i"); i.style.cssText = style; return el("span", {}, i, words); };
    const grades = [...Array(Math.min(D.gmax, 6)).keys()].map((g) => swatch(`background: ${gradeColour(g + 1)}`, `grade ${g + 1}`));
    $("strip-legend").replaceChildren(...grades, swatch("background: var(--nonrel)", "not relevant"), swatch("background: var(--unjudged)", "unjudged"),
      swatch("background: var(--warm)", `best length by ${D.cut.measure}`), swatch("background: var(--ink); width: 3px", "end of the list"));
  }

  function heat() {
    const values = scoresOf(state.measure), rows = ranking().slice(0, 60);
    const left = 170, top = 8, cw = Math.max(3, Math.min(20, 720 / topics)), ch = Math.max(6, Math.min(16, 420 / rows.length));
    const width = left + topics * cw + 10, height = top + rows.length * ch + 26;
    let low = Infinity, high = -Infinity;
    for (const v of values) if (!Number.isNaN(v)) { low = Math.min(low, v); high = Math.max(high, v); }
    const shade = (v) => (Number.isNaN(v) ? "none" : `hsl(205 75% ${92 - 62 * (high > low ? (v - low) / (high - low) : 0)}%)`);
    const svg = canvas("fig-heat", width, height, `${D.measures[state.measure].name} of every run on every topic`);
    rows.forEach((r, i) => {
      if (ch >= 9 || i % 2 === 0) text(svg, left - 8, top + i * ch + ch * 0.75, short(D.runs[r], 20), { "text-anchor": "end", style: `font-size: ${Math.min(12, ch + 2)}px` });
      for (let t = 0; t < topics; t++) {
        const v = values[r * topics + t];
        const box = draw("rect", { x: left + t * cw, y: top + i * ch, width: cw, height: ch, style: `fill: ${shade(v)}`, "data-t": t, "data-r": r });
        svg.append(box);
      }
    });
    svg.append(draw("rect", { x: left + state.topic * cw, y: top - 3, width: cw, height: rows.length * ch + 6, style: "fill: none; stroke: var(--warm); pointer-events: none", "stroke-width": 2 }));
    text(svg, left, height - 6, `topics; light ${shown(low, 3)}, dark ${shown(high, 3)}${runs > rows.length ? `; the best ${rows.length} of ${runs} runs` : ""}`, { class: "tick" });
    svg.addEventListener("mousemove", (e) => {
      const { t, r } = e.target.dataset ?? {};
      t === undefined ? hush() : tell(e, `${D.runs[r]}, topic ${D.topics[t]}: ${shown(values[r * topics + Number(t)])}`);
    });
    svg.addEventListener("mouseleave", hush);
    svg.addEventListener("click", (e) => { if (e.target.dataset?.t !== undefined) { state.topic = Number(e.target.dataset.t); $("topic-choice").value = state.topic; heat(); topicView(); } });
  }

  // about -----------------------------------------------------------------------------------------------------------
  function about() {
    document.title = `${D.about.title} – leadline`;
    $("title").textContent = D.about.title;
    $("subtitle").textContent = `${runs} runs, ${topics} topics · leadline ${D.about.version} · ${D.about.made}`;
    $("command").textContent = D.about.command || "leadline.report(track, …) in Python";
    $("rules").replaceChildren(...Object.entries(D.about.rules).flatMap(([k, v]) => [el("dt", { textContent: k }), el("dd", { textContent: v })]));
    $("references").replaceChildren(...D.references.map((r) => el("li", { textContent: r })));
  }

  // figures can be taken along ----------------------------------------------------------------------------------------
  function download(figure) {
    const svg = document.querySelector(`#${figure} svg`);
    if (!svg) return;
    const copy = svg.cloneNode(true), style = getComputedStyle(document.documentElement);
    copy.setAttribute("xmlns", SVG);
    let source = new XMLSerializer().serializeToString(copy);
    source = source.replace(/var\((--[a-z]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
    const css = `text{font:12px sans-serif;fill:${style.getPropertyValue("--ink")}}.tick{fill:${style.getPropertyValue("--quiet")}}.axis{stroke:${style.getPropertyValue("--line")}}`;
    source = source.replace(/>/, `><style>${css}</style><rect width="100%" height="100%" fill="${style.getPropertyValue("--paper")}"/>`);
    const link = el("a", { href: URL.createObjectURL(new Blob([source], { type: "image/svg+xml" })), download: `${figure}.svg` });
    document.body.append(link);
    link.click();
    link.remove();
  }
  for (const figure of document.querySelectorAll("figure")) {
    const button = el("button", { type: "button", textContent: "Download SVG" });
    button.addEventListener("click", () => download(figure.id));
    figure.querySelector("figcaption").append(button);
  }

  // wiring ----------------------------------------------------------------------------------------------------------
  const figures = () => { intervals(); depthCurves(); truncation(); topicView(); };
  const refresh = () => { leaderboard(); figures(); heat(); preferences(); };
  const options = (select, names) => select.replaceChildren(...names.map((n, i) => el("option", { value: i, textContent: n })));
  options($("measure"), D.measures.map((m) => m.name));
  options($("curve-measure"), D.curves.measures);
  options($("topic-choice"), D.topics);
  $("measure").addEventListener("change", (e) => { state.measure = state.sort = Number(e.target.value); state.down = D.measures[state.measure].up; refresh(); });
  $("curve-measure").addEventListener("change", (e) => { state.curve = Number(e.target.value); depthCurves(); });
  $("topic-choice").addEventListener("change", (e) => { state.topic = Number(e.target.value); heat(); topicView(); });
  $("find").addEventListener("input", (e) => { state.find = e.target.value; leaderboard(); });
  const theme = (dark) => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    $("theme").textContent = dark ? "Light" : "Dark";
    $("theme").setAttribute("aria-pressed", String(dark));
  };
  $("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme !== "dark"));
  theme(matchMedia("(prefers-color-scheme: dark)").matches);
  state.down = D.measures[0].up;
  about();
  trust();
  refresh();
  document.documentElement.dataset.ready = "yes";
})();
