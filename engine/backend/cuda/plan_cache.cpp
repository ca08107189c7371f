// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/plan_cache.h>

#include <unistd.h>

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

namespace rankscope::engine::cuda {
namespace {

namespace fs = std::filesystem;

/// FNV-1a, 64 bits. Two keys with one name are distinguished by the key inside the file.
std::uint64_t hash(std::string_view text) {
    std::uint64_t value = 0xcbf29ce484222325ULL;
    for (const char c : text) {
        value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
    return value;
}

std::string as_folder_name(std::string text) {
    for (char& c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.') {
            c = '-';
        }
    }
    return text;
}

}  // namespace

PlanCache PlanCache::for_machine(const std::string& machine) {
    if (const char* named = std::getenv("RANKSCOPE_CUDA_CACHE")) {
        return PlanCache(*named == '\0' ? fs::path() : fs::path(named) / as_folder_name(machine));
    }
    fs::path base;
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
        base = cache;
    } else if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
        base = fs::path(home) / ".cache";
    }
    return PlanCache(base.empty() ? base : base / "rankscope" / "cuda" / as_folder_name(machine));
}

fs::path PlanCache::file_of(const std::string& key) const {
    char name[24];
    std::snprintf(name, sizeof(name), "%016llx", static_cast<unsigned long long>(hash(key)));
    return folder_ / name;
}

std::optional<std::string> PlanCache::find(const std::string& key) const {
    if (folder_.empty()) {
        return std::nullopt;
    }
    std::ifstream in(file_of(key), std::ios::binary);
    std::string first;
    if (!in || !std::getline(in, first) || first != key) {
        return std::nullopt;
    }
    return std::string(std::istreambuf_iterator<char>(in), {});
}

void PlanCache::put(const std::string& key, const std::string& value) const {
    if (folder_.empty()) {
        return;
    }
    std::error_code ignored;
    fs::create_directories(folder_, ignored);
    const fs::path target = file_of(key);
    fs::path temporary = target;
    temporary += '.';
    temporary += std::to_string(::getpid());
    {
        std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
        out << key << '\n' << value;
        if (!out.flush()) {
            fs::remove(temporary, ignored);
            return;
        }
    }
    fs::rename(temporary, target, ignored);
    if (ignored) {
        fs::remove(temporary, ignored);
    }
}

}  // namespace rankscope::engine::cuda
