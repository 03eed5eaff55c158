"""Saving and loading: safetensors and npy, every dtype and layout, metadata, hostile files."""

import io
import json
import struct

import mlx.core as mx
import numpy as np
import pytest
from harness import dtypes
from harness.case import has
from harness.domains import ANY_COMPLEX
from harness.layouts import LAYOUTS


@pytest.fixture(autouse=True)
def _exists():
    if not has("save_safetensors") or not has("load"):
        pytest.skip("mlx.core has no save_safetensors and load yet")


def _arrays():
    rng = np.random.default_rng(0)
    made = {}
    for d in dtypes.ALL:
        if d.name == "float64":
            continue
        for shape in ((), (3,), (2, 5), (0, 4)):
            made[f"{d}{shape}"] = dtypes.to_mlx(ANY_COMPLEX.forward(rng, shape, d), d)
    return made


def _same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and dtypes.bits(a) == dtypes.bits(b)


def test_safetensors_round_trip(tmp_path):
    arrays = _arrays()
    mx.save_safetensors(tmp_path / "x", arrays, {"k": "v", "unicode": "äö"})
    back, metadata = mx.load(str(tmp_path / "x.safetensors"), return_metadata=True)
    assert set(back) == set(arrays) and metadata == {"k": "v", "unicode": "äö"}
    for name in arrays:
        assert _same(arrays[name], back[name]), name


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(tmp_path, name):
    d = dtypes.FLOAT32
    a, x = LAYOUTS[name](np.arange(35, dtype=np.float32).reshape(5, 7), d)
    mx.save_safetensors(tmp_path / "x.safetensors", {"a": a})
    assert np.array_equal(mx.load(tmp_path / "x.safetensors")["a"], x)
    if has("save"):
        mx.save(tmp_path / "x.npy", a)
        assert np.array_equal(np.load(tmp_path / "x.npy"), x) and np.array_equal(
            mx.load(tmp_path / "x.npy"), x
        )


def test_the_file_is_what_the_format_says(tmp_path):
    mx.save_safetensors(
        tmp_path / "x.safetensors",
        {"w": mx.array([[1, 2]], mx.int16), "b": mx.array([1.5], mx.bfloat16)},
    )
    raw = (tmp_path / "x.safetensors").read_bytes()
    (n,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + n])
    assert (
        header["w"]["dtype"] == "I16"
        and header["w"]["shape"] == [1, 2]
        and header["b"]["dtype"] == "BF16"
    )
    begin, end = header["w"]["data_offsets"]
    assert raw[8 + n + begin : 8 + n + end] == struct.pack("<hh", 1, 2)
    begin, end = header["b"]["data_offsets"]
    assert raw[8 + n + begin : 8 + n + end] == struct.pack("<H", 0x3FC0)


def test_file_objects(tmp_path):
    buffer = io.BytesIO()
    mx.save_safetensors(buffer, {"a": mx.arange(4)})
    buffer.seek(0)
    assert mx.load(buffer, format="safetensors")["a"].tolist() == [0, 1, 2, 3]


def _write(path, header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text) if length is None else length) + text + data)


F32 = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
HOSTILE = {
    "too little data": (dict(t=F32 | dict(shape=[1000], data_offsets=[0, 4000])), b"\0" * 8, None),
    "span too small": (dict(t=F32 | dict(shape=[1000, 1000])), b"\0" * 4, None),
    "span reversed": (dict(t=F32 | dict(data_offsets=[4, 0])), b"\0" * 8, None),
    "negative dimension": (dict(t=F32 | dict(shape=[-1])), b"\0" * 4, None),
    "overflowing shape": (dict(t=F32 | dict(shape=[2**33, 2**31])), b"\0" * 4, None),
    "one offset": (dict(t=F32 | dict(data_offsets=[0])), b"\0" * 4, None),
    "three offsets": (dict(t=F32 | dict(data_offsets=[0, 4, 8])), b"\0" * 8, None),
    "negative offset": (dict(t=F32 | dict(data_offsets=[-4, 0])), b"\0" * 4, None),
    "unknown dtype": (dict(t=F32 | dict(dtype="F31")), b"\0" * 4, None),
    "float64": (dict(t=F32 | dict(dtype="F64", data_offsets=[0, 8])), b"\0" * 8, None),
    "no dtype": (dict(t={"shape": [1], "data_offsets": [0, 4]}), b"\0" * 4, None),
    "fractional shape": (dict(t=F32 | dict(shape=[1.5])), b"\0" * 8, None),
    "string shape": (dict(t=F32 | dict(shape="1")), b"\0" * 4, None),
    "no object": ([1, 2], b"", None),
    "no json": (b"{nonsense", b"", None),
    "length zero": (b"", b"", 0),
    "length beyond the file": (b"{}", b"", 1000),
    "absurd length": (b"{}", b"", 2**62),
    "length of all ones": (b"{}", b"", 2**64 - 1),
    "deep json": (b'{"t":' + b"[" * 100_000, b"", None),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_raise(tmp_path, name):
    header, data, length = HOSTILE[name]
    _write(tmp_path / "x.safetensors", header, data, length)
    with pytest.raises((RuntimeError, ValueError, OverflowError)):
        mx.eval(list(mx.load(tmp_path / "x.safetensors").values()))
    assert mx.ones(2).sum().item() == 2


def test_short_file(tmp_path):
    (tmp_path / "x.safetensors").write_bytes(b"\1\2")
    with pytest.raises(RuntimeError):
        mx.load(tmp_path / "x.safetensors")


def test_errors(tmp_path):
    with pytest.raises(RuntimeError):
        mx.load(tmp_path / "absent.safetensors")
    with pytest.raises(ValueError):
        mx.load(tmp_path / "file.unknown")
    with pytest.raises(ValueError):
        mx.load(3)
    with pytest.raises(RuntimeError):
        mx.save_safetensors(tmp_path / "x", {"a": mx.zeros((1,), mx.float64)})
    with pytest.raises(ValueError):
        mx.save_safetensors(tmp_path / "x", {"a": mx.zeros((1,))}, {"k": 3})
    with pytest.raises(RuntimeError):
        mx.save_safetensors(tmp_path / "no" / "such" / "folder", {"a": mx.zeros((1,))})
