// Helpers for the wrappers of GASNet-EX's calls. These calls have no profiling aliases: RTLD_NEXT
// finds them in the next library.
#pragma once

#include <numeric>
#include <span>

#include "call.hpp"
#include "gasnet.h"
#include "gasnet/unique_id.h"
#include "gasnet_coll.h"
#include "gasnet_mk.h"
#include "gasnet_ratomic.h"
#include "gasnet_vis.h"

namespace gondwana::profile {

// Ends the process if the library lacks the call.
void* find_gasnet_call(const char* name);

template <typename Function>
Function* gasnet_call(const char* name) {
  return reinterpret_cast<Function*>(find_gasnet_call(name));
}

// The rank in the job; -1 if there is none, which the call itself reports.
int job_rank(Member peer);
int job_rank(Sender peer);

// The sizes of lists of pieces and of multidimensional arrays.
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
