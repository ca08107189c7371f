// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/json_text.h>
#include <remote/agent/ranks/error_file.h>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <algorithm>

namespace rankscope::agent {
namespace {

constexpr std::size_t kMaxMessage = 2000;

std::string text_at(const nlohmann::json& object, const char* key) {
    const auto it = object.find(key);
    return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::int64_t written_us(const std::filesystem::path& file) {
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0) {
        return 0;
    }
    return static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1000000 + info.st_mtim.tv_nsec / 1000;
}

}  // namespace

std::string ErrorFile::reason() const {
    return last_frame.empty() ? message : message + (message.empty() ? "" : " ") + '(' + last_frame + ')';
}

ErrorFile read_error_file(const std::filesystem::path& file) {
    ErrorFile result;
    const auto content = read_file(file);
    const auto json = read_json(content.value_or(""));
    if (!json.is_object() || !json.contains("message")) {
        return result;
    }
    const auto& message = json["message"];
    if (message.is_string()) {
        result.message = message.get<std::string>();
    } else if (message.is_object()) {
        result.message = text_at(message, "message");
        if (const auto extra = message.find("extraInfo"); extra != message.end() && extra->is_object()) {
            result.last_frame = last_frame_of(text_at(*extra, "py_callstack"));
            const auto missing = extra->find("missing_rank");
            if (missing != extra->end() && missing->is_number_unsigned() &&
                missing->get<std::uint64_t>() <= 0x7FFFFFFF) {
                result.missing_rank = missing->get<int>();
            }
        }
    }
    result.message.resize(std::min(result.message.size(), kMaxMessage));
    result.failed_us = written_us(file);
    return result;
}

std::string last_frame_of(std::string_view traceback) {
    constexpr std::string_view kFile = "File \"";
    constexpr std::string_view kLine = "\", line ";
    // A frame of the interpreter itself has no place in a file; the one before it is the user's.
    for (auto at = traceback.rfind(kFile); at != std::string_view::npos;
         at = at == 0 ? std::string_view::npos : traceback.rfind(kFile, at - 1)) {
        std::string_view frame = traceback.substr(at + kFile.size());
        frame = frame.substr(0, frame.find('\n'));
        const auto quote = frame.find(kLine);
        if (quote == std::string_view::npos || frame.starts_with('<')) {
            continue;
        }
        std::string_view path = frame.substr(0, quote);
        path.remove_prefix(path.rfind('/') + 1);
        std::string_view rest = frame.substr(quote + kLine.size());
        const auto comma = rest.find(", in ");
        std::string result = std::string(path) + ':' + std::string(rest.substr(0, comma));
        if (comma != std::string_view::npos) {
            result += " in " + std::string(rest.substr(comma + 5));
        }
        return result;
    }
    return {};
}

}  // namespace rankscope::agent
