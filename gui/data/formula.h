// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::gui {

/// Whose value of a metric a formula uses.
enum class Whose {
    Each,  ///< of the rank that the formula is computed for
    Rank,  ///< of one rank
    Mean,  ///< over all ranks that report it
    Min,
    Max,
    Median,
    Sum
};

/// A metric as a formula names it: `loss`, `loss@rank3`, `"train/loss"@mean`.
struct FormulaOperand {
    std::string name;
    Whose whose = Whose::Each;
    int rank = -1;  ///< of Whose::Rank

    bool operator==(const FormulaOperand&) const = default;
};

/// Why a formula cannot be read, and where.
struct FormulaError {
    enum class What {
        Empty,
        TooLong,          ///< more than Formula::kMostText bytes
        TooDeep,          ///< more than Formula::kMostDepth parentheses
        TooMany,          ///< more than Formula::kMostParts numbers, names and operators
        UnknownSign,      ///< `found` is none of this language
        UnknownWord,      ///< after @, or before a parenthesis
        NumberMissing,    ///< a number, a name or a parenthesis should stand here
        ParenthesisOpen,  ///< one is not closed
        QuoteOpen,
        BadNumber,
        Arguments,  ///< function `found` gets another number of values
        Trailing    ///< something stands behind the end
    };
    What what = What::Empty;
    std::size_t position = 0;  ///< bytes from the begin
    std::string found = {};
};

/// Arithmetic over metrics: numbers, names, + - * / ( ), mean min max median sum log, @rankN @mean @min @max @median
/// @sum, world_size. Names with other signs than letters, digits, _ and . stand in double quotes. Of one name alone, mean(…)
/// and its like are over the ranks. A value that cannot be computed (0 / 0, log of -1) is NaN. Bounded in length,
/// depth and size; computing neither allocates nor recurs.
class Formula {
public:
    static constexpr std::size_t kMostText = 1000;
    static constexpr int kMostDepth = 32;
    static constexpr std::size_t kMostParts = 256;

    /// Nothing: `error` says why.
    static std::optional<Formula> parse(std::string_view text, FormulaError* error = nullptr);

    /// In the order of their first use; each one once.
    const std::vector<FormulaOperand>& operands() const { return operands_; }
    /// No metric of "each rank": one value for a step.
    bool is_single() const;
    /// `values`: of the operands, in their order; `world_size`: ranks of the run.
    double compute(const std::vector<double>& values, double world_size) const;

private:
    friend class FormulaReader;

    enum class Action {
        Number,
        Operand,
        WorldSize,
        Negate,
        Add,
        Subtract,
        Multiply,
        Divide,
        Log,
        Mean,
        Min,
        Max,
        Median,
        Sum
    };
    /// In reverse Polish notation.
    struct Part {
        Action action = Action::Number;
        double number = 0;
        std::size_t index = 0;  ///< of an operand; of a function: how many values it takes
    };

    std::vector<Part> parts_;
    std::vector<FormulaOperand> operands_;
};

}  // namespace rankscope::gui
