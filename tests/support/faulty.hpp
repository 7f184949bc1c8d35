// A wire with every behaviour that a network may have: it refuses, delays, reorders and splits. It
// wraps a working transport. Its Limits promise only the legal minimum.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "remote/transport.hpp"

namespace gondwana::test {

class Faulty final : public Transport {
 public:
  // With an even seed the wire does not pack.
  Faulty(std::unique_ptr<Transport> inner, std::uint64_t seed)
      : inner_(std::move(inner)), random_(seed), packs_(seed % 2 == 1) {}

  std::string_view name() const override { return "faulty"; }
  Limits limits() const override {
    Limits limits = inner_->limits();
    limits.max_write = 1000;
    limits.packs_up_to = packs_ ? 1000 : 0;
    limits.accumulates_up_to = 1000;
    return limits;
  }

  // Puts do not overtake each other.
  Result<Posted> put(Remote to, Bytes source, Completion& done) override {
    if (one_in(3)) return Posted::busy;
    const std::vector<std::byte> copy(source.begin(), source.end());
    later(done, [=, this](Completion& part) { return inner_->put(to, copy, part); });
    delayed_.back().is_put = true;
    return Posted::accepted;
  }
  Result<Posted> get(MutableBytes target, Remote from, Completion& done) override {
    if (one_in(3)) return Posted::busy;
    return later(done, [=, this](Completion& part) { return inner_->get(target, from, part); });
  }
  // It arrives in two pieces, in either order.
  Result<Posted> write(Remote to, Bytes source, Completion& done) override {
    if (one_in(3)) return Posted::busy;
    if (source.size() < 2)
      return later(done, [=, this](Completion& part) { return inner_->write(to, source, part); });
    const std::size_t cut = 1 + random_() % (source.size() - 1);
    const Remote rest{to.owner(), to.offset + cut};
    later(done, [=, this](Completion& part) { return inner_->write(to, source.first(cut), part); });
    return later(done, [=, this](Completion& part) {
      return inner_->write(rest, source.subspan(cut), part);
    });
  }
  Result<Posted> read(MutableBytes target, Remote from, Completion& done) override {
    if (one_in(3)) return Posted::busy;
    return later(done, [=, this](Completion& part) { return inner_->read(target, from, part); });
  }
  Result<Posted> put_packed(Space to, std::span<const StridedRun> pieces,
                            Completion& done) override {
    if (one_in(3)) return Posted::busy;
    auto copy = std::make_shared<Copy>(pieces);
    return later(
        done, [=, this](Completion& part) { return inner_->put_packed(to, copy->pieces, part); });
  }
  Result<Posted> get_packed(Space from, std::span<const StridedRun> pieces,
                            Completion& done) override {
    if (one_in(3)) return Posted::busy;
    const std::vector<StridedRun> kept(pieces.begin(), pieces.end());
    return later(done,
                 [=, this](Completion& part) { return inner_->get_packed(from, kept, part); });
  }
  Result<Posted> accumulate(Space to, const Accumulation& what, std::span<const StridedRun> pieces,
                            Completion& done) override {
    if (one_in(3)) return Posted::busy;
    auto copy = std::make_shared<Copy>(pieces);
    return later(done, [=, this](Completion& part) {
      return inner_->accumulate(to, what, copy->pieces, part);
    });
  }
  Result<Posted> pass(Space space, std::span<const StridedRun> pieces, std::uint64_t packed,
                      Pass way, Completion& done) override {
    if (one_in(3)) return Posted::busy;
    const std::vector<StridedRun> kept(pieces.begin(), pieces.end());
    return later(
        done, [=, this](Completion& part) { return inner_->pass(space, kept, packed, way, part); });
  }
  Result<Posted> atomic(Remote at, const AtomicRequest& request, std::byte* result,
                        Completion& done) override {
    if (one_in(3)) return Posted::busy;
    return later(done,
                 [=, this](Completion& part) { return inner_->atomic(at, request, result, part); });
  }
  Result<Posted> allocate(Rank at, std::uint64_t size, BlockOwner owner, std::uint64_t& block,
                          Completion& done) override {
    if (one_in(3)) return Posted::busy;
    return later(done, [=, this, &block](Completion& part) {
      return inner_->allocate(at, size, owner, block, part);
    });
  }
  Result<Posted> release(Remote block, std::uint64_t& result, Completion& done) override {
    if (one_in(3)) return Posted::busy;
    return later(done, [=, this, &result](Completion& part) {
      return inner_->release(block, result, part);
    });
  }

  void gather(bool begins) override { inner_->gather(begins); }
  bool has_unordered() const override { return !delayed_.empty() || inner_->has_unordered(); }
  // A fence drains delayed operations, so its mark concerns the inner transport alone.
  std::uint64_t accepted() const override { return inner_->accepted(); }
  bool has_executed(Rank at, std::uint64_t mark) override { return inner_->has_executed(at, mark); }
  // A delayed message does not overtake other messages to the same rank.
  Result<Posted> send_message(Rank to, Bytes head, Bytes body, Departure departure) override {
    if (one_in(3)) return Posted::busy;
    std::vector<std::byte> bytes(head.begin(), head.end());
    bytes.insert(bytes.end(), body.begin(), body.end());
    messages_.push_back({to, std::move(bytes), departure});
    return Posted::accepted;
  }
  void listen(MessageReceiver receiver) override { inner_->listen(std::move(receiver)); }

  bool departed() const override {
    return delayed_.empty() && messages_.empty() && inner_->departed();
  }
  bool may_sleep() override { return delayed_.empty() && messages_.empty() && inner_->may_sleep(); }
  void sleep(std::chrono::microseconds limit) override { inner_->sleep(limit); }
  const Error* lost(Rank peer) const override { return inner_->lost(peer); }
  std::span<const Error> losses() const override { return inner_->losses(); }

  bool progress() override {
    if (!one_in(4)) start_one();
    if (!one_in(4)) send_one();
    inner_->progress();
    return finish_some();
  }

 private:
  struct Delayed {
    std::function<Result<Posted>(Completion&)> start;
    Completion* done;
    std::unique_ptr<Completion> part = std::make_unique<Completion>();
    bool started = false;
    bool is_put = false;
  };

  // A copy of the data of a put, so that the source is free at once.
  struct Copy {
    explicit Copy(std::span<const StridedRun> all)
        : pieces(all.begin(), all.end()), packed(bytes_of(all)) {
      pack(all, packed.data());
      std::byte* next = packed.data();
      for (StridedRun& each : pieces) {
        each.here = next;
        each.here_stride = static_cast<std::ptrdiff_t>(each.size);
        next += each.bytes();
      }
    }
    std::vector<StridedRun> pieces;
    std::vector<std::byte> packed;
  };

  struct Message {
    Rank to;
    std::vector<std::byte> bytes;
    Departure departure;
  };

  bool one_in(std::uint64_t n) { return random_() % n == 0; }

  Posted later(Completion& done, std::function<Result<Posted>(Completion&)> start) {
    done.begin();
    delayed_.push_back({std::move(start), &done});
    return Posted::accepted;
  }

  void start_one() {
    if (delayed_.empty()) return;
    const std::size_t any = random_() % delayed_.size();
    const auto is_next_put = [](const Delayed& each) { return each.is_put && !each.started; };
    Delayed& chosen =
        is_next_put(delayed_[any]) ? *std::ranges::find_if(delayed_, is_next_put) : delayed_[any];
    if (chosen.started) return;
    const Result<Posted> posted = chosen.start(*chosen.part);
    GONDWANA_ASSERT(static_cast<bool>(posted), delayed_.size());
    chosen.started = *posted == Posted::accepted;
  }

  void send_one() {
    if (messages_.empty()) return;
    const Rank to = messages_[random_() % messages_.size()].to;
    const auto first = std::ranges::find(messages_, to, &Message::to);
    const Result<Posted> posted = inner_->send_message(to, first->bytes, {}, first->departure);
    GONDWANA_ASSERT(static_cast<bool>(posted), messages_.size());
    if (*posted == Posted::accepted) messages_.erase(first);
  }

  bool finish_some() {
    const auto finished = [](const Delayed& each) { return each.started && each.part->done(); };
    for (Delayed& each : delayed_)
      if (finished(each)) each.done->finish();
    return std::erase_if(delayed_, finished) > 0;
  }

  std::unique_ptr<Transport> inner_;
  std::mt19937_64 random_;
  bool packs_;
  std::deque<Delayed> delayed_;
  std::deque<Message> messages_;
};

}  // namespace gondwana::test
