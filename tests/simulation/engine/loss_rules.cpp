#include "simulation/engine/loss_rules.hpp"

#include <fmt/format.h>

namespace gondwana::simulation {
namespace {

constexpr Nanoseconds second = 1'000'000'000;
// Until the launcher has ended the job.
constexpr Nanoseconds end_of_job = second / 2;

}  // namespace

std::string host_of(std::uint32_t node) {
  return fmt::format("node{}", node);
}

std::uint32_t LossRules::node() const {
  if (program_.loss->what != Loss::What::rank) return program_.loss->number;
  std::uint32_t node = 0;
  for (std::uint32_t rank = program_.nodes[0]; rank <= program_.loss->number;)
    rank += program_.nodes[++node];
  return node;
}

// Peers greet each other in a sixteenth of the timeout, and look four times in it.
void LossRules::begin() {
  has_begun_ = true;
  machine_.set_deadline(machine_.now() + 3 * program_.peer_timeout_s * second + 2 * second);
}

void LossRules::tell(const std::string& text) {
  machine_.note("is told of a loss");
  if (!has_begun_) machine_.fail("nothing is lost: " + text);
  const std::string host = host_of(node());
  if (text.find(host) == std::string::npos)
    machine_.fail(fmt::format("{} has a loss, but a rank is told: {}", host, text));
  if (is_told_) return;
  is_told_ = true;
  machine_.at(machine_.now() + end_of_job, [this] { machine_.stop(); });
}

}  // namespace gondwana::simulation
