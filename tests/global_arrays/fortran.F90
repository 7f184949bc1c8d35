! The Fortran interface of Global Arrays: arrays, put, get, accumulate, fetch-and-add, a product of
! matrices and reductions. Integers have 8 bytes, as in the library: compile with
! -fdefault-integer-8.
module checks
  implicit none
  integer :: me = 0
  integer :: ranks = 0
  integer :: failures = 0

contains

  subroutine expect(found, wanted, what, at)
    double precision, intent(in) :: found, wanted
    character(*), intent(in) :: what
    integer, intent(in) :: at

    if (abs(found - wanted) <= 0) return  ! the numbers are exact
    failures = failures + 1
    if (failures > 20) return
    write (0, '(a,i0,3a,i0,2(a,g0))') 'rank ', me, ': ', what, ': at ', at, ': expected ', &
      wanted, ', found ', found
  end subroutine expect

  subroutine expect_true(is_true, what)
    logical, intent(in) :: is_true
    character(*), intent(in) :: what

    call expect(merge(1d0, 0d0, is_true), 1d0, what, 0)
  end subroutine expect_true
end module checks

module tests
  use checks
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: rows = 30
  integer, parameter :: columns = 40

contains

  double precision function value_at(i, j, seed)
    integer, intent(in) :: i, j, seed

    value_at = mod(3 * i + 5 * j + 7 * seed, 11) - 4
  end function value_at

  ! Rank r puts the columns 1 + r, 1 + r + ranks and so on.
  integer function filled(n, m, seed)
    integer, intent(in) :: n, m, seed
    double precision :: column(n)
    integer :: i, j

    call expect_true(ga_create(mt_dbl, n, m, 'matrix', -1, -1, filled), 'ga_create')
    do j = 1 + me, m, ranks
      column = [(value_at(i, j, seed), i = 1, n)]
      call ga_put(filled, 1, n, j, j, column, n)
    end do
    call ga_sync()
  end function filled

  ! All ranks accumulate into the same patch.
  subroutine put_get_accumulate()
    integer, parameter :: ilo = 4, ihi = 27, jlo = 3, jhi = 38
    double precision :: all(rows, columns), part(ilo:ihi, jlo:jhi)
    integer :: array, i, j

    array = filled(rows, columns, 1)
    part = -1
    call ga_get(array, ilo, ihi, jlo, jhi, part, ihi - ilo + 1)
    do j = jlo, jhi
      do i = ilo, ihi
        call expect(part(i, j), value_at(i, j, 1), 'ga_get', i + rows * j)
      end do
    end do
    call ga_sync()
    call ga_acc(array, ilo, ihi, jlo, jhi, part, ihi - ilo + 1, 2d0)
    call ga_sync()
    call ga_get(array, 1, rows, 1, columns, all, rows)
    all(ilo:ihi, jlo:jhi) = all(ilo:ihi, jlo:jhi) - 2 * ranks * part
    do j = 1, columns
      do i = 1, rows
        call expect(all(i, j), value_at(i, j, 1), 'ga_acc', i + rows * j)
      end do
    end do
    call ga_sync()
    call expect_true(ga_destroy(array), 'ga_destroy')
  end subroutine put_get_accumulate

  ! All ranks increment the same element. Each fetched value counts once.
  subroutine read_inc()
    integer, parameter :: rounds = 100
    integer :: array, dims(1), chunk(1), subscript(1), round, fetched
    integer :: seen(rounds * ranks)

    dims = 10
    chunk = -1
    subscript = 10
    seen = 0
    call expect_true(nga_create(mt_int, 1, dims, 'counter', chunk, array), 'nga_create')
    call ga_zero(array)
    do round = 1, rounds
      fetched = nga_read_inc(array, subscript, 1)
      if (fetched >= 0 .and. fetched < rounds * ranks) seen(fetched + 1) = seen(fetched + 1) + 1
    end do
    call ga_igop(1, seen, rounds * ranks, '+')
    do round = 1, rounds * ranks
      call expect(dble(seen(round)), 1d0, 'times that nga_read_inc fetched a value', round - 1)
    end do
    call nga_get(array, subscript, subscript, fetched, dims)
    call expect(dble(fetched), dble(rounds * ranks), 'nga_read_inc', 0)
    call ga_sync()
    call expect_true(ga_destroy(array), 'ga_destroy')
  end subroutine read_inc

  subroutine product_of_matrices()
    integer, parameter :: m = 21, n = 18, k = 25
    double precision :: found(m, n), wanted
    integer :: a, b, c, i, j, l

    a = filled(m, k, 2)
    b = filled(n, k, 3)
    c = filled(m, n, 4)
    call ga_dgemm('n', 't', m, n, k, 2d0, a, b, -1d0, c)
    call ga_get(c, 1, m, 1, n, found, m)
    do j = 1, n
      do i = 1, m
        wanted = -value_at(i, j, 4)
        do l = 1, k
          wanted = wanted + 2 * value_at(i, l, 2) * value_at(j, l, 3)
        end do
        call expect(found(i, j), wanted, 'ga_dgemm', i + m * j)
      end do
    end do
    call ga_sync()
    call expect_true(ga_destroy(a), 'ga_destroy')
    call expect_true(ga_destroy(b), 'ga_destroy')
    call expect_true(ga_destroy(c), 'ga_destroy')
  end subroutine product_of_matrices

  subroutine reductions()
    integer :: i, whole(3)
    double precision :: fractions(3)

    do i = 1, 3
      whole(i) = me + i
      fractions(i) = 0.5d0 * (me - i)
    end do
    call ga_igop(2, whole, 3, '+')
    call ga_dgop(3, fractions, 3, 'max')
    do i = 1, 3
      call expect(dble(whole(i)), ranks * (ranks - 1) / 2d0 + i * ranks, 'ga_igop', i)
      call expect(fractions(i), 0.5d0 * (ranks - 1 - i), 'ga_dgop', i)
    end do
    fractions = me
    call ga_brdcst(4, fractions, 24, ranks - 1)
    call expect(fractions(3), ranks - 1d0, 'ga_brdcst', 3)
  end subroutine reductions
end module tests

program fortran
  use tests
  implicit none
  integer(4) :: status
  external :: mpi_init, mpi_finalize

  call mpi_init(status)
  call ga_initialize()
  call expect_true(ma_init(mt_dbl, 100000, 100000), 'ma_init')
  me = ga_nodeid()
  ranks = ga_nnodes()
  call put_get_accumulate()
  call read_inc()
  call product_of_matrices()
  call reductions()
  call ga_terminate()
  call mpi_finalize(status)
  if (failures > 0) stop 1, quiet=.true.
end program fortran
