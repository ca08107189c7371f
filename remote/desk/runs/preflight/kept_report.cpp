// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <remote/desk/runs/preflight/kept_report.h>
#include <remote/desk/runs/preflight/kept_report.pb.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace rankscope::inline runs {
namespace {

template <typename Range>
std::vector<std::string> strings(const Range& range) {
    return {range.begin(), range.end()};
}

std::map<std::string, std::string> strings_by_name(
    const google::protobuf::Map<std::string, std::string>& map) {
    return {map.begin(), map.end()};
}

void write(const Check& check, kept::Check& kept) {
    kept.set_id(check.id.str());
    kept.set_status(to_string(check.status));
    kept.mutable_nodes()->Assign(check.nodes.begin(), check.nodes.end());
    for (const auto& pair : check.pairs) {
        auto* entry = kept.add_pairs();
        entry->set_from(pair.from);
        entry->set_to(pair.to);
    }
    kept.set_detail(check.detail);
    kept.mutable_evidence()->Assign(check.evidence.begin(), check.evidence.end());
    for (const auto& fix : check.fixes) {
        auto* entry = kept.add_fixes();
        entry->set_node(fix.node);
        entry->set_command(fix.command);
        entry->set_undo(fix.undo);
        entry->set_root(fix.needs_root);
        entry->mutable_job()->insert(fix.job.begin(), fix.job.end());
    }
    kept.set_remedy(check.remedy);
}

Check read(const kept::Check& kept) {
    Check check;
    check.id = FailureId::from(kept.id());
    check.status = enum_from<CheckStatus>(kept.status()).value_or(CheckStatus::Skip);
    check.nodes = strings(kept.nodes());
    for (const auto& pair : kept.pairs()) {
        check.pairs.push_back({pair.from(), pair.to()});
    }
    check.detail = kept.detail();
    check.evidence = strings(kept.evidence());
    for (const auto& fix : kept.fixes()) {
        Fix& restored = check.fixes.emplace_back();  // what command_fix() made when it was found
        restored.node = fix.node();
        restored.command = fix.command();
        restored.undo = fix.undo();
        restored.needs_root = fix.root();
        restored.job = strings_by_name(fix.job());
    }
    check.remedy = kept.remedy();
    return check;
}

void write(const PathResult& path, kept::Path& kept) {
    kept.set_from(static_cast<std::uint32_t>(path.from));
    kept.set_to(static_cast<std::uint32_t>(path.to));
    kept.set_master_port(path.master_port);
    kept.set_ssh_port(path.ssh_port);
    kept.set_measured(path.measured);
    kept.set_chosen(path.chosen);
    kept.set_interface_name(path.interface_name);
    kept.set_address(path.address);
    kept.set_port(static_cast<std::uint32_t>(path.port));
    *kept.mutable_result() = path.result;
}

PathResult read(const kept::Path& kept) {
    PathResult path;
    path.from = kept.from();
    path.to = kept.to();
    path.master_port = kept.master_port();
    path.ssh_port = kept.ssh_port();
    path.measured = kept.measured();
    path.chosen = kept.chosen();
    path.interface_name = kept.interface_name();
    path.address = kept.address();
    path.port = static_cast<int>(kept.port());
    path.result = kept.result();
    return path;
}

void write(const NodeView& view, kept::View& kept) {
    kept.set_name(view.name);
    *kept.mutable_host() = view.host;
    kept.mutable_host()->mutable_firewall()->clear_rules();
    kept.mutable_host()->mutable_firewall()->clear_other_rules();
    kept.set_clock_offset_s(view.clock_offset_s);
    kept.set_reached_at(view.reached_at);
    kept.set_address(view.address);
    kept.set_interface_name(view.interface_name);
    kept.set_ranks(static_cast<std::uint32_t>(std::max(view.ranks, 0)));
    kept.set_gpus(view.gpus);
    kept.set_native(view.native);
    kept.set_precision(view.precision);
    kept.set_engine_cuda(view.engine_cuda);
    kept.set_os(view.os);
}

NodeView read(const kept::View& kept) {
    NodeView view;
    view.name = kept.name();
    view.host = kept.host();
    view.clock_offset_s = kept.clock_offset_s();
    view.reached_at = kept.reached_at();
    view.address = kept.address();
    view.interface_name = kept.interface_name();
    view.ranks = static_cast<int>(kept.ranks());
    view.gpus = kept.gpus();
    view.native = kept.native();
    view.precision = kept.precision();
    view.engine_cuda = kept.engine_cuda();
    view.os = kept.os();
    return view;
}

}  // namespace

std::string to_bytes(const KeptReport& whole) {
    const PreflightReport& report = whole.report;
    kept::Report kept;
    kept.mutable_nodes()->Assign(report.nodes.begin(), report.nodes.end());
    for (const auto& check : report.checks) {
        write(check, *kept.add_checks());
    }
    for (const auto& choice : report.choices) {
        auto* entry = kept.add_choices();
        entry->set_node(choice.node);
        entry->set_interface_name(choice.interface_name);
        entry->set_address(choice.address);
        entry->set_why(choice.why);
    }
    for (const auto& path : report.paths) {
        write(path, *kept.add_paths());
    }
    for (const auto& view : report.views) {
        write(view, *kept.add_views());
    }
    kept.mutable_untested()->Assign(report.untested.begin(), report.untested.end());
    kept.set_plan(to_json(report.plan).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    kept.mutable_addresses()->insert(report.addresses.begin(), report.addresses.end());
    kept.set_seconds(report.seconds);
    kept.set_full(whole.depth == PreflightDepth::Full);
    kept.set_made_us(whole.made_us);
    return kept.SerializeAsString();
}

std::optional<KeptReport> report_from_bytes(std::string_view bytes) {
    kept::Report kept;
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
        !kept.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || kept.nodes().empty() ||
        kept.views_size() != kept.nodes_size()) {
        return std::nullopt;
    }
    KeptReport whole;
    PreflightReport& report = whole.report;
    report.nodes = strings(kept.nodes());
    for (const auto& check : kept.checks()) {
        report.checks.push_back(read(check));
    }
    for (const auto& choice : kept.choices()) {
        report.choices.push_back({choice.node(), choice.interface_name(), choice.address(), choice.why()});
    }
    for (const auto& path : kept.paths()) {
        if (path.from() < report.nodes.size() && path.to() < report.nodes.size()) {
            report.paths.push_back(read(path));
        }
    }
    for (const auto& view : kept.views()) {
        report.views.push_back(read(view));
    }
    report.untested = strings(kept.untested());
    if (const auto json = read_json(kept.plan()); json.is_object()) {
        if (auto plan = plan_from_json(json)) {
            report.plan = std::move(*plan);
        }
    }
    report.addresses = strings_by_name(kept.addresses());
    report.seconds = kept.seconds();
    whole.depth = kept.full() ? PreflightDepth::Full : PreflightDepth::Quick;
    whole.made_us = kept.made_us();
    return whole;
}

}  // namespace rankscope::inline runs
