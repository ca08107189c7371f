// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A formula that the user wrote for a panel: also what a settings file of somebody else has.

#include "target.h"

#include <gui/data/formula.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope::gui;
    const std::string_view text = rankscope::fuzz::as_text(data, size);
    FormulaError error;
    const auto formula = Formula::parse(text, &error);
    if (!formula) {
        rankscope::fuzz::require(error.position <= text.size(), "an error is inside of the text");
        return 0;
    }
    rankscope::fuzz::require(text.size() <= Formula::kMostText, "the length is bounded");
    std::vector<double> values;
    for (const FormulaOperand& operand : formula->operands()) {
        rankscope::fuzz::require(!operand.name.empty(), "a metric has a name");
        values.push_back(double(values.size()) - 1.5);
    }
    const double once = formula->compute(values, 8);
    const double again = formula->compute(values, 8);
    rankscope::fuzz::require(once == again || (once != once && again != again),
                             "the same values, the same result");
    (void)formula->compute({}, 0);
    return 0;
}
