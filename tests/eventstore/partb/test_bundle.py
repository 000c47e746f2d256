"""The bundle of an event: what is in it, and that whoever changes it afterwards is found."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
import zipfile
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import CommandError, call_command

from eventstore import bundles, checkpoints, signing
from tests.eventstore.partb.conftest import EVENT, OTHER, Scene, write
from tests.sizes import SIZES
from tools import verify_bundle

pytestmark = pytest.mark.pg

# RFC 8032, 7.1: secret key, public key, message, signature
VECTORS = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701c"
        "f9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0"
        "f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984"
        "dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


@pytest.mark.parametrize(("secret", "public", "message", "signature"), VECTORS)
def test_the_verifier_knows_the_test_vectors_of_ed25519(
    secret: str, public: str, message: str, signature: str
) -> None:
    key, text, sign = (bytes.fromhex(part) for part in (public, message, signature))
    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret))
    assert private.sign(text) == sign
    assert verify_bundle.ed25519_verify(key, text, sign)
    assert not verify_bundle.ed25519_verify(key, text + b"x", sign)
    high = int.from_bytes(sign[32:], "little") + verify_bundle.Q
    assert not verify_bundle.ed25519_verify(key, text, sign[:32] + high.to_bytes(32, "little"))
    assert not verify_bundle.ed25519_verify(b"\xff" * 32, text, sign)
    assert not verify_bundle.ed25519_verify(key[:31], text, sign)


def test_the_verifier_agrees_with_the_library_on_random_signatures() -> None:
    draw = random.Random(3)
    for _ in range(SIZES.examples // 10):
        private = Ed25519PrivateKey.from_private_bytes(draw.randbytes(32))
        public, text = private.public_key(), draw.randbytes(draw.randrange(80))
        sign = bytearray(private.sign(text))
        if draw.random() < 0.5:
            sign[draw.randrange(64)] ^= 1 << draw.randrange(8)
        try:
            public.verify(bytes(sign), text)
            wanted = True
        except InvalidSignature:
            wanted = False
        found = verify_bundle.ed25519_verify(public.public_bytes_raw(), text, bytes(sign))
        assert found == wanted


def repacked(raw: bytes, change: Callable[[dict[str, bytes]], None]) -> io.BytesIO:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    out.seek(0)
    return out


def test_a_bundle_holds_the_event_and_nothing_of_another(scene: Scene) -> None:
    with zipfile.ZipFile(io.BytesIO(bundles.export(EVENT))) as archive:
        lines = archive.read("events.jsonl").splitlines()
    streams = {json.loads(line)["stream"] for line in lines}
    assert streams == scene.streams
    assert not any(OTHER in line.decode() for line in lines)
    report = verify_bundle.verify(io.BytesIO(bundles.export(EVENT)))
    assert report.faults == []
    assert report.values == {
        "event": EVENT, "size": scene.events, "events": len(lines), "history": 0,
    }  # fmt: skip


def test_the_same_log_gives_the_same_bytes(scene: Scene) -> None:
    assert bundles.export(EVENT) == bundles.export(EVENT)


def test_a_room_can_say_which_streams_belong(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    person = "person-0190a0b0-0000-7000-8000-0000000000ff"
    monkeypatch.setattr(bundles, "_members", [])
    bundles.bundle_members(lambda event: [person] if event == EVENT else [])
    assert bundles.streams_of(EVENT) == scene.streams | {person}
    assert person not in bundles.streams_of(OTHER)


def test_later_checkpoints_and_an_earlier_kept_one_fit(scene: Scene, tmp_path: Path) -> None:
    early = checkpoints.checkpoint_make()
    write(f"tournament-{EVENT}", "later")
    raw = bundles.export(EVENT)
    key = signing.signing_key().verifier.as_text()
    report = verify_bundle.verify(io.BytesIO(raw), key=key, extra=[early])
    assert report.faults == []
    assert report.values["history"] == 1
    (tmp_path / "log-signing.key").unlink()
    other = signing.signing_key().verifier.as_text()
    codes = {one["code"] for one in verify_bundle.verify(io.BytesIO(raw), key=other).faults}
    assert codes == {"list_bad", "checkpoint_bad"}
    gone = repacked(raw, lambda files: files.update({"history.jsonl": b""}))
    codes = {one["code"] for one in verify_bundle.verify(gone, key=key, extra=[early]).faults}
    assert codes == {"file_altered", "history"}


def _lines(files: dict[str, bytes], name: str) -> list[bytes]:
    return files[name].splitlines()


def _put(files: dict[str, bytes], name: str, lines: list[bytes]) -> None:
    files[name] = b"".join(line + b"\n" for line in lines)


def test_every_change_of_the_file_itself_is_found_and_named(scene: Scene) -> None:
    raw = bundles.export(EVENT)
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        proofs = [json.loads(line) for line in archive.read("proofs.jsonl").splitlines()]
    positions = [one["position"] for one in proofs]
    draw = random.Random(5)
    for _ in range(SIZES.tamperings // 2):
        at = draw.randrange(len(positions))
        other = draw.choice([one for one in range(len(positions)) if one != at])
        kind = draw.choice(["change", "delete", "delete both", "swap", "twice"])

        def change(files: dict[str, bytes], at: int = at, other: int = other,
                   kind: str = kind) -> None:  # fmt: skip
            events, lines = _lines(files, "events.jsonl"), _lines(files, "proofs.jsonl")
            if kind == "change":
                events[at] = events[at].replace(b'"system"', b'"sistem"', 1)
            elif kind == "swap":
                events[at], events[other] = events[other], events[at]
            elif kind == "twice":
                events.insert(at, events[at])
            else:
                del events[at]
                if kind == "delete both":
                    del lines[at]
            _put(files, "events.jsonl", events)
            _put(files, "proofs.jsonl", lines)

        report = verify_bundle.verify(repacked(raw, change))
        wrong = min(positions[at], positions[other]) if kind == "swap" else positions[at]
        assert any(one["code"] == "file_altered" for one in report.faults), kind
        if kind == "delete both":  # no trace is left of it but the next one, or the stated end
            assert {"chain_broken", "stream_end"} & {one["code"] for one in report.faults}
        else:
            assert report.first_position == wrong, kind


def test_random_damage_never_passes_and_never_crashes(scene: Scene) -> None:
    raw = bundles.export(EVENT)
    draw = random.Random(6)
    names = list(verify_bundle.FILES)
    for _ in range(SIZES.tamperings):

        def damage(files: dict[str, bytes]) -> None:
            name = draw.choice(names)
            content = bytearray(files[name])
            for _ in range(draw.choice([1, 1, 5])):
                at = draw.randrange(len(content) + 1)
                content[at : at + draw.randrange(3)] = draw.randbytes(draw.randrange(1, 3))
            files[name] = bytes(content) if bytes(content) != files[name] else b"[[]]\n"

        assert verify_bundle.verify(repacked(raw, damage)).faults
    for cut in (b"", raw[:100], raw[: len(raw) // 2], b"PK\x05\x06" + bytes(18)):
        with pytest.raises(verify_bundle.NotABundle):
            verify_bundle.verify(io.BytesIO(cut))


def test_the_verifier_is_one_file_that_runs_alone(scene: Scene, tmp_path: Path) -> None:
    file, alone = tmp_path / "b.zip", tmp_path / "verify_bundle.py"
    call_command("export_bundle", EVENT, "--output", str(file), stdout=StringIO())
    alone.write_bytes(Path(verify_bundle.__file__).read_bytes())
    bad = tmp_path / "bad.zip"
    bad.write_bytes(
        repacked(
            file.read_bytes(),
            lambda files: files.update(
                {"events.jsonl": files["events.jsonl"].replace(b"begun", b"began", 1)}
            ),
        ).getvalue()
    )

    def run(*arguments: str) -> tuple[int, str]:
        # -I: no site packages of the caller, no environment
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(alone), *arguments],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout

    code, out = run("b.zip")
    assert (code, out.splitlines()[-1]) == (0, "All true.")
    code, out = run("bad.zip", "--json")
    assert code == 1
    assert json.loads(out)["first_position"] == 1
    assert json.loads(out)["faults"][0]["stream"] == f"tournament-{EVENT}"
    assert run("nothing.zip")[0] == 2
    assert run("b.zip", "--key", "nonsense")[0] == 2


def test_an_event_that_is_not_there_is_refused(scene: Scene, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no event x"):
        call_command("export_bundle", "x", "--output", str(tmp_path / "x.zip"))
    assert not (tmp_path / "x.zip").exists()
    with pytest.raises(CommandError):
        call_command("export_bundle", EVENT, "--output", str(tmp_path / "no" / "x.zip"))
