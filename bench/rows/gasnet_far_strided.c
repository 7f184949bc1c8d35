// A flood of strided puts to another node, BYTES each, in pieces of 64 bytes that are scattered
// over four times that memory, segment to segment. The pieces go in three ways: the client packs
// them into its own buffer for a Medium (fixed payload), packs them into a buffer of the library
// (negotiated payload), or leaves all of it to the library (vis). Handlers unpack the pieces.
//
// Figures gasnet_far_fixed_BYTES, gasnet_far_negotiated_BYTES and gasnet_far_vis_BYTES.
// Usage: gasnet_far_strided [BYTES]...
#include "gasnet_job.h"

#include <gasnet_vis.h>

enum { PIECE = 64, STRIDE = 4 * PIECE, LARGEST = 2 << 20, BATCHES = 30, LEVELS = 3 };
enum { EXTENT = LARGEST / PIECE * STRIDE, BYTES_OF_BATCH = 1 << 20, MOST_PUTS = 256 };
enum { PIECES = GEX_AM_INDEX_BASE, ALL_SENT, ALL_LAID };

struct flood {
  gex_TM_t team;
  gex_Rank_t peer;
  const char* here;
  char* there;
  size_t most;  // maximum bytes of a message, whole pieces
  size_t bytes;
  size_t puts;
};

typedef void operation(const struct flood* flood);

static char* segment;
static uint64_t laid;      // bytes unpacked at the target
static uint64_t expected;  // bytes after which it notifies the other rank
static int is_laid;

static void pack(char* to, const char* from, size_t bytes) {
  for (size_t i = 0; i < bytes / PIECE; ++i) memcpy(to + i * PIECE, from + i * STRIDE, PIECE);
}

static void tell_if_all(gex_Token_t token) {
  if (laid != expected) return;
  laid = expected = 0;
  gex_AM_ReplyShort0(token, ALL_LAID, 0);
}

static void pieces(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t first) {
  const char* from = payload;
  char* to = segment + (size_t)first * STRIDE;
  for (size_t i = 0; i < bytes / PIECE; ++i) memcpy(to + i * STRIDE, from + i * PIECE, PIECE);
  laid += bytes;
  tell_if_all(token);
}

static void all_sent(gex_Token_t token, gex_AM_Arg_t bytes) {
  expected = (uint64_t)bytes;
  tell_if_all(token);
}

static void all_laid(gex_Token_t token) {
  (void)token;
  is_laid = 1;
}

static void put_fixed(const struct flood* flood) {
  static char buffer[LARGEST];
  for (size_t at = 0; at < flood->bytes; at += flood->most) {
    const size_t bytes = at + flood->most < flood->bytes ? flood->most : flood->bytes - at;
    const size_t first = at / PIECE;
    pack(buffer, flood->here + first * STRIDE, bytes);
    gex_AM_RequestMedium1(flood->team, flood->peer, PIECES, buffer, bytes, GEX_EVENT_NOW, 0,
                          (gex_AM_Arg_t)first);
  }
}

static void put_negotiated(const struct flood* flood) {
  for (size_t at = 0; at < flood->bytes;) {
    const size_t left = flood->bytes - at;
    const size_t first = at / PIECE;
    gex_AM_SrcDesc_t descriptor = gex_AM_PrepareRequestMedium(
        flood->team, flood->peer, NULL, PIECE, left < flood->most ? left : flood->most, NULL, 0, 1);
    const size_t bytes = gex_AM_SrcDescSize(descriptor) / PIECE * PIECE;
    pack(gex_AM_SrcDescAddr(descriptor), flood->here + first * STRIDE, bytes);
    gex_AM_CommitRequestMedium1(descriptor, PIECES, bytes, (gex_AM_Arg_t)first);
    at += bytes;
  }
}

static void flood_of_messages(const struct flood* flood, operation* put) {
  is_laid = 0;
  for (size_t i = 0; i < flood->puts; ++i) put(flood);
  gex_AM_RequestShort1(flood->team, flood->peer, ALL_SENT, 0,
                       (gex_AM_Arg_t)(flood->puts * flood->bytes));
  GASNET_BLOCKUNTIL(is_laid);
}

static void by_fixed(const struct flood* flood) {
  flood_of_messages(flood, put_fixed);
}

static void by_negotiated(const struct flood* flood) {
  flood_of_messages(flood, put_negotiated);
}

// Sends the pieces as a section of three dimensions.
static void by_vis(const struct flood* flood) {
  const size_t pieces = flood->bytes / PIECE;
  const size_t inner = pieces < 16 ? pieces : 16;
  const size_t middle = pieces / inner < 16 ? pieces / inner : 16;
  const size_t counts[LEVELS] = {inner, middle, pieces / inner / middle};
  const ptrdiff_t strides[LEVELS] = {STRIDE, (ptrdiff_t)inner * STRIDE,
                                     (ptrdiff_t)(inner * middle) * STRIDE};
  for (size_t i = 0; i < flood->puts; ++i)
    gex_VIS_StridedPutNBI(flood->team, flood->peer, flood->there, strides, (void*)flood->here,
                          strides, PIECE, counts, LEVELS, 0);
  gex_NBI_Wait(GEX_EC_PUT, 0);
}

static const struct {
  const char* name;
  operation* flood;
} ways[] = {{"fixed", by_fixed}, {"negotiated", by_negotiated}, {"vis", by_vis}};
enum { WAYS = sizeof ways / sizeof *ways };

static void measure(const struct flood* flood) {
  double* samples[WAYS];
  for (int way = 0; way < WAYS; ++way) {
    samples[way] = new_samples(BATCHES);
    ways[way].flood(flood);
  }
  for (int i = 0; i < BATCHES; ++i) {
    for (int way = 0; way < WAYS; ++way) {
      const int64_t start = now_ns();
      ways[way].flood(flood);
      samples[way][i] = ns_per_op(now_ns() - start, flood->puts);
    }
  }
  for (int way = 0; way < WAYS; ++way)
    report_ours(1, samples[way], BATCHES, "gasnet_far_%s_%zu", ways[way].name, flood->bytes);
}

static char byte_at(size_t i, int way) {
  return (char)(i % 251 + (size_t)way + 1);
}

// Puts different bytes in each way and reads them back.
static void check(const struct flood* flood, char* here) {
  char* seen = malloc(flood->bytes * STRIDE / PIECE);
  require(seen != NULL, "no memory");
  for (int way = 0; way < WAYS; ++way) {
    const size_t extent = flood->bytes * STRIDE / PIECE;
    for (size_t i = 0; i < extent; ++i) here[i] = byte_at(i, way);
    ways[way].flood(flood);
    gex_RMA_GetBlocking(flood->team, seen, flood->peer, flood->there, extent, 0);
    for (size_t i = 0; i < extent; ++i)
      require(seen[i] == (i % STRIDE < PIECE ? byte_at(i, way) : 0), "a byte is not as it was put");
  }
  free(seen);
}

static void run(const struct job* job, struct flood* flood, size_t bytes) {
  require(bytes % PIECE == 0 && bytes >= PIECE && bytes <= LARGEST,
          "BYTES: whole pieces of 64, at most 2 MiB");
  flood->bytes = bytes;
  flood->puts = bytes * MOST_PUTS < BYTES_OF_BATCH ? MOST_PUTS : BYTES_OF_BATCH / bytes;
  if (flood->puts == 0) flood->puts = 1;
  if (job->rank == 0) {
    measure(flood);
    check(flood, segment);
  }
  meet(job);
}

int main(int argc, char** argv) {
  gex_AM_Entry_t handlers[] = {
      {PIECES, (gex_AM_Fn_t)pieces, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 1, NULL, "pieces"},
      {ALL_SENT, (gex_AM_Fn_t)all_sent, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL, "sent"},
      {ALL_LAID, (gex_AM_Fn_t)all_laid, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, NULL, "laid"},
  };
  const struct job job = start_job(handlers, sizeof handlers / sizeof *handlers, EXTENT);
  segment = gex_Segment_QueryAddr(job.segment);
  struct flood flood = {.team = job.team, .peer = job.ranks - 1, .here = segment};
  flood.there = find_window(&job, flood.peer).owner;
  flood.most = gex_AM_MaxRequestMedium(job.team, flood.peer, GEX_EVENT_NOW, 0, 1) / PIECE * PIECE;
  meet(&job);
  for (int i = 1; i < argc || i == 1; ++i) run(&job, &flood, argument(argc, argv, i, 128 << 10));
  end_job(&job);
}
