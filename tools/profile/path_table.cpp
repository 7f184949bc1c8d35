#include "path_table.hpp"

namespace gondwana::profile {

PathTable::Entry& PathTable::find_by_probing(std::size_t number, const CallPath& path) {
  std::size_t place = place_of(number, path);
  for (; entries_[place].calls > 0; place = (place + 1) % places)
    if (entries_[place].number == number && entries_[place].path == path) return entries_[place];
  if (used_ == max_used) return others_;
  ++used_;
  entries_[place].number = number;
  entries_[place].path = path;
  return entries_[place];
}

PathTable::Entry PathTable::entry_at(std::size_t place) {
  Entry& entry = entries_[place];
  Entry copy;
  // Acquire: pairs with the release in add().
  copy.calls = std::atomic_ref(entry.calls).load(std::memory_order_acquire);
  if (copy.calls == 0) return copy;
  copy.ticks = std::atomic_ref(entry.ticks).load(std::memory_order_relaxed);
  copy.bytes = std::atomic_ref(entry.bytes).load(std::memory_order_relaxed);
  copy.number = entry.number;
  copy.path = entry.path;
  return copy;
}

}  // namespace gondwana::profile
