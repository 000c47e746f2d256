// A stream tells that something moved, never what; the page then fetches itself anew, under its own
// rights. Where no stream gets through, the counters are asked for instead.

const { live: topics, spread } = document.body.dataset;
const OPEN = 8000, BEAT = 50000, FIRST = 3000, LAST = 30000, HIDDEN = 60000, AGAIN = 300000;
const show = (name, shown) => { document.querySelector(name)?.toggleAttribute("hidden", !shown); };
let at = document.body.dataset.at;
let skew = 0; // server's clock minus the phone's, in ms
let stream, watchdog, timer, due, since, wait = FIRST, fails = 0, streamAfter = 0, stale = false;

export const serverNow = () => Date.now() + skew;
export const clockText = (ms, options) => new Date(ms).toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...options });
export function after(ms) {
  const control = new AbortController();
  setTimeout(() => control.abort(), ms);
  return control.signal;
}

// What a person types stays; then a button brings what is new.
const busy = (region) => region.hasAttribute("data-dirty")
  || (region.contains(document.activeElement) && document.activeElement.matches("input, select, textarea"));
const nameOf = (one) => one.getAttribute("href") || one.getAttribute("aria-label") || one.textContent.trim();
const named = (region, kind, name) => [...region.querySelectorAll(kind)].find((one) => nameOf(one) === name);

async function refresh(asked) {
  due = undefined;
  const region = document.querySelector("[data-region]");
  if (!region) return;
  if (document.hidden) { stale = true; return; }
  if (!asked && busy(region)) { show("#news", true); return; }
  const open = [...region.querySelectorAll("details[open] > summary")].map(nameOf);
  const focus = region.contains(document.activeElement) && nameOf(document.activeElement);
  await window.htmx.ajax("GET", location.pathname + location.search, { target: region, select: "[data-region]", swap: "outerHTML" });
  const fresh = document.querySelector("[data-region]");
  for (const name of open) named(fresh, "summary", name)?.parentElement.setAttribute("open", "");
  if (focus) named(fresh, "a, button, summary", focus)?.focus();
  for (const name of ["#news", "#kept"]) show(name, false);
  document.dispatchEvent(new Event("hj:fresh"));
}

function moved() {
  due ??= setTimeout(refresh, Math.random() * spread);
}

function up() {
  if (since || document.querySelector("#kept:not([hidden])")) moved();
  since = undefined;
  fails = 0;
  show("#link", false);
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

// The right to follow is gone: say so and ask no more.
function over() {
  stop();
  const place = document.querySelector("#link");
  if (place) place.textContent = place.dataset.over;
  show("#link", true);
}

function listen() {
  stop();
  const made = stream = new EventSource(`/live/?${topics}&since=${at}`);
  const lost = (pause) => {
    if (stream !== made) return;
    fails += 1;
    streamAfter = Date.now() + (pause || (fails > 3 ? AGAIN : 0));
    poll();
  };
  const alive = (ms, pause) => { clearTimeout(watchdog); watchdog = setTimeout(lost, ms, pause); };
  alive(OPEN, AGAIN); // a stream that says nothing is held back on its way
  made.addEventListener("clock", (event) => {
    skew = Number(event.data) - Date.now();
    at = event.lastEventId;
    alive(BEAT);
    up();
  });
  made.addEventListener("moved", (event) => { at = event.lastEventId; moved(); });
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
    if (now !== at) { at = now; moved(); }
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

if (topics) {
  document.addEventListener("input", (event) => event.target.closest("[data-region]")?.setAttribute("data-dirty", ""));
  document.addEventListener("visibilitychange", seen);
  document.querySelector("#news button")?.addEventListener("click", () => refresh(true));
  window.addEventListener("pagehide", stop);
  window.addEventListener("pageshow", (event) => { if (event.persisted) seen(); });
  if (window.EventSource) seen(); else poll();
}
