// GASNet-EX's operations for litmus tests, and the program that runs them.
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <gasnetex.h>

#include <atomic>
#include <cstring>

#include "litmus/program.hpp"

namespace gondwana::litmus {
namespace {

constexpr std::size_t segment_size = std::size_t{8} << 20;
constexpr gex_AM_Index_t short_index = 200;
constexpr gex_AM_Index_t medium_index = 201;
constexpr gex_AM_Index_t long_index = 202;
constexpr gex_OP_t domain_ops =
    GEX_OP_SET | GEX_OP_GET | GEX_OP_ADD | GEX_OP_FADD | GEX_OP_SWAP | GEX_OP_FCAS;

// Of this rank. Handlers have no other way to find it.
long* segment = nullptr;

void raise_flag(gex_AM_Arg_t flag, gex_AM_Arg_t value) {
  std::atomic_ref(segment[flag]).store(value, std::memory_order_release);
}

void on_short(gex_Token_t /*token*/, gex_AM_Arg_t flag, gex_AM_Arg_t value) {
  raise_flag(flag, value);
}
void on_medium(gex_Token_t /*token*/, void* payload, std::size_t size, gex_AM_Arg_t place,
               gex_AM_Arg_t flag, gex_AM_Arg_t value) {
  std::memcpy(segment + place, payload, size);
  raise_flag(flag, value);
}
void on_long(gex_Token_t /*token*/, void* /*payload*/, std::size_t /*size*/, gex_AM_Arg_t flag,
             gex_AM_Arg_t value) {
  raise_flag(flag, value);
}

class GasnetDoor final : public Door {
 public:
  GasnetDoor(int* argc, char*** argv) {
    gex_Client_t client{};
    gex_EP_t endpoint{};
    gex_Segment_t own{};
    gex_Client_Init(&client, &endpoint, &team_, "LITMUS", argc, argv, 0);
    gex_Segment_Attach(&own, team_, segment_size);
    segment = static_cast<long*>(gex_Segment_QueryAddr(own));
    std::memset(segment, 0, segment_size);
    gex_AM_Entry_t handlers[] = {{short_index, reinterpret_cast<gex_AM_Fn_t>(on_short),
                                  GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 2, nullptr, "short"},
                                 {medium_index, reinterpret_cast<gex_AM_Fn_t>(on_medium),
                                  GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 3, nullptr, "medium"},
                                 {long_index, reinterpret_cast<gex_AM_Fn_t>(on_long),
                                  GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 2, nullptr, "long"}};
    gex_EP_RegisterHandlers(endpoint, handlers, 3);
    gex_AD_Create(&domain_, team_, GEX_DT_I64, domain_ops, 0);
    wait_for_all();
  }

  const char* name() const override { return "gasnet"; }
  int me() const override { return static_cast<int>(gex_TM_QueryRank(team_)); }
  int size() const override { return static_cast<int>(gex_TM_QuerySize(team_)); }
  long* allocate(std::size_t words) override {
    used_ += words;
    return segment + used_ - words;
  }
  long* pointer_to(const long* own, int pe) override {
    void* local = nullptr;
    gex_Segment_QueryBound(team_, rank(pe), nullptr, &local, nullptr);
    return local == nullptr ? nullptr : static_cast<long*>(local) + (own - segment);
  }
  void barrier() override {
    gex_NBI_Wait(GEX_EC_ALL, 0);
    wait_for_all();
  }
  bool knows(Act act) const override {
    switch (act) {
      case Act::put:
      case Act::put_nbi:
      case Act::get:
      case Act::get_nbi:
      case Act::set:
      case Act::fetch:
      case Act::add:
      case Act::fetch_add:
      case Act::swap:
      case Act::compare_swap:
      case Act::wait:
      case Act::quiet:
      case Act::barrier:
        return true;
      default:
        return act >= Act::am_short;
    }
  }

  void perform(const Call& call) override {
    void* const there = call.target == nullptr ? nullptr : address(call.target, call.pe);
    const std::size_t bytes = call.words * sizeof(long);
    auto* const source = const_cast<long*>(call.source);
    switch (call.act) {
      case Act::put:
        gex_RMA_PutBlocking(team_, rank(call.pe), there, source, bytes, 0);
        return;
      case Act::put_nbi:
        gex_RMA_PutNBI(team_, rank(call.pe), there, source, bytes, GEX_EVENT_DEFER, 0);
        return;
      case Act::get:
        gex_RMA_GetBlocking(team_, call.result, rank(call.pe), there, bytes, 0);
        return;
      case Act::get_nbi:
        gex_RMA_GetNBI(team_, call.result, rank(call.pe), there, bytes, 0);
        return;
      case Act::quiet:
        return gex_NBI_Wait(GEX_EC_ALL, 0);
      case Act::barrier:
        return wait_for_all();
      case Act::wait: {
        const std::atomic_ref<long> word = word_of(call);
        GASNET_BLOCKUNTIL(word.load(std::memory_order_acquire) == call.value);
        return;
      }
      default:
        break;
    }
    if (call.act >= Act::am_short)
      send(call, there);
    else
      update(call, there);
  }

 private:
  static gex_Rank_t rank(int pe) { return static_cast<gex_Rank_t>(pe); }
  void* address(const long* own, int pe) const {
    void* begin = nullptr;
    gex_Segment_QueryBound(team_, rank(pe), &begin, nullptr, nullptr);
    return static_cast<long*>(begin) + (own - segment);
  }
  void wait_for_all() { gex_Event_Wait(gex_Coll_BarrierNB(team_, 0)); }

  void send(const Call& call, void* there) {
    const auto flag = static_cast<gex_AM_Arg_t>(call.signal - segment);
    const auto value = static_cast<gex_AM_Arg_t>(call.signal_value);
    const gex_Rank_t to = rank(call.signal_pe);
    const std::size_t bytes = call.words * sizeof(long);
    auto* const source = const_cast<long*>(call.source);
    if (call.act == Act::am_short)
      gex_AM_RequestShort2(team_, to, short_index, 0, flag, value);
    else if (call.act == Act::am_long)
      gex_AM_RequestLong2(team_, to, long_index, source, bytes, there, GEX_EVENT_NOW, 0, flag,
                          value);
    else
      gex_AM_RequestMedium3(team_, to, medium_index, source, bytes, GEX_EVENT_NOW, 0,
                            static_cast<gex_AM_Arg_t>(call.target - segment), flag, value);
  }

  void update(const Call& call, void* there) {
    constexpr auto op_of = [](Act act) -> gex_OP_t {
      switch (act) {
        case Act::set:
          return GEX_OP_SET;
        case Act::fetch:
          return GEX_OP_GET;
        case Act::add:
          return GEX_OP_ADD;
        case Act::fetch_add:
          return GEX_OP_FADD;
        case Act::swap:
          return GEX_OP_SWAP;
        default:
          return GEX_OP_FCAS;
      }
    };
    gex_Event_Wait(gex_AD_OpNB_I64(domain_, call.result, rank(call.pe), there, op_of(call.act),
                                   call.value, call.other, 0));
  }

  gex_TM_t team_{};
  gex_AD_t domain_{};
  std::size_t used_ = 0;
};

}  // namespace
}  // namespace gondwana::litmus

int main(int argc, char** argv) {
  gondwana::litmus::GasnetDoor door(&argc, &argv);
  const int status = gondwana::litmus::run_program(door, argc, argv);
  door.barrier();
  gasnet_exit(status);
}
