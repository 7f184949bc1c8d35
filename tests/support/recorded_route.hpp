// A route without a network: it accepts what is sent, and keeps what goes to ranks.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "remote/client/route.hpp"

namespace gondwana::test {

class RecordedRoute final : public remote::Route {
 public:
  explicit RecordedRoute(std::size_t window = remote::longest_batch) : window_(window) {}

  int batches = 0;                               // to agents
  std::vector<std::vector<std::byte>> messages;  // to ranks, alone or in batches

  Bytes address() const override { return {}; }
  Result<Posted> send_to_agent(std::uint32_t /*node*/, std::size_t /*size*/,
                               Write /*write*/) override {
    return Posted::accepted;
  }
  Result<Posted> send_batch(std::uint32_t /*node*/, remote::BatchSlots::Slot& /*slot*/,
                            std::size_t /*size*/) override {
    ++batches;
    return Posted::accepted;
  }
  Window window() const override { return {.bytes = window_, .results = remote::longest_results}; }
  Result<Posted> send_to_rank(Rank /*to*/, std::size_t size, Write write,
                              Departure /*departure*/) override {
    write(messages.emplace_back(size).data());
    return Posted::accepted;
  }
  Result<Posted> send_batch_to_rank(Rank /*to*/, remote::BatchSlots::Slot& slot,
                                    std::size_t size) override {
    messages.emplace_back(slot.bytes(), slot.bytes() + size);
    slot.state().clear();
    return Posted::accepted;
  }
  std::size_t longest_transfer() const override { return 0; }
  Result<Posted> write(Remote /*to*/, Bytes /*source*/, Completion& /*done*/) override {
    return Posted::busy;
  }
  Result<Posted> read(MutableBytes /*target*/, Remote /*from*/, Completion& /*done*/) override {
    return Posted::busy;
  }
  bool has_writes() const override { return false; }
  bool has_departed() const override { return true; }
  bool poll(const Handlers& /*handlers*/) override { return false; }
  bool may_sleep() override { return false; }
  void sleep(std::chrono::microseconds /*limit*/) override {}

 private:
  std::size_t window_;
};

}  // namespace gondwana::test
