// Represents the library of an MPI; a test needs only its name.
int other_size(void) {
  return 1;
}
