// What a rank does in the regions that its program names by shmemx_region_begin.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace gondwana::profile {

class RankRegions {
 public:
  // For the calling thread. `session`: of the profile, 0 where nothing is counted now.
  static void begin(std::uint64_t session, const char* name);
  // Counts the innermost region of the thread, if it began in this session.
  void end(std::uint64_t session);

  // A further member of an object in JSON, with the comma before it: "regions", each with its name,
  // how often it was passed, and the nanoseconds, of all threads together and with the regions
  // nested in it. Empty where there is none.
  std::string as_json(double nanoseconds_per_tick);

  void clear();

 private:
  struct Total {
    std::uint64_t times = 0;
    std::uint64_t ticks = 0;
  };

  void add(std::string_view name, std::uint64_t ticks);

  std::mutex mutex_;  // guards what follows
  std::map<std::string, Total, std::less<>> totals_;
};

}  // namespace gondwana::profile
