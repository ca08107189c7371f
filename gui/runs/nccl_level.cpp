// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/runs/nccl_level.h>
#include <gui/session/node_use.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/nodes/session/node_runs.h>

#include <QMenu>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::gui {

NcclLevel::NcclLevel(Workspace* workspace, QWidget* page)
    : QObject(page),
      workspace_(workspace),
      notice_(new NoticeBar(NoticeBar::Kind::News, "runsNcclLevel", page)),
      job_(this, workspace->pool()) {
    notice_->set_dismissable(true);
}

void NcclLevel::fill(QMenu* menu, const RunRecord& run) {
    const std::array<std::pair<QString, std::uint32_t>, 4> levels{
        {{tr("&Pause"), 0}, {tr("&Light"), 1}, {tr("&Auto"), 2}, {tr("&Full"), 3}}};
    for (const auto& [text, level] : levels) {
        QAction* action = menu->addAction(
            text, this, [this, id = run.run_id, name = qs(run.name), level = level, word = QString(text)] {
                set(id, name, level, QString(word).remove(u'&'));
            });
        action->setObjectName(u"ncclLevel%1"_s.arg(level));
    }
}

void NcclLevel::set(const std::string& run_id, const QString& name, std::uint32_t level,
                    const QString& word) {
    struct Changed {
        int nodes = 0;
        std::optional<Failure> failure;
    };
    notice_->set_text(tr("Changing what is observed of NCCL in %1…").arg(name));
    job_.start(
        [store = workspace_->store(), inventory = workspace_->fleet()->inventory(),
         prompter = workspace_->prompter(), sessions = workspace_->fleet()->sessions(), run_id,
         level](const JobHandle& handle) {
            Changed changed;
            const auto run = store->run(run_id);
            if (!run) {
                changed.failure = run.failure();
                return changed;
            }
            const Job job = parse_job(run->job_yaml, run_id).job;
            std::vector<std::string> nodes;
            if (launcher_of(job).chooses_nodes) {
                nodes.push_back(submit_node(job));
            } else {
                for (const NodePlan& node : run->plan.nodes) {
                    nodes.push_back(node.node);
                }
            }
            for (const std::string& node : nodes) {
                const NodeSpec* spec = inventory.find(node);
                if (spec == nullptr && node != kLocalNodeName) {
                    changed.failure =
                        Failure{"unknown-node", node, ss(tr("The node is not in the inventory.")), "", ""};
                    continue;
                }
                const auto done = with_node(spec != nullptr ? *spec : local_node(), prompter, sessions.get(),
                                            handle, [&](AgentLink& link) {
                                                return set_nccl_level_on_node(link, run_id, {level, {}});
                                            });
                if (!done) {
                    changed.failure = done.failure();
                } else if (*done) {
                    ++changed.nodes;
                }
            }
            return changed;
        },
        [this, name, word](const Changed& changed) {
            notice_->set_text(
                changed.nodes > 0
                    ? tr("NCCL in %1: %2, on %n node(s).", nullptr, changed.nodes).arg(name, word)
                : changed.failure ? QString()
                                  : tr("%1 is not running.").arg(name));
            if (changed.failure) {
                emit failed(tr("Not every node of %1 has changed what it observes of NCCL.").arg(name),
                            *changed.failure);
            }
        });
}

}  // namespace rankscope::gui
