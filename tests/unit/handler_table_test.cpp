#include "front/gasnet/handler_table.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gondwana::gasnet {
namespace {

void handle() {}

gex_AM_Entry_t entry(gex_AM_Index_t index) {
  return {index, &handle, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, nullptr, "test"};
}

TEST(handler_table, handlers_without_an_index_get_the_highest_free_ones) {
  HandlerTable table;
  std::vector<gex_AM_Entry_t> entries{entry(0), entry(255), entry(0)};
  ASSERT_TRUE(table.add(entries));
  EXPECT_EQ(entries[0].gex_index, 254);
  EXPECT_EQ(entries[2].gex_index, 253);
  EXPECT_EQ(table[253].gex_fnptr, &handle);
  EXPECT_EQ(table[252].gex_fnptr, nullptr);
}

TEST(handler_table, an_index_is_taken_once) {
  HandlerTable table;
  std::vector<gex_AM_Entry_t> entries{entry(200), entry(200)};
  const Result<void> added = table.add(entries);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().text, "entry 1: index 200 already has a handler");
}

TEST(handler_table, wrong_entries_are_named) {
  HandlerTable table;
  std::vector<gex_AM_Entry_t> entries{entry(1)};
  EXPECT_NE(table.add(entries).error().text.find("entry 0: index 1 is below"), std::string::npos);
  entries[0] = entry(0);
  entries[0].gex_nargs = max_arguments + 1;
  EXPECT_EQ(table.add(entries).error().text, "entry 0: 17 arguments; the maximum is 16");
  entries[0].gex_nargs = any_arguments;
  EXPECT_TRUE(table.add(entries));
}

TEST(handler_table, a_full_table_takes_no_handler) {
  HandlerTable table;
  std::vector<gex_AM_Entry_t> entries(256 - GEX_AM_INDEX_BASE, entry(0));
  ASSERT_TRUE(table.add(entries));
  entries.assign(1, entry(0));
  const Result<void> added = table.add(entries);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, Errc::out_of_memory);
}

}  // namespace
}  // namespace gondwana::gasnet
