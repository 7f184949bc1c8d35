// Carries out requests of other nodes on the memory of the ranks of this node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "memory/node_memory.hpp"
#include "remote/agent/space_requests.hpp"
#include "remote/protocol.hpp"

namespace gondwana::remote {

// A result of a request: a word, or pieces of memory that are packed once there is room to send
// them.
struct ResultPart {
  Space at{Rank(0)};
  Row row = {};  // count 0: a word
  ResultWord word = 0;

  std::size_t size() const { return row.count == 0 ? sizeof(word) : row.bytes(); }
};

class Executor {
 public:
  // Both must outlive it.
  Executor(const NodeMemory& memory, Kinds& kinds) : memory_(memory), spaces_(memory, kinds) {}

  // Carries out one request after the other and appends their results. It never waits for a lock:
  // if another process has that of an accumulate, it stops. Then `requests` begins with that one,
  // `added` bytes of which are done; otherwise it is empty. What the sender wrote before is visible
  // first. An error: a request that makes no sense here.
  Result<void> execute(Bytes& requests, std::size_t& added, std::vector<ResultPart>& results);
  // What the memory holds now.
  void pack(const ResultPart& part, std::byte* message);
  // Whether large transfers of devices have gone on since the last call.
  bool take_has_passed() { return std::exchange(has_passed_, false); }
  // Looks at spaces that ranks of this node have made.
  void follow_spaces() { spaces_.follow(); }
  // Wakes the ranks that sleep on what was written since the last call.
  void ring();

 private:
  // A written range of a rank's arena.
  struct Written {
    Rank rank;
    std::uint64_t offset;
    std::size_t size;
  };

  Result<bool> execute(const ReceivedRequest& received, std::size_t& added);
  bool execute_in_arena(const ReceivedRequest& received, std::size_t& added);
  Result<bool> execute_on_device(const ReceivedRequest& received, std::size_t& added);
  void store(const Request& request, Bytes bytes);
  void put_packed(const ReceivedRequest& received);
  void read(const Request& request);
  void get_packed(const ReceivedRequest& received);
  bool accumulate(const ReceivedRequest& received, std::size_t& added);
  void update(const ReceivedRequest& received);
  void note_written(Rank rank, std::uint64_t offset, std::size_t size);
  void note_written(Rank rank, const Row& row);
  std::byte* place_of(const Request& request) const {
    return memory_.window(request.target().rank) + request.offset;
  }

  const NodeMemory& memory_;
  SpaceRequests spaces_;
  std::vector<ResultPart>* results_ = nullptr;  // of the requests that are carried out
  std::vector<Written> written_;
  bool has_passed_ = false;
};

}  // namespace gondwana::remote
