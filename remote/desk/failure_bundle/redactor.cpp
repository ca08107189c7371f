// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/config/secret_env.h>
#include <remote/desk/failure_bundle/redactor.h>
#include <remote/desk/text.h>

#include <nlohmann/json.hpp>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace rankscope {
namespace {

constexpr const char* kContext = "Redactor";
constexpr std::size_t kShortestKnown = 8;
constexpr std::size_t kMostKnown = 1000;

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Numbers, words of programs and masks: "num_tokens: 4096", "token=None", "***".
bool is_plain_value(std::string_view value) {
    static constexpr auto kWords =
        std::to_array<std::string_view>({"none", "null", "true", "false", "set", "unset"});
    std::string lower(value);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::find(kWords.begin(), kWords.end(), lower) != kWords.end() ||
           lower.find_first_not_of("0123456789.,+-e*/%xs") == std::string::npos || value.starts_with('<') ||
           value.starts_with("[redacted") || value.starts_with("${");
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

}  // namespace

/// A shape of a secret. Its last group is replaced; its first one, if there are two, names the value.
struct Redactor::Pattern {
    std::unique_ptr<re2::RE2> expression;
    std::vector<std::string> anchors;  ///< one of them is in every text that matches
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
    add(R"((?s)(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)))",
        {"PRIVATE KEY-----"}, text(kContext, "a private key"), shape);
    add(R"([A-Za-z][A-Za-z0-9+.-]*://[^\s/@:"']*:([^\s/@"']+)@)", {"://"},
        text(kContext, "the password of an address"), text(kContext, "It stands before @ in a URL."));
    add(R"((?i)\bauthorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token)\s+)?([A-Za-z0-9._~+/=-]{8,}))",
        {"uthorization", "UTHORIZATION"}, text(kContext, "an authorization"),
        text(kContext, "It follows the name of an HTTP header."));
    add(R"((?i)\bbearer\s+([A-Za-z0-9._~+/=-]{16,}))", {"earer", "EARER"}, text(kContext, "a token"), shape);
    add(R"(\b(hf_[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|sk-[\w-]{20,})"
        R"(|nvapi-[\w-]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|xox[abeoprs]-[\w-]{10,}|A(?:KIA|SIA)[0-9A-Z]{16})"
        R"(|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}))",
        {"hf_", "gh", "glpat-", "sk-", "nvapi-", "npm_", "pypi-", "xox", "AKIA", "ASIA", "AIza", "eyJ"},
        text(kContext, "a token"), text(kContext, "It begins as the tokens of a known service."));
    const char* names =
        R"((?i)((?:[\w.-]*[_.-])?(?:tokens?|secrets?|passwords?|passwd|passphrase|credentials?|)"
        R"((?:api|access|secret|private|auth|account|encryption|signing|wandb|ssh)[_-]?keys?)))";
    const std::vector<std::string> anchors{"oken", "OKEN", "ecret",     "ECRET",     "assw", "ASSW",
                                           "assp", "ASSP", "redential", "REDENTIAL", "ey",   "EY"};
    const auto after_name = text(kContext, "Its name looks secret.");
    add((std::string(names) + R"(["']?\s*[=:]\s*["']?([^\s"',;|&<>(){}\[\]]{6,}))").c_str(), anchors, {},
        after_name, true);
    add((std::string(R"(--?)") + names + R"([ \t]+["']?([^\s"',;|&<>(){}\[\]-][^\s"',;|&<>(){}\[\]]{5,}))")
            .c_str(),
        anchors, text(kContext, "the value of %1"), after_name, true);
    if (options_.hide_users) {
        const auto wanted = text(kContext, "The names of users are to be hidden.");
        add(R"(/(?:home|Users)/([^/\s"':;,]+))", {"/home/", "/Users/"}, text(kContext, "the name of a user"),
            wanted, false, true);
        add(R"(\b([A-Za-z_][\w.-]*)@[A-Za-z0-9\[])", {"@"}, text(kContext, "the name of a user"), wanted,
            false, true);
    }
}

bool Redactor::is_secret(std::string_view name) const {
    return is_secret_name(name) || options_.secret_names.contains(std::string(name));
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

bool Redactor::replace_matches(const Pattern& pattern, std::string& text, const std::string& where) {
    const bool possible =
        std::any_of(pattern.anchors.begin(), pattern.anchors.end(),
                    [&](const std::string& anchor) { return text.find(anchor) != std::string::npos; });
    if (!possible) {
        return false;
    }
    const int groups = pattern.named ? 3 : 2;
    std::array<re2::StringPiece, 3> found;
    std::string result;
    std::size_t done = 0;
    std::size_t at = 0;
    while (at <= text.size() &&
           pattern.expression->Match(text, at, text.size(), re2::RE2::UNANCHORED, found.data(), groups)) {
        const auto& value = found[static_cast<std::size_t>(groups - 1)];
        const auto from = static_cast<std::size_t>(value.data() - text.data());
        at = std::max(from + value.size(), at + 1);
        if (is_plain_value({value.data(), value.size()})) {
            continue;
        }
        const std::string secret(value.data(), value.size());
        const std::string name =
            pattern.named ? std::string(found[1].data(), found[1].size()) : std::string();
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
    if (done == 0) {
        return false;
    }
    result.append(text, done, std::string::npos);
    text = std::move(result);
    return true;
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
    for (const auto& pattern : patterns_) {
        replace_matches(pattern, result, where);
    }
    if (!known_.empty()) {
        replace_known(result, where);
    }
    return result;
}

void Redactor::redact_value(nlohmann::ordered_json& value, const std::string& name,
                            const std::string& where) {
    auto& secret = value.get_ref<std::string&>();
    if (secret.empty() || secret == kSecretMask || secret == kRedacted) {
        return;
    }
    const auto what = text(kContext, "the value of %1", {name});
    learn(secret, what);
    note(what, where, text(kContext, "Its name looks secret, or the job says that it is."));
    secret = kRedacted;
}

void Redactor::redact(nlohmann::ordered_json& json, const std::string& where) {
    if (json.is_string()) {
        json = redact(json.get_ref<const std::string&>(), where);
        return;
    }
    std::string flag;  // of a command: the word before
    for (auto entry = json.begin(); json.is_structured() && entry != json.end(); ++entry) {
        const std::string name = json.is_object() ? entry.key() : flag;
        if (entry->is_string() && !name.empty() && is_secret(name) &&
            !is_plain_value(entry->get_ref<const std::string&>())) {
            redact_value(*entry, name, where);
        } else {
            redact(*entry, where);
        }
        flag.clear();
        if (json.is_array() && entry->is_string()) {
            const auto& word = entry->get_ref<const std::string&>();
            flag = word.starts_with("--") && word.find('=') == std::string::npos ? word.substr(2) : "";
            std::replace(flag.begin(), flag.end(), '-', '_');
        }
    }
}

std::vector<Redaction> Redactor::take_list() {
    index_.clear();
    return std::exchange(list_, {});
}

}  // namespace rankscope
