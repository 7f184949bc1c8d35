#include "engine/teams/members.hpp"

#include <algorithm>
#include <numeric>

namespace gondwana {
namespace {

bool have_equal_steps(std::span<const std::uint32_t> numbers) {
  for (std::size_t i = 2; i < numbers.size(); ++i)
    if (numbers[i] - numbers[i - 1] != numbers[1] - numbers[0]) return false;
  return true;
}

}  // namespace

MemberList::MemberList(std::span<const std::uint32_t> numbers)
    : numbers_(numbers.begin(), numbers.end()), in_order_(numbers.size()) {
  std::iota(in_order_.begin(), in_order_.end(), 0);
  std::ranges::sort(in_order_, {}, [this](std::uint32_t member) { return numbers_[member]; });
}

std::optional<std::uint32_t> MemberList::find(std::uint32_t number) const {
  const auto found = std::ranges::lower_bound(
      in_order_, number, {}, [this](std::uint32_t member) { return numbers_[member]; });
  if (found == in_order_.end() || numbers_[*found] != number) return std::nullopt;
  return *found;
}

Members Members::of(std::span<const std::uint32_t> numbers) {
  if (numbers.empty()) return {};
  const auto size = static_cast<std::uint32_t>(numbers.size());
  if (!have_equal_steps(numbers))
    return {numbers.front(), 0, size, std::make_shared<const MemberList>(numbers)};
  const std::uint32_t step = size > 1 ? numbers[1] - numbers[0] : 0;
  return {numbers.front(), static_cast<std::int32_t>(step), size};
}

Members Members::within(const Members& parent) const {
  if (list == nullptr && parent.list == nullptr)
    return {parent.number_of(first), stride * parent.stride, size};
  std::vector<std::uint32_t> numbers(size);
  for (std::uint32_t member = 0; member < size; ++member)
    numbers[member] = parent.number_of(number_of(member));
  return of(numbers);
}

}  // namespace gondwana
