// The wire between ranks that are threads of one process. A rank queues its operations and executes
// them when it makes progress. It accesses the same memory as loads and stores, so one process can
// run, debug and race every path of a network. It mirrors Transport.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "memory/node_memory.hpp"
#include "remote/protocol.hpp"
#include "remote/transport.hpp"
#include "spaces/any_memory.hpp"
#include "support/loopback/message_queues.hpp"

namespace gondwana {

class Loopback final : public Transport {
 public:
  static constexpr std::size_t queue_length = 64;  // operations in flight; then busy

  struct Setup {
    std::vector<std::shared_ptr<NodeMemory>> nodes;  // of the job, in the order of their ranks
    Rank me;
    std::shared_ptr<MessageQueues> boxes;  // of all ranks of the job
    std::shared_ptr<Kinds> kinds = {};     // null: ranks have no devices
  };

  explicit Loopback(Setup setup);

  std::string_view name() const override { return "loopback"; }
  Limits limits() const override {
    return {.messages_up_to = sizeof(std::uint64_t),
            .max_write = remote::max_write,
            .packs_up_to = 4096,
            .accumulates_up_to = 4096,
            .longest_message = remote::longest_message,
            .passes_up_to = remote::longest_pass};
  }
  Result<Posted> put(Remote to, Bytes source, Completion& done) override;
  Result<Posted> get(MutableBytes target, Remote from, Completion& done) override {
    return read(target, from, done);
  }
  Result<Posted> write(Remote to, Bytes source, Completion& done) override;
  Result<Posted> read(MutableBytes target, Remote from, Completion& done) override;
  Result<Posted> put_packed(Space to, std::span<const StridedRun> pieces,
                            Completion& done) override;
  Result<Posted> get_packed(Space from, std::span<const StridedRun> pieces,
                            Completion& done) override;
  Result<Posted> accumulate(Space to, const Accumulation& what, std::span<const StridedRun> pieces,
                            Completion& done) override;
  Result<Posted> pass(Space space, std::span<const StridedRun> pieces, std::uint64_t packed,
                      Pass way, Completion& done) override;
  Result<Posted> atomic(Remote at, const AtomicRequest& request, std::byte* result,
                        Completion& done) override;
  Result<Posted> allocate(Rank at, std::uint64_t size, BlockOwner owner, std::uint64_t& block,
                          Completion& done) override;
  Result<Posted> release(Remote block, std::uint64_t& result, Completion& done) override;
  bool has_unordered() const override { return false; }
  std::uint64_t accepted() const override { return 0; }
  bool has_executed(Rank /*at*/, std::uint64_t /*mark*/) override { return true; }  // one queue
  Result<Posted> send_message(Rank to, Bytes head, Bytes body, Departure departure) override;
  void listen(MessageReceiver receiver) override { receiver_ = std::move(receiver); }
  bool progress() override;
  bool departed() const override { return queue_.empty(); }
  bool may_sleep() override { return queue_.empty(); }
  void sleep(std::chrono::microseconds limit) override;
  const Error* lost(Rank /*peer*/) const override { return nullptr; }
  std::span<const Error> losses() const override { return {}; }

 private:
  struct Write {
    std::byte* to;
    Bytes source;
  };
  struct Read {
    MutableBytes target;
    const std::byte* from;
  };
  // A run, and the address of its first piece at the peer.
  struct Located {
    StridedRun pieces;
    std::byte* there;
  };
  struct PackedPut {
    std::vector<Located> pieces;
    std::vector<std::byte> packed;
  };
  struct Sum {
    std::vector<Located> pieces;
    std::vector<std::byte> packed;  // unscaled
    Accumulation what;
    AccumulateLocks* locks;
  };
  struct PackedGet {
    std::vector<Located> pieces;
  };
  struct Atomic {
    std::byte* at;
    AtomicRequest request;
    std::byte* result;
  };
  // An operation on device memory.
  struct OnDevice {
    AnyMemory* memory;
    std::function<void(AnyMemory&)> act;
  };
  // Allocates a block of a remote heap, or frees one.
  struct OnHeap {
    std::function<void()> act;
  };
  using What = std::variant<Write, Read, PackedPut, PackedGet, Sum, Atomic, OnDevice, OnHeap>;
  struct Operation {
    What what;
    Completion* done;
  };

  Result<std::byte*> locate(Remote place, std::size_t size) const;
  Result<std::vector<Located>> locate(Space peer, std::span<const StridedRun> pieces) const;
  Posted post(What what, Completion& done);
  Posted post_on_device(Rank rank, std::function<void(AnyMemory&)> act, Completion& done);
  static void execute(const PackedPut& spread);
  static void execute(const PackedGet& gather);
  static void execute(const Sum& sum);
  static void execute(const Write& write);
  static void execute(const Read& read);
  static void execute(const Atomic& atomic);
  static void execute(const OnDevice& operation) { operation.act(*operation.memory); }
  static void execute(const OnHeap& operation) { operation.act(); }
  RemoteHeap heap_of(Rank rank) const;
  bool execute_one();
  bool receive_one();

  std::vector<std::shared_ptr<NodeMemory>> nodes_;
  std::shared_ptr<Kinds> kinds_;
  std::deque<AnyMemory> devices_;  // by node
  Rank me_;
  std::shared_ptr<MessageQueues> boxes_;
  MessageReceiver receiver_;     // owner: the thread of the rank
  std::deque<Operation> queue_;  // owner: the thread of the rank
};

}  // namespace gondwana
