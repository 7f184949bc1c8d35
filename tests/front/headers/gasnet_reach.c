// The inline path of gex_RMA_ calls with a hand-made team: which addresses and lengths it serves
// itself, which it hands to the library, and whether it wakes a sleeping rank.
#include <gasnetex.h>
#include <stdio.h>

static int library_calls;
static int wakes;

int gondwana_gex_put(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src, size_t nbytes,
                     gex_Flags_t flags) {
  (void)tm, (void)rank, (void)dest, (void)src, (void)nbytes;
  library_calls++;
  return flags & GEX_FLAG_IMMEDIATE ? 1 : 0;
}
int gondwana_gex_get(gex_TM_t tm, void* dest, gex_Rank_t rank, const void* src, size_t nbytes,
                     gex_Flags_t flags) {
  return gondwana_gex_put(tm, rank, dest, src, nbytes, flags);
}
int gondwana_gex_put_nbi(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src, size_t nbytes,
                         gex_Event_t* lc_opt, gex_Flags_t flags) {
  (void)lc_opt;
  return gondwana_gex_put(tm, rank, dest, src, nbytes, flags);
}
gex_Event_t gondwana_gex_put_nb(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src,
                                size_t nbytes, gex_Event_t* lc_opt, gex_Flags_t flags) {
  return gondwana_gex_put_nbi(tm, rank, dest, src, nbytes, lc_opt, flags) ? GEX_EVENT_NO_OP
                                                                          : GEX_EVENT_INVALID;
}
int gondwana_gex_get_nbi(gex_TM_t tm, void* dest, gex_Rank_t rank, const void* src, size_t nbytes,
                         gex_Flags_t flags) {
  return gondwana_gex_put(tm, rank, dest, src, nbytes, flags);
}
gex_Event_t gondwana_gex_get_nb(gex_TM_t tm, void* dest, gex_Rank_t rank, const void* src,
                                size_t nbytes, gex_Flags_t flags) {
  return gondwana_gex_get_nbi(tm, dest, rank, src, nbytes, flags) ? GEX_EVENT_NO_OP
                                                                  : GEX_EVENT_INVALID;
}
int gasnet_AMPoll(void) {
  return GASNET_OK;
}
void gondwana_gex_wake(gex_TM_t tm, gex_Rank_t rank) {
  (void)tm, (void)rank;
  wakes++;
}

#define EXPECT(condition)                                                                \
  do {                                                                                   \
    if (!(condition)) failures++, printf("line %d: not so: %s\n", __LINE__, #condition); \
  } while (0)
static int failures;

enum { size = 4096 };
static uint32_t asleep;
static _Alignas(64) char window[size];
static char filler[size];

// The segment is at `owner` for its owner and at `window` here; rank 1 has none. The call must not
// read beyond the last member.
static struct gondwana_gex_member members[3];
static struct gondwana_gex_team team = {2, 0, members};

static char* at(uintptr_t offset) {
  return (char*)(members[0].owner + offset);
}

static int is_served(uintptr_t offset, size_t nbytes) {
  const int before = library_calls;
  gex_RMA_PutBlocking(&team, 0, at(offset), filler, nbytes, 0);
  gex_RMA_GetBlocking(&team, filler, 0, at(offset), nbytes, 0);
  return library_calls == before;
}

static void bounds(uintptr_t owner) {
  members[0].owner = owner;
  members[0].delta = (intptr_t)((uintptr_t)window - owner);
  EXPECT(is_served(0, size));
  EXPECT(is_served(size - 1, 1));
  EXPECT(is_served(7, size - 7));
  EXPECT(!is_served(0, size + 1));
  EXPECT(!is_served(size - 1, 2));
  EXPECT(!is_served(size, 1));
  EXPECT(!is_served((uintptr_t)0 - 1, 2));
  EXPECT(!is_served((uintptr_t)0 - 4, 8));
  EXPECT(!is_served(1, (size_t)0 - 1));
  EXPECT(!is_served(0, (size_t)0 - 1));
  EXPECT(!is_served((uintptr_t)0 - size, 2 * size));
}

static void values(void) {
  uint64_t there = 0;
  for (size_t offset = 0; offset < 9; ++offset) {
    gex_RMA_PutBlockingVal(&team, 0, at(offset), 0x1122334455667788u, 8, 0);
    memcpy(&there, window + offset, 8);
    EXPECT(there == 0x1122334455667788u);
    EXPECT(gex_RMA_GetBlockingVal(&team, 0, at(offset), 8, 0) == 0x1122334455667788u);
    for (size_t nbytes = 1; nbytes < 8; ++nbytes) {
      const uint64_t low = (UINT64_C(1) << (8 * nbytes)) - 1;
      gex_RMA_PutBlockingVal(&team, 0, at(offset), UINT64_C(0x1122334455667788), nbytes, 0);
      EXPECT(gex_RMA_GetBlockingVal(&team, 0, at(offset), nbytes, 0) ==
             (UINT64_C(0x1122334455667788) & low));
    }
    gex_RMA_PutNBIVal(&team, 0, at(offset), 0x1234, 2, 0);
    EXPECT(gex_RMA_GetBlockingVal(&team, 0, at(offset), 2, 0) == 0x1234);
    EXPECT(!gex_RMA_PutNBVal(&team, 0, at(offset), 0x12345678, 4, 0));
    EXPECT(gex_RMA_GetBlockingVal(&team, 0, at(offset), 4, 0) == 0x12345678);
  }
}

static void left_to_the_library(void) {
  gex_Event_t leaf = GEX_EVENT_NO_OP;
  library_calls = 0;
  members[2] = members[0];
  EXPECT(gex_RMA_PutBlocking(&team, 1, at(0), filler, 8, 0) == 0);
  EXPECT(gex_RMA_PutBlocking(&team, 2, at(0), filler, 8, 0) == 0);
  EXPECT(gex_RMA_PutBlocking(&team, 0, at(0), filler, 8, GEX_FLAG_PEER_SEG_OFFSET) == 0);
  EXPECT(gex_RMA_PutNB(&team, 1, at(0), filler, 8, &leaf, GEX_FLAG_IMMEDIATE) == GEX_EVENT_NO_OP);
  EXPECT(leaf == GEX_EVENT_NO_OP);
  EXPECT(gex_RMA_GetNBI(&team, filler, 1, at(0), 8, GEX_FLAG_IMMEDIATE) != 0);
  EXPECT(library_calls == 5);
  EXPECT(gex_RMA_PutNB(&team, 0, at(0), filler, 8, &leaf, 0) == GEX_EVENT_INVALID);
  EXPECT(leaf == GEX_EVENT_INVALID);
  EXPECT(gex_RMA_PutNB(&team, 0, at(0), filler, 8, GEX_EVENT_DEFER, 0) == GEX_EVENT_INVALID);
  EXPECT(library_calls == 5);
}

static void sleepers(void) {
  wakes = 0;
  gex_RMA_PutBlocking(&team, 0, at(0), filler, 8, 0);
  EXPECT(wakes == 0);
  asleep = 1;
  gex_RMA_PutBlocking(&team, 0, at(0), filler, 8, 0);
  EXPECT(wakes == 1);
  gex_RMA_GetBlocking(&team, filler, 0, at(0), 8, 0);
  EXPECT(wakes == 1);
}

int main(void) {
  members[0].size = size;
  members[0].asleep = &asleep;
  bounds((uintptr_t)window);
  bounds(UINT64_C(0x700000000000));
  bounds((uintptr_t)0 - size);  // its end is the end of the address space
  bounds(0x1000);
  values();
  left_to_the_library();
  sleepers();
  return failures != 0;
}
