#include "support/absent_door.hpp"

#include <fmt/format.h>

#include <optional>

#include "front/shmem/deaths.hpp"
#include "front/shmem/door.hpp"

namespace gondwana::shmem {

void give_up(CallName name, const std::string& sentence) {
  test::fail_call(fmt::format("{}: {}", name, sentence));
}

void refuse_context(CallName name) {
  give_up(name, "no such context");
}

Door& watched_door(CallName name) {
  give_up(name, "no engine");
}

Door& watched_door(shmem_ctx_t /*context*/, CallName name) {
  give_up(name, "no engine");
}

void give_up_together(CallName name, const std::string& sentence) {
  give_up(name, sentence);
}

constinit Running running;

void fail_call(Lane& lane, CallName name) {
  const std::optional<Error> error = lane.take_error();
  give_up(name, error ? error->text : "failed");
}

void fail_meeting(const Caller& caller) {
  fail_call(caller.lane, caller.name);
  give_up(caller.name, "failed");
}

void heed_deaths() {}

void note_loss(const HopelessWait& /*hopeless*/) {
  give_up("a wait", "a rank has died");
}

}  // namespace gondwana::shmem
