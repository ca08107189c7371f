// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/throughput/stated_sizes.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>

namespace rankscope::throughput {
namespace {

using Words = std::vector<std::string>;
using Vocabulary = std::span<const std::string_view>;

constexpr std::size_t kMostText = 120;
constexpr std::size_t kMostLine = 4000;
constexpr std::size_t kMostSizes = 64;
constexpr double kLargestBatch = 65535;  // above it, tokens are meant
constexpr double kFewestParameters = 1000;

constexpr std::string_view kRankWords[]{"device", "gpu", "rank", "local", "process", "npu", "card"};
constexpr std::string_view kAllRanksWords[]{"global", "total", "effective", "overall"};
constexpr std::string_view kPlainWords[]{"per", "each", "train", "training", "instantaneous", "data"};
constexpr std::string_view kAccumulationWords[]{"accumulation", "accum", "accumulate"};
constexpr std::string_view kAccumulationRest[]{"gradient", "gradients", "grad",    "grads", "steps",
                                               "step",     "iters",     "batches", "num"};
constexpr std::string_view kSequenceWords[]{"seq", "sequence", "block", "context", "ctx"};
constexpr std::string_view kLengthWords[]{"len", "length", "size"};
constexpr std::string_view kStepWords[]{"iteration", "iter", "step", "update"};
constexpr std::string_view kCountWords[]{"number", "num", "of",    "total",
                                         "global", "the", "train", "training"};
constexpr std::string_view kParameterWords[]{"parameters", "params", "parameter", "param"};
constexpr std::string_view kParameterRest[]{"number", "num", "of",    "total",   "model",
                                            "all",    "the", "count", "network", "in"};
constexpr std::string_view kTrainableWords[]{"trainable", "learnable"};
constexpr std::string_view kActiveWords[]{"active", "activated"};
constexpr std::string_view kSplitWords[]{"tensor", "pipeline", "context", "expert",  "sequence", "model",
                                         "tp",     "pp",       "cp",      "ulysses", "sp"};
constexpr std::string_view kShortSplits[]{"tp", "pp", "cp"};
constexpr std::string_view kSplitRest[]{"parallel", "parallelism", "size", "degree",
                                        "world",    "config",      "with"};
constexpr std::string_view kDataWords[]{"data", "dp", "shard", "replicate"};
// Groups in dotted names whose sizes are not those of the training.
constexpr std::string_view kOtherGroups[]{"val",  "valid",  "validation", "eval", "evaluation",
                                          "test", "infer",  "rollout",    "gen",  "generation",
                                          "ref",  "critic", "predict"};
// What may stand in front of a size in a sentence.
constexpr std::string_view kFillers[]{"with", "using", "use",         "a",           "the",    "and",
                                      "is",   "info",  "args",        "arguments",   "config", "setting",
                                      "has",  "have",  "initialized", "initializing"};

bool has(Vocabulary vocabulary, std::string_view word) {
    return std::find(vocabulary.begin(), vocabulary.end(), word) != vocabulary.end();
}

bool any(const Words& words, Vocabulary vocabulary) {
    return std::any_of(words.begin(), words.end(), [&](const auto& word) { return has(vocabulary, word); });
}

bool any(const Words& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

template <typename Allowed>
bool all(const Words& words, Allowed allowed) {
    return std::all_of(words.begin(), words.end(), allowed);
}

Words words_of(std::string_view name) {
    Words words;
    std::string word;
    bool small = false;
    for (const char c : name) {
        const bool letter = is_letter(c) || is_digit(c);
        const bool capital = c >= 'A' && c <= 'Z';
        if ((!letter || (capital && small)) && !word.empty()) {
            words.push_back(lower_case(word));
            word.clear();
        }
        if (letter) {
            word += c;
        }
        small = c >= 'a' && c <= 'z';
    }
    if (!word.empty()) {
        words.push_back(lower_case(word));
    }
    return words;
}

struct Meaning {
    Size size;
    SizeOf of = SizeOf::Unsaid;
    std::string axis = {};
};

std::string axis_of(const Words& words) {
    struct Axis {
        std::string_view word;
        std::string_view name;
    };
    constexpr Axis kAxes[]{{"tensor", "tp"},  {"tp", "tp"},    {"pipeline", "pp"}, {"pp", "pp"},
                           {"context", "cp"}, {"cp", "cp"},    {"sequence", "cp"}, {"sp", "cp"},
                           {"ulysses", "cp"}, {"expert", "ep"}};
    std::string name;
    for (const Axis& axis : kAxes) {
        if (any(words, axis.word) && name != axis.name) {
            if (!name.empty()) {
                return {};
            }
            name = axis.name;
        }
    }
    return name.empty() ? "mp" : name;
}

std::optional<Meaning> split_of(const Words& words) {
    const bool parallel = any(words, "parallel") || any(words, "parallelism");
    if ((parallel || any(words, kShortSplits)) && any(words, kSplitWords) &&
        all(words, [](const auto& word) { return has(kSplitWords, word) || has(kSplitRest, word); })) {
        return Meaning{Size::ParallelSplit, SizeOf::Unsaid, axis_of(words)};
    }
    if ((any(words, "dp") || (parallel && any(words, "data"))) &&
        all(words, [](const auto& word) { return has(kDataWords, word) || has(kSplitRest, word); })) {
        return Meaning{Size::DataSplit, SizeOf::Unsaid,
                       any(words, "shard")       ? "dp_shard"
                       : any(words, "replicate") ? "dp_replicate"
                                                 : "dp"};
    }
    return std::nullopt;
}

std::optional<SizeOf> owner_of(const Words& words) {
    const bool rank = any(words, kRankWords);
    const bool all_ranks = any(words, kAllRanksWords);
    if (rank && all_ranks) {
        return std::nullopt;
    }
    return rank ? SizeOf::Rank : all_ranks ? SizeOf::AllRanks : SizeOf::Unsaid;
}

std::optional<Meaning> batch_of(const Words& words) {
    const bool named = (any(words, "batch") && any(words, "size")) || any(words, "batchsize");
    const bool counted = any(words, "samples") && any(words, "per") && any(words, kRankWords);
    const bool micro = any(words, "micro") || any(words, "microbatch");
    if (!named && !counted && !(any(words, "microbatch") && any(words, "size"))) {
        return std::nullopt;
    }
    const bool known = all(words, [](const auto& word) {
        return word == "batch" || word == "size" || word == "batchsize" || word == "samples" ||
               word == "micro" || word == "microbatch" || has(kRankWords, word) ||
               has(kAllRanksWords, word) || has(kPlainWords, word);
    });
    const auto of = owner_of(words);
    if (!known || !of || (micro && of == SizeOf::AllRanks)) {
        return std::nullopt;
    }
    return Meaning{micro ? Size::MicroBatch : Size::Batch, micro ? SizeOf::Rank : *of};
}

std::optional<Meaning> tokens_of(const Words& words) {
    const bool named = any(words, "tokens") && any(words, "per") && any(words, kStepWords);
    const bool known = all(words, [](const auto& word) {
        return word == "tokens" || word == "per" || has(kStepWords, word) || has(kCountWords, word) ||
               has(kRankWords, word);
    });
    if (!named || !known) {
        return std::nullopt;
    }
    // A step is one of all ranks, unless a rank is named.
    return Meaning{Size::TokensPerStep, any(words, kRankWords) ? SizeOf::Rank : SizeOf::AllRanks};
}

std::optional<Meaning> parameters_of(const Words& words) {
    const bool known = all(words, [](const auto& word) {
        return has(kParameterWords, word) || has(kParameterRest, word) || has(kTrainableWords, word) ||
               has(kActiveWords, word) || word == "non";
    });
    if (!any(words, kParameterWords) || !known) {
        return std::nullopt;
    }
    return Meaning{Size::Parameters, any(words, "non")             ? SizeOf::Frozen
                                     : any(words, kActiveWords)    ? SizeOf::Active
                                     : any(words, kTrainableWords) ? SizeOf::Trainable
                                                                   : SizeOf::Unsaid};
}

std::optional<Meaning> meaning_of(const Words& words) {
    if (words.empty()) {
        return std::nullopt;
    }
    if (any(words, "experts") || any(words, "moe")) {
        return Meaning{Size::Experts};
    }
    if (auto split = split_of(words)) {
        return split;
    }
    if (auto batch = batch_of(words)) {
        return batch;
    }
    if (any(words, kAccumulationWords) && all(words, [](const auto& word) {
            return has(kAccumulationWords, word) || has(kAccumulationRest, word);
        })) {
        return Meaning{Size::Accumulation};
    }
    const bool length = any(words, kSequenceWords) && any(words, kLengthWords);
    const auto of_length = [](const auto& word) {
        return has(kSequenceWords, word) || has(kLengthWords, word) || word == "seqlen" || word == "train" ||
               word == "training";
    };
    if ((length || any(words, "seqlen")) && all(words, of_length)) {
        return Meaning{Size::SequenceLength};
    }
    if (auto tokens = tokens_of(words)) {
        return tokens;
    }
    return parameters_of(words);
}

bool fits(const Meaning& meaning, double value, bool whole) {
    switch (meaning.size) {
        case Size::Batch:
        case Size::MicroBatch:
            return whole && value >= 1 && value <= kLargestBatch;
        case Size::Accumulation:
        case Size::SequenceLength:
            return whole && value >= 1 && value <= 1e8;
        case Size::ParallelSplit:
        case Size::DataSplit:
        case Size::Experts:
            return whole && value > 1 && value < 1e6;
        case Size::TokensPerStep:
            return value >= 1 && value < 1e12;
        case Size::Parameters:
            return value >= kFewestParameters && value < 1e15;
    }
    return false;
}

struct Number {
    double value = 0;
    bool whole = true;
    std::size_t end = 0;
};

// "491,520", "123.59M", "1.2e9", "64"; the end lies behind the unit.
std::optional<Number> number_at(std::string_view text, std::size_t at) {
    std::string digits;
    Number number{.end = at};
    auto& i = number.end;
    while (i < text.size() && digits.size() < 30) {
        const char c = text[i];
        const bool group = c == ',' && !digits.empty() && number.whole && i + 3 < text.size() &&
                           is_digit(text[i + 1]) && is_digit(text[i + 2]) && is_digit(text[i + 3]) &&
                           (i + 4 >= text.size() || !is_digit(text[i + 4]));
        const bool point = c == '.' && number.whole && i + 1 < text.size() && is_digit(text[i + 1]);
        const bool exponent = (c == 'e' || c == 'E') && i + 1 < text.size() &&
                              (is_digit(text[i + 1]) || ((text[i + 1] == '+' || text[i + 1] == '-') &&
                                                         i + 2 < text.size() && is_digit(text[i + 2])));
        if (is_digit(c)) {
            digits += c;
        } else if (point || (exponent && digits.find('e') == std::string::npos)) {
            number.whole = false;
            digits += point ? '.' : 'e';
            if (exponent && !is_digit(text[i + 1])) {
                digits += text[++i] == '-' ? "-" : "";
            }
        } else if (!group) {
            break;
        }
        ++i;
    }
    const auto value = parse_number<double>(digits);
    if (!value || !std::isfinite(*value)) {
        return std::nullopt;
    }
    number.value = *value;
    const std::size_t unit = i + (i < text.size() && text[i] == ' ' ? 1 : 0);
    constexpr std::string_view kUnits = "KMBT";
    const auto power = unit < text.size() ? kUnits.find(text[unit]) : std::string_view::npos;
    if (power != std::string_view::npos && (unit + 1 >= text.size() || !is_letter(text[unit + 1]))) {
        number.value *= std::pow(1000.0, static_cast<double>(power + 1));
        number.whole = false;
        i = unit + 1;
    }
    number.whole = number.whole || (number.value < 1e15 && std::floor(number.value) == number.value &&
                                    digits.find('.') == std::string::npos && power == std::string_view::npos);
    return number;
}

// The phrase that stands before `at`: back to a sign that ends one. `assigned`: "=", ":" or a row of dots stands between.
std::string_view phrase_before(std::string_view line, std::size_t at, bool& assigned) {
    std::size_t end = at;
    const auto drop = [&](std::string_view signs) {
        while (end > 0 && signs.find(line[end - 1]) != std::string_view::npos) {
            --end;
        }
    };
    drop(" \t'\"");
    const std::size_t before = end;
    drop(":=. \t");
    assigned = end < before;
    drop(" \t'\"");
    if (end > 0 && line[end - 1] == ')') {
        const auto open = line.rfind('(', end - 1);
        if (open != std::string_view::npos) {
            end = open;
            drop(" \t");
        }
    }
    std::size_t begin = end;
    while (begin > 0 && (is_letter(line[begin - 1]) ||
                         std::string_view("_- ./#").find(line[begin - 1]) != std::string_view::npos)) {
        --begin;
    }
    return trimmed(line.substr(begin, end - begin));
}

// The words behind a number up to the next sign.
std::string_view phrase_behind(std::string_view line, std::size_t at) {
    std::size_t end = at;
    while (end < line.size() && (is_letter(line[end]) || line[end] == ' ' || line[end] == '-' ||
                                 line[end] == '_' || (end == at && line[end] == '/'))) {
        ++end;
    }
    return trimmed(line.substr(at, end - at));
}

void drop_fillers(Words& words) {
    const auto first =
        std::find_if(words.begin(), words.end(), [](const auto& word) { return !has(kFillers, word); });
    words.erase(words.begin(), first);
    constexpr std::string_view kVerbs[]{"will", "be", "is", "was", "set", "to"};
    while (!words.empty() && has(kVerbs, words.back())) {
        words.pop_back();
    }
}

// "64 per GPU", "64 samples": what else follows makes it something else.
bool takes(Meaning& meaning, const Words& behind) {
    const bool of_batch = meaning.size == Size::Batch || meaning.size == Size::MicroBatch;
    const bool known = all(behind, [&](const auto& word) {
        return word == "per" || word == "samples" || word == "images" || word == "sequences" ||
               has(kRankWords, word) || (meaning.size != Size::Batch && has(kParameterWords, word)) ||
               (!of_batch && word == "tokens") || word == "each";
    });
    if (!known) {
        return false;
    }
    if (of_batch && any(behind, kRankWords)) {
        if (meaning.of == SizeOf::AllRanks) {
            return false;
        }
        meaning.of = SizeOf::Rank;
    }
    return true;
}

std::string shortened(std::string_view text) {
    return std::string(trimmed(text.substr(0, kMostText)));
}

// Of a dotted name, the last part names the size and the others its group.
std::string_view last_part(std::string_view name, bool& other_group) {
    while (true) {
        const auto dot = name.find_first_of("./");
        if (dot == std::string_view::npos) {
            return name;
        }
        const auto group = words_of(name.substr(0, dot));
        other_group = other_group || any(group, kOtherGroups);
        name.remove_prefix(dot + 1);
    }
}

void add_option(std::string_view option, std::string_view value, std::vector<StatedSize>& sizes) {
    const auto number = number_at(value, 0);
    if (!number || number->end != value.size() || sizes.size() >= kMostSizes) {
        return;
    }
    const auto name = option.substr(std::min(option.size(), option.find_first_not_of('-')));
    bool other_group = false;
    const auto part = last_part(name, other_group);
    auto words = words_of(part);
    const bool brief = option == "-b" || option == "-bs" || option == "--bs" || part == "batch";
    const auto meaning = brief ? std::optional(Meaning{Size::Batch}) : meaning_of(words);
    // A parameter count among the options may be anything: a budget, a list's length.
    if (meaning && !other_group && meaning->size != Size::Parameters &&
        fits(*meaning, number->value, number->whole)) {
        const bool joined = option.starts_with('-');
        sizes.push_back({meaning->size, meaning->of, number->value,
                         shortened(std::string(option) + (joined ? ' ' : '=') + std::string(value)),
                         meaning->axis});
    }
}

void add_words(const std::vector<std::string_view>& words, std::vector<StatedSize>& sizes) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto word = words[i];
        const auto equals = word.find('=');
        if (equals != std::string_view::npos && equals > 0) {
            add_option(word.substr(0, equals), word.substr(equals + 1), sizes);
        } else if (word.size() > 1 && word[0] == '-' && !is_digit(word[1]) && i + 1 < words.size()) {
            add_option(word, words[i + 1], sizes);
        }
    }
}

}  // namespace

std::vector<StatedSize> sizes_of_command(const std::vector<std::string>& command) {
    std::vector<std::string_view> words;
    for (const auto& word : command) {
        if (word.find(' ') == std::string::npos) {
            words.push_back(word);
            continue;
        }
        for (const auto part : split(word, ' ')) {  // bash -c "python train.py --batch-size 64"
            if (!part.empty()) {
                words.push_back(part);
            }
        }
    }
    std::vector<StatedSize> sizes;
    add_words(words, sizes);
    return sizes;
}

std::vector<StatedSize> sizes_of_line(std::string_view line) {
    std::vector<StatedSize> sizes;
    line = line.substr(0, kMostLine);
    for (std::size_t at = 0; at < line.size() && sizes.size() < kMostSizes;) {
        const bool begins =
            is_digit(line[at]) &&
            (at == 0 || (!is_letter(line[at - 1]) && !is_digit(line[at - 1]) &&
                         std::string_view("_.,/-").find(line[at - 1]) == std::string_view::npos));
        // A row of dots leads to a value, too.
        const bool leads = is_digit(line[at]) && at > 2 && line.substr(at - 3, 3) == "...";
        const auto number = begins || leads ? number_at(line, at) : std::nullopt;
        if (!number) {
            ++at;
            continue;
        }
        const std::size_t begin = at;
        at = number->end;
        const char next = at < line.size() ? line[at] : ' ';
        const bool goes_on = is_letter(next) || is_digit(next) ||
                             std::string_view("/%_:x").find(next) != std::string_view::npos ||
                             (next == '.' && at + 1 < line.size() && line[at + 1] != ' ');
        bool assigned = false;
        const auto name = phrase_before(line, begin, assigned);
        bool other_group = false;
        auto words = words_of(last_part(name, other_group));
        drop_fillers(words);
        const auto behind = words_of(phrase_behind(line, at));
        auto meaning = goes_on || other_group ? std::nullopt : meaning_of(words);
        if (meaning && takes(*meaning, behind)) {
            if (fits(*meaning, number->value, number->whole)) {
                sizes.push_back({meaning->size, meaning->of, number->value,
                                 shortened(std::string(name) + (assigned ? " = " : " ") +
                                           std::string(line.substr(begin, at - begin))),
                                 meaning->axis});
            }
            continue;
        }
        // "8,030,261,248 total parameters": a bare "parameters" may be those of a part.
        const auto counted = goes_on && next != ' ' ? std::nullopt : parameters_of(behind);
        const bool of_model = !assigned || any(words, "model") || (!words.empty() && words.back() == "size");
        if (counted && of_model && (any(behind, "total") || any(behind, kTrainableWords)) &&
            fits(*counted, number->value, number->whole)) {
            sizes.push_back({Size::Parameters, counted->of, number->value,
                             shortened(line.substr(begin, at - begin + 1 + phrase_behind(line, at).size()))});
        }
    }
    return sizes;
}

bool speaks_of_tokens(std::string_view text) {
    const auto words = words_of(text.substr(0, kMostLine));
    return std::any_of(words.begin(), words.end(), [](const auto& word) {
        return word == "token" || word == "tokens" || word.starts_with("tokeniz") || word == "vocab" ||
               word == "vocabulary";
    });
}

std::optional<Rate> rate_of_series(std::string_view name) {
    const auto words = words_of(name);
    if (words.empty() || any(words, kOtherGroups)) {
        return std::nullopt;
    }
    if (words.back() == "mfu") {
        return Rate::Mfu;
    }
    constexpr std::string_view kSeconds[]{"s", "sec", "second", "seconds"};
    constexpr std::string_view kSteps[]{"steps", "step",       "it",      "its",    "iters",
                                        "iter",  "iterations", "batches", "updates"};
    constexpr std::string_view kSamples[]{"samples", "sample", "examples", "example", "sequences", "seqs"};
    constexpr std::string_view kImages[]{"images", "image", "imgs", "img"};
    constexpr std::string_view kTokens[]{"tokens", "token", "toks", "tok"};
    constexpr std::string_view kRest[]{"train",   "training", "avg",     "average",    "mean",
                                       "running", "curr",     "current", "throughput", "speed",
                                       "per",     "time",     "metrics", "perf"};
    constexpr std::string_view kSeen[]{"num", "consumed", "seen", "processed", "input", "train", "training"};
    const bool rate = words.size() > 2 && any(words, "per") && has(kSeconds, words.back());
    std::size_t units = 0;
    std::optional<Rate> found;
    for (std::size_t i = 0; i + (rate ? 1U : 0U) < words.size(); ++i) {
        const auto& word = words[i];
        const auto unit = has(kSteps, word)     ? std::optional(Rate::Steps)
                          : has(kSamples, word) ? std::optional(Rate::Samples)
                          : has(kImages, word)  ? std::optional(Rate::Images)
                          : has(kTokens, word)  ? std::optional(Rate::Tokens)
                                                : std::nullopt;
        found = unit ? unit : found;
        units += unit ? 1U : 0U;
        if (!unit && !has(rate ? Vocabulary(kRest) : Vocabulary(kSeen), word)) {
            return std::nullopt;
        }
    }
    if (rate) {
        return units == 1 ? found : std::nullopt;
    }
    const bool all_of_them =
        any(words, "consumed") || any(words, "seen") || (any(words, "num") && words.size() == 2);
    if (units != 1 || !all_of_them || (found != Rate::Tokens && found != Rate::Samples)) {
        return std::nullopt;
    }
    return found == Rate::Tokens ? Rate::TokensSeen : Rate::SamplesSeen;
}

}  // namespace rankscope::throughput
