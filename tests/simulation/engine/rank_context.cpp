#include "simulation/engine/rank_context.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/absent_door.hpp"

namespace gondwana::test {

void fail_call(const std::string& sentence) {
  simulation::Machine::present()->give_up(sentence);
}

}  // namespace gondwana::test

namespace gondwana::simulation {
namespace {

constexpr std::byte overwritten{0xee};

}  // namespace

RankContext::RankContext(Machine& on, const Program& of, Engine& engine)
    : machine(on),
      program(of),
      world_(engine, 0),
      ranks(of.ranks()),
      areas(world_.allocate<std::byte>(ranks * of.area_size)),
      mails(world_.allocate<std::byte>(ranks * of.mail_size)),
      flags(world_.allocate<std::uint64_t>(ranks)),
      cells(world_.allocate<std::uint64_t>(ranks)),
      sums(world_.allocate<std::uint64_t>(Program::sums)),
      bits(world_.allocate<std::uint64_t>()),
      totals(world_.allocate<std::uint64_t>(Program::totals)),
      counter(world_.allocate<std::uint64_t>()),
      lock(world_.allocate<long>()),
      from(world_.allocate<std::uint64_t>(ranks * Program::max_elements)),
      to(world_.allocate<std::uint64_t>(ranks * Program::max_elements)),
      sent(ranks),
      seen(ranks, std::vector<std::uint64_t>(Program::sums)) {
  const TeamShape& shape = of.team;
  shmem::team_split_strided(as("team_split_strided"), SHMEM_TEAM_WORLD,
                            static_cast<int>(shape.start), static_cast<int>(shape.stride),
                            static_cast<int>(shape.size), nullptr, 0, &team);
}

void RankContext::expect(bool holds, const std::string& what) const {
  if (!holds) machine.fail(fmt::format("in phase {}: {}", number, what));
}

void RankContext::expect_bytes(const std::byte* found, std::span<const std::byte> expected,
                               const std::string& what) const {
  const auto [difference, other] =
      std::ranges::mismatch(expected, std::span(found, expected.size()));
  if (difference == expected.end()) return;
  expect(false, fmt::format("{}: byte {} of {} is {:#x}, not {:#x}", what,
                            difference - expected.begin(), expected.size(),
                            std::to_integer<int>(*other), std::to_integer<int>(*difference)));
}

void RankContext::overwrite_last() {
  std::ranges::fill(kept_.back(), overwritten);
  kept_.pop_back();
}

void RankContext::quiet() {
  shmem::quiet(as("quiet"));
  has_quieted();
}

void RankContext::has_quieted() {
  for (const auto& check : checks_) check();
  checks_.clear();
  results.clear();
  for (auto& bytes : kept_) std::ranges::fill(bytes, overwritten);
  kept_.clear();
}

}  // namespace gondwana::simulation
