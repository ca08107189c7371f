// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/session/notices.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/failure_catalogue.h>
#include <remote/observe/metric_lines/unread_lines.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "Notices";

struct EvidenceText {
    FailureId id;
    const char* text;  ///< with the places of the catalogue
};

constexpr auto kEvidence = std::to_array<EvidenceText>({
    {"event-file-damaged", "{1}, from byte {3}"},
    {"event-file-foreign", "{1}: {2}"},
    {"event-file-shrunk", "{1}, from byte {3}"},
    {"event-files-absent", "{1}"},
    {"event-folder-large", "{1}: more than {2} files, or {3} event files of this run"},
    {"gpu-ecc", "{1}: Xid {2}: {3}"},
    {"gpu-fell-off-bus", "{1}: Xid {2}: {3}"},
    {"gpu-mmu-fault", "{1}: Xid {2}: {3}"},
    {"link-down", "{1}"},
    {"nvlink-error", "{1}: Xid {2}: {3}"},
    {"peer-link-absent", "{1}"},
    {"rank-continued", "pid {1}"},
    {"rank-stopped", "pid {1}"},
});

std::string filled(const char* source, const CatalogueArguments& arguments) {
    return fill_places(text(kContext, source), arguments);
}

std::string evidence_of(const NoticeEvent& notice, const CatalogueArguments& arguments) {
    const bool has_argument = !notice.args.empty() && !notice.args.front().empty();
    if (notice.id == "restart-impossible") {
        return filled(has_argument ? "{1} is lost" : "{node} stopped waiting for the other nodes", arguments);
    }
    if (notice.id == "event-files-absent" && notice.args.size() > 1 && !notice.args[1].empty()) {
        return filled("{1}; {2} belongs to another host", arguments);
    }
    const auto* const it = std::find_if(kEvidence.begin(), kEvidence.end(),
                                        [&](const EvidenceText& entry) { return entry.id == notice.id; });
    if (it != kEvidence.end()) {
        return filled(it->text, arguments);
    }
    return catalogue_entry(notice.id) == nullptr && has_argument ? notice.args.front() : std::string();
}

std::string fix_of(const NoticeEvent& notice, const CatalogueEntry& entry,
                   const CatalogueArguments& arguments) {
    if (notice.id == "event-files-absent" && notice.args.size() > 1 && !notice.args[1].empty()) {
        return filled("If the ranks run in containers, give each its own folder: {{rank}} in the name.",
                      arguments);
    }
    return fill_places(text("FailureCatalogue", entry.remedy), arguments);
}

// Title, examples and the command that teaches the job to read them.
void describe_unread(NoticeEvent& notice, int rank) {
    notice.title = text(kContext, "No steps are read from what rank %1 prints.", {std::to_string(rank)});
    const auto unread = metric_lines::UnreadNotice::of(notice.args);
    if (!unread) {
        return;
    }
    notice.evidence = unread->examples;
    notice.fix.push_back(unread->learn_command());
}

}  // namespace

void describe_notice(Event& event) {
    auto* notice = std::get_if<NoticeEvent>(&event.body);
    if (notice == nullptr || !notice->title.empty()) {
        return;
    }
    if (notice->id == metric_lines::UnreadNotice::id()) {
        describe_unread(*notice, event.rank);
        return;
    }
    const CatalogueArguments arguments{
        .node = event.node,
        .rank = event.rank,
        .detail = notice->id == "port-in-use" && notice->args.size() > 1 ? notice->args[1] : std::string(),
        .args = notice->args};
    const CatalogueEntry* entry = catalogue_entry(notice->id);
    notice->title =
        entry != nullptr ? fill_places(text("FailureCatalogue", entry->title), arguments) : notice->id.str();
    if (std::string evidence = evidence_of(*notice, arguments); !evidence.empty()) {
        notice->evidence.push_back(std::move(evidence));
    }
    if (entry != nullptr && *entry->remedy != '\0') {
        notice->fix.push_back(fix_of(*notice, *entry, arguments));
    }
}

NoticeEvent notice_of(const Failure& failure) {
    NoticeEvent notice{.id = failure.code};
    notice.title = (failure.where.empty() ? "" : failure.where + ": ") + statement(failure);
    if (!failure.detail.empty()) {
        notice.evidence.push_back(failure.detail);
    }
    if (!failure.remedy.empty()) {
        notice.fix.push_back(failure.remedy);
    }
    return notice;
}

NoticeEvent notice_of(const Check& check) {
    NoticeEvent notice{.id = check.id, .title = check.detail, .evidence = check.evidence};
    for (const auto& fix : check.fixes) {
        notice.fix.push_back(to_line(fix));
    }
    if (check.fixes.empty() && !check.remedy.empty()) {
        notice.fix.push_back(check.remedy);
    }
    return notice;
}

}  // namespace rankscope::inline nodes
