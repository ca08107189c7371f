// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/metric_lines/field_meaning.h>
#include <remote/observe/metric_lines/line_fields.h>
#include <remote/observe/metric_lines/metric_names.h>
#include <remote/observe/metric_lines/scan.h>

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::metric_lines {
namespace {

constexpr std::size_t kMostFields = 64;
constexpr std::size_t kMostNameWords = 4;

// Words that belong to the one behind them: "train loss", "learning rate", "grad norm".
constexpr std::array<std::string_view, 30> kQualifiers{
    "train",    "training", "val",      "valid", "validation", "eval",   "evaluation", "test",
    "testing",  "dev",      "avg",      "avg.",  "average",    "mean",   "total",      "running",
    "learning", "grad",     "gradient", "lm",    "loss",       "top",    "best",       "max",
    "min",      "cross",    "global",   "token", "per",        "current"};

bool is_qualifier(std::string_view word) {
    return std::find(kQualifiers.begin(), kQualifiers.end(), word) != kQualifiers.end();
}

// "INFO", "SUCCESS": loggers' levels stand before what is logged.
bool is_level(std::string_view word) {
    return word.size() >= 4 &&
           std::all_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

// "Train steps: 32 Val steps: 8": how many both sets have.
bool is_size_of_set(const LineFields& fields, const Field& field) {
    const auto is_size = [](const Field& one, bool training) {
        return !one.total && one.name.ends_with('s') && one.counter != Counter::None &&
               (training ? one.name.starts_with("train")
                         : says_validation(std::string_view(one.name).substr(0, one.name.find('_'))));
    };
    const auto any = [&](bool training) {
        return std::any_of(fields.fields.begin(), fields.fields.end(),
                           [&](const Field& one) { return is_size(one, training); });
    };
    return (is_size(field, true) && any(false)) || (is_size(field, false) && any(true));
}

bool is_about_validation(const LineFields& fields) {
    const bool said = std::any_of(fields.other_words.begin(), fields.other_words.end(), says_validation);
    return said || std::any_of(fields.fields.begin(), fields.fields.end(), [&](const Field& field) {
               const auto end = field.name.rfind('_');
               return field.counter != Counter::None && !field.is_size_of_set && end != std::string::npos &&
                      (says_validation(std::string_view(field.name).substr(end + 1)) ||
                       says_validation(std::string_view(field.name).substr(0, field.name.find('_'))));
           });
}

class FieldReader {
public:
    explicit FieldReader(const std::vector<Token>& tokens) : tokens_(tokens) {}

    LineFields all() {
        while (at_ < tokens_.size() && result_.fields.size() < kMostFields) {
            step();
        }
        drop_name();
        result_.heads = !tokens_.empty() && tokens_.back().is(':');
        result_.object = tokens_.size() > 2 && tokens_.front().is('{') && tokens_.back().is('}');
        for (Field& field : result_.fields) {
            field.counter = counter_of(field);
        }
        for (Field& field : result_.fields) {
            field.is_size_of_set = is_size_of_set(result_, field);
        }
        result_.validation = is_about_validation(result_);
        return std::move(result_);
    }

private:
    using Kind = Token::Kind;

    const Token* token(std::size_t ahead = 0) const {
        return at_ + ahead < tokens_.size() ? &tokens_[at_ + ahead] : nullptr;
    }
    bool is(std::size_t ahead, Kind kind) const {
        return token(ahead) != nullptr && token(ahead)->kind == kind;
    }
    bool is_mark(std::size_t ahead, char mark) const {
        return token(ahead) != nullptr && token(ahead)->is(mark);
    }
    static bool is_colon(const Token& token) { return token.is(':') || token.is('=') || token.text == "："; }

    // What stands before was no name.
    void drop_name() {
        for (auto& word : name_) {
            result_.other_words.push_back(lower_case(word));
        }
        name_.clear();
        assigned_ = false;
        bracketed_ = false;
    }

    void step() {
        const Token& here = *token();
        if (here.kind == Kind::Word && !is_special()) {
            take_word(here);
        } else if (here.kind == Kind::Number || here.kind == Kind::Word) {
            take_number();
        } else if (here.kind == Kind::Mark) {
            take_mark(here);
        } else {  // a time or a path is the value of its name
            name_.clear();
            assigned_ = bracketed_ = after_value_ = false;
            ++at_;
        }
    }

    // "nan" and "inf" are numbers behind a name, and words elsewhere.
    bool is_special() const { return !name_.empty() && to_number(token()->text).has_value(); }

    void take_word(const Token& here) {
        if (!name_.empty() && is_mark(1, '(') && here.ends_at(*token(1)) && is(2, Kind::Number)) {
            at_ += 2;  // "tensor(0.3, …)", "np.float32(0.3)"
            wrapped_ = true;
            return;
        }
        if (assigned_ || (here.wide && !name_.empty())) {
            drop_name();  // "model: resnet", "INFO     epoch"
        }
        if (bracketed_ && !name_.empty() && name_.back() == here.text) {
            name_.clear();  // "loss[loss=0.3, …"
            bracketed_ = false;
        }
        behind_value_ = name_.empty() ? after_value_ && !here.wide : behind_value_;
        after_value_ = false;
        name_.emplace_back(here.text);
        ++at_;
        in_call_ =
            in_call_ || (is_mark(0, '(') && here.ends_at(*token()) && is(1, Kind::Word) && is_mark(2, '='));
        if (is_mark(0, '(') && here.ends_at(*token()) && is(1, Kind::Word) && is_mark(2, ')')) {
            name_.back() += '_' + std::string(token(1)->text);  // "Iter(train)", "loss(avg)"
            at_ += 3;
        }
    }

    void take_mark(const Token& here) {
        if (is_colon(here) && !name_.empty()) {
            assigned_ = true;
        } else if (here.is('[') && !name_.empty()) {
            bracketed_ = true;  // "Epoch [1/5]", "lr=[1e-3, 1e-3]"
        } else if (here.is('[') || here.is('(')) {
            drop_name();
            bracketed_ = true;
        } else {
            const bool ornament = here.is('#') || here.is('*');                  // "Step #5", "**loss**"
            const bool shortened = here.is('.') && !here.gap && !name_.empty();  // "Avg. loss"
            const bool pair = here.is(',') && bracketed_ && name_.empty();       // "[1, 10]"
            if (!ornament && !shortened && !pair) {
                drop_name();
            }
        }
        in_call_ = in_call_ && !here.is(')');
        after_value_ = false;
        ++at_;
    }

    void take_number() {
        const Token& here = *token();
        Field field;
        field.token = at_;
        field.value = here.kind == Kind::Number ? here.value : *to_number(here.text);
        field.whole = here.whole;
        field.bracketed = bracketed_;
        const std::size_t first = at_ - (bracketed_ && at_ > 0 ? 1U : 0U);
        field.apart = first == 0 || tokens_[first].gap;
        field.heads = at_ == 0 && is_mark(1, ':');
        field.assigned = assigned_;
        field.in_call = in_call_;
        field.unit = here.unit;
        field.printed = take_name(field);
        field.name = lower_case(field.printed);
        if (const auto word = lower_case(field.unit); !word.empty() && is_counter_word(word)) {
            if (!field.name.empty()) {
                result_.other_words.push_back(field.name);
            }
            field.printed = std::exchange(field.unit, {});  // "1epoch", "420batch", "第1轮"
            field.name = word == "轮" ? "epoch" : word == "步" ? "step" : word == "批" ? "batch" : word;
            field.assigned = true;
        }
        const bool wrapped = wrapped_;
        wrapped_ = false;
        ++at_;
        take_total(field);
        if (field.total && (says_validation(field.name) || field.name.starts_with("train"))) {
            result_.other_words.push_back(std::exchange(field.name, {}));  // "Test: [48/48]"
        }
        take_unit(field);
        const bool list =
            bracketed_ && !wrapped && is_mark(0, ',') && is(1, Kind::Number) && !field.name.empty();
        name_.clear();
        assigned_ = false;
        if (!list) {
            // "[1, 10]": two numbers without a name keep their bracket.
            bracketed_ = bracketed_ && is_mark(0, ',');
        }
        if (wrapped) {
            skip_to(')');
        } else if (list) {
            skip_to(']');
        } else if (is_mark(0, '(') && !is(1, Kind::Word)) {
            if (is(1, Kind::Number) && token(1)->unit.empty() && is_mark(2, ')')) {
                field.average = token(1)->value;
                field.average_token = at_ + 1;
            }
            ++at_;
            skip_to(')');  // "1.9 (2.3)", "(99%)", "(+nanz)"
        }
        result_.fields.push_back(std::move(field));
        after_value_ = true;
    }

    void skip_to(char mark) {
        bracketed_ = false;
        while (at_ < tokens_.size() && !tokens_[at_].is(mark)) {
            ++at_;
        }
        at_ += at_ < tokens_.size() ? 1U : 0U;
    }

    void take_total(Field& field) {
        // "10/156", "8 of 10"
        const bool slash = is_mark(0, '/');
        const bool of = is(0, Kind::Word) && token()->text == "of";
        if (field.whole && (slash || of) && is(1, Kind::Number) && token(1)->whole) {
            field.total = token(1)->value;
            at_ += 2;
        }
    }

    void take_unit(Field& field) {
        if (!field.unit.empty() || field.total) {
            return;
        }
        if (is_mark(0, '%')) {
            field.unit = "%";
            ++at_;
        } else if (is(0, Kind::Word) && is_unit(token()->text)) {
            // "0.5 m 3" is no unit: the word is a name. "1.2 s", "3 img/s |" is one.
            const bool named = is(1, Kind::Number) || (token(1) != nullptr && is_colon(*token(1)));
            if (!named) {
                field.unit = token()->text;
                ++at_;
            }
        }
    }

    // "45.2 tokens per second loss: 0.3", but not "Epoch 4 train Box Loss: 0.3" or "0.25 Logit Scale: 14.2".
    bool may_begin_with_unit() const {
        const Field& before = result_.fields.back();
        return counter_of(before) == Counter::None && (before.whole || name_.size() > 2);
    }

    std::string take_name(Field& field) {
        if (!name_.empty() && (name_.back() == "is" || name_.back() == "=")) {
            name_.pop_back();
            field.assigned = true;
        }
        std::size_t first = name_.size() > kMostNameWords ? name_.size() - kMostNameWords : 0;
        if (!field.assigned || (behind_value_ && may_begin_with_unit())) {
            first = name_.empty() ? 0 : name_.size() - 1;
            while (first > 0 && is_qualifier(lower_case(name_[first - 1]))) {
                --first;
            }
        }
        while (first + 1 < name_.size() && is_level(name_[first]) && !is_level(name_[first + 1])) {
            ++first;
        }
        std::string name;
        for (std::size_t i = 0; i < name_.size(); ++i) {
            if (i < first) {
                result_.other_words.push_back(lower_case(name_[i]));
            } else {
                name += (name.empty() ? "" : "_") + name_[i];
            }
        }
        while (!name.empty() && (name.back() == '.' || name.back() == '-')) {
            name.pop_back();
        }
        return name;
    }

    const std::vector<Token>& tokens_;
    std::size_t at_ = 0;
    LineFields result_;
    std::vector<std::string> name_;
    bool assigned_ = false;
    bool bracketed_ = false;
    bool wrapped_ = false;
    bool in_call_ = false;
    bool after_value_ = false;   ///< nothing stands between the last number and here
    bool behind_value_ = false;  ///< nothing stands between the last number and the name
};

}  // namespace

bool is_counter_word(std::string_view word) {
    constexpr std::array<std::string_view, 9> kWords{"epoch", "ep", "step", "iter", "iteration",
                                                     "batch", "轮", "步",   "批"};
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

bool is_unit(std::string_view word) {
    constexpr std::array<std::string_view, 26> kUnits{
        "ms", "us", "ns", "s",  "sec", "secs", "second", "seconds", "min", "mins",  "minutes", "h", "hours",
        "b",  "kb", "mb", "gb", "tb",  "kib",  "mib",    "gib",     "tib", "bytes", "it",      "m", "tflops"};
    const std::string lowered = lower_case(word);
    return std::find(kUnits.begin(), kUnits.end(), lowered) != kUnits.end() || lowered.ends_with("/s") ||
           lowered.ends_with("/sec") || lowered.ends_with("/second") || lowered.ends_with("/it");
}

LineFields fields_of(const std::vector<Token>& tokens) {
    return FieldReader(tokens).all();
}

}  // namespace rankscope::metric_lines
