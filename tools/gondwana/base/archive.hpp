// Serialises values as little-endian bytes, for a process on another host.
//
// A function next to a structure lists its fields, once for writing and for reading:
//
//   void fields(auto& archive, Of<Point> auto& point) { archive(point.x, point.y); }
//
// An enumeration declares its number of values: constexpr std::uint8_t enumerators(Colour).
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace gondwana {

class ArchiveWriter;

// Matches a const value when writing.
template <typename Value, typename Type>
concept Of = std::same_as<std::remove_const_t<Value>, Type>;

// An alternative of `Variant`.
template <typename Value, typename Variant>
concept OneOf = []<typename... Kinds>(const std::variant<Kinds...>* /*all*/) {
  return (Of<Value, Kinds> || ...);
}(static_cast<const Variant*>(nullptr));

template <typename Value>
concept Described = std::is_class_v<Value> && requires(ArchiveWriter& archive, const Value& value) {
  fields(archive, value);
};

template <typename Value>
concept Enumeration = std::is_enum_v<Value> && requires(Value value) { enumerators(value); };

class ArchiveWriter {
 public:
  template <typename... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }

  std::string take() { return std::move(bytes_); }
  // Nothing to check: the writer's own values are valid.
  void expect(bool /*condition*/) {}

 private:
  template <std::integral Number>
  void put(Number number) {
    const auto bits = static_cast<std::uint64_t>(number);
    for (std::size_t i = 0; i < sizeof(Number); ++i)
      bytes_ += static_cast<char>(static_cast<unsigned char>(bits >> (8 * i)));
  }
  void put(double number) { put(std::bit_cast<std::uint64_t>(number)); }
  void put(Enumeration auto value) { put(static_cast<std::uint8_t>(value)); }
  void put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  template <typename Value>
  void put(const std::optional<Value>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <typename Value>
  void put(const std::vector<Value>& values) {
    put(static_cast<std::uint32_t>(values.size()));
    for (const Value& value : values) put(value);
  }
  template <typename Value, std::size_t Size>
  void put(const std::array<Value, Size>& values) {
    for (const Value& value : values) put(value);
  }
  void put(const Described auto& value) { fields(*this, value); }

  std::string bytes_;
};

// After the first error all further values are empty. A value that no writer produces is an error.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }

  bool is_ok() const { return valid_; }
  // A failed condition marks a value that no writer produces.
  void expect(bool condition) {
    if (!condition) invalidate();
  }
  bool is_at_end() const { return bytes_.empty(); }

 private:
  void invalidate() {
    valid_ = false;
    bytes_ = {};
  }

  std::string_view cut(std::size_t length) {
    if (length > bytes_.size()) invalidate();
    const std::string_view piece = bytes_.substr(0, length);
    bytes_.remove_prefix(piece.size());
    return piece;
  }

  template <std::integral Number>
  void get(Number& number) {
    const std::string_view piece = cut(sizeof(Number));
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < piece.size(); ++i)
      sum |= std::uint64_t{static_cast<unsigned char>(piece[i])} << (8 * i);
    number = static_cast<Number>(sum);
  }
  std::uint8_t get_below(std::uint8_t end) {
    std::uint8_t number = 0;
    get(number);
    if (number < end) return number;
    invalidate();
    return 0;
  }
  void get(bool& flag) { flag = get_below(2) == 1; }
  void get(double& number) {
    std::uint64_t bits = 0;
    get(bits);
    number = std::bit_cast<double>(bits);
    if (!std::isfinite(number)) invalidate();
  }
  template <Enumeration Value>
  void get(Value& value) {
    value = static_cast<Value>(get_below(enumerators(Value{})));
  }
  void get(std::string& text) {
    std::uint32_t length = 0;
    get(length);
    text = cut(length);
  }
  template <typename Value>
  void get(std::optional<Value>& value) {
    bool present = false;
    get(present);
    if (present)
      get(value.emplace());
    else
      value.reset();
  }
  template <typename Value>
  void get(std::vector<Value>& values) {
    std::uint32_t count = 0;
    get(count);
    // Each element takes at least a byte, so a false count cannot allocate more than was received.
    if (count > bytes_.size()) invalidate();
    for (std::uint32_t i = 0; i < count && valid_; ++i) get(values.emplace_back());
  }
  template <typename Value, std::size_t Size>
  void get(std::array<Value, Size>& values) {
    for (Value& value : values) get(value);
  }
  void get(Described auto& value) { fields(*this, value); }

  std::string_view bytes_;
  bool valid_ = true;
};

}  // namespace gondwana
