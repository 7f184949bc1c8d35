#include "core/readable_names.hpp"

#include <gtest/gtest.h>

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

TEST(ReadableNames, names_of_cxx_and_fortran_are_readable) {
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

}  // namespace
}  // namespace gondwana
