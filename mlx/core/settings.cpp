// Reading, checking and listing the settings; the rows are in settings_table.inc.
#include "mlx/core/settings.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <sstream>
#include <stdexcept>

extern "C" char** environ;

namespace mlx::core::settings {

namespace {

constexpr int kCount = static_cast<int>(std::size(kTable));

struct Raw {
  std::string variable;
  std::string text;
};

template <typename F>
void for_each_word(std::string_view words, F&& f) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (f(words.substr(0, end))) {
      return;
    }
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

bool has_word(std::string_view words, std::string_view word) {
  bool found = false;
  for_each_word(words, [&](std::string_view w) { return found = w == word; });
  return found;
}

std::string_view trim(std::string_view text) {
  const char* blanks = " \t\r\n";
  const size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// The set variable of the highest priority. Empty text counts as unset where no
// reader could use it.
std::optional<Raw> find(const Setting& s) {
  const bool keep_empty =
      s.kind == Kind::presence ||
      ((s.kind == Kind::string || s.kind == Kind::path) && s.choices[0] == '\0');
  std::optional<Raw> result;
  for_each_word(s.variables(), [&](std::string_view name) {
    const std::string variable(name);
    const char* text = std::getenv(variable.c_str());
    if (text != nullptr && (keep_empty || !trim(text).empty())) {
      result = Raw{variable, text};
    }
    return result.has_value();
  });
  return result;
}

[[noreturn]] void throw_malformed(const Raw& raw, const std::string& accepted) {
  throw std::invalid_argument("[settings] " + raw.variable + " is \"" + raw.text + "\": expected " +
                              accepted);
}

// The whole text as a decimal integer.
std::optional<int64_t> to_integer(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+') && !text.starts_with("+-")) {
    text.remove_prefix(1);
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

int64_t parse_integer(const Setting& s, const Raw& raw) {
  const auto value = to_integer(raw.text);
  if (!value || *value < s.minimum) {
    std::string accepted = "a decimal integer";
    if (s.minimum != std::numeric_limits<int64_t>::min()) {
      accepted += " of at least " + std::to_string(s.minimum);
    }
    throw_malformed(raw, accepted);
  }
  return *value;
}

bool parse_boolean(const Raw& raw) {
  std::string word(trim(raw.text));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (has_word("true on yes", word)) {
    return true;
  }
  if (has_word("false off no", word)) {
    return false;
  }
  const auto value = to_integer(word);
  if (!value) {
    throw_malformed(raw, "an integer (0 turns it off) or one of true, false, on, off, yes, no");
  }
  return *value != 0;
}

std::string parse_text(const Setting& s, const Raw& raw) {
  if (s.choices[0] != '\0') {
    const std::string choice(trim(raw.text));
    if (!has_word(s.choices, choice)) {
      std::string accepted = "one of ";
      for_each_word(s.choices, [&](std::string_view word) {
        accepted += accepted.ends_with("of ") ? "" : ", ";
        accepted += word;
        return false;
      });
      throw_malformed(raw, accepted);
    }
    return choice;
  }
  return raw.text;
}

// Values that are read once. Leaked: settings may be asked for at exit.
struct Slot {
  std::atomic<bool> ready{false};
  bool flag = false;
  std::optional<int64_t> integer;
  std::optional<std::string> text;
};
Slot* slots() {
  static Slot* all = new Slot[kCount];
  return all;
}
std::mutex& slots_mutex() {
  static std::mutex* mutex = new std::mutex;
  return *mutex;
}

// Runs `read`, or returns the kept value of a When::once row.
template <typename T, typename Read>
T kept(Name name, T Slot::*member, Read&& read) {
  if (row(name).when != When::once) {
    return read();
  }
  Slot& slot = slots()[static_cast<int>(name)];
  if (!slot.ready.load(std::memory_order_acquire)) {
    std::lock_guard lock(slots_mutex());
    if (!slot.ready.load(std::memory_order_relaxed)) {
      slot.*member = read();
      slot.ready.store(true, std::memory_order_release);
    }
  }
  return slot.*member;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> above(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) {
    above[j] = j;
  }
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = above[0];
    above[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t substituted = diagonal + (a[i] != b[j]);
      diagonal = above[j + 1];
      above[j + 1] = std::min({substituted, above[j] + 1, diagonal + 1});
    }
  }
  return above.back();
}

std::string effective_value(const Setting& s, const std::optional<Raw>& raw) {
  switch (s.kind) {
    case Kind::presence:
      return raw ? "on" : "off";
    case Kind::boolean:
      return (raw ? parse_boolean(*raw) : parse_boolean({"", s.default_value})) ? "1" : "0";
    case Kind::integer:
      return raw ? std::to_string(parse_integer(s, *raw)) : s.default_value;
    default:
      return raw ? parse_text(s, *raw) : s.default_value;
  }
}

}  // namespace

bool read_flag(Name name) {
  return kept(name, &Slot::flag, [&] {
    const Setting& s = row(name);
    const auto raw = find(s);
    if (s.kind == Kind::presence) {
      return raw.has_value();
    }
    return parse_boolean(raw ? *raw : Raw{"", s.default_value});
  });
}

std::optional<int64_t> read_integer(Name name) {
  return kept(name, &Slot::integer, [&]() -> std::optional<int64_t> {
    const Setting& s = row(name);
    if (const auto raw = find(s)) {
      return parse_integer(s, *raw);
    }
    return to_integer(s.default_value);
  });
}

std::optional<std::string> read_text(Name name) {
  return kept(name, &Slot::text, [&]() -> std::optional<std::string> {
    const Setting& s = row(name);
    if (const auto raw = find(s)) {
      return parse_text(s, *raw);
    }
    return s.default_value[0] != '\0' ? std::optional<std::string>(s.default_value) : std::nullopt;
  });
}

std::optional<std::string> read_variable(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::optional<std::string>(text) : std::nullopt;
}

std::optional<int64_t> read_integer_variable(const char* name) {
  const auto text = read_variable(name);
  if (!text || trim(*text).empty()) {
    return std::nullopt;
  }
  const Raw raw{name, *text};
  for (const Setting& s : kTable) {
    if (s.kind == Kind::boolean && has_word(s.variables(), name)) {
      return parse_boolean(raw);
    }
  }
  const auto value = to_integer(raw.text);
  if (!value) {
    throw_malformed(raw, "a decimal integer");
  }
  return value;
}

int bfs_max_width() {
  const int64_t width = value<Name::bfs_max_width>();
  constexpr int64_t unlimited = std::numeric_limits<int>::max();
  return static_cast<int>(width < 0 ? unlimited : std::clamp<int64_t>(width, 1, unlimited));
}

std::vector<Report> report() {
  std::vector<Report> lines;
  for (const Setting& s : kTable) {
    const auto raw = find(s);
    Report line{s.name, "", raw ? raw->variable : "default", "", s.description, false};
    if (s.in_use || s.when == When::external) {
      line.effect = std::string("used by ") + s.reader;
    } else {
      line.effect = std::string("declared; no effect in this build (") + s.reader + ")";
    }
    try {
      line.value = effective_value(s, raw);
    } catch (const std::invalid_argument& e) {
      line.value = raw->text;
      line.effect = e.what();
      line.malformed = true;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Unknown> unknown_variables() {
  std::vector<Unknown> unknown;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with("MLX_") && !name.starts_with("JACCL_")) {
      continue;
    }
    bool known = false;
    std::string_view nearest;
    size_t best = std::numeric_limits<size_t>::max();
    for (const Setting& s : kTable) {
      for_each_word(s.variables(), [&](std::string_view candidate) {
        const size_t distance = edit_distance(name, candidate);
        known |= distance == 0;
        if (distance < best) {
          best = distance;
          nearest = candidate;
        }
        return false;
      });
    }
    if (!known) {
      unknown.push_back({std::string(name), std::string(nearest)});
    }
  }
  std::sort(unknown.begin(), unknown.end(),
            [](const Unknown& a, const Unknown& b) { return a.name < b.name; });
  return unknown;
}

void forget() {
  std::lock_guard lock(slots_mutex());
  for (int i = 0; i < kCount; ++i) {
    slots()[i].ready.store(false, std::memory_order_relaxed);
  }
}

}  // namespace mlx::core::settings
