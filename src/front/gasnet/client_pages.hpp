// Memory that a client brings for a segment.
#pragma once

#include "core/result.hpp"
#include "core/types.hpp"
#include "core/unique_fd.hpp"

namespace gondwana::gasnet {

// What backs whole pages of the client.
struct ClientPages {
  UniqueFd file;         // a duplicate descriptor; empty: the memory is private
  std::size_t from = 0;  // where the pages begin in the file
};

// Two kinds of readable and writable memory are suitable: private memory, whose pages can be
// replaced by copies, and a shared mapping of a file that the process has open for reading and
// writing. Replacing pages of other shared memory would detach it from its other mappings.
Result<ClientPages> examine_client_pages(Bytes pages);

}  // namespace gondwana::gasnet
