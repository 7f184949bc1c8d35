#include "engine/locks/lock_turns.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace gondwana {

LockTurns::Line* LockTurns::find(const void* lock) {
  const auto line = std::ranges::find(lines_, lock, &Line::lock);
  return line != lines_.end() ? &*line : nullptr;
}

LockTurns::Line& LockTurns::begin(const void* lock) {
  Line* line = find(nullptr);
  if (line == nullptr) line = &lines_.emplace_back();
  line->lock = lock;
  return *line;
}

LockTurns::Ticket LockTurns::draw(const void* lock) {
  const std::scoped_lock guard(mutex_);
  Line* known = find(lock);
  Line& line = known != nullptr ? *known : begin(lock);
  return {line.serving, line.next++};
}

bool LockTurns::try_draw(const void* lock) {
  const std::scoped_lock guard(mutex_);
  if (find(lock) != nullptr) return false;
  ++begin(lock).next;
  return true;
}

void LockTurns::pass_on(const void* lock) {
  const std::scoped_lock guard(mutex_);
  Line* line = find(lock);
  GONDWANA_ASSERT(line != nullptr, lines_.size());
  const std::uint64_t served = line->serving.load(std::memory_order_relaxed) + 1;
  line->serving.store(served, std::memory_order_release);  // pairs with has_come()
  if (served == line->next) line->lock = nullptr;
}

}  // namespace gondwana
