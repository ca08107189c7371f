// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/paths.h>
#include <base/run_program.h>
#include <base/text.h>
#include <remote/desk/nodes/inventory/found_nodes.h>
#include <remote/desk/shared/text.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>

namespace rankscope::inline nodes {
namespace {

namespace fs = std::filesystem;

constexpr const char* kContext = "FoundNodes";
constexpr double kBrowseWithin = 4;
constexpr std::size_t kMostLines = 10000;
constexpr std::string_view kLocal = ".local";

bool is_host_word(std::string_view host) {
    return !host.empty() && host.size() <= 255 &&
           host.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:") ==
               host.npos;
}

// "[host]:2222" → "host:2222".
std::string without_brackets(std::string_view host) {
    const auto end = host.starts_with('[') ? host.find("]:") : host.npos;
    if (end == host.npos) {
        return std::string(host);
    }
    const auto inner = host.substr(1, end - 1);
    const bool ipv6 = inner.find(':') != inner.npos;
    return ipv6 ? std::string() : std::string(inner) + std::string(host.substr(end + 1));
}

bool is_numeric_host(std::string_view host) {
    return host.find_first_not_of("0123456789.:") == host.npos;
}

// This computer, and what was found already.
void leave_out_known(NodeImport& import, std::set<std::string>& seen) {
    std::array<char, 256> own{};
    static_cast<void>(::gethostname(own.data(), own.size() - 1));
    std::erase_if(import.nodes, [&](const ImportedNode& node) {
        return !node.taken || node.node.name == own.data() || !seen.insert(node.node.name).second;
    });
}

void add_found(NodeImport& all, NodeImport import, const std::string& place, std::set<std::string>& seen) {
    leave_out_known(import, seen);
    for (auto& node : import.nodes) {
        node.note = text(kContext, "found in %1", {place});
        node.where.clear();  // a line of a list that the user has not seen
        all.nodes.push_back(std::move(node));
    }
}

}  // namespace

std::string hosts_of_known_hosts(const std::string& text) {
    std::string hosts;
    std::set<std::string> seen;
    std::size_t lines = 0;
    for (const auto whole : split(text, '\n')) {
        const auto line = trimmed(whole);
        if (line.empty() || line.starts_with('#') || line.starts_with('@') || line.starts_with('|') ||
            ++lines > kMostLines) {
            continue;
        }
        std::vector<std::string> names;
        for (const auto name : split(line.substr(0, line.find(' ')), ',')) {
            auto host = without_brackets(name);
            if (is_host_word(host) && host.find('*') == host.npos) {
                names.push_back(std::move(host));
            }
        }
        std::stable_partition(names.begin(), names.end(),
                              [](const std::string& name) { return !is_numeric_host(name); });
        if (!names.empty() && seen.insert(names.front()).second) {
            hosts += names.front() + '\n';
        }
    }
    return hosts;
}

std::string hosts_of_avahi(const std::string& text) {
    enum Field { kState, kInterface, kProtocol, kService, kType, kDomain, kHost, kAddress, kPort, kFields };
    std::string hosts;
    std::set<std::string> seen;
    for (const auto line : split(text, '\n')) {
        const auto fields = split(line, ';');
        if (fields.size() < kFields || fields[kState] != "=" || fields[kProtocol] != "IPv4") {
            continue;
        }
        auto name = fields[kHost];
        name = name.ends_with(kLocal) ? name.substr(0, name.size() - kLocal.size()) : name;
        const bool usual_port = fields[kPort] == "22";
        if (!is_host_word(name) || !is_host_word(fields[kAddress]) ||
            !parse_number<std::uint16_t>(fields[kPort]) || seen.size() >= kMostLines ||
            !seen.insert(std::string(name)).second) {
            continue;
        }
        hosts += usual_port ? std::string(name) + ' ' + std::string(fields[kAddress])
                            : std::string(fields[kAddress]) + ':' + std::string(fields[kPort]);
        hosts += '\n';
    }
    return hosts;
}

NodeImport find_nodes(const Inventory& inventory, const std::stop_token& stop) {
    NodeImport all;
    std::set<std::string> seen;
    const fs::path folder = home_dir() / ".ssh";
    if (const auto config = read_file(folder / "config")) {
        add_found(all,
                  import_nodes(*config, (folder / "config").string(), ImportFormat::SshConfig, inventory),
                  "~/.ssh/config", seen);
    }
    if (const auto known = read_file(folder / "known_hosts")) {
        add_found(
            all, import_nodes(hosts_of_known_hosts(*known), "known_hosts", ImportFormat::HostList, inventory),
            "~/.ssh/known_hosts", seen);
    }
    const auto announced =
        run_program({"avahi-browse", "--resolve", "--parsable", "--terminate", "_ssh._tcp"},
                    {.seconds = kBrowseWithin, .stop = stop});
    add_found(all, import_nodes(hosts_of_avahi(announced.output), "avahi", ImportFormat::HostList, inventory),
              text(kContext, "the local network"), seen);
    return all;
}

}  // namespace rankscope::inline nodes
