// What the parts of a rank's program share: its memory, and what they expect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "simulation/engine/machine.hpp"
#include "simulation/engine/program.hpp"
#include "support/rank_test.hpp"

namespace gondwana::simulation {

class RankContext {
 public:
  RankContext(Machine& on, const Program& of, Engine& engine);

  std::uint32_t me() const { return static_cast<std::uint32_t>(world_.me()); }
  shmem::Caller as(CallName name) { return world_.as(name); }
  std::byte* area(std::uint32_t writer) { return areas.data() + writer * program.area_size; }
  std::byte* mail(std::uint32_t writer) { return mails.data() + writer * program.mail_size; }

  // Ends the process unless it holds.
  void expect(bool holds, const std::string& what) const;
  void expect_bytes(const std::byte* found, std::span<const std::byte> expected,
                    const std::string& what) const;

  // Bytes that stay until the next quiet. Then they are overwritten.
  std::vector<std::byte>& keep(std::vector<std::byte> bytes) {
    return kept_.emplace_back(std::move(bytes));
  }
  // For an operation whose source may be used again when it returns.
  void overwrite_last();
  void after_quiet(std::function<void()> check) { checks_.push_back(std::move(check)); }
  void quiet();
  // A quiet has happened in another call.
  void has_quieted();

  Machine& machine;
  const Program& program;

 private:
  test::World world_;
  std::deque<std::vector<std::byte>> kept_;
  std::vector<std::function<void()>> checks_;

 public:
  std::size_t ranks;
  std::size_t number = 0;  // of the phase
  std::span<std::byte> areas;
  std::span<std::byte> mails;
  std::span<std::uint64_t> flags;  // by sender of mail
  std::span<std::uint64_t> cells;  // by writer
  std::span<std::uint64_t> sums;
  std::span<std::uint64_t> bits;    // one
  std::span<std::uint64_t> totals;  // accumulates add to them
  std::span<std::uint64_t> counter;
  std::span<long> lock;
  std::span<std::uint64_t> from;  // of collectives
  std::span<std::uint64_t> to;
  shmem_team_t team = SHMEM_TEAM_INVALID;
  std::vector<std::uint64_t> sent;    // to the flag of each rank
  Matrix<std::uint64_t> seen;         // of the sums of each rank
  std::deque<std::uint64_t> results;  // of non-blocking operations
};

}  // namespace gondwana::simulation
