// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/output.h>
#include <remote/ctl/table.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/nodes/keys/key_install.h>
#include <remote/desk/runs/launch/desk_name.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>
#include <sodium/utils.h>

#include <cstdio>
#include <memory>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "KeysCommand";

struct GenerateOptions {
    std::string file;
    std::string comment;
    bool passphrase = false;
};

// Typed twice, as with ssh-keygen: a typing error would lock the key for ever.
Result<std::string> new_passphrase() {
    auto first = ask_terminal(text(kContext, "Passphrase of the new key: "), false);
    auto second = first ? ask_terminal(text(kContext, "Repeat it: "), false) : std::nullopt;
    if (!second || *first != *second) {
        return Failure{"passphrase", "",
                       !second ? text(kContext, "There is no terminal to type a passphrase in.")
                               : text(kContext, "The passphrases differ; no key was created."),
                       text(kContext, "Try again."), ""};
    }
    sodium_memzero(second->data(), second->size());
    return std::move(*first);
}

int generate(const GlobalOptions& options, const GenerateOptions& wanted) {
    std::string passphrase;
    if (wanted.passphrase) {
        auto typed = new_passphrase();
        if (!typed) {
            report(typed.failure(), options.json);
            return kUsage;
        }
        passphrase = std::move(*typed);
    }
    const auto pair = generate_key(wanted.file.empty() ? default_key_file() : expand_home(wanted.file),
                                   wanted.comment.empty() ? desk_name() : wanted.comment, passphrase);
    sodium_memzero(passphrase.data(), passphrase.size());
    if (!pair) {
        report(pair.failure(), options.json);
        return kUsage;
    }
    if (options.json) {
        print_json(nlohmann::ordered_json{{"file", pair->file.string()},
                                          {"public", pair->public_line},
                                          {"fingerprint", pair->fingerprint}});
    } else {
        std::printf("%s\n%s\n%s\n", pair->file.c_str(), pair->public_line.c_str(), pair->fingerprint.c_str());
        std::printf("%s\n",
                    text(kContext, "Install it on your nodes: rankscopectl keys install all").c_str());
    }
    return kDone;
}

int install(const GlobalOptions& options, const std::vector<std::string>& names, const std::string& file) {
    const auto inventory = load_inventory(options);
    if (!inventory) {
        return kUsage;
    }
    Job job;
    job.file = inventory->file;
    job.all_nodes = names.size() == 1 && names.front() == "all";
    if (!job.all_nodes) {
        job.nodes = names;
    }
    const auto nodes = resolve_nodes(*inventory, job);
    if (!nodes) {
        report(nodes.failure(), options.json);
        return kUsage;
    }
    const auto key = read_public_key(file.empty() ? default_key_file() : expand_home(file));
    if (!key) {
        report(key.failure(), options.json);
        return kUsage;
    }
    const SharedSecret shared(terminal_prompter(options));
    const auto results = install_key_on(*nodes, *key, shared.prompter(), {});
    int code = kDone;
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    std::vector<std::vector<std::string>> rows{{"NODE", "KEY", "LOGIN WITH IT"}};
    std::vector<Failure> failures;
    for (const auto& result : results) {
        const bool reached = !result.failure || result.verified || result.failure->code == "key-not-accepted";
        nlohmann::ordered_json entry{{"node", result.node},
                                     {"status", !reached ? "failed" : (result.added ? "added" : "present")},
                                     {"verified", result.verified}};
        if (result.failure) {
            code = kUnreachable;
            failures.push_back(*result.failure);
            entry["id"] = result.failure->code.text();
            entry["what"] = result.failure->what;
            entry["remedy"] = result.failure->remedy;
            entry["detail"] = result.failure->detail;
        }
        json.push_back(std::move(entry));
        rows.push_back({result.node,
                        !reached       ? text(kContext, "not installed")
                        : result.added ? text(kContext, "added")
                                       : text(kContext, "already there"),
                        result.verified ? text(kContext, "works") : text(kContext, "fails")});
    }
    if (options.json) {
        print_json(nlohmann::ordered_json{{"key", key->fingerprint}, {"nodes", json}});
        return code;
    }
    std::fputs(format_table(rows).c_str(), stdout);
    std::fflush(stdout);
    report(failures, false);
    return code;
}

}  // namespace

void add_keys_commands(CLI::App& app, GlobalOptions& options, int& code) {
    auto* keys = app.add_subcommand("keys", "SSH keys: create one, install it on nodes");
    keys->require_subcommand(1);
    auto* generate_command =
        keys->add_subcommand("generate", "Create an ed25519 key; existing files are never overwritten");
    auto wanted = std::make_shared<GenerateOptions>();
    generate_command->add_option("--file", wanted->file, "Private key (default: ~/.ssh/id_ed25519)");
    generate_command->add_option("--comment", wanted->comment,
                                 "At the end of the public key (default: user@host)");
    generate_command->add_flag("--passphrase", wanted->passphrase, "Ask for one on the terminal");
    generate_command->callback([&options, &code, wanted] { code = generate(options, *wanted); });

    auto* install_command = keys->add_subcommand(
        "install", "Install a public key on nodes (one password for all), then log in with it");
    auto names = std::make_shared<std::vector<std::string>>();
    auto file = std::make_shared<std::string>();
    install_command->add_option("nodes", *names, "Names, or all")->required();
    install_command->add_option("--file", *file, "The key (default: ~/.ssh/id_ed25519)");
    install_command->callback([&options, &code, names, file] { code = install(options, *names, *file); });
}

}  // namespace rankscope::ctl
