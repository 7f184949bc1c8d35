#include "front/shmem/context.hpp"

#include <algorithm>
#include <span>

#include "core/print_error.hpp"
#include "front/shmem/checks.hpp"
#include "front/shmem/door.hpp"
#include "front/shmem/team.hpp"

namespace gondwana::shmem {
namespace {

shmem_ctx_t context_handle(std::size_t number) {
  return reinterpret_cast<shmem_ctx_t>(number);
}

// Returns the context of a handle, or ends the job if the handle is invalid.
Context& context_of(const Caller& caller, shmem_ctx_t handle) {
  Context* context = caller.door.contexts().find(handle);
  if (context == nullptr) refuse_context(caller.name);
  return *context;
}

// Like context_of(), for calls that change the context. Only its thread may change a private
// context.
Context& own_context(const Caller& caller, shmem_ctx_t handle) {
  Context& context = context_of(caller, handle);
  if (caller.checks_enabled()) examine_owner(caller, context);
  return context;
}

}  // namespace

void Caller::report(const std::string& why) const {
  print_error("gondwana: rank {}: {}: {}\n", index(engine.rank()), name, why);
}

Contexts::Contexts(Engine& engine, ShortcutTable& shortcuts)
    : engine_(&engine), shortcuts_(&shortcuts) {
  contexts_[default_number] = new Context{.lane = &engine.default_lane(), .team = nullptr};
  shortcuts[default_number] = engine.default_lane().shortcut();
}

Contexts::~Contexts() {
  for (std::size_t number = 0; number < numbers(); ++number) remove(number);
}

std::size_t Contexts::free_number() const {
  std::size_t number = first_free_;
  while (number < limit && contexts_[number] != nullptr) ++number;
  return number;
}

shmem_ctx_t Contexts::create(const Team* team, long options) {
  const bool one_thread = (options & (SHMEM_CTX_PRIVATE | SHMEM_CTX_SERIALIZED)) != 0;
  const std::scoped_lock lock(mutex_);
  const std::size_t number = first_free_ = free_number();
  if (number == limit) return SHMEM_CTX_INVALID;
  std::unique_ptr<Lane> lane =
      engine_->make_lane(one_thread ? Threads::one_at_a_time : Threads::many);
  if (lane == nullptr) return SHMEM_CTX_INVALID;
  numbers_.store(std::max(numbers(), number + 1), std::memory_order_relaxed);
  if (team == nullptr) (*shortcuts_)[number] = lane->shortcut();
  // Read after the store: a signal handler empties shortcuts after a death.
  if (engine_->waiter().losses().list().size() != 0) (*shortcuts_)[number] = {};
  auto context = std::make_unique<Context>(Context{.lane = lane.get(),
                                                   .team = team,
                                                   .options = options,
                                                   .owner = std::this_thread::get_id(),
                                                   .own_lane = std::move(lane)});
  contexts_[number].store(context.release(), std::memory_order_release);  // pairs with find()
  return context_handle(number);
}

void Contexts::remove(std::size_t number) {
  (*shortcuts_)[number] = {};
  delete contexts_[number].exchange(nullptr);
  first_free_ = std::min(first_free_, std::max(number, default_number + 1));
}

void Contexts::destroy(shmem_ctx_t handle) {
  const std::scoped_lock lock(mutex_);
  remove(number_of(handle));
}

void Contexts::quiet_all() {
  const std::scoped_lock lock(mutex_);
  for (std::size_t number = default_number + 1; number < numbers(); ++number)
    if (Context* context = contexts_[number]) engine_->rma().quiet(*context->lane);
}

void Contexts::destroy_all_of(const Team& team) {
  const std::scoped_lock lock(mutex_);
  for (std::size_t number = default_number + 1; number < numbers(); ++number) {
    Context* context = contexts_[number];
    if (context == nullptr || context->team != &team) continue;
    engine_->rma().quiet(*context->lane);
    remove(number);
  }
}

void Contexts::cover(std::uint32_t end) {
  const std::scoped_lock lock(mutex_);
  for (std::size_t number = default_number; number < numbers(); ++number) {
    Context* context = contexts_[number];
    if (context == nullptr) continue;
    context->lane->cover(end);
    (*shortcuts_)[number].cover(end);
  }
}

void Contexts::restore_shortcuts() {
  const std::scoped_lock lock(mutex_);
  for (std::size_t number = default_number; number < numbers(); ++number)
    if (const Context* context = contexts_[number]; context != nullptr && context->team == nullptr)
      (*shortcuts_)[number] = context->lane->shortcut();
}

int Contexts::count_private() const {
  const auto is_private = [](const Context* context) {
    return context != nullptr && (context->options & SHMEM_CTX_PRIVATE) != 0;
  };
  return static_cast<int>(std::ranges::count_if(std::span(contexts_).first(numbers()), is_private));
}

int ctx_create(Caller caller, long options, shmem_ctx_t* context) {
  return team_create_ctx(caller, SHMEM_TEAM_WORLD, options, context);
}

int team_create_ctx(Caller caller, shmem_team_t handle, long options, shmem_ctx_t* context) {
  if (caller.checks_enabled()) {
    examine_given(caller, "ctx", static_cast<const void*>(context));
    examine_bits(caller, "options", options,
                 SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE,
                 "SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE or SHMEM_CTX_NOSTORE, or several");
  }
  const Team* team = find_team(caller.engine, handle);
  *context = SHMEM_CTX_INVALID;
  if (team == nullptr) return 1;
  const bool world = team == &caller.engine.teams().world();
  *context = caller.door.contexts().create(world ? nullptr : team, options);
  return *context == SHMEM_CTX_INVALID ? 1 : 0;
}

void ctx_destroy(Caller caller, shmem_ctx_t handle) {
  if (handle == SHMEM_CTX_INVALID) return;
  const Context& context = own_context(caller, handle);
  if (handle == SHMEM_CTX_DEFAULT) give_up(caller.name, "the default context cannot be destroyed");
  ctx_session_stop(caller, handle);
  if (!caller.engine.rma().quiet(*context.lane)) fail_call(*context.lane, caller.name);
  caller.door.contexts().destroy(handle);
}

int ctx_get_team(Caller caller, shmem_ctx_t handle, shmem_team_t* team) {
  *team = SHMEM_TEAM_INVALID;
  if (handle == SHMEM_CTX_INVALID) return 1;
  const Context& context = context_of(caller, handle);
  *team = context.team == nullptr ? SHMEM_TEAM_WORLD : handle_of(*context.team);
  return 0;
}

// Session options are hints, combined as the standard says. With SHMEM_CTX_SESSION_BATCH,
// operations to other nodes gather until the session ends. They gather for all contexts: a node
// gets the operations of this PE in one stream.
void ctx_session_start(Caller caller, shmem_ctx_t handle, long options,
                       const shmem_ctx_session_config_t* config, long config_mask) {
  if (handle == SHMEM_CTX_INVALID) return;
  Context& context = own_context(caller, handle);
  if ((config_mask & SHMEM_CTX_SESSION_TOTAL_OPS) != 0) {
    if (config == nullptr) give_up(caller.name, "config_mask is not 0, but config is null");
    context.session_ops = config->total_ops;
  }
  const bool is_new = (options & ~context.session_options & SHMEM_CTX_SESSION_BATCH) != 0;
  context.session_options |= options;
  if (is_new) caller.engine.rma().gather(true);
}

void ctx_session_stop(Caller caller, shmem_ctx_t handle) {
  if (handle == SHMEM_CTX_INVALID) return;
  Context& context = own_context(caller, handle);
  if ((context.session_options & SHMEM_CTX_SESSION_BATCH) != 0) caller.engine.rma().gather(false);
  context.session_options = 0;
  context.session_ops = 0;
}

}  // namespace gondwana::shmem
