// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <filesystem>
#include <string>

namespace rankscope::inline nodes {

struct KeyPair {
    std::filesystem::path file;  ///< the private half; FILE.pub is the other
    std::string public_line;     ///< "ssh-ed25519 AAAA… comment"
    std::string fingerprint;     ///< "SHA256:…", as ssh-keygen -l prints it
};

/// ~/.ssh/id_ed25519
std::filesystem::path default_key_file();

/// Makes an ed25519 key (mode 0600, FILE.pub 0644; the folder 0700). Never overwrites: an existing file of
/// either name is a fault. `passphrase` may be empty; it is not kept.
Result<KeyPair> generate_key(const std::filesystem::path& file, const std::string& comment,
                             const std::string& passphrase);

/// Reads FILE.pub (FILE may end in .pub itself).
Result<KeyPair> read_public_key(const std::filesystem::path& file);

}  // namespace rankscope::inline nodes
