#include "operations/strided/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gondwana::strided {
namespace {

Error too_long(const Description& description, End end) {
  return {
      Errc::invalid_argument,
      fmt::format("a strided transfer of {} dimensions and elements of {} bytes spans more than "
                  "2^62 bytes at its {}; check its extents and strides",
                  description.extents.size(), description.element,
                  end == End::target ? "target" : "source")};
}

// Adds the distance to the last index of a dimension. False: too large.
bool extend(Bounds& bounds, std::size_t extent, std::ptrdiff_t stride) {
  std::ptrdiff_t distance = 0;
  if (__builtin_mul_overflow(extent - 1, stride, &distance)) return false;
  std::ptrdiff_t& side = distance < 0 ? bounds.begin : bounds.end;
  if (__builtin_add_overflow(side, distance, &side)) return false;
  std::ptrdiff_t length = 0;
  return !__builtin_sub_overflow(bounds.end, bounds.begin, &length) &&
         static_cast<std::size_t>(length) < longest;
}

}  // namespace

Transfer& Transfer::operator=(const Transfer& other) {
  if (this == &other) return *this;
  count_ = other.count_;
  target_ = other.target_;
  source_ = other.source_;
  std::copy_n(other.dimensions_.begin(), count_, dimensions_.begin());
  return *this;
}

std::size_t Transfer::bytes() const {
  if (is_empty()) return 0;
  std::size_t bytes = 1;
  for (const Dimension& dimension : dimensions()) bytes *= dimension.extent;
  return bytes;
}

Bounds Transfer::bounds(End end) const {
  Bounds bounds{offset(end), offset(end)};
  for (const Dimension& dimension : dimensions()) {
    const std::ptrdiff_t distance =
        static_cast<std::ptrdiff_t>(dimension.extent - 1) * dimension.stride(end);
    (distance < 0 ? bounds.begin : bounds.end) += distance;
  }
  if (!is_empty()) ++bounds.end;
  return bounds;
}

bool operator==(const Transfer& left, const Transfer& right) {
  return left.target_ == right.target_ && left.source_ == right.source_ &&
         std::ranges::equal(left.dimensions(), right.dimensions());
}

Result<Bounds> bounds(const Description& description, End end) {
  const auto strides = end == End::target ? description.target_strides : description.source_strides;
  if (strides.size() != description.extents.size())
    return Error{Errc::invalid_argument,
                 fmt::format("a strided transfer has {} extents but {} strides at its {}",
                             description.extents.size(), strides.size(),
                             end == End::target ? "target" : "source")};
  if (description.element == 0 || std::ranges::count(description.extents, std::size_t{0}) != 0)
    return Bounds{0, 0};
  if (description.element >= longest) return too_long(description, end);
  Bounds bounds{0, static_cast<std::ptrdiff_t>(description.element)};
  for (std::size_t i = 0; i < strides.size(); ++i)
    if (!extend(bounds, description.extents[i], strides[i])) return too_long(description, end);
  return bounds;
}

}  // namespace gondwana::strided
