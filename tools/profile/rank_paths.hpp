// The call paths of a rank: the tables of its threads, and the files that the addresses belong to.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/json.hpp"
#include "path_table.hpp"

namespace gondwana::profile {

class RankPaths {
 public:
  // Called by a thread that begins to count. It may continue the table of a thread that has ended.
  PathTable* lease();
  void give_back(PathTable* table);

  // Returns an object: "modules" lists the files. "paths" lists each path with its call, calls,
  // nanoseconds, bytes, and pairs of a module number and an address in that module.
  Json as_json(double nanoseconds_per_tick);

  // No thread may be counting.
  void clear();

 private:
  std::mutex mutex_;  // guards the members below
  std::vector<std::unique_ptr<PathTable>> tables_;
  std::vector<PathTable*> free_;
};

}  // namespace gondwana::profile
