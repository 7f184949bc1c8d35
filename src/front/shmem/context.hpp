// OpenSHMEM 1.6, section 9.4: communication contexts. A context is a lane of the engine and a team
// that defines its PE numbers.
//
// Handles are small numbers and not addresses, so the library detects a stale handle.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/engine.hpp"
#include "shmem.h"

namespace gondwana::shmem {

struct Caller;

struct Context {
  Lane* lane;
  const Team* team;  // null: the world
  long options = 0;
  std::thread::id owner = {};   // only this thread may use a private context
  long session_options = 0;     // 0: no session
  std::size_t session_ops = 0;  // SHMEM_CTX_SESSION_TOTAL_OPS
  std::unique_ptr<Lane> own_lane = nullptr;
};

inline constexpr std::size_t context_limit = 16384;

// The shortcut of each context, by its number. Memory beyond the numbers in use stays untouched.
// Number 0 stays empty and reaches no PE.
using ShortcutTable = std::array<Shortcut, context_limit>;

class Contexts {
 public:
  static constexpr std::size_t limit = context_limit;
  static constexpr std::size_t default_number = 1;

  Contexts(Engine& engine, ShortcutTable& shortcuts);
  ~Contexts();
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;

  static std::size_t number_of(shmem_ctx_t handle) {
    return reinterpret_cast<std::uintptr_t>(handle);
  }

  // Null for SHMEM_CTX_INVALID and other invalid handles.
  Context* find(shmem_ctx_t handle) const {
    const std::size_t number = number_of(handle);
    return number < limit ? contexts_[number].load(std::memory_order_acquire) : nullptr;
  }

  // Returns SHMEM_CTX_INVALID if all contexts or lanes are in use. `team` null: the world.
  shmem_ctx_t create(const Team* team, long options);
  void destroy(shmem_ctx_t handle);
  // Completes the operations of all contexts but the default one.
  void quiet_all();
  void destroy_all_of(const Team& team);
  // The contexts of one thread reach the ranks below this number by their shortcuts.
  void cover(std::uint32_t end);
  int count_private() const;
  // After a signal handler has emptied them.
  void restore_shortcuts();
  // No context ever had this number or a higher one.
  std::size_t numbers() const { return numbers_.load(std::memory_order_relaxed); }

 private:
  void remove(std::size_t number);
  std::size_t free_number() const;

  Engine* engine_;
  ShortcutTable* shortcuts_;
  std::mutex mutex_;  // held by threads that make or destroy a context
  std::atomic<std::size_t> numbers_{default_number + 1};
  std::size_t first_free_ = default_number + 1;  // all lower numbers are in use
  std::array<std::atomic<Context*>, limit> contexts_{};
};

int ctx_create(Caller caller, long options, shmem_ctx_t* context);
int team_create_ctx(Caller caller, shmem_team_t team, long options, shmem_ctx_t* context);
void ctx_destroy(Caller caller, shmem_ctx_t context);
int ctx_get_team(Caller caller, shmem_ctx_t context, shmem_team_t* team);
void ctx_session_start(Caller caller, shmem_ctx_t context, long options,
                       const shmem_ctx_session_config_t* config, long config_mask);
void ctx_session_stop(Caller caller, shmem_ctx_t context);

}  // namespace gondwana::shmem
