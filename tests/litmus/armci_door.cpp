// ARMCI's operations for litmus tests, and the program that runs them.
#include <armci.h>
#include <message.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "litmus/program.hpp"

namespace gondwana::litmus {
namespace {

constexpr std::size_t block_words = std::size_t{1} << 20;
constexpr int mutexes = 16;  // all at process 0

class ArmciDoor final : public Door {
 public:
  ArmciDoor(int* argc, char*** argv) {
    ARMCI_Init_args(argc, argv);
    blocks_.resize(static_cast<std::size_t>(armci_msg_nproc()));
    ARMCI_Malloc(blocks_.data(), static_cast<armci_size_t>(block_words * sizeof(long)));
    own_ = static_cast<long*>(blocks_[static_cast<std::size_t>(me())]);
    std::fill_n(own_, block_words, 0);
    ARMCI_Create_mutexes(me() == 0 ? mutexes : 0);
    ARMCI_Barrier();
  }
  ~ArmciDoor() override {
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    ARMCI_Free(own_);
    ARMCI_Finalize();
  }

  const char* name() const override { return "armci"; }
  int me() const override { return armci_msg_me(); }
  int size() const override { return armci_msg_nproc(); }
  long* allocate(std::size_t words) override {
    used_ += words;
    return own_ + used_ - words;
  }
  long* pointer_to(const long* own, int pe) override {
    return ARMCI_Same_node(pe) != 0 ? address(own, pe) : nullptr;
  }
  void barrier() override { ARMCI_Barrier(); }
  bool knows(Act act) const override {
    switch (act) {
      case Act::put:
      case Act::put_nbi:
      case Act::get:
      case Act::get_nbi:
      case Act::accumulate:
      case Act::p:
      case Act::g:
      case Act::fetch_add:
      case Act::swap:
      case Act::wait:
      case Act::notify:
      case Act::notify_wait:
      case Act::fence:
      case Act::quiet:
      case Act::barrier:
      case Act::lock:
      case Act::unlock:
        return true;
      default:
        return false;
    }
  }

  void perform(const Call& call) override {
    const int mutex = call.target == nullptr ? 0 : static_cast<int>((call.target - own_) % mutexes);
    int count = 0;
    switch (call.act) {
      case Act::wait:
        while (word_of(call).load(std::memory_order_acquire) != call.value) ::sched_yield();
        return;
      case Act::notify:
        armci_notify(call.pe);
        return;
      case Act::notify_wait:
        armci_notify_wait(call.pe, &count);
        return;
      case Act::fence:
        return ARMCI_AllFence();
      case Act::quiet:
        ARMCI_WaitAll();
        return;
      case Act::barrier:
        return ARMCI_Barrier();
      case Act::lock:
        return ARMCI_Lock(mutex, 0);
      case Act::unlock:
        return ARMCI_Unlock(mutex, 0);
      default:
        transfer(call);
    }
  }

 private:
  long* address(const long* own, int pe) const {
    return static_cast<long*>(blocks_[static_cast<std::size_t>(pe)]) + (own - own_);
  }

  void transfer(const Call& call) {
    void* const there = address(call.target, call.pe);
    const int bytes = static_cast<int>(call.words * sizeof(long));
    auto* const source = const_cast<long*>(call.source);
    long one = 1;
    switch (call.act) {
      case Act::put:
        ARMCI_Put(source, there, bytes, call.pe);
        return;
      case Act::put_nbi:
        ARMCI_NbPut(source, there, bytes, call.pe, nullptr);
        return;
      case Act::get:
        ARMCI_Get(there, call.result, bytes, call.pe);
        return;
      case Act::get_nbi:
        ARMCI_NbGet(there, call.result, bytes, call.pe, nullptr);
        return;
      case Act::accumulate:
        ARMCI_Acc(ARMCI_ACC_LNG, &one, source, there, bytes, call.pe);
        return;
      case Act::p:
        ARMCI_PutValueLong(call.value, there, call.pe);
        return;
      case Act::g:
        *call.result = ARMCI_GetValueLong(there, call.pe);
        return;
      case Act::fetch_add:
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, call.result, there, static_cast<int>(call.value),
                  call.pe);
        return;
      default:
        *call.result = call.value;
        ARMCI_Rmw(ARMCI_SWAP_LONG, call.result, there, 0, call.pe);
    }
  }

  std::vector<void*> blocks_;
  long* own_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace
}  // namespace gondwana::litmus

int main(int argc, char** argv) {
  gondwana::litmus::ArmciDoor door(&argc, &argv);
  return gondwana::litmus::run_program(door, argc, argv);
}
