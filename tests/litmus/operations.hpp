// The operations of litmus tests: their names in files, and what they are written with.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "litmus/test.hpp"

namespace gondwana::litmus {

enum class Gives : std::uint8_t { none, value };

// Arguments: p a place, o an own location, v a value, w a second value, n a number, s the place of
// a signal, r a rank.
struct Form {
  std::string_view name;
  Act act;
  std::string_view arguments;
  Gives gives = Gives::none;
  bool takes_arrays = false;  // moves whole locations
};

inline constexpr std::array forms{
    Form{"put", Act::put, "pv", Gives::none, true},
    Form{"put_nbi", Act::put_nbi, "pv", Gives::none, true},
    Form{"iput", Act::iput, "pv", Gives::none, true},
    Form{"get", Act::get, "p", Gives::value, true},
    Form{"get_nbi", Act::get_nbi, "p", Gives::value, true},
    Form{"iget", Act::iget, "p", Gives::value, true},
    Form{"accumulate", Act::accumulate, "pv", Gives::none, true},
    Form{"p", Act::p, "pv"},
    Form{"g", Act::g, "p", Gives::value},
    Form{"set", Act::set, "pv"},
    Form{"fetch", Act::fetch, "p", Gives::value},
    Form{"fetch_nbi", Act::fetch_nbi, "p", Gives::value},
    Form{"add", Act::add, "pv"},
    Form{"fetch_add", Act::fetch_add, "pv", Gives::value},
    Form{"swap", Act::swap, "pv", Gives::value},
    Form{"compare_swap", Act::compare_swap, "pvw", Gives::value},
    Form{"put_signal", Act::put_signal, "pvsn", Gives::none, true},
    Form{"put_signal_nbi", Act::put_signal_nbi, "pvsn", Gives::none, true},
    Form{"signal_set", Act::signal_set, "pv"},
    Form{"signal_add", Act::signal_add, "pv"},
    Form{"signal_fetch", Act::signal_fetch, "o", Gives::value},
    Form{"signal_wait", Act::signal_wait, "ov"},
    Form{"wait", Act::wait, "ov"},
    Form{"wait_any", Act::wait_any, "ov", Gives::value},
    Form{"wait_all", Act::wait_all, "ov"},
    Form{"notify", Act::notify, "r"},
    Form{"notify_wait", Act::notify_wait, "r"},
    Form{"store", Act::store, "pv", Gives::none, true},
    Form{"load", Act::load, "p", Gives::value, true},
    Form{"store_relaxed", Act::store_relaxed, "pv"},
    Form{"load_relaxed", Act::load_relaxed, "p", Gives::value},
    Form{"thread_fence", Act::thread_fence, ""},
    Form{"fence", Act::fence, ""},
    Form{"quiet", Act::quiet, ""},
    Form{"barrier", Act::barrier, ""},
    Form{"sync", Act::sync, ""},
    Form{"broadcast", Act::broadcast, "ovr", Gives::none, true},
    Form{"sum", Act::sum, "ov", Gives::none, true},
    Form{"lock", Act::lock, "o"},
    Form{"unlock", Act::unlock, "o"},
    Form{"am_short", Act::am_short, "sn"},
    Form{"am_medium", Act::am_medium, "pvsn", Gives::none, true},
    Form{"am_long", Act::am_long, "pvsn", Gives::none, true},
};

inline const Form* find_form(std::string_view name) {
  const auto* found = std::ranges::find(forms, name, &Form::name);
  return found == forms.end() ? nullptr : found;
}
inline const Form& form_of(Act act) {
  return *std::ranges::find(forms, act, &Form::act);
}

// All ranks of the job call it, those that have no part in the test, too.
inline bool is_collective(Act act) {
  return act == Act::barrier || act == Act::sync || act == Act::broadcast || act == Act::sum;
}
// Of the language, without a call of the library; through a pointer if the place is at another
// rank.
inline bool is_of_language(Act act) {
  return act >= Act::store && act <= Act::thread_fence;
}

}  // namespace gondwana::litmus
