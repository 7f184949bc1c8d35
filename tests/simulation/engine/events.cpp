#include "simulation/engine/events.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gondwana::simulation {

void Events::add(Nanoseconds time, const std::string& actor, const Event& event) {
  for (const char* letter = event.format; *letter != '\0'; ++letter)
    add(static_cast<unsigned char>(*letter));
  for (const std::uint64_t number : event.numbers) add(number);
  Kept& place = last_[count_++ % kept];
  place.time = time;
  place.actor = actor;
  place.event = event;
  if (is_told_) print(place);
}

void Events::print(const Kept& kept) {
  const auto& [format, numbers] = kept.event;
  fmt::print("{:>14.3f} us  {}: {}\n", static_cast<double>(kept.time) * 1e-3, kept.actor,
             fmt::format(fmt::runtime(format), numbers[0], numbers[1], numbers[2]));
}

void Events::print_last() const {
  if (is_told_) return;
  for (std::size_t i = count_ - std::min(count_, kept); i < count_; ++i) print(last_[i % kept]);
}

}  // namespace gondwana::simulation
