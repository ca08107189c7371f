// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/fleet/node_runs_dialog.h>
#include <gui/models/fleet_model.h>
#include <gui/plain_text.h>
#include <gui/session/node_use.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QTableWidget>
#include <QThreadPool>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kRoom = 12;  // beside a text, pixels
constexpr int kWidest = 260;

enum NodeRunColumn {
    kNodeRunNode,
    kNodeRunName,
    kNodeRunRun,
    kNodeRunSince,
    kNodeRunState,
    kNodeRunProcesses,
    kNodeRunDesk,
    kNodeRunColumns
};

QString state_text(const NodeRun& run) {
    return run.submitted && run.submitted->waiting ? NodeRunsDialog::tr("waiting") : outcome_text(run.state);
}

}  // namespace

NodeRunsDialog::NodeRunsDialog(Setting setting, QWidget* parent)
    : QDialog(parent), setting_(std::move(setting)), job_(this, QThreadPool::globalInstance()) {
    setObjectName(u"nodeRunsDialog"_s);
    setWindowTitle(setting_.nodes.size() == 1 ? tr("Runs on %1").arg(node_title(setting_.nodes.front()))
                                              : tr("Runs on %1 nodes").arg(setting_.nodes.size()));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(10);
    state_ = make_label({}, this, "muted");
    state_->setObjectName(u"nodeRunsState"_s);
    state_->setWordWrap(true);
    layout->addWidget(state_);
    make_table();
    layout->addWidget(table_, 1);
    problem_ = make_label({}, this, "fieldError");
    problem_->setObjectName(u"nodeRunsProblem"_s);
    problem_->setWordWrap(true);
    problem_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    problem_->hide();
    layout->addWidget(problem_);
    auto* buttons = new QDialogButtonBox(this);
    attach_ = make_button(tr("&Attach"), "nodeRunsAttach", this);
    attach_->setToolTip(
        tr("Reads the events of the run from its nodes, shows it in Live and continues to watch"));
    stop_ = make_button(tr("&Stop…"), "nodeRunsStop", this);
    force_ = make_button(tr("&Force stop…"), "nodeRunsForce", this, "danger");
    again_ = make_button(tr("&Refresh"), "nodeRunsAgain", this);
    for (QPushButton* button : {again_, attach_, stop_, force_}) {
        buttons->addButton(button, QDialogButtonBox::ActionRole);
    }
    buttons->addButton(QDialogButtonBox::Close)->setDefault(true);
    layout->addWidget(buttons);
    connect(again_, &QPushButton::clicked, this, [this] { look(); });
    connect(attach_, &QPushButton::clicked, this, &NodeRunsDialog::attach);
    connect(stop_, &QPushButton::clicked, this, [this] { ask_stop(false); });
    connect(force_, &QPushButton::clicked, this, [this] { ask_stop(true); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(table_, &QTableWidget::itemSelectionChanged, this, &NodeRunsDialog::update_buttons);
    resize(960, 400);
    look();
}

void NodeRunsDialog::make_table() {
    table_ = new QTableWidget(0, kNodeRunColumns, this);
    tune_table(table_, "nodeRunsTable", tr("Runs on the nodes"));
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setHorizontalHeaderLabels(
        {tr("Node"), tr("Name"), tr("Run"), tr("Since"), tr("State"), tr("Processes"), tr("Started by")});
    table_->horizontalHeaderItem(kNodeRunProcesses)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table_->horizontalHeader()->setSectionResizeMode(kNodeRunName, QHeaderView::Stretch);
    table_->setColumnHidden(kNodeRunNode, setting_.nodes.size() == 1);
}

void NodeRunsDialog::look(const Action& before) {
    state_->setText(before ? tr("Working…") : tr("Reading the runs…"));
    job_.start(
        [setting = setting_, before](const JobHandle& handle) {
            Seen seen;
            if (before) {
                before(handle, seen);
            }
            for (const NodeSpec& node : setting.nodes) {
                if (handle.cancelled()) {
                    break;
                }
                const auto runs = with_node(node, setting.prompter, setting.sessions.get(), handle,
                                            [](AgentLink& link) { return runs_on_node(link); });
                if (!runs) {
                    seen.failures.push_back(runs.failure());
                    continue;
                }
                for (const NodeRun& run : *runs) {
                    seen.entries.push_back({node, run});
                }
            }
            // Those that run first, of each the newest first.
            std::stable_sort(seen.entries.begin(), seen.entries.end(), [](const Entry& a, const Entry& b) {
                const bool a_runs = a.run.state == Outcome::Running;
                const bool b_runs = b.run.state == Outcome::Running;
                return a_runs != b_runs ? a_runs : a.run.started_us > b.run.started_us;
            });
            return seen;
        },
        [this](const Seen& seen) { show_seen(seen); });
    update_buttons();
}

void NodeRunsDialog::show_problems(const std::vector<Failure>& failures) {
    problem_->setText(failures_text(failures));
    problem_->setVisible(!failures.empty());
}

void NodeRunsDialog::show_seen(const Seen& seen) {
    entries_ = seen.entries;
    table_->setRowCount(int(entries_.size()));
    for (int row = 0; row < table_->rowCount(); ++row) {
        const auto& [node, run] = entries_[std::size_t(row)];
        const std::array<QString, kNodeRunColumns> texts{
            node_title(node),         qs(run.name).simplified(),
            qs(run.run_id),           date_time_text(run.started_us),
            state_text(run),          QString::number(run.processes),
            qs(run.desk).simplified()};
        for (int column = 0; column < kNodeRunColumns; ++column) {
            auto item = std::make_unique<QTableWidgetItem>(texts[std::size_t(column)]);
            item->setToolTip(plain_text(texts[std::size_t(column)]));
            if (column == kNodeRunProcesses) {
                item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            }
            table_->setItem(row, column, item.release());  // the table owns it
        }
    }
    table_->resizeColumnsToContents();
    for (int column = 0; column < kNodeRunColumns; ++column) {
        if (column != kNodeRunName) {
            table_->setColumnWidth(column, std::min(table_->columnWidth(column) + kRoom, kWidest));
        }
    }
    if (table_->rowCount() > 0) {
        table_->selectRow(0);
    }
    show_problems(seen.failures);
    QStringList text;
    if (!seen.done.isEmpty()) {
        text += seen.done;
    }
    if (!entries_.empty()) {
        text +=
            tr("Runs of this user on the node, whichever computer started them. A stop reaches all nodes of "
               "the run.");
    } else if (seen.failures.empty()) {
        text += tr("No runs here: none is in progress, and none has left its events.");
    }
    state_->setText(text.join(u' '));
    update_buttons();
}

const NodeRunsDialog::Entry* NodeRunsDialog::selected() const {
    const int row = table_->currentRow();
    return row >= 0 && row < int(entries_.size()) && !table_->selectedItems().isEmpty()
               ? &entries_[std::size_t(row)]
               : nullptr;
}

void NodeRunsDialog::update_buttons() {
    const Entry* entry = selected();
    const bool ready = !busy() && entry != nullptr;
    again_->setEnabled(!busy());
    attach_->setEnabled(ready && setting_.store);
    stop_->setEnabled(ready && entry->run.state == Outcome::Running);
    force_->setEnabled(ready && entry->run.state == Outcome::Running);
}

void NodeRunsDialog::attach() {
    const Entry* chosen = selected();
    if (chosen == nullptr || !setting_.store) {
        return;
    }
    const std::string run_id = chosen->run.run_id;
    std::vector<Entry> parts;
    std::copy_if(entries_.begin(), entries_.end(), std::back_inserter(parts),
                 [&](const Entry& entry) { return entry.run.run_id == run_id; });
    state_->setText(tr("Reading the events of %1…").arg(qs(chosen->run.name)));
    show_problems({});
    job_.start(
        [this, setting = setting_, parts](const JobHandle& handle) -> Result<void> {
            return adopt_parts(*setting.store, setting.prompter, parts, handle, [&](std::uint64_t count) {
                handle.post([this, count] {
                    state_->setText(tr("Reading the events: %1").arg(count_text(std::int64_t(count))));
                });
            });
        },
        [this, run_id](const Result<void>& done) {
            if (!done) {
                state_->setText(tr("The run cannot be shown here."));
                show_problems({done.failure()});
                update_buttons();
                return;
            }
            emit attachRequested(qs(run_id));
            accept();
        });
    update_buttons();
}

void NodeRunsDialog::ask_stop(bool force) {
    const Entry* chosen = selected();
    if (chosen == nullptr) {
        return;
    }
    auto* box =
        new QMessageBox(QMessageBox::NoIcon, force ? tr("Force stop") : tr("Stop"),
                        plain_text(tr("Stop %1 on all its nodes?").arg(qs(chosen->run.name).simplified())),
                        QMessageBox::NoButton, this);
    box->setObjectName(u"nodeRunsQuestion"_s);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(plain_text(
        tr("%1, started by %2.").arg(qs(chosen->run.run_id), qs(chosen->run.desk).simplified()) % u"\n\n"_s %
        (force ? tr("All its processes are killed at once; unsaved data is lost.")
               : tr("Its ranks receive SIGTERM; those that have not ended after the grace period of the job "
                    "are "
                    "killed."))));
    QPushButton* confirm = box->addButton(force ? tr("&Force stop") : tr("&Stop"), QMessageBox::AcceptRole);
    confirm->setObjectName(u"nodeRunsConfirm"_s);
    box->setDefaultButton(box->addButton(QMessageBox::Cancel));
    connect(box, &QMessageBox::finished, this, [this, box, confirm, entry = *chosen, force] {
        if (box->clickedButton() != confirm) {
            return;
        }
        look([entry, force, prompter = setting_.prompter, sessions = setting_.sessions](
                 const JobHandle& handle, Seen& seen) {
            const auto stopped =
                with_node(entry.node, prompter, sessions.get(), handle, [&](AgentLink& link) {
                    return stop_run_on_node(link, entry.node.name, entry.run.run_id, force);
                });
            if (!stopped) {
                seen.failures.push_back(stopped.failure());
            } else {
                const QString name = qs(entry.run.name).simplified();
                seen.done = !stopped->was_running ? tr("%1 was not running.").arg(name)
                            : stopped->job_id != 0
                                ? tr("Slurm ends job %1 of %2.").arg(QString::number(stopped->job_id), name)
                                : tr("The supervisors stop %1.").arg(name);
            }
        });
    });
    box->open();
}

}  // namespace rankscope::gui
