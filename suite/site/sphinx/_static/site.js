// Tables that sort, numbers that say what stands behind them, the leaderboard's measure and filters,
// the switch of the paper's variant.
"use strict";

(function () {
  function key(cell) {
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    return cell.textContent.trim() === "" || cell.classList.contains("missing")
      ? null
      : cell.textContent.trim().toLowerCase();
  }

  // Fields without a number stay last, whichever way one sorts.
  function compare(a, b, sign) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b));
  }

  function sort(table, column, ascending) {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    const sign = ascending ? 1 : -1;
    rows.sort((a, b) => compare(key(a.cells[column]), key(b.cells[column]), sign));
    body.append(...rows);
    table.querySelectorAll("thead tr:last-child th").forEach((head, i) => {
      const order = i === column ? (ascending ? "ascending" : "descending") : "none";
      head.setAttribute("aria-sort", order);
    });
  }

  document.querySelectorAll("table.sortable").forEach((table) => {
    table.querySelectorAll("thead tr:last-child th").forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => {
        sort(table, column, head.getAttribute("aria-sort") !== "ascending");
      });
    });
  });

  // What stands behind a number: shown while it is pointed at or has the focus, gone with Escape.
  function says() {
    const links = document.querySelectorAll("a[data-says]");
    if (!links.length) return;
    const box = document.createElement("div");
    box.id = "says";
    box.setAttribute("role", "tooltip");
    box.hidden = true;
    document.body.append(box);
    const hide = () => {
      box.hidden = true;
    };
    links.forEach((link) => {
      const show = () => {
        box.textContent = link.dataset.says;
        box.hidden = false;
        const place = link.getBoundingClientRect();
        const right = document.documentElement.clientWidth - box.offsetWidth - 8;
        box.style.left = `${window.scrollX + Math.max(8, Math.min(place.left, right))}px`;
        box.style.top = `${window.scrollY + place.bottom + 6}px`;
      };
      link.setAttribute("aria-describedby", "says");
      link.addEventListener("mouseenter", show);
      link.addEventListener("focus", show);
      link.addEventListener("mouseleave", hide);
      link.addEventListener("blur", hide);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") hide();
    });
  }
  says();

  // The theme's label hides the shortcut that the button shows.
  document.querySelectorAll(".search-button-field").forEach((b) => b.removeAttribute("aria-label"));

  function board() {
    const controls = document.getElementById("board-controls");
    if (!controls) return;
    const table = document.getElementById("table-leaderboard");
    const numbers = JSON.parse(document.getElementById("board-numbers").textContent);
    const measure = controls.querySelector("[data-signal=measure]");
    const name = controls.querySelector("[data-name]");
    const kinds = Array.from(controls.querySelectorAll("[data-kind]"));
    const status = document.getElementById("board-status");

    function fill() {
      for (const row of table.tBodies[0].rows) {
        numbers[row.dataset.method][measure.value].forEach(([text, value, style], i) => {
          const cell = row.cells[i + 2];
          cell.textContent = text;
          cell.className = value === null ? style : `${style} n`.trim();
          if (value === null) delete cell.dataset.value;
          else cell.dataset.value = value;
        });
      }
      filter();
    }

    // The best comes first again, in the column that was sorted by.
    function change() {
      fill();
      const sorted = table.querySelector("th[aria-sort$=scending]");
      const lower = controls.dataset.lower.split(" ").includes(measure.value);
      if (sorted) sort(table, sorted.cellIndex, lower);
    }

    function filter() {
      const chosen = kinds.filter((box) => box.checked).map((box) => box.dataset.kind);
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        const fits = row.dataset.kinds.split("|").some((kind) => chosen.includes(kind));
        row.hidden = !fits || !row.dataset.method.includes(name.value.trim().toLowerCase());
        shown += !row.hidden;
      }
      const title = measure.selectedOptions[0].textContent;
      status.textContent = `${title}: ${shown} of ${table.tBodies[0].rows.length} methods shown.`;
    }

    measure.addEventListener("input", change);
    name.addEventListener("input", filter);
    kinds.forEach((box) => box.addEventListener("input", filter));
    fill();
  }
  board();

  const buttons = document.querySelectorAll(".switch button");
  function choose(variant) {
    buttons.forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.variant === variant)));
    document.querySelectorAll("div.variant").forEach((part) => {
      part.hidden = part.dataset.variant !== variant;
    });
    // Charts measure their width when they are shown.
    window.dispatchEvent(new Event("resize"));
  }
  buttons.forEach((b) => b.addEventListener("click", () => choose(b.dataset.variant)));

  // A link to a folded record or to a hidden variant opens it.
  function reveal() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (buttons.length) {
      const part = target && target.closest("div.variant");
      choose(part ? part.dataset.variant : buttons[0].dataset.variant);
    }
    if (!target) return;
    for (let part = target; part; part = part.parentElement) {
      if (part.tagName === "DETAILS") part.open = true;
    }
    target.scrollIntoView();
  }
  window.addEventListener("hashchange", reveal);
  reveal();
})();
