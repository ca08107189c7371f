// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/runs/store_bar.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/runs/store/set_aside.h>

namespace rankscope::gui {

StoreBar::StoreBar(Workspace* workspace, QWidget* page)
    : QObject(page),
      workspace_(workspace),
      fault_(new NoticeBar(NoticeBar::Kind::Fault, "runsStoreFault", page)),
      news_(new NoticeBar(NoticeBar::Kind::News, "runsStoreNews", page)) {
    news_->set_dismissable(true);
    connect(fault_, &NoticeBar::actionTriggered, this, &StoreBar::begin_new);
    connect(workspace, &Workspace::storeSettled, this, &StoreBar::look);
    look();
}

void StoreBar::show_failure(const QString& title, const Failure& failure) {
    fault_->set_action(can_set_aside(failure) ? tr("Set it aside and &begin a new one") : QString());
    fault_->set_text(title, failure_text(failure));
}

void StoreBar::clear_failure() {
    fault_->set_text({});
}

void StoreBar::begin_new() {
    if (workspace_->session()->live() || workspace_->session()->attaching()) {
        fault_->set_text(tr("The run in this window writes to the run store."),
                         tr("Wait until it ends or leave it to its nodes, then try again."));
        return;
    }
    fault_->set_action({});
    fault_->set_text(tr("The run store is being renamed…"));
    workspace_->begin_new_store();
}

void StoreBar::look() {
    if (workspace_->store_failure()) {
        return show_failure(tr("The run store cannot be used."), *workspace_->store_failure());
    }
    clear_failure();
    const QString old = qs(workspace_->old_store().string());
    if (!old.isEmpty()) {
        news_->set_text(tr("A new run store is in use. The old one is kept as %1.").arg(old));
    }
}

}  // namespace rankscope::gui
