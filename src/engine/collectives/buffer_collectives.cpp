#include "engine/collectives/buffer_collectives.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/collectives/collectives.hpp"
#include "engine/collectives/common/parts.hpp"

namespace gondwana {
namespace {

std::byte* behind(void* array, std::size_t bytes) {
  return static_cast<std::byte*>(array) + bytes;
}
const std::byte* behind(const void* array, std::size_t bytes) {
  return static_cast<const std::byte*>(array) + bytes;
}

}  // namespace

const CollectiveResources& BufferCollectives::with() const {
  return collectives_.resources();
}

bool BufferCollectives::check(const char* what, const void* dest, std::size_t dest_size,
                              const void* source, std::size_t source_size) const {
  const CollectiveResources& resources = with();
  return resources.rma.check_array(resources.lane, what, dest, dest_size) &&
         resources.rma.check_array(resources.lane, what, source, source_size);
}

// Every member fetches, so that the copies are shared among all.
bool BufferCollectives::broadcast(Team& team, CallName call, void* dest, const void* source,
                                  std::size_t size, std::uint32_t root, RootDest root_dest) {
  if (!check("broadcast", dest, size, source, size)) return false;
  collectives_.barrier(team, call);
  const bool is_written = team.me != root || (root_dest == RootDest::written && dest != source);
  if (is_written) with().rma.get(with().lane, team.rank_of(root), dest, source, size);
  return collectives_.barrier(team, call);
}

bool BufferCollectives::fcollect(Team& team, CallName call, void* dest, const void* source,
                                 std::size_t size) {
  if (!check("fcollect", dest, times(size, team.size), source, size)) return false;
  put_to_all(team, behind(dest, team.me * size), source, size);
  return collectives_.barrier(team, call);
}

bool BufferCollectives::collect(Team& team, CallName call, void* dest, const void* source,
                                std::size_t size) {
  // Other members may contribute more bytes.
  if (!check("collect", dest, std::max<std::size_t>(size, 1), source, size)) return false;
  const std::vector<std::uint64_t> sizes = collectives_.exchange(team, call, size);
  std::size_t before = 0;
  for (std::uint32_t member = 0; member < team.me; ++member) before += sizes[member];
  put_to_all(team, behind(dest, before), source, size);
  return collectives_.barrier(team, call);
}

// Other members never read the source of a collect().
bool BufferCollectives::collect_copy(Team& team, CallName call, void* dest, const void* source,
                                     std::size_t size) {
  if (!check("collect", dest, size, source, size)) return false;
  std::vector<std::byte> copy(size);
  with().rma.get(with().lane, with().me, copy.data(), source, size);
  return collectives_.collect_from_anywhere(team, call, dest, copy.data(), size);
}

bool BufferCollectives::alltoall(Team& team, CallName call, void* dest, const void* source,
                                 const Exchange& shape) {
  const auto [target, from] = shape.strides;
  if (!check("alltoall", dest, span_of(shape, target, team.size), source,
             span_of(shape, from, team.size)))
    return false;
  const std::size_t block = shape.count * shape.width;
  void* place = behind(dest, team.me * block * static_cast<std::size_t>(target));
  for (std::uint32_t i = 0; i < team.size; ++i) {
    const std::uint32_t member = (team.me + i) % team.size;
    put_block(team.rank_of(member), place,
              behind(source, member * block * static_cast<std::size_t>(from)), shape);
  }
  return collectives_.barrier(team, call);
}

void BufferCollectives::put_block(Rank to, void* dest, const void* source, const Exchange& shape) {
  const CollectiveResources& resources = with();
  if (shape.strides.target == 1 && shape.strides.source == 1) {
    resources.rma.put(resources.lane, to, dest, source, shape.count * shape.width);
    return;
  }
  resources.rma.put_strided(
      resources.lane, to, dest, source,
      {.width = shape.width, .size = shape.width, .count = shape.count, .strides = shape.strides});
}

// Each member starts with a different target.
void BufferCollectives::put_to_all(const Team& team, void* dest, const void* source,
                                   std::size_t size) {
  for (std::uint32_t i = 0; i < team.size; ++i)
    with().rma.put(with().lane, team.rank_of((team.me + i) % team.size), dest, source, size);
}

template <typename Use>
void BufferCollectives::for_each_pass(const Team& team, std::size_t count, std::size_t width,
                                      const Use& use) {
  constexpr std::size_t max_bytes = std::size_t{256} * 1024;
  const Part mine = part_of(count, team.size, team.me, width);
  const std::size_t most = std::max<std::size_t>(1, max_bytes / width);
  for (std::size_t done = 0; done < mine.count; done += most)
    use(Pass{(mine.begin + done) * width, std::min(most, mine.count - done)});
}

void BufferCollectives::get_part(const Team& team, std::uint32_t member, void* here,
                                 const void* array, const Pass& pass, std::size_t width) {
  with().rma.get(with().lane, team.rank_of(member), here, behind(array, pass.offset),
                 pass.count * width);
}

void BufferCollectives::put_part(const Team& team, std::uint32_t member, void* array,
                                 const void* here, const Pass& pass, std::size_t width) {
  with().rma.put(with().lane, team.rank_of(member), behind(array, pass.offset), here,
                 pass.count * width);
}

// Each member combines a part of the arrays, in the order of the members. `dest` may be `source`,
// because all contributions of a pass are read before its result is written.
bool BufferCollectives::reduce(Team& team, CallName call, void* dest, const void* source,
                               std::size_t count, ElementType type) {
  const std::size_t size = times(count, type.size);
  if (!check("reduction", dest, size, source, size)) return false;
  collectives_.barrier(team, call);  // every source is ready
  std::vector<std::byte> sum;
  std::vector<std::byte> term;
  for_each_pass(team, count, type.size, [&](const Pass& pass) {
    sum.resize(std::max(sum.size(), pass.count * type.size));
    term.resize(sum.size());
    get_part(team, 0, sum.data(), source, pass, type.size);
    for (std::uint32_t member = 1; member < team.size; ++member) {
      get_part(team, member, term.data(), source, pass, type.size);
      type.combine(sum.data(), sum.data(), term.data(), pass.count);
    }
    for (std::uint32_t i = 0; i < team.size; ++i)
      put_part(team, (team.me + i) % team.size, dest, sum.data(), pass, type.size);
  });
  return collectives_.barrier(team, call);
}

// The same as reduce(), but each member receives the sum up to its own contribution.
bool BufferCollectives::scan(Team& team, CallName call, void* dest, const void* source,
                             std::size_t count, ElementType type, Scan kind) {
  const std::size_t size = times(count, type.size);
  if (!check("scan", dest, size, source, size)) return false;
  collectives_.barrier(team, call);
  std::vector<std::byte> sum;
  std::vector<std::byte> term;
  for_each_pass(team, count, type.size, [&](const Pass& pass) {
    sum.assign(pass.count * type.size, std::byte{0});
    term.resize(sum.size());
    for (std::uint32_t member = 0; member < team.size; ++member) {
      get_part(team, member, term.data(), source, pass, type.size);
      if (kind == Scan::exclusive) put_part(team, member, dest, sum.data(), pass, type.size);
      if (member == 0)
        sum.swap(term);
      else
        type.combine(sum.data(), sum.data(), term.data(), pass.count);
      if (kind == Scan::inclusive) put_part(team, member, dest, sum.data(), pass, type.size);
    }
  });
  return collectives_.barrier(team, call);
}

}  // namespace gondwana
