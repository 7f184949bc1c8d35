// The threads of a scenario as automata.
//
// A thread is a function whose next operation depends only on the results of its earlier
// operations. The checker runs it from its start with those results, up to the first operation
// without one, and stores that operation. It runs each history of results once. The search over
// interleavings works on plain data and switches no stacks.
//
// A thread may have phases. No phase depends on what an earlier one saw, so all histories that end
// a phase become one: that keeps long scenarios small.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "support/model/operation.hpp"

namespace gondwana::model {

using Phase = std::function<void()>;
using NodeId = std::uint32_t;

class Program {
 public:
  void add_thread(std::string name, std::vector<Phase> phases);
  // The name of a word or of plain data in a trace.
  void name(const void* place, std::string name);

  std::size_t threads() const { return threads_.size(); }
  const std::string& thread_name(std::size_t thread) const { return threads_[thread].name; }
  std::string describe(const Operation& operation) const;

  NodeId start(std::size_t thread) { return phase_root(thread, 0); }
  const Operation& next(NodeId node) const { return nodes_[node].next; }
  // The node of a thread after its next operation returned `result`.
  NodeId after(NodeId node, std::uint32_t result);
  bool starts_phase(NodeId node) const { return nodes_[node].is_root; }

 private:
  struct Thread {
    std::string name;
    std::vector<Phase> phases;
    std::map<std::size_t, NodeId> roots;  // of the phases reached so far
  };
  struct Node {
    std::size_t thread = 0;
    std::size_t phase = 0;
    NodeId parent = 0;
    std::uint32_t result = 0;  // that led here from the parent
    bool is_root = false;
    Operation next{};
    std::vector<std::pair<std::uint32_t, NodeId>> children{};
  };

  NodeId phase_root(std::size_t thread, std::size_t phase);
  // The id of `node` with its next operation filled in, or of the next phase where this one ends.
  NodeId settle(Node node);
  std::vector<std::uint32_t> results_up_to(const Node& node) const;

  std::vector<Thread> threads_;
  std::vector<Node> nodes_;
  // One numbering for words, one for plain data, in the order of first use.
  std::map<const void*, std::uint8_t> words_;
  std::map<const void*, std::uint8_t> data_;
  std::map<const void*, std::string> names_;
};

// The operations of a thread under a Program call this: it returns the result of the operation, or
// throws if there is none yet. `place` is the address of the word or data.
std::uint32_t perform(const void* place, Operation operation);

}  // namespace gondwana::model
