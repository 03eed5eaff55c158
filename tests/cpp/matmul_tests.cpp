// Matrix products as graph operations: values, derivatives against finite
// differences, vmap against a loop, einsum paths, errors.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <random>
#include <stdexcept>
#include <vector>

#include "mlx/einsum.h"
#include "mlx/ops.h"
#include "mlx/primitives.h"
#include "mlx/transforms.h"

using namespace mlx::core;

namespace {

std::mt19937 generator(11);

array random_array(const Shape& shape, Dtype dtype = float64) {
  int64_t size = 1;
  for (ShapeElem d : shape) size *= d;
  std::vector<double> values(static_cast<size_t>(size));
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (double& v : values) v = uniform(generator);
  return array(values.data(), shape, dtype);
}

std::vector<double> host(const array& a) {
  array flat = contiguous(astype(a, float64));
  flat.eval();
  const double* p = flat.data<double>();
  return {p, p + flat.size()};
}

array from_host(const std::vector<double>& values, const Shape& shape) {
  return array(values.data(), shape, float64);
}

double largest_difference(const array& a, const array& b) {
  if (a.shape() != b.shape()) return INFINITY;
  const auto x = host(a), y = host(b);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - y[i]));
  return worst;
}

// The plain loop over (m, k) and (k, n).
array loop_product(const array& a, const array& b) {
  const auto x = host(a), y = host(b);
  const int64_t m = a.shape(0), k = a.shape(1), n = b.shape(1);
  std::vector<double> out(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p) {
        sum += x[static_cast<size_t>(i * k + p)] * y[static_cast<size_t>(p * n + j)];
      }
      out[static_cast<size_t>(i * n + j)] = sum;
    }
  }
  return from_host(out, {m, n});
}

double dot(const array& a, const array& b) {
  const auto x = host(a), y = host(b);
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

using Function = std::function<array(const std::vector<array>&)>;

// vjp against central differences, jvp against vjp.
void check_derivatives(const Function& function, const std::vector<array>& primals) {
  auto fun = [&](const std::vector<array>& inputs) { return std::vector<array>{function(inputs)}; };
  const array cotangent = random_array(function(primals).shape());
  const auto gradients = vjp(fun, primals, {cotangent}).second;
  REQUIRE(gradients.size() == primals.size());
  std::vector<array> tangents;
  double expected = 0;
  for (size_t p = 0; p < primals.size(); ++p) {
    REQUIRE(gradients[p].shape() == primals[p].shape());
    const auto gradient = host(gradients[p]);
    const auto values = host(primals[p]);
    for (size_t i = 0; i < values.size(); ++i) {
      const double h = 1e-5;
      double side[2];
      for (int s : {0, 1}) {
        auto moved = values;
        moved[i] += s == 0 ? h : -h;
        auto inputs = primals;
        inputs[p] = from_host(moved, primals[p].shape());
        side[s] = dot(function(inputs), cotangent);
      }
      CHECK(gradient[i] == doctest::Approx((side[0] - side[1]) / (2 * h)).epsilon(1e-6).scale(1));
    }
    tangents.push_back(random_array(primals[p].shape()));
    expected += dot(gradients[p], tangents.back());
  }
  const auto pushed = jvp(fun, primals, tangents).second;
  CHECK(dot(pushed[0], cotangent) == doctest::Approx(expected).epsilon(1e-9).scale(1));
}

array part(const array& a, int axis, ShapeElem index) {
  Shape start(a.ndim(), 0), stop = a.shape();
  start[static_cast<size_t>(axis)] = index;
  stop[static_cast<size_t>(axis)] = index + 1;
  return squeeze(slice(a, start, stop), axis);
}

void check_vmap(const Function& function, const std::vector<array>& inputs,
                const std::vector<int>& axes) {
  auto fun = [&](const std::vector<array>& x) { return std::vector<array>{function(x)}; };
  const array mapped = vmap(fun, axes, {0})(inputs)[0];
  ShapeElem size = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (axes[i] >= 0) size = inputs[i].shape(axes[i]);
  }
  std::vector<array> rows;
  for (ShapeElem index = 0; index < size; ++index) {
    std::vector<array> one;
    for (size_t i = 0; i < inputs.size(); ++i) {
      one.push_back(axes[i] < 0 ? inputs[i] : part(inputs[i], axes[i], index));
    }
    rows.push_back(function(one));
  }
  CHECK(largest_difference(mapped, stack(rows)) < 1e-12);
}

array product(const std::vector<array>& x) {
  return matmul(x[0], x[1]);
}
array scaled_sum(const std::vector<array>& x) {
  return addmm(x[2], x[0], x[1], 0.5f, -2.f);
}

}  // namespace

TEST_CASE("matmul multiplies matrices, transposed or not") {
  const array a = random_array({5, 7}), b = random_array({7, 4});
  CHECK(largest_difference(matmul(a, b), loop_product(a, b)) < 1e-14);
  const array at = transpose(random_array({7, 5})), bt = transpose(random_array({4, 7}));
  CHECK(largest_difference(matmul(at, bt), loop_product(at, bt)) < 1e-14);
  const array strided = slice(random_array({10, 14}), {0, 0}, {10, 14}, {2, 2});
  CHECK(largest_difference(matmul(strided, b), loop_product(strided, b)) < 1e-14);
}

TEST_CASE("matmul keeps or promotes dtypes") {
  for (Dtype dtype : {float16, bfloat16, float32, float64, complex64}) {
    const array a = random_array({3, 8}, dtype), b = random_array({8, 2}, dtype);
    const array c = matmul(a, b);
    CHECK(c.dtype() == dtype);
    CHECK(largest_difference(astype(c, float64), loop_product(a, b)) < 2e-2);
  }
  CHECK(matmul(random_array({2, 2}, float16), random_array({2, 2}, bfloat16)).dtype() == float32);
  CHECK(matmul(random_array({2, 2}, float16), array({1, 2})).dtype() == float16);
}

TEST_CASE("matmul treats vectors as rows and columns") {
  const array m = random_array({3, 4}), v = random_array({4}), w = random_array({3});
  CHECK(matmul(m, v).shape() == Shape{3});
  CHECK(largest_difference(matmul(m, v), reshape(loop_product(m, reshape(v, {4, 1})), {3})) <
        1e-14);
  CHECK(matmul(w, m).shape() == Shape{4});
  CHECK(matmul(v, v).shape() == Shape{});
  CHECK(matmul(random_array({2, 5, 3, 4}), v).shape() == Shape{2, 5, 3});
  CHECK(matmul(w, random_array({2, 5, 3, 4})).shape() == Shape{2, 5, 4});
}

TEST_CASE("matmul broadcasts leading axes") {
  const array a = random_array({2, 1, 3, 4}), b = random_array({5, 4, 6});
  const array c = matmul(a, b);
  REQUIRE(c.shape() == Shape{2, 5, 3, 6});
  for (int i : {0, 1}) {
    for (int j : {0, 2, 4}) {
      const array want = loop_product(part(part(a, 0, i), 0, 0), part(b, 0, j));
      CHECK(largest_difference(part(part(c, 0, i), 0, j), want) < 1e-14);
    }
  }
  const array one = random_array({4, 6});
  const array d = matmul(a, one);
  CHECK(largest_difference(part(part(d, 0, 1), 0, 0),
                           loop_product(part(part(a, 0, 1), 0, 0), one)) < 1e-14);
}

TEST_CASE("matmul of empty arrays") {
  CHECK(host(matmul(zeros({2, 0}), zeros({0, 3}))) == std::vector<double>(6, 0.0));
  CHECK(matmul(zeros({0, 4}), zeros({4, 3})).shape() == Shape{0, 3});
  CHECK(matmul(zeros({0, 2, 4}), zeros({4, 3})).shape() == Shape{0, 2, 3});
  CHECK(host(addmm(ones({3}), zeros({2, 0}), zeros({0, 3}), 1.f, 2.f)) ==
        std::vector<double>(6, 2.0));
  CHECK(host(inner(zeros({0}), zeros({0}))) == std::vector<double>{0.0});
  const array a = zeros({3, 0});
  CHECK(tensordot(a, a, 0).shape() == Shape{3, 0, 3, 0});
  CHECK(host(tensordot(a, a, 2)) == std::vector<double>{0.0});
}

TEST_CASE("matmul refuses what does not fit") {
  const array a = ones({2, 3});
  CHECK_THROWS_WITH_AS(matmul(a, ones({4, 5})),
                       "[matmul] last dimension of a (2,3) must equal second-to-last of b (4,5): "
                       "got 3 and 4",
                       std::invalid_argument);
  CHECK_THROWS_AS(matmul(a, array(1.f)), std::invalid_argument);
  CHECK_THROWS_AS(matmul(array(1.f), a), std::invalid_argument);
  CHECK_THROWS_AS(matmul(a, ones({2})), std::invalid_argument);
  CHECK_THROWS_AS(matmul(ones({2, 2, 3}), ones({3, 3, 2})), std::invalid_argument);
  CHECK_THROWS_AS(matmul(ones({2, 2}, int32), ones({2, 2}, int32)), std::invalid_argument);
  CHECK_THROWS_AS(addmm(ones({5}), a, ones({3, 4})), std::invalid_argument);
  CHECK_THROWS_AS(addmm(ones({1, 2, 4}), a, ones({3, 4})), std::invalid_argument);
  CHECK_THROWS_AS(addmm(ones({2}, int32), ones({2, 2}, int32), ones({2, 2}, int32)),
                  std::invalid_argument);
}

TEST_CASE("addmm adds a scaled array of any fitting shape") {
  const array a = random_array({2, 3, 4}), b = random_array({4, 5});
  for (const Shape& shape : {Shape{}, Shape{5}, Shape{1, 5}, Shape{3, 1}, Shape{3, 5},
                             Shape{1, 1, 5}, Shape{2, 3, 5}, Shape{2, 1, 1}}) {
    const array c = random_array(shape);
    const array want = add(multiply(array(0.5, float64), matmul(a, b)),
                           multiply(array(-2.0, float64), broadcast_to(c, {2, 3, 5})));
    CHECK(largest_difference(addmm(c, a, b, 0.5f, -2.f), want) < 1e-13);
  }
  const array v = random_array({4});
  CHECK(largest_difference(addmm(ones({3}, float64), a, v),
                           add(matmul(a, v), array(1.0, float64))) < 1e-13);
  CHECK(addmm(ones({3}), ones({4}), ones({4, 3})).shape() == Shape{3});
  CHECK(addmm(ones({}), ones({4}), ones({4})).shape() == Shape{});
}

TEST_CASE("derivatives of matrix products") {
  check_derivatives(product, {random_array({3, 4}), random_array({4, 2})});
  check_derivatives(product, {random_array({4}), random_array({4, 2})});
  check_derivatives(product, {random_array({4}), random_array({4})});
  check_derivatives(product, {random_array({2, 3, 4}), random_array({4, 2})});
  check_derivatives(product, {random_array({2, 1, 3, 4}), random_array({3, 4, 2})});
  check_derivatives(scaled_sum, {random_array({3, 4}), random_array({4, 2}), random_array({2})});
  check_derivatives(scaled_sum,
                    {random_array({2, 3, 4}), random_array({4, 2}), random_array({3, 1})});
  check_derivatives([](const auto& x) { return inner(x[0], x[1]); },
                    {random_array({2, 3}), random_array({4, 3})});
  check_derivatives([](const auto& x) { return einsum("ii,ij,jk->k", x); },
                    {random_array({3, 3}), random_array({3, 2}), random_array({2, 4})});
}

TEST_CASE("the gradient of a complex matrix product conjugates") {
  const std::complex<float> values[] = {{1, 2}, {3, -1}, {0.5f, 1}, {-2, 1}};
  const array a(values, {2, 2}, complex64), b = transpose(a), g = ones({2, 2}, complex64);
  auto fun = [](const std::vector<array>& x) { return std::vector<array>{matmul(x[0], x[1])}; };
  const auto gradients = vjp(fun, {a, b}, {g}).second;
  const array want = matmul(g, conjugate(transpose(b)));
  CHECK(largest_difference(abs(subtract(gradients[0], want)), zeros({2, 2})) < 1e-6);
}

TEST_CASE("vmap of matrix products") {
  for (const auto& axes :
       std::vector<std::vector<int>>{{0, -1}, {-1, 0}, {0, 0}, {1, 2}, {2, -1}}) {
    auto shape = [&](Shape s, int axis) {
      if (axis >= 0) s.insert(s.begin() + axis, 3);
      return s;
    };
    check_vmap(product,
               {random_array(shape({4, 5}, axes[0])), random_array(shape({5, 2}, axes[1]))}, axes);
    check_vmap(product,
               {random_array(shape({2, 4, 5}, axes[0])), random_array(shape({5, 2}, axes[1]))},
               axes);
    for (int c_axis : {-1, 0}) {
      check_vmap(scaled_sum,
                 {random_array(shape({4, 5}, axes[0])), random_array(shape({5, 2}, axes[1])),
                  random_array(shape({4, 2}, c_axis))},
                 {axes[0], axes[1], c_axis});
    }
  }
  check_vmap(scaled_sum, {random_array({4, 5}), random_array({5, 2}), random_array({3, 2})},
             {-1, -1, 0});
}

TEST_CASE("inner, outer, vecdot, kron") {
  const array a = random_array({2, 3}), b = random_array({4, 3}), v = random_array({3});
  CHECK(largest_difference(inner(a, b), loop_product(a, transpose(b))) < 1e-14);
  CHECK(inner(a, array(2.0, float64)).shape() == Shape{2, 3});
  CHECK_THROWS_AS(inner(a, ones({2})), std::invalid_argument);
  CHECK(largest_difference(outer(a, v), loop_product(reshape(a, {6, 1}), reshape(v, {1, 3}))) <
        1e-14);
  CHECK(outer(array({1, 2}), array({3, 4, 5})).dtype() == int32);

  CHECK(vecdot(a, random_array({1, 3})).shape() == Shape{2});
  CHECK(vecdot(a, a, 0).shape() == Shape{3});
  CHECK(vecdot(array({true, true, false}), array({true, true, true})).item<int>() == 2);
  const array z(std::complex<float>(0, 1));
  CHECK(vecdot(reshape(z, {1}), reshape(z, {1})).item<complex64_t>() == complex64_t(1, 0));
  CHECK_THROWS_AS(vecdot(a, v), std::invalid_argument);  // axis -1 is 1 in a, 0 in v
  CHECK_THROWS_AS(vecdot(a, b, 2), std::invalid_argument);
  CHECK_THROWS_AS(vecdot(array(1.f), array(1.f)), std::invalid_argument);
  CHECK_THROWS_AS(vecdot(a, ones({2, 4})), std::invalid_argument);

  const array k = kron(array({1, 2}), array({3, 4, 5}));
  CHECK(host(k) == std::vector<double>{3, 4, 5, 6, 8, 10});
  CHECK(kron(ones({2, 3}), ones({2, 1, 4})).shape() == Shape{2, 2, 12});
  CHECK_THROWS_AS(kron(ones({0}), ones({2})), std::invalid_argument);
}

TEST_CASE("tensordot contracts axes") {
  const array a = random_array({2, 3, 4}), b = random_array({4, 3, 5});
  CHECK(largest_difference(tensordot(a, b, {1, 2}, {1, 0}), einsum("ijk,kjl->il", {a, b})) < 1e-14);
  CHECK(largest_difference(tensordot(a, b, {-1}, {0}), einsum("ijk,klm->ijlm", {a, b})) < 1e-14);
  CHECK(tensordot(a, random_array({3, 4, 2}), 2).shape() == Shape{2, 2});
  CHECK(tensordot(a, b, 0).shape() == Shape{2, 3, 4, 4, 3, 5});
  CHECK_THROWS_AS(tensordot(a, b, 4), std::invalid_argument);
  CHECK_THROWS_AS(tensordot(a, b, -1), std::invalid_argument);
  CHECK_THROWS_AS(tensordot(a, b, {0}, {0}), std::invalid_argument);
  CHECK_THROWS_AS(tensordot(a, b, {0, 1}, {1}), std::invalid_argument);
  CHECK_THROWS_AS(tensordot(a, b, {3}, {0}), std::out_of_range);
}

TEST_CASE("einsum") {
  const array a = random_array({2, 3}), b = random_array({3, 4}), c = random_array({4, 5});
  CHECK(largest_difference(einsum("ij,jk->ik", {a, b}), loop_product(a, b)) < 1e-14);
  CHECK(largest_difference(einsum("ij , jk", {a, b}), loop_product(a, b)) < 1e-14);
  CHECK(largest_difference(einsum("ij,jk->ki", {a, b}), transpose(loop_product(a, b))) < 1e-14);
  CHECK(largest_difference(einsum("ij,jk,kl->il", {a, b, c}), loop_product(loop_product(a, b), c)) <
        1e-13);
  CHECK(largest_difference(einsum("ba", {a}), transpose(a)) == 0);
  CHECK(largest_difference(einsum("Ab", {a}), a) == 0);
  CHECK(largest_difference(einsum("i,j->ij", {part(a, 0, 0), part(b, 1, 0)}),
                           outer(part(a, 0, 0), part(b, 1, 0))) < 1e-14);
  CHECK(largest_difference(einsum("ij,ij->j", {a, a}), sum(multiply(a, a), 0)) < 1e-14);
  CHECK(largest_difference(einsum("ij->", {a}), sum(a)) < 1e-13);

  const array d = reshape(arange(12), {2, 2, 3});
  CHECK(host(einsum("iij->ij", {d})) == std::vector<double>{0, 1, 2, 9, 10, 11});
  CHECK(host(einsum("iij->i", {d})) == std::vector<double>{3, 30});
  CHECK(einsum("ii->", {array({1, 2, 3, 4}, {2, 2})}).item<int>() == 5);

  const array batch = random_array({2, 1, 3, 4}), other = random_array({5, 4, 6});
  CHECK(largest_difference(einsum("...ij,...jk->...ik", {batch, other}), matmul(batch, other)) <
        1e-14);
  CHECK(largest_difference(einsum("...ij,jk", {batch, part(other, 0, 1)}),
                           matmul(batch, part(other, 0, 1))) < 1e-14);
  const array heads = random_array({2, 3, 5, 4}), keys = random_array({2, 3, 6, 4});
  CHECK(largest_difference(einsum("bhqd,bhkd->bhqk", {heads, keys}),
                           matmul(heads, swapaxes(keys, -1, -2))) < 1e-14);
  // A size of 1 stretches, summed or not.
  CHECK(largest_difference(einsum("ij,jk->ik", {random_array({2, 1}), ones({3, 4}, float64)}),
                           zeros({2, 4}, float64)) > 0);
  const array narrow = random_array({2, 1});
  CHECK(largest_difference(einsum("ij,jk->ik", {narrow, b}),
                           loop_product(broadcast_to(narrow, {2, 3}), b)) < 1e-14);
}

TEST_CASE("einsum takes the greedy path") {
  using Steps = std::vector<std::vector<int>>;
  auto path = [](const char* subscripts, std::vector<Shape> shapes) {
    std::vector<array> operands;
    for (const Shape& shape : shapes) operands.push_back(zeros(shape));
    return einsum_path(subscripts, operands);
  };
  const auto [steps, report] = path("ij,jk,kl->il", {{2, 3}, {3, 4}, {4, 5}});
  CHECK((steps == Steps{{1, 2}, {0, 1}}));
  CHECK(report ==
        "  Complete contraction:  ij,jk,kl->il\n"
        "         Naive scaling:  4\n"
        "     Optimized scaling:  3\n"
        "      Naive FLOP count:  360\n"
        "  Optimized FLOP count:  180\n");
  CHECK((path("ij", {{2, 3}}).first == Steps{{0}}));
  CHECK((path("ij,jk", {{2, 3}, {3, 4}}).first == Steps{{0, 1}}));
  CHECK((path("ij,ij,ij->ij", {{2, 3}, {2, 3}, {2, 3}}).first == Steps{{0, 1}, {0, 1}}));
  CHECK((path("d,df,b,c->", {{2}, {2, 10}, {20}, {3}}).first == Steps{{0, 1}, {0, 2}, {0, 1}}));
}

TEST_CASE("einsum refuses malformed calls") {
  const array a = ones({2, 3}), square = ones({2, 2});
  auto refuses = [](const char* subscripts, std::vector<array> operands) {
    CHECK_THROWS_AS(einsum(subscripts, operands), std::invalid_argument);
    CHECK_THROWS_AS(einsum_path(subscripts, operands), std::invalid_argument);
  };
  refuses("", {});
  refuses("", {a});
  refuses("ij,jk", {a});
  refuses("ij", {a, a});
  refuses("ijk", {a});
  refuses("i", {a});
  refuses("ij,jk", {a, ones({4, 2})});
  refuses("ij->ii", {a});
  refuses("ij->k", {a});
  refuses("ii->i", {a});
  refuses("i1->i", {a});
  refuses("......->", {a});
  refuses("..ij", {square});
  refuses("ij->ij->", {square});
  CHECK_THROWS_AS(einsum("ij,jk->ik", {ones({2, 2}, int32), ones({2, 2}, int32)}),
                  std::invalid_argument);
}

TEST_CASE("products of one kind are equivalent") {
  const array a = ones({2, 2});
  const array x = matmul(a, a), y = matmul(a, a), z = addmm(a, a, a, 1.f, 2.f),
              w = addmm(a, a, a, 1.f, 3.f);
  CHECK(x.primitive().is_equivalent(y.primitive()));
  CHECK(!z.primitive().is_equivalent(w.primitive()));
  CHECK(std::string(z.primitive().name()) == "AddMM");
}
