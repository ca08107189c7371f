// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/inspection/firewall.h>
#include <remote/agent/inspection/firewall_text.h>
#include <remote/agent/node/ask_program.h>
#include <remote/agent/node/netlink.h>
#include <remote/agent/node/process_tree.h>

#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr double kRulesPatience = 2;
constexpr double kStatusPatience = 3;  // of programs in Python
constexpr double kQuickPatience = 0.15;
constexpr std::size_t kMostRules = 1U << 20U;

// A file of /proc/PID/net is another one in another namespace, for every user.
bool shares_our_network(pid_t pid) {
    struct stat own {};
    struct stat theirs {};
    return ::stat("/proc/self/net/dev", &own) == 0 &&
           ::stat(("/proc/" + std::to_string(pid) + "/net/dev").c_str(), &theirs) == 0 &&
           own.st_ino == theirs.st_ino;
}

bool runs_firewalld() {
    const auto pids = all_processes();
    return std::any_of(pids.begin(), pids.end(), [](pid_t pid) {
        return read_file("/proc/" + std::to_string(pid) + "/comm").value_or(std::string()) == "firewalld\n" &&
               shares_our_network(pid);
    });
}

std::vector<std::string> services_with_rules() {
    std::vector<std::string> found;
    std::error_code error;
    for (fs::directory_iterator it("/etc/systemd/system", error), end; !error && it != end;
         it.increment(error)) {
        if (it->path().extension() != ".wants") {
            continue;
        }
        for (const char* name :
             {"nftables", "iptables", "ip6tables", "netfilter-persistent", "firewalld", "ufw"}) {
            std::error_code ignored;
            if (fs::is_symlink(it->path() / (std::string(name) + ".service"), ignored)) {
                found.emplace_back(name);
            }
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

// Without nft: the kernel lists the hooks of nftables itself to those who may see them. Nothing: it refuses.
std::optional<bool> kernel_has_nft_hooks() {
    std::string body(bytes_of(nfgenmsg{}));
    const auto answer =
        ask_netlink(NETLINK_NETFILTER, (NFNL_SUBSYS_NFTABLES << 8U) | NFT_MSG_GETCHAIN, NLM_F_DUMP, body);
    if (answer.error != 0) {
        return std::nullopt;
    }
    return std::any_of(answer.messages.begin(), answer.messages.end(), [](const std::string& message) {
        bool hooked = false;
        if (message.size() >= sizeof(nfgenmsg)) {
            for_each_attribute(std::string_view(message).substr(sizeof(nfgenmsg)),
                               [&hooked](std::uint16_t type, std::string_view) {
                                   hooked = hooked || type == NFTA_CHAIN_HOOK;
                               });
        }
        return hooked;
    });
}

class FirewallLook {
public:
    FirewallLook(const InspectionScope& scope, const Tools& tools) : scope_(scope), tools_(tools) {}

    wire::HostInspection take() {
        ufw_enabled_ = is_ufw_enabled(read_file("/etc/ufw/ufw.conf").value_or(std::string()));
        firewalld_runs_ = runs_firewalld();
        find_rights();
        auto& firewall = *found_.mutable_firewall();
        if (may_read_) {
            ask_rules();
        }
        decide(firewall);
        if (may_read_ && !scope_.request.quick()) {
            ask_status(firewall);
        }
        if (firewall.seen_by().empty()) {
            const auto services = services_with_rules();
            firewall.mutable_services()->Assign(services.begin(), services.end());
        }
        return std::move(found_);
    }

private:
    // "-n -l" asks for no password, and a user without rights is not reported to the administrator.
    void find_rights() {
        if (::geteuid() == 0) {
            may_read_ = true;
            found_.set_sudo(true);
            return;
        }
        const auto sudo = tools_.find("sudo");
        const char* reason = "the rules need root, and sudo is not installed";
        if (sudo != tools_.end()) {
            const double patience = scope_.at_most(kRulesPatience);
            reason = "the rules need root, and a quick inspection does not ask sudo";
            if (!scope_.request.quick()) {
                reason = "the rules need root, and sudo asks for a password";
                may_read_ = ask_program({.argv = {sudo->second, "-n", "-l"},
                                         .seconds = patience,
                                         .environment = tool_environment()},
                                        scope_.stop)
                                .good();
            }
            if (may_read_) {
                prefix_ = {sudo->second, "-n"};
                found_.set_sudo(ask_program({.argv = {sudo->second, "-n", "true"},
                                             .seconds = patience,
                                             .environment = tool_environment()},
                                            scope_.stop)
                                    .good());
            }
        }
        if (!may_read_) {
            add_unseen(found_, "firewall.rules", reason);
        }
    }

    std::vector<std::string> with_rights(const std::string& program,
                                         const std::vector<std::string>& arguments) const {
        std::vector<std::string> argv = prefix_;
        argv.push_back(tools_.at(program));
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        return argv;
    }

    void ask_rules() {
        std::vector<std::string> names;
        std::vector<ProgramQuestion> questions;
        const double patience = scope_.patience(kRulesPatience, kQuickPatience);
        for (const char* name :
             {"nft", "iptables-save", "ip6tables-save", "iptables-legacy-save", "ip6tables-legacy-save"}) {
            if (tools_.contains(name)) {
                const bool nft = std::strcmp(name, "nft") == 0;
                names.emplace_back(name);
                questions.push_back(
                    {.argv = with_rights(name, nft ? std::vector<std::string>{"-j", "list", "ruleset"}
                                                   : std::vector<std::string>{}),
                     .seconds = patience,
                     .environment = tool_environment()});
            }
        }
        auto answers = ask_programs(questions, scope_.stop);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            auto& answer = answers[i];
            if (!answer.good()) {
                add_unseen(found_, "firewall.rules", names[i] + ": " + answer.why());
                continue;
            }
            some_rules_seen_ = true;
            if (names[i] == "nft") {
                nft_text_ = std::move(answer.output);
                nft_ = read_nft_ruleset(nft_text_);
            } else {
                add_iptables(answer.output, names[i].starts_with("ip6"));
            }
        }
        if (!tools_.contains("nft")) {
            const auto hooks = kernel_has_nft_hooks();
            nft_.native = hooks.value_or(false) && !iptables_.active;
            if (hooks.value_or(true)) {
                add_unseen(found_, "firewall.rules", "nft is not installed");
            }
        }
        if (!tools_.contains("iptables-save") && !tools_.contains("iptables-legacy-save") &&
            !read_file("/proc/net/ip_tables_names").value_or(std::string()).empty()) {
            iptables_.active = true;
            add_unseen(found_, "firewall.rules", "iptables is in use, and iptables-save is not installed");
        }
    }

    // iptables-save and iptables-legacy-save may be one program: each table is taken once. The comments stay, because
    // they alone say for which family a table is.
    void add_iptables(const std::string& text, bool v6) {
        const auto rules = read_iptables_save(text);
        iptables_.active = iptables_.active || rules.active;
        iptables_.ufw = iptables_.ufw || rules.ufw;
        if (rules.valid && iptables_seen_.emplace(v6, without_comments(text)).second) {
            iptables_text_ += text;
        }
    }

    // They hold the time: two answers would never be equal.
    static std::string without_comments(const std::string& text) {
        std::string kept;
        for (const auto line : split(text, '\n')) {
            if (!line.starts_with('#')) {
                kept.append(line).append("\n");
            }
        }
        return kept;
    }

    void decide(wire::Firewall& firewall) {
        const bool nothing_read = !some_rules_seen_;
        bool iptables_first = false;
        if (firewalld_runs_) {
            firewall.set_kind("firewalld");
            iptables_first = nft_.valid && !nft_.firewalld && iptables_.active;
        } else if (ufw_enabled_ && (nothing_read || iptables_.ufw)) {
            firewall.set_kind("ufw");
            iptables_first = true;
        } else if (nft_.native) {
            firewall.set_kind("nftables");
        } else if (iptables_.active) {
            firewall.set_kind("iptables");
            iptables_first = true;
        } else if (some_rules_seen_) {
            firewall.set_kind("none");
        }
        firewall.set_active(firewall.kind() != "none" && !firewall.kind().empty());
        const std::string nft_rules = nft_.native || nft_.firewalld ? nft_text_ : std::string();
        const std::string iptables_rules = iptables_.active ? iptables_text_ : std::string();
        set_rules(*firewall.mutable_rules(), iptables_first ? iptables_rules : nft_rules);
        set_rules(*firewall.mutable_other_rules(), iptables_first ? nft_rules : iptables_rules);
        if (some_rules_seen_) {
            firewall.set_seen_by(prefix_.empty() ? "root" : "sudo");
        }
    }

    void set_rules(std::string& rules, std::string text) {
        if (text.size() > kMostRules) {
            text.resize(kMostRules);
            add_unseen(found_, "firewall.rules", "more than 1 MiB: the end is missing");
        }
        rules = std::move(text);
    }

    void ask_status(wire::Firewall& firewall) {
        const bool firewalld = firewall.kind() == "firewalld";
        const std::string program = firewalld ? "firewall-cmd" : "ufw";
        if ((!firewalld && firewall.kind() != "ufw") || !tools_.contains(program)) {
            return;
        }
        auto answer = ask_program(
            {.argv = with_rights(program, firewalld ? std::vector<std::string>{"--list-all-zones"}
                                                    : std::vector<std::string>{"status", "verbose"}),
             .seconds = scope_.at_most(kStatusPatience),
             .environment = tool_environment()},
            scope_.stop);
        if (!answer.good()) {
            return add_unseen(found_, firewalld ? "firewall.zones" : "firewall.status", answer.why());
        }
        answer.output.resize(std::min(answer.output.size(), kMostRules));
        (firewalld ? *firewall.mutable_zones() : *firewall.mutable_status()) =
            as_utf8(std::move(answer.output));
    }

    const InspectionScope& scope_;
    const Tools& tools_;
    wire::HostInspection found_;
    bool ufw_enabled_ = false;
    bool firewalld_runs_ = false;
    bool may_read_ = false;
    bool some_rules_seen_ = false;
    std::vector<std::string> prefix_;  ///< of a command that needs rights; empty: root
    std::string nft_text_;
    std::string iptables_text_;
    std::set<std::pair<bool, std::string>> iptables_seen_;
    NftRuleset nft_;
    IptablesRules iptables_;
};

}  // namespace

wire::HostInspection inspect_firewall(const InspectionScope& scope, const Tools& tools) {
    return FirewallLook(scope, tools).take();
}

}  // namespace rankscope::agent
