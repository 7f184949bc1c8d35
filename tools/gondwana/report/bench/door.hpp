// The doors by which a subject can be measured, and their names.
#pragma once

#include <array>
#include <string_view>

namespace gondwana::bench {

enum class Door { shmem, gasnetex, armci };

struct DoorName {
  Door door;
  std::string_view word;  // for --door
  std::string_view name;
};

inline constexpr std::array<DoorName, 3> all_doors{{{Door::shmem, "shmem", "OpenSHMEM"},
                                                    {Door::gasnetex, "gasnetex", "GASNet-EX"},
                                                    {Door::armci, "armci", "ARMCI"}}};

// Returns "OpenSHMEM", for example.
std::string_view name_of(Door door);
std::string_view word_of(Door door);  // for --door
bool is_door(std::string_view word);

// The measuring program for each door; empty if there is none.
struct Programs {
  std::string_view shmem;
  std::string_view gasnetex;
  std::string_view armci;

  std::string_view of(Door door) const;
};

}  // namespace gondwana::bench
