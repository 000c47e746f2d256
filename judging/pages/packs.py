"""Pages about the policy pack of an event: what it says, what is to be confirmed, own versions."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from judging import packbook, wording
from judging import wording_packs as words
from judging.domain.pack_file import FIELDS, OF_THE_PACK, SECTIONS, value_at
from judging.domain.pack_toml import MAX_BYTES, written
from judging.domain.policy import Pack
from judging.domain.words import RESULT_CHANGING, TARGETS, Moment, Penalty
from judging.packbook import PolicyView
from people.access import require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, Sent, number_of, perform, send, text_of
from people.web import actor_of
from tournaments.house_pack import by_pack
from tournaments.pages.common import staff_frame
from tournaments.selectors import event_rules


def _kept(result: Any) -> str:
    said = _("Version %(ref)s is kept.") % {"ref": result.ref}
    return f"{said} {_('The event goes by it.')}" if result.chosen else said


def _confirmed(result: int) -> str:
    return _("Confirmed.") if not result else _("Confirmed. Some values are open still.")


DONE: Mapping[str, Any] = {
    "choose": gettext_lazy("The event goes by this pack."),
    "confirm": _confirmed,
    "file": _kept,
    "edit": _kept,
}


def _file(request: HttpRequest) -> str:
    chosen = request.FILES.get("file")
    if chosen is not None:
        return chosen.read(MAX_BYTES + 1).decode("utf-8", "replace")
    return text_of(request, "content", MAX_BYTES + 1)


def _acts(request: HttpRequest, event_id: str) -> dict[str, Any]:
    def run(service: Any, **values: Any) -> Sent:
        return send(request, "organiser", service, event_id=event_id, **values)

    use = request.POST.get("use") == "1"
    return {
        "choose": lambda: run(packbook.pack_choose, ref=text_of(request, "ref", 40)),
        "confirm": lambda: run(
            packbook.pack_confirm, paths=[one[:100] for one in request.POST.getlist("path")[:100]]
        ),
        "file": lambda: run(packbook.pack_keep, content=_file(request), use=use),
    }


def _faults(form: Form) -> list[dict[str, str]]:
    held = form.refusal.params.get("faults", []) if form.refusal is not None else []
    return list(held)


@guarded("judging.pack_read")
@never_cache
@require_http_methods(["GET", "POST"])
def policy(request: HttpRequest, event_id: str) -> HttpResponse:
    """The pack of an event: infractions, values, marks to confirm, other packs, own versions."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    form = Form()
    if request.method == "POST":
        refused = perform(request, _acts(request, event_id), DONE)
        if refused is None:
            return redirect("calls:pack", event_id)
        form = refused
    view = packbook.policy_view(viewer, event_id)
    unsure = frozenset(one.path for one in view.marks if one.open)
    context |= {
        "form": form,
        "faults": _faults(form),
        "view": view,
        "title": words.pack_title(view.pack),
        "marks": [
            {
                "mark": one,
                "label": words.path_label(view.pack, one.path),
                "value": words.value_text(view.pack, one.path, value_at(view.values, one.path)),
            }
            for one in view.marks
        ],
        "sections": words.told_sections(view.pack, view.values, unsure),
        "infractions": _infractions(view.pack, unsure),
        "ladder": [one.value for one in view.pack.ladder],
        "offered": [{"ref": one.ref, "title": words.pack_title(one)} for one in view.offered],
        "rounds": _rounds(viewer, event_id, view.pack),
    }
    return render(request, "judging/pack.html", context, status=form.status)


def _rounds(viewer: Actor, event_id: str, used: Pack) -> dict[str, int]:
    """The minutes of lateness by which the rounds of the event go, where they are others than those
    of the pack: two places that must not say two things."""
    rules = by_pack(event_rules(viewer, event_id).policy, event_id)
    minutes = {"game_loss": rules.game_loss_min, "match_loss": rules.match_loss_min}
    late = used.tardiness
    own = {"game_loss": late.game_loss_after_s, "match_loss": late.match_loss_after_s}
    return minutes if any(minutes[key] != -(-own[key] // 60) for key in own) else {}


def _infractions(used: Pack, unsure: frozenset[str]) -> list[dict[str, Any]]:
    return [
        {
            "code": code,
            "label": wording.infraction_label(used, code),
            "base": one.base.value,
            "kinds": one.kinds,
            "waits": used.needs_approval(one.base, code),
            "unsure": bool({"infractions", f"infractions.{code}"} & unsure),
        }
        for code, one in used.infractions.items()
    ]


@guarded("judging.pack_manage")
@never_cache
@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, event_id: str) -> HttpResponse:
    """The next own version by form: every value that stands by itself, and base penalties. `pack`
    names the pack it is a copy of, else it is the one the event goes by."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, packbook.MANAGE, Subject(event_id, public=False))
    view = packbook.policy_of(viewer, event_id, request.GET.get("pack", "")[:40])
    values = copy.deepcopy(dict(view.values))
    form = Form()
    if request.method == "POST":
        values = _entered(request, view)

        def keep() -> Sent:
            return send(
                request,
                "organiser",
                packbook.pack_keep,
                event_id=event_id,
                content=written(values),
                based_on=view.pack.ref,
                use=request.POST.get("use") == "1",
            )

        refused = perform(request, {"edit": keep}, DONE)
        if refused is None:
            return redirect("calls:pack", event_id)
        form = refused
    context |= {
        "form": form,
        "faults": _faults(form),
        "view": view,
        "title": words.pack_title(view.pack),
        "own_title": value_at(values, "title.en") or "",
        "sections": _fields(view.pack, values),
        "bases": [
            {
                "code": code,
                "label": wording.infraction_label(view.pack, code),
                "base": value_at(values, f"infractions.{code}.base"),
            }
            for code in view.pack.infractions
        ],
        "ladder": [one.value for one in view.pack.ladder],
        "presets": "\n".join(value_at(values, "presets") or view.pack.presets),
    }
    return render(request, "judging/pack_edit.html", context, status=form.status)


def _choices(used: Pack) -> dict[str, tuple[str, ...]]:
    """The words of the lists whose words are those of the pack itself."""
    rungs = tuple(one.value for one in used.ladder)
    heavy = tuple(one.value for one in used.ladder if one in RESULT_CHANGING)
    allowed = {"infractions": tuple(used.infractions), "rungs": rungs}
    return {path: allowed.get(what, heavy) for path, what in OF_THE_PACK.items()}


def _fields(used: Pack, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The fields of the form by section: name, label, kind, value, and what can be chosen."""
    kinds = {one.path: (one.kind, one.allowed, one.usual) for one in FIELDS}
    kinds |= {path: ("choices", allowed, None) for path, allowed in _choices(used).items()}
    made = []
    for section, paths in SECTIONS.items():
        fields = []
        for path in paths:
            kind, allowed, usual = kinds[path]
            held = value_at(values, path)
            held = usual if held is None else held
            if kind == "choice" and len(allowed) < 2:
                continue
            chosen = held if isinstance(held, list) else [held]
            fields.append(
                {
                    "path": path,
                    "label": str(words.FIELD_WORDS[path]),
                    "kind": kind,
                    "value": held,
                    "minutes": kind == "seconds" and held,
                    "options": [
                        {
                            "value": one,
                            "label": words.value_text(used, path, [one]),
                            "on": one in chosen,
                        }
                        for one in allowed
                    ],
                }
            )
        if fields:
            made.append({"label": str(words.SECTION_WORDS[section]), "fields": fields})
    falls = [
        {
            "path": path,
            "label": str(words.FIELD_WORDS[path]),
            "kind": "choice",
            "options": [
                {
                    "value": one,
                    "label": words.value_text(used, path, one),
                    "on": one == (value_at(values, path) or usual),
                }
                for one in allowed
            ],
        }
        for path, allowed, usual in _targets(used)
    ]
    made.append({"label": str(words.SECTION_WORDS["targets"]), "fields": falls})
    return made


def _targets(used: Pack) -> list[tuple[str, tuple[str, ...], str]]:
    """What a loss can fall on, per moment: path, what can be chosen, what it is now. A pack without
    match losses has none to place."""
    losses = [("targets", Penalty.GAME_LOSS, used.targets)]
    if Penalty.MATCH_LOSS in used.ladder:
        losses.append(("targets.match_loss", Penalty.MATCH_LOSS, used.match_targets))
    return [
        (f"{path}.{moment}", tuple(one.value for one in TARGETS[penalty]), held[moment].value)
        for path, penalty, held in losses
        for moment in Moment
    ]


def _entered(request: HttpRequest, view: PolicyView) -> dict[str, Any]:
    """Put what was entered in the place of the values it was made of; a field that is missing or
    no number is left as it was entered, so that the check names it."""
    values: dict[str, Any] = copy.deepcopy(dict(view.values))
    allowed = _choices(view.pack)
    for path in [*(one.path for one in FIELDS), *OF_THE_PACK]:
        kind = next((one.kind for one in FIELDS if one.path == path), "choices")
        words_of = next((one.allowed for one in FIELDS if one.path == path), allowed.get(path, ()))
        if kind == "choice" and len(words_of) < 2:
            continue
        _put(values, path, _value(request, path, kind, words_of))
    for path, _allowed, usual in _targets(view.pack):
        *way, key = path.split(".")
        held = values
        for part in way:
            held = held.setdefault(part, {})
        held[key] = text_of(request, path, 40) or usual
    presets = text_of(request, "presets", 4000).split()
    values["presets"] = [one[:90] for one in presets] or list(view.pack.presets)
    for code in view.pack.infractions:
        base = text_of(request, f"base.{code}", 20)
        if base in set(Penalty):
            values["infractions"][code]["base"] = base
    title = text_of(request, "title", 80)
    if title:
        values["title"] = {"en": title}
    return values


def _value(request: HttpRequest, path: str, kind: str, allowed: tuple[str, ...]) -> Any:
    if kind == "flag":
        return request.POST.get(path) == "1"
    if kind == "choice":
        return text_of(request, path, 40)
    if kind == "choices":
        sent = request.POST.getlist(path)
        return [one for one in allowed if one in sent]
    number = number_of(request, path)
    return text_of(request, path, 20) if number is None else number


def _put(values: dict[str, Any], path: str, value: Any) -> None:
    section, _dot, key = path.partition(".")
    held = values.setdefault(section, {})
    if value != [] or key in held or path in OF_THE_PACK:
        held[key] = value


@guarded("judging.pack_read")
@never_cache
@require_GET
def file(request: HttpRequest, event_id: str) -> HttpResponse:
    """A pack as a file to keep, to change and to hand in again: `pack` names it, else the one the
    event goes by."""
    viewer = actor_of(request)
    staff_frame(request, viewer, event_id)
    ref = request.GET.get("pack", "")[:40]
    content = packbook.pack_content(viewer, event_id, ref)
    answer = HttpResponse(content, content_type="application/toml; charset=utf-8")
    name = ref.replace("@", "-") or "policy-pack"
    answer["Content-Disposition"] = f'attachment; filename="{name}.toml"'
    return answer
