// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/sha256.h>
#include <engine/data/data_paths.h>
#include <engine/data/published_file.h>
#include <engine/error.h>

#include <algorithm>
#include <fstream>
#include <span>

namespace rankscope::engine {
namespace {

namespace fs = std::filesystem;

/// An empty file whose name says what was found right.
fs::path stamp_of(const fs::path& file, const PublishedFile& published) {
    std::error_code failed;
    const auto changed = fs::last_write_time(file, failed).time_since_epoch().count();
    const std::string text =
        fs::weakly_canonical(file, failed).string() + " " + std::to_string(changed) + " " + published.sha256;
    constexpr std::size_t kDigits = 32;
    return dataset_cache_folder("checked") / sha256_hex(std::as_bytes(std::span(text))).substr(0, kDigits);
}

/// Empty when it cannot be read.
std::string hex_of_file(const fs::path& file) {
    const auto digest = sha256_of_file(file);
    return digest ? to_hex(*digest) : std::string();
}

}  // namespace

bool is_as_published(const fs::path& file, const PublishedFile& published) {
    std::error_code failed;
    return fs::file_size(file, failed) == published.bytes && !failed && hex_of_file(file) == published.sha256;
}

void refuse_damaged(const fs::path& file, const std::vector<PublishedFile>& published) {
    const std::string name = file.filename().string();
    const auto found = std::find_if(published.begin(), published.end(),
                                    [&](const PublishedFile& candidate) { return candidate.name == name; });
    std::error_code failed;
    if (found == published.end() || fs::file_size(file, failed) != found->bytes || failed) {
        return;
    }
    const fs::path stamp = stamp_of(file, *found);
    if (fs::exists(stamp, failed)) {
        return;
    }
    if (hex_of_file(file) != found->sha256) {
        throw Error(file.string() +
                    ": is damaged: it has the size of the published file, but its SHA-256 is not " +
                    found->sha256 + ". Fetch it again.");
    }
    // Without a place for the stamp it is hashed again next time.
    fs::create_directories(stamp.parent_path(), failed);
    std::ofstream(stamp).flush();
}

}  // namespace rankscope::engine
