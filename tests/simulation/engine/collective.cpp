#include "simulation/engine/collective.hpp"

#include <fmt/format.h>

namespace gondwana::simulation {
namespace {

class Collective {
 public:
  Collective(RankContext& rank, const Phase& phase)
      : rank_(rank),
        phase_(phase),
        team_(phase.in_team ? rank.team : SHMEM_TEAM_WORLD),
        shape_(phase.in_team ? rank.program.team
                             : TeamShape{.size = static_cast<std::uint32_t>(rank.ranks)}),
        root_(phase.root % shape_.size),
        count_(phase.elements) {}

  void run() {
    if (team_ == SHMEM_TEAM_INVALID) return;  // this rank is no member
    const auto me = static_cast<std::size_t>(shmem::team_my_pe(rank_.as("team_my_pe"), team_));
    for (std::size_t i = 0; i < shape_.size * count_; ++i) rank_.from[i] = part(me, i);
    if (!call()) return;
    const std::vector<std::uint64_t> expected = expect(me);
    rank_.expect(std::equal(expected.begin(), expected.end(), rank_.to.begin()),
                 fmt::format("collective {} of {} elements has another result",
                             static_cast<int>(phase_.together), count_));
  }

 private:
  // The value that a member contributes.
  std::uint64_t part(std::size_t member, std::size_t index) const {
    return rank_.number * 1'000'000'000 + member * 1'000'000 + index;
  }

  // False: without a result.
  bool call() {
    std::uint64_t* const to = rank_.to.data();
    const std::uint64_t* const from = rank_.from.data();
    switch (phase_.together) {
      case Together::nothing:
        return false;
      case Together::sync:
        shmem::team_sync(rank_.as("team_sync"), team_);
        return false;
      case Together::sum:
        shmem::reduce<CombineOp::sum>(rank_.as("sum_reduce"), team_, to, from, count_);
        return true;
      case Together::fcollect:
        shmem::fcollect<8>(rank_.as("fcollect"), team_, to, from, count_);
        return true;
      case Together::broadcast:
        shmem::broadcast<8>(rank_.as("broadcast"), team_, to, from, count_,
                            static_cast<int>(root_));
        return true;
      case Together::alltoall:
        shmem::alltoall<8>(rank_.as("alltoall"), team_, to, from, count_);
        return true;
    }
    return false;
  }

  std::vector<std::uint64_t> expect(std::size_t me) const {
    std::vector<std::uint64_t> expected;
    const bool is_wide =
        phase_.together == Together::fcollect || phase_.together == Together::alltoall;
    for (std::size_t i = 0; i < (is_wide ? shape_.size : 1) * count_; ++i) {
      std::uint64_t value = 0;
      if (phase_.together == Together::sum)
        for (std::uint32_t member = 0; member < shape_.size; ++member) value += part(member, i);
      if (phase_.together == Together::fcollect) value = part(i / count_, i % count_);
      if (phase_.together == Together::broadcast) value = part(root_, i);
      if (phase_.together == Together::alltoall) value = part(i / count_, me * count_ + i % count_);
      expected.push_back(value);
    }
    return expected;
  }

  RankContext& rank_;
  const Phase& phase_;
  shmem_team_t team_;
  TeamShape shape_;
  std::uint32_t root_;
  std::size_t count_;
};

}  // namespace

void meet(RankContext& rank, const Phase& phase) {
  Collective(rank, phase).run();
}

}  // namespace gondwana::simulation
