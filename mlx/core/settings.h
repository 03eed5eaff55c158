// The only reader of the environment. Every variable is a row of
// settings_table.inc; nothing else in the library calls getenv.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mlx/api.h"

namespace mlx::core::settings {

enum class Kind {
  presence,  // on when set, whatever the value
  boolean,   // an integer (0 is off) or true/false, on/off, yes/no
  integer,   // a decimal integer
  string,
  path,
};

enum class When {
  once,      // at the first use, then kept
  init,      // whenever the object it configures is made
  each,      // at every use
  external,  // not read by the library
};

enum class Name {
#define MLX_SETTING(id, name, names, kind, when, default_, minimum, choices, reader, in_use, desc) id,
#include "mlx/core/settings_table.inc"
#undef MLX_SETTING
};

struct Setting {
  Name id;
  const char* name;   // under which the setting is listed
  const char* names;  // all variables that set it, by priority; "" for the name alone
  Kind kind;
  When when;
  const char* default_value;  // "" for none
  int64_t minimum;
  const char* choices;
  const char* reader;
  bool in_use;
  const char* description;

  /// The variables that set it, by priority, separated by spaces.
  constexpr const char* variables() const { return names[0] != '\0' ? names : name; }
};

inline constexpr Setting kTable[] = {
#define MLX_SETTING(id, name, names, kind, when, default_, minimum, choices, reader, in_use, desc) \
  {Name::id, name, names, Kind::kind, When::when, default_, minimum, choices, reader, in_use, desc},
#include "mlx/core/settings_table.inc"
#undef MLX_SETTING
};

inline constexpr const Setting& row(Name name) { return kTable[static_cast<int>(name)]; }

// Untyped readers behind value(). They throw std::invalid_argument naming the
// variable, its value and the accepted form when the value is malformed.
MLX_API bool read_flag(Name name);
MLX_API std::optional<int64_t> read_integer(Name name);
MLX_API std::optional<std::string> read_text(Name name);

/// A variable that need not be in the table: its text, unless it is unset.
MLX_API std::optional<std::string> read_variable(const char* name);
/// The same as an integer (booleans are 0 or 1), unless it is unset or empty.
MLX_API std::optional<int64_t> read_integer_variable(const char* name);

/// The effective value: bool for presence and boolean, else int64_t or
/// std::string, wrapped in std::optional when the setting has no default.
template <Name N>
auto value() {
  constexpr const Setting& setting = row(N);
  constexpr bool has_default = setting.default_value[0] != '\0';
  if constexpr (setting.kind == Kind::presence || setting.kind == Kind::boolean) {
    return read_flag(N);
  } else if constexpr (setting.kind == Kind::integer && has_default) {
    return *read_integer(N);
  } else if constexpr (setting.kind == Kind::integer) {
    return read_integer(N);
  } else if constexpr (has_default) {
    return *read_text(N);
  } else {
    return read_text(N);
  }
}

/// MLX_BFS_MAX_WIDTH as a limit: at least 1, the largest int for unlimited.
MLX_API int bfs_max_width();

/// One line of `python -m mlx env`.
struct Report {
  std::string name;
  std::string value;   // "" when the setting has neither a value nor a default
  std::string source;  // "default", or the variable that the value came from
  std::string effect;  // who uses it, that nobody does in this build, or what is wrong with it
  std::string description;
  bool malformed;
};
MLX_API std::vector<Report> report();

/// An MLX_* or JACCL_* variable that is set and unknown, and the nearest known name.
struct Unknown {
  std::string name;
  std::string nearest;
};
MLX_API std::vector<Unknown> unknown_variables();

/// Drops the values kept by When::once; for tests.
MLX_API void forget();

}  // namespace mlx::core::settings
