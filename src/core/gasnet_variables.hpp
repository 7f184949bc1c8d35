// The environment variables that GASNet has named and its door reads, for the door and for who
// lists them. One that means the same as a variable of ours stands in the table of options too, as
// another name of that.
#pragma once

#include <array>

namespace gondwana::gasnet {

struct SettingVariable {
  const char* name;
  const char* otherwise;  // its value where the environment has none
  const char* help;
};

inline constexpr SettingVariable segment_setting{
    "GASNET_MAX_SEGSIZE", "0.85/H",
    "the largest segment: a size or a part of the memory, for each process (/P) or for the host "
    "(/H), such as 4GB/P"};
inline constexpr SettingVariable memory_setting{
    "GASNET_PHYSMEM_MAX", "1/H",
    "memory for the segments of all processes on a host: a size, or a part of what there is"};
inline constexpr SettingVariable threads_setting{
    "GASNET_MAX_THREADS", "256", "at most so many threads of a process call the library"};
inline constexpr SettingVariable neighborhood_setting{
    "GASNET_SUPERNODE_MAXSIZE", "0", "the largest number of ranks on a node; 0: all on a machine"};
inline constexpr SettingVariable self_start_setting{
    "GASNET_PSHM_NODES", "1", "a program that is started by hand starts itself as so many ranks"};
inline constexpr SettingVariable report_setting{
    "GASNET_VERBOSEENV", "no", "rank 0 says which variables are read, and their values"};
inline constexpr SettingVariable backtrace_setting{"GASNET_BACKTRACE", "no",
                                                   "the stack is printed when the program fails"};
inline constexpr SettingVariable backtrace_ranks_setting{
    "GASNET_BACKTRACE_NODES", "*", "the ranks that print it, such as 0,2-4; *: all"};
inline constexpr SettingVariable backtrace_type_setting{
    "GASNET_BACKTRACE_TYPE", "all", "the ways to print it that are tried, in this order"};
inline constexpr SettingVariable backtrace_signal_setting{
    "GASNET_BACKTRACE_SIGNAL", "none", "a signal at which it is printed and the program goes on"};
inline constexpr SettingVariable freeze_setting{"GASNET_FREEZE", "no",
                                                "the program waits for a debugger when it starts"};
inline constexpr SettingVariable freeze_on_error_setting{
    "GASNET_FREEZE_ON_ERROR", "no", "the program waits for a debugger when it fails"};
inline constexpr SettingVariable freeze_signal_setting{
    "GASNET_FREEZE_SIGNAL", "none", "a signal at which the program waits for a debugger"};

// What a job is like, read at start.
inline constexpr std::array job_settings{segment_setting, memory_setting, threads_setting,
                                         neighborhood_setting};
// What helps to find out what goes on.
inline constexpr std::array other_settings{
    self_start_setting,      report_setting,          backtrace_setting,
    backtrace_ranks_setting, backtrace_type_setting,  backtrace_signal_setting,
    freeze_setting,          freeze_on_error_setting, freeze_signal_setting};

}  // namespace gondwana::gasnet
