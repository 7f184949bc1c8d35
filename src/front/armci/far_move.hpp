// Moves of pieces whose peer memory is out of reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/rma/far_pieces.hpp"
#include "front/armci/rma.hpp"

namespace gondwana::armci {

// `there`: an offset in the space of the peer.
void move_far(const Call& call, Rank rank, std::span<const StridedRun> runs);
void move_section_far(const Call& call, Rank rank, const strided::Transfer& transfer,
                      std::uint64_t offset, std::byte* own);
// The lane counts the requests. The sources may be reused on return.
void accumulate_far(const Call& call, Rank rank, std::span<const StridedRun> runs);

}  // namespace gondwana::armci
