import { clockText as timeOfDay, serverNow, take } from "./live.js";

export function clockText(seconds) {
  const rest = Math.abs(seconds);
  return `${seconds < 0 ? "+" : ""}${Math.floor(rest / 60)}:${String(rest % 60).padStart(2, "0")}`;
}

// The page counts on from what the server said.
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

function messages() {
  for (const one of document.querySelectorAll("[data-gone]")) one.hidden = Number(one.dataset.gone) <= serverNow();
}

// Send on where the browser takes messages.
async function tell({ form, value }) {
  try {
    const { pushManager } = await worker;
    await (await pushManager.getSubscription())?.unsubscribe();
    form.subscription.value = JSON.stringify(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: value }));
    form.requestSubmit();
  } catch {
    document.querySelector("#cannot").hidden = false;
  }
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
  if (target?.dataset.do === "tell") tell(target);
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
}

function onSubmit(event) {
  const form = event.target;
  if (form.dataset.sent || take(form, event.submitter)) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "1";
  form.setAttribute("aria-busy", "true");
}

export const bare = (event) => !(event.ctrlKey || event.metaKey || event.altKey || event.isComposing);

function onKey(event) {
  if (event.target.closest("input, textarea, select, [contenteditable]") || !bare(event)) return;
  const { key, shiftKey } = event;
  const link = document.querySelector(`[data-keys~="${shiftKey && key[1] ? "+" : ""}${CSS.escape(key)}"]`);
  if (link) {
    event.preventDefault();
    link.click();
  }
}

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
const zone = document.querySelector("[data-own-zone]");
if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
// A scanner types over what stands there.
document.querySelector("[data-select]")?.select();
function sight() {
  const line = document.querySelector("[data-into-view]");
  const list = line?.closest(".scroll");
  if (list) list.scrollTop += line.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
}
sight();
document.addEventListener("htmx:afterSettle", sight);
tick();
setInterval(() => { tick(); messages(); }, 1000);
document.addEventListener("hj:fresh", tick);
const worker = navigator.serviceWorker?.register("/sw.js", { updateViaCache: "all" }).catch(() => {}); // plain http has none
