// Shape functions: values, views (what is shared and how it is described),
// errors, derivatives, vmap.
#include <numeric>

#include "array_checks.h"
#include "mlx/ops/shape/copy.h"
#include "mlx/primitives.h"

using namespace mlx::core;
using namespace array_checks;

namespace {

array evaluated(array a) {
  a.eval();
  return a;
}

// A shape function of one array, applied to an array of a given shape.
struct ShapeCase {
  const char* name;
  Shape input;
  std::function<array(const array&)> function;
  Shape output;
  std::vector<double> want;  // of counting(input); empty: not written out
};

const std::vector<ShapeCase>& shape_cases() {
  static const std::vector<ShapeCase> cases = {
      {"reshape",
       {2, 3},
       [](const array& x) {
         return reshape(x, {3, -1});
       },
       {3, 2},
       {1, 2, 3, 4, 5, 6}},
      {"reshape of a transpose",
       {2, 3},
       [](const array& x) { return reshape(transpose(x), {6}); },
       {6},
       {1, 4, 2, 5, 3, 6}},
      {"flatten",
       {2, 1, 3},
       [](const array& x) { return flatten(x, 1); },
       {2, 3},
       {1, 2, 3, 4, 5, 6}},
      {"unflatten",
       {6},
       [](const array& x) {
         return unflatten(x, 0, {2, -1});
       },
       {2, 3},
       {1, 2, 3, 4, 5, 6}},
      {"squeeze", {1, 2, 1}, [](const array& x) { return squeeze(x); }, {2}, {1, 2}},
      {"expand_dims",
       {2},
       [](const array& x) {
         return expand_dims(x, {0, -1});
       },
       {1, 2, 1},
       {1, 2}},
      {"transpose",
       {2, 3},
       [](const array& x) { return transpose(x); },
       {3, 2},
       {1, 4, 2, 5, 3, 6}},
      {"transpose 3",
       {2, 1, 3},
       [](const array& x) {
         return transpose(x, {2, 0, 1});
       },
       {3, 2, 1},
       {1, 4, 2, 5, 3, 6}},
      {"swapaxes",
       {2, 3},
       [](const array& x) { return swapaxes(x, 0, -1); },
       {3, 2},
       {1, 4, 2, 5, 3, 6}},
      {"moveaxis",
       {1, 2, 3},
       [](const array& x) { return moveaxis(x, 0, 2); },
       {2, 3, 1},
       {1, 2, 3, 4, 5, 6}},
      {"broadcast_to",
       {2, 1},
       [](const array& x) {
         return broadcast_to(x, {2, 2, 3});
       },
       {2, 2, 3},
       {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2}},
      {"slice", {6}, [](const array& x) { return slice(x, {1}, {6}, {2}); }, {3}, {2, 4, 6}},
      {"slice backwards",
       {6},
       [](const array& x) { return slice(x, {-1}, {-7}, {-2}); },
       {3},
       {6, 4, 2}},
      {"slice from the end",
       {2, 3},
       [](const array& x) {
         return slice(x, {0, -2}, {2, 9});
       },
       {2, 2},
       {2, 3, 5, 6}},
      {"slice of nothing", {3}, [](const array& x) { return slice(x, {2}, {1}); }, {0}, {}},
      {"flip", {2, 2}, [](const array& x) { return flip(x); }, {2, 2}, {4, 3, 2, 1}},
      {"flip one axis", {2, 2}, [](const array& x) { return flip(x, 0); }, {2, 2}, {3, 4, 1, 2}},
      {"run-time slice",
       {3, 3},
       [](const array& x) {
         return slice(x, array({1, 0}), {0, 1}, {2, 2});
       },
       {2, 2},
       {4, 5, 7, 8}},
      {"concatenate",
       {2, 2},
       [](const array& x) {
         return concatenate({x, x}, 1);
       },
       {2, 4},
       {1, 2, 1, 2, 3, 4, 3, 4}},
      {"concatenate flat",
       {1, 2},
       [](const array& x) {
         return concatenate({x, x});
       },
       {4},
       {1, 2, 1, 2}},
      {"stack",
       {2},
       [](const array& x) {
         return stack({x, x}, 1);
       },
       {2, 2},
       {1, 1, 2, 2}},
      {"split", {4}, [](const array& x) { return split(x, 2)[1]; }, {2}, {3, 4}},
      {"split at",
       {5},
       [](const array& x) {
         return split(x, {1, 4})[1];
       },
       {3},
       {2, 3, 4}},
      {"split backwards",
       {5},
       [](const array& x) {
         return split(x, {4, 1})[2];
       },
       {4},
       {2, 3, 4, 5}},
      {"unstack", {2, 2}, [](const array& x) { return unstack(x, 1)[0]; }, {2}, {1, 3}},
      {"repeat",
       {2, 2},
       [](const array& x) { return repeat(x, 2, 1); },
       {2, 4},
       {1, 1, 2, 2, 3, 3, 4, 4}},
      {"repeat flat", {2}, [](const array& x) { return repeat(x, 3); }, {6}, {1, 1, 1, 2, 2, 2}},
      {"tile",
       {2},
       [](const array& x) {
         return tile(x, {2, 2});
       },
       {2, 4},
       {1, 2, 1, 2, 1, 2, 1, 2}},
      {"roll", {4}, [](const array& x) { return roll(x, 1); }, {4}, {4, 1, 2, 3}},
      {"roll back", {2, 2}, [](const array& x) { return roll(x, -1, 1); }, {2, 2}, {2, 1, 4, 3}},
      {"roll two axes",
       {2, 2},
       [](const array& x) {
         return roll(x, 1, {0, 1});
       },
       {2, 2},
       {4, 3, 2, 1}},
      {"pad",
       {2},
       [](const array& x) {
         return pad(x, {1, 2}, array(9));
       },
       {5},
       {9, 1, 2, 9, 9}},
      {"pad a matrix",
       {1, 2},
       [](const array& x) { return pad(x, 1, array(0)); },
       {3, 4},
       {0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0}},
      {"pad with edges",
       {2},
       [](const array& x) {
         return pad(x, {1, 2}, array(0), "edge");
       },
       {5},
       {1, 1, 2, 2, 2}},
      {"pad reflected",
       {3},
       [](const array& x) {
         return pad(x, {2, 1}, array(0), "reflect");
       },
       {6},
       {3, 2, 1, 2, 3, 2}},
      {"pad reflected far",
       {3},
       [](const array& x) {
         return pad(x, {5, 0}, array(0), "reflect");
       },
       {8},
       {2, 1, 2, 3, 2, 1, 2, 3}},
      {"pad reflected one",
       {1},
       [](const array& x) {
         return pad(x, {2, 1}, array(0), "reflect");
       },
       {4},
       {1, 1, 1, 1}},
      {"pad symmetric",
       {2},
       [](const array& x) {
         return pad(x, {3, 3}, array(0), "symmetric");
       },
       {8},
       {2, 2, 1, 1, 2, 2, 1, 1}},
      {"diagonal", {2, 3}, [](const array& x) { return diagonal(x, 1); }, {2}, {2, 6}},
      {"diagonal below", {3, 2}, [](const array& x) { return diagonal(x, -1); }, {2}, {3, 6}},
      {"diagonal of a batch",
       {2, 2, 2},
       [](const array& x) { return diagonal(x, 0, 0, 2); },
       {2, 2},
       {1, 6, 3, 8}},
      {"diagonal beyond", {2, 2}, [](const array& x) { return diagonal(x, 5); }, {0}, {}},
      {"trace", {2, 2}, [](const array& x) { return trace(x); }, {}, {5}},
      {"as_strided",
       {4},
       [](const array& x) {
         return as_strided(x, {3, 2}, {1, 1}, 0);
       },
       {3, 2},
       {1, 2, 2, 3, 3, 4}},
      {"as_strided back",
       {4},
       [](const array& x) { return as_strided(x, {2}, {-2}, 3); },
       {2},
       {4, 2}},
      {"contiguous",
       {2, 2},
       [](const array& x) { return contiguous(transpose(x)); },
       {2, 2},
       {1, 3, 2, 4}},
      {"copy", {2}, [](const array& x) { return copy(x); }, {2}, {1, 2}},
      {"slice_update",
       {4},
       [](const array& x) {
         return slice_update(x, array({9.0, 8.0}, float64), {0}, {4}, {2});
       },
       {4},
       {9, 2, 8, 4}},
      {"slice_update backwards",
       {3},
       [](const array& x) {
         return slice_update(x, array({7.0, 8.0}, float64), {2}, {0}, {-1});
       },
       {3},
       {1, 8, 7}},
      {"slice_update_add",
       {2, 2},
       [](const array& x) {
         return slice_update_add(x, array(5.0, float64), {0, 1}, {2, 2});
       },
       {2, 2},
       {1, 7, 3, 9}},
      {"slice_update_prod",
       {3},
       [](const array& x) { return slice_update_prod(x, array(5.0, float64), {1}, {3}); },
       {3},
       {1, 10, 15}},
      {"slice_update_max",
       {3},
       [](const array& x) { return slice_update_max(x, array(2.5, float64), {0}, {3}); },
       {3},
       {2.5, 2.5, 3}},
      {"slice_update_min",
       {3},
       [](const array& x) { return slice_update_min(x, array(2.5, float64), {0}, {3}); },
       {3},
       {1, 2, 2.5}},
      {"update of a slice",
       {2},
       [](const array& x) { return slice_update(zeros({4}, float64), x, {1}, {3}); },
       {4},
       {0, 1, 2, 0}},
      {"product with a slice",
       {2},
       [](const array& x) { return slice_update_prod(full({3}, 3.0, float64), x, {1}, {3}); },
       {3},
       {3, 3, 6}},
      {"run-time update",
       {3, 2},
       [](const array& x) {
         return slice_update(x, array({8.0, 9.0}, float64), array({1}), {0});
       },
       {3, 2},
       {1, 2, 8, 9, 5, 6}},
  };
  return cases;
}

}  // namespace

TEST_CASE("shape functions give the listed values") {
  for (const ShapeCase& c : shape_cases()) {
    for (Dtype dtype : {float64, complex64, float32, int16, uint8}) {
      CAPTURE(c.name);
      CAPTURE(dtype);
      const array out = c.function(counting(c.input, dtype));
      CHECK(out.shape() == c.output);
      if (dtype == float64 || std::string(c.name).find("update") == std::string::npos) {
        check_values(out, c.want);
      }
    }
  }
}

TEST_CASE("shape functions differentiate") {
  for (const ShapeCase& c : shape_cases()) {
    CAPTURE(c.name);
    check_derivatives([&](const auto& in) { return c.function(in[0]); }, {counting(c.input)});
  }
}

TEST_CASE("shape functions batch along any axis") {
  for (const ShapeCase& c : shape_cases()) {
    for (int axis = 0; axis <= static_cast<int>(c.input.size()); ++axis) {
      CAPTURE(c.name);
      CAPTURE(axis);
      Shape shape = c.input;
      shape.insert(shape.begin() + axis, 3);
      check_vmap([&](const auto& in) { return std::vector<array>{c.function(in[0])}; },
                 {counting(shape)}, {axis});
    }
  }
}

TEST_CASE("functions of several arrays differentiate and batch") {
  const array a = counting({2, 3});
  const array b = scattered({2, 1});
  const auto join = [](const auto& in) { return concatenate({in[0], in[1], in[0]}, 1); };
  check_derivatives(join, {a, b});
  const auto update = [](const auto& in) {
    return slice_update(in[0], in[1], {0, 0}, {2, 3}, {1, 2});
  };
  check_derivatives(update, {a, b});
  const auto largest = [](const auto& in) {
    return slice_update_max(in[0], multiply(in[1], array(5.0, float64)), {0, 0}, {2, 2});
  };
  check_derivatives(largest, {a, b});
  const auto padded = [](const auto& in) { return pad(in[0], 1, reshape(in[1], {})); };
  check_derivatives(padded, {a, scattered({1})});

  auto listed = [](auto fun) {
    return VectorFunction([fun](const auto& in) { return std::vector<array>{fun(in)}; });
  };
  check_vmap(listed(join), {counting({4, 2, 3}), b}, {0, -1});
  check_vmap(listed(join), {a, scattered({2, 1, 4})}, {-1, 2});
  check_vmap(listed(update), {counting({2, 4, 3}), scattered({4, 2, 1})}, {1, 0});
  check_vmap(listed(padded), {a, scattered({4, 1})}, {-1, 0});
  check_vmap(listed(padded), {counting({2, 4, 3}), scattered({4, 1})}, {1, 0});
  check_vmap([](const auto& in) { return split(in[0], {1, 2}, 1); }, {counting({4, 2, 3})}, {0});
}

TEST_CASE("run-time slices batch over arrays, starts or both") {
  const VectorFunction take = [](const auto& in) {
    return std::vector<array>{slice(in[0], in[1], {1}, {2, 2})};
  };
  const array starts = array({0, 2, 1}, Shape{3, 1});
  check_vmap(take, {counting({3, 2, 4}), starts}, {0, 0});
  check_vmap(take, {counting({2, 4}), starts}, {-1, 0});
  check_vmap(take, {counting({2, 4, 3}), array({1}, Shape{1})}, {2, -1});
  const VectorFunction put = [](const auto& in) {
    return std::vector<array>{slice_update(in[0], in[1], in[2], {1})};
  };
  check_vmap(put, {counting({3, 2, 4}), scattered({3, 2, 2}), starts}, {0, 0, 0});
  check_vmap(put, {counting({2, 4}), scattered({2, 2}), starts}, {-1, -1, 0});
  check_vmap(put, {counting({2, 4}), scattered({3, 2, 2}), array({1}, Shape{1})}, {-1, 0, -1});

  const array x = counting({4});
  CHECK_THROWS_AS(evaluated(slice(x, array({3}), {0}, {2})), std::out_of_range);
  CHECK_THROWS_AS(evaluated(slice(x, array({-1}), {0}, {2})), std::out_of_range);
  CHECK_THROWS_AS(evaluated(slice_update(x, array({1.0, 1.0}, float64), array({3}), {0})),
                  std::out_of_range);
}

TEST_CASE("views share the buffer and describe it") {
  const array x = evaluated(counting({2, 3, 4}, float32));
  auto shares = [&](const array& view, int64_t offset = 0) {
    return view.data<float>() == x.data<float>() + offset;
  };

  array y = evaluated(transpose(x, {0, 2, 1}));
  CHECK(shares(y));
  CHECK(y.strides() == Strides{12, 1, 4});
  CHECK(y.flags().contiguous);
  CHECK_FALSE(y.flags().row_contiguous);
  CHECK(y.data_size() == 24);

  y = evaluated(transpose(x));
  CHECK(y.flags().col_contiguous);

  y = evaluated(broadcast_to(x, {5, 2, 3, 4}));
  CHECK(shares(y));
  CHECK(y.strides() == Strides{0, 12, 4, 1});
  CHECK(y.data_size() == 24);
  CHECK(y.flags().contiguous);
  CHECK_FALSE(y.flags().row_contiguous);

  y = evaluated(broadcast_to(counting({1}, float32), {0, 3}));
  CHECK(y.size() == 0);
  CHECK(y.flags().row_contiguous);

  y = evaluated(slice(x, {0, 1, 0}, {2, 2, 4}));
  CHECK(shares(y, 4));
  CHECK(y.data_size() == 16);
  CHECK_FALSE(y.flags().contiguous);

  y = evaluated(slice(x, {1, 0, 0}, {2, 3, 4}));
  CHECK(shares(y, 12));
  CHECK(y.data_size() == 12);
  CHECK(y.flags().row_contiguous);

  y = evaluated(slice(counting({8}, float32), {7}, {-9}, {-1}));
  CHECK(y.strides() == Strides{-1});
  CHECK(y.data_size() == 8);
  CHECK_FALSE(y.flags().contiguous);
  check_values(y, {8, 7, 6, 5, 4, 3, 2, 1});

  y = evaluated(slice(x, {0, 0, 0}, {2, 0, 4}));
  CHECK(y.data_size() == 0);
  CHECK(y.flags().row_contiguous);

  for (const array& view : {squeeze(expand_dims(x, 1), 1), copy(x), stop_gradient(x), contiguous(x),
                            flatten(x), reshape(x, {6, 4})}) {
    const array shared = evaluated(view);
    CHECK(shares(shared));
    CHECK(shared.flags().row_contiguous);
    CHECK(shared.data_size() == 24);
  }

  auto parts = split(x, 2, 0);
  CHECK(shares(evaluated(parts[1]), 12));
  parts = split(x, 2, 2);
  const array right = evaluated(parts[1]);
  CHECK(shares(right, 2));
  CHECK_FALSE(right.flags().contiguous);
  check_values(right, {3, 4, 7, 8, 11, 12, 15, 16, 19, 20, 23, 24});
}

TEST_CASE("reshape views what strides allow and copies the rest") {
  // (2, 8, 4) with the last axes swapped still splits into (2, 4, 2, 4).
  const array x = evaluated(transpose(evaluated(counting({2, 8, 4}, float32)), {0, 2, 1}));
  array y = evaluated(reshape(x, {2, 4, 2, 4}));
  CHECK(y.data<float>() == x.data<float>());
  CHECK(y.strides() == Strides{32, 1, 16, 4});
  check_values(y, values(x));
  y = evaluated(reshape(x, {8, 8}));
  CHECK(y.data<float>() != x.data<float>());
  CHECK(y.flags().row_contiguous);
  check_values(y, values(x));
  // Repeated elements stay views too.
  y = evaluated(reshape(broadcast_to(array(3.0f), {4, 6}), {2, 12}));
  CHECK(y.data_size() == 1);
  const array z = counting({2, 3});
  CHECK(reshape(z, {2, 3}).id() == z.id());
  CHECK(squeeze(z, std::vector<int>{}).id() == z.id());
  CHECK(expand_dims(z, std::vector<int>{}).id() == z.id());
  CHECK(moveaxis(z, 1, 1).id() == z.id());
  CHECK(atleast_2d(z).id() == z.id());
  CHECK(concatenate({z}, 0).id() == z.id());
}

TEST_CASE("view reinterprets bits") {
  check_array(view(array({1.0f}), uint32), {1}, uint32, {1065353216});
  check_array(view(array({1, 2}, int32), int64), {1}, int64, {8589934593.0});
  check_array(view(array({1, 2}, int32), int8), {8}, int8, {1, 0, 0, 0, 2, 0, 0, 0});
  const array x = transpose(reshape(arange(6), {2, 3}));
  check_array(view(x, int64), {3, 1}, int64,
              {3 * 4294967296.0, 1 + 4 * 4294967296.0, 2 + 5 * 4294967296.0});
  check_array(view(slice(arange(5.0, uint8), {1}, {5}), uint32), {1}, uint32,
              {1 + 256 * (2 + 256 * (3 + 256.0 * 4))});
  CHECK(std::string(view(array({1.0f}), uint32).primitive().name()) == "View uint32");
  CHECK_THROWS_AS(view(array(1.0f), int8), std::invalid_argument);
  CHECK_THROWS_AS(view(array({1, 2, 3}), int64), std::invalid_argument);
}

TEST_CASE("updates leave the array they start from alone") {
  const array x = evaluated(counting({4}));
  check_values(slice_update(x, array(0.0, float64), {0}, {2}), {0, 0, 3, 4});
  check_values(x, {1, 2, 3, 4});
  check_values(slice_update_add(transpose(counting({2, 2})), array(10.0, float64), {0, 0}, {1, 2}),
               {11, 13, 2, 4});
  check_array(slice_update(array({1, 2}), array({1.9f}), {0}, {1}), {2}, int32, {1, 2});
}

TEST_CASE("small things") {
  check_array(atleast_3d(array({1, 2})), {1, 2, 1}, int32, {1, 2});
  check_array(atleast_2d(array(1)), {1, 1}, int32, {1});
  CHECK(atleast_1d(std::vector<array>{array(1), array({1, 2})})[0].shape() == Shape{1});
  check_array(number_of_elements(ones({2, 3, 4}), {0, -1}, false), {}, int32, {8});
  check_array(number_of_elements(ones({2, 4}), {0, 1}, true, float32), {}, float32, {0.125});
  CHECK(broadcast_arrays({ones({2, 1}), ones({3})})[0].shape() == Shape{2, 3});
  CHECK(concatenate({array({1}, int8), array({2.5f})}, 0).dtype() == float32);
  CHECK(trace(ones({2, 2}, int8)).dtype() == int32);
  const auto kept = depends({array({1, 2})}, {array({3})});
  REQUIRE(kept.size() == 1);
  check_values(kept[0], {1, 2});
  CHECK(depends({}, {array(1)}).empty());
  check_values(pad(zeros({0}), {1, 1}, array(2.0f)), {2, 2});
  CHECK(roll(zeros({0, 2}), 1, 0).shape() == Shape{0, 2});
  CHECK(tile(array({1, 2}), {0}).size() == 0);
  // A stopped gradient.
  check_values(
      grad([](const array& x) { return sum(multiply(x, stop_gradient(x))); })(counting({2})),
      {1, 2});
}

TEST_CASE("errors of shape functions") {
  const array x = ones({2, 3});
  struct ErrorCase {
    const char* name;
    std::function<void()> call;
  };
  const std::vector<ErrorCase> invalid = {
      {"reshape", [&] { reshape(x, {4}); }},
      {"reshape twice inferred",
       [&] {
         reshape(x, {-1, -1});
       }},
      {"reshape of nothing",
       [&] {
         reshape(zeros({0}), {0, -1});
       }},
      {"flatten", [&] { flatten(x, 1, 0); }},
      {"unflatten", [&] { unflatten(x, 0, {}); }},
      {"unflatten size", [&] { unflatten(x, 0, {3}); }},
      {"squeeze", [&] { squeeze(x, 0); }},
      {"squeeze twice",
       [&] {
         squeeze(ones({1}), {0, -1});
       }},
      {"expand_dims", [&] { expand_dims(x, 4); }},
      {"expand_dims twice",
       [&] {
         expand_dims(x, {0, 0});
       }},
      {"transpose count", [&] { transpose(x, {0}); }},
      {"transpose none", [&] { transpose(x, {}); }},
      {"transpose twice",
       [&] {
         transpose(x, {0, 0});
       }},
      {"transpose range",
       [&] {
         transpose(x, {0, 2});
       }},
      {"flip", [&] { flip(x, 2); }},
      {"broadcast_to",
       [&] {
         broadcast_to(x, {2, 4});
       }},
      {"broadcast_to negative", [&] { broadcast_to(ones({1}), {-1}); }},
      {"slice rank", [&] { slice(x, {0}, {1}); }},
      {"slice stride",
       [&] {
         slice(x, {0, 0}, {1, 1}, {1, 0});
       }},
      {"slice size",
       [&] {
         slice(x, array({0}), {0}, {3, 3});
       }},
      {"slice negative size",
       [&] {
         slice(x, array({0}), {0}, {-1, 3});
       }},
      {"slice start dtype",
       [&] {
         slice(x, array({0.0f}), {0}, {1, 3});
       }},
      {"slice start count",
       [&] {
         slice(x, array({0, 0}), {0}, {1, 3});
       }},
      {"slice_update",
       [&] {
         slice_update(x, ones({3}), {0, 0}, {2, 2});
       }},
      {"slice_update rank",
       [&] {
         slice_update(x, ones({1, 2, 3}), {0, 0}, {2, 3});
       }},
      {"split zero", [&] { split(x, 0); }},
      {"split unequal", [&] { split(x, 2, 1); }},
      {"split axis", [&] { split(x, 2, 2); }},
      {"concatenate",
       [&] {
         concatenate({x, ones({3, 2})}, 0);
       }},
      {"concatenate nothing", [&] { concatenate({}, 0); }},
      {"stack",
       [&] {
         stack({x, ones({3})});
       }},
      {"repeat", [&] { repeat(x, -1, 0); }},
      {"tile", [&] { tile(x, {-1}); }},
      {"roll",
       [&] {
         roll(x, Shape{1}, std::vector<int>{0, 1});
       }},
      {"pad negative", [&] { pad(x, -1); }},
      {"pad mode", [&] { pad(x, 1, array(0), "wrap"); }},
      {"pad count",
       [&] {
         pad(x, {{1, 1}});
       }},
      {"pad empty", [&] { pad(zeros({0}), 1, array(0), "reflect"); }},
      {"as_strided strides",
       [&] {
         as_strided(x, {2}, {1, 1}, 0);
       }},
      {"as_strided bounds", [&] { as_strided(x, {7}, {1}, 0); }},
      {"as_strided below", [&] { as_strided(x, {2}, {-1}, 0); }},
      {"diagonal rank", [&] { diagonal(ones({2})); }},
      {"diagonal axes", [&] { diagonal(x, 0, 1, -1); }},
  };
  for (const ErrorCase& c : invalid) {
    CAPTURE(c.name);
    CHECK_THROWS_AS(c.call(), std::invalid_argument);
  }
  CHECK_THROWS_AS(moveaxis(x, 0, 2), std::out_of_range);
  CHECK_THROWS_AS(swapaxes(x, -3, 0), std::out_of_range);
  CHECK_THROWS_AS(diagonal(x, 0, 0, 5), std::out_of_range);
  CHECK_THROWS_AS(repeat(broadcast_to(array(1), {int64_t{1} << 40}), int64_t{1} << 40, 0),
                  std::overflow_error);
  CHECK_THROWS_WITH(transpose(x, {0}),
                    "[transpose] one entry per axis is needed: got axes (0) for an array with 2 "
                    "dimensions");
}

TEST_CASE("strided copies of every element size, order and ragged edge") {
  std::vector<int> order = {0, 1, 2};
  do {
    for (const Shape& shape : {Shape{3, 70, 41}, Shape{67, 2, 33}, Shape{130, 129, 1}}) {
      for (Dtype dtype : {uint8, uint16, float32, float64}) {
        CAPTURE(order);
        CAPTURE(shape);
        CAPTURE(dtype);
        const array x = evaluated(remainder(counting(shape, dtype), array(251, dtype)));
        const array y = evaluated(contiguous(transpose(x, order)));
        const std::vector<double> from = values(x);
        const std::vector<double> to = values(y);
        bool equal = true;
        size_t position = 0;
        const int64_t step[3] = {shape[1] * shape[2], shape[2], 1};
        for (int64_t i = 0; i < shape[order[0]]; ++i) {
          for (int64_t j = 0; j < shape[order[1]]; ++j) {
            for (int64_t k = 0; k < shape[order[2]]; ++k) {
              equal &= to[position++] ==
                       from[i * step[order[0]] + j * step[order[1]] + k * step[order[2]]];
            }
          }
        }
        CHECK(equal);
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  // Long enough for streaming stores.
  const array x = evaluated(reshape(arange(2100.0 * 2100.0, float32), {2100, 2100}));
  const array y = evaluated(contiguous(transpose(x)));
  bool equal = true;
  for (int64_t i = 0; i < 2100; ++i) {
    for (int64_t j = 0; j < 2100; ++j) {
      equal &= y.data<float>()[i * 2100 + j] == x.data<float>()[j * 2100 + i];
    }
  }
  CHECK(equal);
}
