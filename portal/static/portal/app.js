// Small helps for pages that work without it: clocks, keys of the replay, print, copy, one send per form.

import { clockText as timeOfDay, serverNow } from "./live.js";
import { take } from "./outbox.js";

const two = (n) => String(n).padStart(2, "0");

function clockText(seconds) {
  const rest = Math.abs(seconds);
  const text = `${Math.floor(rest / 60)}:${two(rest % 60)}`;
  return seconds < 0 ? `+${text}` : text;
}

// The server says how many seconds are left, or the moment at which they end, by its own clock;
// the page only counts on from there. Clocks come and go as the page is brought up to date.
function tick() {
  const now = performance.now();
  for (const clock of document.querySelectorAll("[data-seconds-left]")) {
    clock.begun ??= now;
    clock.textContent = clockText(Number(clock.dataset.secondsLeft) - Math.floor((now - clock.begun) / 1000));
  }
  for (const clock of document.querySelectorAll("[data-until]")) {
    clock.textContent = clockText(Math.ceil((Number(clock.dataset.until) - serverNow()) / 1000));
  }
  for (const clock of document.querySelectorAll("[data-zone]")) {
    clock.textContent = timeOfDay(serverNow(), { timeZone: clock.dataset.zone });
  }
}

// A message from the desk goes when its time is over, whether or not the server can be asked.
function messages() {
  for (const one of document.querySelectorAll("[data-gone]")) one.hidden = Number(one.dataset.gone) <= serverNow();
}

function onClick(event) {
  const target = event.target.closest("[data-do]");
  if (target?.dataset.do === "print") window.print();
  if (target?.dataset.do === "copy") {
    navigator.clipboard?.writeText(new URL(target.getAttribute("href"), location.href).href);
    target.setAttribute("aria-live", "polite");
    target.append(" \u2713");
    event.preventDefault();
  }
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
}

// One send per form: the nonce already makes a second one harmless, this makes it visible.
function onSubmit(event) {
  const form = event.target;
  if (form.dataset.sent || take(form, event.submitter)) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "1";
  form.setAttribute("aria-busy", "true");
}

const KEYS = { ArrowRight: "next", ArrowLeft: "before", ".": "next-turn", ",": "turn-before", Home: "start", End: "end" };

function onKey(event) {
  const inField = event.target.closest("input, textarea, select, [contenteditable]");
  if (inField || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const name = KEYS[event.key];
  const link = name && document.querySelector(`[data-step="${name}"]`);
  if (link?.href) {
    event.preventDefault();
    link.click();
  }
}

// A changed scrubber or filter sends its form; without script the form has its own button.
function onChange(event) {
  if (event.target.matches("[data-send]")) event.target.form.requestSubmit();
}

document.addEventListener("click", onClick);
document.addEventListener("submit", onSubmit);
document.addEventListener("keydown", onKey);
document.addEventListener("change", onChange);
window.addEventListener("pageshow", (event) => {
  if (event.persisted) for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});
for (const field of document.querySelectorAll("[data-needs-script]")) field.hidden = false;
// What a scanner types next takes the place of what stands in the field.
document.querySelector("[data-select]")?.select();
// The current line comes into sight inside its list; the page itself stays where it is.
const line = document.querySelector("[data-into-view]");
const list = line?.closest(".scroll");
if (list) {
  const gap = line.getBoundingClientRect().top - list.getBoundingClientRect().top;
  list.scrollTop += gap - list.clientHeight / 2;
}
tick();
setInterval(() => { tick(); messages(); }, 1000);
document.addEventListener("hj:fresh", tick);
