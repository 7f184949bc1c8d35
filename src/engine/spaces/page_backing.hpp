// The backing of program memory, and whether peers can reach it.
#pragma once

#include "core/result.hpp"
#include "core/types.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

struct PageBacking {
  UniqueFd file;         // a duplicate descriptor; empty: the memory is private
  std::size_t from = 0;  // offset of the pages in the file
};

// `pages` must be whole pages. Two kinds of readable and writable memory are suitable: private
// memory, whose pages can be replaced by copies, and a shared mapping of a file that the process
// has open for reading and writing. Replacing pages of other shared memory would detach it from its
// other mappings.
Result<PageBacking> examine_pages(Bytes pages);

// Whether two ranges of this process map the same bytes of one file. False if that is unknown.
bool are_same_pages(Bytes one, Bytes other);

}  // namespace gondwana
