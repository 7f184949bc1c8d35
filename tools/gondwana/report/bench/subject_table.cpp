#include "report/bench/subject_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <ranges>

namespace gondwana::bench {
namespace {

constexpr std::string_view copies = "memcpy";

constexpr Programs transfers{"transfers", "transfers_gasnet", "transfers_armci"};
constexpr Programs collectives{"collectives", "collectives_gasnet", "collectives_armci"};

constexpr std::array<Subject, 11> subjects{{
    {"latency", transfers, "latency", "latency of blocking operations", Unit::microseconds,
     "memcpy; for ping_pong a store and a load"},
    {"bandwidth", transfers, "stream", "bandwidth of non-blocking puts, 64 in flight",
     Unit::megabytes, copies},
    {"rate", transfers, "stream", "rate of non-blocking puts, 64 in flight", Unit::millions,
     copies},
    {"atomics", transfers, "atomics", "latency of atomic operations on one word",
     Unit::microseconds, "the instruction", Axis::none},
    {"collectives", collectives, "collectives",
     "latency of collective operations of all ranks, a barrier included", Unit::microseconds,
     "a central barrier, loads and stores", Axis::bytes, Kind::operation, 8},
    {"strided",
     {"strided", "", ""},
     "strided",
     "latency of strided puts and gets, 8 bytes of each 64",
     Unit::microseconds,
     "a loop of loads and stores",
     Axis::bytes,
     Kind::operation,
     8,
     64 << 10},
    {"am",
     {"", "messages_gasnet", ""},
     "am",
     "latency of active messages, and time of each in a flood",
     Unit::microseconds,
     "memcpy, a store and a load"},
    {"seeds",
     {"seeds", "seeds_gasnet", ""},
     "seeds",
     "measurements of papers on PGAS runtimes, time of one operation of each rank",
     Unit::microseconds,
     "instructions; for GASNet-EX the same without the feature",
     Axis::none},
    {"apps",
     {"apps", "", ""},
     "apps",
     "small programs by their number of ranks",
     Unit::milliseconds,
     "the same work by rank 0 alone",
     Axis::ranks,
     Kind::program},
    {"startup",
     {"startup", "", ""},
     "",
     "time from the start of a job",
     Unit::milliseconds,
     "as many plain processes",
     Axis::ranks,
     Kind::job,
     1,
     0,
     16,
     10},
    {"memory",
     {"memory", "", ""},
     "",
     "memory of a rank after shmem_init and a barrier",
     Unit::kibibytes,
     "the same before shmem_init",
     Axis::ranks,
     Kind::job,
     1,
     0,
     16,
     5},
}};

}  // namespace

std::span<const Subject> all_subjects() {
  return subjects;
}

std::string names_of_subjects(std::string_view separator) {
  return fmt::format("{}", fmt::join(subjects | std::views::transform(&Subject::name), separator));
}

bool has_door(const Subject& subject, Door door) {
  return !subject.programs.of(door).empty();
}

std::string door_words(const Subject& subject) {
  std::string text;
  for (const DoorName& one : all_doors)
    if (has_door(subject, one.door))
      text += fmt::format("{}{}", text.empty() ? "" : ", ", one.word);
  return text;
}

}  // namespace gondwana::bench
