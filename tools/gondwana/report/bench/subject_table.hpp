// The table of subjects, and the names of doors.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "report/bench/subject.hpp"

namespace gondwana::bench {

std::span<const Subject> all_subjects();
std::string names_of_subjects(std::string_view separator);

inline constexpr std::array<Door, 3> all_doors{Door::shmem, Door::gasnetex, Door::armci};
std::string_view word_of(Door door);  // for --door
bool is_door(std::string_view word);
bool has_door(const Subject& subject, Door door);
// "shmem, armci": the words of its doors.
std::string door_words(const Subject& subject);

}  // namespace gondwana::bench
