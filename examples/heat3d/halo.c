#include "halo.h"

#include <shmem.h>
#include <stdlib.h>

int open_halo(struct halo* halo, const struct grid* grid) {
  halo->capacity = largest_face(grid);
  halo->inbox = shmem_malloc((size_t)(2 * SIDES * halo->capacity) * sizeof *halo->inbox);
  halo->arrived = shmem_calloc(SIDES, sizeof *halo->arrived);
  halo->outbox = malloc((size_t)halo->capacity * sizeof *halo->outbox);
  return halo->inbox != NULL && halo->arrived != NULL && halo->outbox != NULL;
}

void close_halo(struct halo* halo) {
  free(halo->outbox);
  shmem_free(halo->arrived);
  shmem_free(halo->inbox);
}

// The cells of one layer across `axis`: how many, and how far apart, along the two other axes.
struct layer {
  long start;
  long fast_stride, slow_stride;
  int fast_cells, slow_cells;
};

static struct layer layer_across(const struct block* block, int axis, int depth) {
  const int fast = axis == 0 ? 1 : 0;
  const int slow = axis == 2 ? 1 : 2;
  return (struct layer){
      .start = depth * block->stride[axis] + block->stride[fast] + block->stride[slow],
      .fast_stride = block->stride[fast],
      .slow_stride = block->stride[slow],
      .fast_cells = block->cells[fast],
      .slow_cells = block->cells[slow],
  };
}

static long pack(const struct layer* layer, const double* cells, double* face) {
  long count = 0;
  for (int s = 0; s < layer->slow_cells; ++s) {
    const double* row = &cells[layer->start + s * layer->slow_stride];
    for (int f = 0; f < layer->fast_cells; ++f) face[count++] = row[f * layer->fast_stride];
  }
  return count;
}

static void unpack(const struct layer* layer, const double* face, double* cells) {
  for (int s = 0; s < layer->slow_cells; ++s) {
    double* row = &cells[layer->start + s * layer->slow_stride];
    for (int f = 0; f < layer->fast_cells; ++f) row[f * layer->fast_stride] = *face++;
  }
}

// Two sets of inboxes are enough. A neighbour overwrites the face of step s with that of s + 2;
// before, it needed our face of s + 1, which we send only after we have unpacked step s.
static double* inbox_for(const struct halo* halo, int side, long step) {
  return &halo->inbox[(SIDES * (step % 2) + side) * halo->capacity];
}

// The layer of our own cells next to a side, and the layer of foreign cells beyond it.
static struct layer own_layer(const struct block* block, int side) {
  const int axis = side / 2;
  return layer_across(block, axis, side % 2 == 0 ? 1 : block->cells[axis]);
}

static struct layer foreign_layer(const struct block* block, int side) {
  const int axis = side / 2;
  return layer_across(block, axis, side % 2 == 0 ? 0 : block->cells[axis] + 1);
}

static void send_faces(struct halo* halo, const struct block* block, const double* cells,
                       long step) {
  for (int side = 0; side < SIDES; ++side) {
    if (block->neighbour[side] < 0) continue;
    const struct layer layer = own_layer(block, side);
    const long count = pack(&layer, cells, halo->outbox);
    // Data that leaves through our upper side arrives at the neighbour's lower side.
    shmem_put(inbox_for(halo, side ^ 1, step), halo->outbox, (size_t)count, block->neighbour[side]);
  }
  shmem_fence();  // a neighbour that sees the step number below also sees the face
  for (int side = 0; side < SIDES; ++side) {
    if (block->neighbour[side] >= 0) {
      shmem_p(&halo->arrived[side ^ 1], step, block->neighbour[side]);
    }
  }
}

static void receive_faces(struct halo* halo, const struct block* block, double* cells, long step) {
  for (int side = 0; side < SIDES; ++side) {
    if (block->neighbour[side] < 0) continue;
    shmem_wait_until(&halo->arrived[side], SHMEM_CMP_GE, step);
    const struct layer layer = foreign_layer(block, side);
    unpack(&layer, inbox_for(halo, side, step), cells);
  }
}

void exchange_faces(struct halo* halo, const struct block* block, double* cells, long step) {
  send_faces(halo, block, cells, step);
  receive_faces(halo, block, cells, step);
}

void insulate(struct halo* halo, const struct block* block, double* cells, int side) {
  const struct layer inside = own_layer(block, side);
  const struct layer outside = foreign_layer(block, side);
  pack(&inside, cells, halo->outbox);
  unpack(&outside, halo->outbox, cells);
}
