"""Case table of the shape family: views, joins, cuts, repeats, padding. Values move; none is computed."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
from harness.case import Case
from harness.domains import ANY_COMPLEX
from harness.dtypes import BY_NAME

# One dtype for every item size and kind that moves differently, then the rest of the float types.
MOVED = [
    BY_NAME[n]
    for n in "float32 bool_ int8 uint16 int32 uint64 float16 bfloat16 float64 complex64".split()
]


def move(name, call, reference, shapes, variants=({},), **options) -> Case:
    small = [s for s in shapes if 0 < sum(_size(x) for x in s) <= 40][:2]
    options.setdefault("derivative_shapes", small)
    if not options["derivative_shapes"]:
        options |= dict(differentiable=False, vmap=False)
    return Case(
        name,
        call,
        reference,
        (ANY_COMPLEX,),
        shapes,
        dtypes=MOVED,
        variants=variants,
        accuracy="copy",
        signed_zeros=True,
        **options,
    )


def _size(shape):
    return int(np.prod(shape))


def _ones(*shapes):
    return [(shape,) for shape in shapes]


def _dicts(key, *values):
    return [{key: value} for value in values]


def _flatten(a, start_axis, end_axis):
    ndim = max(a.ndim, 1)
    start = max(start_axis + ndim if start_axis < 0 else start_axis, 0)
    end = min(end_axis + ndim if end_axis < 0 else end_axis, ndim - 1)
    return (
        a.reshape(*a.shape[:start], -1, *a.shape[end + 1 :])
        if a.size
        else a.reshape(
            *a.shape[:start], int(np.prod(a.shape[start : end + 1])), *a.shape[end + 1 :]
        )
    )


def _pad(a, pad_width, mode="constant", constant_values=0):
    if mode == "constant":
        return np.pad(
            a, pad_width, mode, constant_values=np.asarray(constant_values).astype(a.dtype)
        )
    return np.pad(a, pad_width, mode)


def _as_strided(a, shape, strides, offset=0):
    flat = np.ascontiguousarray(a).reshape(-1)
    item = flat.itemsize
    return np.lib.stride_tricks.as_strided(flat[offset:], shape, [s * item for s in strides]).copy()


SHAPE_CASES = [
    move(
        "reshape",
        lambda a, shape: mx.reshape(a, shape),
        np.reshape,
        _ones((6, 4)),
        _dicts("shape", (4, 6), (24,), (2, -1, 3), (2, 3, 2, 2), (1, 24, 1)),
    ),
    move(
        "reshape empty",
        lambda a, shape: mx.reshape(a, shape),
        np.reshape,
        _ones((0, 3)),
        _dicts("shape", (0,), (3, 0), (-1, 3), (2, 0, 5)),
    ),
    move(
        "flatten",
        lambda a, start_axis, end_axis: mx.flatten(a, start_axis, end_axis),
        _flatten,
        _ones((2, 3, 4), (2, 0, 4)),
        [
            dict(start_axis=s, end_axis=e)
            for s, e in ((0, -1), (1, 2), (0, 1), (-2, -1), (1, 1), (-9, 9))
        ],
    ),
    move("flatten 0-d", lambda a: mx.flatten(a), lambda a: a.reshape(1), _ones(())),
    move(
        "unflatten",
        lambda a, axis, shape: mx.unflatten(a, axis, shape),
        lambda a, axis, shape: a.reshape(
            *a.shape[: axis % a.ndim], *_infer(a.shape[axis], shape), *a.shape[axis % a.ndim + 1 :]
        ),
        _ones((2, 12)),
        [dict(axis=1, shape=(3, 4)), dict(axis=-1, shape=(2, -1, 3)), dict(axis=0, shape=(2, 1))],
    ),
    move(
        "squeeze",
        lambda a, axis: mx.squeeze(a, axis),
        lambda a, axis: np.squeeze(a, tuple(axis) if isinstance(axis, list) else axis),
        _ones((1, 3, 1, 4)),
        _dicts("axis", None, 0, 2, -2, (0, 2), [0, -2], []),
    ),
    move(
        "expand_dims",
        lambda a, axis: mx.expand_dims(a, axis),
        lambda a, axis: np.expand_dims(a, tuple(axis) if isinstance(axis, list) else axis),
        _ones((3, 4), (0, 2)),
        _dicts("axis", 0, 1, 2, -1, (0, 3), [0, -1], (0, 1, 2)),
    ),
    move(
        "transpose",
        lambda a, axes: mx.transpose(a, axes),
        np.transpose,
        _ones((2, 3, 4), (0, 2, 3)),
        _dicts("axes", None, (0, 1, 2), (2, 0, 1), (0, 2, 1), (-1, 0, 1)),
    ),
    move(
        "permute_dims",
        lambda a, axes: mx.permute_dims(a, axes),
        np.transpose,
        _ones((2, 3, 4)),
        _dicts("axes", None, (1, 2, 0)),
    ),
    move(
        "transpose large",
        lambda a, axes: mx.contiguous(mx.transpose(a, axes)),
        np.transpose,
        _ones((33, 5, 70)),
        _dicts("axes", (2, 1, 0), (0, 2, 1), (1, 0, 2)),
        needs="transpose contiguous",
        differentiable=False,
        vmap=False,
    ),
    move(
        "moveaxis",
        lambda a, **k: mx.moveaxis(a, **k),
        np.moveaxis,
        _ones((2, 3, 4)),
        [dict(source=s, destination=d) for s, d in ((0, 2), (2, 0), (-1, 1), (1, 1))],
    ),
    move(
        "swapaxes",
        lambda a, **k: mx.swapaxes(a, **k),
        np.swapaxes,
        _ones((2, 3, 4)),
        [dict(axis1=s, axis2=d) for s, d in ((0, 2), (-1, 0), (1, 1))],
    ),
    move(
        "flip",
        lambda a, axis: mx.flip(a, axis),
        lambda a, axis: np.flip(a, tuple(axis) if isinstance(axis, list) else axis),
        _ones((3, 4), (0, 2), (17, 33)),
        _dicts("axis", None, 0, -1, (0, 1), []),
    ),
    move(
        "broadcast_to",
        lambda a, shape: mx.broadcast_to(a, shape),
        np.broadcast_to,
        _ones((3, 1)),
        _dicts("shape", (3, 4), (2, 3, 1), (2, 3, 5), (3, 0)),
    ),
    move(
        "broadcast_arrays",
        lambda a, b: mx.concatenate([x.reshape(-1) for x in mx.broadcast_arrays(a, b)]),
        lambda a, b: np.concatenate([x.reshape(-1) for x in np.broadcast_arrays(a, b)]),
        [((3, 1), (4,)), ((2, 1, 3), (5, 1))],
    ),
    move(
        "concatenate",
        lambda a, b, axis: mx.concatenate([a, b], axis=axis),
        lambda a, b, axis: np.concatenate([a, b], axis=axis),
        [((2, 3), (2, 3)), ((0, 3), (0, 3)), ((17, 9), (17, 9))],
        _dicts("axis", 0, 1, -1, None),
    ),
    move(
        "concatenate unequal",
        lambda a, b, c, axis: mx.concatenate([a, b, c], axis=axis),
        lambda a, b, c, axis: np.concatenate([a, b, c], axis=axis),
        [((2, 3), (2, 0), (2, 5))],
        _dicts("axis", 1, -1),
    ),
    move(
        "concat",
        lambda a, b: mx.concat([a, b]),
        lambda a, b: np.concatenate([a, b]),
        [((2, 3), (4, 3))],
    ),
    move(
        "stack",
        lambda a, b, axis: mx.stack([a, b], axis=axis),
        lambda a, b, axis: np.stack([a, b], axis=axis),
        [((2, 3), (2, 3))],
        _dicts("axis", 0, 1, 2, -1),
    ),
    move("stack 0-d", lambda a, b: mx.stack([a, b]), lambda a, b: np.stack([a, b]), [((), ())]),
    move(
        "split",
        lambda a, axis, parts: mx.concatenate(
            [p * 1 if p.dtype != mx.bool_ else p for p in mx.split(a, parts, axis=axis)][::-1],
            axis=axis,
        ),
        lambda a, axis, parts: np.concatenate(_split(a, parts, axis)[::-1], axis=axis),
        _ones((6, 4)),
        [
            dict(axis=0, parts=3),
            dict(axis=1, parts=2),
            dict(axis=-1, parts=[1, 3]),
            dict(axis=0, parts=[2, 2, -1]),
            dict(axis=0, parts=[9]),
            dict(axis=0, parts=[]),
        ],
    ),
    move(
        "unstack",
        lambda a, axis: mx.concatenate(mx.unstack(a, axis=axis)[::-1]),
        lambda a, axis: np.concatenate(list(np.moveaxis(a, axis, 0))[::-1]),
        _ones((3, 4)),
        _dicts("axis", 0, 1, -1),
    ),
    move(
        "repeat",
        lambda a, repeats, axis: mx.repeat(a, repeats, axis),
        np.repeat,
        _ones((2, 3), (0, 3)),
        [dict(repeats=r, axis=x) for r, x in ((2, None), (3, 0), (2, -1), (1, 1), (0, 0))],
    ),
    move(
        "tile",
        lambda a, reps: mx.tile(a, reps),
        np.tile,
        _ones((2, 3)),
        _dicts("reps", 2, (2, 1), (2, 3), (2, 1, 2), (1,), (0, 2)),
    ),
    move(
        "roll",
        lambda a, shift, axis: mx.roll(a, shift, axis),
        np.roll,
        _ones((4, 5), (0, 5)),
        [
            dict(shift=s, axis=x)
            for s, x in ((2, None), (-1, 0), (7, 1), ((1, 2), (0, 1)), (3, (0, 1)), (0, 0))
        ],
    ),
    move(
        "pad",
        lambda a, pad_width, constant_values: mx.pad(a, pad_width, constant_values=constant_values),
        _pad,
        _ones((2, 3), (0, 3)),
        [
            dict(pad_width=p, constant_values=v)
            for p, v in ((1, 0), ((1, 2), 1), ([(0, 1), (2, 0)], 2), ([(1, 1)], 0), (0, 5))
        ],
    ),
    *(
        move(
            f"pad {mode}",
            lambda a, pad_width, mode=mode: mx.pad(a, pad_width, mode=mode),
            lambda a, pad_width, mode=mode: _pad(a, pad_width, mode),
            _ones((3, 4), (1, 3)),
            _dicts("pad_width", 1, [(2, 0), (0, 3)], [(5, 7), (9, 2)]),
        )
        for mode in ("edge", "reflect", "symmetric")
    ),
    move("atleast_1d", lambda a: mx.atleast_1d(a), np.atleast_1d, _ones((), (3,), (2, 3))),
    move("atleast_2d", lambda a: mx.atleast_2d(a), np.atleast_2d, _ones((), (3,), (2, 3))),
    move(
        "atleast_3d", lambda a: mx.atleast_3d(a), np.atleast_3d, _ones((), (3,), (2, 3), (2, 3, 2))
    ),
    move(
        "meshgrid",
        lambda a, b, **k: mx.concatenate([g.reshape(-1) for g in mx.meshgrid(a, b, **k)]),
        lambda a, b, **k: np.concatenate([g.reshape(-1) for g in np.meshgrid(a, b, **k)]),
        [((3,), (4,))],
        [dict(indexing="xy"), dict(indexing="ij"), dict(indexing="xy", sparse=True)],
    ),
    move(
        "as_strided",
        lambda a, **k: mx.as_strided(a, **k),
        _as_strided,
        _ones((6, 4)),
        [
            dict(shape=(3, 2), strides=(8, 1), offset=2),
            dict(shape=(5,), strides=(0,), offset=3),
            dict(shape=(4, 4), strides=(1, 1), offset=0),
        ],
        vmap=False,
    ),
    move(
        "as_strided backwards",
        lambda a: mx.as_strided(a, (24,), (-1,), 23),
        lambda a: a.reshape(-1)[::-1],
        _ones((6, 4)),
        vmap=False,
    ),
    move(
        "contiguous",
        lambda a, **k: mx.contiguous(a, **k),
        lambda a, **k: a,
        _ones((6, 4), (2, 3, 4), (0,), ()),
        [dict(), dict(allow_col_major=True)],
    ),
    *(
        move(
            f"slice {text}",
            lambda a, i=index: a[i],
            lambda a, i=index: a[i],
            _ones((7, 9), (33, 18)),
            needs="array",
            derivative_shapes=_ones((7, 5)),
        )
        for text, index in {
            "rows": np.s_[2:5],
            "columns": np.s_[:, 1::3],
            "negative": np.s_[::-1, ::-2],
            "clipped": np.s_[-99:99, 4:1],
            "bounds": np.s_[5:1:-2, -2:0:-1],
            "int": np.s_[-1, 2:],
            "newaxis": np.s_[None, 1, ..., None],
        }.items()
    ),
]


def _infer(total, shape):
    known = -int(np.prod(shape))
    return [total // known if n == -1 else n for n in shape]


def _split(a, parts, axis):
    if isinstance(parts, int):
        return np.split(a, parts, axis)
    cuts, before = [], 0
    for cut in [*parts, None]:
        cuts.append(np.moveaxis(np.moveaxis(a, axis, 0)[slice(before, cut)], 0, axis))
        before = cut
    return cuts


CASES = SHAPE_CASES
DIFFERENTIABLE = [case for case in CASES if case.differentiable]
BATCHED = [case for case in CASES if case.vmap]
