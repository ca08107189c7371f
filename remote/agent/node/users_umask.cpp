// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/node/users_umask.h>

#include <sys/stat.h>

namespace rankscope::agent {
namespace {

constexpr mode_t kPrivate = 0077;
mode_t found = kPrivate;  // written before there are threads

}  // namespace

void keep_files_private() {
    found = ::umask(kPrivate);
}

mode_t users_umask() {
    return found;
}

}  // namespace rankscope::agent
