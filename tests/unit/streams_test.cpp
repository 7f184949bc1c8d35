// Where streams of ranks lead, and traces of nodes.
#include "run/node/streams.hpp"

#include <gtest/gtest.h>

#include <string>

#include "observe/trace/wire.hpp"
#include "run/node/trace_collection.hpp"
#include "run/remote/host_traces.hpp"

namespace gondwana::launch {
namespace {

TEST(Streams, one_rank_reads_and_the_others_get_nothing) {
  Job job;
  job.streams.reader = 2;
  EXPECT_EQ(input_of(job, 2, true), InputFrom::terminal);
  EXPECT_EQ(input_of(job, 2, false), InputFrom::launcher);
  EXPECT_EQ(input_of(job, 0, true), InputFrom::nobody);
  job.share.tag = 1;  // there is a conductor
  EXPECT_EQ(input_of(job, 2, true), InputFrom::conductor);
  job.streams.reader.reset();
  EXPECT_EQ(input_of(job, 2, true), InputFrom::nobody);
}

TEST(Streams, output_goes_through_us_or_to_files_of_each_rank) {
  Job job;
  EXPECT_EQ(output_file(job, 3, Standard::output), "");
  job.streams.folder = "logs";
  EXPECT_EQ(output_file(job, 3, Standard::output), "logs/rank.3.out");
  EXPECT_EQ(output_file(job, 3, Standard::error), "logs/rank.3.err");
}

TEST(TraceCollection, a_trace_goes_where_the_job_wants_it) {
  Job job;
  EXPECT_EQ(trace_destination(job, 1, true), TraceDestination::nowhere);
  job.trace.after_failure = true;
  EXPECT_EQ(trace_destination(job, 0, true), TraceDestination::nowhere);
  EXPECT_EQ(trace_destination(job, 1, true), TraceDestination::to_file);
  EXPECT_EQ(trace_destination(job, 1, false), TraceDestination::nowhere);  // no program of ours
  job.trace.file = "/tmp/t";
  EXPECT_EQ(trace_destination(job, 0, false), TraceDestination::to_file);
  job.share.tag = 1;
  EXPECT_EQ(trace_destination(job, 0, true), TraceDestination::to_conductor);
}

TEST(TraceCollection, parts_are_put_together_by_the_conductor) {
  const std::string bytes = trace::encode({.job = "0000abcd", .host = "a", .ranks = {{.rank = 5}}});
  HostTraces traces(1);
  std::size_t parts = 0;
  send_in_parts(bytes, bytes.size() / 3, [&](const TracePart& part) {
    ++parts;
    EXPECT_TRUE(traces.add(0, part));
  });
  EXPECT_EQ(parts, bytes.size() % 3 == 0 ? 3U : 4U);
  EXPECT_FALSE(traces.fault(0));
  EXPECT_EQ(traces.take().at(0).ranks.at(0).rank, 5U);
}

}  // namespace
}  // namespace gondwana::launch
