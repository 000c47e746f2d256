(() => {
  "use strict";
  const source = document.getElementById("duel");
  const { names, frames } = JSON.parse(source.textContent);
  const range = document.querySelector("nav input");
  const head = frames.length;
  let at = 0, table = {};
  const show = (box, cells, keep) => {
    box.replaceChildren(...cells.filter((one) => one || keep).map((one) => {
      const li = document.createElement("li");
      li.className = "z";
      if (!one) return li;
      const [name, kind, lies, values, under] = one;
      li.className = `z on k-${kind || "x"}${lies & 1 ? " set" : ""}${lies & 2 ? " def" : ""}`;
      const b = document.createElement("b");
      b.textContent = names[name] || (lies & 1 ? source.dataset.set : source.dataset.card);
      li.append(b, values);
      if (under.length) {
        const more = document.createElement("span");
        more.textContent = ` +${under.length}`;
        more.title = under.map((card) => names[card]).join(", ");
        li.append(more);
      }
      return li;
    }));
  };
  const draw = () => {
    for (const box of document.querySelectorAll(".seat")) {
      const seat = box.dataset.seat, get = (key) => table[`${seat}.${key}`];
      box.classList.toggle("on", table.a === seat);
      const each = (kind, put) => {
        for (const part of box.querySelectorAll(`[data-${kind}]`)) put(part, get(part.dataset[kind]));
      };
      each("count", (part, value) => { part.textContent = value; });
      each("row", (part, cells) => show(part, cells, "whole" in part.dataset));
      each("size", (part, cards) => { part.textContent = cards.length; });
      each("list", (part, cards) => { part.textContent = cards.map((card) => names[card]).join(", "); });
    }
    for (const one of document.querySelectorAll("#log [aria-current]")) one.removeAttribute("aria-current");
    const link = document.querySelector(`#l${at} a`);
    link.setAttribute("aria-current", "step");
    const list = link.closest("ol");
    list.scrollTop = link.offsetTop - list.offsetTop - list.clientHeight / 2;
    document.getElementById("here").textContent = link.textContent;
    range.value = at;
  };
  const go = (wanted) => {
    const to = Math.min(Math.max(1, wanted || head), head);
    if (to < at) { at = 0; table = {}; }
    while (at < to) Object.assign(table, frames[at++]);
    draw();
  };
  const moved = () => go(Number(location.hash.slice(1)));
  const steps = { first: () => 1, back: () => Math.max(1, at - 1), next: () => at + 1, last: () => head };
  const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };
  const step = (word) => history.replaceState(null, "", `#${Math.min(steps[word](), head)}`);
  document.querySelector("nav").addEventListener("click", (event) => {
    const word = event.target.dataset.go;
    if (word) { step(word); moved(); }
  });
  document.addEventListener("keydown", (event) => {
    if (keys[event.key] && event.target !== range) { event.preventDefault(); step(keys[event.key]); moved(); }
  });
  range.addEventListener("input", () => { history.replaceState(null, "", `#${range.value}`); moved(); });
  addEventListener("hashchange", moved);
  moved();
})();
