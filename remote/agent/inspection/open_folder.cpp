// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/inspection/open_folder.h>
#include <remote/agent/node/process_tree.h>

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLargestList = 4096;
// Of an access control list (linux/posix_acl_xattr.h).
constexpr std::size_t kListHeader = 4;
constexpr std::size_t kListEntry = 8;
constexpr std::uint16_t kNamedUser = 0x02;
constexpr std::uint16_t kOwnGroup = 0x04;
constexpr std::uint16_t kNamedGroup = 0x08;
constexpr std::uint16_t kMayWrite = 2;

// A line of /etc/group: name, password, number, members. Not getgrgid(3): this program is static.
std::vector<std::string> group_line(gid_t group) {
    const std::string groups = read_file("/etc/group").value_or(std::string());
    for (const auto line : split(groups, '\n')) {
        const auto fields = split(line, ':');
        if (fields.size() == 4 && fields[2] == std::to_string(group)) {
            return {fields.begin(), fields.end()};
        }
    }
    return {};
}

std::string group_name(gid_t group) {
    const auto line = group_line(group);
    return as_utf8(line.empty() ? "gid " + std::to_string(group) : line.front());
}

// Whether the group is the first one of another user.
bool is_first_of_others(gid_t group, uid_t user) {
    const std::string users = read_file("/etc/passwd").value_or(std::string());
    const auto lines = split(users, '\n');
    return std::any_of(lines.begin(), lines.end(), [&](std::string_view line) {
        const auto fields = split(line, ':');
        return fields.size() > 3 && fields[3] == std::to_string(group) && fields[2] != std::to_string(user);
    });
}

// Debian's user private groups. One that a directory server keeps has the number of its user.
bool is_users_alone(gid_t group) {
    const uid_t user = ::geteuid();
    if (group != ::getegid() || is_first_of_others(group, user)) {
        return false;
    }
    const auto line = group_line(group);
    if (line.empty()) {
        return group == user;
    }
    const std::string name = user_name(user);
    return line[0] == name && (line[3].empty() || line[3] == name);
}

bool is_trusted(uid_t user) {
    struct stat root {};  // in a user namespace root has no number
    return user == 0 || user == ::geteuid() || (::stat("/", &root) == 0 && user == root.st_uid);
}

std::string writers_of(const fs::path& path, const struct stat& info) {
    if (!is_trusted(info.st_uid)) {
        return "owner";
    }
    if ((info.st_mode & S_IWOTH) != 0) {
        return "everyone";
    }
    if ((info.st_mode & S_IWGRP) == 0) {  // of a list, this is the most that it gives
        return {};
    }
    std::array<char, kLargestList> list{};
    const auto size = ::getxattr(path.c_str(), "system.posix_acl_access", list.data(), list.size());
    if (size > 0) {
        return writers_of_list({list.data(), static_cast<std::size_t>(size)}, info.st_gid);
    }
    return is_users_alone(info.st_gid) ? std::string() : "group " + group_name(info.st_gid);
}

}  // namespace

std::string writers_of_list(std::string_view list, gid_t group) {
    for (std::size_t at = kListHeader; at + kListEntry <= list.size(); at += kListEntry) {
        std::uint16_t tag = 0;
        std::uint16_t rights = 0;
        std::uint32_t id = 0;
        std::memcpy(&tag, list.data() + at, sizeof tag);  // little endian, as this program's processors
        std::memcpy(&rights, list.data() + at + 2, sizeof rights);
        std::memcpy(&id, list.data() + at + 4, sizeof id);
        if ((rights & kMayWrite) == 0) {
            continue;
        }
        if (tag == kNamedUser && !is_trusted(id)) {
            return "user " + user_name(id);
        }
        if (tag == kNamedGroup && !is_users_alone(id)) {
            return "group " + group_name(id);
        }
        if (tag == kOwnGroup && !is_users_alone(group)) {
            return "group " + group_name(group);
        }
    }
    return {};
}

std::optional<wire::OpenFolder> open_folder(const fs::path& path) {
    for (fs::path place = path; !place.empty(); place = place.parent_path()) {
        struct stat info {};
        if (::stat(place.c_str(), &info) != 0) {
            return std::nullopt;
        }
        const std::string writers = writers_of(place, info);
        // As /tmp: others cannot rename or remove what is not theirs.
        const bool sticky = place != path && (info.st_mode & S_ISVTX) != 0 && writers != "owner";
        if (!writers.empty() && !sticky) {
            wire::OpenFolder found;
            found.set_path(place.string());
            found.set_owner(user_name(info.st_uid));
            found.set_mode(info.st_mode & 07777U);
            found.set_writers(writers);
            return found;
        }
        if (place == place.parent_path()) {
            break;
        }
    }
    return std::nullopt;
}

}  // namespace rankscope::agent
