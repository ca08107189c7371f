// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The rules of a firewall as a node reports them: the first line of an input is the kind and the field that the rest
// is. What comes out is shown to users, and run as root.

#include "target.h"

#include <base/utf8.h>
#include <remote/desk/runs/preflight/firewall_fix.h>
#include <remote/desk/runs/preflight/firewall_rules.h>

#include <algorithm>

namespace rankscope {
namespace {

void check_text(const std::string& text) {
    fuzz::require(as_utf8(text) == text, "what is shown is UTF-8");
    fuzz::require(std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }),
                  "on one line");
}

void check(const wire::Firewall& firewall) {
    for (const bool outgoing : {false, true}) {
        const std::string own = "10.0.0.1";
        const std::string peer = "10.0.0.2";
        const auto decision = decide(firewall, {.interface_name = "ens1",
                                                .from = outgoing ? own : peer,
                                                .to = outgoing ? peer : own,
                                                .port = 29500,
                                                .outgoing = outgoing});
        check_text(decision.rule);
        check_text(decision.place);
        for (const auto& fix : firewall_fixes(firewall, {.node = "node1",
                                                        .interface_name = "ens1",
                                                        .address = own,
                                                        .peers = {peer, "fd00::2"},
                                                        .first_port = 29500,
                                                        .last_port = 29501,
                                                        .outgoing = outgoing})) {
            check_text(fix.command);
            fuzz::require(fix.command.starts_with("sudo ") && fix.undo.starts_with("sudo "),
                          "a fix has its undo");
            fuzz::require(fix.command.find_first_of(";`$|") == std::string::npos,
                          "nothing of the node's is a command");
        }
    }
}

}  // namespace
}  // namespace rankscope

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const std::string text(fuzz::as_text(data, size));
    const auto end = text.find('\n');
    if (end == std::string::npos) {
        return 0;
    }
    const auto head = text.substr(0, end);
    const auto blank = head.find(' ');
    const auto body = text.substr(end + 1);
    wire::Firewall firewall;
    firewall.set_kind(head.substr(0, blank));
    firewall.set_active(true);
    if (head.ends_with(" zones")) {
        firewall.set_zones(body);
    } else if (head.ends_with(" status")) {
        firewall.set_status(body);
    } else {
        firewall.set_rules(body);
    }
    check(firewall);
    return 0;
}
