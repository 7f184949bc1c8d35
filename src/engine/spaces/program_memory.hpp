// The program's own memory, given to peers: at an offset in the arena of this rank.
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
  MutableBytes program;                  // where the program has them
  MutableBytes arena;                    // and where they lie in the arena; as long
  std::optional<std::size_t> file = {};  // number in ShownFiles, if the program keeps its pages
};

// Any thread, but for files().
class ProgramMemory {
 public:
  ProgramMemory(const NodeMemory& memory, SegmentSpace& space, Rank me);
  ProgramMemory(const ProgramMemory&) = delete;
  ProgramMemory& operator=(const ProgramMemory&) = delete;
  ~ProgramMemory();

  // How much of the arena is set aside: `neighbors` leaves room for what else the program gives
  // from the same pages later, as small blocks of malloc share pages.
  enum class Room : std::uint8_t { exact, neighbors };
  // Everything else that the pages contain moves too. No thread may write there meanwhile.
  Result<ProgramPages> give(MutableBytes pages, Room room);
  // The program's pages are private again, with the same contents.
  void take_back(const ProgramPages& given);

  // A forked child gets copies. System calls only.
  void make_private() const;

  ShownFiles& files() { return files_; }

 private:
  // A range of the program and the part of the arena for it. Only pages that are in use lie there.
  struct Span {
    MutableBytes program;
    MutableBytes arena;
    std::vector<std::uint32_t> uses;  // by page
    MutableBytes block;               // of the arena, as allocated: all of `arena`, perhaps more

    std::size_t first_page(MutableBytes pages) const;
    // Whether some of the pages are in use here.
    bool has_used(MutableBytes pages) const;
    // Leaves the pages, none of which is in use, to another span.
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
  mutable std::mutex mutex_;  // guards what follows
  std::list<Span> spans_;
};

}  // namespace gondwana
