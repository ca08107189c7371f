// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/hosts_line.h>
#include <remote/diagnosis/command_fix.h>

namespace rankscope::inline runs {
namespace {

// The file is written in place: in containers it is a mount, which a rename would not replace.
ShellCommand write_hosts(const ShellCommand& new_text) {
    ShellCommand script(SourceText("new=$("));
    script.append(new_text).source(") && printf '%s\\n' \"$new\" > /etc/hosts");
    return ShellCommand("sudo sh -c").script(script);
}

}  // namespace

// /etc/hosts comes first on nearly all systems. The line is put before all others, and the name is taken out of those
// that say something else.
std::optional<Fix> hosts_line(const std::string& node, const std::string& address, const std::string& name) {
    const auto host = HostName::of(name);
    const auto place = NumericAddress::of(address);
    if (!host || !place) {
        return std::nullopt;
    }
    const ShellWord line = ShellWord(*place).add(" ").add(*host);
    ShellCommand before("echo");
    before.word(line).source("; sed");
    before.word(ShellWord("s/^\\([^#]*[[:space:]]\\)")
                    .add_pattern(*host)
                    .add("\\([[:space:]].*\\)\\{0,1\\}$/\\1rankscope-was-")
                    .add(*host)
                    .add("\\2/"));
    before.source("/etc/hosts");
    ShellCommand after("sed -e");
    after.word(ShellWord("/^").add_pattern(*place).add(" ").add_pattern(*host).add("$/d"));
    after.source("-e").word(ShellWord("s/rankscope-was-").add_pattern(*host).add("/").add(*host).add("/"));
    after.source("/etc/hosts");
    return root_fix(node, write_hosts(before), write_hosts(after));
}

}  // namespace rankscope::inline runs
