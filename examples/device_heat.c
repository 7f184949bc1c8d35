// Heat in a cube whose field lies on a device of each PE, or with --host in its memory. In each
// step the outer planes of a slab go from device to device, each with a signal.
//
//   GONDWANA_EMULATED_DEVICES=1 gondwana run -n 4 ./device_heat --picture heat.ppm
//
// An emulated device has memory and copies, and no processor. So host code stands for the kernel:
// it copies the field from the device, computes, and copies the result back. What it takes is timed
// apart from the exchange. The result is compared with that of the whole cube in host memory.
#include <shmem.h>

#include "arguments.h"
#include "clock.h"
#include "shmemx.h"
#include "slab.h"

enum { BELOW, ABOVE };

// Two fields are used alternately, so a neighbour may be one step ahead, but never two.
struct part {
  struct slab slab;
  int me;
  int pes;
  int on_device;
  size_t bytes;         // per field, the same on all PEs
  double* field[2];     // remotely accessible
  double* computed[2];  // where the processor works: copies of them, or the fields themselves
  uint64_t* arrived;    // for each side, the last step whose plane has arrived
};

struct times {
  double exchange;
  double computation;
};

// Allocates both fields, remotely accessible.
static double* make_fields(const struct part* part) {
  if (!part->on_device) return shmem_malloc(2 * part->bytes);
  double* fields = shmemx_device_malloc(0, 2 * part->bytes);
  return shmemx_buffer_register(fields, fields == NULL ? 0 : 2 * part->bytes) == 0 ? fields : NULL;
}

static struct part make_part(int size, int on_device) {
  struct part part = {.me = shmem_my_pe(), .pes = shmem_n_pes(), .on_device = on_device};
  part.slab = slab_of(size, part.me, part.pes);
  part.bytes = sizeof(double) * plane_of(size) * (size_t)((size - 1) / part.pes + 3);
  part.arrived = shmem_calloc(2, sizeof *part.arrived);
  double* fields = make_fields(&part);
  double* computed = on_device ? calloc(2, part.bytes) : fields;
  if (part.arrived == NULL || fields == NULL || computed == NULL) {
    fprintf(stderr,
            "device_heat needs %zu bytes on a device of each PE; "
            "GONDWANA_EMULATED_DEVICES=1 gives it one, --host does without\n",
            2 * part.bytes);
    shmem_global_exit(1);
  }
  for (int i = 0; i < 2; ++i) {
    part.field[i] = (double*)(void*)((char*)fields + (size_t)i * part.bytes);
    part.computed[i] = (double*)(void*)((char*)computed + (size_t)i * part.bytes);
    heat_up(part.computed[i], &part.slab);
    if (on_device) shmemx_device_memcpy(part.field[i], part.computed[i], part.bytes);
  }
  shmem_barrier_all();  // before a neighbour can write
  return part;
}

static void free_part(struct part* part) {
  if (part->on_device) {
    shmemx_buffer_unregister(part->field[0]);
    shmemx_device_free(part->field[0]);
    free(part->computed[0]);
  } else {
    shmem_free(part->field[0]);
  }
  shmem_free(part->arrived);
}

// Sends a plane of this PE to the neighbour on `side`, where it arrives on the opposite side.
static void send_plane(const struct part* part, long number, int side) {
  const int pe = side == BELOW ? part->me - 1 : part->me + 1;
  if (pe < 0 || pe == part->pes) return;
  const size_t plane = plane_of(part->slab.size);
  const size_t own = side == BELOW ? 1 : (size_t)part->slab.planes;
  const size_t theirs =
      side == BELOW ? (size_t)slab_of(part->slab.size, pe, part->pes).planes + 1 : 0;
  double* field = part->field[number % 2];
  shmem_putmem_signal(field + theirs * plane, field + own * plane, sizeof(double) * plane,
                      &part->arrived[!side], (uint64_t)number, SHMEM_SIGNAL_SET, pe);
}

static void exchange(const struct part* part, long number) {
  send_plane(part, number, BELOW);
  send_plane(part, number, ABOVE);
  if (part->me > 0) shmem_signal_wait_until(&part->arrived[BELOW], SHMEM_CMP_GE, (uint64_t)number);
  if (part->me + 1 < part->pes)
    shmem_signal_wait_until(&part->arrived[ABOVE], SHMEM_CMP_GE, (uint64_t)number);
}

static void compute(const struct part* part, long number) {
  const int now = (int)(number % 2);
  double* computed = part->computed[now];
  double* next = part->computed[!now];
  const size_t plane = plane_of(part->slab.size);
  if (part->on_device)
    shmemx_device_memcpy(computed, part->field[now], sizeof(double) * field_of(&part->slab));
  step(next, computed, &part->slab);
  if (part->on_device)
    shmemx_device_memcpy(part->field[!now] + plane, next + plane,
                         sizeof(double) * plane * (size_t)part->slab.planes);
}

static struct times* run(const struct part* part, long steps) {
  struct times* times = calloc((size_t)steps + 1, sizeof *times);
  if (times == NULL) shmem_global_exit(1);
  for (long i = 0; i < steps; ++i) {
    const double begin = seconds();
    exchange(part, i + 1);
    const double middle = seconds();
    compute(part, i + 1);
    times[i] = (struct times){middle - begin, seconds() - middle};
  }
  shmem_barrier_all();
  return times;
}

// The index of the field that contains the result after the steps.
static int result_of(long steps) {
  return (int)((steps + 1) % 2);
}

// The largest difference from the cube computed in one piece.
static double difference(const struct part* part, long steps) {
  const struct slab cube = slab_of(part->slab.size, 0, 1);
  const size_t plane = plane_of(cube.size);
  const size_t cells = plane * (size_t)part->slab.planes;
  double* whole[2];
  for (int i = 0; i < 2; ++i) {
    whole[i] = malloc(sizeof(double) * field_of(&cube));
    if (whole[i] == NULL) shmem_global_exit(1);
    heat_up(whole[i], &cube);
  }
  for (long i = 1; i <= steps; ++i) step(whole[(i + 1) % 2], whole[i % 2], &cube);
  const double* right = whole[result_of(steps)] + (size_t)(part->slab.first + 1) * plane;
  const double* ours = part->computed[result_of(steps)] + plane;
  double most = 0;
  for (size_t i = 0; i < cells; ++i) most = fmax(most, fabs(ours[i] - right[i]));
  free(whole[0]);
  free(whole[1]);
  return most;
}

// Goes from black through red and yellow to white.
static void print_colour(double heat, FILE* file) {
  for (int i = 0; i < 3; ++i) putc((int)(255 * fmin(1, fmax(0, 3 * sqrt(heat / 100) - i))), file);
}

// PE 0 fetches the rows halfway along y from all devices, the highest one first.
static void draw(const struct part* part, const double* result, const char* name) {
  enum { pixels = 4 };  // per cell, in each direction
  const int size = part->slab.size;
  FILE* file = fopen(name, "wb");
  double* row = malloc(sizeof(double) * (size_t)size);
  if (file == NULL || row == NULL) {
    fprintf(stderr, "device_heat: %s cannot be written\n", name);
    shmem_global_exit(1);
  }
  fprintf(file, "P6 %d %d 255\n", pixels * size, pixels * size);
  for (int pe = part->pes - 1; pe >= 0; --pe) {
    for (int z = slab_of(size, pe, part->pes).planes; z > 0; --z) {
      const size_t at = (size_t)z * plane_of(size) + (size_t)((size + 1) / 2 * (size + 2) + 1);
      shmem_getmem(row, result + at, sizeof(double) * (size_t)size, pe);
      for (int i = 0; i < pixels * pixels * size; ++i) print_colour(row[i / pixels % size], file);
    }
  }
  free(row);
  if (fclose(file) != 0) shmem_global_exit(1);
  printf("the plane in the middle is drawn in %s\n", name);
}

static void print_times(const struct times* times, long steps, const char* name) {
  struct times sum = {0, 0};
  FILE* file = name == NULL ? NULL : fopen(name, "w");
  for (long i = 0; i < steps; ++i) {
    sum.exchange += times[i].exchange;
    sum.computation += times[i].computation;
    if (file != NULL) fprintf(file, "%.9f %.9f\n", times[i].exchange, times[i].computation);
  }
  if (steps > 0)
    printf("a step: %.1f us of exchange, %.1f us of computation\n",
           1e6 * sum.exchange / (double)steps, 1e6 * sum.computation / (double)steps);
  if (name != NULL && (file == NULL || fclose(file) != 0)) {
    fprintf(stderr, "device_heat: %s cannot be written\n", name);
    shmem_global_exit(1);
  }
}

int main(int argc, char** argv) {
  shmem_init();
  struct argument table[] = {
      {"--size", "cells along each edge", WHOLE_NUMBER, .low = 1, .high = 1000, .number = 32},
      {"--steps", "steps in time", WHOLE_NUMBER, .low = 0, .high = 1e7, .number = 50},
      {"--host", "field in memory of the host", SWITCH, .number = 0},
      {"--picture", "draw the plane in the middle, as PPM", TEXT, .text = NULL},
      {"--times", "write the seconds of exchange and computation of each step", TEXT,
       .text = NULL}};
  read_arguments("device_heat: heat in a cube that lies on devices", table, 5, argc, argv);
  const int size = (int)table[0].number;
  const long steps = (long)table[1].number;
  const char* picture = table[3].text;
  if (size < shmem_n_pes()) refuse(argv[0], "--size", "each PE needs a plane");
  struct part part = make_part(size, table[2].number == 0);
  struct times* times = run(&part, steps);
  const double wrong = difference(&part, steps);
  if (wrong > 1e-9) fprintf(stderr, "PE %d: a cell differs by %g\n", part.me, wrong);
  if (part.me == 0) {
    printf("%d x %d x %d cells %s of %d PEs, %ld steps\n", size, size, size,
           part.on_device ? "on the devices" : "in the memory", part.pes, steps);
    print_times(times, steps, table[4].text);
    if (picture != NULL) draw(&part, part.field[result_of(steps)], picture);
  }
  shmem_barrier_all();
  free(times);
  free_part(&part);
  shmem_finalize();
  return wrong > 1e-9 ? 1 : 0;
}
