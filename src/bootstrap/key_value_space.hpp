// The key-value space of a launcher, for processes that do not know each other yet: each publishes
// one value per round, and after a fence all can read the values of the others.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "bootstrap/deadline.hpp"
#include "core/result.hpp"

namespace gondwana {

// A value has no blank, no '=' and at most this many bytes: the limit of all launchers.
inline constexpr std::size_t longest_value = 1000;

// In the first round all ranks publish their names. On several nodes there is a second one: the
// first rank of each publishes how to reach it, in the value `nodes` and, if that is too short, in
// further values.
enum class Round : std::uint8_t { ranks, nodes };

constexpr Round after(Round round) {
  return static_cast<Round>(static_cast<unsigned>(round) + 1);
}
inline std::string name_of(Round round) {
  return round == Round::ranks ? "rank" : fmt::format("node{}", static_cast<unsigned>(round) - 1);
}

template <typename S>
concept KeyValueSpace = requires(S& space, const S& same, Round round, std::string_view value,
                                 std::uint32_t of_rank, const Deadline& deadline) {
  { same.rank() } -> std::same_as<std::uint32_t>;
  { same.size() } -> std::same_as<std::uint32_t>;
  { same.job() } -> std::convertible_to<std::string_view>;  // the same in all processes of the job
  { space.put(round, value) } -> std::same_as<Result<void>>;
  { space.fence(deadline) } -> std::same_as<Result<bool>>;  // false: timeout
  { space.get(round, of_rank) } -> std::same_as<Result<std::string>>;
};

}  // namespace gondwana
