// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/paths.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/output.h>
#include <remote/ctl/table.h>
#include <remote/desk/nodes/inventory/node_import.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "ImportCommand";

struct ImportOptions {
    std::string file = "~/.ssh/config";
    std::string format = "auto";
    std::string user;
    std::string identity_file;
    std::string proxy_jump;
    bool dry_run = false;
    bool skip_bad_lines = false;
};

const std::map<std::string, ImportFormat>& formats() {
    static const std::map<std::string, ImportFormat> names{{"auto", ImportFormat::Auto},
                                                           {"ssh_config", ImportFormat::SshConfig},
                                                           {"hosts", ImportFormat::HostList},
                                                           {"deepspeed", ImportFormat::DeepSpeed}};
    return names;
}

std::string name_of(ImportFormat format) {
    for (const auto& [name, value] : formats()) {
        if (value == format) {
            return name;
        }
    }
    return {};
}

std::optional<std::string> read_input(const std::string& file) {
    if (file != "-") {
        return read_file(expand_home(file));
    }
    std::string all;
    std::array<char, 65536> bytes;
    for (;;) {
        const auto got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got == 0 ? std::optional<std::string>(std::move(all)) : std::nullopt;
        }
        all.append(bytes.data(), static_cast<std::size_t>(got));
    }
}

void print(const NodeImport& read, const std::vector<NodeSpec>& taken, bool written) {
    std::vector<std::vector<std::string>> rows{{"LINE", "NAME", "HOST", "PORT", "USER", ""}};
    for (const auto& imported : read.nodes) {
        rows.push_back({imported.where, imported.node.name, imported.node.host,
                        imported.node.port == 0 ? "" : std::to_string(imported.node.port), imported.node.user,
                        imported.taken ? (imported.note.empty() ? text(kContext, "new") : imported.note)
                                       : text(kContext, "not taken: %1", {imported.note})});
    }
    std::fputs(format_table(rows).c_str(), stdout);
    std::printf("%s\n", (written ? text(kContext, "%1 nodes added", {std::to_string(taken.size())})
                                 : text(kContext, "%1 nodes would be added", {std::to_string(taken.size())}))
                            .c_str());
    std::fflush(stdout);
}

void print_as_json(const NodeImport& read, bool written) {
    nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
    for (const auto& imported : read.nodes) {
        nodes.push_back({{"where", imported.where},
                         {"name", imported.node.name},
                         {"host", imported.node.host},
                         {"port", imported.node.port == 0 ? 22 : imported.node.port},
                         {"user", imported.node.user},
                         {"cpu_slots", imported.node.cpu_slots},
                         {"taken", imported.taken},
                         {"note", imported.note}});
    }
    nlohmann::ordered_json problems = nlohmann::ordered_json::array();
    for (const auto& problem : read.problems) {
        problems.push_back(
            {{"where", problem.where}, {"what", statement(problem)}, {"remedy", problem.remedy}});
    }
    print_json(nlohmann::ordered_json{
        {"format", name_of(read.format)}, {"written", written}, {"nodes", nodes}, {"problems", problems}});
}

int import(const GlobalOptions& options, const ImportOptions& wanted) {
    const auto content = read_input(wanted.file);
    if (!content) {
        report(Failure{"bad-file", wanted.file,
                       text(kContext, "The list cannot be read: %1.", {std::strerror(errno)}),
                       text(kContext, "Give a file, or - to read what you paste."), ""},
               options.json);
        return kUsage;
    }
    auto inventory = read_inventory(options.inventory_path(), false);
    if (!inventory.problems.empty()) {
        report(inventory.problems, options.json);
        return kUsage;
    }
    const auto read = import_nodes(
        *content, wanted.file == "-" ? text(kContext, "line") : expand_home(wanted.file).string(),
        formats().at(wanted.format), inventory.inventory);
    auto taken = read.taken();
    for (auto& node : taken) {
        node.user = node.user.empty() ? wanted.user : node.user;
        node.identity_file = node.identity_file.empty() ? wanted.identity_file : node.identity_file;
        node.proxy_jump = node.proxy_jump.empty() ? wanted.proxy_jump : node.proxy_jump;
        inventory.inventory.nodes.push_back(node);
    }
    // Half of a list is worse than none: what was left out is easily forgotten.
    const bool write = !wanted.dry_run && (read.problems.empty() || wanted.skip_bad_lines) && !taken.empty();
    if (write) {
        if (auto written = write_inventory(inventory.inventory, options.inventory_path()); !written) {
            report(written.failure(), options.json);
            return kUsage;
        }
    }
    if (options.json) {
        print_as_json(read, write);
    } else {
        print(read, taken, write);
        report(read.problems, false);
        if (!read.problems.empty() && !write && !wanted.dry_run) {
            std::fprintf(
                stderr, "%s\n",
                text(kContext, "Nothing was added. Correct these lines, or skip them: --skip-bad-lines")
                    .c_str());
        }
    }
    return read.problems.empty() || write ? kDone : kUsage;
}

}  // namespace

void add_import_command(CLI::App& nodes, GlobalOptions& options, int& code) {
    auto* command = nodes.add_subcommand(
        "import", "Add the nodes of ~/.ssh/config, a hosts file, a DeepSpeed hostfile or a pasted list");
    auto wanted = std::make_shared<ImportOptions>();
    std::vector<std::string> names;
    for (const auto& [name, format] : formats()) {
        names.push_back(name);
    }
    command->add_option("file", wanted->file, "The list; - reads standard input (default: ~/.ssh/config)");
    command->add_option("--format", wanted->format, "auto, ssh_config, hosts or deepspeed")
        ->check(CLI::IsMember(names));
    command->add_option("--user", wanted->user, "Account, where the list names none");
    command->add_option("--identity-file", wanted->identity_file, "Private key, where the list names none");
    command->add_option("--proxy-jump", wanted->proxy_jump, "Jump host, where the list names none");
    command->add_flag("--dry-run", wanted->dry_run, "Only show what would be added");
    command->add_flag("--skip-bad-lines", wanted->skip_bad_lines, "Add the others all the same");
    command->callback([&options, &code, wanted] { code = import(options, *wanted); });
}

}  // namespace rankscope::ctl
