// A sequence of steps, with the buffers that they use. Creating a step assigns its number among the
// team's collectives.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/collectives/common/rooms.hpp"

namespace gondwana::staged {

// The caller repeats advance() until it returns true. advance() does not wait.
template <typename S>
concept Step = requires(S step) {
  { step.advance() } -> std::convertible_to<bool>;
};

// Whether the step waits for another node, for steps that know.
template <Step S>
bool waits_for_network(const S& step) {
  if constexpr (requires { step.waits_for_network(); })
    return step.waits_for_network();
  else
    return false;
}

// The event that completes a step: stores on this node, or data from other nodes.
enum class Waits : std::uint8_t { for_memory, for_network };

class Chain {
 public:
  template <Step S>
  void add(S step, Waits waits = Waits::for_memory) {
    links_.push_back(std::make_unique<LinkOf<S>>(std::move(step), waits));
  }

  // Calls a function at its position in the sequence.
  template <std::invocable F>
  void then(F function) {
    add(Call<F>{std::move(function)});
  }
  // Keeps the buffer as long as the chain.
  std::byte* keep(Rooms::Room room) { return rooms_.emplace_back(std::move(room)).get(); }

  bool waits_for_network() const {
    return next_ < links_.size() && links_[next_]->waits_for_network();
  }
  // Polls a step twice, because the first poll may have published something: see Round::settle().
  bool advance() {
    while (next_ < links_.size()) {
      if (!links_[next_]->advance()) {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (!links_[next_]->advance()) return false;
      }
      ++next_;
    }
    return true;
  }

 private:
  struct Link {
    explicit Link(Waits for_what) : waits(for_what) {}
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    virtual ~Link() = default;
    virtual bool advance() = 0;
    virtual bool waits_for_network() const { return waits == Waits::for_network; }
    Waits waits;
  };
  template <Step S>
  struct LinkOf final : Link {
    LinkOf(S of, Waits for_what) : Link(for_what), step(std::move(of)) {}
    bool advance() override { return step.advance(); }
    bool waits_for_network() const override {
      if constexpr (requires { step.waits_for_network(); })
        return step.waits_for_network();
      else
        return Link::waits_for_network();
    }
    S step;
  };

  template <typename F>
  struct Call {
    F function;
    bool advance() {
      function();
      return true;
    }
  };

  std::vector<std::unique_ptr<Link>> links_;
  std::vector<Rooms::Room> rooms_;
  std::size_t next_ = 0;
};

}  // namespace gondwana::staged
