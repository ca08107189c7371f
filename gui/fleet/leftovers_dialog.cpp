// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/shell_quote.h>
#include <gui/fleet/leftovers_dialog.h>
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

enum Column { kWhat, kPid, kUser, kSince, kSize, kCommand, kFreedBy, kColumns };

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
            return LeftoversDialog::tr("Run %1 is active: stop it").arg(qs(entry.run_id));
        case FreedBy::Clean:
            return entry.run_id.empty()
                       ? LeftoversDialog::tr("Leftover: Clean up frees it")
                       : LeftoversDialog::tr("Left by run %1: Clean up frees it").arg(qs(entry.run_id));
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
    end_ = buttons->addButton(tr("&End process…"), QDialogButtonBox::ActionRole);
    clean_ = buttons->addButton(tr("&Clean up…"), QDialogButtonBox::ActionRole);
    buttons->addButton(QDialogButtonBox::Close)->setDefault(true);
    again_->setObjectName(u"leftoversAgain"_s);
    end_->setObjectName(u"leftoversEnd"_s);
    clean_->setObjectName(u"leftoversClean"_s);
    layout->addWidget(buttons);
    connect(again_, &QPushButton::clicked, this, [this] { look(); });
    connect(end_, &QPushButton::clicked, this, &LeftoversDialog::ask_end);
    connect(clean_, &QPushButton::clicked, this, &LeftoversDialog::ask_clean);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(table_, &QTableWidget::itemSelectionChanged, this, &LeftoversDialog::update_buttons);
    resize(1000, 420);
    look();
}

void LeftoversDialog::make_table() {
    table_ = new QTableWidget(0, kColumns, this);
    table_->setObjectName(u"leftoversTable"_s);
    table_->setAccessibleName(tr("Leftovers"));
    table_->setHorizontalHeader(new QuietHeader(table_));
    table_->setHorizontalHeaderLabels(
        {tr("What"), tr("Pid"), tr("User"), tr("Since"), tr("Size"), tr("Command"), tr("Freed by")});
    table_->verticalHeader()->hide();
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    const std::array<int, kColumns> widths{110, 70, 90, 150, 80, 220, 230};
    for (int column = 0; column < kColumns; ++column) {
        table_->setColumnWidth(column, widths[std::size_t(column)]);
    }
    table_->horizontalHeader()->setSectionResizeMode(kCommand, QHeaderView::Stretch);
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
    entries_ = seen.entries;
    table_->setRowCount(int(entries_.size()));
    for (int row = 0; row < table_->rowCount(); ++row) {
        const Leftover& entry = entries_[std::size_t(row)];
        const std::array<QString, kColumns> texts{
            kind_text(entry),       entry.pid == 0 ? QString() : QString::number(entry.pid),
            qs(entry.user),         since_text(entry.since_us),
            size_text(entry.bytes), qs(entry.what).simplified(),
            freed_by_text(entry)};
        for (int column = 0; column < kColumns; ++column) {
            auto* item = new QTableWidgetItem(texts[std::size_t(column)]);
            item->setToolTip(plain_text(texts[std::size_t(column)]));
            table_->setItem(row, column, item);
        }
    }
    if (table_->rowCount() > 0) {
        table_->selectRow(0);
    }
    problem_->setText(seen.failure ? failure_text(*seen.failure) : QString());
    problem_->setVisible(seen.failure.has_value());
    QString text = seen.done.isEmpty() ? QString() : QString(seen.done % u' ');
    if (entries_.empty() && !seen.failure) {
        text += port_ != 0 ? tr("No process listens on port %1.").arg(port_)
                           : tr("No run has left anything: no process, port, shared memory or GPU memory.");
    } else if (port_ == 0 && !entries_.empty()) {
        text +=
            tr("Everything that belongs to runs, and all processes that hold GPU memory. Rankscope never "
               "changes other users' processes.");
    }
    state_->setText(text);
    update_buttons();
}

const Leftover* LeftoversDialog::selected() const {
    const int row = table_->currentRow();
    return row >= 0 && row < int(entries_.size()) && !table_->selectedItems().isEmpty()
               ? &entries_[std::size_t(row)]
               : nullptr;
}

void LeftoversDialog::update_buttons() {
    const bool idle = !busy();
    const Leftover* entry = selected();
    again_->setEnabled(idle);
    end_->setEnabled(idle && entry != nullptr && entry->pid != 0 && freed_by(*entry) == FreedBy::EndProcess);
    const bool any = std::any_of(entries_.begin(), entries_.end(),
                                 [](const Leftover& left) { return freed_by(left) == FreedBy::Clean; });
    clean_->setEnabled(idle && (any || (port_ == 0 && problem_->isHidden())));  // spools and pushed programs
}

void LeftoversDialog::ask_clean() {
    QStringList what;
    for (const Leftover& entry : entries_) {
        if (freed_by(entry) == FreedBy::Clean) {
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
                const auto killed = end_process(link, entry);
                if (!killed) {
                    return killed.failure();
                }
                return *killed ? tr("Process %1 ignored SIGTERM and was killed.").arg(entry.pid)
                               : tr("Process %1 has ended.").arg(entry.pid);
            });
        }
    });
    box->open();
}

}  // namespace rankscope::gui
