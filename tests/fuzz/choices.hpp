// The bytes of a fuzz input as a list of choices. Zeros follow its last byte.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace gondwana::fuzz {

class Choices {
 public:
  explicit Choices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }

  template <typename T>
  T take() {
    T value{};
    const std::size_t length = std::min(sizeof(T), bytes_.size());
    if (length > 0) std::memcpy(&value, bytes_.data(), length);
    bytes_ = bytes_.subspan(length);
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace gondwana::fuzz
