"""The rows of device memory. The devices are emulated: their copy engine is a thread."""

from driver.case import Aim, Case, Row, Run
from driver.network_cases import share

DEVICES = {"GONDWANA_EMULATED_DEVICES": "1"}
SIZES = {"4 KiB": 4 << 10, "64 KiB": 64 << 10, "1 MiB": 1 << 20, "16 MiB": 16 << 20}
# The kinds of copies, each with the number of its sides that are devices.
WAYS = {"host_to_device": ("put host to device", 1), "device_to_host": ("get device to host", 1),
        "device_put": ("put device to device", 2), "device_get": ("get device to device", 2)}
DOORS = {"": "", "_gasnet": "gex "}


def copies_run(name: str, nodes: int) -> Run:
    """The run of the program that puts and gets."""
    return Run("gasnet_device_copies", ("peer", name, *map(str, SIZES.values())), DEVICES,
               nodes=nodes)


def node_case() -> Case:
    """Copies on a node, compared with the copy engine alone."""
    aim = Aim("ratio", 1 / 0.95, "95%+2us", allowance=2000)
    rows = tuple(Row(f"{door}{title} {name}", f"device_{way}_{size}{suffix}", aim)
                 for suffix, door in DOORS.items() for way, (title, _) in WAYS.items()
                 for name, size in SIZES.items())
    return Case("device_copies", 2, (copies_run("device", 1),), rows)


def network_case() -> Case:
    """Copies between two nodes, compared with a pipeline of bounce buffers over bare libfabric."""
    rows = tuple(Row(f"network {door}{title} {name}", f"far_{way}_{size}{suffix}", share(0.95),
                     (f"bounce_{devices}_{size}",))
                 for suffix, door in DOORS.items() for way, (title, devices) in WAYS.items()
                 for name, size in SIZES.items())
    return Case("device_network", 2, (copies_run("far", 2),), rows, (("ofi_bare", "bounce"),))


def use_case() -> Case:
    """The cost of using a device, and device segments."""
    in_use = Aim("difference", 2, "+2 ns")
    return Case("device_use", 2, (Run("gasnet_device_use", (), DEVICES),),
                (Row("put 8 B to the heap, device in use", "device_in_use_put", in_use),
                 Row("p to the heap, device in use", "device_in_use_p", in_use),
                 Row("device segment, made and freed", "device_segment",
                     Aim("difference", 20e3, "+20 us"))))


def device_cases() -> list[Case]:
    """Every case of devices, in the order of the table."""
    return [node_case(), network_case(), use_case()]
