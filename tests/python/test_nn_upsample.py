# nn.Upsample: worked values, a numpy interpolation in float64, errors, repr.
import math

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx.nn.layers.upsample import upsample_cubic, upsample_linear, upsample_nearest

pytestmark = pytest.mark.needs("take")

RAMP = mx.array([1.0, 2.0, 3.0, 4.0]).reshape(1, 4, 1)

# mode, options, and the results for the factors 2, 1.5 and 0.5 of 1 2 3 4
WORKED = [
    ("nearest", {}, "1 1 2 2 3 3 4 4", "1 1 2 3 3 4", "1 3"),
    (
        "linear",
        {},
        "1 1.25 1.75 2.25 2.75 3.25 3.75 4",
        "1 1.5 2.16667 2.83333 3.5 4",
        "1.5 3.5",
    ),
    (
        "linear",
        {"align_corners": True},
        "1 1.42857 1.85714 2.28571 2.71429 3.14286 3.57143 4",
        "1 1.6 2.2 2.8 3.4 4",
        "1 4",
    ),
    (
        "linear",
        {"antialias": True},
        "1 1.25 1.75 2.25 2.75 3.25 3.75 4",
        "1 1.5 2.16667 2.83333 3.5 4",
        "1.71429 3.28571",
    ),
    (
        "cubic",
        {},
        "0.894531 1.19141 1.66797 2.29688 2.70312 3.33203 3.80859 4.10547",
        "0.913195 1.40625 2.21296 2.78704 3.59375 4.0868",
        "1.40625 3.59375",
    ),
    (
        "cubic",
        {"align_corners": True},
        "1 1.34111 1.80029 2.32944 2.67055 3.19971 3.65889 4",
        "1 1.504 2.248 2.752 3.496 4",
        "1 4",
    ),
    (
        "cubic",
        {"antialias": True},
        "0.911765 1.16788 1.70992 2.25 2.75 3.29008 3.83212 4.08823",
        "0.934211 1.41176 2.16667 2.83333 3.58824 4.06579",
        "1.58678 3.41322",
    ),
]


@pytest.mark.parametrize("mode, options, double, more, half", WORKED)
def test_worked_values(mode, options, double, more, half):
    for scale, expected in ((2, double), (1.5, more), (0.5, half)):
        y = nn.Upsample(scale, mode=mode, **options)(RAMP)
        expected = [float(v) for v in expected.split()]
        np.testing.assert_allclose(np.array(y).ravel(), expected, rtol=1e-5)


def np_matrix(size, scale, mode, align_corners, antialias):
    """The linear map along one axis, from the definition, in float64."""
    out = int(scale * size)
    matrix = np.zeros((out, size))

    def kernel(d, a):
        if mode == "linear":
            return max(1 - d, 0)
        if d < 1:
            return ((a + 2) * d - (a + 3)) * d * d + 1
        return a * (((d - 5) * d + 8) * d - 4) if d < 2 else 0

    radius = 1 if mode == "linear" else 2
    stretch = 1 / scale if antialias and scale < 1 else 1
    for i in range(out):
        if align_corners:
            s = i * (size - 1) / max(out - 1, 1)
        else:
            s = i / scale - ((out - 1) / scale - size + 1) / 2
        if mode == "linear" and not antialias:
            s = min(max(s, 0), size - 1)
        reach = math.ceil(radius * stretch) + 1
        for tap in range(math.floor(s) - reach, math.floor(s) + reach + 1):
            weight = kernel(abs(s - tap) / stretch, -0.5 if antialias else -0.75)
            if antialias and not 0 <= tap < size:
                continue
            matrix[i, min(max(tap, 0), size - 1)] += weight
    return matrix / matrix.sum(1, keepdims=True) if antialias else matrix


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("align_corners, antialias", [(0, 0), (1, 0), (0, 1)])
@pytest.mark.parametrize("scales", [(2.0, 3.0), (1.5, 0.5), (0.4, 2.5), (1.0, 1.0)])
def test_images(mode, align_corners, antialias, scales):
    x = np.random.default_rng(0).normal(size=(2, 6, 5, 3)).astype(np.float32)
    rows = np_matrix(6, scales[0], mode, align_corners, antialias)
    columns = np_matrix(5, scales[1], mode, align_corners, antialias)
    expected = np.einsum("ih,jw,bhwc->bijc", rows, columns, x)
    layer = nn.Upsample(scales, mode, bool(align_corners), bool(antialias))
    y = layer(mx.array(x))
    assert y.shape == expected.shape
    np.testing.assert_allclose(np.array(y), expected, atol=1e-5)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_nearest_repeats(axes):
    x = np.arange(2 * 3**axes * 2).reshape(2, *(3,) * axes, 2)
    expected = x
    for axis in range(1, axes + 1):
        expected = expected.repeat(2, axis)
    y = nn.Upsample(2)(mx.array(x))
    assert np.array_equal(np.array(y), expected) and y.dtype == mx.array(x).dtype


def test_nearest_rounds_half_to_even():
    x = mx.arange(4).reshape(1, 4, 1)
    y = upsample_nearest(x, (2.5,))
    assert y.flatten().tolist() == [0, 0, 0, 1, 1, 2, 2, 2, 3, 3] and y.dtype == x.dtype
    assert upsample_nearest(x, (0.75,)).flatten().tolist() == [0, 1, 2]


def test_one_output_with_align_corners_is_the_first_input():
    for mode in ("linear", "cubic"):
        y = nn.Upsample(0.25, mode, align_corners=True)(RAMP)
        assert y.flatten().tolist() == [1.0]


def test_antialias_changes_only_what_it_should():
    x = mx.random.normal((1, 8, 8, 2))
    plain, smooth = (upsample_linear(x, (2.0, 2.0), antialias=a) for a in (False, True))
    assert mx.allclose(plain, smooth, atol=1e-6)
    assert upsample_linear(x, (0.3, 0.7), antialias=True).shape == (1, 2, 5, 2)
    plain, smooth = (upsample_cubic(x, (2.0, 2.0), antialias=a) for a in (False, True))
    assert not mx.allclose(plain, smooth, atol=1e-3)


def test_integers_become_float32():
    y = nn.Upsample(2, "linear")(mx.array([1, 2]).reshape(1, 2, 1))
    assert y.dtype == mx.float32


def test_gradient_of_linear():
    grad = mx.grad(lambda x: nn.Upsample(2, "linear")(x).sum())(RAMP)
    np.testing.assert_allclose(np.array(grad).ravel(), [2, 2, 2, 2], rtol=1e-6)


def test_errors_and_repr():
    assert repr(nn.Upsample(2)) == (
        "Upsample(scale_factor=2.0, mode='nearest', align_corners=False)"
    )
    assert repr(nn.Upsample((2, 3), "cubic", antialias=True)) == (
        "Upsample(scale_factor=(2.0, 3.0), mode='cubic', align_corners=False, antialias=True)"
    )
    for arguments in (
        {"mode": "area"},
        {"antialias": True},
        {"mode": "linear", "antialias": True, "align_corners": True},
    ):
        with pytest.raises(ValueError):
            nn.Upsample(2, **arguments)
    for layer, shape in ((nn.Upsample(2), (4, 4)), (nn.Upsample((2, 2)), (1, 4, 1))):
        with pytest.raises(ValueError, match="spatial"):
            layer(mx.zeros(shape))
