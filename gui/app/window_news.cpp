// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <gui/app/attach_bar.h>
#include <gui/app/away_bar.h>
#include <gui/app/window_news.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QVBoxLayout>

namespace rankscope::gui {

WindowNews::WindowNews(Workspace* workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      plan_job_(this, workspace->pool()),
      attach_(new AttachBar(workspace, this)),
      away_(new AwayBar(workspace, this)),
      message_(new NoticeBar(NoticeBar::Kind::News, "windowMessage", this)),
      settings_(new NoticeBar(NoticeBar::Kind::Fault, "settingsFault", this)),
      store_(new NoticeBar(NoticeBar::Kind::News, "storeNews", this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (NoticeBar* bar :
         {static_cast<NoticeBar*>(attach_), static_cast<NoticeBar*>(away_), message_, settings_, store_}) {
        bar->set_dismissable(true);
        layout->addWidget(bar);
    }
    const QStringList& news = workspace->settings()->news();
    settings_->set_action(tr("Settin&gs…"));
    settings_->set_text(news.isEmpty() ? QString() : tr("The settings file has errors."), news.join(u'\n'));
    connect(settings_, &NoticeBar::actionTriggered, this, &WindowNews::settingsRequested);
    store_->set_action(tr("Re&view…"));
    connect(store_, &NoticeBar::actionTriggered, this, [this] {
        store_->set_text({});
        emit retentionRequested();
    });
    connect(workspace, &Workspace::storeSettled, this, &WindowNews::look_at_store);
    // What has not ended as far as the store knows is not offered before its nodes are asked.
    connect(attach_, &AttachBar::refreshed, this, [this] {
        away_->ask(attach_->continuing());
        attach_->set_waiting(away_->asking());
    });
    connect(away_, &AwayBar::asked, attach_, [this] { attach_->set_waiting(false); });
    connect(away_, &AwayBar::settled, attach_, &AttachBar::refresh);
}

void WindowNews::say(const QString& title, const QString& text) {
    message_->set_text(title, text);
}

void WindowNews::forget_message() {
    message_->set_text({});
}

// Once a start: nothing is removed without the user, who is asked here.
void WindowNews::look_at_store() {
    const RetentionRule rule = workspace_->settings()->now().retention();
    if (!workspace_->store() || !rule.limited()) {
        return;
    }
    plan_job_.start([store = workspace_->store(), path = workspace_->options().store_path(),
                     rule](const JobHandle&) { return plan_retention(*store, path, rule, now_us()); },
                    [this](const Result<RetentionPlan>& plan) {
                        if (plan) {
                            show_plan(*plan);
                        }
                    });
}

void WindowNews::show_plan(const RetentionPlan& plan) {
    if (!plan.remove.empty()) {
        store_->set_text(tr("%1 stored runs, about %2, are beyond what the settings keep.")
                             .arg(plan.remove.size())
                             .arg(bytes_text(std::uint64_t(plan.bytes))));
    }
}

}  // namespace rankscope::gui
