// Host memory that the program itself has pinned for a device, by the driver's calls.
#pragma once

#include <concepts>

#include "core/mapping.hpp"
#include "core/types.hpp"

namespace gondwana {

// Whether the program has pinned some of these pages. The driver keeps using the pinned pages: if
// other pages replaced them, only the processor would see the new ones. A pin that includes neither
// the first nor the last byte of a page is not detected.
bool has_pinned(Bytes pages);

// Whether the predicate holds for the first or the last byte of a page.
template <std::predicate<const std::byte*> Predicate>
bool has_byte_at_page_edge(Bytes pages, const Predicate& holds) {
  for (std::size_t at = 0; at < pages.size(); at += page_size())
    if (holds(pages.data() + at) || holds(pages.data() + at + page_size() - 1)) return true;
  return false;
}

}  // namespace gondwana
