// Steps one after the other, with the rooms that they use. Their places in the order of the team's
// collectives they have from the start.
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

// advance() until it returns true; it does not wait.
template <typename S>
concept Step = requires(S step) {
  { step.advance() } -> std::convertible_to<bool>;
};

// Whether the next that a step needs comes from another node, for steps that can tell.
template <Step S>
bool waits_for_network(const S& step) {
  if constexpr (requires { step.waits_for_network(); })
    return step.waits_for_network();
  else
    return false;
}

// What the end of a step depends on: what is stored on this node, or what comes from others.
enum class Waits : std::uint8_t { for_memory, for_network };

class Chain {
 public:
  template <Step S>
  void add(S step, Waits waits = Waits::for_memory) {
    links_.push_back(std::make_unique<LinkOf<S>>(std::move(step), waits));
  }

  // A function to be called in its turn.
  template <std::invocable F>
  void then(F function) {
    add(Call<F>{std::move(function)});
  }
  // Keeps it for as long as the chain lives.
  std::byte* keep(Rooms::Room room) { return rooms_.emplace_back(std::move(room)).get(); }

  bool waits_for_network() const {
    return next_ < links_.size() && links_[next_]->waits_for_network();
  }
  // Looks a second time where a step has only just shown something, as Round::settle() asks.
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
