// Executes requests of other nodes on the memory of the ranks of this node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "memory/death_list.hpp"
#include "memory/node_memory.hpp"
#include "remote/agent/space_requests.hpp"
#include "remote/protocol.hpp"

namespace gondwana::remote {

// A result of a request: a word, or pieces of memory that are packed when the reply is sent.
struct ResultPart {
  Space at{Rank(0)};
  PackedRun run = {};  // count 0: a word
  ResultWord word = 0;

  std::size_t size() const { return run.count == 0 ? sizeof(word) : run.bytes(); }
};

class Executor {
 public:
  // Both arguments must outlive the object.
  Executor(const NodeMemory& memory, Kinds& kinds)
      : memory_(memory), spaces_(memory, kinds), deaths_(memory) {}

  // Executes the requests in order and appends their results. It never waits for a lock: if another
  // process holds the lock of an accumulate, it stops. Then `requests` begins with that accumulate,
  // and `added` bytes of it are done. Otherwise `requests` is empty. The sender's earlier writes
  // are visible first. An error: a request is invalid here. `heeded`: see Batch.
  Result<void> execute(std::uint32_t heeded, Bytes& requests, std::size_t& added,
                       std::vector<ResultPart>& results);
  // Called with the same arguments if the sender is gone: drops the requests that execute() has
  // left.
  void abandon(Bytes requests, std::size_t added);
  // The number of device copies in progress. Copies for lost senders count too.
  std::size_t pending_copies() const { return spaces_.pending(); }
  // Copies the memory's current content.
  void pack(const ResultPart& part, std::byte* message);
  // Whether large device transfers have progressed since the last call.
  bool take_has_passed() { return std::exchange(has_passed_, false); }
  // Maps spaces that ranks of this node have created.
  void follow_spaces() { spaces_.follow(); }
  // Wakes the ranks that sleep on memory written since the last call.
  void ring();

 private:
  // A written range of a rank's arena.
  struct Written {
    Rank rank;
    std::uint64_t offset;
    std::size_t size;
  };

  bool is_late(const Request& request, std::uint32_t heeded) const;
  void drop(const Request& request);
  Result<bool> execute(const ReceivedRequest& received, std::size_t& added);
  bool execute_in_arena(const ReceivedRequest& received, std::size_t& added);
  Result<bool> execute_on_device(const ReceivedRequest& received, std::size_t& added);
  void store(const Request& request, Bytes bytes);
  void put_packed(const ReceivedRequest& received);
  void read(const Request& request);
  void get_packed(const ReceivedRequest& received);
  bool accumulate(const ReceivedRequest& received, std::size_t& added);
  void update(const ReceivedRequest& received);
  void manage_block(const Request& request);
  void note_written(Rank rank, std::uint64_t offset, std::size_t size);
  void note_written(Rank rank, const PackedRun& run);
  std::byte* place_of(const Request& request) const {
    return memory_.window(request.target().rank) + request.offset;
  }

  const NodeMemory& memory_;
  SpaceRequests spaces_;
  DeathList deaths_;
  std::vector<ResultPart>* results_ = nullptr;  // results of the batch being executed
  std::vector<Written> written_;
  bool has_passed_ = false;
};

}  // namespace gondwana::remote
