#include "front/armci/turns.hpp"

namespace gondwana::armci {

constinit ProcessTurns process_turns;
constinit thread_local OwnTurn own_turn;

void prepare_turns() {
  register_for_heavy_fence();
}

}  // namespace gondwana::armci
