// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <filesystem>

namespace rankscope {

/// A folder of this user's own (mode 0700) for sockets, removed with all that is in it. Its path is short: a
/// socket's address holds 107 characters. Invalid where none can be made (see errno).
class PrivateFolder {
public:
    /// Another user's process must find what it is handed: no way leads to it through the runtime folder, which is private.
    enum class Where { Runtime, Shared };

    explicit PrivateFolder(Where where = Where::Runtime);
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;
    ~PrivateFolder();

    explicit operator bool() const { return !path_.empty(); }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace rankscope
