// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <gui/on_thread.h>
#include <gui/session/workspace.h>

#include <QWidget>
#include <utility>

namespace rankscope::gui {

namespace {

/// Short work: the store, files, plans. A few threads, so that one long read does not delay the others.
constexpr int kThreads = 6;
/// How long each call may wait for another program's lock once the window is closed.
constexpr int kClosingPatienceMs = 2000;

}  // namespace

Workspace::Workspace(Options options, QWidget* window)
    : QObject(nullptr),
      options_(std::move(options)),
      bridge_(new PrompterBridge(window)),
      fleet_(options_.inventory_path(), options_.inventory_must_exist, bridge_->prompter()),
      session_(&pool_),
      preflight_(&fleet_, &pool_),
      fixes_(&fleet_, &pool_),
      open_job_(this, &pool_) {
    pool_.setMaxThreadCount(kThreads);
    connect(&fleet_clock_, &QTimer::timeout, this, [this] {
        fleet_.model()->refresh(now_us(), session_.live() ? run_on_nodes(session_.model()->state())
                                                          : std::map<std::string, RunOnNode>{});
    });
    fleet_clock_.start(1000);
    connect(&settings_, &SettingsFile::changed, this,
            [this] { session_.set_refresh_ms(settings_.now().live_refresh_ms); });
    session_.set_refresh_ms(settings_.now().live_refresh_ms);
}

Workspace::~Workspace() {
    shut_down();
}

void Workspace::begin() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    fleet_.load();
    open_job_.start([path = options_.store_path()](const JobHandle&) { return RunStore::open(path); },
                    [this](Result<std::shared_ptr<RunStore>> opened) {
                        store_settled_ = true;
                        if (opened) {
                            store_ = *opened;
                            fleet_.set_store(store_);
                        } else {
                            store_failure_ = opened.failure();
                        }
                        emit storeSettled();
                        if (options_.probe_this_computer) {
                            fleet_.probe(kLocalNodeName);
                        }
                    });
}

void Workspace::shut_down() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (store_) {
        store_->set_patience(kClosingPatienceMs);  // what is pending is written, but not for long
    }
    if (bridge_) {
        bridge_->shut_down();
    }
}

}  // namespace rankscope::gui
