#include "simulation/loop.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace gondwana::simulation {
namespace {

constexpr std::uint32_t most_spins = 2000;

}  // namespace

void Loop::post(std::function<void()> handler) {
  ready_.push_back(std::move(handler));
  wake_at(schedule_.now() + random_.skewed(2 * ms));
}

void Loop::pause(Time until) {
  paused_until_ = std::max(paused_until_, until);
  if (wake_ns_ == 0) wake_at(until);
}

void Loop::wake_at(Time time) {
  time = std::max(time, paused_until_);
  if (ended_ || (wake_ns_ != 0 && wake_ns_ <= time)) return;
  wake_ns_ = time;
  schedule_.at(time, [this, number = ++wakes_] {
    if (number == wakes_ && !ended_) round();
  });
}

void Loop::round() {
  wake_ns_ = 0;
  if (is_paused()) return wake_at(paused_until_);
  std::vector<std::function<void()>> ready = std::exchange(ready_, {});
  random_.shuffle(ready);
  // A poll tells of a part only where much is ready.
  if (ready.size() > 1 && random_.one_in(4)) {
    const auto rest = ready.begin() + static_cast<std::ptrdiff_t>(random_.between(1, ready.size()));
    ready_.assign(std::make_move_iterator(rest), std::make_move_iterator(ready.end()));
    ready.erase(rest, ready.end());
  }
  for (auto handle = ready.begin(); handle != ready.end() && !ended_; ++handle) {
    (*handle)();
    if (!is_paused()) continue;
    // The process does nothing else meanwhile.
    ready_.insert(ready_.begin(), std::make_move_iterator(handle + 1),
                  std::make_move_iterator(ready.end()));
    return wake_at(paused_until_);
  }
  if (ended_) return;
  body_.step();
  if (ended_) return;
  const std::optional<Time> next = body_.next();
  const bool at_once = next && *next <= schedule_.now();
  spins_ = at_once && ready.empty() ? spins_ + 1 : 0;
  if (spins_ > most_spins) return body_.on_spin();
  // A round takes some time; poll() counts in milliseconds and may be late.
  if (next)
    wake_at(at_once ? schedule_.now() + 20 * us
                    : (*next + ms - 1) / ms * ms + random_.skewed(5 * ms));
  if (!ready_.empty()) wake_at(schedule_.now() + 20 * us);
}

}  // namespace gondwana::simulation
