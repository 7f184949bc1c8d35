// A put or a get between nodes with device memory on at least one side. It is cut into chunks,
// several of which are in flight: while a device copies one, here or there, others are on the
// network.
//
//   put   device here -> host memory here -> landing there -> device there
//   get   device there -> landing there -> host memory here -> device here
//
// Steps without a device on their side are omitted. Small transfers, and those to ranks without a
// landing, are sent as messages instead.
#pragma once

#include <array>
#include <cstdint>

#include "engine/rma/bounce/landings.hpp"
#include "engine/rma/bounce/parts.hpp"
#include "engine/rma/bounce/staging.hpp"
#include "engine/rma/kind_work.hpp"
#include "spaces/any_memory.hpp"

namespace gondwana::bounce {

enum class Way : std::uint8_t { put, get };

// The resources that all transfers of a rank share.
struct Resources {
  RemoteAccess& remote;
  AnyMemory& memory;
  Kinds& kinds;
  Landings& landings;
  Staging& staging;
};

// One thread at a time uses a transfer. It must be complete before it is destroyed.
class Transfer final : public KindWork {
 public:
  // May wait for a landing. After the transfer, its error is in the lane.
  Transfer(const Resources& with, Lane& lane, Way way, Space there, const StridedRun& pieces);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() override = default;

  bool advance() override;
  bool has_free_source() const override;
  // Sleeps until a device has copied the oldest chunk, if nothing else is in flight.
  void rest();
  bool has_failed() const { return has_failed_; }

 private:
  enum class Stage : std::uint8_t {
    free,
    asking,    // get: waits for the device there
    filling,   // put: copy to host memory here
    filled,    // ready to send
    moving,    // on the network
    moved,     // put: arrived in the landing
    passing,   // copy between landing and device there
    passed,    // get: arrived in the landing
    emptying,  // get: copy from host memory here to the device
  };
  struct Chunk {
    Stage stage = Stage::free;
    StridedRun part = {};  // in the caller's memory
    StridedRun sent = {};  // the same pieces; `here`: the memory that the network reads or writes
    std::byte* host = nullptr;
    std::optional<std::uint32_t> slot = {};  // slot of the landing; nothing: sent as messages
    Kind* kind = nullptr;                    // the kind that copies
    Completion copied = {};                  // of the copies by `kind`
    Completion done = {};                    // of the network operations
  };
  static constexpr std::size_t depth = slots_of_landing;
  // The most chunks of a get that may wait for a device there. An agent that copies more at once
  // would not send the finished ones meanwhile.
  static constexpr std::size_t max_asked = 2;

  std::size_t chunk_limit(const Chunk& chunk) const;
  std::size_t count_asked() const;
  bool begin(Chunk& chunk);
  bool step(Chunk& chunk);
  bool copy(Chunk& chunk, Stage next);
  bool is_copied(Chunk& chunk);
  bool is_done(Chunk& chunk);
  bool move(Chunk& chunk);
  bool pass(Chunk& chunk, Pass way);
  bool follow(Chunk& chunk, RemoteAccess::Begun begun, Stage next);
  void end(Chunk& chunk);
  bool fail(const Error& error);
  bool is_idle() const;
  bool is_over() const;
  Remote place_of(const Chunk& chunk) const {
    return {there_.rank, landing_->offset_of(*chunk.slot)};
  }

  Resources with_;
  Lane& lane_;
  Way way_;
  Space there_;
  Kind* here_;        // kind of the memory here; null: host memory
  Landing* landing_;  // null: sent as messages
  Parts parts_;
  std::array<Chunk, depth> chunks_;
  std::size_t begun_ = 0;  // number of chunks
  bool has_failed_ = false;
};

}  // namespace gondwana::bounce
