// The wire between nodes. A rank has an endpoint of its own, by which it reaches the
// agents of the other nodes: puts and gets go to the memory that an agent has registered; words,
// atomic operations and short puts are messages that it executes as the processor's own
// instructions, in order. Messages goes to the endpoint of the rank itself, whose address is on an
// info in its arena. Or all is messages, which the agent of its own node carries.
//
// Connections are made by the first operation to a node.
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
    std::shared_ptr<NodeMemory> memory;  // with the infos of all nodes when something is posted
    Rank me;
    std::uint64_t job_tag = 0;
    network::Settings settings;
    std::size_t eager_limit = 2 * 1024;  // bytes of a put that goes as a message
    bool through_agent = false;          // all goes through the agent of this node
    // A socket whose other end the agent of this node holds, as long as this lives; -1: somebody
    // else looks after the agent.
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
  Result<Posted> atomic(Remote at, const AtomicRequest& request, std::byte* result,
                        Completion& done);
  bool has_unordered() const;
  std::uint64_t accepted() const;
  bool has_executed(Rank at, std::uint64_t mark);
  Result<Posted> send_message(Rank to, Bytes head, Bytes body);
  void listen(MessageReceiver receiver);
  bool progress();
  bool departed() const;
  void sleep(std::chrono::microseconds limit);
  const Error* lost() const;
  // How many messages came that are none of this job's, or make no sense.
  std::uint64_t refused() const;

 private:
  class Implementation;
  explicit RemoteClient(std::unique_ptr<Implementation> implementation);

  std::unique_ptr<Implementation> implementation_;
};

static_assert(Transport<RemoteClient>);

}  // namespace gondwana
