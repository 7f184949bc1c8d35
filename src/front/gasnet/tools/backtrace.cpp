// Backtraces, by a function of the library or of the program.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "front/gasnet/tools/environment.hpp"
#include "front/gasnet/tools/signals.hpp"
#include "gasnet_tools.h"
#include "process/crash.hpp"
#include "process/message.hpp"
#include "process/stack.hpp"

// Null if the program does not define it.
extern "C" __attribute__((weak)) gasnett_backtrace_type_t gasnett_backtrace_user;

namespace gondwana::gasnet::tools {
namespace {

int print_own_stack(int fd) {
  print_to(fd, "the stack of process %d on %s:", static_cast<int>(getpid()), gasnett_gethostname());
  return print_stack(fd, place_of_crash()) ? 0 : 1;
}

constexpr gasnett_backtrace_type_t own{"EXECINFO", &print_own_stack, 0};

using Types = std::array<const gasnett_backtrace_type_t*, 2>;

// The available functions. The function of the program is first.
Types known_types() {
  const gasnett_backtrace_type_t* user = &gasnett_backtrace_user;
  if (user == nullptr || user->name == nullptr || user->fnp == nullptr) return {&own, nullptr};
  return {user, &own};
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) words.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return words;
}

std::string names_of(const Types& types) {
  std::string text;
  for (const gasnett_backtrace_type_t* type : types)
    if (type != nullptr) text += (text.empty() ? "" : ",") + std::string(type->name);
  return text;
}

// The functions that GASNET_BACKTRACE_TYPE names, in its order. Unknown names are skipped: lists
// for other libraries name debuggers that the library does not start.
Types chosen_types() {
  const Types known = known_types();
  const std::string all = names_of(known);
  Types chosen{};
  std::size_t count = 0;
  const Setting setting = own_setting(VariableId::gasnet_backtrace_type);
  report(VariableId::gasnet_backtrace_type);
  if (setting.value == "all") return known;
  for (const std::string& name : split(setting.value)) {
    const auto found = std::ranges::find_if(
        known, [&](const auto* type) { return type != nullptr && name == type->name; });
    if (found != known.end() && std::ranges::find(chosen, *found) == chosen.end())
      chosen[count++] = *found;
  }
  if (count > 0) return chosen;
  if (own_rank().value_or(0) == 0)
    say("GASNET_BACKTRACE_TYPE \"%s\": expected some of %s; using %s",
        std::string(setting.value).c_str(), all.c_str(), all.c_str());
  return known;
}

// The functions to try, in order. The mutex guards writes. Signal handlers read without it, so each
// pointer is atomic.
struct Choice {
  std::mutex mutex;
  std::atomic<bool> is_made{false};
  std::array<std::atomic<const gasnett_backtrace_type_t*>, std::tuple_size_v<Types>> types{};
};
constinit Choice choice;

void choose() {
  const std::lock_guard lock(choice.mutex);
  const Types types = chosen_types();
  for (std::size_t i = 0; i < types.size(); ++i)
    choice.types[i].store(types[i], std::memory_order_relaxed);
  choice.is_made.store(true, std::memory_order_release);  // acquired by gasnett_print_backtrace
}

// Whether a list like "0,2-4,6" contains this rank.
bool names_rank(std::string_view list, std::uint32_t self) {
  for (const std::string& word : split(list)) {
    char* end = nullptr;
    const unsigned long first = std::strtoul(word.c_str(), &end, 10);
    const unsigned long last = *end == '-' ? std::strtoul(end + 1, &end, 10) : first;
    if (self >= first && self <= last) return true;
  }
  return false;
}

bool is_wanted_here() {
  const std::string_view ranks = own_setting(VariableId::gasnet_backtrace_nodes).value;
  return ranks == "*" || names_rank(ranks, own_rank().value_or(0));
}

int print_if_enabled(int fd) {
  if (is_on(VariableId::gondwana_backtrace))
    return is_wanted_here() ? gasnett_print_backtrace(fd) : 1;
  print_to(fd, "set GASNET_BACKTRACE=1 to print the stack when a rank fails");
  return 1;
}

}  // namespace
}  // namespace gondwana::gasnet::tools

using namespace gondwana::gasnet::tools;

int (*gasnett_print_backtrace_ifenabled)(int fd) = &print_if_enabled;

// The library finds the executable without `exename`.
void gasnett_backtrace_init(const char* /*exename*/) {
  choose();
  gondwana::print_crashes_by(&print_if_enabled);
  catch_debug_signals();
}

int gasnett_print_backtrace(int fd) {
  if (!choice.is_made.load(std::memory_order_acquire)) choose();
  for (const auto& type : choice.types) {
    const gasnett_backtrace_type_t* way = type.load(std::memory_order_relaxed);
    if (way != nullptr && way->fnp(fd) == 0) return 0;
  }
  return 1;
}
