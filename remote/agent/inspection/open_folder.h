// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/frames.pb.h>

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::agent {

/// The nearest place, of the path itself and the folders above it, where a user who is neither this one nor root can
/// change what is there. Nothing: there is none. `path`: absolute, without links.
std::optional<wire::OpenFolder> open_folder(const std::filesystem::path& path);

/// Whom an access control list, as the kernel keeps it, lets write beside this user and root: "user NAME", "group NAME".
/// `group`: of the file. Empty: nobody, or no list.
std::string writers_of_list(std::string_view list, gid_t group);

}  // namespace rankscope::agent
