// The table sheet. What is here works without a server; its forms go out through live.js.

import { clockText as text } from "../portal/app.js";

const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/đ/g, "d").replace(/ł/g, "l");
const one = (query, inside = document) => inside.querySelector(query);
const all = (query, inside = document) => [...inside.querySelectorAll(query)];
const opened = performance.now();
const since = (from) => Math.floor((performance.now() - from) / 1000);

function give(watch, gone) {
  const { grace, step, cap, least, bonus } = watch.dataset;
  if ("nothing" in watch.dataset) return 0;
  let given = Math.ceil((gone + Number(bonus)) / step) * step;
  if (gone <= Number(grace)) given = 0;
  if (cap !== "") given = Math.min(given, Number(cap));
  return Math.max(given, Number(least));
}

function tick() {
  for (const watch of all('[data-panel="run"][data-ran]')) {
    watch.from ??= performance.now();
    const gone = Number(watch.dataset.ran) + since(watch.from);
    const given = give(watch, gone), told = one("[data-gives]", watch);
    one("[data-watch]", watch).textContent = text(gone);
    told.textContent = given ? told.dataset.some.replace("{time}", `+${text(given)}`) : told.dataset.no;
  }
  for (const undo of all("[data-undo]")) {
    undo.from ??= performance.now();
    const rest = Number(undo.dataset.undo) - since(undo.from);
    one("[data-rest]", undo).textContent = Math.max(0, rest);
    undo.hidden = rest <= 0;
  }
}

// An act was taken in: show what comes next.
function taken(event) {
  const form = event.target, sheet = form.closest("[data-sheet]");
  let then = form.dataset.then;
  if (!sheet || !then) return;
  const run = one('[data-panel="run"]', sheet);
  if (then === "ruled") then = event.detail?.value === "1" ? "sent" : "run";
  if (then === "run" && run.dataset.ran === undefined) {
    const gone = 60 * Number(event.detail?.name === "minutes_ago" ? event.detail.value : 0);
    if (run.dataset.left !== "") run.dataset.cap = Math.max(0, Number(run.dataset.left) - since(opened) + gone);
    run.dataset.ran = gone;
  }
  for (const panel of all("[data-panel]", sheet)) panel.hidden = panel.dataset.panel !== then;
  if (form.closest(".panel")) location.hash = "live";
  tick();
}

function press(button) {
  const pad = button.closest("form"), key = button.dataset.digit;
  const field = pad.matches("[data-lp]") ? pad.field || one('[name="first"]', pad) : one("#number", pad);
  if (key === "clear") field.value = "";
  else if (key === "del") field.value = field.value.slice(0, -1);
  else field.value += key === "next" ? " " : key;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function echo(field) {
  const told = one("[data-echo]"), wanted = field.value.trim().split("/").filter(Boolean).pop();
  const known = all("#known option").find((row) => row.value === wanted);
  told.textContent = known ? known.textContent : wanted ? told.dataset.none : "";
}

function letters(field) {
  const wanted = plain(field.value.trim());
  const rows = all(".pick", field.form);
  for (const row of rows) {
    const words = plain(row.dataset.words).split(/[\s-]+/);
    row.classList.toggle("out", wanted !== "" && !words.some((word) => word.startsWith(wanted)));
    row.classList.toggle("in", wanted !== "");
  }
  one("[data-nothing-found]", field.form).hidden = wanted === "" || rows.some((row) => !row.classList.contains("out"));
}

// The base penalty first, then what stands against the player already.
function follows(form) {
  const chosen = one('[name="preset"]:checked', form), who = one('[name="seat"]:checked', form);
  if (!chosen) return;
  const waits = "pending" in chosen.dataset;
  one("[data-base-word]", form).textContent = one("[data-give-word]", form).textContent = chosen.dataset.base;
  one("[data-waits]", form).hidden = one("[data-ask]", form).hidden = !waits;
  one("[data-give]", form).hidden = one("[data-stay]", form).hidden = waits;
  for (const slip of all("[data-slip-in]", form)) {
    const said = one(`[data-slip="${slip.dataset.slipIn}"]`, chosen.closest(".pick"));
    one("[data-sentence]", slip).replaceChildren(said.content.cloneNode(true));
    one("[data-who]", slip).textContent = who ? `${who.dataset.name}:` : "";
    slip.hidden = !who;
  }
  const told = one("[data-counted]", form);
  told.replaceChildren();
  if (!who) return;
  const asked = `${form.dataset.count}?seat=${who.value}&preset=${encodeURIComponent(chosen.value)}`;
  form.asked = asked;
  fetch(asked).then((answer) => (answer.ok ? answer.text() : "")).then((html) => {
    if (form.asked !== asked || !html) return;
    told.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  }).catch(() => {});
}

const column = (field) => field.value.split(/[^0-9]+/).filter(Boolean).map(Number);

function totals(form) {
  const [first, second] = ["first", "second"].map((name) => column(one(`[name="${name}"]`, form)));
  const parts = first.findIndex((value, at) => at < second.length && value !== second[at]);
  const list = one("[data-lines]", form), verdict = one("[data-verdict]", form);
  list.replaceChildren();
  for (let at = 0; at < Math.max(first.length, second.length); at += 1) {
    for (const value of [first[at], second[at]]) {
      const line = list.appendChild(document.createElement("li"));
      line.textContent = value ?? "–";
      line.classList.toggle("hl", at === parts);
    }
  }
  verdict.textContent = parts < 0 ? verdict.dataset.same
    : verdict.dataset.parts.replace("{line}", parts + 1).replace("{one}", first[parts]).replace("{two}", second[parts]);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-digit]");
  if (button) press(button);
});
document.addEventListener("focusin", (event) => {
  const form = event.target.closest("[data-lp]");
  if (form && event.target.matches('[name="first"], [name="second"]')) form.field = event.target;
});
document.addEventListener("input", (event) => {
  const field = event.target, form = field.form;
  if (field.id === "number") echo(field);
  if (field.matches("[data-letters]")) letters(field);
  if (form?.matches("[data-lp]")) totals(form);
});
document.addEventListener("change", (event) => {
  const form = event.target.closest("[data-penalty]");
  if (form && event.target.matches('[name="seat"], [name="preset"]')) follows(form);
});
document.addEventListener("hj:taken", taken);
document.addEventListener("hj:fresh", () => {
  for (const field of all("[data-sheet] [data-needs-script], [data-pad] [data-needs-script]")) field.hidden = false;
  if (location.hash.length > 1) location.replace(location.hash); // an open tool stays open
  tick();
});
for (const field of all('#number, [data-lp] input[inputmode]')) field.inputMode = "none"; // the page has its own keys
tick();
setInterval(tick, 500);
for (const form of all("[data-penalty]")) follows(form);
