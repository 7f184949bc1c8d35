// The addresses of all nodes of a job, which the conductor gathers and each guardian keeps. A row
// has the epoch in which it last changed: updates carry the rows that a receiver lacks, and an old
// row never replaces a newer one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "run/remote/frames.hpp"

namespace gondwana::launch {

class NodeDirectory {
 public:
  explicit NodeDirectory(std::uint32_t nodes) : rows_(nodes) {}

  // Sets the address of the node from now on.
  void set(std::uint32_t node, std::string info) { keep({node, ++epoch_, std::move(info)}); }
  // Removes the address of the node, until set() or take() gives a new one.
  void forget(std::uint32_t node) {
    if (rows_[node].epoch != 0) --known_;
    rows_[node] = {};
  }
  // Keeps the rows that are newer than the known ones, and returns them. Ignores unknown nodes.
  std::vector<NodeRow> take(std::vector<NodeRow> rows) {
    std::erase_if(rows, [this](const NodeRow& row) {
      return row.node >= size() || row.epoch <= rows_[row.node].epoch;
    });
    for (const NodeRow& row : rows) keep(row);
    return rows;
  }

  // From now on the job has that many nodes. Those that are new are unknown, and those that have
  // gone are forgotten.
  void resize(std::uint32_t nodes) {
    for (std::uint32_t node = nodes; node < size(); ++node) forget(node);
    rows_.resize(nodes);
  }

  bool is_complete() const { return known_ == size(); }
  // Whether the first ones are known.
  bool knows_first(std::uint32_t nodes) const {
    return std::all_of(rows_.begin(), rows_.begin() + nodes,
                       [](const NodeRow& row) { return row.epoch != 0; });
  }
  // The epoch of the last change.
  std::uint64_t epoch() const { return epoch_; }
  std::vector<NodeRow> newer_than(std::uint64_t epoch) const {
    std::vector<NodeRow> rows;
    for (const NodeRow& row : rows_)
      if (row.epoch > epoch) rows.push_back(row);
    return rows;
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(rows_.size()); }

 private:
  void keep(NodeRow row) {
    if (rows_[row.node].epoch == 0) ++known_;
    rows_[row.node] = std::move(row);
  }

  std::vector<NodeRow> rows_;  // by node; epoch 0: unknown
  std::uint32_t known_ = 0;    // rows
  std::uint64_t epoch_ = 0;
};

}  // namespace gondwana::launch
