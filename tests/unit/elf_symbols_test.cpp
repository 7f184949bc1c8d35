#include "core/elf_symbols.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>

namespace gondwana {
namespace {

std::string readable(std::string_view mangled) {
  std::array<char, 256> name{};
  mangled.copy(name.data(), name.size() - 1);
  make_readable(name);
  return name.data();
}

TEST(ElfSymbols, names_of_cxx_and_fortran_are_readable) {
  EXPECT_EQ(readable("main"), "main");
  EXPECT_EQ(readable("_Z4stepPd"), "step");
  EXPECT_EQ(readable("_ZL4stepPd"), "step");
  EXPECT_EQ(readable("_ZN4heat4Grid4stepEi"), "heat::Grid::step");
  EXPECT_EQ(readable("_ZNK4heat4Grid4sizeEv"), "heat::Grid::size");
  EXPECT_EQ(readable("_ZN12_GLOBAL__N_14stepEPd"), "step");
  EXPECT_EQ(readable("_ZN4GridC2Ei"), "Grid::Grid");
  EXPECT_EQ(readable("_ZN4GridD1Ev"), "Grid::~Grid");
  EXPECT_EQ(readable("__heat_MOD_step"), "step");
  EXPECT_EQ(readable("_Z"), "_Z");
  EXPECT_EQ(readable("_Z99x"), "_Z99x");
}

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
