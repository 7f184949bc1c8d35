#include "run/io/final_output.hpp"

#include "core/machine.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t max_without_launcher_ns = 1'000'000'000;  // there may be no reader then
constexpr int check_interval_ms = 10;

}  // namespace

void write_final_output(FunctionRef<bool()> write, const Outcome& outcome, Poller& poller) {
  const std::uint64_t end_ns = monotonic_ns() + max_without_launcher_ns;
  while (!write() && !outcome.abandons_output) {
    if (outcome.has_lost_launcher && monotonic_ns() > end_ns) return;
    poller.wait(outcome.has_lost_launcher ? check_interval_ms : -1);
  }
}

}  // namespace gondwana::launch
