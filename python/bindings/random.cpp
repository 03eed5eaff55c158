// The submodule mlx.core.random: keys, the state of a thread, samplers.
#include "mlx/random.h"

#include "mlx/ops.h"
#include "python/bindings/convert.h"

using namespace nb::literals;

namespace mlx::bindings {

namespace {

namespace random = mx::random;

using OptionalArray = std::optional<mx::array>;
using OptionalDtype = std::optional<mx::Dtype>;

#define SHAPE "shape: collections.abc.Sequence[int]"
#define DTYPE "dtype: Dtype | None"
#define KEY "key: array | None = None, " MLX_STREAM

// Stands for the key of whichever thread looks at it.
struct RandomState {};

random::KeySequence& sequence() {
  return random::KeySequence::default_();
}

// A sampler without a key takes the next one of the thread, before it looks at
// its other arguments.
mx::array key_or_next(const OptionalArray& key) {
  return key ? *key : sequence().next();
}

OptionalArray to_optional_array(nb::handle object) {
  return object.is_none() ? std::nullopt : OptionalArray(to_array(object));
}

bool is_int(nb::handle object, long value) {
  return PyLong_CheckExact(object.ptr()) && PyLong_AsLong(object.ptr()) == value &&
         !PyErr_Occurred();
}

void bind_keys(nb::module_& m) {
  nb::class_<RandomState>(m, "_RandomState",
                          "The calling thread's key as a sequence of one array; the argument of "
                          "`eval` and of captures.")
      .def("__len__", [](const RandomState&) { return 1; })
      .def("__getitem__",
           [](const RandomState&, int64_t i) {
             if (i != 0 && i != -1) {
               throw nb::index_error("the random state holds one key");
             }
             return sequence().state();
           })
      .def("__iter__", [](const RandomState&) {
        nb::list keys;
        keys.append(wrap(sequence().state()));
        return nb::iter(keys);
      });
  m.attr("state") = nb::cast(RandomState{});
  m.def(
      "seed", [](uint64_t seed) { random::seed(seed); }, "seed"_a,
      nb::sig("def seed(seed: int) -> None"),
      "Sets the key of the calling thread to `key(seed)`, 0 <= seed < 2**64. Samplers called "
      "without a key split it.\n\nExample:\n    >>> mx.random.seed(0)\n");
  m.def(
      "key", [](uint64_t seed) { return random::key(seed); }, "seed"_a,
      nb::sig("def key(seed: int) -> array"),
      "The key of a seed, 0 <= seed < 2**64: its high and low 32 bits (uint32, shape (2,)).\n\n"
      "Example:\n    >>> mx.random.key(1)\n    array([0, 1], dtype=uint32)\n");
  m.def(
      "split",
      [](const mx::array& key, int num, nb::handle stream) {
        return random::split(key, num, to_stream_or_device(stream));
      },
      "key"_a, "num"_a = 2, "stream"_a.none() = nb::none(),
      nb::sig("def split(key: array, num: int = 2, " MLX_STREAM ") -> array"),
      "`num` independent keys, the rows of an array of shape (num, 2). Raises ValueError for what "
      "is no key.\n\nExample:\n    >>> mx.random.split(mx.random.key(0)).shape\n    (2, 2)\n");
}

void bind_continuous(nb::module_& m) {
  m.def(
      "uniform",
      [](nb::handle low, nb::handle high, nb::handle shape, OptionalDtype dtype,
         const OptionalArray& key_, nb::handle stream) {
        const mx::array key = key_or_next(key_);
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        const mx::Dtype type = dtype.value_or(mx::float32);
        if (is_int(low, 0) && is_int(high, 1)) {
          return random::uniform(to_shape(shape), type, key, s);
        }
        return random::uniform(to_array(low), to_array(high), to_shape(shape), type, key, s);
      },
      "low"_a = 0, "high"_a = 1, "shape"_a = nb::list(), "dtype"_a.none() = mx::float32,
      "key"_a.none() = nb::none(), "stream"_a.none() = nb::none(),
      nb::sig("def uniform(low: " MLX_SCALAR_OR_ARRAY " = 0, high: " MLX_SCALAR_OR_ARRAY
              " = 1, " SHAPE " = [], " DTYPE " = float32, " KEY ") -> array"),
      "Uniformly distributed numbers in [low, high): 32 random bits divided by 2**32. `low` and "
      "`high` broadcast to the shape; float16, bfloat16 or float32. Raises ValueError for other "
      "dtypes and shapes, RuntimeError for float64.\n\nExample:\n    >>> "
      "mx.random.uniform(key=mx.random.key(0))\n    array(0.418457, dtype=float32)\n");
  m.def(
      "normal",
      [](nb::handle shape, OptionalDtype dtype, nb::handle loc, nb::handle scale,
         const OptionalArray& key_, nb::handle stream) {
        const mx::array key = key_or_next(key_);
        return random::normal(to_shape(shape), dtype.value_or(mx::float32), to_optional_array(loc),
                              to_optional_array(scale), key, to_stream_or_device(stream));
      },
      "shape"_a = nb::list(), "dtype"_a.none() = mx::float32, "loc"_a.none() = nb::none(),
      "scale"_a.none() = nb::none(), "key"_a.none() = nb::none(), "stream"_a.none() = nb::none(),
      nb::sig("def normal(" SHAPE " = [], " DTYPE " = float32, loc: " MLX_SCALAR_OR_ARRAY
              " | None = None, scale: " MLX_SCALAR_OR_ARRAY " | None = None, " KEY ") -> array"),
      "Normally distributed numbers, loc + scale * z with z = sqrt(2) * erfinv(u); floating "
      "dtypes, "
      "and complex64, whose parts have variance 1/2. `loc` and `scale` broadcast to the shape. "
      "Raises ValueError for other dtypes and shapes.\n\nExample:\n    >>> "
      "mx.random.normal((2, 3)).shape\n    (2, 3)\n");
  m.def(
      "multivariate_normal",
      [](const mx::array& mean, const mx::array& cov, nb::handle shape, OptionalDtype dtype,
         const OptionalArray& key_, nb::handle stream) {
        const mx::array key = key_or_next(key_);
        return random::multivariate_normal(mean, cov, to_shape(shape), dtype.value_or(mx::float32),
                                           key, to_stream_or_device(stream));
      },
      "mean"_a, "cov"_a, "shape"_a = nb::list(), "dtype"_a.none() = mx::float32,
      "key"_a.none() = nb::none(), "stream"_a.none() = nb::none(),
      nb::sig("def multivariate_normal(mean: array, cov: array, " SHAPE " = [], " DTYPE
              " = float32, " KEY ") -> array"),
      "Jointly normal vectors. Not available yet: raises RuntimeError, and ValueError for "
      "arguments that do not fit.");
  m.def(
      "truncated_normal",
      [](nb::handle lower, nb::handle upper, nb::handle shape, OptionalDtype dtype,
         const OptionalArray& key_, nb::handle stream) {
        const mx::array key = key_or_next(key_);
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        const mx::Dtype type = dtype.value_or(mx::float32);
        return shape.is_none()
                   ? random::truncated_normal(to_array(lower), to_array(upper), type, key, s)
                   : random::truncated_normal(to_array(lower), to_array(upper), to_shape(shape),
                                              type, key, s);
      },
      "lower"_a, "upper"_a, "shape"_a.none() = nb::none(), "dtype"_a.none() = mx::float32,
      "key"_a.none() = nb::none(), "stream"_a.none() = nb::none(),
      nb::sig("def truncated_normal(lower: " MLX_SCALAR_OR_ARRAY ", upper: " MLX_SCALAR_OR_ARRAY
              ", shape: collections.abc.Sequence[int] | None = None, " DTYPE " = float32, " KEY
              ") -> array"),
      "Standard normal numbers that lie in [lower, upper]; the shape defaults to that of the "
      "bounds. Raises ValueError for dtypes that are not floating and shapes that do not fit.\n\n"
      "Example:\n    >>> mx.random.truncated_normal(mx.zeros((2,)), 1.0).shape\n    (2,)\n");
  m.def(
      "gumbel",
      [](nb::handle shape, OptionalDtype dtype, const OptionalArray& key_, nb::handle stream) {
        const mx::array key = key_or_next(key_);
        return random::gumbel(to_shape(shape), dtype.value_or(mx::float32), key,
                              to_stream_or_device(stream));
      },
      "shape"_a = nb::list(), "dtype"_a.none() = mx::float32, "key"_a.none() = nb::none(),
      "stream"_a.none() = nb::none(),
      nb::sig("def gumbel(" SHAPE " = [], " DTYPE " = float32, " KEY ") -> array"),
      "Standard Gumbel numbers, -log(-log(u)) with u uniform. Raises as `uniform`.\n\nExample:\n"
      "    >>> mx.random.gumbel((2,)).shape\n    (2,)\n");
  m.def(
      "laplace",
      [](nb::handle shape, OptionalDtype dtype, float loc, float scale, const OptionalArray& key_,
         nb::handle stream) {
        const mx::array key = key_or_next(key_);
        return random::laplace(to_shape(shape), dtype.value_or(mx::float32), loc, scale, key,
                               to_stream_or_device(stream));
      },
      "shape"_a = nb::list(), "dtype"_a.none() = mx::float32, "loc"_a = 0.0f, "scale"_a = 1.0f,
      "key"_a.none() = nb::none(), "stream"_a.none() = nb::none(),
      nb::sig("def laplace(" SHAPE " = [], " DTYPE
              " = float32, loc: float = 0.0, scale: float = 1.0, " KEY ") -> array"),
      "Laplace numbers with density exp(-|x - loc| / scale) / (2 * scale). Raises ValueError for "
      "dtypes that are not floating.\n\nExample:\n    >>> mx.random.laplace((2,)).shape\n    "
      "(2,)\n");
}

void bind_discrete(nb::module_& m) {
  m.def(
      "randint",
      [](nb::handle low, nb::handle high, nb::handle shape, OptionalDtype dtype,
         const OptionalArray& key_, nb::handle stream) {
        const mx::array key = key_or_next(key_);
        return random::randint(to_array(low), to_array(high), to_shape(shape),
                               dtype.value_or(mx::int32), key, to_stream_or_device(stream));
      },
      "low"_a, "high"_a, "shape"_a = nb::list(), "dtype"_a.none() = mx::int32,
      "key"_a.none() = nb::none(), "stream"_a.none() = nb::none(),
      nb::sig("def randint(low: " MLX_SCALAR_OR_ARRAY ", high: " MLX_SCALAR_OR_ARRAY ", " SHAPE
              " = [], " DTYPE " = int32, " KEY ") -> array"),
      "Integers in [low, high), `low` where that is empty. They come from float32 numbers: of "
      "ranges beyond 2**24 not every integer occurs. Raises ValueError for dtypes other than "
      "integers and bool.\n\nExample:\n    >>> mx.random.randint(0, 10, (3,), "
      "key=mx.random.key(0)).shape\n    (3,)\n");
  m.def(
      "bernoulli",
      [](nb::handle p, nb::handle shape, const OptionalArray& key_, nb::handle stream) {
        const mx::array key = key_or_next(key_);
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        return shape.is_none() ? random::bernoulli(to_array(p), key, s)
                               : random::bernoulli(to_array(p), to_shape(shape), key, s);
      },
      "p"_a = 0.5, "shape"_a.none() = nb::none(), "key"_a.none() = nb::none(),
      "stream"_a.none() = nb::none(),
      nb::sig("def bernoulli(p: " MLX_SCALAR_OR_ARRAY
              " = 0.5, shape: collections.abc.Sequence[int] | None = None, " KEY ") -> array"),
      "True with probability `p`, a floating number or array; the shape defaults to that of `p`. "
      "Raises ValueError for an integer `p` and for shapes that do not fit.\n\nExample:\n    >>> "
      "mx.random.bernoulli(1.0)\n    array(True, dtype=bool)\n");
}

void bind_choice(nb::module_& m) {
  m.def(
      "categorical",
      [](const mx::array& logits, int axis, nb::handle shape, std::optional<int> num_samples,
         const OptionalArray& key_, nb::handle stream) {
        const mx::array key = key_or_next(key_);
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        if (!shape.is_none() && num_samples) {
          throw std::invalid_argument("[categorical] give the shape or num_samples, not both");
        }
        if (num_samples) {
          return random::categorical(logits, axis, *num_samples, key, s);
        }
        return shape.is_none() ? random::categorical(logits, axis, key, s)
                               : random::categorical(logits, axis, to_shape(shape), key, s);
      },
      "logits"_a, "axis"_a = -1, "shape"_a.none() = nb::none(), "num_samples"_a.none() = nb::none(),
      "key"_a.none() = nb::none(), "stream"_a.none() = nb::none(),
      nb::sig("def categorical(logits: array, axis: int = -1, shape: collections.abc.Sequence[int] "
              "| None = None, num_samples: int | None = None, " KEY ") -> array"),
      "Categories (uint32) with the probabilities softmax(logits) over `axis`. The shape is that "
      "of "
      "the logits without the axis, or `shape`, to which that broadcasts, or has `num_samples` "
      "draws of each distribution as a last axis. Raises ValueError for a bad axis or shape and "
      "when both are given.\n\nExample:\n    >>> mx.random.categorical(mx.zeros((2, 3))).shape\n   "
      " "
      "(2,)\n");
  m.def(
      "permutation",
      [](nb::handle x, int axis, const OptionalArray& key_, nb::handle stream) {
        const mx::array key = key_or_next(key_);
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        if (mx::array* array = as_array(x)) {
          return random::permutation(*array, axis, key, s);
        }
        return random::permutation(to_int(x), key, s);
      },
      "x"_a, "axis"_a = 0, "key"_a.none() = nb::none(), "stream"_a.none() = nb::none(),
      nb::sig("def permutation(x: int | array, axis: int = 0, " KEY ") -> array"),
      "0, ..., x - 1 in random order (uint32), or the sub-arrays of `x` along an axis. Raises "
      "ValueError for a negative number, IndexError for a bad axis.\n\nExample:\n    >>> "
      "mx.random.permutation(3).shape\n    (3,)\n");
}

}  // namespace

void bind_random(nb::module_& parent) {
  nb::module_ m = parent.def_submodule(
      "random",
      "Random numbers. Every draw is a function of a key; functions called without one take the "
      "next key of their thread.");
  bind_keys(m);
  bind_continuous(m);
  bind_discrete(m);
  bind_choice(m);
}

}  // namespace mlx::bindings
