#include "engine/collectives/staged/rooms.hpp"

#include <algorithm>

#include "memory/team_scratch.hpp"

namespace gondwana::staged {

Rooms::~Rooms() {
  for (const MutableBytes room : kept_) segments_.release(room);
}

Rooms::Room Rooms::take(std::size_t size) {
  if (size > TeamScratch::small_size) {
    std::unique_lock lock(mutex_);
    // The smallest that is large enough, but not one that a much larger array may want.
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
  return {std::make_unique_for_overwrite<std::byte[]>(size).release(), GiveBack{this, 0}};
}

void Rooms::GiveBack::operator()(std::byte* room) const {
  if (in_arena == 0)
    delete[] room;
  else
    to->give_back({room, in_arena});
}

void Rooms::give_back(MutableBytes room) {
  {
    const std::scoped_lock lock(mutex_);
    if (kept_bytes_ + room.size() <= most_kept) {
      kept_bytes_ += room.size();
      kept_.insert(std::ranges::lower_bound(kept_, room.size(), {}, &MutableBytes::size), room);
      return;
    }
  }
  segments_.release(room);
}

}  // namespace gondwana::staged
