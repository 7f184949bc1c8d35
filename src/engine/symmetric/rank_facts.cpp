#include "engine/symmetric/rank_facts.hpp"

#include <fmt/format.h>

#include "core/mapping.hpp"

namespace gondwana {

Result<void> compare_with_first(const RankFacts& mine, const RankFacts& first) {
  if (first.program_id != mine.program_id || first.globals_size != mine.globals_size) {
    return Error{Errc::invalid_argument,
                 "this rank runs a different program than rank 0: global variables would not be "
                 "symmetric; start the same executable on every rank"};
  }
  if (mine.heap_size != first.heap_size) {
    return Error{Errc::invalid_argument,
                 fmt::format("this rank has a heap of {}, rank 0 one of {}; set GONDWANA_HEAP_SIZE "
                             "to the same value on every rank",
                             format_size(mine.heap_size), format_size(first.heap_size))};
  }
  if (mine.heap_offset != first.heap_offset)
    return Error{Errc::invalid_argument,
                 "the heap of this rank is at a different offset than on rank 0; set "
                 "GONDWANA_HUGETLB and GONDWANA_REMOTE_HEAP to the same values on every rank"};
  if (first.checks != mine.checks) {
    return Error{Errc::invalid_argument,
                 fmt::format("this rank {} its calls, rank 0 {}; set SHMEM_DEBUG on every rank or "
                             "on none",
                             mine.checks != 0 ? "checks" : "does not check",
                             mine.checks != 0 ? "does not" : "does")};
  }
  if (first.redzones != mine.redzones)
    return Error{
        Errc::invalid_argument,
        fmt::format("this rank runs {} AddressSanitizer, rank 0 {}: blocks of the heap would not "
                    "be symmetric; set GONDWANA_DEBUG=yes on every rank",
                    mine.redzones != 0 ? "with" : "without",
                    mine.redzones != 0 ? "does not" : "does")};
  if (first.algorithms != mine.algorithms)
    return Error{Errc::invalid_argument,
                 "this rank uses different collective algorithms than rank 0; set "
                 "GONDWANA_BARRIER_ALGORITHM and similar variables to the same values on every "
                 "rank, in the environment and in the site file of every host"};
  return {};
}

}  // namespace gondwana
