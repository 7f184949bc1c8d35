// The wire between nodes. A rank reaches the agents of other nodes through an endpoint of its own.
// Puts and gets go to the memory that an agent has registered. Words, atomic operations and short
// puts are messages; the agent executes them in order, with the processor's own instructions.
// Messages to a rank go to that rank's endpoint, whose address is in its arena. Alternatively, the
// agent of the rank's own node carries everything as messages.
//
// The first operation to a node makes the connection.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "memory/node_memory.hpp"
#include "network/settings.hpp"
#include "remote/transport.hpp"

namespace gondwana {

class RemoteClient {
 public:
  struct Setup {
    std::shared_ptr<NodeMemory> memory;  // has the infos of all nodes when something is posted
    Rank me;
    std::uint64_t job_tag = 0;
    network::Settings settings;
    std::size_t eager_limit = 2 * 1024;   // bytes of a put that goes as a message
    std::size_t batch_limit = 32 * 1024;  // bytes after which a batch is full; 0: no batches
    bool through_agent = false;           // all goes through the agent of this node
    // A socket whose other end the agent of this node holds while it lives. -1: the rank does not
    // watch the agent.
    int agent = -1;
  };

  static Result<std::unique_ptr<RemoteClient>> open(const Setup& setup);
  RemoteClient(const RemoteClient&) = delete;
  RemoteClient& operator=(const RemoteClient&) = delete;
  ~RemoteClient();

  std::string_view name() const;
  Limits limits() const;
  Result<Posted> put(Remote to, Bytes source, Completion& done);
  Result<Posted> get(MutableBytes target, Remote from, Completion& done);
  Result<Posted> put_packed(Rank to, std::span<const StridedRun> pieces, Completion& done);
  Result<Posted> get_packed(Rank from, std::span<const StridedRun> pieces, Completion& done);
  Result<Posted> accumulate(Rank to, const Accumulation& what, std::span<const StridedRun> pieces,
                            Completion& done);
  Result<Posted> atomic(Remote at, const AtomicRequest& request, std::byte* result,
                        Completion& done);
  bool has_unordered() const;
  std::uint64_t accepted() const;
  bool has_executed(Rank at, std::uint64_t mark);
  Result<Posted> send_message(Rank to, Bytes head, Bytes body, Departure departure);
  void listen(MessageReceiver receiver);
  bool progress();
  bool departed() const;
  bool may_sleep();
  void sleep(std::chrono::microseconds limit);
  const Error* lost() const;
  // The number of messages that do not belong to this job or are malformed.
  std::uint64_t refused() const;

 private:
  class Implementation;
  explicit RemoteClient(std::unique_ptr<Implementation> implementation);

  std::unique_ptr<Implementation> implementation_;
};

static_assert(Transport<RemoteClient>);

}  // namespace gondwana
