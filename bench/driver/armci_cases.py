"""The rows of Global Arrays on the ARMCI door, their controls and their aims."""

from driver.case import INFORMATIVE, Aim, Case, Row, Run, rate, ratio


def small_case() -> Case:
    """Single calls. The control of the first rows is Global Arrays over an empty ARMCI."""
    limits = {"put": 20, "get": 20, "acc": 40}
    rows = [Row(f"GA {way} 8 B{title}", f"ga_{way}_8{suffix}",
                Aim("difference", limit, f"+{limit} ns"))
            for suffix, title in (("", ""), ("_of_990", ", one array of 990"))
            for way, limit in limits.items()]
    rows += [Row("GA read_inc", "ga_read_inc", Aim("absolute", 150, "150 ns")),
             Row("GA lock + unlock", "ga_lock", Aim("absolute", 100, "100 ns")),
             Row("GA create + destroy, 2 MiB", "ga_create_2M", Aim("absolute", 60e3, "60 us"))]
    return Case("ga_small", 2, (Run("ga_small", by_mpi=True),), tuple(rows))


def sync_case(ranks: int) -> Case:
    """GA_Sync, compared with barriers; Read_inc by all ranks at once, compared with a locked
    instruction.
    """
    kinds = ("spin",) if ranks == 2 else ("yield", "futex")
    rows = (Row(f"GA_Sync {ranks}", f"ga_sync_{ranks}", ratio(1.5),
                tuple(f"barrier_{kind}_{ranks}" for kind in kinds)),
            Row(f"GA read_inc, {ranks} at once", f"ga_read_inc_{ranks}",
                ratio(1.5) if ranks == 4 else INFORMATIVE, (f"xadd_{ranks}",)))
    controls = (*(("barrier", kind, str(ranks), "200", "50") for kind in kinds),
                ("xadd", str(ranks)))
    return Case(f"ga_sync_{ranks}", ranks, (Run("ga_sync", by_mpi=True),), rows, controls)


def armci_cases() -> list[Case]:
    """Every case of this door, in the order of the table."""
    bulk = tuple(Row(f"GA {way} 8 MiB", f"ga_{way}_8M", rate(share))
                 for way, share in (("put", 0.95), ("get", 0.95), ("acc", 0.9)))
    matrices = (Row("GA_Dgemm 2048", "ga_dgemm", rate(0.95)),
                Row("GA_Transpose 6400^2", "ga_transpose_6400", INFORMATIVE),
                Row("GA transpose 6400^2 by get", "ga_transpose_by_get_6400", INFORMATIVE))
    return [small_case(),
            Case("ga_bulk", 2, (Run("ga_bulk", by_mpi=True),), bulk),
            sync_case(2), sync_case(4),
            Case("ga_matrices", 2, (Run("ga_matrices", by_mpi=True),), matrices)]
