// Draws the parts of the page that are opened, sorts and searches tables, selects boards,
// libraries, algorithms and metrics, and shows the row behind a figure. The answers above them need no script.
"use strict";
(async () => {
  document.documentElement.classList.add("live");
  const make = (tag, props = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), props);
    element.append(...children);
    return element;
  };
  // Texts in the language of the page. The texts of the script itself are English.
  const texts = JSON.parse(document.getElementById("texts")?.textContent ?? "{}");
  const say = (text) => texts[text] ?? text;
  const key = (cell) => {
    if (!cell) return null;
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    return cell.textContent.trim();
  };
  // Figures come before words, and words before empty cells, in either sort direction.
  const words = new Intl.Collator(document.documentElement.lang, { numeric: true });
  const order = (a, b, sign) => {
    const rank = (k) => (typeof k === "number" ? 0 : k ? 1 : 2);
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    return sign * (typeof a === "number" ? a - b : words.compare(a ?? "", b ?? ""));
  };

  // The text of a script element: its bytes, a space, and gzip in base 85. Null if the page has none.
  const digit = (code) => (code >= 63 ? code - 63 : code >= 39 ? code + 30 : code + 31);
  const unpack = async (id) => {
    const source = document.getElementById(id);
    if (!source) return null;
    const [size, text] = source.textContent.split(" ");
    const view = new DataView(new ArrayBuffer((text.length / 5) * 4));
    for (let at = 0; at < text.length; at += 5) {
      let sum = 0;
      for (let place = at; place < at + 5; place += 1) sum = sum * 85 + digit(text.charCodeAt(place));
      view.setUint32((at / 5) * 4, sum);
    }
    const bytes = new Uint8Array(view.buffer, 0, Number(size));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  // Comma-separated values [RFC4180], as one object per line. Empty fields are left out.
  const records = (text) => {
    const lines = [[]];
    for (const [, field, end] of text.matchAll(/("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n)/g)) {
      lines.at(-1).push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
      if (end !== ",") lines.push([]);
    }
    const [names, ...others] = lines.filter((line) => line.length > 1);
    return others.map((line) => Object.fromEntries(names.map((name, at) => [name, line[at]]).filter((pair) => pair[1])));
  };

  let csv = null, parts = null, rows = null;
  try {
    [csv, parts] = await Promise.all([unpack("rows"), unpack("parts")]);
    parts = parts && JSON.parse(parts);
    rows = csv === null ? null : records(csv);
  } catch (error) {
    for (const note of document.querySelectorAll(".unscripted")) note.textContent = `${say("This browser cannot unpack this part. A newer one can; the same figures are in report.md, which selo lab report writes too.")} (${error.message})`;
    return;
  }

  const enrich = (table) => {
    // Each table is one stop of the Tab key; arrow keys move between its figures.
    const first = rows && table.querySelector("tbody [data-r]");
    if (first) first.tabIndex = 0;
    const body = table.tBodies[0];
    if (!body || body.rows.length < 3) return;
    const original = [...body.rows];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = make("button", { type: "button" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        if (now === "descending") return body.append(...original);
        const sign = now === "ascending" ? -1 : 1;
        head.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
        body.append(...[...original].sort((a, b) => order(key(a.cells[column]), key(b.cells[column]), sign)));
      });
    });
    if (!table.classList.contains("filter")) return;
    const count = make("span", { ariaLive: "polite" });
    const input = make("input", { type: "search", placeholder: say("Search this table"), ariaLabel: `${say("Search")}: ${table.caption ? table.caption.textContent : say("Table")}` });
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of original) {
        const text = row.textContent.toLowerCase();
        row.hidden = !wanted.every((word) => text.includes(word));
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = wanted.length ? `${shown} ${say("of")} ${original.length}` : "";
    });
    table.closest(".scroll").before(make("div", { className: "tools" }, input, count));
  };
  for (const table of document.querySelectorAll("table")) enrich(table);

  // What applies to parts that are drawn, now and later.
  let apply = () => {};
  const draw = (place) => {
    if (place.dataset.part === undefined) return;
    const drawn = make("div");
    drawn.innerHTML = parts[Number(place.dataset.part)];
    delete place.dataset.part;
    place.querySelector(".unscripted").replaceWith(drawn);
    for (const table of drawn.querySelectorAll("table")) enrich(table);
    apply();
  };
  const places = [...document.querySelectorAll("details.later")];
  for (const place of places) place.addEventListener("toggle", () => { if (place.open) draw(place); });
  // A section that is opened shows its own part too.
  for (const fold of document.querySelectorAll("details.fold")) fold.addEventListener("toggle", () => {
    const own = fold.querySelector(":scope > details.later");
    if (fold.open && own) own.open = true;
  });
  const all = () => {
    for (const fold of document.querySelectorAll("details.fold")) fold.open = true;
    for (const place of places) { draw(place); place.open = true; }
  };
  addEventListener("beforeprint", all);
  // The fragment is the id of a section, then the filters: #best?board=uno.
  const fragment = () => {
    const [id, query] = location.hash.slice(1).split("?");
    return { id: decodeURIComponent(id), query };
  };
  // A link into a part, or to a section that has one, opens it and what it stands in.
  const follow = () => {
    const { id } = fragment();
    if (!id) return;
    const inside = places.find((place) => place.dataset.part !== undefined && parts[Number(place.dataset.part)].includes(` id="${CSS.escape(id)}"`));
    const target = () => document.getElementById(id);
    const place = inside ?? target()?.querySelector(":scope > details.later, :scope > details.fold > details.later");
    if (place) { draw(place); place.open = true; }
    const own = target()?.querySelector(":scope > details.fold");
    if (own) own.open = true;
    for (let around = target()?.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
    target()?.scrollIntoView();
  };
  addEventListener("hashchange", follow);
  follow();

  if (!rows) return;
  const save = make("button", { type: "button", textContent: say("Save as CSV") });
  save.addEventListener("click", () => {
    const link = make("a", { href: URL.createObjectURL(new Blob([csv], { type: "text/csv" })), download: "rows.csv" });
    link.click();
    URL.revokeObjectURL(link.href);
  });
  const open_all = make("button", { type: "button", textContent: say("Show all parts of the page") });
  open_all.addEventListener("click", all);
  document.getElementById("raw")?.append(make("p", {}, save, " ", open_all));

  // Filters. A table line is hidden if all rows behind it are of unselected values, and a figure
  // in a line that stays is pale. A section is hidden if its board is unselected, a picture if it
  // shows unselected metrics only. Pictures hide the parts of unselected libraries and
  // algorithms, but keep their scale. Their front covers all choices, so it disappears as soon
  // as one of them is hidden.
  const titles = { board: say("Boards"), library: say("Libraries"), algorithm: say("Algorithms"), metric: say("Metrics") };
  const names = Object.keys(titles);
  const values = Object.fromEntries(names.map((name) => [name, [...new Set(rows.map((row) => row[name]))].sort(words.compare)]));
  const chosen = Object.fromEntries(names.map((name) => [name, new Set(values[name])]));
  const has = (name, value) => value === undefined || chosen[name].has(value);
  const status = make("span", { ariaLive: "polite" });
  const redraw = (chart) => {
    const parts = [...chart.querySelectorAll("[data-library], [data-algorithm], [data-height]")];
    if (!parts.length) return false;
    let gone = 0, left = 0;
    for (const part of parts) {
      const off = !has("library", part.dataset.library) || !has("algorithm", part.dataset.algorithm);
      part.classList.toggle("off", off);
      const { height } = part.dataset;
      // An item whose dots are all hidden goes with them.
      const own = [...part.querySelectorAll("[data-library]")];
      const empty = own.length > 0 && own.every((dot) => !has("library", dot.dataset.library) || !has("algorithm", dot.dataset.algorithm));
      if (height && empty) part.classList.add("off");
      // Move the next dots up by the height of the hidden ones.
      if (height) part.setAttribute("transform", `translate(0 ${-gone})`);
      if (off || empty) gone += Number(height ?? 0);
      else left += 1;
    }
    const shorten = (element, name) => {
      element.dataset[name] ??= element.getAttribute(name);
      element.setAttribute(name, Number(element.dataset[name]) - gone);
    };
    if (parts.some((part) => part.dataset.height)) {
      shorten(chart, "height");
      for (const line of chart.querySelectorAll(":scope > .axis, :scope > .rule")) shorten(line, "y2");
      for (const second of chart.querySelectorAll(".second")) second.setAttribute("transform", `translate(0 ${-gone})`);
    }
    for (const front of chart.querySelectorAll(".frontier")) front.classList.toggle("off", left < parts.length);
    return left === 0;
  };
  const tables_too = () => {
    const shown = (index) => names.every((name) => chosen[name].has(rows[index][name]));
    for (const line of document.querySelectorAll("tbody tr")) {
      let behind = 0, kept = 0;
      for (const cell of line.querySelectorAll("[data-r]")) {
        const out = !cell.dataset.r.split(" ").some(shown);
        cell.classList.toggle("out", out);
        behind += 1;
        kept += out ? 0 : 1;
      }
      line.classList.toggle("off", behind > 0 && kept === 0);
    }
  };
  apply = () => {
    tables_too();
    for (const part of document.querySelectorAll("section[data-board]")) {
      const off = !chosen.board.has(part.dataset.board);
      part.classList.toggle("off", off);
      for (const link of document.querySelectorAll(`.contents a[href="#${part.id}"]`)) link.parentElement.classList.toggle("off", off);
    }
    // The answers about the first board that is left stand open.
    const answers = [...document.querySelectorAll("#best > section:not(.off)")];
    if (answers.length && !answers.some((part) => !part.querySelector(":scope > .fold:not([open])"))) answers[0].querySelector(":scope > .fold").open = true;
    for (const figure of document.querySelectorAll("main figure")) {
      const charts = [...figure.querySelectorAll("svg.chart")];
      const empty = charts.map(redraw).includes(true);
      const metrics = figure.dataset.metric?.split(" ") ?? [];
      figure.classList.toggle("off", empty || (metrics.length > 0 && !metrics.some((metric) => chosen.metric.has(metric))));
    }
    const parts = names.filter((name) => values[name].length > 1).map((name) => `${titles[name].toLowerCase()} ${chosen[name].size}/${values[name].length}`);
    status.textContent = parts.join(", ");
  };
  const panel = make("form", { className: "filters", ariaLabel: say("What to show") });
  const fold = make("details", {}, make("summary", {}, `${say("Filters")}: `, status));
  panel.append(fold);
  panel.addEventListener("submit", (event) => event.preventDefault());
  // The filters that leave something out, as a query.
  const query = () => new URLSearchParams(names.filter((name) => chosen[name].size < values[name].length).map((name) => [name, [...chosen[name]].join(",")])).toString();
  const remember = () => {
    const said = query();
    history.replaceState(null, "", `#${encodeURIComponent(fragment().id)}${said && `?${said}`}`);
  };
  const read = () => {
    const given = new URLSearchParams(fragment().query);
    for (const name of names) {
      const wanted = given.get(name)?.split(",");
      chosen[name] = new Set(values[name].filter((value) => !wanted || wanted.includes(value)));
    }
    for (const box of panel.querySelectorAll("input")) box.checked = chosen[box.name].has(box.value);
    apply();
  };
  const changed = () => { apply(); remember(); };
  const field = (name) => {
    const set = make("fieldset", {}, make("legend", { textContent: titles[name] }));
    const boxes = values[name].map((value) => {
      const box = make("input", { type: "checkbox", checked: true, name, value });
      box.addEventListener("change", () => { chosen[name][box.checked ? "add" : "delete"](value); changed(); });
      set.append(make("label", {}, box, ` ${say(value)}`));
      return box;
    });
    for (const [text, checked] of [[say("All"), true], [say("None"), false]]) {
      const button = make("button", { type: "button", textContent: text, ariaLabel: `${titles[name]}: ${text}` });
      button.addEventListener("click", () => {
        for (const box of boxes) box.checked = checked;
        chosen[name] = new Set(checked ? values[name] : []);
        changed();
      });
      set.append(button);
    }
    return set;
  };
  const several = names.filter((name) => values[name].length > 1);
  if (several.length) {
    fold.append(...several.map(field), make("p", { textContent: say("The axes of pictures stay as they are. The address of the page keeps the choice.") }));
    document.querySelector("main").prepend(panel);
    addEventListener("hashchange", () => { if (fragment().query === undefined) remember(); else read(); });
    read();
  }

  if (!window.HTMLDialogElement) return;
  const dialog = make("dialog");
  dialog.setAttribute("aria-label", say("Rows behind a figure"));
  document.body.append(dialog);
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  const show = (indices) => {
    const parts = indices.slice(0, 20).flatMap((index) => {
      const list = make("dl");
      for (const [name, value] of Object.entries(rows[index])) {
        list.append(make("dt", { textContent: name }), make("dd", { textContent: value }));
      }
      return [make("h2", { textContent: `${say("Row")} ${index}` }), list];
    });
    const close = make("button", { type: "button", textContent: say("Close"), autofocus: true });
    close.addEventListener("click", () => dialog.close());
    dialog.replaceChildren(...parts, close);
    dialog.showModal();
    dialog.scrollTop = 0;
  };
  const open = (cell) => show(cell.dataset.r.split(" ").map(Number));
  document.addEventListener("click", (event) => {
    const cell = event.target.closest("[data-r]");
    if (cell && !event.target.closest("a") && !String(getSelection())) open(cell);
  });
  document.addEventListener("keydown", (event) => {
    const cell = event.target.closest ? event.target.closest("[data-r]") : null;
    if (!cell || event.target !== cell) return;
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); return open(cell); }
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    let row = cell.parentElement, column = cell.cellIndex;
    do {
      column += step[1];
      if (step[0] === 1) row = row.nextElementSibling;
      if (step[0] === -1) row = row.previousElementSibling;
    } while (row && row.cells[column] && (row.hidden || row.classList.contains("off") || !row.cells[column].dataset.r));
    const next = row && row.cells[column];
    if (!next) return;
    cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
})();
