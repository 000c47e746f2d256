// The wall goes round by itself. Space freezes a page, arrows turn pages; nothing glides.

import { bare } from "../portal/app.js";

let at = 0, frozen = false, timer;
const button = document.querySelector("[data-freeze]");

function show() {
  const slides = [...document.querySelectorAll("[data-slide]")];
  if (slides.length) at = (at + slides.length) % slides.length;
  slides.forEach((one, place) => { one.hidden = place !== at; });
}

function turn(by) {
  at += by;
  show();
  clearInterval(timer);
  timer = setInterval(() => { if (!frozen) { at += 1; show(); } }, 10000);
}

function freeze() {
  frozen = !frozen;
  button.setAttribute("aria-pressed", frozen);
  document.body.toggleAttribute("data-frozen", frozen);
}

document.addEventListener("keydown", (event) => {
  if (!bare(event)) return;
  if (event.key === " " && event.target !== button) { event.preventDefault(); freeze(); }
  if (event.key === "ArrowRight") turn(1);
  if (event.key === "ArrowLeft") turn(-1);
});
button.addEventListener("click", freeze);
document.addEventListener("hj:fresh", show);
turn(0);
