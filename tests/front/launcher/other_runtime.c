// Stands in for the library of an MPI, of which a test needs no more than the name.
int other_size(void) {
  return 1;
}
