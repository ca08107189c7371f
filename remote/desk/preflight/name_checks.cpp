// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/shell_quote.h>
#include <remote/desk/preflight/interface_checks.h>
#include <remote/desk/preflight/name_checks.h>
#include <remote/desk/text.h>

#include <algorithm>
#include <map>
#include <optional>

namespace rankscope {
namespace {

constexpr const char* kContext = "Preflight";

// nullptr: not asked for, or the answer came too late to say anything.
const wire::ResolvedName* resolved(const NodeView& view, const std::string& name) {
    for (const auto& entry : view.host.names()) {
        if (entry.name() == name) {
            const bool answered = entry.error() != "late" && entry.error() != "not-asked";
            return answered ? &entry : nullptr;
        }
    }
    return nullptr;
}

std::string list(const wire::ResolvedName& name) {
    std::string all;
    for (const auto& address : name.addresses()) {
        all += (all.empty() ? "" : " ") + address;
    }
    return all;
}

std::string in_pattern(const std::string& name) {
    std::string pattern;
    for (const char c : name) {
        pattern += c == '.' ? "[.]" : std::string(1, c);
    }
    return pattern;
}

// /etc/hosts comes first on nearly all systems. The line is put before all others, and the name is taken out of
// those that say something else. The file is written in place: in containers it is a mount, which a rename would not
// replace.
Fix hosts_line(const NodeView& at, const std::string& address, const std::string& name) {
    const std::string line = address + ' ' + name;
    const std::string found = "s/^\\([^#]*[[:space:]]\\)" + in_pattern(name) +
                              "\\([[:space:]].*\\)\\{0,1\\}$/\\1rankscope-was-" + name + "\\2/";
    const auto edit = [](const std::string& new_text) {
        return "sudo sh -c " + shell_quote("new=$(" + new_text + ") && printf '%s\\n' \"$new\" > /etc/hosts");
    };
    return {.node = at.name,
            .command = edit("echo '" + line + "'; sed '" + found + "' /etc/hosts"),
            .undo = edit("sed -e '/^" + in_pattern(line) + "$/d' -e 's/rankscope-was-" + in_pattern(name) +
                         "/" + name + "/' /etc/hosts"),
            .needs_root = true};
}

class Names {
public:
    Names(const std::vector<NodeView>& views, std::size_t master, const std::string& master_address)
        : views_(views), master_(master), master_name_(is_numeric(master_address) ? "" : master_address) {}

    std::vector<Check> take() {
        for (const auto& view : views_) {
            own_name(view);
        }
        if (views_.size() > 1) {
            for (const auto& view : views_) {
                for (std::size_t i = 0; i < views_.size(); ++i) {
                    if (views_[i].name != view.name) {
                        peer(view, i);
                    }
                }
            }
        }
        std::vector<Check> checks;
        for (auto& [id, check] : found_) {
            checks.push_back(std::move(check));
        }
        if (checks.empty()) {
            Check fine;
            fine.id = "master-unresolvable";
            fine.detail = text(kContext, "Every name leads to the right node.");
            checks.push_back(std::move(fine));
        }
        return checks;
    }

private:
    Check& add(FailureId id, const NodeView& view, CheckStatus status, const std::string& detail) {
        Check& check = found_[id];
        if (check.nodes.empty()) {
            check.id = id;
            check.status = status;
            check.detail = detail;
        } else {
            check.status = check.status == CheckStatus::Fail ? check.status : status;
        }
        if (std::find(check.nodes.begin(), check.nodes.end(), view.name) == check.nodes.end()) {
            check.nodes.push_back(view.name);
        }
        check.evidence.push_back(detail);
        return check;
    }

    void own_name(const NodeView& view) {
        const auto* own = resolved(view, view.host.hostname());
        if (own == nullptr || views_.size() < 2) {
            return;
        }
        const std::string& name = own->name();
        if (own->addresses().empty()) {
            add("hostname-unresolvable", view, CheckStatus::Warn,
                text(kContext,
                     "%1 cannot resolve its own name \"%2\": programs that look it up advertise 127.0.0.1.",
                     {view.name, name}))
                .fixes.push_back(hosts_line(view, view.address, name));
            return;
        }
        const std::string& first = own->addresses(0);
        if (is_loopback(first)) {
            add("loopback-hostname", view, CheckStatus::Warn,
                text(kContext,
                     "%1 resolves its own name \"%2\" to %3. Gloo without an interface, and torchrun's c10d "
                     "rendezvous, advertise that address to the other nodes.",
                     {view.name, name, first}))
                .fixes.push_back(hosts_line(view, view.address, name));
        } else if (is_shared_address(views_, first)) {
            add("docker0-chosen", view, CheckStatus::Warn,
                text(kContext,
                     "%1 resolves its own name \"%2\" to %3, an address of a bridge that several nodes have.",
                     {view.name, name, first}))
                .fixes.push_back(hosts_line(view, view.address, name));
        } else if (is_link_local(first)) {
            add("ipv6-link-local", view, CheckStatus::Warn,
                text(kContext, "%1 resolves its own name \"%2\" to the link-local address %3.",
                     {view.name, name, first}))
                .fixes.push_back(hosts_line(view, view.address, name));
        }
    }

    // What `view` makes of the names of another node.
    void peer(const NodeView& view, std::size_t index) {
        const NodeView& target = views_[index];
        std::vector<std::string> names{target.host.hostname()};
        if (index == master_ && !master_name_.empty()) {
            names.push_back(master_name_);
        }
        if (!is_numeric(target.address) && target.address != master_name_) {
            names.push_back(target.address);
        }
        for (const auto& name : names) {
            const auto* entry = name.empty() ? nullptr : resolved(view, name);
            if (entry != nullptr) {
                judge(view, target, *entry, name == master_name_ || name == target.address);
            }
        }
    }

    std::optional<std::string> own_address(const NodeView& target) const {
        if (is_numeric(target.address)) {
            return target.address;
        }
        for (const auto& interface : target.host.interfaces()) {
            for (const auto& address : interface.addresses()) {
                if (!interface.loopback() && !is_ipv6(address) && !is_shared_address(views_, address)) {
                    return address;
                }
            }
        }
        return std::nullopt;
    }

    void judge(const NodeView& view, const NodeView& target, const wire::ResolvedName& name, bool used) {
        const CheckStatus status = used ? CheckStatus::Fail : CheckStatus::Warn;
        const auto address = own_address(target);
        const auto repair = [&](Check& check) {
            if (address) {
                check.fixes.push_back(hosts_line(view, *address, name.name()));
            }
        };
        if (name.addresses().empty()) {
            return repair(add("master-unresolvable", view, status,
                              text(kContext, "%1 cannot resolve \"%2\", the name of %3.",
                                   {view.name, name.name(), target.name})));
        }
        const auto belongs = [&](const std::string& candidate) {
            return interface_of(target, candidate) != nullptr || candidate == target.reached_at;
        };
        const bool any_ipv4 = std::any_of(name.addresses().begin(), name.addresses().end(),
                                          [](const std::string& entry) { return !is_ipv6(entry); });
        if (!any_ipv4 && address && !is_ipv6(*address)) {
            return repair(add("ipv6-only-name", view, status,
                              text(kContext, "%1 resolves \"%2\" (%3) to IPv6 alone: %4.",
                                   {view.name, name.name(), target.name, list(name)})));
        }
        const std::string& first = name.addresses(0);
        if (is_loopback(first)) {
            // Each node has its own 127.0.0.0/8.
            return repair(add("master-addr-wrong-node", view, status,
                              text(kContext, "%1 resolves \"%2\", the name of %3, to %4: itself.",
                                   {view.name, name.name(), target.name, first})));
        }
        if (!belongs(first) && !target.host.interfaces().empty()) {
            repair(add("master-addr-wrong-node", view, status,
                       text(kContext, "%1 resolves \"%2\" to %3, which is no address of %4.",
                            {view.name, name.name(), first, target.name})));
        }
    }

    const std::vector<NodeView>& views_;
    std::size_t master_;
    std::string master_name_;  ///< empty: MASTER_ADDR is numeric
    std::map<FailureId, Check> found_;
};

}  // namespace

std::vector<Check> name_checks(const std::vector<NodeView>& views, std::size_t master,
                               const std::string& master_address) {
    return Names(views, master, master_address).take();
}

}  // namespace rankscope
