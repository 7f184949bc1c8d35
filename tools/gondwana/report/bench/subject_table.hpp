// The table of subjects.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/bench/subject.hpp"

namespace gondwana::bench {

std::span<const Subject> all_subjects();
std::string names_of_subjects(std::string_view separator);

bool has_door(const Subject& subject, Door door);
// "shmem, armci": the words of its doors.
std::string door_words(const Subject& subject);

}  // namespace gondwana::bench
