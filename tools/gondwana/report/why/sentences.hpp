// The messages of `gondwana why` about ranks, in whole sentences for one rank and for several. The
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

// After the end of the job.
inline constexpr Text ended_meanwhile = "the job has ended while it was watched";
inline constexpr Sentence<Text> still_there{
    "the job has ended, but the process of rank {} has not ended yet",
    "the job has ended, but the processes of ranks {} have not ended yet"};
inline constexpr Sentence<Text> left_without_word{"; rank {} ended without leaving it",
                                                  "; ranks {} ended without leaving it"};

inline constexpr Sentence<Text> lost{"rank {} has ended without leaving the job",
                                     "ranks {} have ended without leaving the job"};
inline constexpr Sentence<Text> absent{"rank {} has not joined the job yet",
                                       "ranks {} have not joined the job yet"};
inline constexpr Sentence<Text> starting{"rank {} is still starting",
                                         "ranks {} are still starting"};

// Arguments: node, process of the debugger.
inline constexpr Sentence<Text, Text, int> debugged{
    "rank {}{} is held by a debugger, process {}", "ranks {}{} are held by a debugger, process {}"};
// Arguments: node, processes.
inline constexpr Sentence<Text, Text, Text> stopped{
    "rank {}{} is stopped by a signal: kill -CONT{} lets it go on",
    "ranks {}{} are stopped by a signal: kill -CONT{} lets them go on"};

// Argument: what each rank waits for.
inline constexpr Sentence<Text, Text> circle{
    "rank {} waits for itself, and cannot go on: {}",
    "ranks {} wait for each other, and none can go on: {}"};
// Arguments: call, team.
inline constexpr Sentence<Text, Text, Text> in_collective{"rank {} is in {} of {}",
                                                          "ranks {} are in {} of {}"};

// Parts of `polling`. Argument: call. The "it" and "they" forms refer to ranks named before.
inline constexpr Sentence<Text> it_polls{"it polls, calling {} again and again",
                                         "they poll, calling {} again and again"};
inline constexpr Sentence<Text> it_calls{"it calls {} again and again, perhaps as a poll",
                                         "they call {} again and again, perhaps as a poll"};
inline constexpr Sentence<Text, Text> polls{"rank {} polls, calling {} again and again",
                                            "ranks {} poll, calling {} again and again"};
inline constexpr Sentence<Text, Text> calls{"rank {} calls {} again and again, perhaps as a poll",
                                            "ranks {} call {} again and again, perhaps as a poll"};
// Arguments: what they do, time.
inline constexpr Sentence<Text, Text, Text> polling{
    "rank {} keeps the others waiting: {}, in the {} that it was watched",
    "ranks {} keep the others waiting: {}, in the {} that they were watched"};

inline constexpr Sentence<Text> copying{
    "rank {} keeps the others waiting: it waits for a copy to or from a device",
    "ranks {} keep the others waiting: they wait for a copy to or from a device"};
inline constexpr Sentence<Text> copies_under_way{
    "; copies to or from devices of rank {} are under way",
    "; copies to or from devices of ranks {} are under way"};

// Ranks that make no library call. Arguments: ", in futex" or nothing; time.
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

inline constexpr Sentence<Text> works_on{"rank {} works on", "ranks {} work on"};
inline constexpr Sentence<Text> works{"no rank keeps the others waiting: rank {} works",
                                      "no rank keeps the others waiting: ranks {} work"};

// Argument: operations.
inline constexpr Sentence<Text, Text> in_transfer{"rank {} waits for the network: {}",
                                                  "ranks {} wait for the network: {}"};
inline constexpr Sentence<std::uint64_t> under_way{"{} operation to other nodes is under way",
                                                   "{} operations to other nodes are under way"};
inline constexpr Sentence<Text> waits_elsewhere{"rank {} waits, perhaps for ranks on other hosts",
                                                "ranks {} wait, perhaps for ranks on other hosts"};
inline constexpr Sentence<Text> has_left{"; rank {} has left the job",
                                         "; ranks {} have left the job"};

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
// Chosen by the number of unseen nodes. Arguments: that number, all nodes, the reason.
inline constexpr Sentence<std::size_t, std::uint32_t, Text> unseen_nodes{
    "{} of the {} nodes of the job was not looked at: {}",
    "{} of the {} nodes of the job were not looked at: {}"};

}  // namespace gondwana::why::sentences
