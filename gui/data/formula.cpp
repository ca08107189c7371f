// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/formula.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int kMostRank = 1'000'000;

// Not those of <cctype>: names are bytes, and the locale has no say.
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}
bool is_in_name(char c) {
    return begins_name(c) || is_digit(c) || c == '.';
}

double median_of(double* values, std::size_t count) {
    std::sort(values, values + count);
    const double upper = values[count / 2];
    return count % 2 == 1 ? upper : (values[count / 2 - 1] + upper) / 2;
}

}  // namespace

/// One pass over a text, one function for each rule of the grammar; stops at the first error.
class FormulaReader {
public:
    explicit FormulaReader(std::string_view text) : text_(text) {}

    std::optional<Formula> read(FormulaError& error) {
        if (text_.size() > Formula::kMostText) {
            fail(FormulaError::What::TooLong, Formula::kMostText);
        } else if (skip_spaces(); at_ == text_.size()) {
            fail(FormulaError::What::Empty, 0);
        } else {
            sum();
            skip_spaces();
            if (at_ < text_.size()) {
                fail(FormulaError::What::Trailing, at_, text_.substr(at_, 1));
            }
        }
        if (error_) {
            error = *error_;
            return {};
        }
        return std::move(formula_);
    }

private:
    using What = FormulaError::What;
    using Action = Formula::Action;

    void fail(What what, std::size_t position, std::string_view found = {}) {
        if (!error_) {
            error_ = FormulaError{what, position, std::string(found)};
        }
    }
    void skip_spaces() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
            ++at_;
        }
    }
    /// The next sign that is not a space; 0 at the end.
    char peek() {
        skip_spaces();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(char sign) {
        if (peek() != sign || at_ == text_.size()) {
            return false;
        }
        ++at_;
        return true;
    }
    void push(Action action, double number = 0, std::size_t index = 0) {
        if (formula_.parts_.size() == Formula::kMostParts) {
            fail(What::TooMany, at_);
            return;
        }
        formula_.parts_.push_back({action, number, index});
    }

    void sum() {
        product();
        while (!error_) {
            if (take('+')) {
                product();
                push(Action::Add);
            } else if (take('-')) {
                product();
                push(Action::Subtract);
            } else {
                return;
            }
        }
    }
    void product() {
        signed_value();
        while (!error_) {
            if (take('*')) {
                signed_value();
                push(Action::Multiply);
            } else if (take('/')) {
                signed_value();
                push(Action::Divide);
            } else {
                return;
            }
        }
    }
    void signed_value() {
        bool negative = false;
        for (;;) {
            if (take('-')) {
                negative = !negative;
            } else if (!take('+')) {
                break;
            }
        }
        value();
        if (negative) {
            push(Action::Negate);
        }
    }
    void value() {
        if (error_) {
            return;
        }
        const char sign = peek();
        const std::size_t begin = at_;
        if (is_digit(sign) || sign == '.') {
            number();
        } else if (sign == '(') {
            ++at_;
            inside(begin);
        } else if (sign == '"') {
            if (const auto name = quoted()) {
                metric(*name);
            }
        } else if (begins_name(sign)) {
            while (at_ < text_.size() && is_in_name(text_[at_])) {
                ++at_;
            }
            word(text_.substr(begin, at_ - begin), begin);
        } else if (at_ == text_.size() || sign == ')' || sign == ',' || sign == '*' || sign == '/') {
            fail(What::NumberMissing, begin);
        } else {
            fail(What::UnknownSign, begin, text_.substr(begin, 1));
        }
    }
    /// Behind an opening parenthesis at `open`.
    void inside(std::size_t open) {
        if (++depth_ > Formula::kMostDepth) {
            fail(What::TooDeep, open);
            return;
        }
        sum();
        --depth_;
        if (!error_ && !take(')')) {
            fail(at_ < text_.size() ? What::Trailing : What::ParenthesisOpen, at_ < text_.size() ? at_ : open,
                 text_.substr(at_, 1));
        }
    }
    void number() {
        double number = 0;
        const char* begin = text_.data() + at_;
        const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), number);
        if (problem != std::errc() || !std::isfinite(number)) {
            fail(What::BadNumber, at_);
            return;
        }
        at_ += std::size_t(end - begin);
        push(Action::Number, number);
    }
    std::optional<std::string> quoted() {
        const std::size_t begin = at_++;
        const std::size_t end = text_.find('"', at_);
        if (end == std::string_view::npos) {
            fail(What::QuoteOpen, begin);
            return {};
        }
        std::string name(text_.substr(at_, end - at_));
        at_ = end + 1;
        if (name.empty()) {
            fail(What::NumberMissing, begin);
            return {};
        }
        return name;
    }
    void word(std::string_view name, std::size_t begin) {
        if (peek() == '(') {
            function(name, begin);
        } else if (name == "world_size" && peek() != '@') {
            push(Action::WorldSize);
        } else {
            metric(std::string(name));
        }
    }
    void metric(std::string name) {
        FormulaOperand operand{std::move(name)};
        if (take('@')) {
            skip_spaces();
            const std::size_t begin = at_;
            while (at_ < text_.size() && is_in_name(text_[at_])) {
                ++at_;
            }
            if (!whose(text_.substr(begin, at_ - begin), operand)) {
                fail(What::UnknownWord, begin, text_.substr(begin, at_ - begin));
                return;
            }
        }
        add(std::move(operand));
    }
    void add(FormulaOperand operand) {
        auto& all = formula_.operands_;
        const auto same = std::find(all.begin(), all.end(), operand);
        const auto index = std::size_t(same - all.begin());
        if (same == all.end()) {
            all.push_back(std::move(operand));
        }
        push(Action::Operand, 0, index);
    }
    static bool whose(std::string_view word, FormulaOperand& operand) {
        constexpr std::array<std::pair<std::string_view, Whose>, 5> kWords{{{"mean", Whose::Mean},
                                                                            {"min", Whose::Min},
                                                                            {"max", Whose::Max},
                                                                            {"median", Whose::Median},
                                                                            {"sum", Whose::Sum}}};
        for (const auto& [text, meaning] : kWords) {
            if (word == text) {
                operand.whose = meaning;
                return true;
            }
        }
        if (word.substr(0, 4) != "rank" || word.size() == 4) {
            return false;
        }
        const char* end = word.data() + word.size();
        const auto read = std::from_chars(word.data() + 4, end, operand.rank);
        operand.whose = Whose::Rank;
        return read.ec == std::errc() && read.ptr == end && operand.rank >= 0 && operand.rank <= kMostRank;
    }
    void function(std::string_view name, std::size_t begin) {
        constexpr std::array<std::pair<std::string_view, Action>, 6> kFunctions{{{"log", Action::Log},
                                                                                 {"mean", Action::Mean},
                                                                                 {"min", Action::Min},
                                                                                 {"max", Action::Max},
                                                                                 {"median", Action::Median},
                                                                                 {"sum", Action::Sum}}};
        const auto known = std::find_if(kFunctions.begin(), kFunctions.end(),
                                        [&](const auto& entry) { return entry.first == name; });
        if (known == kFunctions.end()) {
            fail(What::UnknownWord, begin, name);
            return;
        }
        ++at_;  // the parenthesis
        if (++depth_ > Formula::kMostDepth) {
            fail(What::TooDeep, begin);
            return;
        }
        const std::size_t first = formula_.parts_.size();
        std::size_t count = 0;
        do {
            sum();
            ++count;
        } while (!error_ && take(','));
        --depth_;
        if (error_) {
            return;
        }
        if (!take(')')) {
            fail(at_ < text_.size() ? What::Trailing : What::ParenthesisOpen,
                 at_ < text_.size() ? at_ : begin, text_.substr(at_, 1));
            return;
        }
        finish_function(known->second, name, begin, first, count);
    }
    void finish_function(Action action, std::string_view name, std::size_t begin, std::size_t first,
                         std::size_t count) {
        auto& parts = formula_.parts_;
        if (action == Action::Log) {
            if (count != 1) {
                fail(What::Arguments, begin, name);
                return;
            }
            push(action, 0, 1);
            return;
        }
        if (count > 1) {
            push(action, 0, count);
            return;
        }
        // Of one metric: over the ranks.
        const bool of_each = parts.size() == first + 1 && parts[first].action == Action::Operand &&
                             formula_.operands_[parts[first].index].whose == Whose::Each;
        if (!of_each) {
            fail(What::Arguments, begin, name);
            return;
        }
        FormulaOperand operand = formula_.operands_[parts[first].index];
        const bool used_before =
            std::any_of(parts.begin(), parts.begin() + std::ptrdiff_t(first), [&](const auto& part) {
                return part.action == Action::Operand && part.index == parts[first].index;
            });
        if (!used_before && parts[first].index + 1 == formula_.operands_.size()) {
            formula_.operands_.pop_back();
        }
        parts.pop_back();
        (void)whose(name, operand);
        add(std::move(operand));
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    Formula formula_;
    std::optional<FormulaError> error_;
};

std::optional<Formula> Formula::parse(std::string_view text, FormulaError* error) {
    FormulaError why;
    auto formula = FormulaReader(text).read(why);
    if (error) {
        *error = why;
    }
    return formula;
}

bool Formula::is_single() const {
    return std::none_of(operands_.begin(), operands_.end(),
                        [](const FormulaOperand& operand) { return operand.whose == Whose::Each; });
}

double Formula::compute(const std::vector<double>& values, double world_size) const {
    std::array<double, kMostParts> stack;  // not initialised: this runs for each value
    std::size_t size = 0;
    for (const Part& part : parts_) {
        switch (part.action) {
            case Action::Number:
                stack[size++] = part.number;
                continue;
            case Action::Operand:
                stack[size++] = part.index < values.size() ? values[part.index] : kNone;
                continue;
            case Action::WorldSize:
                stack[size++] = world_size;
                continue;
            case Action::Negate:
                stack[size - 1] = -stack[size - 1];
                continue;
            case Action::Log:
                stack[size - 1] = stack[size - 1] > 0 ? std::log(stack[size - 1]) : kNone;
                continue;
            default:
                break;
        }
        const std::size_t count = part.index > 0 ? part.index : 2;
        double* arguments = stack.data() + size - count;
        double result = arguments[0];
        bool whole = !std::isnan(result);
        for (std::size_t i = 1; i < count; ++i) {
            const double next = arguments[i];
            whole = whole && !std::isnan(next);
            switch (part.action) {
                case Action::Add:
                case Action::Mean:
                case Action::Sum:
                    result += next;
                    break;
                case Action::Subtract:
                    result -= next;
                    break;
                case Action::Multiply:
                    result *= next;
                    break;
                case Action::Divide:
                    result /= next;
                    break;
                case Action::Min:
                    result = std::min(result, next);
                    break;
                case Action::Max:
                    result = std::max(result, next);
                    break;
                default:
                    break;
            }
        }
        result = part.action == Action::Mean ? result / double(count) : result;
        if (part.action == Action::Median && whole) {
            result = median_of(arguments, count);
        }
        size -= count;
        stack[size++] = whole ? result : kNone;
    }
    return size == 1 ? stack[0] : kNone;
}

}  // namespace rankscope::gui
