// What the provider for tests demands, and what happens to callers that violate it.
#pragma once

#include <rdma/fi_domain.h>
#include <signal.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string>

namespace strict {

[[noreturn, gnu::format(printf, 1, 2)]] inline void breach(const char* format, ...) {
  std::fputs("strict provider: ", stderr);
  va_list values;
  va_start(values, format);
  std::vfprintf(stderr, format, values);
  va_end(values);
  std::fputs("\n", stderr);
  ::signal(SIGABRT, SIG_DFL);  // PSM, which libfabric loads, would write a file
  std::abort();
}

inline const char* value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

inline int read_modes() {
  static const std::map<std::string, int> names{
      {"local", FI_MR_LOCAL},         {"virt_addr", FI_MR_VIRT_ADDR}, {"prov_key", FI_MR_PROV_KEY},
      {"allocated", FI_MR_ALLOCATED}, {"endpoint", FI_MR_ENDPOINT},   {"raw", FI_MR_RAW}};
  int modes = 0;
  std::istringstream words(value_of("FI_STRICT_MR"));
  for (std::string word; std::getline(words, word, ',');) {
    if (!names.contains(word)) breach("FI_STRICT_MR knows no %s", word.c_str());
    modes |= names.at(word);
  }
  if ((modes & FI_MR_VIRT_ADDR) != 0 && (modes & FI_MR_PROV_KEY) == 0)
    breach("FI_STRICT_MR has virt_addr with prov_key only");
  return modes;
}

inline const int modes = read_modes();

inline bool demands(int mode) {
  return (modes & mode) != 0;
}

// A table of calls that replaces the table of a wrapped object and can call the original.
template <typename Ops>
struct Above : Ops {
  Ops* below;
};
template <typename Ops>
Above<Ops>& lay_above(Ops*& ops) {
  auto* above = new Above<Ops>{*ops, ops};
  ops = above;
  return *above;
}
// The same without the original calls.
template <typename Ops>
Above<Ops>& lay_above_only(Ops*& ops) {
  auto* above = new Above<Ops>{{}, ops};
  above->size = sizeof(Ops);
  ops = above;
  return *above;
}
template <typename Ops>
Ops* below(Ops* ops) {
  return static_cast<Above<Ops>*>(ops)->below;
}
template <typename Ops>
void take_off(Ops*& ops) {
  const std::unique_ptr<Above<Ops>> above(static_cast<Above<Ops>*>(ops));
  ops = above->below;
}

}  // namespace strict
