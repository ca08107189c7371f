// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What ssh prints and asks, what an agent answers, known_hosts, and lists of machines that users paste.

#include "target.h"

#include <remote/desk/nodes/inventory/found_nodes.h>
#include <remote/desk/nodes/inventory/node_import.h>
#include <remote/desk/nodes/transport/agent_keys.h>
#include <remote/desk/nodes/transport/askpass_server.h>
#include <remote/desk/nodes/transport/known_hosts_markers.h>
#include <remote/desk/nodes/transport/openssh_errors.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const std::string text(fuzz::as_text(data, size));
    NodeSpec node;
    node.name = node.host = "gpu1";
    SshTarget target = parse_resolved_options(node, text);
    (void)describe_target(target);
    (void)expand_ssh_path(target, text.substr(0, 200));

    const Failure failure = explain_openssh(target, text);
    fuzz::require(!failure.code.empty() && !failure.what.empty() && failure.where == "gpu1",
                  "whatever ssh says is a failure that names the node");
    (void)understand_askpass(text);
    (void)parse_agent_keys(text);
    for (const auto& key : parse_marked_keys(text)) {
        fuzz::require(key.marker[0] == '@' && key.line > 0, "only marked lines");
        (void)hosts_match(key.hosts, text.substr(0, 100));
    }
    // Include would read files of this computer.
    if (text.find("nclude") == std::string::npos && text.find("NCLUDE") == std::string::npos) {
        for (const auto& hosts : {hosts_of_known_hosts(text), hosts_of_avahi(text)}) {
            const auto import = import_nodes(hosts, "found", ImportFormat::HostList, {});
            for (const auto& taken : import.taken()) {
                fuzz::require(check_node(taken).empty(), "what is found is a right node");
            }
        }
        for (const auto format : {ImportFormat::Auto, ImportFormat::DeepSpeed, ImportFormat::HostList}) {
            const auto import = import_nodes(text, "list", format, {});
            for (const auto& taken : import.taken()) {
                fuzz::require(check_node(taken).empty(), "what is taken is a right node");
            }
            for (const auto& problem : import.problems) {
                fuzz::require(
                    problem.where.starts_with("list:") && !problem.what.empty() && !problem.remedy.empty(),
                    "every fault names its line");
            }
        }
    }
    return 0;
}
