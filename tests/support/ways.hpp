// The ways to make a context call: the default context, contexts of the world with every option,
// and a context of a team with reversed rank numbers.
#pragma once

#include "support/rank_test.hpp"

namespace gondwana::test {

class Way {
 public:
  Way(World& world, shmem_ctx_t context, bool reversed)
      : world_(&world), context_(context), reversed_(reversed) {}

  shmem::Caller as(CallName name) const { return world_->in(context_, name); }
  // The number of this world rank in the team of the way.
  int pe(int rank) const { return reversed_ ? world_->size() - 1 - rank : rank; }
  int right() const { return pe(world_->right()); }
  int left() const { return pe(world_->left()); }

 private:
  World* world_;
  shmem_ctx_t context_;
  bool reversed_;
};

// Collective: calls body(way) for each way.
template <typename Body>
void in_every_way(World& world, const Body& body) {
  body(Way(world, SHMEM_CTX_DEFAULT, false));
  for (const long options : {0L, long{SHMEM_CTX_PRIVATE}, long{SHMEM_CTX_SERIALIZED}}) {
    shmem_ctx_t context = SHMEM_CTX_INVALID;
    ASSERT_EQ(shmem::ctx_create(world.as("create"), options, &context), 0);
    body(Way(world, context, false));
    shmem::ctx_destroy(world.as("destroy"), context);
  }
  shmem_team_t reversed = SHMEM_TEAM_INVALID;
  shmem::team_split_strided(world.as("split"), SHMEM_TEAM_WORLD, world.size() - 1, -1, world.size(),
                            nullptr, 0, &reversed);
  shmem_ctx_t context = SHMEM_CTX_INVALID;
  ASSERT_EQ(shmem::team_create_ctx(world.as("create"), reversed, 0, &context), 0);
  body(Way(world, context, true));
  shmem::ctx_destroy(world.as("destroy"), context);
  shmem::team_destroy(world.as("destroy"), reversed);
}

// The error message of a call that gives up.
template <typename Call>
std::string sentence_of(const Call& call) {
  try {
    call();
  } catch (const GaveUp& gave_up) {
    return gave_up.what();
  }
  return "no complaint";
}

template <typename Call>
testing::AssertionResult says(const std::string& part, const Call& call) {
  const std::string sentence = sentence_of(call);
  if (sentence.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << sentence;
}

}  // namespace gondwana::test
