// Program memory that peers can reach, at an offset in the arena of this rank.
//
// Private pages move: pages of the arena with the same contents replace them, at the same address.
// Shared mappings stay in their file, which every process maps over a part of the arena.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <vector>

#include "core/result.hpp"
#include "core/types.hpp"
#include "engine/spaces/page_backing.hpp"
#include "engine/spaces/shown_files.hpp"
#include "engine/symmetric/segment_space.hpp"
#include "memory/node_memory.hpp"

namespace gondwana {

// Whole pages that peers reach.
struct ProgramPages {
  MutableBytes program;                  // address in the program
  MutableBytes arena;                    // address in the arena, with the same size
  std::optional<std::size_t> file = {};  // number in ShownFiles if the pages stay in their file
};

// Thread-safe, except files().
class ProgramMemory {
 public:
  ProgramMemory(const NodeMemory& memory, SegmentSpace& space, Rank me);
  ProgramMemory(const ProgramMemory&) = delete;
  ProgramMemory& operator=(const ProgramMemory&) = delete;
  ~ProgramMemory();

  // The arena space to reserve. `neighbors` leaves space for memory that the program gives later
  // from the same pages, because small blocks of malloc share pages.
  enum class Room : std::uint8_t { exact, neighbors };
  // Everything else in the pages moves too. No thread may write to them during the call.
  Result<ProgramPages> give(MutableBytes pages, Room room);
  // Makes the program's pages private again, with the same contents.
  void take_back(const ProgramPages& given);

  // Called in a forked child: gives it private copies. Makes system calls only.
  void make_private() const;

  ShownFiles& files() { return files_; }

 private:
  // A range of program memory and its part of the arena. Only pages in use are in the arena.
  struct Span {
    MutableBytes program;
    MutableBytes arena;
    std::vector<std::uint32_t> uses;  // use count of each page
    MutableBytes block;               // the whole allocation, of which `arena` may be a part

    std::size_t first_page(MutableBytes pages) const;
    // Whether the span uses some of these pages.
    bool has_used(MutableBytes pages) const;
    // Gives up the pages, none of which is in use, to another span.
    void shrink_from(MutableBytes pages);
    ProgramPages pages(std::size_t first, std::size_t count) const;
  };

  Result<Span*> span_for(MutableBytes pages, Room room);
  bool extend(Span& span, MutableBytes pages);
  std::optional<MutableBytes> widest_gap(MutableBytes pages) const;
  Result<ProgramPages> show(MutableBytes pages, PageBacking backing);
  Result<void> move(Span& span, std::size_t first, std::size_t end);
  void move_back(Span& span, std::size_t first, std::size_t end);
  void release(Span& span, std::size_t first, std::size_t end);
  void forget_if_unused(Span& span);

  SegmentSpace& space_;
  ShownFiles files_;
  std::byte* window_;
  mutable std::mutex mutex_;  // guards the members below
  std::list<Span> spans_;
};

}  // namespace gondwana
