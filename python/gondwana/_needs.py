"""The requirements of this package. Imported first, so that a clear error shows what is missing."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036: others may run it
    raise ImportError(
        "gondwana needs Python 3.11 or newer; {} is {}.{}".format(sys.executable, *sys.version_info)
    )
try:
    import numpy  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "numpy":  # numpy exists, and one of its own imports fails
        raise
    is_of_system = sys.prefix == sys.base_prefix and sys.executable.startswith("/usr/bin/")
    remedy = (
        "install the system's package of it, such as by `apt-get install python3-numpy`"
        if is_of_system
        else f"type `{sys.executable} -m pip install numpy`"
    )
    raise ImportError(
        f"gondwana needs numpy, which {sys.executable} does not have; {remedy}"
    ) from None
