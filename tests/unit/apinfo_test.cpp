#include "bootstrap/apinfo.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace gondwana {
namespace {

using File = std::vector<std::byte>;

template <typename T>
void write(File& file, std::size_t at, const T& value) {
  if (file.size() < at + sizeof value) file.resize(at + sizeof value);
  std::memcpy(file.data() + at, &value, sizeof value);
}

struct Layout {
  int version;
  std::uint64_t header;  // bytes
  std::uint64_t rank;    // bytes of an element
  std::uint64_t node;
};
constexpr Layout version_1{1, 136, 12, 68};
constexpr Layout version_5{5, 160, 12, 68};
constexpr Layout later{6, 200, 16, 80};

// Four ranks: rank 0 on the second of two nodes.
File file_of(const Layout& layout) {
  constexpr std::size_t ranks_group = 16 + 2 * 24;
  constexpr std::size_t nodes_group = 16 + 3 * 24;
  const std::uint64_t ranks_at = layout.header;
  const std::uint64_t nodes_at = ranks_at + 4 * layout.rank;
  File file(nodes_at + 2 * layout.node);
  write(file, 0, layout.version);
  write(file, 8, std::uint64_t{file.size()});
  write(file, ranks_group, layout.rank);
  write(file, ranks_group + 8, ranks_at);
  write(file, ranks_group + 16, 4);
  write(file, nodes_group, layout.node);
  write(file, nodes_group + 8, nodes_at);
  write(file, nodes_group + 16, 2);
  for (int rank = 0; rank < 4; ++rank)
    write(file, ranks_at + static_cast<std::uint64_t>(rank) * layout.rank + 8, rank < 2 ? 1 : 0);
  std::memcpy(file.data() + nodes_at + 4, "x1000", 5);
  std::memcpy(file.data() + nodes_at + layout.node + 4, "x1001", 5);
  return file;
}

TEST(apinfo, all_versions_tell_ranks_nodes_and_the_first_host) {
  for (const Layout& layout : {version_1, version_5, later}) {
    const Result<Apinfo> read = read_apinfo(file_of(layout));
    ASSERT_TRUE(read) << layout.version;
    EXPECT_EQ(read->ranks, 4U);
    EXPECT_EQ(read->nodes, 2U);
    EXPECT_EQ(read->first_host, "x1001");
  }
}

TEST(apinfo, a_file_that_is_too_short_is_refused) {
  const File whole = file_of(version_5);
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, whole.size() - 1})
    EXPECT_FALSE(read_apinfo(Bytes(whole).first(size))) << size;
}

TEST(apinfo, groups_outside_the_file_are_refused) {
  for (const std::size_t at : {64, 72, 88, 96}) {  // element sizes and offsets of ranks and nodes
    File file = file_of(version_1);
    write(file, at, ~std::uint64_t{0} - 8);
    EXPECT_FALSE(read_apinfo(file)) << at;
  }
}

TEST(apinfo, a_node_that_does_not_exist_is_refused) {
  for (const int node : {-1, 2}) {
    File file = file_of(version_1);
    write(file, version_1.header + 8, node);
    EXPECT_FALSE(read_apinfo(file)) << node;
  }
}

}  // namespace
}  // namespace gondwana
