// Slips are typed one after the other: the field is free again at once, the lines go out in order.
// A line that was refused, or never arrived, comes back into the field unless the next is in it.

import { freshId } from "./outbox.js";

let last = Promise.resolve();

async function send(form, field, line, values) {
  const told = form.dataset.slips;
  try {
    await window.htmx.ajax("POST", form.getAttribute("action"), { values, target: told });
  } catch { /* said below */ }
  const kept = document.querySelector(`${told} [data-slip-in="${values.nonce}"]`);
  if (!kept && !field.value) {
    field.value = line;
    field.select();
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.slips || !window.htmx) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const field = form.elements.line;
  const line = field.value.trim();
  if (!line) return;
  const values = { ...Object.fromEntries(new FormData(form)), nonce: freshId() };
  field.value = "";
  field.focus();
  last = last.then(() => send(form, field, line, values));
}, true);
