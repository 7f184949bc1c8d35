// The segments of this process: memory that peers may address. GASNet-EX 0.19, Operations on
// gex_Segment_t; Memory Kinds.
//
// Segments in host memory are in the arena of the rank, so that peers reach them by loads and
// stores. Private memory of the client moves to the arena: pages of the arena with the same
// contents replace its pages, at the same address. Shared memory of the client stays in its file,
// which every process maps over a part of the arena (engine/spaces). Device memory stays on its
// device, in its own space.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/engine.hpp"
#include "front/gasnet/objects.hpp"
#include "front/gasnet/progress.hpp"

namespace gondwana::gasnet {

class Segments {
 public:
  struct Setup {
    Engine& engine;
    Progress& progress;
    std::size_t most;        // the user's limit for one segment
    std::size_t team_place;  // bytes of segment memory that one team needs
  };

  explicit Segments(const Setup& setup)
      : engine_(setup.engine),
        progress_(setup.progress),
        max_(setup.most),
        team_place_(setup.team_place) {}

  // The library allocates the memory if the address is null.
  Result<gex_Segment_t> make(gex_Client_t client, void* address, std::size_t size);
  Result<gex_Segment_t> make_on_device(gex_MK_t kind, void* address, std::size_t size);
  // Replaces segments if peers may address all memory.
  gex_Segment_t make_of_everything(gex_Client_t client);
  void destroy(gex_Segment_t segment);
  // The largest segment that this process can allocate.
  std::size_t largest() const;

 private:
  Error no_room(std::size_t size) const;
  Result<void> place(gondwana_gex_segment& segment);
  Result<void> allocate(gondwana_gex_segment& segment);
  std::optional<std::size_t> shared_offset(gondwana_gex_segment& segment) const;
  Result<void> take_over(gondwana_gex_segment& segment);
  Result<void> wait_for_agent(const gondwana_gex_segment& segment);
  void give_back(const gondwana_gex_segment& segment);
  std::uint64_t arena_offset(MutableBytes pages) const;

  Engine& engine_;
  Progress& progress_;
  std::size_t max_;
  std::size_t team_place_;
  std::mutex mutex_;  // guards made_
  std::list<std::unique_ptr<gondwana_gex_segment>> made_;
};

}  // namespace gondwana::gasnet
