"""Message catalogues without GNU gettext: extract, check, compile.

    python -m tools.messages extract    bring locale/*/LC_MESSAGES/django.po up to the sources
    python -m tools.messages check      every text translated in every language, or exit 1
    python -m tools.messages compile    write the .mo files (not in git; done by every start)

A fresh Debian has no msgfmt and no xgettext, so the few pages of it that are needed stand here.
Texts of Python are found in its syntax tree, texts of templates through Django's `templatize`.
"""

from __future__ import annotations

import argparse
import ast
import gettext
import io
import os
import re
import struct
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ("hu", "hr", "vi", "pl")
"""The languages beside English, which stands in the sources."""
PLURALS = {
    "hu": "nplurals=2; plural=(n != 1);",
    "hr": (
        "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && "
        "(n%100<10 || n%100>=20) ? 1 : 2);"
    ),
    "vi": "nplurals=1; plural=0;",
    "pl": (
        "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"
    ),
}
ROOMS = (
    "config", "eventstore", "people", "cards", "decks", "duels", "tournaments", "judging", "portal",
)  # fmt: skip
CALLS = {  # name of the call: positions of (context, singular, plural) among its arguments
    "_": (None, 0, None),
    "translate": (None, 0, None),
    "gettext": (None, 0, None),
    "gettext_lazy": (None, 0, None),
    "gettext_noop": (None, 0, None),
    "ngettext": (None, 0, 1),
    "ngettext_lazy": (None, 0, 1),
    "pgettext": (0, 1, None),
    "pgettext_lazy": (0, 1, None),
    "npgettext": (0, 1, 2),
    "npgettext_lazy": (0, 1, 2),
}
PLACE = re.compile(r"%\((\w+)\)[a-z]|\{(\w*)\}")
_WORDS = re.compile(r"(?<![%({\w])[^\W\d_]{2,}(?![\w)}])")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}

Key = tuple[str | None, str]


class BadCatalogue(ValueError):
    """A catalogue file that cannot be read; the text says where."""


@dataclass(slots=True)
class Entry:
    """One text: its context, English singular and plural, and the translated forms."""

    context: str | None
    singular: str
    plural: str | None = None
    forms: list[str] = field(default_factory=list)
    fuzzy: bool = False
    places: list[str] = field(default_factory=list)

    @property
    def key(self) -> Key:
        """What identifies the text."""
        return (self.context, self.singular)


def po_path(language: str) -> Path:
    """Return the catalogue file of a language."""
    return ROOT / "locale" / language / "LC_MESSAGES" / "django.po"


def _unquote(text: str, where: str) -> str:
    text = text.strip()
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        raise BadCatalogue(f"{where}: expected a text in double quotes")
    return re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[1]), text[1:-1])


def _quote(text: str) -> str:
    for sign, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        text = text.replace(sign, escape)
    return f'"{text}"'


def read_po(path: Path) -> list[Entry]:
    """Read a catalogue, header included (singular ""); raises BadCatalogue, OSError."""
    entries: list[Entry] = []
    parts: dict[str, str] = {}
    fuzzy, current = False, ""

    def close() -> None:
        nonlocal fuzzy
        if "msgid" in parts:
            forms = sorted(
                (int(key[7:-1] or 0) if "[" in key else 0, text)
                for key, text in parts.items()
                if key.startswith("msgstr")
            )
            entries.append(
                Entry(
                    parts.get("msgctxt"),
                    parts["msgid"],
                    parts.get("msgid_plural"),
                    [text for _, text in forms],
                    fuzzy,
                )
            )
            fuzzy = False
        parts.clear()

    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        where = f"{path.name}:{number}"
        line = line.strip()
        if line.startswith("#"):
            if "msgid" in parts:
                close()
            fuzzy = fuzzy or (line.startswith("#,") and "fuzzy" in line)
            continue
        if not line:
            close()
            continue
        if line.startswith('"'):
            if not current:
                raise BadCatalogue(f"{where}: a text without a keyword")
            parts[current] += _unquote(line, where)
            continue
        word, _, rest = line.partition(" ")
        if not re.fullmatch(r"msgctxt|msgid|msgid_plural|msgstr(\[\d\])?", word):
            raise BadCatalogue(f"{where}: unknown keyword {word}")
        if word in ("msgctxt", "msgid") and any(key.startswith("msgstr") for key in parts):
            close()
        current = word
        parts[word] = _unquote(rest, where)
    close()
    return entries


def write_po(path: Path, language: str, entries: list[Entry]) -> None:
    """Write a catalogue, sorted, without line numbers, so that its changes are readable."""
    lines = [
        'msgid ""',
        'msgstr ""',
        _quote(f"Language: {language}\n"),
        _quote("Content-Type: text/plain; charset=UTF-8\n"),
        _quote("Content-Transfer-Encoding: 8bit\n"),
        _quote(f"Plural-Forms: {PLURALS[language]}\n"),
    ]
    # The header that was read stands above already.
    texts = [entry for entry in entries if entry.singular]
    for entry in sorted(texts, key=lambda item: (item.singular, item.context or "")):
        lines.append("")
        lines += [f"#: {place}" for place in entry.places]
        if entry.context is not None:
            lines.append(f"msgctxt {_quote(entry.context)}")
        lines.append(f"msgid {_quote(entry.singular)}")
        if entry.plural is None:
            lines.append(f"msgstr {_quote(entry.forms[0] if entry.forms else '')}")
            continue
        lines.append(f"msgid_plural {_quote(entry.plural)}")
        for index in range(plural_count(language)):
            form = entry.forms[index] if index < len(entry.forms) else ""
            lines.append(f"msgstr[{index}] {_quote(form)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def plural_count(language: str) -> int:
    """Return how many plural forms a language has."""
    found = re.match(r"nplurals=(\d)", PLURALS[language])
    assert found
    return int(found[1])


def mo_bytes(entries: list[Entry]) -> bytes:
    """Compile entries to the binary form (little-endian, revision 0). Fuzzy ones are left out."""
    texts: dict[bytes, bytes] = {}
    for entry in entries:
        if (entry.fuzzy and entry.singular) or not any(entry.forms):
            continue
        key = entry.singular if entry.plural is None else f"{entry.singular}\0{entry.plural}"
        if entry.context is not None:
            key = f"{entry.context}\4{key}"
        texts[key.encode()] = "\0".join(entry.forms).encode()
    keys = sorted(texts)
    ids = b"".join(key + b"\0" for key in keys)
    values = b"".join(texts[key] + b"\0" for key in keys)
    ids_at = 28 + 16 * len(keys)
    values_at = ids_at + len(ids)
    id_table: list[int] = []
    value_table: list[int] = []
    id_offset = value_offset = 0
    for key in keys:
        id_table += [len(key), ids_at + id_offset]
        value_table += [len(texts[key]), values_at + value_offset]
        id_offset += len(key) + 1
        value_offset += len(texts[key]) + 1
    head = struct.pack("<7I", 0x950412DE, 0, len(keys), 28, 28 + 8 * len(keys), 0, ids_at)
    return head + struct.pack(f"<{4 * len(keys)}I", *id_table, *value_table) + ids + values


def compile_all() -> int:
    """Write every .mo that is missing or older than its .po; return how many were written."""
    written = 0
    for source in sorted(ROOT.glob("locale/*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        compiled = mo_bytes(read_po(source))
        gettext.GNUTranslations(io.BytesIO(compiled))  # refuses what it could not read later
        waiting = target.with_suffix(f".mo.{os.getpid()}")
        waiting.write_bytes(compiled)
        waiting.replace(target)
        written += 1
    return written


def _texts_of(tree: ast.AST) -> Iterator[tuple[str | None, str, str | None]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
        if name not in CALLS:
            continue
        given = [
            item.value if isinstance(item, ast.Constant) and isinstance(item.value, str) else None
            for item in node.args
        ]
        context, singular, plural = (
            given[at] if at is not None and at < len(given) else None for at in CALLS[name]
        )
        if singular:
            yield context, singular, plural


def sources() -> dict[Key, Entry]:
    """Return every text of the sources; raises SyntaxError for a file that cannot be parsed."""
    from django.conf import settings

    if not settings.configured:
        settings.configure(USE_I18N=True)
    from django.utils.translation.template import templatize

    found: dict[Key, Entry] = {}
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix not in (".py", ".html", ".txt") or "migrations" in path.parts:
                continue
            if path.suffix != ".py" and "templates" not in path.parts:
                continue
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".py":
                tree: ast.AST = ast.parse(text, filename=str(path))
            else:
                tree = _calls(templatize(text, origin=str(path)), path.name)
            for context, singular, plural in _texts_of(tree):
                entry = found.setdefault((context, singular), Entry(context, singular, plural))
                entry.plural = entry.plural or plural
                place = path.relative_to(ROOT).as_posix()
                if place not in entry.places:
                    entry.places.append(place)
    return found


def _calls(text: str, where: str) -> ast.Module:
    """Return the calls in what templatize left of a template; raises BadCatalogue."""
    body: list[ast.stmt] = []
    for start in re.finditer(r"(?<!\w)(?:n?p?gettext|_)\((?=u?['\"])", text):
        end = start.end()
        while True:
            end = text.find(")", end) + 1
            if not end:
                raise BadCatalogue(f"{where}: cannot read {text[start.start() :][:60]!r}")
            try:
                body += ast.parse(text[start.start() : end]).body
            except SyntaxError:
                continue
            break
    return ast.Module(body=body, type_ignores=[])


def extract() -> list[str]:
    """Bring every catalogue up to the sources: new texts empty, texts that are gone dropped."""
    texts = sources()
    report = []
    for language in LANGUAGES:
        path = po_path(language)
        kept = {entry.key: entry for entry in read_po(path)} if path.exists() else {}
        merged: list[Entry] = []
        for key, entry in texts.items():
            old = kept.get(key)
            same = old is not None and (old.plural is None) == (entry.plural is None)
            forms = old.forms if old is not None and same and not old.fuzzy else []
            merged.append(
                Entry(entry.context, entry.singular, entry.plural, forms, False, entry.places)
            )
        write_po(path, language, merged)
        missing = sum(1 for entry in merged if not _complete(entry, language))
        report.append(f"{language}: {len(merged)} texts, {missing} to translate")
    return report


PSEUDO = ("⟦", "⟧")
"""Signs that the pseudo-locale puts around every text."""


def pseudo_entries() -> list[Entry]:
    """Return every text of the sources between the signs of the pseudo-locale: what a page
    shows without them never went through a catalogue."""
    before, after = PSEUDO
    entries = [
        Entry(
            None,
            "",
            None,
            [
                "Content-Type: text/plain; charset=UTF-8\n"
                "Plural-Forms: nplurals=2; plural=(n != 1);\n"
            ],
        )
    ]
    for entry in sources().values():
        texts = [entry.singular] if entry.plural is None else [entry.singular, entry.plural]
        forms = [f"{before}{text}{after}" for text in texts]
        entries.append(Entry(entry.context, entry.singular, entry.plural, forms))
    return entries


def same_allowed() -> dict[str, set[str]]:
    """Return which texts may read in a language as in English (locale/same.toml)."""
    path = ROOT / "locale" / "same.toml"
    if not path.exists():
        return {}
    return {name: set(texts) for name, texts in tomllib.loads(path.read_text("utf-8")).items()}


def _complete(entry: Entry, language: str) -> bool:
    forms = plural_count(language) if entry.plural is not None else 1
    return not entry.fuzzy and len(entry.forms) == forms and all(entry.forms)


def _places(text: str) -> set[str]:
    return {match[1] or "{" + match[2] + "}" for match in PLACE.finditer(text)}


def check() -> list[str]:
    """Return what is wrong with the catalogues: texts that are missing, not translated, fuzzy,
    left over, that lost or gained a placeholder, or read as in English without leave."""
    texts = sources()
    same = same_allowed()
    faults: list[str] = []
    for language in LANGUAGES:
        path = po_path(language)
        entries = {entry.key: entry for entry in read_po(path)} if path.exists() else {}
        entries.pop((None, ""), None)
        for key in texts.keys() - entries.keys():
            faults.append(f"{language}: not in the catalogue: {key[1]!r}")
        for key, entry in entries.items():
            if key not in texts:
                faults.append(f"{language}: no longer in the sources: {entry.singular!r}")
            elif not _complete(entry, language):
                faults.append(f"{language}: not translated: {entry.singular!r}")
            else:
                english = {entry.singular, entry.plural}
                leave = entry.singular in same.get(language, ())
                if english & set(entry.forms) and _WORDS.search(entry.singular) and not leave:
                    faults.append(f"{language}: reads as in English: {entry.singular!r}")
                allowed = _places(entry.singular) | _places(entry.plural or "")
                needed = set() if entry.plural is not None else allowed
                for form in entry.forms:
                    places = _places(form)
                    if not needed <= places <= allowed:
                        faults.append(f"{language}: placeholders differ: {entry.singular!r}")
    return sorted(faults)


def main() -> int:
    """Run one of extract, check, compile; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("act", choices=("extract", "check", "compile"))
    act = parser.parse_args().act
    try:
        if act == "extract":
            print("\n".join(extract()))
            return 0
        if act == "compile":
            print(f"{compile_all()} catalogues compiled", file=sys.stderr)
            return 0
        faults = check()
    except (BadCatalogue, OSError, SyntaxError) as fault:
        print(fault, file=sys.stderr)
        return 1
    shown = faults[:60]
    print("\n".join(shown), file=sys.stderr)
    if len(faults) > len(shown):
        print(f"... and {len(faults) - len(shown)} more", file=sys.stderr)
    print(f"{len(faults)} faults in {len(LANGUAGES)} catalogues", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
