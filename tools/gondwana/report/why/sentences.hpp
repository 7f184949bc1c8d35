// The messages of `gondwana why`. If a message has a form for one rank and one for several, the
// first argument is the ranks' numbers: "3", "0-2, 5".
#pragma once

#include <cstdint>
#include <string_view>

#include "base/sentence.hpp"

namespace gondwana::why::sentences {

using Text = std::string_view;

// Appended to other messages. Arguments: call, time.
inline constexpr Sentence<Text, Text, Text> waits_in_for{"rank {} waits in {} for {}",
                                                         "ranks {} wait in {} for {}"};
inline constexpr Sentence<Text, Text> waits_in{"rank {} waits in {}", "ranks {} wait in {}"};

// Used after the end of the job.
inline constexpr Text ended_meanwhile = "the job has ended while it was watched";
inline constexpr Sentence<Text> still_there{
    "the job has ended, but the process of rank {} has not ended yet",
    "the job has ended, but the processes of ranks {} have not ended yet"};
inline constexpr Sentence<Text> left_silently{"; rank {} ended without leaving it",
                                              "; ranks {} ended without leaving it"};

inline constexpr Sentence<Text> lost{"rank {} has ended without leaving the job",
                                     "ranks {} have ended without leaving the job"};
inline constexpr Sentence<Text> dead{"rank {} has died, and the job continues without it",
                                     "ranks {} have died, and the job continues without them"};
inline constexpr Sentence<Text> absent{"rank {} has not joined the job yet",
                                       "ranks {} have not joined the job yet"};
inline constexpr Sentence<Text> starting{"rank {} is still starting",
                                         "ranks {} are still starting"};

// Arguments: node, process of the debugger.
inline constexpr Sentence<Text, Text, int> debugged{
    "rank {}{} is stopped by a debugger, process {}",
    "ranks {}{} are stopped by a debugger, process {}"};
// Arguments: node, processes.
inline constexpr Sentence<Text, Text, Text> stopped{
    "rank {}{} is stopped by a signal: kill -CONT{} resumes it",
    "ranks {}{} are stopped by a signal: kill -CONT{} resumes them"};

// Arguments: node, host, process of the agent, process of the debugger.
inline constexpr Statement<std::uint32_t, Text, int, int> agent_debugged{
    "the agent of node {} on host {} (process {}) is stopped by a debugger, process {}"};
// Arguments: node, host, process of the agent twice.
inline constexpr Statement<std::uint32_t, Text, int, int> agent_stopped{
    "the agent of node {} on host {} (process {}) is stopped by a signal: kill -CONT {} resumes "
    "it"};

// Argument: the wait of each rank.
inline constexpr Sentence<Text, Text> cycle{
    "rank {} waits for itself, and cannot continue: {}",
    "ranks {} wait for each other, and none can continue: {}"};
// Arguments: rank, call, and `one_rank` or `others_of_team`.
inline constexpr Statement<std::uint32_t, Text, Text> in_cycle{"rank {} in {} for {}"};
inline constexpr Statement<std::uint32_t> one_rank{"rank {}"};
inline constexpr Statement<Text> others_of_team{"the others of {}"};
// Arguments: call, team.
inline constexpr Sentence<Text, Text, Text> in_collective{"rank {} is in {} of {}",
                                                          "ranks {} are in {} of {}"};

// Arguments: `in_collective` of the culprits and of the others; a hint or nothing.
inline constexpr Statement<Text, Text, Text> other_order{
    "{}, but {}: all members must call the same collectives in the same order{}"};
inline constexpr Statement<Text, Text, Text> other_team{
    "{}, but {}: they wait for members that are in a collective of another team{}"};

// Parts of `polling`. Argument: call. The "it" and "they" forms refer to ranks named before.
inline constexpr Sentence<Text> it_polls{"it polls, calling {} again and again",
                                         "they poll, calling {} again and again"};
inline constexpr Sentence<Text> it_calls{"it calls {} again and again, perhaps as a poll",
                                         "they call {} again and again, perhaps as a poll"};
inline constexpr Sentence<Text, Text> polls{"rank {} polls, calling {} again and again",
                                            "ranks {} poll, calling {} again and again"};
inline constexpr Sentence<Text, Text> calls{"rank {} calls {} again and again, perhaps as a poll",
                                            "ranks {} call {} again and again, perhaps as a poll"};
// Arguments: the activity of the ranks, time.
inline constexpr Sentence<Text, Text, Text> polling{
    "rank {} keeps the others waiting: {}, in the {} that it was watched",
    "ranks {} keep the others waiting: {}, in the {} that they were watched"};

inline constexpr Sentence<Text> copying{
    "rank {} keeps the others waiting: it waits for a copy to or from a device",
    "ranks {} keep the others waiting: they wait for a copy to or from a device"};
inline constexpr Sentence<Text> pending_copies{
    "; copies to or from devices of rank {} are in flight",
    "; copies to or from devices of ranks {} are in flight"};

// Describes ranks that make no library call. Arguments: ", in futex" or nothing; time.
using Silent = Sentence<Text, Text, Text>;
inline constexpr Silent silent{
    "rank {} keeps the others waiting: it is in the program{}, without a call of the library in "
    "the {} that it was watched",
    "ranks {} keep the others waiting: they are in the program{}, without a call of the library in "
    "the {} that they were watched"};
inline constexpr Silent sleeping{
    "rank {} keeps the others waiting: it sleeps in the program{}, without a call of the library "
    "in the {} that it was watched",
    "ranks {} keep the others waiting: they sleep in the program{}, without a call of the library "
    "in the {} that they were watched"};
inline constexpr Silent computing{
    "rank {} keeps the others waiting: it computes in the program{}, without a call of the library "
    "in the {} that it was watched",
    "ranks {} keep the others waiting: they compute in the program{}, without a call of the "
    "library in the {} that they were watched"};
inline constexpr Silent computing_or_polling{
    "rank {} keeps the others waiting: it computes or polls in the program{}, without a call of "
    "the library that waits in the {} that it was watched",
    "ranks {} keep the others waiting: they compute or poll in the program{}, without a call of "
    "the library that waits in the {} that they were watched"};

inline constexpr Sentence<Text> works_on{"rank {} is working", "ranks {} are working"};
inline constexpr Text continues = "no rank keeps the others waiting";
inline constexpr Sentence<Text> works{"no rank keeps the others waiting: rank {} works",
                                      "no rank keeps the others waiting: ranks {} work"};

// Argument: operations.
inline constexpr Sentence<Text, Text> in_transfer{"rank {} waits for the network: {}",
                                                  "ranks {} wait for the network: {}"};
inline constexpr Sentence<std::uint64_t> pending_operations{
    "{} operation to other nodes is in flight", "{} operations to other nodes are in flight"};
inline constexpr Sentence<Text> waits_elsewhere{"rank {} waits, perhaps for ranks on other hosts",
                                                "ranks {} wait, perhaps for ranks on other hosts"};
inline constexpr Sentence<Text> has_left{"; rank {} has left the job",
                                         "; ranks {} have left the job"};
// Arguments: `waits_in` of the ranks, one of the texts below.
inline constexpr Statement<Text, Text> no_rank_writes{"{}; no rank is left to write there: {}"};
inline constexpr Statement<Text, Text> no_rank_acts{
    "{} for something that no rank is left to do: {}"};
inline constexpr Text no_other_rank = "no other rank is there";
inline constexpr Text all_wait = "all ranks wait";
inline constexpr Text others_wait_too = "all others wait too";

// Arguments: share of its own time in percent, time, share of the others.
inline constexpr Sentence<Text, double, Text, double> slow{
    "rank {} is slower than the others: it waited {:.0f} % of the {} that the job was watched, "
    "others {:.0f} %",
    "ranks {} are slower than the others: they waited {:.0f} % of the {} that the job was watched, "
    "others {:.0f} %"};

// Chosen by the number of processors. Arguments: ranks, processors, host, percent, a remark or
// nothing.
inline constexpr Sentence<std::uint32_t, std::uint32_t, Text, double, Text> oversubscribed{
    "{} ranks share {} processor of {} and wait for it: each runs {:.0f} % of the time{}",
    "{} ranks share {} processors of {} and wait for them: each runs {:.0f} % of the time{}"};
inline constexpr Text others_run = "; other processes run there, too";
// Chosen by the number of unseen nodes. Arguments: that number, all nodes, the reason.
inline constexpr Sentence<std::size_t, std::uint32_t, Text> unseen_nodes{
    "{} of the {} nodes of the job was not examined: {}",
    "{} of the {} nodes of the job were not examined: {}"};
inline constexpr Text perhaps_elsewhere =
    "no rank has joined there yet, or they are on other hosts, which --hosts can name";

// Arguments: name of a word that a rank waits for, rank.
inline constexpr Statement<Text, std::uint32_t> word_of{"{} of rank {}"};
inline constexpr Text some_word = "the word";
// Arguments: word, rank, write.
inline constexpr Statement<Text, std::uint32_t, Text> last_write{
    "the last write to {}: rank {}, {}"};
// Arguments: word, place, rank, write.
inline constexpr Statement<Text, Text, std::uint32_t, Text> write_near{
    "no write to {} is in the events of the trace; the last one near it, {}: rank {}, {}"};
inline constexpr Statement<Text> adjacent{"just {} it"};
inline constexpr Statement<std::uint64_t, Text> bytes_away{"{} bytes {} it"};
inline constexpr Statement<Text> no_write{"the trace contains no put or atomic operation to {}"};
inline constexpr Statement<Text> not_symmetric{
    "{} is not in symmetric memory: no call of another rank can write it"};
inline constexpr Text needs_trace =
    "to find out which rank wrote there last, run the job with -x GONDWANA_TRACE=yes";
inline constexpr Text needs_trace_file =
    "to find out which rank wrote there last, write the events of the job to a file with gondwana "
    "trace";

// Argument: `loop_reads` or nothing.
inline constexpr Statement<Text> in_loop{
    "every sample found it in a short loop there{}; if the loop waits for a write of another rank, "
    "use a call such as shmem_int_wait_until"};
inline constexpr Statement<Text> loop_reads{", which reads {}"};

// The activity of a rank, in the table of ranks.
namespace state {
inline constexpr Text absent = "has not joined the job";
inline constexpr Text starting = "is starting";
inline constexpr Text lost = "has ended without leaving the job";
inline constexpr Text dead = "has died";
inline constexpr Text left = "has left the job";
inline constexpr Text stopped = "is stopped";
inline constexpr Text copies = "waits for a copy to or from a device";
inline constexpr Statement<Text> polls{"polls by calls of {}"};
inline constexpr Statement<Text> calls{"calls {} again and again"};
inline constexpr Statement<Text> in_system_call{"is in {}"};
inline constexpr Text in_program = "is in the program";
inline constexpr Text in_exit = "is in exit";
inline constexpr Text works = "works";
inline constexpr Statement<Text> waits{"waits in {}"};
inline constexpr Statement<Text> of_team{" of {}"};
inline constexpr Statement<std::uint32_t> for_rank{" for rank {}"};
inline constexpr Statement<std::uint32_t> restarted{", restart {}"};
}  // namespace state

}  // namespace gondwana::why::sentences
