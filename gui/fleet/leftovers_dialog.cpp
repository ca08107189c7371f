// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/shell_quote.h>
#include <gui/fleet/leftovers_dialog.h>
#include <gui/fleet/run_adoption.h>
#include <gui/models/fleet_model.h>
#include <gui/plain_text.h>
#include <gui/session/node_use.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/quiet_header.h>

#include <QCheckBox>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>
#include <QTableWidget>
#include <QThreadPool>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

namespace rankscope::gui {

namespace {

constexpr qsizetype kLongestName = 60;

enum LeftoverColumn {
    kLeftoverWhat,
    kLeftoverPid,
    kLeftoverUser,
    kLeftoverSince,
    kLeftoverSize,
    kLeftoverCommand,
    kLeftoverFreedBy,
    kLeftoverColumns
};

QString kind_text(const Leftover& entry) {
    if (entry.port != 0) {
        return LeftoversDialog::tr("port %1").arg(entry.port);
    }
    if (entry.kind == "shared-memory" || entry.kind == "other-shared-memory") {
        return LeftoversDialog::tr("shared memory");
    }
    return entry.kind == "gpu-memory" ? LeftoversDialog::tr("GPU memory") : LeftoversDialog::tr("process");
}

QString freed_by_text(const Leftover& entry) {
    switch (freed_by(entry)) {
        case FreedBy::StopRun:
            return LeftoversDialog::tr("In use by the run: kept");
        case FreedBy::Clean:
            return entry.run_id.empty() ? LeftoversDialog::tr("Leftover: Clean up frees it")
                                        : LeftoversDialog::tr("Left by the run: Clean up frees it");
        case FreedBy::EndProcess:
            return LeftoversDialog::tr("Your own: End process");
        case FreedBy::RemoveFile:
            return LeftoversDialog::tr("Your own, no program uses it: `rm %1`")
                .arg(qs(copied_word("/dev/shm/" + entry.what)));
        case FreedBy::OtherUser:
            break;
    }
    return entry.user.empty() ? LeftoversDialog::tr("Another user's: kept")
                              : LeftoversDialog::tr("%1's: kept").arg(qs(entry.user));
}

QString since_text(std::int64_t us) {
    return us == 0 ? QString()
                   : QLocale().toString(QDateTime::fromMSecsSinceEpoch(us / 1000), QLocale::ShortFormat);
}

// The line above what belongs to a run.
QString run_text(const LeftoverGroup& group, std::int64_t now) {
    if (!group.live) {
        return LeftoversDialog::tr("The run %1 is over. It has left:").arg(qs(group.run_id));
    }
    const auto live = std::find_if(group.entries.begin(), group.entries.end(),
                                   [](const Leftover& entry) { return entry.live; });
    const QString name =
        live->run_name.empty() ? qs(group.run_id) : qs(live->run_name).simplified().left(kLongestName);
    std::int64_t since = 0;
    for (const Leftover& entry : group.entries) {
        since = entry.since_us != 0 && (since == 0 || entry.since_us < since) ? entry.since_us : since;
    }
    const QString running = since == 0
                                ? LeftoversDialog::tr("in progress")
                                : LeftoversDialog::tr("running for %1").arg(duration_us_text(since, now));
    return live->elsewhere
               ? LeftoversDialog::tr("%1, %2, of another Rankscope of yours (%3). Nothing of it is freed.")
                     .arg(name, running, qs(live->desk).simplified())
               : LeftoversDialog::tr("%1, %2. Nothing of it is freed.").arg(name, running);
}

QString size_text(std::uint64_t bytes) {
    return bytes == 0 ? QString() : bytes_text(bytes);
}

}  // namespace

LeftoversDialog::LeftoversDialog(NodeSpec node, int port, Prompter prompter,
                                 std::shared_ptr<SessionPool> sessions, QWidget* parent)
    : QDialog(parent),
      node_(std::move(node)),
      port_(port),
      prompter_(std::move(prompter)),
      sessions_(std::move(sessions)),
      job_(this, QThreadPool::globalInstance()) {
    setObjectName(u"leftoversDialog"_s);
    const QString name = node_title(node_);
    setWindowTitle(port_ != 0 ? tr("Port %1 on %2").arg(port_).arg(name) : tr("Leftovers on %1").arg(name));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(10);
    state_ = make_label({}, this, "muted");
    state_->setObjectName(u"leftoversState"_s);
    state_->setWordWrap(true);
    layout->addWidget(state_);
    make_table();
    layout->addWidget(table_, 1);
    problem_ = make_label({}, this, "fieldError");
    problem_->setObjectName(u"leftoversProblem"_s);
    problem_->hide();
    problem_->setWordWrap(true);
    problem_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(problem_);
    auto* buttons = new QDialogButtonBox(this);
    again_ = buttons->addButton(tr("&Refresh"), QDialogButtonBox::ActionRole);
    attach_ = buttons->addButton(tr("&Attach"), QDialogButtonBox::ActionRole);
    attach_->setToolTip(tr("Shows the run in Live and continues to watch it"));
    end_ = buttons->addButton(tr("&End process…"), QDialogButtonBox::ActionRole);
    clean_ = buttons->addButton(tr("&Clean up…"), QDialogButtonBox::ActionRole);
    buttons->addButton(QDialogButtonBox::Close)->setDefault(true);
    again_->setObjectName(u"leftoversAgain"_s);
    attach_->setObjectName(u"leftoversAttach"_s);
    end_->setObjectName(u"leftoversEnd"_s);
    clean_->setObjectName(u"leftoversClean"_s);
    layout->addWidget(buttons);
    connect(again_, &QPushButton::clicked, this, [this] { look(); });
    connect(attach_, &QPushButton::clicked, this, &LeftoversDialog::attach);
    connect(end_, &QPushButton::clicked, this, &LeftoversDialog::ask_end);
    connect(clean_, &QPushButton::clicked, this, &LeftoversDialog::ask_clean);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(table_, &QTableWidget::itemSelectionChanged, this, &LeftoversDialog::update_buttons);
    resize(1000, 420);
    look();
}

void LeftoversDialog::make_table() {
    table_ = new QTableWidget(0, kLeftoverColumns, this);
    table_->setObjectName(u"leftoversTable"_s);
    table_->setAccessibleName(tr("Leftovers"));
    table_->setHorizontalHeader(new QuietHeader(table_));
    table_->setHorizontalHeaderLabels(
        {tr("What"), tr("Pid"), tr("User"), tr("Since"), tr("Size"), tr("Command"), tr("Clean-up command")});
    table_->verticalHeader()->hide();
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    const std::array<int, kLeftoverColumns> widths{110, 70, 90, 150, 80, 220, 230};
    for (int column = 0; column < kLeftoverColumns; ++column) {
        table_->setColumnWidth(column, widths[std::size_t(column)]);
    }
    table_->horizontalHeader()->setSectionResizeMode(kLeftoverCommand, QHeaderView::Stretch);
}

void LeftoversDialog::look(const Action& before) {
    state_->setText(before ? tr("Working on %1…").arg(node_title(node_))
                           : tr("Reading %1…").arg(node_title(node_)));
    job_.start(
        [node = node_, port = port_, prompter = prompter_, sessions = sessions_,
         before](const JobHandle& handle) {
            Seen seen;
            auto all = with_node(node, prompter, sessions.get(), handle, [&](AgentLink& link) {
                if (before) {
                    auto done = before(link);
                    if (!done) {
                        seen.failure = done.failure();
                    } else {
                        seen.done = *done;
                    }
                }
                return find_leftovers(link, port);
            });
            if (!all) {
                seen.failure = all.failure();
            } else {
                seen.entries = std::move(*all);
            }
            return seen;
        },
        [this](const Seen& seen) { show_seen(seen); });
    update_buttons();
}

void LeftoversDialog::show_seen(const Seen& seen) {
    groups_ = by_run(seen.entries);
    rows_.clear();
    table_->clearSpans();
    table_->setRowCount(0);
    for (const LeftoverGroup& group : groups_) {
        if (port_ == 0 && !group.run_id.empty()) {
            show_run(group);
        }
        for (const Leftover& entry : group.entries) {
            show_entry(entry);
        }
    }
    if (table_->rowCount() > 0) {
        table_->selectRow(0);
    }
    problem_->setText(seen.failure ? failure_text(*seen.failure) : QString());
    problem_->setVisible(seen.failure.has_value());
    QString text = seen.done.isEmpty() ? QString() : QString(seen.done % u' ');
    if (groups_.empty() && !seen.failure) {
        text += port_ != 0 ? tr("No process listens on port %1.").arg(port_)
                           : tr("No run has left anything: no process, port, shared memory or GPU memory.");
    } else if (port_ == 0 && !groups_.empty()) {
        text +=
            tr("Everything that belongs to runs, and all processes that hold GPU memory. Rankscope never "
               "changes other users' processes.");
    }
    state_->setText(text);
    update_buttons();
}

void LeftoversDialog::add_row(Row row) {
    rows_.push_back(std::move(row));
    table_->insertRow(table_->rowCount());
}

void LeftoversDialog::show_run(const LeftoverGroup& group) {
    add_row({group.run_id, group.live, nullptr});
    const int row = table_->rowCount() - 1;
    const QString text = run_text(group, now_us());
    auto item = std::make_unique<QTableWidgetItem>(text);
    QFont font = table_->font();
    font.setBold(true);
    item->setFont(font);
    item->setToolTip(plain_text(text));
    table_->setItem(row, 0, item.release());  // the table owns it
    table_->setSpan(row, 0, 1, kLeftoverColumns);
}

void LeftoversDialog::show_entry(const Leftover& entry) {
    add_row({entry.run_id, entry.live, &entry});
    const int row = table_->rowCount() - 1;
    const std::array<QString, kLeftoverColumns> texts{
        kind_text(entry),       entry.pid == 0 ? QString() : QString::number(entry.pid),
        qs(entry.user),         since_text(entry.since_us),
        size_text(entry.bytes), qs(entry.what).simplified(),
        freed_by_text(entry)};
    for (int column = 0; column < kLeftoverColumns; ++column) {
        auto item = std::make_unique<QTableWidgetItem>(texts[std::size_t(column)]);
        item->setToolTip(plain_text(texts[std::size_t(column)]));
        table_->setItem(row, column, item.release());  // the table owns it
    }
}

const LeftoversDialog::Row* LeftoversDialog::selected_row() const {
    const int row = table_->currentRow();
    return row >= 0 && row < int(rows_.size()) && !table_->selectedItems().isEmpty()
               ? &rows_[std::size_t(row)]
               : nullptr;
}

const Leftover* LeftoversDialog::selected() const {
    const Row* row = selected_row();
    return row != nullptr ? row->entry : nullptr;
}

void LeftoversDialog::update_buttons() {
    const bool idle = !busy();
    const Leftover* entry = selected();
    const Row* row = selected_row();
    again_->setEnabled(idle);
    attach_->setEnabled(idle && store_ && row != nullptr && row->live && !row->run_id.empty());
    end_->setEnabled(idle && entry != nullptr && entry->pid != 0 && freed_by(*entry) == FreedBy::EndProcess);
    const bool any = std::any_of(rows_.begin(), rows_.end(), [](const Row& left) {
        return left.entry != nullptr && freed_by(*left.entry) == FreedBy::Clean;
    });
    clean_->setEnabled(idle && (any || (port_ == 0 && problem_->isHidden())));  // spools and pushed programs
}

void LeftoversDialog::set_store(std::shared_ptr<RunStore> store, std::vector<NodeSpec> nodes) {
    store_ = std::move(store);
    nodes_ = std::move(nodes);
    update_buttons();
}

void LeftoversDialog::attach() {
    const Row* row = selected_row();
    if (row == nullptr || !store_) {
        return;
    }
    state_->setText(tr("Reading the events of the run…"));
    job_.start(
        [run_id = row->run_id, node = node_, nodes = nodes_, prompter = prompter_,
         store = store_](const JobHandle& handle) -> Result<void> {
            if (store->run(run_id)) {
                return {};  // of this computer, or adopted before
            }
            const auto parts = find_parts(run_id, node, nodes, prompter, handle);
            return parts ? adopt_parts(*store, prompter, *parts, handle, {}) : Result<void>(parts.failure());
        },
        [this, run_id = row->run_id](const Result<void>& done) {
            if (!done) {
                state_->setText(tr("The run cannot be shown here."));
                problem_->setText(failure_text(done.failure()));
                problem_->show();
                update_buttons();
                return;
            }
            emit attachRequested(qs(run_id));
            accept();
        });
    update_buttons();
}

void LeftoversDialog::ask_clean() {
    QStringList what;
    for (const Row& row : rows_) {
        if (row.entry != nullptr && freed_by(*row.entry) == FreedBy::Clean) {
            const Leftover& entry = *row.entry;
            what += QString(kind_text(entry) % (entry.pid == 0 ? QString() : tr(", pid %1").arg(entry.pid)) %
                            u": "_s % qs(entry.what).simplified());
        }
    }
    auto* box =
        new QMessageBox(QMessageBox::NoIcon, tr("Clean up"),
                        plain_text(tr("Free the leftovers of finished runs on %1?").arg(node_title(node_))),
                        QMessageBox::NoButton, this);
    box->setObjectName(u"cleanDialog"_s);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(
        plain_text((what.isEmpty() ? QString() : QString(what.join(u'\n') % u"\n\n"_s)) %
                   tr("The spools of finished runs on the node are deleted, too. Runs stored on this "
                      "computer stay.")));
    auto* caches = new QCheckBox(
        tr("Also delete the &programs that Rankscope pushed there; the next start pushes them again"), box);
    caches->setObjectName(u"cleanCaches"_s);
    box->setCheckBox(caches);
    QPushButton* clean = box->addButton(tr("&Clean up"), QMessageBox::AcceptRole);
    clean->setObjectName(u"cleanConfirm"_s);
    box->setDefaultButton(box->addButton(QMessageBox::Cancel));
    connect(box, &QMessageBox::finished, this, [this, box, clean, caches] {
        if (box->clickedButton() == clean) {
            look([with_caches = caches->isChecked()](AgentLink& link) -> Result<QString> {
                auto cleaned = clean_leftovers(link, {.run_id = {}, .caches = with_caches});
                if (!cleaned) {
                    return cleaned.failure();
                }
                QString done = tr("%1 items were removed, %2.")
                                   .arg(cleaned->removed.size())
                                   .arg(bytes_text(cleaned->bytes));
                if (!cleaned->kept.empty()) {
                    QStringList kept;
                    for (const std::string& folder : cleaned->kept) {
                        kept += qs(folder);
                    }
                    done += u' ' % tr("Kept, in use or your own: %1.").arg(kept.join(u", "_s));
                }
                return done;
            });
        }
    });
    box->open();
}

void LeftoversDialog::ask_end() {
    const Leftover* chosen = selected();
    if (chosen == nullptr) {
        return;
    }
    auto* box =
        new QMessageBox(QMessageBox::NoIcon, tr("End process"),
                        plain_text(tr("End process %1 on %2?").arg(chosen->pid).arg(node_title(node_))),
                        QMessageBox::NoButton, this);
    box->setObjectName(u"endDialog"_s);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(
        plain_text(tr("%1\n\nIt receives SIGTERM; three seconds later it is killed. Unsaved data "
                      "is lost.")
                       .arg(qs(chosen->what).simplified())));
    QPushButton* end = box->addButton(tr("&End process"), QMessageBox::AcceptRole);
    end->setObjectName(u"endConfirm"_s);
    box->setDefaultButton(box->addButton(QMessageBox::Cancel));
    connect(box, &QMessageBox::finished, this, [this, box, end, entry = *chosen] {
        if (box->clickedButton() == end) {
            look([entry](AgentLink& link) -> Result<QString> {
                const auto how = end_process(link, entry);
                if (!how) {
                    return how.failure();
                }
                switch (*how) {
                    case ProcessEnd::Before:
                        return tr("Process %1 had already ended.").arg(entry.pid);
                    case ProcessEnd::Terminated:
                        return tr("Process %1 has ended.").arg(entry.pid);
                    case ProcessEnd::Killed:
                        return tr("Process %1 ignored SIGTERM and was killed.").arg(entry.pid);
                }
                return QString();
            });
        }
    });
    box->open();
}

}  // namespace rankscope::gui
