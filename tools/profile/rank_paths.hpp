// The call paths of a rank: the tables of its threads, and the files that the addresses lie in.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "path_table.hpp"

namespace gondwana::profile {

class RankPaths {
 public:
  // For a thread that begins to count, or goes on for one that has ended.
  PathTable* lease();
  void give_back(PathTable* table);

  // Two members of an object in JSON: "modules", the files, and "paths", each with its call, calls,
  // nanoseconds, bytes, and pairs of the number of a module and an address in it.
  std::string as_json(double nanoseconds_per_tick);

  // No thread counts.
  void clear();

 private:
  std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<PathTable>> tables_;
  std::vector<PathTable*> free_;
};

}  // namespace gondwana::profile
