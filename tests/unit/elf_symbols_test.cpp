#include "core/elf_symbols.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace gondwana {
namespace {

int counted = 0;
[[gnu::noinline]] int count() {
  return ++counted;
}

TEST(ElfSymbols, functions_and_variables_of_the_program_are_found_with_their_size) {
  EXPECT_EQ(count(), 1);
  Symbol symbol;
  ASSERT_TRUE(find_symbol(reinterpret_cast<std::uintptr_t>(&count), SymbolKind::function, symbol));
  EXPECT_NE(std::strstr(symbol.name.data(), "count"), nullptr);
  EXPECT_EQ(symbol.begin, reinterpret_cast<std::uintptr_t>(&count));
  const auto variable = reinterpret_cast<std::uintptr_t>(&counted);
  ASSERT_TRUE(find_symbol(variable + 1, SymbolKind::variable, symbol));
  EXPECT_EQ(symbol.begin, variable);
  EXPECT_EQ(symbol.size, sizeof counted);
}

TEST(ElfSymbols, what_is_in_no_file_has_no_symbol) {
  const int local = 0;
  Symbol symbol;
  EXPECT_FALSE(find_symbol(reinterpret_cast<std::uintptr_t>(&local), SymbolKind::variable, symbol));
}

}  // namespace
}  // namespace gondwana
