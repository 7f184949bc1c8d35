# Spack's recipe, for a repository of recipes that has it as packages/gondwana/package.py. No archive
# is released yet: give `git` the address of a clone, or build one by `spack dev-build gondwana@main`.
from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:
    pass  # before Spack 1.0 spack.package has them


class Gondwana(CMakePackage):
    """One address space from many memories: a runtime for PGAS programs, which are written
    against OpenSHMEM, GASNet-EX or ARMCI."""

    version("main", branch="main")

    license("BSD-3-Clause")

    variant("python", default=False, description="The Python package, which needs numpy")
    variant("tools", default=True, description="Stacks of gondwana why, the terminal and the server of top, files of trace")
    variant("ucx", default=False, description="Jobs on several nodes by UCX, too")

    generator("ninja")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.11:", type="build")  # writes manual pages and thunks
    depends_on("fmt@9:", type="build")  # its objects go into our libraries
    depends_on("tomlplusplus@3:", type="build")  # headers
    depends_on("cli11@2:", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("hwloc@2:")
    depends_on("libfabric@1.17:")
    depends_on("pmix@4:")  # headers to build; the library is loaded when a launcher asks for it
    with when("+tools"):
        depends_on("elfutils@0.186:")  # why
        depends_on("ncurses@6:")  # top
        depends_on("libmicrohttpd@0.9.50:")  # top --serve
        depends_on("protobuf@3.21:")  # trace
    depends_on("ucx@1.13:", when="+ucx")
    depends_on("python@3.11:", type="run", when="+python")
    depends_on("py-numpy", type="run", when="+python")

    requires("platform=linux", msg="Gondwana is for Linux")
    conflicts("%gcc@:11", msg="Gondwana is written in C++20 as g++ 12 has it")

    def cmake_args(self):
        return [
            self.define("GONDWANA_TESTS", False),
            self.define("GONDWANA_EXAMPLES", False),
            self.define("GONDWANA_BENCH", False),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_Curses", self.spec.satisfies("~tools")),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_Protobuf", self.spec.satisfies("~tools")),
        ]

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            env.prepend_path("PYTHONPATH", self.prefix.lib.gondwana.python)
