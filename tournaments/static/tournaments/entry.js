// Results by keyboard: grids from paper, and slips typed one after the other.

import { bare } from "../portal/app.js";
import { freshId } from "../portal/live.js";

// Enter goes on to the next field, arrows up and down stay in the column.
const cells = (form, kind) => [...form.querySelectorAll(kind ? `[data-cell="${kind}"]` : "[data-cell]")];
let last = Promise.resolve();

function go(list, from, by) {
  const next = list[list.indexOf(from) + by];
  next?.focus();
  next?.select();
  return next;
}

document.addEventListener("keydown", (event) => {
  const cell = event.target.closest("form[data-grid] [data-cell]");
  if (!cell || !bare(event)) return;
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by) { event.preventDefault(); go(cells(cell.form, cell.dataset.cell), cell, by); }
  if (event.key === "Enter" && go(cells(cell.form), cell, 1)) event.preventDefault();
});

// A scanned slip finds its table without losing what is typed.
function find(form) {
  const field = form.elements.at, text = field.value.trim().toUpperCase();
  const found = cells(document).find((one) => one.dataset.code === text || one.dataset.table === text);
  field.setCustomValidity(found ? "" : form.dataset.find);
  if (!found) { field.reportValidity(); return; }
  field.value = "";
  found.focus();
  found.select();
}

// The field of a slip is free again at once, the lines go out in order. One that was refused, or
// never arrived, comes back into the field unless the next is in it.
async function send(form, field, line, values) {
  const told = form.dataset.slips;
  try {
    await window.htmx.ajax("POST", form.getAttribute("action"), { values, target: told });
  } catch { /* said below */ }
  if (!document.querySelector(`${told} [data-slip-in="${values.nonce}"]`) && !field.value) {
    field.value = line;
    field.select();
  }
}

function slip(form) {
  const field = form.elements.line, line = field.value.trim();
  if (!line) return;
  const values = { ...Object.fromEntries(new FormData(form)), nonce: freshId() };
  field.value = "";
  field.focus();
  last = last.then(() => send(form, field, line, values));
}

document.addEventListener("submit", (event) => {
  const form = event.target, act = form.dataset.find ? find : form.dataset.slips && window.htmx && slip;
  if (!act) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  act(form);
}, true);
document.addEventListener("input", (event) => { if (event.target.name === "at") event.target.setCustomValidity(""); });
