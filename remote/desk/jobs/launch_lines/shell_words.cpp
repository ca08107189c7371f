// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/launch_lines/shell_words.h>

#include <algorithm>
#include <cctype>

namespace rankscope::inline jobs {
namespace {

class Splitter {
public:
    explicit Splitter(std::string_view text) : text_(text) {}

    ShellText run();

private:
    bool at_end() const { return at_ >= text_.size(); }
    char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    char after() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }
    void end_word();
    void end_command(const std::string& by);
    bool take_operator();
    void take_redirection();
    void take_quoted();
    void take_double_quoted();
    void take_substitution();
    void take_list();
    void take_escaped();

    std::string_view text_;
    std::size_t at_ = 0;
    ShellText result_;
    WrittenCommand command_;
    std::string word_;
    bool in_word_ = false;
    bool unfilled_ = false;
    bool quoted_ = false;
    std::string redirection_;  ///< an operator that waits for its file
};

void Splitter::end_word() {
    if (in_word_) {
        if (!redirection_.empty()) {
            command_.redirections.push_back(redirection_ + ' ' + word_);
            redirection_.clear();
        } else {
            if (unfilled_) {
                command_.unfilled.push_back(word_);
            }
            if (unfilled_ && quoted_) {
                command_.quoted.push_back(word_);
            }
            command_.words.push_back(word_);
        }
    }
    word_.clear();
    in_word_ = false;
    unfilled_ = false;
    quoted_ = false;
}

void Splitter::end_command(const std::string& by) {
    end_word();
    if (!command_.words.empty() || !command_.redirections.empty()) {
        command_.ended_by = by;
        result_.commands.push_back(std::move(command_));
    }
    command_ = {};
}

// "2>&1" and the like: digits before it are the stream's number, not a word.
void Splitter::take_redirection() {
    std::string operation;
    if (std::all_of(word_.begin(), word_.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) {
        operation = word_;
        word_.clear();
        in_word_ = false;
    }
    end_word();
    while (here() == '<' || here() == '>') {
        operation += text_[at_++];
    }
    if (here() == '&') {
        operation += text_[at_++];
        while (std::isdigit(static_cast<unsigned char>(here())) != 0 || here() == '-') {
            operation += text_[at_++];
        }
        if (std::isdigit(static_cast<unsigned char>(operation.back())) != 0 || operation.back() == '-') {
            command_.redirections.push_back(operation);
            return;
        }
    }
    redirection_ = operation;
}

bool Splitter::take_operator() {
    const char c = here();
    if (c == '&' && after() == '>') {  // bash: both streams
        end_word();
        redirection_ = "&>";
        at_ += 2;
        return true;
    }
    if (c == '<' || c == '>') {
        take_redirection();
        return true;
    }
    if (c == ';' || c == '&' || c == '|') {
        std::string by(1, c);
        ++at_;
        if (c != ';' && here() == c) {
            by += c;
            ++at_;
        }
        end_command(by);
        return true;
    }
    return false;
}

void Splitter::take_quoted() {
    const auto close = text_.find('\'', at_ + 1);
    if (close == std::string_view::npos) {
        result_.problem = "a ' is never closed";
        at_ = text_.size();
        return;
    }
    word_ += text_.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
}

void Splitter::take_double_quoted() {
    for (++at_; !at_end() && here() != '"';) {
        if (here() == '\\') {
            const char next = after();
            if (next == '\n') {
                at_ += 2;
                continue;
            }
            if (next == '$' || next == '`' || next == '"' || next == '\\') {
                ++at_;
            }
            word_ += text_[at_++];
        } else if (here() == '$' || here() == '`') {
            take_substitution();
        } else {
            word_ += text_[at_++];
        }
    }
    if (at_end()) {
        result_.problem = "a \" is never closed";
        return;
    }
    ++at_;
}

// $NAME, ${NAME}, $(command), `command`: kept as it stands.
void Splitter::take_substitution() {
    const std::size_t begin = at_;
    if (here() == '`') {
        const auto close = text_.find('`', at_ + 1);
        at_ = close == std::string_view::npos ? text_.size() : close + 1;
        unfilled_ = true;
    } else if (after() == '(' || after() == '{') {
        const char open = after();
        const char close = open == '(' ? ')' : '}';
        int depth = 0;
        for (++at_; !at_end(); ++at_) {
            depth += here() == open ? 1 : here() == close ? -1 : 0;
            if (depth == 0) {
                ++at_;
                break;
            }
        }
        unfilled_ = true;
    } else {
        ++at_;
        const unsigned char next = static_cast<unsigned char>(here());
        unfilled_ = unfilled_ || std::isalnum(next) != 0 || next == '_' || next == '@' || next == '*' ||
                    next == '?' || next == '#' || next == '$' || next == '!';
    }
    word_ += text_.substr(begin, at_ - begin);
}

// bash: "NAME=( … )", kept as it stands.
void Splitter::take_list() {
    const std::size_t begin = at_;
    int depth = 0;
    for (; !at_end(); ++at_) {
        depth += here() == '(' ? 1 : here() == ')' ? -1 : 0;
        if (depth == 0) {
            ++at_;
            break;
        }
    }
    unfilled_ = true;
    word_ += text_.substr(begin, at_ - begin);
}

void Splitter::take_escaped() {
    if (after() == '\n') {
        at_ += 2;  // the line continues
        return;
    }
    if (after() == '\r' && at_ + 2 < text_.size() && text_[at_ + 2] == '\n') {
        at_ += 3;
        return;
    }
    in_word_ = true;
    if (at_ + 1 < text_.size()) {
        word_ += after();
    }
    at_ += 2;
}

ShellText Splitter::run() {
    while (!at_end()) {
        const char c = here();
        if (c == '\n') {
            end_command(";");
            ++at_;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            end_word();
            ++at_;
        } else if (c == '#' && !in_word_) {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else if (take_operator()) {
            continue;
        } else if (c == '\\') {
            take_escaped();
        } else {
            in_word_ = true;
            if (c == '\'') {
                quoted_ = true;
                take_quoted();
            } else if (c == '"') {
                quoted_ = true;
                take_double_quoted();
            } else if (c == '(' && word_.ends_with('=')) {
                take_list();
            } else if (c == '$' || c == '`') {
                take_substitution();
            } else {
                unfilled_ = unfilled_ || c == '*' || c == '?';
                word_ += c;
                ++at_;
            }
        }
    }
    end_command("");
    return std::move(result_);
}

}  // namespace

ShellText split_shell_text(std::string_view text) {
    return Splitter(text).run();
}

std::string without_prompts(const std::string& text) {
    std::string kept;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        if (!line.empty() && line.back() == '\r') {
            line.pop_back();
        }
        const std::size_t prompt = line.find("$ ");
        const std::string before = prompt == std::string::npos ? "-" : line.substr(0, prompt);
        if (before.find_first_not_of(" \t") == std::string::npos ||
            (before.find('@') != std::string::npos && before.find(':') != std::string::npos &&
             before.find_first_of(" \"'") == std::string::npos)) {
            line.erase(0, prompt + 2);
        }
        kept += line + '\n';
        at = end + 1;
    }
    return kept;
}

}  // namespace rankscope::inline jobs
