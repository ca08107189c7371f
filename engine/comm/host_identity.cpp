// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/host_identity.h>

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace rankscope::engine {
namespace {

std::string namespace_number(const char* path) {
    struct stat status {};
    return stat(path, &status) == 0 ? std::to_string(status.st_ino) : "unknown";
}

}  // namespace

std::string host_identity() {
    std::string boot = "unknown boot";
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    return boot + " user " + std::to_string(geteuid()) + " pid " + namespace_number("/proc/self/ns/pid") +
           " net " + namespace_number("/proc/self/ns/net");
}

}  // namespace rankscope::engine
