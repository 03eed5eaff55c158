"""What is verified for each row of a case table. Each function takes a Case and raises AssertionError.

forward       every dtype, shape, variant and layout against numpy
derivatives   vjp and jvp in float64 against finite differences of the reference; gradient dtypes
batching      vmap against a Python loop, for every axis of every input
lazy          one graph, against evaluation after every step, against fusion turned off: the same bits
threading     one thread against several: the same bits
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import mlx.core as mx
import numpy as np

from . import compare, dtypes, runtime
from .case import Case
from .layouts import LAYOUTS

_NAMES = list(LAYOUTS)


def forward(case: Case) -> None:
    case.skip_if_absent()
    for d_index, d in enumerate(case.dtypes):
        for shape_index, shapes in enumerate(case.shapes):
            for variant_index, variant in enumerate(case.variants):
                if shape_index == 0 and variant_index == 0:
                    choices = _layout_choices(case.arity)
                else:
                    # Each further shape and variant in one layout, another one for every dtype.
                    turn = d_index + 3 * shape_index + variant_index
                    choices = [(_NAMES[turn % len(_NAMES)],) * case.arity]
                rng = case.rng(d.name, shape_index)
                values = [case.domain(i).forward(rng, shape, d) for i, shape in enumerate(shapes)]
                for names in choices if any(np.ndim(v) for v in values) else choices[:1]:
                    _forward_one(case, d, values, names, variant)


def _layout_choices(arity: int) -> list[tuple[str, ...]]:
    if arity == 1:
        return [(name,) for name in _NAMES]
    choices = []
    for i, name in enumerate(_NAMES):
        following = _NAMES[(i + 1) % len(_NAMES)]
        choices.append((name,) * arity)
        choices.append((name, *("contiguous",) * (arity - 1)))
        choices.append((*("contiguous",) * (arity - 1), name))
        choices.append((name, *(following,) * (arity - 1)))
    return choices


def _forward_one(case, d, values, names, variant):
    pairs = [LAYOUTS[name](v, d) for name, v in zip(names, values)]
    context = f"{case.name} {d} {[v.shape for v in values]} {'/'.join(names)} {variant or ''}"
    got = case.call(*(a for a, _ in pairs), **variant)
    shapes = [v.shape for v in values]
    exact, scale = reference(case, [v for _, v in pairs], [d] * len(pairs), variant)
    compare.close(
        got,
        exact,
        case.result(*[d] * len(pairs)),
        case.accuracy,
        scale=scale,
        length=case.length(*shapes, **variant),
        signed_zeros=case.signed_zeros,
        context=context,
    )


def reference(case: Case, values, input_dtypes, variant):
    """The exact result (and the scale of its accuracy) for values of the given dtypes."""
    computes = input_dtypes if case.compute is None else [case.compute(*input_dtypes)] * len(values)
    with np.errstate(all="ignore"):
        wide = [dtypes.widen(dtypes.round_to(v, d), d) for v, d in zip(values, computes)]
        exact = np.asarray(case.reference(*wide, **variant))
        scale = None if case.scale is None else case.scale(*wide, **variant)
    return exact, scale


def promotion(case: Case) -> None:
    """Result dtype for every pair of input dtypes, and the values on a small input for each pair."""
    case.skip_if_absent()
    assert case.arity == 2
    for a, b in itertools.product(case.dtypes, case.dtypes):
        if dtypes.promote(a, b) not in case.dtypes:
            continue
        rng = case.rng(a.name, b.name)
        # A real that becomes complex is kept moderate: complex overflow is no matter of promotion.
        domains = [case.domain(0), case.domain(1)]
        if dtypes.promote(a, b).kind == "c":
            domains = [
                replace(domain, special=False, nonzero=True, ints=(-9, 9)) for domain in domains
            ]
        values = [domain.forward(rng, (9,), d) for domain, d in zip(domains, (a, b))]
        got = case.call(*(dtypes.to_mlx(v, d) for v, d in zip(values, (a, b))))
        exact, scale = reference(case, values, (a, b), {})
        compare.close(
            got,
            exact,
            case.result(a, b),
            case.accuracy,
            scale=scale,
            context=f"{case.name} {a} {b}",
        )


# ---- derivatives ----------------------------------------------------------------------------


def derivatives(case: Case) -> None:
    case.skip_if_absent()
    for index, shapes in enumerate(case.derivative_shapes or case.small_shapes()):
        for variant in case.variants:
            rng = case.rng("derivative", index)
            primals = [case.domain(i).smooth(rng, shape) for i, shape in enumerate(shapes)]
            context = f"{case.name} {list(shapes)} {variant or ''}"
            _derivative_one(case, rng, primals, variant, context)
    _gradient_dtypes(case)


def _derivative_one(case, rng, primals, variant, context):
    call = lambda *xs: case.call(*xs, **variant)
    arrays = [mx.array(p, dtype=mx.float64) for p in primals]
    jacobians, exact = jacobian(case, primals, variant)
    cotangent = rng.uniform(0.5, 1.5, exact.shape)
    tangents = [rng.uniform(0.5, 1.5, p.shape) for p in primals]

    outputs, gradients = mx.vjp(call, arrays, [mx.array(cotangent, dtype=mx.float64)])
    assert len(outputs) == 1 and outputs[0].dtype == mx.float64, f"{context}: outputs {outputs}"
    for i, (gradient, jac) in enumerate(zip(gradients, jacobians)):
        expected = (jac * cotangent.reshape(-1, 1)).sum(0).reshape(primals[i].shape)
        _near(gradient, expected, f"vjp of {context}, argument {i}")

    _, tangent_out = mx.jvp(call, arrays, [mx.array(t, dtype=mx.float64) for t in tangents])
    expected = sum(jac @ t.reshape(-1) for jac, t in zip(jacobians, tangents)).reshape(exact.shape)
    _near(tangent_out[0], expected, f"jvp of {context}")
    # One argument at a time: rules that only look at the first tangent are caught here.
    for i in range(len(arrays)):
        one = lambda x, i=i: call(*arrays[:i], x, *arrays[i + 1 :])
        _, out = mx.jvp(one, [arrays[i]], [mx.array(tangents[i], dtype=mx.float64)])
        _near(
            out[0],
            (jacobians[i] @ tangents[i].reshape(-1)).reshape(exact.shape),
            f"jvp of {context} in argument {i}",
        )


def jacobian(case: Case, primals, variant, step=1e-4):
    """Fourth-order central differences of the numpy reference, in extended precision: (outputs, inputs) per argument."""
    wide = [p.astype(np.longdouble) for p in primals]
    f = lambda *xs: np.asarray(case.reference(*xs, **variant), dtype=np.longdouble)
    exact = f(*wide)
    jacobians = []
    for i, primal in enumerate(wide):
        columns = np.zeros((exact.size, primal.size), np.longdouble)
        for j in range(primal.size):

            def at(delta, i=i, j=j):
                moved = primal.copy()
                moved.reshape(-1)[j] += delta
                return f(*wide[:i], moved, *wide[i + 1 :]).reshape(-1)

            near, far = at(step) - at(-step), at(2 * step) - at(-2 * step)
            columns[:, j] = (8 * near - far) / (12 * step)
        jacobians.append(columns)
    return jacobians, exact


def _near(got: mx.array, expected: np.ndarray, context: str) -> None:
    assert tuple(got.shape) == expected.shape, (
        f"{context}: shape {tuple(got.shape)}, expected {expected.shape}"
    )
    assert got.dtype == mx.float64, f"{context}: dtype {got.dtype}"
    values = np.array(got)
    wrong = ~(np.abs(values - expected) <= 1e-7 * np.maximum(1, np.abs(expected)))
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise AssertionError(
            f"{context}: at {at} got {values[at]!r}, finite difference {float(expected[at])!r}"
        )


def _gradient_dtypes(case: Case) -> None:
    """Gradients have the primal's dtype, in every floating dtype, and agree with float64 roughly."""
    shapes = (case.derivative_shapes or case.small_shapes())[0]
    primals = [case.domain(i).smooth(case.rng("dtype"), shape) for i, shape in enumerate(shapes)]
    call = lambda *xs: case.call(*xs, **case.variants[0]).sum()
    argnums = list(range(len(primals)))
    exact = mx.grad(call, argnums=argnums)(*(mx.array(p, dtype=mx.float64) for p in primals))
    for d in case.dtypes:
        if d.kind != "f" or d.name == "float64":
            continue
        arrays = [dtypes.to_mlx(dtypes.round_to(p, d), d) for p in primals]
        gradients = mx.grad(call, argnums=argnums)(*arrays)
        as_tuple = lambda g: g if isinstance(g, tuple) else (g,)
        for gradient, want in zip(as_tuple(gradients), as_tuple(exact)):
            assert gradient.dtype == d.mx, (
                f"gradient of {case.name}: dtype {gradient.dtype} for {d} input"
            )
            bound = 2.0 ** (5 - d.mantissa) * np.maximum(1, np.abs(np.array(want)))
            error = np.abs(dtypes.to_numpy(gradient) - np.array(want))
            assert (error <= bound * case.gradient_slack).all(), (
                f"gradient of {case.name} in {d}: off by {error.max():.3g}"
            )


def complex_derivatives(case: Case) -> None:
    """For holomorphic f: vjp gives cotangent * conj(f'(z)), jvp gives tangent * f'(z)."""
    case.skip_if_absent()
    rng = case.rng("complex")
    shape = (5,)
    points = [
        rng.uniform(0.3, 0.9, shape) + 1j * rng.uniform(0.2, 0.8, shape) for _ in range(case.arity)
    ]
    points = [p.astype(np.complex64).astype(np.complex128) for p in points]
    arrays = [dtypes.to_mlx(p, dtypes.COMPLEX) for p in points]
    seeds = [
        (rng.uniform(0.5, 1.5, shape) + 1j * rng.uniform(-1, 1, shape)).astype(np.complex64)
        for _ in range(case.arity + 1)
    ]
    slopes = []
    for i, h in itertools.product(range(case.arity), (1e-3,)):
        at = lambda delta, i=i: case.reference(*points[:i], points[i] + delta, *points[i + 1 :])
        slopes.append((8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h))
    _, gradients = mx.vjp(case.call, arrays, [dtypes.to_mlx(seeds[-1], dtypes.COMPLEX)])
    for i, gradient in enumerate(gradients):
        _near_complex(
            gradient, seeds[-1] * np.conj(slopes[i]), f"complex vjp of {case.name}, argument {i}"
        )
    _, tangents = mx.jvp(case.call, arrays, [dtypes.to_mlx(s, dtypes.COMPLEX) for s in seeds[:-1]])
    _near_complex(
        tangents[0], sum(s * f for s, f in zip(seeds, slopes)), f"complex jvp of {case.name}"
    )


def _near_complex(got, expected, context):
    assert got.dtype == mx.complex64, f"{context}: dtype {got.dtype}"
    error = np.abs(np.array(got) - expected)
    assert (error <= 2e-5 * np.maximum(1, np.abs(expected))).all(), (
        f"{context}: got {got.tolist()}, expected {expected.tolist()}"
    )


# ---- vmap -----------------------------------------------------------------------------------


def batching(case: Case, batch: int = 3) -> None:
    case.skip_if_absent()
    d = dtypes.FLOAT32 if dtypes.FLOAT32 in case.dtypes else case.dtypes[0]
    for index, shapes in enumerate(case.derivative_shapes or case.small_shapes()):
        for variant in case.variants:
            call = lambda *xs, variant=variant: case.call(*xs, **variant)
            for axes in _axes_choices(shapes):
                rng = case.rng("vmap", index, axes)
                arrays = []
                for i, (shape, axis) in enumerate(zip(shapes, axes)):
                    if axis is None:
                        full = shape
                    else:
                        at = axis if axis >= 0 else axis + len(shape) + 1
                        full = (*shape[:at], batch, *shape[at:])
                    arrays.append(dtypes.to_mlx(case.domain(i).forward(rng, full, d), d))
                _batching_one(
                    case,
                    call,
                    arrays,
                    axes,
                    batch,
                    f"vmap of {case.name} {list(shapes)} {variant or ''} in_axes={axes}",
                )


def _axes_choices(shapes) -> list[tuple[int | None, ...]]:
    """Each axis for all inputs together (as far as they have it), each input alone, and mixed axes."""
    rank = max(len(s) for s in shapes)
    together = [tuple(min(axis, len(s)) for s in shapes) for axis in range(rank + 1)]
    choices = [*together, tuple(-1 for _ in shapes)]
    if len(shapes) > 1:
        for i, shape in enumerate(shapes):
            choices += [
                tuple(axis if j == i else None for j in range(len(shapes)))
                for axis in range(len(shape) + 1)
            ]
        choices.append(tuple(len(s) if j % 2 else 0 for j, s in enumerate(shapes)))
    return list(dict.fromkeys(choices))


def _batching_one(case, call, arrays, axes, batch, context):
    in_axes = axes if len(arrays) > 1 else axes[0]
    lanes = [
        call(
            *(a if axis is None else mx.moveaxis(a, axis, 0)[lane] for a, axis in zip(arrays, axes))
        )
        for lane in range(batch)
    ]
    for out_axis in (0, -1):
        got = mx.vmap(call, in_axes=in_axes, out_axes=out_axis)(*arrays)
        expected = np.stack([dtypes.to_numpy(lane) for lane in lanes], axis=out_axis)
        where = f"{context} out_axes={out_axis}"
        assert got.dtype == lanes[0].dtype, (
            f"{where}: dtype {got.dtype}, loop gives {lanes[0].dtype}"
        )
        assert tuple(got.shape) == expected.shape, (
            f"{where}: shape {tuple(got.shape)}, loop gives {expected.shape}"
        )
        values = dtypes.to_numpy(got)
        if case.bitwise_vmap or not dtypes.of(got).inexact:
            equal = np.array_equal(values, expected, equal_nan=values.dtype.kind in "fc")
        else:
            equal = np.allclose(values, expected, rtol=2e-5, atol=2e-5, equal_nan=True)
        assert equal, f"{where}: got {values.tolist()}, loop gives {expected.tolist()}"


# ---- determinism ----------------------------------------------------------------------------


def lazy(case: Case) -> None:
    """The op between other elementwise ops: one lazy graph, step by step, and with fusion off."""
    case.skip_if_absent()
    for d in case.dtypes:
        for shapes in case.shapes[: 2 if len(case.variants) == 1 else 1]:
            rng = case.rng("lazy", d.name)
            arrays = [
                dtypes.to_mlx(case.domain(i).forward(rng, shape, d), d)
                for i, shape in enumerate(shapes)
            ]
            for variant in case.variants:
                run = lambda keep, variant=variant: _surrounded(case, arrays, variant, keep)
                context = f"{case.name} {d} {variant or ''}"
                whole = run(lambda a: a)

                def evaluated(a):
                    mx.eval(a)
                    return a

                compare.same_bits(
                    whole, run(evaluated), f"{context}: lazy and evaluated after each step differ"
                )
                if hasattr(mx, "_set_cpu_fusion"):
                    with runtime.fusion(False):
                        unfused = run(lambda a: a)
                        mx.eval(unfused)
                    compare.same_bits(whole, unfused, f"{context}: fused and unfused differ")


def _surrounded(case, arrays, variant, keep):
    """x -> op(max(x, x) through where) -> where: ops that keep the dtype in front and behind."""
    before = [keep(mx.where(keep(mx.equal(a, a)), a, a)) for a in arrays]
    result = keep(case.call(*before, **variant))
    flag = keep(mx.not_equal(result, result))
    return keep(mx.where(flag, keep(mx.maximum(result, result)), keep(mx.add(result, result))))


def threading(
    case: Case, shapes, names=("float32", "bfloat16", "int8", "float64"), counts=(1, 2, 3)
) -> None:
    """The same bits whatever the number of threads, on inputs large enough to be split."""
    case.skip_if_absent()
    for d in [d for d in case.dtypes if d.name in names]:
        rng = case.rng("threads", d.name)
        arrays = [
            dtypes.to_mlx(case.domain(i).forward(rng, shape, d), d)
            for i, shape in enumerate(shapes)
        ]
        arrays[0] = (
            arrays[0].T.T if arrays[0].ndim < 2 else mx.contiguous(arrays[0].T).T
        )  # a strided read as well
        for variant in case.variants:
            results = []
            for count in counts:
                with runtime.threads(count):
                    results.append(case.call(*arrays, **variant))
                    mx.eval(results[-1])
            for count, result in zip(counts[1:], results[1:]):
                compare.same_bits(
                    results[0],
                    result,
                    f"{case.name} {d} {variant or ''}: 1 and {count} threads differ",
                )
