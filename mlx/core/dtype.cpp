// Promotion, categories and names of dtypes.
#include "mlx/dtype.h"

#include <array>

#include "mlx/dtype_utils.h"

namespace mlx::core {

namespace {

constexpr int kDtypes = 14;

constexpr int index_of(Dtype::Val val) {
  return static_cast<int>(val);
}

// Rows and columns in the order of Dtype::Val.
constexpr Dtype kPromotion[kDtypes][kDtypes] = {
#define b1 bool_
#define u8 uint8
#define u16 uint16
#define u32 uint32
#define u64 uint64
#define i8 int8
#define i16 int16
#define i32 int32
#define i64 int64
#define f16 float16
#define f32 float32
#define f64 float64
#define bf bfloat16
#define c64 complex64
    // clang-format off
    /* b1  */ {b1,  u8,  u16, u32, u64, i8,  i16, i32, i64, f16, f32, f64, bf,  c64},
    /* u8  */ {u8,  u8,  u16, u32, u64, i16, i16, i32, i64, f16, f32, f64, bf,  c64},
    /* u16 */ {u16, u16, u16, u32, u64, i32, i32, i32, i64, f16, f32, f64, bf,  c64},
    /* u32 */ {u32, u32, u32, u32, u64, i64, i64, i64, i64, f16, f32, f64, bf,  c64},
    /* u64 */ {u64, u64, u64, u64, u64, f32, f32, f32, f32, f16, f32, f64, bf,  c64},
    /* i8  */ {i8,  i16, i32, i64, f32, i8,  i16, i32, i64, f16, f32, f64, bf,  c64},
    /* i16 */ {i16, i16, i32, i64, f32, i16, i16, i32, i64, f16, f32, f64, bf,  c64},
    /* i32 */ {i32, i32, i32, i64, f32, i32, i32, i32, i64, f16, f32, f64, bf,  c64},
    /* i64 */ {i64, i64, i64, i64, f32, i64, i64, i64, i64, f16, f32, f64, bf,  c64},
    /* f16 */ {f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f32, f64, f32, c64},
    /* f32 */ {f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f64, f32, c64},
    /* f64 */ {f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, c64},
    /* bf  */ {bf,  bf,  bf,  bf,  bf,  bf,  bf,  bf,  bf,  f32, f32, f64, bf,  c64},
    /* c64 */ {c64, c64, c64, c64, c64, c64, c64, c64, c64, c64, c64, c64, c64, c64},
// clang-format on
#undef b1
#undef u8
#undef u16
#undef u32
#undef u64
#undef i8
#undef i16
#undef i32
#undef i64
#undef f16
#undef f32
#undef f64
#undef bf
#undef c64
};

struct DtypeTraits {
  Dtype::Kind kind;
  Dtype::Category category;
  const char* name;
};

constexpr std::array<DtypeTraits, kDtypes> kTraits = {{
    {Dtype::Kind::b, generic, "bool"},
    {Dtype::Kind::u, unsignedinteger, "uint8"},
    {Dtype::Kind::u, unsignedinteger, "uint16"},
    {Dtype::Kind::u, unsignedinteger, "uint32"},
    {Dtype::Kind::u, unsignedinteger, "uint64"},
    {Dtype::Kind::i, signedinteger, "int8"},
    {Dtype::Kind::i, signedinteger, "int16"},
    {Dtype::Kind::i, signedinteger, "int32"},
    {Dtype::Kind::i, signedinteger, "int64"},
    {Dtype::Kind::f, floating, "float16"},
    {Dtype::Kind::f, floating, "float32"},
    {Dtype::Kind::f, floating, "float64"},
    {Dtype::Kind::V, floating, "bfloat16"},
    {Dtype::Kind::c, complexfloating, "complex64"},
}};

const DtypeTraits& traits_of(const Dtype& t) {
  return kTraits[index_of(t.val())];
}

// The next wider category; generic is its own parent.
constexpr Dtype::Category parent(Dtype::Category c) {
  switch (c) {
    case complexfloating:
    case floating:
      return inexact;
    case signedinteger:
    case unsignedinteger:
      return integer;
    case inexact:
    case integer:
      return number;
    default:
      return generic;
  }
}

}  // namespace

bool issubdtype(const Dtype& a, const Dtype& b) {
  return a.val() == b.val();
}

bool issubdtype(const Dtype::Category&, const Dtype&) {
  return false;
}

bool issubdtype(const Dtype& a, const Dtype::Category& b) {
  return issubdtype(traits_of(a).category, b);
}

bool issubdtype(const Dtype::Category& a, const Dtype::Category& b) {
  for (Dtype::Category c = a;; c = parent(c)) {
    if (c == b) {
      return true;
    }
    if (c == generic) {
      return false;
    }
  }
}

Dtype promote_types(const Dtype& t1, const Dtype& t2) {
  return kPromotion[index_of(t1.val())][index_of(t2.val())];
}

Dtype::Kind kindof(const Dtype& t) {
  return traits_of(t).kind;
}

const char* dtype_to_string(Dtype arg) {
  return traits_of(arg).name;
}

}  // namespace mlx::core
