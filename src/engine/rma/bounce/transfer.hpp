// A put or a get between nodes, one side of which at least is memory of a device. It goes in
// chunks, several of them under way: while one is copied by a device, here or there, others are on
// the network.
//
//   put   device here -> host memory here -> landing there -> device there
//   get   device there -> landing there -> host memory here -> device here
//
// Steps whose side is no device are left out. Small transfers, and those to ranks without a
// landing, go as messages instead of through it.
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

// What all transfers of a rank use.
struct Resources {
  RemoteAccess& remote;
  AnyMemory& memory;
  Kinds& kinds;
  Landings& landings;
  Staging& staging;
};

// One thread at a time. It must be over before it is destroyed.
class Transfer final : public KindWork {
 public:
  // May wait, for a landing. An error of a transfer is in the lane when it is over.
  Transfer(const Resources& with, Lane& lane, Way way, Space there, const StridedRun& pieces);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() override = default;

  bool advance() override;
  bool has_free_source() const override;
  // Sleeps for a device, if nothing else is under way.
  void rest();
  bool has_failed() const { return has_failed_; }

 private:
  enum class Stage : std::uint8_t {
    free,
    asking,    // get: the device there
    filling,   // put: to host memory here
    filled,    // and it may leave
    moving,    // on the network
    moved,     // put: it is in the landing
    passing,   // between landing and device there
    passed,    // get: it is in the landing
    emptying,  // get: from host memory here to the device
  };
  struct Chunk {
    Stage stage = Stage::free;
    StridedRun part = {};  // of the caller's memory
    StridedRun sent = {};  // the same pieces; `here`: where the network reads or writes them
    std::byte* host = nullptr;
    std::optional<std::uint32_t> slot = {};  // of the landing; nothing: it goes as messages
    Kind* kind = nullptr;                    // that copies
    Completion copied = {};                  // by it
    Completion done = {};                    // by the network
  };
  static constexpr std::size_t depth = slots_of_landing;
  // Limit of chunks of a get that wait for a device there: an agent that copies more of them at
  // once does not send meanwhile what it has copied.
  static constexpr std::size_t most_asked = 2;

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
  Kind* here_;        // of the memory here; null: host memory
  Landing* landing_;  // null: it goes through none
  Parts parts_;
  std::array<Chunk, depth> chunks_;
  std::size_t begun_ = 0;  // chunks
  bool has_failed_ = false;
};

}  // namespace gondwana::bounce
