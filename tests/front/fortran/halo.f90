! halo HOW: a rank of a Fortran program does something wrong.
module halo
  use iso_c_binding
  implicit none
  interface
    subroutine shmem_init() bind(C)
    end subroutine
    subroutine shmem_finalize() bind(C)
    end subroutine
    subroutine shmem_double_put(dest, source, n, pe) bind(C)
      import
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: n
      integer(c_int), value :: pe
    end subroutine
  end interface
  real(c_double), save :: row(8)
contains
  subroutine exchange(how)
    character(*), intent(in) :: how
    real(c_double) :: local(8)
    local = row
    if (how == 'rank') call shmem_double_put(row, local, 8_c_size_t, 99)
    if (how == 'stack') call shmem_double_put(local, row, 8_c_size_t, 0)
    if (how == 'past') call shmem_double_put(row, local, 9_c_size_t, 0)
    if (how == 'crash') row(int(local(1)) + 900000000) = 1
  end subroutine
end module

program heat
  use halo
  character(32) :: how
  call get_command_argument(1, how)
  call shmem_init()
  call exchange(trim(how))
  call shmem_finalize()
end program
