// One direction of a connection: bytes arrive in order, late, in pieces or together, or never.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "simulation/random.hpp"
#include "simulation/schedule.hpp"

namespace gondwana::simulation {

class Channel {
 public:
  // What is read at once: bytes up to a mark, which is to be called after them, or the end.
  struct Item {
    Time at = 0;
    std::string bytes = {};
    std::shared_ptr<const std::string> frame = nullptr;  // instead of bytes: a whole one
    std::function<void()> mark = {};
    bool is_end = false;
  };

  // `schedule` must outlive this; `on_ready`: there is something to read.
  Channel(Schedule& schedule, Random random, Time latency)
      : schedule_(schedule), random_(random), latency_(latency) {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  void listen(std::function<void()> on_ready);
  std::function<void()> on_end_arrived;  // also where nothing is read any more; may be empty

  // The end that writes.
  void write(std::string bytes);
  // A frame that is written to many. A long one stays whole, and has one copy.
  void write_shared(const std::shared_ptr<const std::string>& frame);
  void mark(std::function<void()> on_read);  // for the reader, after what was written before
  void close();

  std::uint64_t written() const { return written_; }  // bytes

  // The way between.
  void reset();  // what is under way is lost
  void cut();    // the same, at the end that reads: at once, whatever the network does
  void set_silent(bool silent);
  void slow_down(Time more) { slow_ = more; }

  // The end that reads. After abandon() nothing can be read, and on_ready is not called.
  std::optional<Item> read(std::size_t most);
  bool has_unread() const { return !arrived_.empty(); }
  void abandon();

 private:
  void send(Item item);
  void arrive();

  Schedule& schedule_;
  Random random_;
  Time latency_;
  Time slow_ = 0;
  Time last_at_ = 0;
  std::uint64_t written_ = 0;
  std::function<void()> on_ready_;
  std::deque<Item> under_way_;
  std::deque<Item> arrived_;
  bool silent_ = false;
  bool closed_ = false;
  bool abandoned_ = false;
};

}  // namespace gondwana::simulation
