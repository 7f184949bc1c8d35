#include "engine/collectives/common/rooms.hpp"

#include <algorithm>
#include <new>

#include "engine/collectives/common/team_scratch.hpp"

namespace gondwana {

namespace {

constexpr std::align_val_t alignment{cache_line};

}  // namespace

void Rooms::clear() {
  const std::scoped_lock lock(mutex_);
  for (const MutableBytes room : kept_) segments_.release(room);
  kept_.clear();
  kept_bytes_ = 0;
}

Rooms::Room Rooms::take(std::size_t size) {
  if (size > TeamScratch::small_size) {
    std::unique_lock lock(mutex_);
    // Takes the smallest buffer that fits, unless a much larger array may need it.
    const auto fits = [&](MutableBytes room) { return room.size() >= size; };
    const auto found = std::ranges::find_if(kept_, fits);
    if (found != kept_.end() && found->size() / 4 <= size) {
      const MutableBytes room = *found;
      kept_bytes_ -= room.size();
      kept_.erase(found);
      return {room.data(), GiveBack{this, room.size()}};
    }
    lock.unlock();
    if (const auto room = segments_.allocate(size))
      return {room->data(), GiveBack{this, room->size()}};
  }
  return {static_cast<std::byte*>(::operator new[](size, alignment)), GiveBack{this, 0}};
}

void Rooms::GiveBack::operator()(std::byte* room) const {
  if (in_arena == 0)
    ::operator delete[](room, alignment);
  else
    to->give_back({room, in_arena});
}

void Rooms::give_back(MutableBytes room) {
  {
    const std::scoped_lock lock(mutex_);
    if (kept_bytes_ + room.size() <= max_kept) {
      kept_bytes_ += room.size();
      kept_.insert(std::ranges::lower_bound(kept_, room.size(), {}, &MutableBytes::size), room);
      return;
    }
  }
  segments_.release(room);
}

}  // namespace gondwana
