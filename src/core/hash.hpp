// A hash that tells values apart: FNV-1a, one word at a time. It protects against no attack.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/types.hpp"

namespace gondwana {

class Hash {
 public:
  // Folds the high bits back, because a multiplication carries upwards only.
  constexpr Hash& add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x100'0000'01b3;
    value_ ^= value_ >> 32;
    return *this;
  }
  constexpr Hash& add(std::string_view text) {
    for (const char letter : text) add(static_cast<std::uint64_t>(letter));
    return add(text.size());
  }
  Hash& add(Bytes bytes) {
    std::uint64_t word = 0;
    for (; bytes.size() >= sizeof word; bytes = bytes.subspan(sizeof word)) {
      std::memcpy(&word, bytes.data(), sizeof word);
      add(word);
    }
    for (const std::byte byte : bytes) add(static_cast<std::uint64_t>(byte));
    return *this;
  }
  constexpr std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf2'9ce4'8422'2325;
};

}  // namespace gondwana
