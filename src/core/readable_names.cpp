#include "core/readable_names.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace gondwana {
namespace {

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

// The names in a mangled name of C++, in order.
class Mangled {
 public:
  explicit Mangled(std::string_view text) : rest_(text) {}

  bool skip(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }

  // A length and that number of letters; empty if something else follows.
  std::string_view name() {
    std::size_t length = 0;
    while (!rest_.empty() && is_digit(rest_.front()) && length < 1000) {
      length = 10 * length + static_cast<std::size_t>(rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    const std::string_view text = rest_.substr(0, length);
    rest_.remove_prefix(text.size());
    return text.size() == length ? text : std::string_view();
  }

 private:
  std::string_view rest_;
};

// Names of functions and of their scopes. For templates, operators and lambdas, the names before
// them.
bool read_names(std::string_view mangled, std::array<char, 256>& readable) {
  Mangled text(mangled);
  if (!text.skip("_Z")) return false;
  if (text.skip("N"))
    while (text.skip("K") || text.skip("V") || text.skip("r")) {
    }
  std::size_t length = 0;
  std::string_view last;
  const auto add = [&](std::string_view prefix, std::string_view name) {
    const std::string_view colons = length > 0 ? "::" : "";
    for (const std::string_view part : {colons, prefix, name}) {
      const std::size_t fits = std::min(part.size(), readable.size() - 1 - length);
      std::copy_n(part.begin(), fits, readable.begin() + static_cast<std::ptrdiff_t>(length));
      length += fits;
    }
    readable[length] = '\0';
  };
  if (text.skip("St")) add("", "std");
  for (;;) {
    text.skip("L");
    const std::string_view name = text.name();
    if (name.empty()) break;
    if (!name.starts_with("_GLOBAL__N_")) add("", last = name);
  }
  if (!last.empty() && (text.skip("C1") || text.skip("C2"))) add("", last);
  if (!last.empty() && (text.skip("D0") || text.skip("D1") || text.skip("D2"))) add("~", last);
  return !last.empty();
}

}  // namespace

void make_readable(std::array<char, 256>& name) {
  const std::array<char, 256> given = name;
  const std::string_view text = given.data();
  if (read_names(text, name)) return;
  const std::size_t procedure = text.find("_MOD_");
  if (!text.starts_with("__") || procedure == std::string_view::npos) return;
  const std::string_view own = text.substr(procedure + 5);
  *std::ranges::copy(own, name.begin()).out = '\0';
}

}  // namespace gondwana
