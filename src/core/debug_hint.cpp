#include "core/debug_hint.hpp"

#include "core/options.hpp"

namespace gondwana {

std::string suggest_debug(const Environment& ranks) {
  const Result<Options> options = read_options(ranks);
  if (options && options->checks) return {};
  return "run again with -x GONDWANA_DEBUG=yes: it names the call";
}

std::string suggest_debug_of_size() {
  const std::string hint = suggest_debug();
  return hint.empty() ? hint : "; " + hint + " that first leaves its block or variable";
}

}  // namespace gondwana
