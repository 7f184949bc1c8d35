// The numbers of a set's members, in its order: ranks of the job, or members of another team. They
// are `first` and further numbers at a constant stride, or a list in any order. No number occurs
// twice.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace gondwana {

class MemberList {
 public:
  explicit MemberList(std::span<const std::uint32_t> numbers);

  std::uint32_t operator[](std::uint32_t member) const { return numbers_[member]; }
  std::optional<std::uint32_t> find(std::uint32_t number) const;
  std::uint32_t lowest() const { return numbers_[in_order_.front()]; }
  std::uint32_t highest() const { return numbers_[in_order_.back()]; }

 private:
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> in_order_;  // the members, sorted by their numbers
};

struct Members {
  std::uint32_t first = 0;
  std::int32_t stride = 1;  // negative: descending; 0 for one member, and for a list
  std::uint32_t size = 0;
  std::shared_ptr<const MemberList> list = nullptr;  // null: constant stride

  // Uses a constant stride if the numbers have one.
  static Members of(std::span<const std::uint32_t> numbers);

  std::uint32_t number_of(std::uint32_t member) const {
    if (list != nullptr) [[unlikely]]
      return (*list)[member];
    return first +
           static_cast<std::uint32_t>(stride) * member;  // wraps around if the stride is negative
  }
  Rank rank_of(std::uint32_t member) const { return Rank(number_of(member)); }

  std::optional<std::uint32_t> find(std::uint32_t number) const {
    if (list != nullptr) [[unlikely]]
      return list->find(number);
    const std::int64_t distance = std::int64_t{number} - first;
    if (distance == 0) return 0;
    if (stride == 0 || distance % stride != 0) return std::nullopt;
    const std::int64_t member = distance / stride;
    if (member < 0 || member >= size) return std::nullopt;
    return static_cast<std::uint32_t>(member);
  }
  std::optional<std::uint32_t> member_of(Rank rank) const { return find(index(rank)); }

  // The members with the lowest and the highest number.
  std::pair<std::uint32_t, std::uint32_t> ends() const {
    if (list != nullptr) [[unlikely]]
      return {list->lowest(), list->highest()};
    return {number_of(0), number_of(size - 1)};
  }
  // The ranks of the members of `parent` that these numbers select.
  Members within(const Members& parent) const;
};

}  // namespace gondwana
