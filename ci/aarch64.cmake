# Toolchain file: builds for aarch64 on another machine, with Debian's cross compiler; what is built
# runs under qemu's emulation of a user process.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L /usr/aarch64-linux-gnu)

# Of {fmt} and toml++ only headers are used, so those of this machine will do. Other libraries must not be
# found here: without hwloc and PMIx less is built, nothing that these tests need.
file(GLOB fmt_DIR /usr/lib/*/cmake/fmt)
file(GLOB tomlplusplus_DIR /usr/lib/*/cmake/tomlplusplus)
set(ENV{PKG_CONFIG_LIBDIR} /usr/aarch64-linux-gnu/lib/pkgconfig)
