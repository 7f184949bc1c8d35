// Products and transpositions of matrices by all processes. The control of a product of order 2048
// is dgemm of each process's share, at the same time. Figures ga_dgemm, ga_transpose_N and
// ga_transpose_by_get_N: every process gets the patch that is its block in the result, transposes
// it in its own memory and puts it. The control is a loop in tiles over as many elements of private
// memory. Usage: ga_matrices
#include "ga_job.h"

enum { PRODUCTS = 3, ORDER = 2048, ROUNDS = 3, TILE = 32 };

void dgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc);

static int new_matrix(int order) {
  int dims[2] = {order, order};
  char name[] = "matrix";
  const int matrix = NGA_Create(C_DBL, 2, dims, name, NULL);
  require(matrix != 0, "no matrix");
  return matrix;
}

static void multiply_share(const double* a, const double* b, double* c) {
  const int order = ORDER;
  const int share = ORDER / ranks;
  const double one = 1;
  const double zero = 0;
  dgemm_("n", "n", &order, &share, &order, &one, a, &order, b, &order, &zero, c, &order);
}

static double* new_numbers(size_t count) {
  double* numbers = malloc(count * sizeof *numbers);
  require(numbers != NULL, "no memory");
  for (size_t i = 0; i < count; ++i) numbers[i] = (double)(i % 17);
  return numbers;
}

static void measure_product(void) {
  const int a = new_matrix(ORDER);
  const int b = new_matrix(ORDER);
  const int c = new_matrix(ORDER);
  double value = 0.5;
  GA_Fill(a, &value);
  GA_Fill(b, &value);
  double* numbers = new_numbers((size_t)3 * ORDER * ORDER);
  double* ours_ns = new_samples(PRODUCTS);
  double* control_ns = new_samples(PRODUCTS);
  for (int i = 0; i < PRODUCTS; ++i) {
    GA_Sync();
    const int64_t start = now_ns();
    GA_Dgemm('n', 'n', ORDER, ORDER, ORDER, 1, a, b, 0, c);
    GA_Sync();
    const int64_t middle = now_ns();
    multiply_share(numbers, numbers + ORDER * ORDER, numbers + 2 * ORDER * ORDER);
    GA_Sync();
    control_ns[i] = (double)(now_ns() - middle);
    ours_ns[i] = (double)(middle - start);
  }
  free(numbers);
  GA_Destroy(c);
  GA_Destroy(b);
  GA_Destroy(a);
  if (me != 0) return;
  report_both(1, ours_ns, control_ns, PRODUCTS, "ga_dgemm");
}

// Transposes rows x columns to columns x rows.
static void transpose_in_tiles(const double* from, double* to, int rows, int columns) {
  for (int i = 0; i < rows; i += TILE)
    for (int j = 0; j < columns; j += TILE)
      for (int k = i; k < i + TILE && k < rows; ++k)
        for (int l = j; l < j + TILE && l < columns; ++l)
          to[(size_t)l * (size_t)rows + (size_t)k] = from[(size_t)k * (size_t)columns + (size_t)l];
}

static void transpose_by_get(int from, int to) {
  int lo[2];
  int hi[2];
  NGA_Distribution(to, me, lo, hi);
  const int rows = hi[0] - lo[0] + 1;
  const int columns = hi[1] - lo[1] + 1;
  int their_lo[2] = {lo[1], lo[0]};
  int their_hi[2] = {hi[1], hi[0]};
  double* patch = malloc((size_t)rows * (size_t)columns * sizeof *patch);
  require(patch != NULL, "no memory");
  int patch_ld[1] = {rows};
  NGA_Get(from, their_lo, their_hi, patch, patch_ld);
  double* block;
  int ld[1];
  NGA_Access(to, lo, hi, &block, ld);
  require(ld[0] == columns, "a block without gaps");
  transpose_in_tiles(patch, block, columns, rows);
  NGA_Release_update(to, lo, hi);
  free(patch);
  GA_Sync();
}

static void measure_transposition(int order) {
  const int from = new_matrix(order);
  const int to = new_matrix(order);
  GA_Zero(from);
  GA_Zero(to);
  const int share = order / ranks;
  const size_t count = (size_t)order * (size_t)share;
  double* numbers = new_numbers(2 * count);
  double* library_ns = new_samples(ROUNDS);
  double* get_ns = new_samples(ROUNDS);
  double* control_ns = new_samples(ROUNDS);
  double* control_too_ns = new_samples(ROUNDS);
  for (int i = 0; i < ROUNDS; ++i) {
    GA_Sync();
    const int64_t start = now_ns();
    GA_Transpose(from, to);
    GA_Sync();
    const int64_t transposed = now_ns();
    transpose_by_get(from, to);
    const int64_t got = now_ns();
    transpose_in_tiles(numbers, numbers + count, share, order);
    GA_Sync();
    control_ns[i] = control_too_ns[i] = (double)(now_ns() - got);
    get_ns[i] = (double)(got - transposed);
    library_ns[i] = (double)(transposed - start);
  }
  free(numbers);
  GA_Destroy(to);
  GA_Destroy(from);
  if (me != 0) return;
  report_both(1, library_ns, control_ns, ROUNDS, "ga_transpose_%d", order);
  report_both(1, get_ns, control_too_ns, ROUNDS, "ga_transpose_by_get_%d", order);
}

int main(int argc, char** argv) {
  start_job(&argc, &argv);
  measure_product();
  measure_transposition(6400);
  end_job();
  return 0;
}
