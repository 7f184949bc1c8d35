// Text for operations, types, fields and lists of addresses.
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>

#include "gasnet/tools_format.h"

namespace {

struct Bit {
  std::uint64_t value;
  const char* name;
};

constexpr std::array operation_bits{
    Bit{GEX_OP_ADD, "GEX_OP_ADD"},        Bit{GEX_OP_SUB, "GEX_OP_SUB"},
    Bit{GEX_OP_MULT, "GEX_OP_MULT"},      Bit{GEX_OP_MIN, "GEX_OP_MIN"},
    Bit{GEX_OP_MAX, "GEX_OP_MAX"},        Bit{GEX_OP_INC, "GEX_OP_INC"},
    Bit{GEX_OP_DEC, "GEX_OP_DEC"},        Bit{GEX_OP_AND, "GEX_OP_AND"},
    Bit{GEX_OP_OR, "GEX_OP_OR"},          Bit{GEX_OP_XOR, "GEX_OP_XOR"},
    Bit{GEX_OP_FADD, "GEX_OP_FADD"},      Bit{GEX_OP_FSUB, "GEX_OP_FSUB"},
    Bit{GEX_OP_FMULT, "GEX_OP_FMULT"},    Bit{GEX_OP_FMIN, "GEX_OP_FMIN"},
    Bit{GEX_OP_FMAX, "GEX_OP_FMAX"},      Bit{GEX_OP_FINC, "GEX_OP_FINC"},
    Bit{GEX_OP_FDEC, "GEX_OP_FDEC"},      Bit{GEX_OP_FAND, "GEX_OP_FAND"},
    Bit{GEX_OP_FOR, "GEX_OP_FOR"},        Bit{GEX_OP_FXOR, "GEX_OP_FXOR"},
    Bit{GEX_OP_SET, "GEX_OP_SET"},        Bit{GEX_OP_GET, "GEX_OP_GET"},
    Bit{GEX_OP_SWAP, "GEX_OP_SWAP"},      Bit{GEX_OP_CAS, "GEX_OP_CAS"},
    Bit{GEX_OP_FCAS, "GEX_OP_FCAS"},      Bit{GEX_OP_USER, "GEX_OP_USER"},
    Bit{GEX_OP_USER_NC, "GEX_OP_USER_NC"}};

constexpr std::array type_bits{Bit{GEX_DT_I32, "GEX_DT_I32"},  Bit{GEX_DT_U32, "GEX_DT_U32"},
                               Bit{GEX_DT_I64, "GEX_DT_I64"},  Bit{GEX_DT_U64, "GEX_DT_U64"},
                               Bit{GEX_DT_FLT, "GEX_DT_FLT"},  Bit{GEX_DT_DBL, "GEX_DT_DBL"},
                               Bit{GEX_DT_USER, "GEX_DT_USER"}};

constexpr std::array field_bits{Bit{GEX_TI_SRCRANK, "GEX_TI_SRCRANK"}, Bit{GEX_TI_EP, "GEX_TI_EP"},
                                Bit{GEX_TI_ENTRY, "GEX_TI_ENTRY"},
                                Bit{GEX_TI_IS_REQ, "GEX_TI_IS_REQ"},
                                Bit{GEX_TI_IS_LONG, "GEX_TI_IS_LONG"}};

// The names of the bits that are set. Bits without a name appear as a number.
std::string describe(std::uint64_t value, std::span<const Bit> bits) {
  std::string text;
  const auto add = [&text](const char* word) {
    if (!text.empty()) text += '|';
    text += word;
  };
  for (const Bit& bit : bits) {
    if ((value & bit.value) != bit.value) continue;
    add(bit.name);
    value &= ~bit.value;
  }
  if (value != 0 || text.empty()) {
    std::array<char, 24> rest;
    std::snprintf(rest.data(), rest.size(), "0x%" PRIx64, value);
    add(rest.data());
  }
  return text;
}

std::size_t give(char* buffer, const std::string& text) {
  if (buffer != nullptr) std::memcpy(buffer, text.c_str(), text.size() + 1);
  return text.size() + 1;
}

// Appends text to the caller's buffer. The sizes below leave room for the longest numbers.
class Writer {
 public:
  Writer(char* buffer, std::size_t size) : buffer_(buffer), size_(size) { *buffer_ = '\0'; }

  void add(const char* format, ...) __attribute__((format(printf, 2, 3))) {
    va_list arguments;
    va_start(arguments, format);
    const int wanted = std::vsnprintf(buffer_ + length_, size_ - length_, format, arguments);
    va_end(arguments);
    const std::size_t room = size_ - length_ - 1;
    if (wanted > 0) length_ += std::min(static_cast<std::size_t>(wanted), room);
  }

  template <typename Number>
  void add_numbers(const char* title, const char* format, const Number* numbers,
                   std::size_t count) {
    add(" %s {", title);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) add(",");
      add(format, numbers[i]);
    }
    add("}");
  }

 private:
  char* buffer_;
  std::size_t size_;
  std::size_t length_ = 0;
};

constexpr std::size_t heading = 256;   // bytes, before lists begin
constexpr std::size_t piece = 48;      // an address and a length
constexpr std::size_t address = 24;    // in hexadecimal, and a separator
constexpr std::size_t level = 3 * 22;  // two strides and a count

}  // namespace

std::size_t gasnett_format_op(char* buffer, gex_OP_t operations) {
  return give(buffer, describe(operations, operation_bits));
}

std::size_t gasnett_format_dt(char* buffer, gex_DT_t types) {
  return give(buffer, describe(types, type_bits));
}

std::size_t gasnett_format_ti(char* buffer, gex_TI_t fields) {
  return give(buffer, describe(fields, field_bits));
}

std::size_t gasnett_format_memveclist_bufsz(std::size_t count) {
  return heading + count * piece;
}

char* gasnett_format_memveclist(char* buffer, std::size_t count, const gex_Memvec_t* list) {
  Writer text(buffer, gasnett_format_memveclist_bufsz(count));
  std::size_t bytes = 0;
  for (const gex_Memvec_t& each : std::span(list, count)) bytes += each.gex_len;
  text.add("%zu pieces, %zu B:", count, bytes);
  for (const gex_Memvec_t& each : std::span(list, count))
    text.add(" %p+%zu", each.gex_addr, each.gex_len);
  return buffer;
}

std::size_t gasnett_format_addrlist_bufsz(std::size_t count) {
  return heading + count * address;
}

char* gasnett_format_addrlist(char* buffer, std::size_t count, void* const* list,
                              std::size_t length) {
  Writer text(buffer, gasnett_format_addrlist_bufsz(count));
  text.add("%zu pieces of %zu B:", count, length);
  for (const void* each : std::span(list, count)) text.add(" %p", each);
  return buffer;
}

std::size_t gasnett_format_putsgets_bufsz(std::size_t levels) {
  return heading + levels * level;
}

// NOLINTNEXTLINE(readability-function-size): programs call it with these parameters
char* gasnett_format_putsgets(char* buffer, void* /*unused*/, gex_TM_t team, gex_Rank_t rank,
                              void* destination, const std::ptrdiff_t* destination_strides,
                              void* source, const std::ptrdiff_t* source_strides,
                              std::size_t element_size, const std::size_t* count,
                              std::size_t levels) {
  Writer text(buffer, gasnett_format_putsgets_bufsz(levels));
  text.add("rank %u of team %p, elements of %zu B,", static_cast<unsigned>(rank),
           static_cast<const void*>(team), element_size);
  text.add_numbers("counts", "%zu", count, levels);
  text.add(", to %p", destination);
  text.add_numbers("strides", "%td", destination_strides, levels);
  text.add(", from %p", source);
  text.add_numbers("strides", "%td", source_strides, levels);
  return buffer;
}
