// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/agent/ranks/crash_dump.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <optional>

namespace rankscope::agent {
namespace {

constexpr std::string_view kError = "Fatal Python error: ";
constexpr std::string_view kStack = "(most recent call first):";
constexpr std::string_view kFile = "  File \"";
constexpr std::string_view kLine = "\", line ";
constexpr std::string_view kIn = " in ";

// `  File "/a/train.py", line 41 in step`. A name of a file may hold anything: the number comes after the last `", line `.
std::optional<std::string> frame_in(std::string_view line) {
    const auto number_at = line.rfind(kLine);
    if (!line.starts_with(kFile) || number_at == std::string_view::npos || number_at < kFile.size()) {
        return std::nullopt;
    }
    const auto rest = line.substr(number_at + kLine.size());
    const auto in = rest.find(kIn);
    const auto number =
        in == std::string_view::npos ? std::nullopt : parse_number<std::uint32_t>(rest.substr(0, in));
    if (!number) {
        return std::nullopt;
    }
    return std::string(line.substr(kFile.size(), number_at - kFile.size())) + ':' + std::to_string(*number) +
           std::string(rest.substr(in));
}

bool is_library(const std::string& frame) {
    const auto has = [&](const char* part) { return frame.find(part) != std::string::npos; };
    return frame.starts_with('<') || has("site-packages/") || has("dist-packages/") || has("/lib/python3.") ||
           has("/lib64/python3.");
}

}  // namespace

std::string CrashDump::reason() const {
    const auto own = std::find_if_not(frames.begin(), frames.end(), is_library);
    const auto& shown = own != frames.end() ? own : frames.begin();
    if (shown == frames.end()) {
        return error;
    }
    const auto colon = shown->rfind(':', shown->rfind(kIn));
    const auto slash = shown->rfind('/', colon);
    return error + " (" + (slash == std::string::npos ? *shown : shown->substr(slash + 1)) + ')';
}

std::vector<std::string> CrashDump::lines() const {
    std::vector<std::string> lines{std::string(kError) + error};
    lines.insert(lines.end(), frames.begin(), frames.end());
    return lines;
}

bool CrashDump::fits(int signal) const {
    switch (signal) {
        case SIGSEGV:
            return error == "Segmentation fault";
        case SIGBUS:
            return error == "Bus error";
        case SIGILL:
            return error == "Illegal instruction";
        case SIGFPE:
            return error == "Floating-point exception" || error == "Floating point exception";
        case SIGABRT:  // also where the interpreter gives up, which has many reasons
            return !error.empty() && error != "Segmentation fault" && error != "Bus error" &&
                   error != "Illegal instruction";
        default:
            return false;
    }
}

void CrashDumpReader::feed(std::string_view text) {
    while (!text.empty()) {
        const auto end = text.find('\n');
        if (partial_.size() < kLineLength) {
            partial_ += text.substr(0, std::min(end, kLineLength - partial_.size()));
        }
        if (end == std::string_view::npos) {
            return;
        }
        take(partial_);
        partial_.clear();
        text.remove_prefix(end + 1);
    }
}

void CrashDumpReader::take(std::string_view line) {
    if (line.starts_with(kError)) {
        error_ = line.substr(kError.size());
        died_.clear();
        last_.clear();
        inside_ = true;
        section_ = Section::None;
        return;
    }
    if (!inside_) {
        return;
    }
    if (line.ends_with(kStack)) {
        if (line.starts_with("Current thread's C stack")) {
            section_ = Section::None;
        } else if (line.starts_with("Current thread ")) {
            section_ = Section::Died;
            died_.clear();
            last_.clear();
        } else {
            section_ = Section::Other;
            last_.clear();
        }
        return;
    }
    auto frame = section_ == Section::None ? std::nullopt : frame_in(line);
    if (!frame) {
        // "<no Python frame>", an empty line, "Extension modules: …"
        inside_ = inside_ && !line.starts_with("Extension modules:");
        return;
    }
    auto& frames = section_ == Section::Died ? died_ : last_;
    if (frames.size() < kFrames) {
        frames.push_back(std::move(*frame));
    }
}

CrashDump CrashDumpReader::dump() const {
    return {error_, died_.empty() ? last_ : died_};
}

}  // namespace rankscope::agent
