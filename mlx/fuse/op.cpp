// What is known of each op without running it: name, arity, dtypes, lane class,
// cost.
#include <algorithm>

#include "mlx/core/cpu_tier.h"
#include "mlx/fuse/compile.h"
#include "mlx/fuse/engine.h"
#include "mlx/fuse/lane_calls.h"
#include "mlx/fuse/program_cache.h"

namespace mlx::core::fuse {

namespace {

using Val = Dtype::Val;

enum class Cost : uint8_t {
  nothing,  // moves or none
  cheap,    // one to a few instructions
  division,
  function,     // 20 to 50 instructions
  wide,         // in float64 halves
  lane_by_lane  // scalar code
};

struct Facts {
  const char* name;
  uint8_t arity;
  Cost cost;
};

constexpr Facts facts[op_count] = {
    {"Copy", 1, Cost::nothing},
    {"Cast", 1, Cost::cheap},
    {"Abs", 1, Cost::cheap},
    {"Negative", 1, Cost::cheap},
    {"Sign", 1, Cost::cheap},
    {"Square", 1, Cost::cheap},
    {"Sqrt", 1, Cost::division},
    {"Rsqrt", 1, Cost::division},
    {"Reciprocal", 1, Cost::division},
    {"Exp", 1, Cost::function},
    {"Expm1", 1, Cost::function},
    {"Log", 1, Cost::function},
    {"Log2", 1, Cost::wide},
    {"Log10", 1, Cost::wide},
    {"Log1p", 1, Cost::function},
    {"Sin", 1, Cost::function},
    {"Cos", 1, Cost::function},
    {"Tan", 1, Cost::function},
    {"ArcSin", 1, Cost::function},
    {"ArcCos", 1, Cost::function},
    {"ArcTan", 1, Cost::function},
    {"Sinh", 1, Cost::function},
    {"Cosh", 1, Cost::function},
    {"Tanh", 1, Cost::function},
    {"ArcSinh", 1, Cost::wide},
    {"ArcCosh", 1, Cost::wide},
    {"ArcTanh", 1, Cost::wide},
    {"Erf", 1, Cost::function},
    {"ErfInv", 1, Cost::function},
    {"Sigmoid", 1, Cost::function},
    {"Floor", 1, Cost::cheap},
    {"Ceil", 1, Cost::cheap},
    {"Trunc", 1, Cost::cheap},
    {"Round", 1, Cost::cheap},
    {"Conjugate", 1, Cost::cheap},
    {"Real", 1, Cost::nothing},
    {"Imag", 1, Cost::cheap},
    {"LogicalNot", 1, Cost::cheap},
    {"BitwiseInvert", 1, Cost::cheap},
    {"Add", 2, Cost::cheap},
    {"Subtract", 2, Cost::cheap},
    {"Multiply", 2, Cost::cheap},
    {"Divide", 2, Cost::division},
    {"FloorDivide", 2, Cost::lane_by_lane},
    {"Remainder", 2, Cost::lane_by_lane},
    {"Power", 2, Cost::wide},
    {"Maximum", 2, Cost::cheap},
    {"Minimum", 2, Cost::cheap},
    {"LogAddExp", 2, Cost::wide},
    {"ArcTan2", 2, Cost::function},
    {"BitwiseAnd", 2, Cost::cheap},
    {"BitwiseOr", 2, Cost::cheap},
    {"BitwiseXor", 2, Cost::cheap},
    {"LeftShift", 2, Cost::cheap},
    {"RightShift", 2, Cost::cheap},
    {"LogicalAnd", 2, Cost::cheap},
    {"LogicalOr", 2, Cost::cheap},
    {"Equal", 2, Cost::cheap},
    {"NaNEqual", 2, Cost::cheap},
    {"NotEqual", 2, Cost::cheap},
    {"Less", 2, Cost::cheap},
    {"LessEqual", 2, Cost::cheap},
    {"Greater", 2, Cost::cheap},
    {"GreaterEqual", 2, Cost::cheap},
    {"Select", 3, Cost::cheap},
};
static_assert(facts[op_count - 1].name != nullptr, "every op has a row");

bool is_integer(Val v) {
  return v >= Val::uint8 && v <= Val::int64;
}
bool is_real_float(Val v) {
  return v == Val::float16 || v == Val::float32 || v == Val::float64 || v == Val::bfloat16;
}

int item_bytes(Val v) {
  switch (v) {
    case Val::bool_:
    case Val::uint8:
    case Val::int8:
      return 1;
    case Val::uint16:
    case Val::int16:
    case Val::float16:
    case Val::bfloat16:
      return 2;
    case Val::uint32:
    case Val::int32:
    case Val::float32:
      return 4;
    default:
      return 8;
  }
}

/// The class in which values of a dtype are computed with.
LaneClass home_class(Val v) {
  switch (v) {
    case Val::bool_:
      return LaneClass::any;
    case Val::uint8:
    case Val::int8:
      return LaneClass::bits8;
    case Val::uint16:
    case Val::int16:
      return LaneClass::bits16;
    case Val::uint64:
    case Val::int64:
    case Val::float64:
      return LaneClass::bits64;
    case Val::complex64:
      return LaneClass::complex;
    default:
      return LaneClass::bits32;
  }
}

}  // namespace

int arity(Op op) {
  return facts[static_cast<int>(op)].arity;
}
const char* name(Op op) {
  return facts[static_cast<int>(op)].name;
}

Val result_dtype(Op op, Val in) {
  if (op >= Op::Equal && op <= Op::GreaterEqual) return Val::bool_;
  if (in == Val::complex64 && (op == Op::Abs || op == Op::Real || op == Op::Imag)) {
    return Val::float32;
  }
  return in;
}

bool is_identity(Op op, Val in) {
  switch (op) {
    case Op::Copy:
      return true;
    case Op::Floor:
    case Op::Ceil:
    case Op::Trunc:
    case Op::Round:
      return in == Val::bool_ || is_integer(in);
    case Op::Conjugate:
    case Op::Real:
      return in != Val::complex64;
    case Op::Abs:
    case Op::Sign:
    case Op::Square:
      return in == Val::bool_ || (op == Op::Abs && in >= Val::uint8 && in <= Val::uint64);
    default:
      return false;
  }
}

bool supported(Op op, Val in, Val out) {
  if (op == Op::Cast) return true;
  if (out != result_dtype(op, in)) return false;
  if (op == Op::Select || is_identity(op, in)) return true;
  const Lane lane = lane_of(in);
  if (op == Op::LogicalNot || op == Op::LogicalAnd || op == Op::LogicalOr) {
    return in == Val::bool_;
  }
  if ((op == Op::LeftShift || op == Op::RightShift) && !is_integer(in)) return false;
  if (in == Val::complex64 && (op == Op::Conjugate || op == Op::Real || op == Op::Imag)) {
    return true;
  }
  if (find_lane_call(op, lane) != nullptr) return true;
  const ArithmeticSteps* tables[3];
  arithmetic_tables(tables);
  for (const ArithmeticSteps* t : tables) {
    if (arity(op) == 1 ? t->unary(op, lane) != nullptr
                       : t->binary(op, lane, Form::forward) != nullptr) {
      return true;
    }
  }
  return false;
}

LaneClass lane_class(Op op, Val in, Val out) {
  const LaneClass a = home_class(in);
  if (op != Op::Cast) return a;
  const LaneClass b = home_class(out);
  if (a == LaneClass::complex || b == LaneClass::complex) {
    const LaneClass other = a == LaneClass::complex ? b : a;
    return other == LaneClass::bits64 ? LaneClass::alone : LaneClass::complex;
  }
  return std::max(a, b);
}

double instruction_nanoseconds(const Program& program) {
  // Vector costs per 32-bit lane of a 256-bit tier; wider lanes cost more.
  double sum = 0;
  for (int i = 0; i < program.num_instructions; ++i) {
    const Instruction& instruction = program.instructions[i];
    const double width =
        std::max(item_bytes(instruction.in), is_real_float(instruction.in) ? 4 : 1) / 4.0;
    const Lane lane = lane_of(instruction.in);
    Cost cost = facts[static_cast<int>(instruction.op)].cost;
    if (is_identity(instruction.op, instruction.in)) cost = Cost::nothing;
    if (cost > Cost::division && instruction.in != Val::bool_ &&
        find_lane_call(instruction.op, lane) != nullptr) {
      cost = Cost::lane_by_lane;
    }
    switch (cost) {
      case Cost::nothing:
        break;
      case Cost::cheap:
        sum += 0.03 * width;
        break;
      case Cost::division:
        sum += 0.25 * width;
        break;
      case Cost::function:
        sum += 0.5 * width;
        break;
      case Cost::wide:
        sum += 2.0 * width;
        break;
      case Cost::lane_by_lane:
        sum += is_integer(instruction.in) ? 3.0 : lane == Lane::c64 ? 40.0 : 12.0;
        break;
    }
    if (instruction.out == Val::float16 || instruction.out == Val::bfloat16) sum += 0.05;
  }
  return sum;
}

double nanoseconds_per_element(const Program& program) {
  double bytes = 0;
  for (int i = 0; i < program.num_inputs; ++i) {
    bool varies = false;
    for (int k = 0; k < program.ndim; ++k) varies |= program.inputs[i].strides[k] != 0;
    if (varies) bytes += item_bytes(program.inputs[i].dtype);
  }
  for (int i = 0; i < program.num_outputs; ++i) {
    const int value = program.outputs[i].value;
    bytes += item_bytes(value < program.num_inputs
                            ? program.inputs[value].dtype
                            : program.instructions[value - program.num_inputs].out);
  }
  return instruction_nanoseconds(program) + nanoseconds_per_byte * bytes;
}

}  // namespace mlx::core::fuse
