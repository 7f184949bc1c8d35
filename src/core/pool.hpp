// Objects that are used again and again, and do not move.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace gondwana {

template <typename T>
class Pool {
 public:
  // The object that was given back last, unchanged, or a new one.
  T& take() {
    if (free_.empty()) free_.push_back(&all_.emplace_back());
    T& taken = *free_.back();
    free_.pop_back();
    return taken;
  }
  void give_back(T& object) { free_.push_back(&object); }
  // The object with that address, in use or not; null: the pool has none there.
  template <typename Base>
  T* find(const Base* object) {
    for (T& each : all_)
      if (&each == object) return &each;
    return nullptr;
  }
  std::size_t unused() const { return free_.size(); }
  std::size_t in_use() const { return all_.size() - free_.size(); }
  // All, in use or not.
  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }

 private:
  std::deque<T> all_;
  std::vector<T*> free_;
};

}  // namespace gondwana
