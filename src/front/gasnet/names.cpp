#include "front/gasnet/names.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <span>

namespace gondwana::gasnet {
namespace {

// Indexed by bit number. Empty: the bit has no meaning.
constexpr std::array<const char*, 7> types{"I32", "U32", "I64", "U64", "FLT", "DBL", "USER"};
constexpr std::array<const char*, 32> operations{
    "AND",  "OR",   "XOR",  "ADD",  "SUB",  "MULT", "MIN",  "MAX",  "INC",  "DEC",    "SET",
    "CAS",  "",     "",     "",     "FAND", "FOR",  "FXOR", "FADD", "FSUB", "FMULT",  "FMIN",
    "FMAX", "FINC", "FDEC", "SWAP", "FCAS", "GET",  "",     "",     "USER", "USER_NC"};
static_assert(GEX_OP_CAS == 1U << 11 && GEX_OP_FAND == 1U << 15 && GEX_OP_SWAP == 1U << 25 &&
              GEX_OP_GET == 1U << 27 && GEX_OP_USER == 1U << 30 && GEX_DT_USER == 1U << 6);

std::string join(const char* prefix, std::span<const char* const> names, std::uint32_t bits) {
  std::string text;
  for (; bits != 0; bits &= bits - 1) {
    const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
    const std::string_view name = bit < names.size() ? names[bit] : "";
    if (!text.empty()) text += " | ";
    text += name.empty() ? fmt::format("{:#x}", 1U << bit) : fmt::format("{}{}", prefix, name);
  }
  return text.empty() ? "0" : text;
}

}  // namespace

std::string names_of_types(gex_DT_t set) {
  return join("GEX_DT_", types, set);
}

std::string names_of_operations(gex_OP_t set) {
  return join("GEX_OP_", operations, set);
}

}  // namespace gondwana::gasnet
