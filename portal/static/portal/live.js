// Told that something moved, never what, the page fetches itself anew (docs/live.md).

const { live: topics, spread } = document.body.dataset;
const OPEN = 8000, BEAT = 50000, FIRST = 3000, LAST = 30000, HIDDEN = 60000, AGAIN = 300000;
const show = (name, shown) => { document.querySelector(name)?.toggleAttribute("hidden", !shown); };
let at = document.body.dataset.at;
let skew = 0; // server's clock minus the phone's, in ms
let stream, fetched, rest = 0, watchdog, timer, due, since, wait = FIRST, fails = 0, streamAfter = 0, stale = false;

export const serverNow = () => Date.now() + skew;
export const clockText = (ms, options) => new Date(ms).toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...options });
function after(ms) {
  const control = new AbortController();
  setTimeout(() => control.abort(), ms);
  return control.signal;
}

// What is typed stays.
const busy = (region) => region.hasAttribute("data-dirty")
  || (region.contains(document.activeElement) && document.activeElement.matches("input, select, textarea"));
const nameOf = (one) => one.getAttribute("href") || one.getAttribute("aria-label") || one.textContent.trim();
const named = (region, kind, name) => [...region.querySelectorAll(kind)].find((one) => nameOf(one) === name);

// A slow server is asked less often.
async function refresh(asked) {
  await fetched;
  due = undefined;
  const region = document.querySelector("[data-region]");
  if (!region) return;
  if (document.hidden) { stale = true; return; }
  const said = document.querySelector(".toasts");
  setTimeout(() => said?.remove(), 4000);
  if (!asked && busy(region)) { show("#news", true); return; }
  const open = [...region.querySelectorAll("details[open] > summary")].map(nameOf);
  const focus = region.contains(document.activeElement) && nameOf(document.activeElement);
  const began = Date.now();
  await (fetched = window.htmx.ajax("GET", location.pathname + location.search, { target: region, select: "[data-region]", swap: "outerHTML", headers: { "Headjudge-At": at } }).catch(() => {}));
  rest = Math.min(3 * (Date.now() - began), LAST);
  const fresh = document.querySelector("[data-region]");
  for (const name of open) named(fresh, "summary", name)?.parentElement.setAttribute("open", "");
  if (focus) named(fresh, "a, button, summary", focus)?.focus();
  for (const name of ["#news", "#kept"]) show(name);
  document.dispatchEvent(new Event("hj:fresh"));
}

function moved() {
  due ??= setTimeout(refresh, rest + Math.random() * spread);
}

// Who asked (`sure`) hears what is so, which is less after a restore; a wave may be late.
function told(then, sure) {
  const old = at.split(".");
  if (sure ? then !== at : then.split(".").some((one, place) => one - old[place] > 0)) { at = then; moved(); }
}

// Counters come with a page, not with a refusal.
function put(page) {
  const main = page.querySelector("main"), then = page.body.dataset.at;
  document.querySelector("main").replaceWith(main);
  window.htmx?.process(main);
  if (then) {
    const before = at;
    at = then;
    due = clearTimeout(due);
    told(before);
    for (const name of ["#news", "#kept"]) show(name);
  }
  document.dispatchEvent(new Event("hj:fresh"));
}

function up() {
  if (since || document.querySelector("#kept:not([hidden])")) moved();
  since = undefined;
  fails = 0;
  show("#link");
  document.dispatchEvent(new Event("hj:up"));
}

function down() {
  const place = document.querySelector("#link");
  since ??= Date.now();
  if (place) place.textContent = place.dataset.off.replace("{time}", clockText(since));
  show("#link", true);
}

function stop() {
  stream?.close();
  stream = undefined;
  clearTimeout(watchdog);
  clearTimeout(timer);
}

// The right to follow ended.
function over() {
  stop();
  const place = document.querySelector("#link");
  if (place) place.textContent = place.dataset.over;
  show("#link", true);
}

function listen() {
  stop();
  const made = stream = new EventSource(`/live/?${topics}&since=${at}`);
  let sure = true;
  const lost = (pause) => {
    if (stream !== made) return;
    fails += 1;
    streamAfter = Date.now() + (pause || (fails > 3 ? AGAIN : 0));
    poll();
  };
  const alive = (ms, pause) => { clearTimeout(watchdog); watchdog = setTimeout(lost, ms, pause); };
  alive(OPEN, AGAIN);
  made.addEventListener("clock", (event) => {
    skew = Number(event.data) - Date.now();
    told(event.lastEventId, sure);
    sure = false;
    alive(BEAT);
    up();
  });
  made.addEventListener("moved", (event) => told(event.lastEventId));
  made.addEventListener("error", () => lost());
}

async function poll() {
  stop();
  try {
    const answer = await fetch(`/live/now/?${topics}`, { cache: "no-store", signal: after(OPEN) });
    if (answer.status === 403 || answer.status === 404) { over(); return; }
    if (!answer.ok) throw new Error(answer.status);
    const [now, clock] = (await answer.text()).split(" ");
    skew = Number(clock) - Date.now();
    const before = fails;
    up();
    fails = before; // only a stream that speaks makes good for one that broke
    wait = now === at ? Math.min(wait * 1.5, LAST) : FIRST;
    told(now, true);
  } catch {
    down();
    wait = Math.min(wait * 1.5, LAST);
  }
  clearTimeout(timer);
  timer = setTimeout(next, document.hidden ? HIDDEN : wait * (0.7 + Math.random() * 0.6));
}

function next() {
  if (document.hidden || since || Date.now() < streamAfter) poll();
  else listen();
}

function seen() {
  wait = FIRST;
  if (document.hidden) {
    stop();
    timer = setTimeout(next, HIDDEN);
  } else {
    if (stale) { stale = false; moved(); }
    next();
  }
}

// What finds no server waits in the storage and goes out in order, once.
const KEY = "hj-outbox", LEASE = "hj-outbox-lease", SOON = 2000, DAY = 86400000;
const box = document.querySelector("#outbox");
const tab = freshId();
let pause = SOON, later, sending = false;

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
    const words = chosen && (chosen.closest("label")?.textContent.trim() || chosen.value);
    const label = words ? `${form.dataset.queue}: ${words}` : form.dataset.queue;
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

function leased() {
  const [holder, until] = (localStorage.getItem(LEASE) || "").split(" ");
  if (holder !== tab && Number(until) > Date.now()) return false;
  localStorage.setItem(LEASE, `${tab} ${Date.now() + OPEN + 2000}`);
  return true;
}

async function send(nonce) {
  clearTimeout(later);
  if (sending || !box) return;
  sending = true;
  let arrived = "", page;
  try {
    for (let item; (item = mine().find((one) => !one.why)); ) {
      if (!leased()) throw new Error("another tab sends");
      const then = await deliver(item, item.nonce === nonce);
      if (then) { arrived = then; page = page || item.nonce === nonce; }
      pause = SOON;
    }
    localStorage.removeItem(LEASE);
  } catch {
    later = setTimeout(send, pause);
    pause = Math.min(pause * 1.5, LAST);
  } finally {
    sending = false;
  }
  if (!arrived) return;
  if (page || (arrived === location.pathname && !document.querySelector("[data-dirty]"))) {
    if (arrived === location.pathname) location.reload(); else location.assign(arrived);
  } else draw(true);
}

// Where the answer stands, "" when it is here; throws when the form may not have got there.
async function deliver(item, asked) {
  const token = document.cookie.match(/(?:^|; )csrftoken=([^;]*)/)?.[1] || "";
  const answer = await fetch(item.url, {
    method: "POST", redirect: "manual", signal: after(OPEN), body: new URLSearchParams(item.fields),
    headers: { "X-CSRFToken": token, "Headjudge-Queue": asked ? location.pathname + location.search : "1", "Headjudge-Age": String(Math.max(0, Math.round((Date.now() - item.at) / 1000))) },
  });
  if (answer.status >= 500 || answer.status === 429) throw new Error(answer.status);
  const then = answer.headers.get("Headjudge-Then");
  if (answer.status === 204) {
    change(item.nonce);
    return then;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fault = page.querySelector(".fault h2")?.textContent.trim();
  if (then || (asked && fault && new URL(item.url).pathname === location.pathname)) {
    change(item.nonce);
    put(page);
    if (fault) scrollTo(0, 0);
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

if (topics) {
  document.addEventListener("input", (event) => event.target.closest("[data-region]")?.setAttribute("data-dirty", ""));
  document.addEventListener("visibilitychange", seen);
  document.querySelector("#news button")?.addEventListener("click", () => refresh(true));
  window.addEventListener("pagehide", stop);
  window.addEventListener("pageshow", (event) => { if (event.persisted) seen(); });
  if (window.EventSource) seen(); else poll();
}
