// Charts: each figure.chart holds its Vega-Lite specification as JSON. The library is loaded once,
// only on pages that have charts; the interpreter is used, so that no page needs eval.
"use strict";

(function () {
  const figures = Array.from(document.querySelectorAll("figure.chart"));
  if (!figures.length) return;
  const root = document.documentElement.dataset.content_root || "./";
  const views = new Map();

  // A control sets the parameter of its name in its own chart, or in all that stand together.
  function bind(input) {
    const group = input.closest(".together");
    const charts = group ? group.querySelectorAll("figure.chart") : [input.closest("figure.chart")];
    const set = () => {
      const value = input.type === "range" ? Number(input.value) : input.value;
      charts.forEach((chart) => views.get(chart).signal(input.dataset.signal, value).runAsync());
      say(input, value);
    };
    input.addEventListener("input", set);
    set();
  }

  // A slider says the numbers of its step, from the table that the page has anyway.
  function say(input, value) {
    const output = document.getElementById(input.dataset.output || "");
    if (!output) return;
    const table = document.getElementById("table-example");
    const heads = Array.from(table.querySelectorAll("thead th"), (cell) => cell.textContent);
    const cells = Array.from(table.tBodies[0].rows[value].cells, (cell) => cell.textContent);
    output.textContent = heads.map((head, i) => `${head} ${cells[i]}`).join(", ");
  }

  async function draw() {
    for (const figure of figures) {
      const spec = JSON.parse(figure.querySelector("script").textContent);
      const options = { actions: false, renderer: "svg", ast: true, mode: "vega-lite" };
      const result = await window.vegaEmbed(figure.querySelector(".vega"), spec, options);
      // The figure's alt text speaks for the picture; its marks would be read out one by one.
      figure.querySelector(".vega svg").setAttribute("aria-hidden", "true");
      views.set(figure, result.view);
    }
    document.querySelectorAll(".together [data-signal], figure.chart [data-signal]").forEach(bind);
    figures.forEach((figure) => {
      figure.dataset.drawn = "yes";
    });
  }

  const script = document.createElement("script");
  script.src = `${root}_static/vega.js`;
  script.onload = draw;
  document.head.append(script);
})();
