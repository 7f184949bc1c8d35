// Turns a collective of a team into an event of the client.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/collectives/staged/staged_collectives.hpp"
#include "front/gasnet/door.hpp"

namespace gondwana::gasnet {

// Ends the job if a collective may not be called here.
StagedCollectives& collectives_of(Team& team, CallName call);

// Completes when the other members need no calls from this member, which may make none for long.
template <typename Step>
class StepOperation : public Operation {
 public:
  explicit StepOperation(const CollectiveResources& with, Step step, bool is_over = false)
      : with_(with), step_(std::move(step)), is_over_(is_over) {}
  bool advance() override {
    is_over_ = is_over_ || step_.advance();
    return is_over_ && with_.has_told();
  }
  bool waits_for_network() const override {
    if (is_over_) return true;  // its last messages are still in flight
    return staged::waits_for_network(step_);
  }

 private:
  const CollectiveResources& with_;
  Step step_;
  bool is_over_;
};

// Starts the step. Returns GEX_EVENT_INVALID if it is already complete.
template <typename Step>
gex_Event_t begin(Door& door, Step step) {
  bool is_over = step.advance();
  if (!is_over) {
    staged::Round::settle();
    is_over = step.advance();
  }
  if (is_over && door.teams().staged().has_told()) return GEX_EVENT_INVALID;
  return start(
      door, std::make_shared<StepOperation<Step>>(door.teams().staged(), std::move(step), is_over));
}

gex_Event_t begin_movement(Team& team, CallName call, const staged::Movement& what);

// Host copies of the device arrays of one collective.
class HostArrays {
 public:
  // Replaces arrays on devices by host memory. Null: no array is on a device. The sizes count the
  // bytes that this member reads and writes.
  static std::shared_ptr<HostArrays> of(Door& door, CallName call, const std::byte*& source,
                                        std::size_t source_size, std::byte*& dest,
                                        std::size_t dest_size);
  static std::shared_ptr<HostArrays> of(const Team& team, CallName call, staged::Movement& what);
  // Reads the source from the device. Called once the standard allows this member to read it.
  void take() const;
  // Writes the result to the device, without waiting. True: the write is complete.
  bool give_back();

 private:
  HostArrays(Door& door, CallName call) : door_(door), call_(call) {}
  void check(const Result<void>& copied) const;

  Door& door_;
  CallName call_;
  std::vector<std::byte> source_;  // empty if dest_ also holds the source
  std::vector<std::byte> dest_;    // copy of the array at `result_`
  std::byte* result_ = nullptr;
  std::byte* taken_ = nullptr;       // where take() stores the source
  const std::byte* from_ = nullptr;  // null: the source is in host memory
  std::size_t size_ = 0;             // bytes of the source
  bool gives_back_ = false;          // the copy of the result is in flight
  Kind* kind_ = nullptr;             // copies the result
  Completion given_back_;
};

// The last step of a collective with an array on a device.
struct GiveBack {
  std::shared_ptr<HostArrays> arrays;

  bool advance() const { return arrays->give_back(); }
};

}  // namespace gondwana::gasnet
