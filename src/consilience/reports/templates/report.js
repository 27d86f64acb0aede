(() => {
  const { data, root, byId, make, count, cut, button, later, list, said, redraws } = frame;
  const clusterOf = new Map(data.clusters.map((cluster) => [cluster.id, cluster]));
  const nameOf = (id) => {
    const cluster = clusterOf.get(id);
    return cluster ? cluster.label || "cluster " + id : "not assigned";
  };
  const swatch = (id) => make("span", "dot" + (clusterOf.has(id) ? " b" + clusterOf.get(id).colour : ""));

  // What the reader looks at: one cluster or none, and what was searched for.
  let chosen = null;
  const watchers = [];
  const choose = (id) => { chosen = id; for (const watcher of watchers) watcher(); };

  const points = data.points && data.points.x.length ? data.points : null;
  const listDocuments = (place, title, rows, withCluster) => list(place, title, rows, (row) => {
    const parts = said(points.id[row], points.snippet ? points.snippet[row] : null);
    if (withCluster) {
      const line = make("div", "soft");
      line.append(swatch(points.cluster[row]), make("bdi", "", nameOf(points.cluster[row])));
      parts.push(line);
    }
    return parts;
  });
  const rowsOf = (id) => {
    const rows = [];
    if (points) for (let row = 0; row < points.x.length; row++) if (points.cluster[row] === id) rows.push(row);
    return rows;
  };

  /* map */
  const drawMap = () => {
    const { x: X, y: Y, cluster: C } = points;
    const n = X.length, canvas = byId("canvas"), pen = canvas.getContext("2d"), tip = byId("tip");
    let left = Infinity, right = -Infinity, top = Infinity, low = -Infinity;
    for (let i = 0; i < n; i++) {
      if (X[i] < left) left = X[i];
      if (X[i] > right) right = X[i];
      if (Y[i] < top) top = Y[i];
      if (Y[i] > low) low = Y[i];
    }
    const midX = (left + right) / 2, midY = (top + low) / 2;
    const wide = Math.max(right - left, 1), high = Math.max(low - top, 1);
    // Rows by cluster, the smallest last: they are drawn on top, what is not assigned lies below all.
    const groups = new Map();
    for (let i = 0; i < n; i++) {
      if (!groups.has(C[i])) groups.set(C[i], []);
      groups.get(C[i]).push(i);
    }
    const order = Array.from(groups.keys()).sort((a, b) => a - b);
    // Squares of the map for finding the dot below the pointer.
    const SIDE = 64, square = (value, from, span) => Math.max(0, Math.min(SIDE - 1, Math.floor((value - from) / span * SIDE)));
    const squares = Array.from({ length: SIDE * SIDE }, () => []);
    for (let i = 0; i < n; i++) squares[square(X[i], left, wide) * SIDE + square(Y[i], top, high)].push(i);

    let width = 0, height = 0, scaleX = 1, scaleY = 1, zoom = 1, panX = 0, panY = 0, colours = {}, hover = -1, pinned = -1;
    let found = null, foundCount = 0;
    const screenX = (i) => (X[i] - midX) * scaleX * zoom + width / 2 + panX;
    const screenY = (i) => (Y[i] - midY) * scaleY * zoom + height / 2 + panY;
    const radius = () => Math.max(1.2, Math.min(5, 0.24 * Math.sqrt(width * height / n))) * Math.min(zoom, 10) ** 0.4;

    const measure = () => {
      const box = canvas.getBoundingClientRect(), ratio = devicePixelRatio || 1;
      width = box.width;
      height = box.height;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      const edge = width < 500 ? 18 : 30;
      scaleX = (width - 2 * edge) / wide;
      scaleY = (height - 2 * edge) / high;
      // Distances mean little, so the map may be stretched to its frame, but not out of shape.
      const least = Math.min(scaleX, scaleY);
      scaleX = Math.min(scaleX, 1.45 * least);
      scaleY = Math.min(scaleY, 1.45 * least);
      request();
    };
    const readColours = () => {
      const style = getComputedStyle(root), of = (name) => style.getPropertyValue("--" + name).trim();
      colours = { ink: of("ink"), raised: of("raised"), grey: of("grey"), faint: of("faint"), soft: of("soft"), c: [] };
      for (let i = 0; i < 20; i++) colours.c.push(of("c" + i));
      request();
    };

    let asked = false;
    const request = () => { if (!asked) { asked = true; requestAnimationFrame(() => { asked = false; draw(); }); } };
    const colourOf = (id) => clusterOf.has(id) ? colours.c[clusterOf.get(id).colour] : colours.grey;
    const dots = (rows, colour, alpha, r, keep) => {
      pen.globalAlpha = alpha;
      pen.fillStyle = colour;
      pen.beginPath();
      let drawn = 0;
      for (const i of rows) {
        if (keep && !keep[i]) continue;
        const x = screenX(i), y = screenY(i);
        if (x < -r || y < -r || x > width + r || y > height + r) continue;
        // Circles of a pixel are squares to the eye, at a fifth of the price.
        if (r < 1.6) pen.rect(x - r, y - r, 2 * r, 2 * r);
        else { pen.moveTo(x + r, y); pen.arc(x, y, r, 0, 7); }
        if (++drawn % 4000 === 0) { pen.fill(); pen.beginPath(); }
      }
      pen.fill();
      pen.globalAlpha = 1;
    };
    const draw = () => {
      pen.clearRect(0, 0, width, height);
      const r = radius(), narrowed = found !== null || chosen !== null;
      for (const id of order) dots(groups.get(id), narrowed ? colours.faint : colourOf(id), narrowed ? 1 : id < 0 ? 0.5 : 0.75, r, null);
      if (narrowed) for (const id of order) {
        if (chosen === null || chosen === id) dots(groups.get(id), colourOf(id), 0.9, found ? Math.max(r, 2.4) : r, found);
      }
      names();
      for (const i of [pinned, hover]) if (i >= 0) ring(i, r + 3);
    };
    const ring = (i, r) => {
      pen.beginPath();
      pen.arc(screenX(i), screenY(i), r, 0, 7);
      pen.lineWidth = 2;
      pen.strokeStyle = colours.ink;
      pen.stroke();
    };
    // Names at their clusters, the largest first; one that would lie on another moves up or down, or waits for zoom.
    const names = () => {
      const narrow = width < 500, taken = [], most = (narrow ? 12 : 40) * zoom * zoom;
      pen.font = "600 " + (narrow ? 11.5 : 13) + "px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.lineJoin = "round";
      const line = narrow ? 15 : 18, letters = Math.round(Math.max(18, Math.min(width / 28, data.clusters.length > 40 ? 26 : 38)));
      const wanted = chosen === null ? data.clusters : data.clusters.filter((cluster) => cluster.id === chosen);
      pen.globalAlpha = found && chosen === null ? 0.45 : 1;
      for (const cluster of wanted) {
        if (!cluster.at || taken.length >= most) continue;
        const text = cut(nameOf(cluster.id), letters), half = pen.measureText(text).width / 2;
        let x = (cluster.at[0] - midX) * scaleX * zoom + width / 2 + panX;
        const y = (cluster.at[1] - midY) * scaleY * zoom + height / 2 + panY;
        if (x < -20 || x > width + 20 || y < -10 || y > height + 10) continue;
        x = Math.max(half + 8, Math.min(width - half - 8, x));
        // a name lies on a cloud of dots, but beside a lone one
        for (const shift of cluster.size < 4 ? [-line, line] : [0, -line, line]) {
          const at = Math.max(line, Math.min(height - line, y + shift));
          if (taken.some((other) => Math.abs(other.x - x) < other.half + half + 10 && Math.abs(other.y - at) < line + 1)) continue;
          taken.push({ x, y: at, half });
          pen.lineWidth = 4;
          pen.strokeStyle = colours.raised;
          pen.strokeText(text, x, at);
          pen.fillStyle = colours.ink;
          pen.fillText(text, x, at);
          break;
        }
      }
      pen.globalAlpha = 1;
    };

    const nearest = (x, y, within) => {
      const reach = within / (scaleX * zoom), reachY = within / (scaleY * zoom);
      const mapX = (x - width / 2 - panX) / (scaleX * zoom) + midX, mapY = (y - height / 2 - panY) / (scaleY * zoom) + midY;
      let best = -1, least = within * within;
      for (let a = square(mapX - reach, left, wide); a <= square(mapX + reach, left, wide); a++) {
        for (let b = square(mapY - reachY, top, high); b <= square(mapY + reachY, top, high); b++) {
          for (const i of squares[a * SIDE + b]) {
            if (found && !found[i] || chosen !== null && C[i] !== chosen) continue;
            const distance = (screenX(i) - x) ** 2 + (screenY(i) - y) ** 2;
            if (distance <= least) { least = distance; best = i; }
          }
        }
      }
      return best;
    };
    const zoomTo = (to, x, y) => {
      to = Math.max(1, Math.min(60, to));
      panX = (x - width / 2) * (1 - to / zoom) + panX * to / zoom;
      panY = (y - height / 2) * (1 - to / zoom) + panY * to / zoom;
      zoom = to;
      settle();
    };
    const settle = () => {
      const reachX = width * zoom / 2, reachY = height * zoom / 2;
      panX = zoom === 1 ? 0 : Math.max(-reachX, Math.min(reachX, panX));
      panY = zoom === 1 ? 0 : Math.max(-reachY, Math.min(reachY, panY));
      canvas.classList.toggle("near", zoom > 1);
      showTip();
      request();
    };
    const showTip = () => {
      const i = hover >= 0 ? hover : pinned;
      tip.hidden = i < 0;
      if (i < 0) return;
      const who = make("div", "who");
      who.append(swatch(C[i]), make("bdi", "", cut(nameOf(C[i]), 80)));
      tip.replaceChildren(who, make("bdi", "id", points.id[i]));
      if (points.snippet) {
        const text = make("p", "", points.snippet[i]);
        text.dir = "auto";
        tip.append(text);
      }
      const x = screenX(i), y = screenY(i), box = tip.getBoundingClientRect();
      tip.style.left = Math.max(8, Math.min(width - box.width - 8, x + 14)) + "px";
      tip.style.top = Math.max(8, y + 18 + box.height > height ? y - box.height - 14 : y + 18) + "px";
    };
    const pick = (i) => {
      pinned = i;
      hover = -1;
      if (i < 0) choose(null);
      else if (clusterOf.has(C[i])) choose(C[i]);
      showTip();
      request();
    };

    const fingers = new Map();
    let moved = 0, apart = 0;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button > 0) return;
      fingers.set(event.pointerId, at(event));
      canvas.setPointerCapture(event.pointerId);
      moved = fingers.size > 1 ? 100 : 0;
      apart = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      const now = at(event), old = fingers.get(event.pointerId);
      if (!old) {
        if (event.pointerType === "touch") return;
        const over = nearest(now.x, now.y, 12);
        canvas.classList.toggle("over", over >= 0);
        if (over !== hover) { hover = over; showTip(); request(); }
        return;
      }
      moved += Math.abs(now.x - old.x) + Math.abs(now.y - old.y);
      fingers.set(event.pointerId, now);
      if (fingers.size === 2) {
        const [a, b] = Array.from(fingers.values()), distance = Math.hypot(a.x - b.x, a.y - b.y);
        if (apart) zoomTo(zoom * distance / apart, (a.x + b.x) / 2, (a.y + b.y) / 2);
        apart = distance;
      } else if (moved > 4) {
        canvas.classList.add("held");
        hover = -1;
        panX += now.x - old.x;
        panY += now.y - old.y;
        settle();
      }
    });
    const lift = (event) => {
      const held = fingers.delete(event.pointerId);
      canvas.classList.remove("held");
      apart = 0;
      return held;
    };
    canvas.addEventListener("pointerup", (event) => {
      const place = at(event);
      if (lift(event) && moved <= 4) pick(nearest(place.x, place.y, event.pointerType === "touch" ? 22 : 12));
    });
    canvas.addEventListener("pointercancel", lift);
    canvas.addEventListener("pointerleave", () => { if (hover >= 0) { hover = -1; showTip(); request(); } });
    canvas.addEventListener("dblclick", (event) => { const place = at(event); zoomTo(zoom * 2, place.x, place.y); });
    // The wheel belongs to the page until the reader has turned to the map.
    canvas.addEventListener("wheel", (event) => {
      if (document.activeElement !== canvas && !event.ctrlKey) return;
      event.preventDefault();
      const place = at(event);
      zoomTo(zoom * Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018)), place.x, place.y);
    }, { passive: false });
    const whole = () => { zoom = 1; settle(); };
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
      if (step) { panX += step[0]; panY += step[1]; settle(); }
      else if (event.key === "+" || event.key === "=") zoomTo(zoom * 1.5, width / 2, height / 2);
      else if (event.key === "-") zoomTo(zoom / 1.5, width / 2, height / 2);
      else if (event.key === "0") whole();
      else if (event.key === "Escape") { pinned = -1; choose(null); showTip(); }
      else return;
      event.preventDefault();
    });
    byId("in").addEventListener("click", () => zoomTo(zoom * 1.6, width / 2, height / 2));
    byId("out").addEventListener("click", () => zoomTo(zoom / 1.6, width / 2, height / 2));
    byId("whole").addEventListener("click", whole);

    /* search */
    let texts = null;
    const query = byId("query");
    const search = () => {
      const wanted = query.value.trim().toLowerCase();
      if (!texts) texts = points.id.map((id, i) => (id + " " + (points.snippet ? points.snippet[i] : "")).toLowerCase());
      found = null;
      foundCount = 0;
      if (wanted) {
        found = new Uint8Array(n);
        for (let i = 0; i < n; i++) if (texts[i].includes(wanted)) { found[i] = 1; foundCount++; }
      }
      byId("found").hidden = true;
      pinned = hover = -1;
      showTip();
      say();
      request();
    };
    query.addEventListener("input", later(120, search));

    const status = byId("status");
    const say = () => {
      const parts = [];
      if (chosen !== null) {
        const who = make("span");
        who.append(swatch(chosen), make("bdi", "", cut(nameOf(chosen), 60)));
        parts.push(who, button("Open in the table", () => openRow(chosen)));
      }
      if (found) {
        const rows = [];
        let elsewhere = 0;
        for (let i = 0; i < n; i++) if (found[i]) (chosen === null || C[i] === chosen) ? rows.push(i) : elsewhere++;
        const said = make("span");
        said.append("“", make("bdi", "", cut(query.value.trim(), 40)), "” stands in the id" + (points.snippet ? " or the beginning" : "") + " of " + count(rows.length, data.item) + (chosen === null ? "" : " of this cluster, and of " + count(elsewhere, "other")));
        parts.push(said);
        if (rows.length) parts.push(button("List them", () => listDocuments(byId("found"), "Found", rows, true)));
      }
      if (parts.length) parts.push(button("Clear", () => { query.value = ""; pinned = -1; choose(null); search(); }));
      status.replaceChildren(...parts);
    };
    watchers.push(() => {
      if (pinned >= 0 && C[pinned] !== chosen) pinned = -1;
      byId("found").hidden = true;
      showTip();
      say();
      request();
    });

    byId("tools").hidden = false;
    if (matchMedia("(pointer: coarse)").matches) byId("how").textContent = "Tap a dot to read it; pinch to zoom.";
    byId("how").hidden = false;
    redraws.push(readColours);
    new ResizeObserver(measure).observe(canvas);
    measure();
    readColours();
  };

  /* table */
  const FIRST = 50;
  let openRow = () => {};
  const table = byId("table");
  const setUpTable = () => {
    const rows = Array.from(table.tBodies, (body) => ({
      body,
      id: Number(body.dataset.id),
      text: body.querySelector(".name").textContent.toLowerCase(),
      label: body.querySelector(".label").textContent,
      detail: body.querySelector(".detail"),
    }));
    const rowOf = new Map(rows.map((row) => [row.id, row]));
    let all = rows.length <= FIRST + 10, wanted = "";
    const more = byId("more");
    const show = () => {
      let shown = 0, hidden = 0;
      for (const row of rows) {
        const fits = row.text.includes(wanted);
        row.body.hidden = !fits || !all && !wanted && shown >= FIRST && row.id !== chosen;
        if (!row.body.hidden) shown++;
        else if (fits) hidden++;
      }
      more.hidden = !hidden && !(wanted && !shown);
      more.replaceChildren(hidden ? button("Show all " + count(rows.length, "cluster"), () => { all = true; show(); }) : document.createTextNode("No cluster has this word."));
    };
    const toggle = (row, open) => {
      row.detail.hidden = !open;
      row.button.setAttribute("aria-expanded", String(open));
    };
    for (const row of rows) {
      const cell = row.body.querySelector(".name");
      row.button = make("button");
      row.button.type = "button";
      row.button.append(...cell.childNodes);
      cell.append(row.button);
      toggle(row, false);
      row.body.querySelector(".row").addEventListener("click", () => {
        if (String(getSelection())) return; // the reader marks text
        const open = row.detail.hidden;
        toggle(row, open);
        choose(open ? row.id : null);
      });
      const acts = make("div", "acts"), place = row.body.querySelector(".listing");
      if (points) {
        const size = clusterOf.get(row.id).size, documents = rowsOf(row.id);
        if (documents.length) {
          const part = documents.length < size ? documents.length.toLocaleString("en") + " of its " + count(size, data.item) : "its " + count(size, data.item);
          acts.append(button("Show " + part, () => listDocuments(place, data.item[0].toUpperCase() + data.item.slice(1) + "s", documents, false)));
          if (byId("map")) acts.append(button("See on the map", () => { choose(row.id); byId("map").scrollIntoView({ block: "center" }); }));
        }
      }
      place.before(acts);
    }
    openRow = (id) => {
      const row = rowOf.get(id);
      if (!row) return;
      wanted = byId("filter").value = "";
      choose(id);
      toggle(row, true);
      row.body.scrollIntoView({ block: "start" });
      row.button.focus({ preventScroll: true });
    };
    watchers.push(() => {
      for (const row of rows) row.body.classList.toggle("chosen", row.id === chosen);
      show();
    });
    byId("filter").addEventListener("input", later(100, () => { wanted = byId("filter").value.trim().toLowerCase(); show(); }));
    for (const head of table.querySelectorAll("th[data-key]")) {
      const key = head.dataset.key, sort = make("button");
      sort.type = "button";
      sort.append(...head.childNodes);
      head.append(sort);
      sort.addEventListener("click", () => {
        const old = head.getAttribute("aria-sort"), up = old ? old === "descending" : key === "label" || key === "id";
        for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const sign = up ? 1 : -1;
        rows.sort((a, b) => (key === "label" ? a.label.localeCompare(b.label) : a.body.dataset[key] - b.body.dataset[key]) * sign || a.id - b.id);
        table.append(...rows.map((row) => row.body));
        show();
      });
    }
    const followLink = () => {
      const named = /^#cluster-(\d+)$/.exec(location.hash);
      if (named) openRow(Number(named[1]));
    };
    for (const link of document.querySelectorAll("a.topic")) link.addEventListener("click", (event) => {
      event.preventDefault();
      openRow(Number(link.hash.slice("#cluster-".length)));
    });
    byId("table-tools").hidden = false;
    show();
    followLink();
  };

  if (table) setUpTable();
  if (points && byId("canvas")) drawMap();
})();
