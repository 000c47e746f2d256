// What is sent while no server answers waits in the page and in the browser's storage, says since
// when, and goes out once the server is back: in order, and once, as each has its command's id.

import { after, clockText } from "./live.js";

const KEY = "hj-outbox", LEASE = "hj-outbox-lease", TRY = 8000, FIRST = 2000, LAST = 30000, DAY = 86400000;
const box = document.querySelector("#outbox");
const tab = freshId();
let wait = FIRST, timer, sending = false;

// crypto.randomUUID is not there on a plain http address of a hall.
export function freshId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = [...bytes].map((one) => one.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function read() {
  try { return JSON.parse(localStorage.getItem(KEY)) || []; } catch { return []; }
}
const mine = () => read().filter((one) => one.who === box.dataset.who);
const write = (items) => localStorage.setItem(KEY, JSON.stringify(items));
function change(nonce, values) {
  write(values ? read().map((one) => (one.nonce === nonce ? { ...one, ...values } : one)) : read().filter((one) => one.nonce !== nonce));
  draw();
}

function element(name, text, parent, className) {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  parent.append(made);
  return made;
}

function draw(arrived) {
  const items = mine(), said = box.dataset, list = box.querySelector("ul");
  list.replaceChildren();
  for (const item of items) {
    const line = element("li", "", list);
    line.dataset.s = item.why ? "bad" : "wait";
    const words = element("span", "", line, "grow");
    element("b", item.label, words);
    element("br", "", words);
    element("span", (item.why ? said.refused : said.queued).replace("{time}", clockText(item.at)), words, "state");
    if (item.why) element("p", item.why, words, "sub");
    const button = (word, act) => Object.assign(element("button", word, line, "btn"), { type: "button", onclick: act });
    if (item.why) {
      Object.assign(element("a", said.page, line, "btn"), { href: item.page });
      button(said.again, () => { change(item.nonce, { why: "" }); send(); });
    }
    button(said.remove, () => change(item.nonce));
  }
  if (arrived) element("li", said.arrived.replace("{time}", clockText(Date.now())), list);
  box.querySelector("p").hidden = !items.some((one) => !one.why);
  box.hidden = !list.children.length;
}

// New ids for what comes next.
function freshen(from, by) {
  for (const field of from.querySelectorAll("[data-fresh]")) field.value = freshId();
  for (const field of from.querySelectorAll("[data-next]")) field.value = Number(field.value) + by;
}

// Take a form in. False: let the browser send it as it always did.
export function take(form, submitter) {
  const once = form.dataset.once;
  if (!box?.dataset.who || !form.dataset.queue) return false;
  try {
    const held = read();
    if (once && held.some((one) => one.once === once && one.who === box.dataset.who && !one.why)) {
      box.scrollIntoView();
      return true;
    }
    for (const field of form.querySelectorAll("[data-stamp]")) field.value = new Date().toISOString();
    const fields = [...new FormData(form)].filter(([name]) => name !== "csrfmiddlewaretoken").map(([name, value]) => [name, String(value)]);
    if (submitter?.name) fields.push([submitter.name, submitter.value]);
    const nonce = Object.fromEntries(fields).nonce;
    const chosen = form.querySelector("[data-told]:checked, [data-told]:not([type=radio])");
    const told = chosen && (chosen.closest("label")?.textContent.trim() || chosen.value);
    const label = told ? `${form.dataset.queue}: ${told}` : form.dataset.queue;
    write([...held, { nonce, once, label, fields, who: box.dataset.who, url: form.action, page: location.pathname, at: Date.now(), why: "" }]);
    freshen(form, 1);
    for (const field of form.querySelectorAll("[data-clear]")) field.value = "";
    form.closest("[data-region]")?.removeAttribute("data-dirty");
    draw();
    form.dispatchEvent(new CustomEvent("hj:taken", { bubbles: true, detail: submitter }));
    send(nonce);
    return true;
  } catch {
    return false; // no storage, or it is full
  }
}

// One tab sends at a time; of two the second would get the first outcome.
function leased() {
  const [holder, until] = (localStorage.getItem(LEASE) || "").split(" ");
  if (holder !== tab && Number(until) > Date.now()) return false;
  localStorage.setItem(LEASE, `${tab} ${Date.now() + TRY + 2000}`);
  return true;
}

export async function send(nonce) {
  clearTimeout(timer);
  if (sending || !box) return;
  sending = true;
  let arrived = "", page;
  try {
    for (let item; (item = mine().find((one) => !one.why)); ) {
      if (!leased()) throw new Error("another tab sends");
      const then = await deliver(item, item.nonce === nonce);
      if (then) { arrived = then; page = page || item.nonce === nonce; }
      wait = FIRST;
    }
    localStorage.removeItem(LEASE);
  } catch {
    timer = setTimeout(send, wait);
    wait = Math.min(wait * 1.5, LAST);
  } finally {
    sending = false;
  }
  if (!arrived) return;
  if (page || (arrived === location.pathname && !document.querySelector("[data-dirty]"))) {
    if (arrived === location.pathname) location.reload(); else location.assign(arrived);
  } else draw(true);
}

// Where the answer stands, "" when refused; throws when it may not have got there.
async function deliver(item, asked) {
  const token = document.cookie.match(/(?:^|; )csrftoken=([^;]*)/)?.[1] || "";
  const answer = await fetch(item.url, {
    method: "POST", redirect: "manual", signal: after(TRY), body: new URLSearchParams(item.fields),
    headers: { "X-CSRFToken": token, "Headjudge-Queue": "1", "Headjudge-Age": String(Math.max(0, Math.round((Date.now() - item.at) / 1000))) },
  });
  if (answer.status === 204) {
    change(item.nonce);
    return answer.headers.get("Headjudge-Then") || location.pathname;
  }
  if (answer.status >= 500 || answer.status === 429) throw new Error(answer.status);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fault = page.querySelector(".fault h2")?.textContent.trim();
  if (asked && fault && new URL(item.url).pathname === location.pathname) {
    change(item.nonce);
    document.querySelector("main").replaceWith(page.querySelector("main"));
    window.htmx?.process(document.querySelector("main"));
    scrollTo(0, 0);
  } else change(item.nonce, { why: fault || box.dataset.door });
  return "";
}

if (box) {
  for (const name of ["hj:up", "visibilitychange"]) document.addEventListener(name, () => send());
  window.addEventListener("online", () => send());
  window.addEventListener("storage", (event) => { if (event.key === KEY) draw(); });
  try {
    write(read().filter((one) => one.who === box.dataset.who || Date.now() - one.at < DAY));
    draw();
    // a kept page has the ids of its first showing: some are spent
    if (document.querySelector("#kept:not([hidden])")) freshen(document, 9 + mine().length);
    send();
  } catch { /* no storage: forms are sent as ever */ }
}
