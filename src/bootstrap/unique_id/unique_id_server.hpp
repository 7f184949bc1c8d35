// The process that made a unique id serves the ranks that come with it: a listening port, and a
// thread that sleeps until something happens.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "bootstrap/unique_id/unique_id.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

class UniqueIdServer {
 public:
  // At a free port, with a random key.
  static Result<std::unique_ptr<UniqueIdServer>> open();
  struct Place {
    bool is_local;  // for processes of this machine
    std::uint16_t port;
    HashKey key;
  };
  static Result<std::unique_ptr<UniqueIdServer>> open(const Place& place);
  ~UniqueIdServer();

  UniqueIdServer(const UniqueIdServer&) = delete;
  UniqueIdServer& operator=(const UniqueIdServer&) = delete;

  const UniqueId& id() const { return id_; }
  // Whether the thread has ended: the ranks of this start have ended.
  bool is_over() const { return is_over_.load(std::memory_order_acquire); }
  // While it is held, the thread does nothing: the program's variables may move.
  std::mutex& turn() { return turn_; }
  // Both while turn() is held. The connections that were refused so far; later ones are also added
  // to this word, which tools read (null: to none).
  std::uint32_t refused() const { return refused_; }
  void count_in(std::atomic<std::uint32_t>* word) { shown_ = word; }
  // In a forked child, which has no such thread: the port must close with the process that has it.
  void abandon();

 private:
  class Desk;

  UniqueIdServer() = default;
  void run(Desk& desk);
  void count(std::uint32_t refused);

  UniqueId id_;
  UniqueFd door_;
  UniqueFd stop_;  // an eventfd
  std::unique_ptr<Desk> desk_;
  std::mutex turn_;
  std::uint32_t refused_ = 0;                    // under turn_, like shown_
  std::atomic<std::uint32_t>* shown_ = nullptr;  // in shared memory
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

// The addresses at which other machines may reach this one, at most as many as an id has room for.
// The loopback address if there is no other.
std::vector<InternetAddress> own_addresses();

}  // namespace gondwana
