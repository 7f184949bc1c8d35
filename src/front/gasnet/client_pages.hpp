// Memory that the client brings for a segment.
#pragma once

#include "core/result.hpp"
#include "core/types.hpp"

namespace gondwana::gasnet {

// Whether pages of the arena can take the place of these, which are whole: all of them are mapped,
// private, and may be read and written. Pages that the client shares are not: another mapping of
// them would no longer see what is written here.
Result<void> examine_client_pages(Bytes pages);

}  // namespace gondwana::gasnet
