// Parameters whose values have a form of their own: for parameter_table.cc alone.
#pragma once

#include "libs/rules/parameters.h"

namespace tarot::rules::parameter_forms {

Parameter Players();  // Counts that follow each other.
Parameter Bids();
Parameter Mult();
Parameter ImposedContract();
Parameter CallRanks();
Parameter SlamPoints();
Parameter End();

}  // namespace tarot::rules::parameter_forms
