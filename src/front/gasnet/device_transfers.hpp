// Puts and gets with device memory on at least one side, which is here or at a peer.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/engine.hpp"
#include "engine/rma/far_pieces.hpp"
#include "front/gasnet/batch.hpp"
#include "operations/strided/transfer.hpp"
#include "operations/strided_run.hpp"

namespace gondwana::gasnet {

class Door;

// All functions are thread-safe.
class DeviceTransfers {
 public:
  DeviceTransfers(Door& door, Engine& engine);

  // Complete when they return.
  void put(Remote to, Bytes source, CallName call);
  void get(MutableBytes dest, Remote from, CallName call);
  void move(strided::End side, Space there, const StridedRun& run, CallName call);
  std::uint64_t request(Remote at, const AtomicRequest& request, CallName call);

  // In flight when they return. Polls and waits advance them.
  void begin_put(Batch& batch, Remote to, Bytes source, CallName call);
  void begin_get(Batch& batch, MutableBytes dest, Remote from, CallName call);
  // Waits for the operations of devices, or until the client may use all sources again.
  void wait(const Batch& batch, CallName call, bool for_sources);

 private:
  KindAccess& access(CallName call);
  void follow(Batch& batch, std::unique_ptr<KindWork> work, CallName call, bool is_far);
  bool make_room_for(Rank peer, CallName call);

  Door& door_;
  Engine& engine_;
  std::unique_ptr<Lane> lane_;         // null: this process has no device
  std::atomic<std::uint32_t> far_{0};  // transfers in flight to other nodes
};

// The counterpart of FarPieces with device memory on one side.
class KindPieces {
 public:
  KindPieces(DeviceTransfers& devices, Space there, strided::End side, CallName call)
      : devices_(devices), there_(there), side_(side), call_(call) {}

  strided::End side() const { return side_; }
  void move(const StridedRun& run) {
    if (last_.count > 0 && join(last_, run)) return;
    finish();
    last_ = run;
  }
  // All pieces have arrived on return.
  void finish() {
    if (last_.count > 0) devices_.move(side_, there_, last_, call_);
    last_.count = 0;
  }

 private:
  DeviceTransfers& devices_;
  Space there_;
  strided::End side_;
  CallName call_;
  StridedRun last_ = {};
};

}  // namespace gondwana::gasnet
