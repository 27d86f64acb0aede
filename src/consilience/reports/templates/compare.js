(() => {
  const { data, byId, button, list, said } = frame;

  /* the cell under the pointer, and its two classes */
  const readout = byId("readout"), before = Array.from(readout.childNodes);
  let lit = [];
  const light = (cell) => {
    for (const part of lit) part.classList.remove("on");
    lit = [];
    if (!cell) return readout.replaceChildren(...before);
    const figure = cell.ownerSVGElement;
    lit = [cell, figure.querySelector(".r" + cell.dataset.r), figure.querySelector(".k" + cell.dataset.k)];
    for (const part of lit) part.classList.add("on");
    readout.textContent = cell.querySelector("title").textContent;
  };
  const figure = document.querySelector(".cell") && document.querySelector(".cell").ownerSVGElement;
  if (figure) {
    figure.addEventListener("pointerover", (event) => light(event.target.closest(".cell")));
    figure.addEventListener("pointerleave", () => light(null));
  }

  /* the documents of a move */
  for (const body of document.querySelectorAll("[data-flow]")) {
    const rows = data.flows[Number(body.dataset.flow)], cell = body.querySelector(".show"), detail = body.querySelector(".detail");
    if (!rows.length) continue;
    const size = Number(cell.textContent.replace(/\D/g, ""));
    const open = button(cell.textContent, () => {
      detail.hidden = !detail.hidden;
      open.setAttribute("aria-expanded", String(!detail.hidden));
      const title = rows.length < size ? rows.length + " of the " + size.toLocaleString("en") + " documents" : "";
      if (!detail.hidden) list(body.querySelector(".listing"), title, rows, (row) => said(data.id[row], data.text ? data.text[row] : null));
    }, "");
    open.setAttribute("aria-expanded", "false");
    open.setAttribute("aria-label", "Show the documents of this move: " + size);
    cell.replaceChildren(open);
  }
})();
