#include "link/job_request.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

#include "base/archive.hpp"
#include "bootstrap/job_memory.hpp"
#include "bootstrap/protocol.hpp"
#include "memory/layout.hpp"

namespace gondwana::link {
void fields(auto& archive, Of<GrowJob> auto& grow) {
  archive(grow.ranks, grow.folder, grow.words, grow.hosts);
  archive.expect(grow.ranks > 0);
}
void fields(auto& archive, Of<ShrinkJob> auto& shrink) {
  archive(shrink.ranks);
}
void fields(auto& archive, Of<JobAnswer> auto& answer) {
  archive(answer.is_refused, answer.text);
}

namespace {

constexpr std::uint64_t magic = 0x6772'6f77'2d32'0000;  // "grow-2"
constexpr std::string_view socket_prefix = "gondwana-guardian-";
constexpr std::size_t path_offset = offsetof(sockaddr_un, sun_path);

enum class Kind : std::uint8_t { grow, shrink };
constexpr std::uint8_t enumerators(Kind /*kind*/) {
  return 2;
}

Error unreadable(const char* why) {
  return {Errc::malformed, fmt::format("the request {}", why)};
}

}  // namespace

std::string write_request(const JobRequest& request) {
  ArchiveWriter writer;
  writer(magic, memory_fingerprint, request.job, static_cast<Kind>(request.what.index()));
  std::visit([&](const auto& what) { writer(what); }, request.what);
  return writer.take();
}

Result<JobRequest> read_request(std::string_view bytes, std::uint32_t job) {
  ArchiveReader reader(bytes);
  std::uint64_t begin = 0;
  std::uint64_t layout = 0;
  JobRequest request;
  Kind kind{};
  reader(begin, layout);
  if (!reader.is_ok() || begin != magic) return unreadable("is none of this version");
  if (layout != memory_fingerprint)
    return unreadable("comes from another build of gondwana; use the one that runs the job");
  reader(request.job, kind);
  if (kind == Kind::shrink) request.what = ShrinkJob{};
  std::visit([&](auto& what) { reader(what); }, request.what);
  if (!reader.is_ok() || !reader.is_at_end()) return unreadable("has an invalid form");
  if (request.job != job) return unreadable("is for another job, which has ended");
  return request;
}

std::string write_answer(const JobAnswer& answer) {
  ArchiveWriter writer;
  writer(answer);
  return writer.take();
}

std::optional<JobAnswer> read_answer(std::string_view bytes) {
  ArchiveReader reader(bytes);
  JobAnswer answer;
  reader(answer);
  return reader.is_ok() && reader.is_at_end() ? std::optional(answer) : std::nullopt;
}

namespace {

Error no_socket(const char* what) {
  return {Errc::refused, fmt::format("cannot {}: {}", what, std::strerror(errno))};
}

// The sockets that the process has open, by the numbers of their inodes.
std::set<std::string> sockets_of(pid_t process) {
  std::set<std::string> inodes;
  const std::string folder = fmt::format("/proc/{}/fd", process);
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), &::closedir);
  while (const dirent* entry = open != nullptr ? ::readdir(open.get()) : nullptr) {
    std::array<char, 64> target{};
    const std::string link = folder + "/" + entry->d_name;
    if (::readlink(link.c_str(), target.data(), target.size() - 1) <= 0) continue;
    const std::string_view text = target.data();
    if (text.starts_with("socket:[")) inodes.emplace(text.substr(8, text.size() - 9));
  }
  return inodes;
}

// The name of the listening socket of the guardian, without the leading zero byte. Columns of the
// table: Num RefCount Protocol Flags Type St Inode Path.
std::string find_name(pid_t guardian) {
  const std::set<std::string> inodes = sockets_of(guardian);
  std::ifstream table(fmt::format("/proc/{}/net/unix", guardian));
  for (std::string line; std::getline(table, line);) {
    std::istringstream columns(line);
    std::string word;
    for (int i = 0; i < 7; ++i) columns >> word;
    std::string path;
    if (!inodes.contains(word) || !(columns >> path)) continue;
    if (path.starts_with("@" + std::string(socket_prefix))) return path.substr(1);
  }
  return {};
}

struct Address {
  sockaddr_un value{.sun_family = AF_UNIX, .sun_path = {}};
  socklen_t length = 0;

  explicit Address(std::string_view name)
      : length(static_cast<socklen_t>(path_offset + 1 + name.size())) {
    name.copy(value.sun_path + 1, sizeof(value.sun_path) - 1);  // after a zero: not a file
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&value); }
};

Result<JobAnswer> exchange(int socket, const std::string& request) {
  if (::send(socket, request.data(), request.size(), MSG_NOSIGNAL) < 0)
    return no_socket("send the request to the launcher of the job");
  std::string bytes(longest_request, 0);
  const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), 0);
  if (got == 0) return Error{Errc::peer_lost, "the job has ended meanwhile"};
  if (got < 0) return no_socket("receive the answer of the launcher of the job");
  const auto answer = read_answer(std::string_view(bytes).substr(0, static_cast<std::size_t>(got)));
  if (answer) return *answer;
  return Error{Errc::malformed, "the answer of the launcher of the job has an invalid form"};
}

}  // namespace

// The random part prevents that another user takes the name before.
Result<UniqueFd> listen_for_requests() {
  const Result<std::uint64_t> random = random_number();
  if (!random) return random.error();
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const Address address(fmt::format("{}{:016x}", socket_prefix, *random));
  constexpr int backlog = 8;
  if (!socket || ::bind(socket.get(), address.get(), address.length) != 0 ||
      ::listen(socket.get(), backlog) != 0)
    return no_socket("listen for requests to the job");
  return socket;
}

Result<JobAnswer> ask_guardian(pid_t guardian, const JobRequest& request) {
  const std::string name = find_name(guardian);
  if (name.empty())
    return Error{Errc::refused,
                 fmt::format("process {} is no launcher that takes requests; only jobs of "
                             "`gondwana run` on this host change while they run",
                             guardian)};
  const std::string bytes = write_request(request);
  if (bytes.size() > longest_request)
    return Error{Errc::invalid_argument,
                 fmt::format("the request is longer than {} bytes; shorten the command line "
                             "or name fewer ranks",
                             longest_request)};
  const UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const Address address(name);
  if (!socket || ::connect(socket.get(), address.get(), address.length) != 0)
    return no_socket("reach the launcher of the job");
  if (!protocol::is_of_own_user(socket.get()))
    return Error{Errc::refused, "the launcher of the job belongs to another user"};
  return exchange(socket.get(), bytes);
}

}  // namespace gondwana::link
