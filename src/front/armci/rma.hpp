// Puts, gets and accumulates of one piece, of sections of arrays and of lists of pieces.
#pragma once

#include <optional>

#include "front/armci/door.hpp"
#include "operations/accumulate.hpp"
#include "operations/strided/transfer.hpp"

namespace gondwana::armci {

// What a call asks for. A put is an accumulate that replaces.
struct Call {
  Door& door;
  CallName name;
  int proc;
  strided::End side;  // of the other process: target of puts, source of gets
  std::optional<Accumulation> adds = {};
  bool waits = true;              // false: a get may go on after the call
  armci_hdl_t* handle = nullptr;  // of a call that does not wait
};

// Ends the job if the type does not exist.
Accumulation accumulation_of(CallName name, int datatype, const void* scale);

// Sizes are in bytes. The sizes of accumulates are whole elements.
void move_piece(const Call& call, void* target, void* source, std::size_t size);
int checked_size(CallName name, int size);

// As in the call. The strides of a level are null where there is none.
struct Section {
  void* source;
  const int* source_strides;
  void* target;
  const int* target_strides;
  const int* counts;
  int levels;
};
void move_section(const Call& call, const Section& section);
void move_list(const Call& call, const armci_giov_t* list, int length);

// Stores a word behind a put: a process that sees it sees the data.
void store_flag(const Call& call, int* flag, int value);

}  // namespace gondwana::armci
