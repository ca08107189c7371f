// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/text.h>
#include <remote/agent/node/nccl_conf.h>
#include <remote/agent/ranks/ras_environment.h>

namespace rankscope::agent {
namespace {

constexpr const char* kAddressVariable = "NCCL_RAS_ADDR";
constexpr const char* kEnableVariable = "NCCL_RAS_ENABLE";
constexpr std::uint16_t kUsualPort = 28028;

}  // namespace

void add_ras_address(std::map<std::string, std::string>& variables, std::uint16_t port) {
    if (port == 0 || variables.contains(kAddressVariable) || variables.contains(kEnableVariable)) {
        return;
    }
    // The environment would win over these.
    const auto named = variables.find("NCCL_CONF_FILE");
    const auto home = variables.find("HOME");
    const std::string own = named != variables.end() && !named->second.empty() ? named->second
                            : home != variables.end()                          ? home->second + "/.nccl.conf"
                                                                               : std::string();
    for (const auto& file : {own, std::string("/etc/nccl.conf")}) {
        const auto settings = read_nccl_conf(read_file(file).value_or(std::string()));
        if (settings.contains(kAddressVariable) || settings.contains(kEnableVariable)) {
            return;
        }
    }
    variables[kAddressVariable] = "localhost:" + std::to_string(port);
}

std::optional<RasPlace> ras_place_of(std::string_view value) {
    RasPlace place;
    std::string_view host = "localhost";
    place.port = kUsualPort;
    if (!value.empty()) {
        const auto colon = value.rfind(':');
        const auto port = colon == std::string_view::npos
                              ? std::nullopt
                              : parse_number<std::uint16_t>(value.substr(colon + 1));
        if (!port || *port == 0) {
            return std::nullopt;
        }
        place.port = *port;
        host = value.substr(0, colon);
    }
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    }
    if (host == "localhost" || host == "0.0.0.0" || host == "::" || host.empty()) {
        place.addresses = {"127.0.0.1", "::1"};  // which of them a name is, its resolver decides
    } else {
        place.addresses = {std::string(host)};
    }
    return place;
}

}  // namespace rankscope::agent
