// The elementwise engine as a whole: fused programs against instructions run one
// by one; strides, broadcasting, row ends, donation, threads; errors.
#include <stdexcept>

#include "doctest/doctest.h"
#include "fuse_testing.h"
#include "mlx/core/parallel.h"

using namespace fuse_testing;

TEST_CASE("fused programs equal instructions run one by one, bit for bit") {
  struct Family {
    Val dtype;
    std::vector<Op> unary, binary;
  };
  const std::vector<Op> float_unary{Op::Abs,   Op::Negative, Op::Square, Op::Exp, Op::Sin,
                                    Op::Tanh,  Op::Sigmoid,  Op::Floor,  Op::Erf, Op::Sign,
                                    Op::Log1p, Op::Rsqrt,    Op::Cos};
  const std::vector<Op> float_binary{Op::Add,       Op::Subtract, Op::Multiply, Op::Divide,
                                     Op::Maximum,   Op::Minimum,  Op::Power,    Op::ArcTan2,
                                     Op::Remainder, Op::LogAddExp};
  const std::vector<Op> int_unary{Op::Abs, Op::Negative, Op::Square, Op::BitwiseInvert};
  const std::vector<Op> int_binary{Op::Add,         Op::Subtract,   Op::Multiply,  Op::Maximum,
                                   Op::FloorDivide, Op::BitwiseXor, Op::LeftShift, Op::Remainder};
  const std::vector<Family> families{{Val::float32, float_unary, float_binary},
                                     {Val::float16, float_unary, float_binary},
                                     {Val::bfloat16, float_unary, float_binary},
                                     {Val::float64, float_unary, float_binary},
                                     {Val::int32, int_unary, int_binary},
                                     {Val::uint8, int_unary, int_binary},
                                     {Val::int16, int_unary, int_binary},
                                     {Val::int64, int_unary, int_binary},
                                     {Val::complex64,
                                      {Op::Exp, Op::Negative, Op::Conjugate, Op::Sin},
                                      {Op::Add, Op::Multiply, Op::Subtract, Op::Divide}}};
  const Op compares[] = {Op::Less, Op::GreaterEqual, Op::Equal, Op::NotEqual};
  for (int tier : tiers()) {
    TierScope scope(tier);
    for (const Family& family : families) {
      for (int trial = 0; trial < 12; ++trial) {
        const Val v = family.dtype;
        const int64_t n = 1 + static_cast<int64_t>(bits() % 700);
        const int inputs = 1 + static_cast<int>(bits() % 4);
        const int length = 1 + static_cast<int>(bits() % (trial < 2 ? 64 : 12));
        std::vector<Buffer> values;
        values.reserve(inputs + length);
        for (int i = 0; i < inputs; ++i) {
          values.emplace_back(i == 0 || bits() % 4 ? v : Val::bool_, n);
          fill(values.back(), n);
        }
        std::vector<Instruction> code;
        const auto pick = [&](Val want) {
          for (;;) {
            const size_t k = bits() % values.size();
            if (values[k].dtype == want) return static_cast<uint16_t>(k);
          }
        };
        bool have_bool = false;
        for (const Buffer& b : values) have_bool |= b.dtype == Val::bool_;
        for (int k = 0; k < length; ++k) {
          Instruction i{Op::Copy, v, v, {pick(v), 0, 0}};
          const uint64_t kind = bits() % 8;
          if (kind == 0) {
            i.op = compares[bits() % (v == Val::complex64 ? 4 : 4)];
            i.args[1] = pick(v);
            i.out = Val::bool_;
            have_bool = true;
          } else if (kind == 1 && have_bool) {
            i.op = Op::Select;
            i.args[0] = pick(Val::bool_);
            i.args[1] = pick(v);
            i.args[2] = pick(v);
          } else if (kind == 2 && have_bool) {
            i.op = bits() & 1 ? Op::LogicalAnd : Op::BitwiseXor;
            i.in = i.out = Val::bool_;
            i.args[0] = pick(Val::bool_);
            i.args[1] = pick(Val::bool_);
          } else if (kind == 3 && have_bool) {
            i.op = Op::Cast;
            i.in = Val::bool_;
            i.args[0] = pick(Val::bool_);
          } else if (kind < 6) {
            i.op = family.binary[bits() % family.binary.size()];
            i.args[1] = pick(v);
          } else {
            i.op = family.unary[bits() % family.unary.size()];
          }
          REQUIRE(supported(i.op, i.in, i.out));
          std::vector<const Buffer*> operands;
          for (int j = 0; j < arity(i.op); ++j) operands.push_back(&values[i.args[j]]);
          Buffer result(i.out, n);
          run_one(i.op, i.in, i.out, operands, result, n);
          code.push_back(i);
          values.push_back(std::move(result));
        }
        // Outputs: the last value and some others.
        std::vector<Input> in;
        for (int i = 0; i < inputs; ++i) {
          in.push_back({values[i].data.data(), values[i].dtype, dense_stride});
        }
        std::vector<Buffer> results;
        std::vector<uint16_t> ids;
        for (int k = inputs + length - 1; k >= inputs && ids.size() < 5; --k) {
          if (k == inputs + length - 1 || bits() % 3 == 0) {
            ids.push_back(static_cast<uint16_t>(k));
            results.emplace_back(values[k].dtype, n);
          }
        }
        std::vector<Output> out;
        for (size_t o = 0; o < ids.size(); ++o) {
          out.push_back({ids[o], results[o].data.data(), dense_stride});
        }
        run({1, &n, inputs, in.data(), length, code.data(), static_cast<int>(out.size()),
             out.data()});
        for (size_t o = 0; o < ids.size(); ++o) {
          for (int64_t k = 0; k < n; ++k) {
            const Scalar a = results[o].get(k), b = values[ids[o]].get(k);
            if (std::isnan(a.re) && std::isnan(b.re)) continue;
            if (std::isnan(a.im) && std::isnan(b.im)) continue;
            REQUIRE_MESSAGE(std::memcmp(results[o].at(k), values[ids[o]].at(k),
                                        bytes_of(results[o].dtype)) == 0,
                            label(v), " value ", ids[o], " of ", inputs, "+", length);
          }
        }
      }
    }
  }
}

namespace {

struct Strided {
  std::vector<int64_t> strides;
  int64_t offset;  // of the first element in the buffer
};

/// A random view of `shape`: dense, permuted, broadcast, reversed or spread.
Strided random_view(const std::vector<int64_t>& shape, int64_t& size, bool output) {
  const int n = static_cast<int>(shape.size());
  std::vector<int> order(n);
  for (int k = 0; k < n; ++k) order[k] = k;
  if (bits() % 2) std::shuffle(order.begin(), order.end(), generator());
  Strided view{std::vector<int64_t>(n), 0};
  int64_t stride = bits() % 4 == 0 ? 2 : 1;
  for (int k = n - 1; k >= 0; --k) {
    const int d = order[k];
    if (!output && bits() % 4 == 0) {
      view.strides[d] = 0;
      continue;
    }
    view.strides[d] = stride;
    stride *= shape[d];
    if (bits() % 8 == 0) {
      view.offset += view.strides[d] * (shape[d] - 1);
      view.strides[d] = -view.strides[d];
    }
  }
  size = stride + 1;
  return view;
}

}  // namespace

TEST_CASE("strides, broadcasting, reversed and permuted views, row ends") {
  for (int tier : tiers()) {
    TierScope scope(tier);
    for (int trial = 0; trial < 300; ++trial) {
      const Val types[] = {Val::float32, Val::float16, Val::int8, Val::float64, Val::complex64};
      const Val v = types[trial % 5];
      std::vector<int64_t> shape(1 + bits() % 4);
      for (int64_t& s : shape) s = bits() % 3 == 0 ? 1 + bits() % 150 : 1 + bits() % 7;
      int64_t total = 1;
      for (int64_t s : shape) total *= s;
      int64_t size[4];
      Strided view[4];
      for (int k = 0; k < 4; ++k) view[k] = random_view(shape, size[k], k == 3);
      Buffer c(Val::bool_, size[0]), x(v, size[1]), y(v, size[2]), got(v, size[3]);
      fill(c, size[0]);
      fill(x, size[1]);
      fill(y, size[2]);
      const Input in[] = {{c.at(view[0].offset), Val::bool_, view[0].strides.data()},
                          {x.at(view[1].offset), v, view[1].strides.data()},
                          {y.at(view[2].offset), v, view[2].strides.data()}};
      // where(c, x - y, -y)
      const Instruction code[] = {{Op::Subtract, v, v, {1, 2, 0}},
                                  {Op::Negative, v, v, {2, 0, 0}},
                                  {Op::Select, v, v, {0, 3, 4}}};
      const Output out[] = {{5, got.at(view[3].offset), view[3].strides.data()}};
      run({static_cast<int>(shape.size()), shape.data(), 3, in, 3, code, 1, out});

      // The same elements, gathered one by one.
      Buffer fc(Val::bool_, total), fx(v, total), fy(v, total), want(v, total);
      std::vector<int64_t> index(shape.size(), 0);
      std::vector<int64_t> where(total);
      for (int64_t k = 0; k < total; ++k) {
        int64_t at[4];
        for (int j = 0; j < 4; ++j) {
          at[j] = view[j].offset;
          for (size_t d = 0; d < shape.size(); ++d) at[j] += index[d] * view[j].strides[d];
        }
        std::memcpy(fc.at(k), c.at(at[0]), 1);
        std::memcpy(fx.at(k), x.at(at[1]), bytes_of(v));
        std::memcpy(fy.at(k), y.at(at[2]), bytes_of(v));
        where[k] = at[3];
        for (int d = static_cast<int>(shape.size()) - 1; d >= 0; --d) {
          if (++index[d] < shape[d]) break;
          index[d] = 0;
        }
      }
      const Input flat[] = {{fc.at(0), Val::bool_, dense_stride},
                            {fx.at(0), v, dense_stride},
                            {fy.at(0), v, dense_stride}};
      const Output flat_out[] = {{5, want.at(0), dense_stride}};
      run({1, &total, 3, flat, 3, code, 1, flat_out});
      for (int64_t k = 0; k < total; ++k) {
        const Scalar a = got.get(where[k]), b = want.get(k);
        if (std::isnan(a.re) || std::isnan(a.im)) {
          REQUIRE((std::isnan(b.re) || std::isnan(b.im)));
          continue;
        }
        REQUIRE_MESSAGE(std::memcmp(got.at(where[k]), want.at(k), bytes_of(v)) == 0, label(v), " ", [&] {
          std::string text = "element " + std::to_string(k) + " of shape";
          for (int64_t d : shape) text += " " + std::to_string(d);
          for (const Strided& w : view) {
            text += ", strides";
            for (int64_t d : w.strides) text += " " + std::to_string(d);
          }
          return text;
        }());
      }
    }
  }
}

TEST_CASE("an output may take the memory of an input") {
  const int64_t n = 5000;
  Buffer x(Val::float32, n), y(Val::float32, n), sum(Val::float32, n), difference(Val::float32, n);
  for (int64_t k = 0; k < n; ++k) {
    x.set_float(k, uniform(-1, 1));
    y.set_float(k, uniform(-1, 1));
  }
  const Instruction code[] = {{Op::Add, Val::float32, Val::float32, {0, 1, 0}},
                              {Op::Subtract, Val::float32, Val::float32, {0, 1, 0}}};
  const auto go = [&](void* first, void* second) {
    const Input in[] = {{x.at(0), Val::float32, dense_stride},
                        {y.at(0), Val::float32, dense_stride}};
    const Output out[] = {{2, first, dense_stride}, {3, second, dense_stride}};
    run({1, &n, 2, in, 2, code, 2, out});
  };
  go(sum.at(0), difference.at(0));
  go(x.at(0), y.at(0));
  CHECK(x.data == sum.data);
  CHECK(y.data == difference.data);
}

TEST_CASE("large programs run in parallel and with streaming stores, with the same bits") {
  const int64_t n = (int64_t{5} << 20) + 77;
  Buffer x(Val::float32, n), many(Val::float32, n), one(Val::float32, n);
  for (int64_t k = 0; k < n; ++k) x.set_float(k, std::sin(static_cast<double>(k)));
  const float scale = 2.5f;
  const int64_t zero[] = {0};
  const Input in[] = {{x.at(0), Val::float32, dense_stride}, {&scale, Val::float32, zero}};
  const Instruction code[] = {{Op::Multiply, Val::float32, Val::float32, {0, 1, 0}},
                              {Op::Exp, Val::float32, Val::float32, {2, 0, 0}}};
  const Output out[] = {{3, many.at(0), dense_stride}};
  run({1, &n, 2, in, 2, code, 1, out});
  const int before = set_num_threads(1);
  for (int64_t begin = 0; begin < n; begin += 4097) {  // small, misaligned pieces
    const int64_t m = std::min<int64_t>(4097, n - begin);
    const Input piece[] = {{x.at(begin), Val::float32, dense_stride}, in[1]};
    const Output to[] = {{3, one.at(begin), dense_stride}};
    run({1, &m, 2, piece, 2, code, 1, to});
  }
  set_num_threads(before);
  CHECK(many.data == one.data);
}

TEST_CASE("programs that break the rules are refused") {
  const int64_t n = 4;
  float x[4] = {}, y[4] = {};
  const Input in[] = {{x, Val::float32, dense_stride}};
  const Output out[] = {{1, y, dense_stride}};
  const auto go = [&](Instruction i) { run({1, &n, 1, in, 1, &i, 1, out}); };
  CHECK_THROWS_AS(go({Op::BitwiseInvert, Val::float32, Val::float32, {0, 0, 0}}),
                  std::invalid_argument);
  CHECK_THROWS_AS(go({Op::Add, Val::int32, Val::int32, {0, 0, 0}}), std::invalid_argument);
  CHECK_THROWS_AS(go({Op::Exp, Val::float32, Val::float32, {1, 0, 0}}), std::invalid_argument);
  CHECK(!supported(Op::BitwiseAnd, Val::float32, Val::float32));
  CHECK(!supported(Op::Erf, Val::complex64, Val::complex64));
  CHECK(supported(Op::Power, Val::int8, Val::int8));
}
