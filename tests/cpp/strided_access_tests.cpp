// Helpers for authors of primitives: collapsing, iteration, layouts, buffers.
#include <doctest/doctest.h>

#include <filesystem>
#include <numeric>
#include <vector>

#include "mlx/backend/common/copy.h"
#include "mlx/backend/common/ternary.h"
#include "mlx/backend/common/unary.h"
#include "mlx/utils.h"

using namespace mlx::core;

namespace {

array dense(Shape shape) {
  std::vector<float> values(checked_size(shape, "test"));
  std::iota(values.begin(), values.end(), 0.0f);
  return array(values.begin(), shape);
}

// A view of a dense array with the given strides.
array view(const array& base, Shape shape, Strides strides) {
  auto [data_size, row, col] = check_contiguity(shape, strides);
  array out(shape, base.dtype(), nullptr, {});
  const bool contiguous = data_size == base.data_size();
  out.copy_shared_buffer(base, strides, {contiguous, row && contiguous, col && contiguous},
                         base.data_size());
  out.set_status(array::Status::available);
  return out;
}

array output(Shape shape, Dtype dtype = float32) {
  return array(shape, dtype, nullptr, {});
}

}  // namespace

TEST_CASE("collapse_contiguous_dims") {
  auto [shape, strides] = collapse_contiguous_dims({2, 3, 4}, Strides{12, 4, 1});
  CHECK((shape == Shape{24}));
  CHECK((strides == Strides{1}));

  std::tie(shape, strides) = collapse_contiguous_dims({2, 1, 3, 4}, Strides{24, 7, 4, 1});
  CHECK((shape == Shape{2, 12}));
  CHECK((strides == Strides{24, 1}));

  auto [joint, sets] =
      collapse_contiguous_dims({2, 3, 4}, std::vector<Strides>{{12, 4, 1}, {1, 2, 6}});
  CHECK((joint == Shape{2, 3, 4}));
  auto [ones, one_strides] = collapse_contiguous_dims({1, 1}, std::vector<Strides>{{1, 1}, {0, 0}});
  CHECK((ones == Shape{1}));
  CHECK((one_strides[0] == Strides{0}));

  std::tie(shape, strides) = collapse_contiguous_dims({2, 3, 4}, Strides{12, 4, 1}, 12);
  CHECK((shape == Shape{6, 4}));
  CHECK((strides == Strides{4, 1}));

  std::tie(shape, strides) = collapse_contiguous_dims({5, 6}, Strides{0, 0});
  CHECK((shape == Shape{30}));
  CHECK((strides == Strides{0}));
}

TEST_CASE("element offsets and iteration agree") {
  struct Case {
    Shape shape;
    Strides strides;
  };
  for (const Case& c : {Case{{2, 3, 4}, {12, 4, 1}}, Case{{4, 3, 2}, {1, 4, 12}},
                        Case{{3, 1, 5}, {0, 9, 2}}, Case{{4, 4}, {-4, 1}}, Case{{1}, {1}}}) {
    ContiguousIterator it(c.shape, c.strides, static_cast<int>(c.shape.size()));
    ContiguousIterator seeker(c.shape, c.strides, static_cast<int>(c.shape.size()));
    ContiguousIterator jumper(c.shape, c.strides, static_cast<int>(c.shape.size()));
    const int64_t size = checked_size(c.shape, "test");
    for (int64_t i = 0; i < size; ++i) {
      const int64_t expected = elem_to_loc(i, c.shape, c.strides);
      CHECK(it.loc == expected);
      seeker.seek(i);
      CHECK(seeker.loc == expected);
      if (i % 3 == 0) {
        CHECK(jumper.loc == expected);
        jumper.step(3);
      }
      it.step();
    }
    CHECK(it.loc == 0);
    seeker.reset();
    CHECK(seeker.loc == 0);
  }
  CHECK(ContiguousIterator(Shape{2, 5}, Strides{9, 1}, 2).contiguous_suffix() == 5);
  CHECK(ContiguousIterator(Shape{2, 5}, Strides{1, 2}, 2).contiguous_suffix() == 0);
}

TEST_CASE("check_contiguity") {
  CHECK(check_contiguity({2, 3}, {3, 1}) == std::make_tuple(size_t{6}, true, false));
  CHECK(check_contiguity({2, 3}, {1, 2}) == std::make_tuple(size_t{6}, false, true));
  CHECK(check_contiguity({2, 1, 3}, {3, 77, 1}) == std::make_tuple(size_t{6}, true, false));
  CHECK(check_contiguity({4, 3}, {0, 1}) == std::make_tuple(size_t{3}, false, false));
  CHECK(check_contiguity({}, {}) == std::make_tuple(size_t{1}, true, true));
}

TEST_CASE("reshape without a copy") {
  array base = dense({2, 3, 4});
  auto [copy, strides] = prepare_reshape(base, output({6, 4}));
  CHECK(!copy);
  CHECK((strides == Strides{4, 1}));

  array transposed = view(base, {4, 2, 3}, {1, 12, 4});
  std::tie(copy, strides) = prepare_reshape(transposed, output({2, 2, 1, 6}));
  CHECK(!copy);
  CHECK((strides[0] == 2));
  CHECK((strides[1] == 1));
  CHECK((strides[3] == 4));
  std::tie(copy, strides) = prepare_reshape(transposed, output({8, 3}));
  CHECK(copy);
  std::tie(copy, strides) = prepare_reshape(transposed, output({24}));
  CHECK(copy);

  array out = output({4, 6});
  std::tie(copy, strides) = prepare_reshape(transposed, out);
  REQUIRE(!copy);
  shared_buffer_reshape(transposed, strides, out);
  CHECK(out.data<float>() == base.data<float>());
  CHECK(!out.flags().row_contiguous);
}

TEST_CASE("outputs take layout and buffer of an operand that nothing else uses") {
  {
    array in = dense({2, 3});
    const float* memory = in.data<float>();
    array out = output({2, 3});
    CHECK(set_copy_output_data(in, out, CopyType::Vector));
    CHECK(out.data<float>() == memory);
  }
  {
    array in = dense({2, 3});
    array keep = in;
    array out = output({2, 3});
    set_unary_output_data(in, out);
    CHECK(out.data<float>() != in.data<float>());
    CHECK(out.flags().row_contiguous);
  }
  {
    array base = dense({3, 2});
    array in = view(base, {2, 3}, {1, 2});
    array out = output({2, 3});
    set_unary_output_data(in, out);
    CHECK(out.flags().col_contiguous);
    CHECK(out.data<float>() != in.data<float>());
  }
  {
    array a = dense({8});
    array b = dense({1});
    CHECK(get_binary_op_type(a, b) == BinaryOpType::VectorScalar);
    CHECK(get_binary_op_type(b, a) == BinaryOpType::ScalarVector);
    CHECK(get_binary_op_type(b, b) == BinaryOpType::ScalarScalar);
    CHECK(get_binary_op_type(a, a) == BinaryOpType::VectorVector);
    array square = dense({2, 2});
    array transposed = view(square, {2, 2}, {1, 2});
    CHECK(get_binary_op_type(square, transposed) == BinaryOpType::General);
    array other = dense({2, 2});
    const float* memory = other.data<float>();
    array out = output({2, 2});
    set_binary_op_output_data(transposed, other, out, BinaryOpType::General);
    CHECK(out.data<float>() == memory);
  }
  {
    array a = dense({4});
    array b = view(dense({1}), {4}, {0});
    CHECK(get_ternary_op_type(a, a, a) == TernaryOpType::VectorVectorVector);
    CHECK(get_ternary_op_type(a, a, b) == TernaryOpType::VectorVectorScalar);
    CHECK(get_ternary_op_type(a, b, a) == TernaryOpType::VectorScalarVector);
    CHECK(get_ternary_op_type(b, b, b) == TernaryOpType::ScalarScalarScalar);
    CHECK(get_ternary_op_type(b, a, a) == TernaryOpType::General);
    array out = output({4});
    set_ternary_op_output_data(a, a, b, out, TernaryOpType::VectorVectorScalar);
    CHECK(out.size() == 4);
  }
}

TEST_CASE("the library knows where it is") {
  CHECK(std::filesystem::is_directory(current_binary_dir()));
}
