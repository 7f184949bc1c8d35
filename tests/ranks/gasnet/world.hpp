// RANK_TEST for the GASNet-EX door: every rank is a thread with its own door, over common memory.
// The C calls find the door of the calling thread.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <stdexcept>

#include "front/gasnet/door.hpp"
#include "gasnetex.h"

namespace gondwana::gasnet::test {

// The error message that the door would have printed before it ended the job.
struct GaveUp : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct World {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  std::mt19937_64 random;
  bool is_wire_faulty;  // it refuses every now and then

  gex_Rank_t me() const { return gex_TM_QueryRank(team); }
  gex_Rank_t size() const { return gex_TM_QuerySize(team); }
  gex_Rank_t right() const { return (me() + 1) % size(); }
  gex_Rank_t left() const { return (me() + size() - 1) % size(); }
  bool is_on_one_node() const {
    gex_Rank_t neighbors = 0;
    gex_System_QueryNbrhdInfo(nullptr, &neighbors, nullptr);
    return neighbors == size();
  }
  // All ranks meet; a rank that waits receives messages.
  void barrier();
  // Attaches a segment of `size` bytes to the first endpoint, and returns it.
  std::byte* attach(std::size_t size);
  // Where the segment of a rank begins, as that rank sees it.
  std::byte* segment_of(gex_Rank_t rank) const;
  void add_handler(gex_AM_Index_t index, gex_AM_Fn_t function, gex_Flags_t flags,
                   unsigned arguments);
};

using Body = void (*)(World&);
struct Needs {
  std::uint32_t ranks = 1;
  bool checks = false;  // as where the client is compiled with GASNET_DEBUG
};
void run(Needs needs, Body body);
// Uses the door of this rank from another thread of it.
void adopt(World& world);

}  // namespace gondwana::gasnet::test

#define GASNET_TEST(name, ...)                                                     \
  static void name(gondwana::gasnet::test::World& world);                          \
  TEST(Gasnet, name) {                                                             \
    gondwana::gasnet::test::run(gondwana::gasnet::test::Needs{__VA_ARGS__}, name); \
  }                                                                                \
  static void name([[maybe_unused]] gondwana::gasnet::test::World& world)
