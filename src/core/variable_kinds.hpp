// The kinds of values that variables have. A kind parses text within the bounds of a variable.
// assign() stores the value in a member of the options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/options.hpp"
#include "core/variables.hpp"

namespace gondwana::kinds {

Result<bool> read_switch(const Variable& variable, std::string_view text);
Result<std::uint64_t> read_number(const Variable& variable, std::string_view text);
Result<std::size_t> read_size(const Variable& variable, std::string_view text);
Result<std::size_t> read_capped_size(const Variable& variable, std::string_view text);
Result<std::size_t> read_standard_size(const Variable& variable, std::string_view text);
Result<MemoryLimit> read_process_limit(const Variable& variable, std::string_view text);
Result<MemoryLimit> read_host_limit(const Variable& variable, std::string_view text);
Result<std::size_t> read_word(const Variable& variable,
                              std::string_view text);  // where its value is stored
Result<std::string> read_words(const Variable& variable, std::string_view text);
Result<Backtrace> read_backtrace(const Variable& variable, std::string_view text);
Result<std::string> read_text(const Variable& variable, std::string_view text);

// `Place` is a member of Options, a collective whose algorithm is chosen, or null. Null: other code
// reads the variable; here it is only checked.
template <auto Read, auto Place>
Result<void> assign(const Variable& variable, std::string_view text, Options& options) {
  auto value = Read(variable, text);
  if (!value) return value.error();
  if constexpr (std::is_member_object_pointer_v<decltype(Place)>)
    options.*Place = static_cast<std::decay_t<decltype(options.*Place)>>(*std::move(value));
  return {};
}

template <Collective Which>
Result<void> choose(const Variable& /*variable*/, std::string_view text, Options& options) {
  const Result<Algorithm> algorithm = parse_algorithm(Which, text);
  if (!algorithm) return algorithm.error();
  options.algorithms.choose(Which, *algorithm);
  return {};
}

}  // namespace gondwana::kinds
