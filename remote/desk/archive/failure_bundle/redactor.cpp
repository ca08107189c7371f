// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/foreign_yaml.h>
#include <base/text.h>
#include <remote/desk/archive/failure_bundle/command_secrets.h>
#include <remote/desk/archive/failure_bundle/redactor.h>
#include <remote/desk/jobs/config/secret_env.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "Redactor";
constexpr std::size_t kShortestKnown = 8;
constexpr std::size_t kMostKnown = 1000;
constexpr int kMostGroups = 6;

// What follows a name: all that is between quotes, which may be escaped themselves; else a word of so many letters, which
// begins with none of `not_first`.
std::string value_pattern(const char* not_first, int least) {
    return std::string(R"((?:\\*"((?:[^"\\\n]|\\[^"\n]){3,})\\*"|\\*'((?:[^'\\\n]|\\[^'\n]){3,})\\*'|)"
                       R"(\\*["']?([^\s"'<>{}\[\]\\)") +
           not_first + R"(][^\s"'<>{}]{)" + std::to_string(least - 1) + ",}))";
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// "$HF_TOKEN", "${HF_TOKEN}", "$(cat token)": a shell reads it from elsewhere.
bool is_shell_variable(std::string_view value) {
    if (!value.starts_with('$') || value.size() < 2) {
        return false;
    }
    return value[1] == '{' || value[1] == '(' ||
           value.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", 1) == std::string_view::npos;
}

// "<pad>", "[redacted]", "$HF_TOKEN", "***".
bool is_placeholder(std::string_view value) {
    return value.starts_with('<') || value.starts_with('[') || is_shell_variable(value) ||
           value.find_first_not_of('*') == std::string_view::npos;
}

// Numbers, words of programs and masks: "num_tokens: 4096", "token=None", "***". A password may be a number.
bool is_plain_value(std::string_view value, std::string_view name) {
    static constexpr auto kWords = std::to_array<std::string_view>(
        {"none", "null", "true", "false", "set", "unset", "yes", "no", "on", "off", "nil"});
    const std::string word = lower_case(value);
    const bool counts =
        name.find("ass") == std::string_view::npos && name.find("ASS") == std::string_view::npos;
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end() ||
           (word.find_first_not_of("0123456789.,+-e*/%xs") == std::string::npos &&
            (counts || word.find_first_of("0123456789") == std::string::npos)) ||
           is_placeholder(value);
}

// Long, with letters and digits: not a word that occurs elsewhere by chance.
bool looks_random(std::string_view value) {
    const auto letters =
        std::count_if(value.begin(), value.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
    const auto digits =
        std::count_if(value.begin(), value.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    return value.size() >= kShortestKnown + 4 && letters >= 2 && digits >= 2;
}

// A secret of several lines leaves as many ends of lines: the lines below keep their numbers.
std::string placeholder_of(std::string_view secret) {
    std::string result = kRedacted;
    result.append(static_cast<std::size_t>(std::count(secret.begin(), secret.end(), '\n')), '\n');
    return result;
}

// A word without what ends the list or the sentence that it is in.
re2::StringPiece trimmed(re2::StringPiece value) {
    while (!value.empty() &&
           std::string_view(",;.)]}").find(value[value.size() - 1]) != std::string_view::npos) {
        value.remove_suffix(1);
    }
    return value;
}

}  // namespace

/// A shape of a secret. Of its groups the first one that matched is replaced; if the value is named, the one before says
/// how.
struct Redactor::Pattern {
    std::unique_ptr<re2::RE2> expression;
    std::vector<std::string> anchors;  ///< one of them, in any case, is in every text that matches
    std::string what;
    std::string why;
    bool named = false;
    bool user = false;
};

Redactor::~Redactor() = default;
Redactor::Redactor(Redactor&&) noexcept = default;
Redactor& Redactor::operator=(Redactor&&) noexcept = default;

Redactor::Redactor(RedactOptions options) : options_(std::move(options)) {
    const auto add = [this](const char* expression, std::vector<std::string> anchors, std::string what,
                            std::string why, bool named = false, bool user = false) {
        patterns_.push_back({std::make_unique<re2::RE2>(expression), std::move(anchors), std::move(what),
                             std::move(why), named, user});
    };
    const auto shape = text(kContext, "It has the shape of one.");
    const auto token = text(kContext, "a token");
    add(R"((?s)(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)))",
        {"private key-----"}, text(kContext, "a private key"), shape);
    // Up to the last @: a password may have some.
    add(R"([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"']*:([^\s/"']+)@)", {"://"},
        text(kContext, "the password of an address"), text(kContext, "It stands before @ in a URL."));
    add(R"([A-Za-z][A-Za-z0-9+.-]*://([A-Za-z0-9_-]{20,})@)", {"://"}, token,
        text(kContext, "It stands before @ in a URL."));
    add(R"((?i)(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks)"
        R"(|webhook\.office\.com)/([\w@./-]{8,})|api\.telegram\.org/bot(\d+:[\w-]{20,}))",
        {"://"}, token, text(kContext, "It is part of an address that lets anyone send messages."));
    add(R"((?i)[?&](?:sig|signature|x-(?:amz|goog)-signature|code)=([^\s&"'<>]{8,}))", {"="},
        text(kContext, "the signature of an address"), text(kContext, "It follows ? or & in a URL."));
    add(R"((?i)\bauthorization["'\\]*\s*[:=]\s*["'\\]*(?:[a-z][a-z0-9-]*(?:\s+|%20|\+))?([A-Za-z0-9._~+/=-]{8,}))",
        {"authorization"}, text(kContext, "an authorization"),
        text(kContext, "It follows the name of an HTTP header."));
    add(R"((?i)\b(?:set-)?cookie["']?\s*:\s*["']?([^\s"'][^\r\n"']{5,}))", {"cookie"},
        text(kContext, "a cookie"), text(kContext, "It follows the name of an HTTP header."));
    add(R"((?i)\bbearer\s+([A-Za-z0-9._~+/=-]{16,}))", {"bearer"}, token, shape);
    add(R"(\b(hf_[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|sk-[\w-]{20,})"
        R"(|[sr]k_(?:live|test)_\w{16,}|nvapi-[\w-]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|dckr_pat_[\w-]{20,})"
        R"(|xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{20,}|A(?:KIA|SIA)[0-9A-Z]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,})"
        R"(|gsk_\w{20,}|r8_\w{20,}|lsv2_\w{20,}|tskey-[\w-]{16,}|SG\.[\w-]{16,}\.[\w-]{16,}|wandb_v1_\w{16,})"
        R"(|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}))",
        {"hf_",  "gh",   "glpat-", "sk-",  "k_",   "nvapi-", "npm_",  "pypi-", "dckr_", "xox",    "xapp-",
         "akia", "asia", "aiza",   "ya29", "gsk_", "r8_",    "lsv2_", "tskey", "sg.",   "wandb_", "eyj"},
        token, text(kContext, "It begins as the tokens of a known service."));
    // Of flags that take a password, and of ~/.netrc.
    add(R"(\bsshpass\s+-p\s*["']?([^\s"']{3,}))", {"sshpass"}, token, shape);
    add(R"((?:^|\s)(?:-u|--user|--proxy-user)[ \t=]+["']?[^\s:"'/]*[A-Za-z][^\s:"'/]*:([^\s"']{3,}))",
        {"-u", "-user"}, token, shape);
    add(R"((?i)\blogin\s+\S+\s+password\s+(\S{3,}))", {"password"}, token, shape);
    add(R"((?i)\bwandb\b[^\n]{0,40}?\b([0-9a-f]{40})\b)", {"wandb"}, token, shape);
    std::string names =
        R"((?:[\w.-]*[_.-])?\w*(?:tokens?|secrets?|passwords?|passwd|passphrase|passcode|credentials?|)"
        R"((?:api|access|secret|private|auth|account|encryption|signing|wandb|ssh)[_-]?keys?))"
        R"(|(?-i:[A-Z][A-Z0-9_]*_(?:PASS|PWD|PAT)))";
    std::vector<std::string> anchors{"token", "secret", "pass", "_pwd", "_pat", "credential", "key"};
    for (const auto& name : options_.secret_names) {
        names += '|' + re2::RE2::QuoteMeta(name);
        anchors.push_back(lower_case(name));
    }
    names = "(?i)\\b(" + names + ')';
    const auto after_name = text(kContext, "Its name looks secret.");
    const auto named = [&](const std::string& expression, std::string what) {
        add(expression.c_str(), anchors, std::move(what), after_name, true);
    };
    named(names + R"(["'\\]*\s*=\s*)" + value_pattern("", 3), {});
    named(names + R"(["'\\]*\s*:\s*)" + value_pattern("", 6), {});
    named("<" + names + '>' + value_pattern("", 3), {});
    // A flag and its value: in a text that may go on in the next line, in a list of one line or of a line each.
    const std::string next = R"([ \t]*,\s*|[ \t]+|[ \t]*\\?\r?\n[ \t]+|[ \t]*\r?\n[ \t]*-[ \t]+)";
    named("--?" + names + R"(["'\\]*(?:)" + next + ')' + value_pattern("-", 3), {});
    named(R"((?i)--?((?:[\w-]+-)?pass)["'\\]*(?:=|)" + next + ')' + value_pattern("-", 3), {});
    if (options_.hide_users) {
        const auto wanted = text(kContext, "The names of users are to be hidden.");
        add(R"(/(?:home|Users)/([^/\s"':;,]+))", {"/home/", "/users/"}, text(kContext, "the name of a user"),
            wanted, false, true);
        add(R"(\b([A-Za-z_][\w.-]*)@[A-Za-z0-9\[])", {"@"}, text(kContext, "the name of a user"), wanted,
            false, true);
    }
}

bool Redactor::is_secret(std::string_view name) const {
    std::string variable(name);  // "store-word" is STORE_WORD
    std::replace_if(
        variable.begin(), variable.end(), [](char c) { return c == '-' || c == '.'; }, '_');
    return is_secret_name(variable) || lower_case(name) == "pass" ||
           std::any_of(options_.secret_names.begin(), options_.secret_names.end(),
                       [&](const std::string& own) {
                           return own == name || lower_case(own) == lower_case(variable);
                       });
}

void Redactor::note(const std::string& what, const std::string& where, const std::string& why) {
    const auto [place, fresh] = index_.try_emplace({what, where}, list_.size());
    if (fresh) {
        list_.push_back({what, where, why, 0});
    }
    ++list_[place->second].times;
}

void Redactor::learn(const std::string& value, const std::string& what) {
    if (looks_random(value) && known_.size() < kMostKnown) {
        known_.try_emplace(value, what);
    }
}

void Redactor::replace_matches(const Pattern& pattern, std::string& text, const std::string& where) {
    const int groups = pattern.expression->NumberOfCapturingGroups() + 1;
    std::array<re2::StringPiece, kMostGroups> found;
    std::string result;
    std::size_t done = 0;
    std::size_t at = 0;
    while (at <= text.size() &&
           pattern.expression->Match(text, at, text.size(), re2::RE2::UNANCHORED, found.data(), groups)) {
        const auto matched = std::find_if(found.begin() + (pattern.named ? 2 : 1), found.begin() + groups,
                                          [](const re2::StringPiece& group) { return !group.empty(); });
        const auto& whole = found.front();
        const auto value = matched == found.begin() + groups ? re2::StringPiece() : trimmed(*matched);
        if (value.empty()) {
            at = std::max(static_cast<std::size_t>(whole.data() - text.data()) + whole.size(), at + 1);
            continue;
        }
        const auto from = static_cast<std::size_t>(value.data() - text.data());
        at = std::max(from + value.size(), at + 1);
        const std::string name =
            pattern.named ? std::string(found[1].data(), found[1].size()) : std::string();
        const std::string_view shown(value.data(), value.size());
        if (pattern.named ? is_plain_value(shown, name) : is_placeholder(shown)) {
            continue;
        }
        const std::string secret(value.data(), value.size());
        const std::string what =
            pattern.named ? rankscope::text(kContext, "the value of %1", {name}) : pattern.what;
        if (!pattern.user) {
            learn(secret, what);
        }
        note(what, where, pattern.why);
        result.append(text, done, from - done);
        result += pattern.user ? "USER" : placeholder_of(secret);
        done = from + secret.size();
    }
    if (done > 0) {
        result.append(text, done, std::string::npos);
        text = std::move(result);
    }
}

// A secret that was printed elsewhere without its name.
void Redactor::replace_known(std::string& text, const std::string& where) {
    for (const auto& [value, what] : known_) {
        for (auto at = text.find(value); at != std::string::npos; at = text.find(value, at)) {
            const bool whole = (at == 0 || !is_word(text[at - 1])) &&
                               (at + value.size() >= text.size() || !is_word(text[at + value.size()]));
            if (!whole) {
                at += value.size();
                continue;
            }
            text.replace(at, value.size(), placeholder_of(value));
            note(what, where, rankscope::text(kContext, "The same value was replaced elsewhere."));
        }
    }
}

std::string Redactor::redact(std::string_view text, const std::string& where) {
    std::string result(text);
    const std::string letters = lower_case(text);
    for (const auto& pattern : patterns_) {
        if (std::any_of(pattern.anchors.begin(), pattern.anchors.end(), [&](const std::string& anchor) {
                return letters.find(anchor) != std::string::npos;
            })) {
            replace_matches(pattern, result, where);
        }
    }
    if (!known_.empty()) {
        replace_known(result, where);
    }
    return result;
}

std::string Redactor::redact_value(const std::string& secret, const std::string& name,
                                   const std::string& where) {
    if (secret.empty() || secret == kSecretMask || secret == kRedacted || is_plain_value(secret, name)) {
        return secret;
    }
    const auto what = text(kContext, "the value of %1", {name});
    learn(secret, what);
    note(what, where, text(kContext, "Its name looks secret, or the job says that it is."));
    return kRedacted;
}

std::vector<std::string> Redactor::redact_words(std::vector<std::string> words, const std::string& where) {
    for (const auto& secret :
         command_secrets(words, [this](std::string_view name) { return is_secret(name); })) {
        std::string& word = words[secret.word];
        word = word.substr(0, secret.from) + redact_value(word.substr(secret.from), secret.name, where);
    }
    for (auto& word : words) {
        word = redact(word, where);
    }
    return words;
}

void Redactor::redact(nlohmann::ordered_json& json, const std::string& where) {
    redact_below(json, {}, where);
}

// `name`: of the value, if it is secret.
void Redactor::redact_below(nlohmann::ordered_json& json, const std::string& name, const std::string& where) {
    if (json.is_string()) {
        const auto& old = json.get_ref<const std::string&>();
        json = redact(name.empty() ? old : redact_value(old, name, where), where);
    } else if (json.is_object()) {
        for (auto& [key, value] : json.items()) {
            redact_below(value, is_secret(key) ? key : name, where);
        }
    } else if (json.is_array()) {
        std::vector<std::string> words;
        for (const auto& entry : json) {
            words.push_back(entry.is_string() ? entry.get<std::string>() : std::string());
        }
        words = redact_words(std::move(words), where);
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (json[i].is_string()) {
                json[i] = name.empty() ? words[i] : redact_value(words[i], name, where);
            } else {
                redact_below(json[i], name, where);
            }
        }
    }
}

std::string Redactor::redact_yaml(const std::string& yaml, const std::string& where) {
    std::string result = yaml;
    try {
        YAML::Node root = load_yaml(yaml);
        if (redact_node(root, {}, where)) {
            result = YAML::Dump(root) + '\n';
        }
    } catch (const YAML::Exception&) {  // it is redacted as a text
    }
    return redact(result, where);
}

// Whether anything was replaced.
bool Redactor::redact_node(YAML::Node node, const std::string& name, const std::string& where) {
    const auto replace = [](YAML::Node scalar, const std::string& now) {
        const bool other = scalar.Scalar() != now;
        if (other) {
            scalar = now;
        }
        return other;
    };
    bool changed = false;
    if (node.IsScalar()) {
        changed = !name.empty() && replace(node, redact_value(node.Scalar(), name, where));
    } else if (node.IsMap()) {
        for (auto entry : node) {
            const std::string& key = entry.first.Scalar();
            changed = redact_node(entry.second, is_secret(key) ? key : name, where) || changed;
        }
    } else if (node.IsSequence()) {
        std::vector<std::string> words;
        for (const auto& entry : node) {
            words.push_back(entry.IsScalar() ? entry.Scalar() : std::string());
        }
        words = redact_words(std::move(words), where);
        std::size_t at = 0;
        for (auto entry : node) {
            const std::string& word = words[at++];
            changed =
                (entry.IsScalar() ? replace(entry, name.empty() ? word : redact_value(word, name, where))
                                  : redact_node(entry, name, where)) ||
                changed;
        }
    }
    return changed;
}

std::vector<Redaction> Redactor::take_list() {
    index_.clear();
    return std::exchange(list_, {});
}

}  // namespace rankscope::inline archive
