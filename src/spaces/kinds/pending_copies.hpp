// The unfinished copies of a device, in the order in which they began.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <utility>

#include "core/completion.hpp"
#include "core/result.hpp"

namespace gondwana {

class PendingCopies {
 public:
  // The number of the latest copy.
  std::uint64_t last() const { return begun_; }

  void add(Completion& done) {
    done.begin();
    pending_.push_back({++begun_, &done});
  }

  // Finishes the copies up to number `last`.
  void finish(std::uint64_t last) {
    finish_each(last, [](Completion& done) { done.finish(); });
  }
  void fail(std::uint64_t last, Error why) {
    const Error& failure = failures_.emplace_back(std::move(why));
    finish_each(last, [&](Completion& done) { done.fail(failure); });
  }

 private:
  struct Pending {
    std::uint64_t number;
    Completion* done;
  };

  template <typename Finish>
  void finish_each(std::uint64_t last, const Finish& finish) {
    for (; !pending_.empty() && pending_.front().number <= last; pending_.pop_front())
      finish(*pending_.front().done);
  }

  std::uint64_t begun_ = 0;
  std::deque<Pending> pending_;  // in ascending order of their numbers
  std::list<Error> failures_;    // completions refer to elements
};

}  // namespace gondwana
