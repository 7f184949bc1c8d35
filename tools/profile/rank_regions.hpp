// The times of a rank in the regions that its program names with shmemx_region_begin.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace gondwana::profile {

class RankRegions {
 public:
  // Begins a region of the calling thread. `session`: the profile's; 0 if nothing is counted now.
  static void begin(std::uint64_t session, const char* name);
  // Ends and counts the innermost region of the thread, if it began in this session.
  void end(std::uint64_t session);

  // Lists each region with its name, count and nanoseconds. These are sums over all threads and
  // include nested regions.
  Json as_json(double nanoseconds_per_tick);

  void clear();

 private:
  struct Total {
    std::uint64_t times = 0;
    std::uint64_t ticks = 0;
  };

  void add(std::string_view name, std::uint64_t ticks);

  std::mutex mutex_;  // guards the members below
  std::map<std::string, Total, std::less<>> totals_;
};

}  // namespace gondwana::profile
