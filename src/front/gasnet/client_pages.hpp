// Memory that a client brings for a segment.
#pragma once

#include "core/result.hpp"
#include "core/types.hpp"
#include "core/unique_fd.hpp"

namespace gondwana::gasnet {

// What lies behind whole pages of the client.
struct ClientPages {
  UniqueFd file;         // a descriptor of its own; none: the memory is private
  std::size_t from = 0;  // where the pages begin in the file
};

// Suitable are private memory that may be read and written, whose pages can be replaced by others
// with the same contents, and a shared mapping of a file that the process has open for reading and
// writing. Other shared memory is refused: replaced, it would part from its other mappings.
Result<ClientPages> examine_client_pages(Bytes pages);

}  // namespace gondwana::gasnet
