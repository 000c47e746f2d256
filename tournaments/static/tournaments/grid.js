// Grids are filled by keyboard: Enter goes on to the next field, arrows up and down stay in the
// column, a scanned slip finds its table without losing what is typed.

const cells = (form, kind) => [...form.querySelectorAll(kind ? `[data-cell="${kind}"]` : "[data-cell]")];

function go(list, from, by) {
  const next = list[list.indexOf(from) + by];
  next?.focus();
  next?.select();
  return next;
}

document.addEventListener("keydown", (event) => {
  const cell = event.target.closest("form[data-grid] [data-cell]");
  if (!cell || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by) { event.preventDefault(); go(cells(cell.form, cell.dataset.cell), cell, by); }
  if (event.key === "Enter" && go(cells(cell.form), cell, 1)) event.preventDefault();
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.find) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const field = form.elements.at, text = field.value.trim().toUpperCase();
  const found = cells(document).find((one) => one.dataset.code === text || one.dataset.table === text);
  field.setCustomValidity(found ? "" : form.dataset.find);
  if (!found) { field.reportValidity(); return; }
  field.value = "";
  found.focus();
  found.select();
}, true);
document.addEventListener("input", (event) => { if (event.target.name === "at") event.target.setCustomValidity(""); });
