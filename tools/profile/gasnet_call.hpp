// What the wrappers of GASNet-EX's calls need. These calls have no second names: the next library
// after this one has them.
#pragma once

#include <numeric>
#include <span>

#include "call.hpp"
#include "gasnet.h"
#include "gasnet_coll.h"
#include "gasnet_mk.h"
#include "gasnet_ratomic.h"
#include "gasnet_vis.h"

namespace gondwana::profile {

// Ends the process where there is none.
void* find_gasnet_call(const char* name);

template <typename Function>
Function* gasnet_call(const char* name) {
  return reinterpret_cast<Function*>(find_gasnet_call(name));
}

// In the job; -1: the call itself will say that there is no such rank.
int job_rank(Member peer);
int job_rank(Sender peer);

// Of lists of pieces, and of arrays with several dimensions.
inline std::size_t bytes_of(std::size_t count, const gex_Memvec_t* list) {
  std::size_t bytes = 0;
  for (const gex_Memvec_t& piece : std::span(list, count)) bytes += piece.gex_len;
  return bytes;
}
inline std::size_t bytes_of(std::size_t element, const std::size_t* count, std::size_t levels) {
  const std::span counts(count, levels);
  return std::accumulate(counts.begin(), counts.end(), element, std::multiplies<>());
}

}  // namespace gondwana::profile
