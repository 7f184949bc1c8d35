// Steps one after the other. Their places in the order of the team's collectives they have from the
// start.
#pragma once

#include <concepts>
#include <memory>
#include <utility>
#include <vector>

namespace gondwana::staged {

// advance() until it returns true; it does not wait.
template <typename S>
concept Step = requires(S step) {
  { step.advance() } -> std::convertible_to<bool>;
};

class Chain {
 public:
  template <Step S>
  void add(S step) {
    links_.push_back(std::make_unique<LinkOf<S>>(std::move(step)));
  }

  bool advance() {
    while (next_ < links_.size() && links_[next_]->advance()) ++next_;
    return next_ == links_.size();
  }

 private:
  struct Link {
    Link() = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    virtual ~Link() = default;
    virtual bool advance() = 0;
  };
  template <Step S>
  struct LinkOf final : Link {
    explicit LinkOf(S of) : step(std::move(of)) {}
    bool advance() override { return step.advance(); }
    S step;
  };

  std::vector<std::unique_ptr<Link>> links_;
  std::size_t next_ = 0;
};

}  // namespace gondwana::staged
