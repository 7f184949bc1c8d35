// The machines that the ranks of the job run on. GASNet-EX 0.19, Neighborhood and Host: a host
// holds whole neighborhoods, and one machine may hold several nodes.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "gasnet/system.h"

namespace gondwana::gasnet {

using RankInfo = std::remove_const_t<gex_RankInfo_t>;

// A number that all ranks on this machine share, even across containers.
std::uint64_t this_machine();

// Hosts are numbered in the order of their first ranks.
struct Hosts {
  std::vector<std::uint32_t> of_rank;  // the number of each rank's host
  std::uint32_t count = 0;
  std::vector<RankInfo> mine;  // the ranks of the caller's host, in order
  std::uint32_t position = 0;  // index of the caller among them

  // `machines`: this_machine() of each rank of the job.
  static Hosts of(std::span<const std::uint64_t> machines, std::uint32_t me);
};

}  // namespace gondwana::gasnet
