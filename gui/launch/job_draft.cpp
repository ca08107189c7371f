// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/json_text.h>
#include <gui/launch/job_draft.h>
#include <gui/strings.h>

#include <nlohmann/json.hpp>

#include <cstring>

namespace rankscope::gui {

namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr std::uintmax_t kMostDraftBytes = std::uintmax_t{8} * 1024 * 1024;

/// JSON holds UTF-8 only; other bytes of a text are replaced.
std::string text_of(const json& root, const char* key) {
    const auto found = root.find(key);
    return found != root.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Result<void> write_job_draft(const std::filesystem::path& file, const JobSource& source) {
    const json root{{"version", kVersion},       {"text", source.text},   {"file", source.file.string()},
                    {"title", ss(source.title)}, {"clean", source.clean}, {"saved", source.saved},
                    {"parent", source.parent}};
    const int error = write_file_atomically(file, root.dump(-1, ' ', false, json::error_handler_t::replace));
    if (error != 0) {
        return Failure{
            "cannot-write", file.string(), ss(QString::fromLocal8Bit(std::strerror(error))), {}, {}};
    }
    return {};
}

std::optional<JobSource> read_job_draft(const std::filesystem::path& file) {
    std::error_code missing;
    if (const auto size = std::filesystem::file_size(file, missing); missing || size > kMostDraftBytes) {
        return std::nullopt;
    }
    const auto content = read_file(file);
    const json root = content ? read_json(*content) : json();
    if (!root.is_object() || root.value("version", json()) != json(kVersion)) {
        return std::nullopt;
    }
    JobSource source;
    source.text = text_of(root, "text");
    source.file = text_of(root, "file");
    source.title = qs(text_of(root, "title"));
    source.clean = text_of(root, "clean");
    source.parent = text_of(root, "parent");
    source.saved = root.value("saved", json()) == json(true);
    if (source.saved && !source.is_draft()) {
        if (const auto now = read_file(source.file); now && now->size() <= kMostJobText) {
            source.text = source.clean = *now;
        }
    }
    return source.text.empty() ? std::nullopt : std::optional(source);
}

}  // namespace rankscope::gui
