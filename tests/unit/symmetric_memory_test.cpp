#include "engine/symmetric/symmetric_memory.hpp"

#include <gtest/gtest.h>

#include "core/access_checkers.hpp"
#include "support/nodes.hpp"

namespace gondwana {
namespace {

// AddressSanitizer ends the test otherwise.
TEST(SymmetricMemory, after_its_end_memory_before_the_heap_may_be_used) {
  if (!has_address_sanitizer()) GTEST_SKIP() << "only AddressSanitizer sees it";
  const std::shared_ptr<NodeMemory> memory =
      test::get_or_abort(NodeMemory::create(NodeShare::whole(1)));
  const HeapPlace place{.offset = huge_offset, .size = huge_page, .huge = 0, .redzones = true};
  std::byte* before = memory->window(Rank(0)) + place.offset - 1;
  {
    const SymmetricMemory heap(memory, Rank(0), {}, place);
  }
  *before = std::byte{1};
  EXPECT_EQ(*before, std::byte{1});
}

}  // namespace
}  // namespace gondwana
