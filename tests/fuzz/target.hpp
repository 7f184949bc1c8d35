// What every fuzz target defines: one input, tried. libFuzzer calls it, or our own driver.
#pragma once

#include <cstddef>
#include <cstdint>

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
