// Collectives of arrays in registered buffers, in any kind of memory, possibly mixed with symmetric
// memory. Members put and get the arrays, and the team only synchronizes.
//
// Parameters and guarantees are as in Collectives.
#pragma once

#include "engine/collectives/common/resources.hpp"

namespace gondwana {

class Collectives;

class BufferCollectives {
 public:
  explicit BufferCollectives(Collectives& of_team) : collectives_(of_team) {}

  bool broadcast(Team& team, CallName call, void* dest, const void* source, std::size_t size,
                 std::uint32_t root, RootDest root_dest);
  bool fcollect(Team& team, CallName call, void* dest, const void* source, std::size_t size);
  bool collect(Team& team, CallName call, void* dest, const void* source, std::size_t size);
  // Only the source is in a buffer, which may be registered by this member alone.
  bool collect_copy(Team& team, CallName call, void* dest, const void* source, std::size_t size);
  bool alltoall(Team& team, CallName call, void* dest, const void* source, const Exchange& shape);
  bool reduce(Team& team, CallName call, void* dest, const void* source, std::size_t count,
              ElementType type);
  bool scan(Team& team, CallName call, void* dest, const void* source, std::size_t count,
            ElementType type, Scan kind);

 private:
  // The elements that this member combines in one pass.
  struct Pass {
    std::size_t offset;  // in bytes
    std::size_t count;
  };
  template <typename Use>
  void for_each_pass(const Team& team, std::size_t count, std::size_t width, const Use& use);

  // Whether both arrays of this rank are valid. If not, the lane holds the error.
  bool check(const char* what, const void* dest, std::size_t dest_size, const void* source,
             std::size_t source_size) const;
  // A failure is latched in the lane; the collective still runs to its end.
  void put_to_all(const Team& team, void* dest, const void* source, std::size_t size);
  void put_block(Rank to, void* dest, const void* source, const Exchange& shape);
  void get_part(const Team& team, std::uint32_t member, void* here, const void* array,
                const Pass& pass, std::size_t width);
  void put_part(const Team& team, std::uint32_t member, void* array, const void* here,
                const Pass& pass, std::size_t width);
  const CollectiveResources& with() const;

  Collectives& collectives_;
};

}  // namespace gondwana
