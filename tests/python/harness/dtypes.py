"""The dtypes of mlx.core as the tests see them: numpy twins, promotion, unit in the last place.

No expectation is taken from mlx itself: the promotion table is spec text, rounding is done here in numpy.
"""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx
import numpy as np


@dataclass(frozen=True)
class DType:
    """One dtype: its name in mlx.core, and the numpy type that holds its values exactly."""

    name: str
    short: str
    numpy: np.dtype
    kind: str  # "b" bool, "u" unsigned, "i" signed, "f" real floating, "c" complex
    size: int
    mantissa: int = 0  # explicit mantissa bits of the (real part of the) type
    min_exponent: int = 0  # exponent of the smallest normal number
    max: float = 0.0

    @property
    def mx(self):
        return getattr(mx, self.name)

    @property
    def inexact(self) -> bool:
        return self.kind in "fc"

    def __repr__(self) -> str:
        return self.name


def _ints():
    for kind, prefix in (("u", "uint"), ("i", "int")):
        for bits in (8, 16, 32, 64):
            yield DType(
                f"{prefix}{bits}", f"{kind}{bits}", np.dtype(f"{kind}{bits // 8}"), kind, bits // 8
            )


_BF16_MAX = float(np.array([0x7F7F0000], np.uint32).view(np.float32)[0])

ALL: tuple[DType, ...] = (
    DType("bool_", "b1", np.dtype(bool), "b", 1),
    *_ints(),
    DType("float16", "f16", np.dtype(np.float16), "f", 2, 10, -14, 65504.0),
    DType("bfloat16", "bf", np.dtype(np.float32), "f", 2, 7, -126, _BF16_MAX),
    DType(
        "float32", "f32", np.dtype(np.float32), "f", 4, 23, -126, float(np.finfo(np.float32).max)
    ),
    DType(
        "float64", "f64", np.dtype(np.float64), "f", 8, 52, -1022, float(np.finfo(np.float64).max)
    ),
    DType(
        "complex64",
        "c64",
        np.dtype(np.complex64),
        "c",
        8,
        23,
        -126,
        float(np.finfo(np.float32).max),
    ),
)
BY_NAME = {d.name: d for d in ALL}
BY_SHORT = {d.short: d for d in ALL}

BOOL = BY_NAME["bool_"]
FLOAT32 = BY_NAME["float32"]
FLOAT64 = BY_NAME["float64"]
COMPLEX = BY_NAME["complex64"]
INTS = tuple(d for d in ALL if d.kind in "ui")
SIGNED = tuple(d for d in ALL if d.kind == "i")
FLOATS = tuple(d for d in ALL if d.kind == "f")
INEXACT = (*FLOATS, COMPLEX)
REAL = (BOOL, *INTS, *FLOATS)


def of(value) -> DType:
    """The DType of an mlx array or mlx dtype."""
    dtype = getattr(value, "dtype", value)
    return BY_NAME[{"bool": "bool_"}.get(name := str(dtype).rsplit(".", 1)[-1], name)]


# Promotion, row by row as in the interface reference (section 1.4); the table is symmetric.
_ORDER = "b1 u8 u16 u32 u64 i8 i16 i32 i64 f16 f32 f64 bf c64".split()
_PROMOTION = """
b1  u8  u16 u32 u64 i8  i16 i32 i64 f16 f32 f64 bf  c64
u8  u8  u16 u32 u64 i16 i16 i32 i64 f16 f32 f64 bf  c64
u16 u16 u16 u32 u64 i32 i32 i32 i64 f16 f32 f64 bf  c64
u32 u32 u32 u32 u64 i64 i64 i64 i64 f16 f32 f64 bf  c64
u64 u64 u64 u64 u64 f32 f32 f32 f32 f16 f32 f64 bf  c64
i8  i16 i32 i64 f32 i8  i16 i32 i64 f16 f32 f64 bf  c64
i16 i16 i32 i64 f32 i16 i16 i32 i64 f16 f32 f64 bf  c64
i32 i32 i32 i64 f32 i32 i32 i32 i64 f16 f32 f64 bf  c64
i64 i64 i64 i64 f32 i64 i64 i64 i64 f16 f32 f64 bf  c64
f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f32 f64 f32 c64
f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f64 f32 c64
f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 c64
bf  bf  bf  bf  bf  bf  bf  bf  bf  f32 f32 f64 bf  c64
c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64
"""
_TABLE = {
    (row, column): BY_SHORT[cell]
    for row, line in zip(_ORDER, _PROMOTION.split("\n")[1:-1])
    for column, cell in zip(_ORDER, line.split())
}


def promote(*dtypes: DType) -> DType:
    result = dtypes[0]
    for d in dtypes[1:]:
        result = _TABLE[result.short, d.short]
    return result


def floating(d: DType) -> DType:
    """float(t) of the reference: inexact types stay, everything else becomes float32."""
    return d if d.inexact else FLOAT32


def sum_type(d: DType) -> DType:
    """The result type of sum and prod: integers widen to at least 32 bits, keeping their sign."""
    if d.kind == "b" or (d.kind == "i" and d.size < 8):
        return BY_NAME["int32"]
    return BY_NAME["uint32"] if d.kind == "u" and d.size < 8 else d


def real_type(d: DType) -> DType:
    return FLOAT32 if d.kind == "c" else d


# ---- values ---------------------------------------------------------------------------------


def round_to(values: np.ndarray, d: DType) -> np.ndarray:
    """`values` rounded once (to nearest even) to what `d` can hold, in d's numpy twin."""
    values = np.asarray(values)
    with np.errstate(all="ignore"):
        if d.name != "bfloat16":
            return values.astype(d.numpy)
        wide = values.astype(np.longdouble)
        step = ulp(wide, d)
        rounded = np.where(np.isfinite(wide), np.rint(wide / step) * step, wide)
        over = np.isfinite(wide) & (np.abs(rounded) > d.max)
        return np.where(over, np.copysign(np.inf, wide), rounded).astype(np.float32)


def widen(values: np.ndarray, d: DType) -> np.ndarray:
    """The values in the type that references compute in: floats in at least twice the precision."""
    if d.name == "float64":
        return values.astype(np.longdouble)
    if d.kind == "f":
        return values.astype(np.float64)
    if d.kind == "c":
        return values.astype(np.complex128)
    return values


def ulp(values: np.ndarray, d: DType) -> np.ndarray:
    """Distance between neighbouring numbers of `d` at |values| (subnormal spacing near zero)."""
    wide = np.longdouble if d.name == "float64" else np.float64
    magnitude = np.abs(np.asarray(values)).astype(wide)
    magnitude = np.where(np.isfinite(magnitude), magnitude, wide(d.max))
    _, exponent = np.frexp(magnitude)  # magnitude = m * 2**exponent, 0.5 <= m < 1
    exponent = np.where(magnitude == 0, d.min_exponent, exponent - 1)
    return np.ldexp(wide(1), np.maximum(exponent, d.min_exponent) - d.mantissa)


def to_mlx(values: np.ndarray, d: DType) -> mx.array:
    """A contiguous mlx array of dtype d; the values must be representable in d."""
    values = np.array(values, dtype=d.numpy, order="C")
    if d.name == "bfloat16":
        return mx.array(values, dtype=mx.float32).astype(mx.bfloat16)
    return mx.array(values, dtype=d.mx)


def to_numpy(a: mx.array) -> np.ndarray:
    """The values of an mlx array, bfloat16 as float32."""
    if of(a).name == "bfloat16":
        a = a.astype(mx.float32)
    return np.array(a)


def bits(a: mx.array) -> bytes:
    """The bytes of the array in row-major order, for bit-identity checks. NaNs of any sign and payload count as one."""
    values = np.ascontiguousarray(to_numpy(a))
    if values.dtype.kind in "fc":
        parts = values.reshape(-1).view(values.real.dtype)
        return np.where(np.isnan(parts), np.array(np.nan, parts.dtype), parts).tobytes()
    return values.tobytes()
