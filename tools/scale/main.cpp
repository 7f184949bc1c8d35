// gondwana-scale RANKS NODE_RANKS: prints the resources that a rank and its node need in a job of
// that size, one figure per line. It starts the engine of one rank; its peers are threads, or are
// simulated.
#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "bootstrap/protocol.hpp"
#include "core/parse.hpp"
#include "memory_use.hpp"
#include "node_job.hpp"
#include "whole_job.hpp"

namespace gondwana::scale {
namespace {

void print(const char* name, const Sent& sent) {
  fmt::print("{0}_messages {1}\n{0}_bytes {2}\n", name, sent.messages, sent.bytes);
}

void print(const Figures& figures) {
  fmt::print("nodes {}\nrank_bytes {}\nnode_bytes {}\n", figures.nodes, figures.rank_bytes,
             figures.node_bytes);
  print("launch", figures.launch);
  print("start", figures.start);
  fmt::print("start_steps {}\nconnections {}\n", figures.start.steps, figures.connections);
  print("barrier", figures.barrier);
  fmt::print("barrier_steps {}\nstart_us {}\nbarrier_us {}\n", figures.barrier.steps,
             figures.start_us, figures.barrier_us);
}

int complain(const Error& error) {
  fmt::print(stderr, "gondwana bench scale: {}\n", error.text);
  return 2;
}

int run(const std::vector<std::string_view>& words) {
  if (words.size() != 2)
    return complain({Errc::invalid_argument, "gondwana-scale: expected RANKS NODE_RANKS"});
  const Result<std::uint64_t> ranks = parse_number(words[0], 2, protocol::max_ranks);
  const Result<std::uint64_t> of_node = parse_number(words[1], 1, 1024);
  if (!ranks) return complain(ranks.error());
  if (!of_node) return complain(of_node.error());
  if (MemoryUse::now().allocated == 0)  // with AddressSanitizer
    return complain({Errc::missing, "the allocator of this build does not report allocated bytes"});
  const auto all = static_cast<std::uint32_t>(*ranks);
  const auto each = static_cast<std::uint32_t>(*of_node);
  const Result<Figures> figures =
      all <= each ? measure_on_one_node(all) : measure_whole_job({all, each});
  if (!figures) return complain(figures.error());
  print(*figures);
  return 0;
}

}  // namespace
}  // namespace gondwana::scale

int main(int count, char** words) {
  return gondwana::scale::run({words + 1, words + count});
}
