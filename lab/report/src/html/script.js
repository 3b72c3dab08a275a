// Draws the parts of the page that are opened, sorts and searches tables, selects boards and
// libraries, and shows the row behind a figure. The answers above them need no script.
"use strict";
(async () => {
  document.documentElement.classList.add("live");
  const make = (tag, props = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), props);
    element.append(...children);
    return element;
  };
  const key = (cell) => {
    if (!cell) return null;
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    return cell.textContent.trim();
  };
  // Figures come before words, and words before empty cells, in either sort direction.
  const words = new Intl.Collator("en", { numeric: true });
  const order = (a, b, sign) => {
    const rank = (k) => (typeof k === "number" ? 0 : k ? 1 : 2);
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    return sign * (typeof a === "number" ? a - b : words.compare(a ?? "", b ?? ""));
  };

  // The text of a script element: gzip in Base64. Null if the page has none.
  const unpack = async (id) => {
    const source = document.getElementById(id);
    if (!source) return null;
    const bytes = Uint8Array.from(atob(source.textContent), (letter) => letter.charCodeAt(0));
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
    for (const note of document.querySelectorAll(".unscripted")) note.textContent = `This browser cannot unpack this part (${error.message}). A newer one can; the same figures are in report.md, which selo lab report writes too.`;
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
    const input = make("input", { type: "search", placeholder: "Search this table", ariaLabel: `Search: ${table.caption ? table.caption.textContent : "table"}` });
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of original) {
        const text = row.textContent.toLowerCase();
        row.hidden = !wanted.every((word) => text.includes(word));
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = wanted.length ? `${shown} of ${original.length}` : "";
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
  const all = () => { for (const place of places) { draw(place); place.open = true; } };
  addEventListener("beforeprint", all);
  // A link into a part, or to a section that has one, opens it.
  const follow = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    if (!id) return;
    const inside = places.find((place) => place.dataset.part !== undefined && parts[Number(place.dataset.part)].includes(` id="${CSS.escape(id)}"`));
    const place = inside ?? document.getElementById(id)?.querySelector(":scope > details.later");
    if (!place) return;
    draw(place);
    place.open = true;
    document.getElementById(id)?.scrollIntoView();
  };
  addEventListener("hashchange", follow);
  follow();

  if (!rows) return;
  const save = make("button", { type: "button", textContent: "Save as CSV" });
  save.addEventListener("click", () => {
    const link = make("a", { href: URL.createObjectURL(new Blob([csv], { type: "text/csv" })), download: "rows.csv" });
    link.click();
    URL.revokeObjectURL(link.href);
  });
  const open_all = make("button", { type: "button", textContent: "Show all parts of the page" });
  open_all.addEventListener("click", all);
  document.getElementById("raw")?.append(make("p", {}, save, " ", open_all));

  // Filters for boards and libraries. A table line is hidden if all rows behind it belong to
  // unselected boards or libraries. A section is hidden if its board is unselected. Pictures
  // hide the parts of unselected libraries, but keep their scale. Their front covers all
  // choices, so it disappears as soon as one of them is hidden.
  const filters = { board: new Set(), library: new Set() };
  for (const row of rows) for (const name of Object.keys(filters)) filters[name].add(row[name]);
  const chosen = {};
  const status = make("span", { ariaLive: "polite" });
  const redraw = (chart) => {
    const parts = [...chart.querySelectorAll("[data-library], [data-height]")];
    if (!parts.length) return;
    let gone = 0, left = 0;
    for (const part of parts) {
      const { library } = part.dataset;
      const off = library !== undefined && !chosen.library.has(library);
      part.classList.toggle("off", off);
      // Move the next dots up by the height of the hidden ones.
      part.setAttribute("transform", `translate(0 ${-gone})`);
      if (off) gone += Number(part.dataset.height ?? 0);
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
    chart.closest("figure")?.classList.toggle("off", left === 0);
  };
  apply = () => {
    const shown = (row) => Object.keys(filters).every((name) => chosen[name].has(row[name]));
    for (const line of document.querySelectorAll("tbody tr")) {
      const cells = [...line.querySelectorAll("[data-r]")];
      const behind = cells.flatMap((cell) => cell.dataset.r.split(" ").map((index) => rows[index]));
      line.classList.toggle("off", behind.length > 0 && !behind.some(shown));
    }
    for (const part of document.querySelectorAll("section[data-board]")) {
      const off = !chosen.board.has(part.dataset.board);
      part.classList.toggle("off", off);
      for (const link of document.querySelectorAll(`.contents a[href="#${part.id}"]`)) link.parentElement.classList.toggle("off", off);
    }
    for (const chart of document.querySelectorAll("main svg.chart")) redraw(chart);
    status.textContent = `${chosen.board.size} of ${filters.board.size} boards, ${chosen.library.size} of ${filters.library.size} libraries`;
  };
  const titles = { board: "Boards", library: "Libraries" };
  const panel = make("form", { className: "filters", ariaLabel: "Boards and libraries to show" });
  for (const [name, values] of Object.entries(filters)) {
    chosen[name] = new Set(values);
    if (values.size < 2) continue;
    const set = make("fieldset", {}, make("legend", { textContent: titles[name] }));
    for (const value of [...values].sort(words.compare)) {
      const box = make("input", { type: "checkbox", checked: true, name, value });
      box.addEventListener("change", () => { chosen[name][box.checked ? "add" : "delete"](value); apply(); });
      set.append(make("label", {}, box, ` ${value}`));
    }
    panel.append(set);
  }
  if (panel.children.length) {
    panel.append(make("p", {}, status, ". The axes of pictures stay as they are."));
    document.querySelector("main").prepend(panel);
    status.textContent = "All boards and libraries are shown";
  }

  if (!window.HTMLDialogElement) return;
  const dialog = make("dialog");
  dialog.setAttribute("aria-label", "Rows behind a figure");
  document.body.append(dialog);
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  const show = (indices) => {
    const parts = indices.slice(0, 20).flatMap((index) => {
      const list = make("dl");
      for (const [name, value] of Object.entries(rows[index])) {
        list.append(make("dt", { textContent: name }), make("dd", { textContent: value }));
      }
      return [make("h2", { textContent: `Row ${index}` }), list];
    });
    const close = make("button", { type: "button", textContent: "Close", autofocus: true });
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
