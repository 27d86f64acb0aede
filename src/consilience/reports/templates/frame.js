"use strict";
// Documents are only ever put into the page as text: textContent, fillText, nothing that parses.
const frame = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const count = (value, noun) => value.toLocaleString("en") + " " + noun + (value === 1 ? "" : "s");
  const cut = (text, most) => {
    const letters = Array.from(text);
    if (letters.length <= most) return text;
    const head = letters.slice(0, most - 1).join("");
    const end = head.lastIndexOf(" ");
    return (end > most / 2 ? head.slice(0, end) : head).replace(/[\s,;:]+$/, "") + "…";
  };
  const button = (text, act, name) => {
    const element = make("button", name || "action", text);
    element.type = "button";
    element.addEventListener("click", act);
    return element;
  };
  const later = (milliseconds, act) => {
    let timer = 0;
    return () => { clearTimeout(timer); timer = setTimeout(act, milliseconds); };
  };

  /* theme */
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
  const redraws = [];
  const themed = () => {
    byId("theme").textContent = isDark() ? "Light" : "Dark";
    byId("theme").setAttribute("aria-label", isDark() ? "Change to light colours" : "Change to dark colours");
    for (const redraw of redraws) redraw();
  };
  byId("theme").hidden = false;
  byId("theme").addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; themed(); });
  dark.addEventListener("change", themed);
  let before;
  addEventListener("beforeprint", () => { before = root.dataset.theme; root.dataset.theme = "light"; themed(); });
  addEventListener("afterprint", () => {
    if (before) root.dataset.theme = before; else delete root.dataset.theme;
    themed();
  });

  /* a list of documents, twenty at a time: a page of a hundred thousand nodes would not open */
  const PAGE = 20;
  const list = (place, title, rows, entry) => {
    let first = 0;
    const show = () => {
      const shown = make("ul", "documents");
      for (const row of rows.slice(first, first + PAGE)) {
        const item = make("li");
        item.append(...entry(row));
        shown.append(item);
      }
      const pager = make("div", "pager");
      if (rows.length > PAGE) {
        const back = button("Back", () => { first -= PAGE; show(); place.querySelector(".pager button").focus(); }, "");
        const on = button("Next", () => { first += PAGE; show(); place.querySelector(".pager button:last-of-type").focus(); }, "");
        back.disabled = first === 0;
        on.disabled = first + PAGE >= rows.length;
        const last = Math.min(first + PAGE, rows.length);
        pager.append(back, on, make("span", "", (first + 1).toLocaleString("en") + "–" + last.toLocaleString("en") + " of " + rows.length.toLocaleString("en")));
      }
      place.replaceChildren(make("h3", "", title), shown, pager);
      place.hidden = false;
    };
    show();
  };
  const said = (id, text) => {
    const parts = [make("bdi", "id", id)];
    if (text !== null) {
      const snippet = make("p", "", text);
      snippet.dir = "auto";
      parts.push(snippet);
    }
    return parts;
  };

  // On a narrow screen the names on a figure's right come first.
  for (const box of document.querySelectorAll(".scroll.last")) box.scrollLeft = box.scrollWidth;
  themed();
  return { data, root, byId, make, count, cut, button, later, list, said, redraws };
})();
