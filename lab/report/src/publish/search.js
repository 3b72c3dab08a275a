// Finds figures by words of their names. The list of them is in the page, compressed.
"use strict";
(async () => {
  const form = document.querySelector(".search");
  const source = document.getElementById("names");
  if (!form || !source) return;
  const input = form.querySelector("input"), said = form.querySelector("output"), list = form.querySelector("ol");
  let names;
  try {
    const bytes = Uint8Array.from(atob(source.textContent), (letter) => letter.charCodeAt(0));
    names = JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text());
  } catch (error) {
    return; // The field stays hidden; the lists below it have the same pages.
  }
  form.hidden = false;
  const most = 30;
  const entry = (address, text) => {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = source.dataset.prefix + address;
    link.textContent = text;
    item.append(link);
    return item;
  };
  const find = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    let count = 0;
    if (words.length) for (const [page, title, set] of names.units) {
      const name = title.toLowerCase();
      // Words that the page's name lacks must be in the figure's.
      const left = words.filter((word) => !name.includes(word));
      if (!left.length) {
        count += 1;
        if (found.length < most) found.push(entry(`figures/${page}/index.html`, title));
        continue;
      }
      for (const anchor of names.sets[set]) {
        const figure = anchor.replace(/[-_]/g, " ");
        if (!left.every((word) => anchor.includes(word) || figure.includes(word))) continue;
        count += 1;
        if (found.length < most) found.push(entry(`figures/${page}/index.html#${anchor}`, `${title}: ${figure}`));
      }
    }
    list.replaceChildren(...found);
    said.textContent = !words.length ? "" : count > most ? `The first ${most} of ${count}` : count === 1 ? "1 found" : `${count} found`;
  };
  input.addEventListener("input", find);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  if (input.value) find();
})();
