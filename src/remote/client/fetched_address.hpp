// The address of a rank's endpoint, which the rank writes into its arena. The fetch is repeated
// while the address is empty. When it is not, one more fetch returns everything that was written
// before its size became visible.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/completion.hpp"
#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "core/types.hpp"
#include "memory/node_entry.hpp"
#include "network/posted.hpp"

namespace gondwana::remote {

class FetchedAddress {
 public:
  // Reads the rank's EndpointInfo over the network.
  using Read = FunctionRef<Result<Posted>(MutableBytes here, Completion& fetching)>;

  // Accepted: the address is available. Busy: it is not available yet.
  Result<Posted> fetch(std::uint64_t now_ns, Read read);
  // Copies the address of a rank of this node.
  Result<Posted> copy(const EndpointInfo& info);
  // Empty: the rank wrote an invalid address. Valid until forget().
  Bytes address() const;
  // Releases the memory.
  void forget() { info_.reset(); }
  // Another process has replaced the rank. Its address is fetched again, even if a fetch is in
  // flight.
  void renew() { was_written_ = false; }

 private:
  struct Info {
    std::uint64_t size = 0;
    std::array<std::byte, NodeInfo::longest_address> address;
  };

  Info& info();

  std::unique_ptr<Info> info_;
  Completion fetching_;
  bool is_asked_ = false;
  bool was_written_ = false;  // when the last fetch came
  std::uint64_t ask_ns_ = 0;  // earliest time to ask again
};

}  // namespace gondwana::remote
