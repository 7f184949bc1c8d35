// The addresses of all nodes, as known to the ranks of a node. Rows that arrive before the ranks
// have memory wait for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "memory/node_table.hpp"
#include "run/node/node_directory.hpp"

namespace gondwana::launch {

class KnownNodes {
 public:
  // `nodes`: the most that the job may have. `first_ranks`: at the start of the job.
  KnownNodes(std::uint32_t nodes, std::uint32_t first_ranks)
      : directory_(nodes), first_ranks_(first_ranks) {}

  // Writes the rows that are new, now or as soon as there is a table.
  Result<void> take(std::vector<NodeRow> rows) {
    rows = directory_.take(std::move(rows));
    return table_ ? write(rows) : Result<void>{};
  }
  Result<void> open(const NodeTable& table) {
    if (table_) return {};
    table_ = table;
    return write(directory_.newer_than(0));
  }

 private:
  Result<void> write(const std::vector<NodeRow>& rows);
  void place(std::uint32_t node, const NodeRanks& ranks);

  NodeDirectory directory_;
  std::uint32_t first_ranks_;
  std::optional<NodeTable> table_;
  std::size_t written_ = 0;  // bytes of addresses and keys
};

}  // namespace gondwana::launch
