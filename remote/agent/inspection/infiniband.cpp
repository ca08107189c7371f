// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/inspection/infiniband.h>

#include <algorithm>
#include <string>
#include <vector>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr int kMostGids = 256;  // of one port; more are not in use anywhere

std::string line_of(const fs::path& file) {
    const std::string text = read_file(file).value_or(std::string());
    return as_utf8(text.substr(0, text.find('\n')));
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        names.push_back(it->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

bool is_set(const std::string& gid) {
    // Of a link-local address, the half that names the port must be set.
    const std::string own = gid.size() > 20 ? gid.substr(20) : gid;
    return own.find_first_not_of("0:") != std::string::npos;
}

void read_gids(const fs::path& folder, wire::InfinibandPort& port) {
    for (int i = 0; i < kMostGids; ++i) {
        const std::string index = std::to_string(i);
        const auto gid = read_file(folder / "gids" / index);
        if (!gid) {
            return;
        }
        const std::string text = as_utf8(gid->substr(0, gid->find('\n')));
        if (!is_set(text)) {
            continue;
        }
        port.add_gids(text);
        if (port.interface().empty()) {
            port.set_interface(line_of(folder / "gid_attrs/ndevs" / index));
        }
    }
}

}  // namespace

std::string_view without_number(std::string_view text) {
    const auto colon = text.find(": ");
    const bool numbered = colon != text.npos && parse_number<unsigned>(text.substr(0, colon));
    return numbered ? text.substr(colon + 2) : text;
}

wire::HostInspection inspect_infiniband(const fs::path& root) {
    wire::HostInspection found;
    for (const auto& device : names_in(root)) {
        const auto ports = names_in(root / device / "ports");
        for (const auto& number : ports) {
            const fs::path folder = root / device / "ports" / number;
            auto* port = found.add_infiniband();
            port->set_device(as_utf8(device));
            port->set_port(parse_number<std::uint32_t>(number).value_or(0));
            port->set_state(std::string(without_number(line_of(folder / "state"))));
            port->set_physical(std::string(without_number(line_of(folder / "phys_state"))));
            port->set_layer(line_of(folder / "link_layer"));
            port->set_rate(line_of(folder / "rate"));
            read_gids(folder, *port);
            if (const auto nets = names_in(root / device / "device/net");
                port->interface().empty() && !nets.empty() && ports.size() == 1) {
                port->set_interface(as_utf8(nets.front()));
            }
        }
    }
    return found;
}

}  // namespace rankscope::agent
