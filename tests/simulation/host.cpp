#include "simulation/host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>
#include <variant>

#include "base/exit_status.hpp"
#include "simulation/world.hpp"

namespace gondwana::simulation {

using namespace launch;  // NOLINT(google-build-using-namespace): its frames

Host::Host(World& world, std::uint32_t number)
    : world_(world),
      number_(number),
      random_(world.random()),
      up_(world.schedule(), world.random(), world.plan().latency),
      down_(world.schedule(), world.random(), world.plan().latency),
      way_(world.schedule(), world.random(), world.new_pid(), {.name = "ssh"}) {}

void Host::start() {
  const HostPlan& plan = world_.plan().hosts[number_];
  switch (plan.start) {
    case Start::cannot_connect:
      return way_.later(plan.delay, [this] { fail(255, "ssh: connect: No route to host\n"); });
    case Start::no_command:
      return way_.later(plan.delay, [this] { fail(127, "bash: gondwana: command not found\n"); });
    case Start::never:
      return;
    case Start::runs:
    case Start::no_program:
      return way_.later(plan.delay, [this] { connect(); });
  }
}

void Host::fail(int status, std::string error_text) {
  complaint_ = std::move(error_text);
  up_.close();
  way_.later(random_.skewed(5 * ms), [this, status] { way_.exit(status); });
}

void Host::connect() {
  if (is_off_) return;
  is_connected_ = true;
  down_.listen([this] { read_task(); });
}

// As the remote launcher does: not one byte more, which is for the guardian.
void Host::read_task() {
  while (node_ == nullptr) {
    auto item = down_.read(std::min<std::size_t>(parser_.missing(), 4096));
    if (!item) return;
    if (item->is_end) {
      up_.close();
      return on_remote_ended(exit_failure << 8);
    }
    parser_.add(item->bytes);
    Result<std::optional<Frame>> frame = parser_.next();
    if (!frame) return world_.fail("the task is not understood: " + frame.error().text);
    if (!*frame) continue;
    if (!std::holds_alternative<Task>(**frame)) return world_.fail("the first frame is no task");
    return begin(std::get<Task>(**std::move(frame)));
  }
}

void Host::begin(Task task) {
  task.job.share.tag = parser_.tag();
  if (world_.plan().hosts[number_].start == Start::no_program) {
    const std::string sentence =
        fmt::format("host {}: cannot find ./program", name_of_host(number_));
    for (const Frame& frame : {Frame(Hello{}), Frame(Stopping{127, sentence})})
      up_.write(encode(frame, task.job.share.tag));
    up_.mark([this, sentence] {
      world_.ledger().add({.what = sentence,
                           .status = {127},
                           .begins = sentence,
                           .earliest = world_.now(),
                           .latest = world_.now()});
    });
    up_.write(encode(Ended{127}, task.job.share.tag));
    down_.abandon();
    up_.close();
    return on_remote_ended(127 << 8);
  }
  auto node = std::make_unique<Node>(
      world_, number_, std::move(task.job),
      Node::Uplink{&up_, &down_, [this](int wait_status) { on_remote_ended(wait_status); }});
  node_ = node.get();
  world_.add_node(std::move(node));
  node_->start();
}

// ssh ends with that status once all has come.
void Host::on_remote_ended(int wait_status) {
  up_.on_end_arrived = [this, wait_status] {
    way_.later(random_.skewed(10 * ms), [this, wait_status] { way_.die(wait_status); });
  };
}

void Host::reset() {
  if (!is_connected_ || is_off_) return;
  complaint_ += "Connection reset by peer\n";
  up_.reset();
  down_.reset();
  way_.later(random_.skewed(20 * ms), [this] { way_.exit(255); });
}

void Host::silence(bool up, bool down, Time time) {
  if (up) up_.set_silent(true);
  if (down) down_.set_silent(true);
  if (time == 0) return;
  world_.schedule().after(time, [this, up, down] {
    if (is_off_) return;
    if (up) up_.set_silent(false);
    if (down) down_.set_silent(false);
  });
}

void Host::slow_down(Time more, Time time) {
  up_.slow_down(more);
  down_.slow_down(more);
  world_.schedule().after(time, [this] {
    up_.slow_down(0);
    down_.slow_down(0);
  });
}

void Host::garble() {
  if (!is_connected_) return;
  is_garbled_ = true;
  up_.write(fmt::format("{:016x}{:016x}", random_.next(), random_.next()));
}

void Host::power_off() {
  is_off_ = true;
  if (node_ != nullptr) node_->power_off();
  silence(true, true, 0);
}

}  // namespace gondwana::simulation
