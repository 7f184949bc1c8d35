#include "report/bench/door.hpp"

#include <algorithm>

namespace gondwana::bench {

std::string_view name_of(Door door) {
  return std::ranges::find(all_doors, door, &DoorName::door)->name;
}

std::string_view word_of(Door door) {
  return std::ranges::find(all_doors, door, &DoorName::door)->word;
}

bool is_door(std::string_view word) {
  return std::ranges::find(all_doors, word, &DoorName::word) != all_doors.end();
}

std::string_view Programs::of(Door door) const {
  switch (door) {
    case Door::shmem:
      return shmem;
    case Door::gasnetex:
      return gasnetex;
    case Door::armci:
      return armci;
  }
  return {};
}

}  // namespace gondwana::bench
