// What is known of each op without running it: name, dtypes, lane class,
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
  Cost cost;
};

constexpr Facts facts[op_count] = {
    {"Copy", Cost::nothing},
    {"Cast", Cost::cheap},
    {"Abs", Cost::cheap},
    {"Negative", Cost::cheap},
    {"Sign", Cost::cheap},
    {"Square", Cost::cheap},
    {"Sqrt", Cost::division},
    {"Rsqrt", Cost::division},
    {"Reciprocal", Cost::division},
    {"Exp", Cost::function},
    {"Expm1", Cost::function},
    {"Log", Cost::function},
    {"Log2", Cost::wide},
    {"Log10", Cost::wide},
    {"Log1p", Cost::function},
    {"Sin", Cost::function},
    {"Cos", Cost::function},
    {"Tan", Cost::function},
    {"ArcSin", Cost::function},
    {"ArcCos", Cost::function},
    {"ArcTan", Cost::function},
    {"Sinh", Cost::function},
    {"Cosh", Cost::function},
    {"Tanh", Cost::function},
    {"ArcSinh", Cost::wide},
    {"ArcCosh", Cost::wide},
    {"ArcTanh", Cost::wide},
    {"Erf", Cost::function},
    {"ErfInv", Cost::function},
    {"Sigmoid", Cost::function},
    {"Floor", Cost::cheap},
    {"Ceil", Cost::cheap},
    {"Trunc", Cost::cheap},
    {"Round", Cost::cheap},
    {"Conjugate", Cost::cheap},
    {"Real", Cost::nothing},
    {"Imag", Cost::cheap},
    {"LogicalNot", Cost::cheap},
    {"BitwiseInvert", Cost::cheap},
    {"Add", Cost::cheap},
    {"Subtract", Cost::cheap},
    {"Multiply", Cost::cheap},
    {"Divide", Cost::division},
    {"FloorDivide", Cost::lane_by_lane},
    {"Remainder", Cost::lane_by_lane},
    {"Power", Cost::wide},
    {"Maximum", Cost::cheap},
    {"Minimum", Cost::cheap},
    {"LogAddExp", Cost::wide},
    {"ArcTan2", Cost::function},
    {"BitwiseAnd", Cost::cheap},
    {"BitwiseOr", Cost::cheap},
    {"BitwiseXor", Cost::cheap},
    {"LeftShift", Cost::cheap},
    {"RightShift", Cost::cheap},
    {"LogicalAnd", Cost::cheap},
    {"LogicalOr", Cost::cheap},
    {"Equal", Cost::cheap},
    {"NaNEqual", Cost::cheap},
    {"NotEqual", Cost::cheap},
    {"Less", Cost::cheap},
    {"LessEqual", Cost::cheap},
    {"Greater", Cost::cheap},
    {"GreaterEqual", Cost::cheap},
    {"Select", Cost::cheap},
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
  return op_arity(op);
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
