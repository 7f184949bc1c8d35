// The part of a job that a node has, as its guardian decides about it: what happens comes in, what
// is to be done goes out. It calls no system function and reads no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "run/node/absences.hpp"
#include "run/node/admission.hpp"
#include "run/node/deaths.hpp"
#include "run/node/node_end.hpp"
#include "run/node/node_events.hpp"

namespace gondwana::launch {

class JobOnNode {
 public:
  // `job` must outlive this.
  JobOnNode(const Job& job, const std::string& host, std::uint64_t now);
  JobOnNode(const JobOnNode&) = delete;
  JobOnNode& operator=(const JobOnNode&) = delete;

  // What is to be done, in this order. Tick goes on to what is due, and after it DescendantsSeen
  // once the job ends; for each round and at next_ns().
  NodeActions handle(const NodeEvent& event, std::uint64_t now);
  std::optional<std::uint64_t> next_ns() const;

  const Admission& ranks() const { return ranks_; }
  const NodeEnd& end() const { return end_; }
  // The rank lives, and so does its program.
  bool is_there(std::uint32_t rank) const { return deaths_.is_there(rank); }
  // Of ranks that others did not miss; may be empty.
  std::string who_took_no_part() const;

 private:
  const Job& job_;
  NodeActions actions_;
  Admission ranks_;
  NodeEnd end_;
  Absences absences_;
  Deaths deaths_;
};

}  // namespace gondwana::launch
