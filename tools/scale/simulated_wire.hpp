// The wire of rank 0: the client that every rank of a large job has, with SimulatedNodes as its
// peers. One thread runs both: the nodes deliver when the rank waits and nothing has arrived.
#pragma once

#include <memory>
#include <utility>

#include "remote/client/client.hpp"
#include "remote/transport.hpp"
#include "simulated_nodes.hpp"

namespace gondwana::scale {

class SimulatedWire final : public Transport {
 public:
  // `nodes` must outlive it.
  SimulatedWire(std::unique_ptr<RemoteClient> client, SimulatedNodes& nodes)
      : client_(std::move(client)), nodes_(nodes) {}

  std::string_view name() const override { return client_->name(); }
  Limits limits() const override { return client_->limits(); }
  Result<Posted> put(Remote to, Bytes source, Completion& done) override {
    return posted(client_->put(to, source, done));
  }
  Result<Posted> get(MutableBytes target, Remote from, Completion& done) override {
    return posted(client_->get(target, from, done));
  }
  Result<Posted> write(Remote to, Bytes source, Completion& done) override {
    return posted(client_->write(to, source, done));
  }
  Result<Posted> read(MutableBytes target, Remote from, Completion& done) override {
    return posted(client_->read(target, from, done));
  }
  Result<Posted> put_packed(Space to, std::span<const StridedRun> pieces,
                            Completion& done) override {
    return posted(client_->put_packed(to, pieces, done));
  }
  Result<Posted> get_packed(Space from, std::span<const StridedRun> pieces,
                            Completion& done) override {
    return posted(client_->get_packed(from, pieces, done));
  }
  Result<Posted> accumulate(Space to, const Accumulation& what, std::span<const StridedRun> pieces,
                            Completion& done) override {
    return posted(client_->accumulate(to, what, pieces, done));
  }
  Result<Posted> atomic(Remote at, const AtomicRequest& request, std::byte* result,
                        Completion& done) override {
    return posted(client_->atomic(at, request, result, done));
  }
  bool has_unordered() const override { return client_->has_unordered(); }
  std::uint64_t accepted() const override { return client_->accepted(); }
  bool has_executed(Rank at, std::uint64_t mark) override {
    return client_->has_executed(at, mark);
  }
  Result<Posted> send_message(Rank to, Bytes head, Bytes body, Departure departure) override {
    return posted(client_->send_message(to, head, body, departure));
  }
  void listen(MessageReceiver receiver) override { client_->listen(std::move(receiver)); }
  bool progress() override {
    const bool progressed = client_->progress();
    nodes_.take();
    return progressed || nodes_.deliver();
  }
  bool departed() const override { return client_->departed(); }
  bool may_sleep() override { return !nodes_.has_something() && client_->may_sleep(); }
  void sleep(std::chrono::microseconds limit) override { client_->sleep(limit); }
  const Error* lost(Rank peer) const override { return client_->lost(peer); }
  std::span<const Error> losses() const override { return client_->losses(); }

 private:
  // Passes the messages to the simulated agent at once.
  Result<Posted> posted(Result<Posted> result) {
    nodes_.take();
    return result;
  }

  std::unique_ptr<RemoteClient> client_;
  SimulatedNodes& nodes_;
};

}  // namespace gondwana::scale
