// GoogleTest assertions on what a scenario's search found.
#pragma once

#include <gtest/gtest.h>

#include "support/model/scenario.hpp"

namespace gondwana::model {

// EXPECT_TRUE(holds(scenario.explore())): prints a failing execution.
inline testing::AssertionResult holds(const Outcome& outcome) {
  if (outcome.holds()) return testing::AssertionSuccess() << outcome.states << " states";
  return testing::AssertionFailure() << outcome.failure << "\n" << outcome.story;
}

// EXPECT_TRUE(fails(scenario.explore(), "deadlock")): the search found a failure with that text.
inline testing::AssertionResult fails(const Outcome& outcome, const std::string& with) {
  if (outcome.failure.find(with) != std::string::npos && !outcome.holds())
    return testing::AssertionSuccess() << outcome.story;
  if (outcome.holds())
    return testing::AssertionFailure() << "nothing failed in " << outcome.states << " states";
  return testing::AssertionFailure() << outcome.failure << "\n" << outcome.story;
}

}  // namespace gondwana::model
