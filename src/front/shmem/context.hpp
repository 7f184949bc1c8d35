// OpenSHMEM 1.6, section 9.4: communication contexts. Each is a lane of the engine, and a team
// whose numbers it uses.
//
// Handles are small numbers, never addresses to follow, so a handle of a context that is gone is
// recognised.
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
  std::thread::id owner = {};   // that made it: only it may use a private one
  long session_options = 0;     // 0: no session
  std::size_t session_ops = 0;  // SHMEM_CTX_SESSION_TOTAL_OPS
  std::unique_ptr<Lane> own_lane = nullptr;
};

inline constexpr std::size_t context_limit = 256;

// The shortcut of each context, by its number. Number 0 stays empty: it reaches nobody.
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

  // Null for SHMEM_CTX_INVALID and anything that is no handle.
  Context* find(shmem_ctx_t handle) const {
    const std::size_t number = number_of(handle);
    return number < limit ? contexts_[number].load(std::memory_order_acquire) : nullptr;
  }

  // SHMEM_CTX_INVALID where there is no room for one more. `team` null: the world.
  shmem_ctx_t create(const Team* team, long options);
  void destroy(shmem_ctx_t handle);
  // Completes what went through any but the default one.
  void quiet_all();
  // Those that were made from the team.
  void destroy_all_of(const Team& team);
  // How many there are that only their thread may use.
  int count_private() const;

 private:
  void remove(std::size_t number);

  Engine* engine_;
  ShortcutTable* shortcuts_;
  std::mutex mutex_;  // whoever makes or destroys one
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
