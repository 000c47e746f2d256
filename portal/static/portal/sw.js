// Without a server: the shell, and what the server marked, of one person at a time, with its age.
let turn = 0, last;
const MAIN = /<main[^]*<\/main>/;

const drop = async (but) => {
  for (const name of await caches.keys()) if (name !== "shell" && name !== but) await caches.delete(name);
};

// Another person's answer takes away what was kept; one that comes late keeps nothing. A page
// without its frame gives its middle.
async function ask(request) {
  const mine = turn, answer = await fetch(request), { headers } = answer, who = headers.get("Headjudge-For");
  if (who === null || mine !== turn) return answer;
  if (last !== who) turn += 1;
  last = who;
  await drop(who);
  const now = turn, keep = headers.get("Headjudge-Keep"), cache = keep && await caches.open(who);
  let body = keep && await answer.clone().text();
  if (keep && request.mode !== "navigate") body = (await (await cache.match(request.url))?.text())?.replace(MAIN, () => body.match(MAIN)[0]);
  if (body && now === turn) for (const url of keep.split(" ")) cache.put(url, new Response(body, { headers: [...headers, ["Kept", Date.now()]] }));
  return answer;
}

async function page(request, path) {
  let copy, age;
  try {
    if (request.method !== "GET") {
      if (/out\/$/.test(path)) { turn += 1; await drop(); }
      return await fetch(request);
    }
    copy = await caches.match(request.url);
    age = copy && Date.now() - copy.headers.get("Kept");
    return await new Promise((good, bad) => {
      if (age < 864e5) setTimeout(bad, 8000);
      ask(request).then((answer) => (copy && answer.status > 501 ? bad() : good(answer)), bad);
    });
  } catch {
    if (!(age < 864e5)) return caches.match("/offline/");
    const body = (await copy.text()).replace('id="kept" hidden', 'id="kept"').replaceAll("data-seconds-left", "data-was")
      .replace("{min}", Math.round(age / 6e4)).replace("{time}", new Date(Date.now() - age).toTimeString().slice(0, 5));
    return new Response(body, { headers: copy.headers });
  }
}

async function install() {
  const cache = await caches.open("shell"), text = await (await fetch("/offline/")).text();
  await cache.addAll([...new Set(["/offline/", ...text.match(/\/static\/[^"#]+/g)])]);
  await skipWaiting();
}

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
// Only the server of the pages can have sealed a message.
addEventListener("push", (event) => {
  const shown = event.data.json();
  event.waitUntil(registration.showNotification(shown.title, shown));
});
addEventListener("notificationclick", (event) => {
  const { notification } = event, { href, origin } = new URL(notification.data, location.origin);
  notification.close();
  if (origin === location.origin) event.waitUntil(clients.matchAll({ type: "window" }).then((all) => {
    const open = all.find(({ url }) => url.split("#")[0] === href);
    return open ? open.focus() : clients.openWindow(href);
  }));
});
addEventListener("fetch", (event) => {
  const { request } = event, path = new URL(request.url).pathname;
  if (request.mode === "navigate") event.respondWith(page(request, path));
  else if (request.headers.has("HX-Request") || request.headers.has("Headjudge-Queue")) event.respondWith(ask(request));
  else if (path.startsWith("/static/")) event.respondWith(fetch(request).catch(() => caches.match(path)));
});
