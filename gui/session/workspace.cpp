// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <gui/on_thread.h>
#include <gui/session/workspace.h>
#include <remote/desk/runs/store/set_aside.h>

#include <QThread>
#include <QWidget>
#include <utility>

namespace rankscope::gui {

namespace {

/// Short work: the store, files, plans. A few threads, so that one long read does not delay the others.
constexpr int kThreads = 6;
/// How long each call may wait for another program's lock once the window is closed.
constexpr int kClosingPatienceMs = 2000;
constexpr int kRenameTries = 30;
constexpr int kRenamePauseMs = 100;

/// What the runs do on each node, together.
std::map<std::string, RunOnNode> all_on_nodes(const std::vector<RunSession*>& runs) {
    std::map<std::string, RunOnNode> nodes;
    for (const RunSession* run : runs) {
        for (auto& [name, on_node] : run_on_nodes(run->model()->state())) {
            const auto [at, is_first] = nodes.try_emplace(name, on_node);
            if (is_first) {
                continue;
            }
            RunOnNode& both = at->second;
            both.ranks.insert(both.ranks.end(), on_node.ranks.begin(), on_node.ranks.end());
            if (on_node.sample_us > both.sample_us) {
                both.sample = on_node.sample;
                both.sample_us = on_node.sample_us;
                both.link = on_node.link;
            }
        }
    }
    return nodes;
}

std::vector<Workspace*>& open_workspaces() {
    static std::vector<Workspace*> all;
    return all;
}

}  // namespace

const std::vector<Workspace*>& Workspace::all() {
    return open_workspaces();
}

Workspace::Workspace(Options options, QWidget* window)
    : QObject(nullptr),
      options_(std::move(options)),
      bridge_(new PrompterBridge(window)),
      fleet_(options_.inventory_path(), options_.inventory_must_exist, bridge_->prompter()),
      runs_(&pool_),
      preflight_(&fleet_, &pool_),
      fixes_(&fleet_, &pool_),
      open_job_(this, &pool_) {
    pool_.setMaxThreadCount(kThreads);
    connect(&fleet_clock_, &QTimer::timeout, this,
            [this] { fleet_.model()->refresh(now_us(), all_on_nodes(runs_.live())); });
    fleet_clock_.start(1000);
    connect(&settings_, &SettingsFile::changed, this,
            [this] { runs_.set_refresh_ms(settings_.now().live_refresh_ms); });
    runs_.set_refresh_ms(settings_.now().live_refresh_ms);
    open_workspaces().push_back(this);
}

Workspace::~Workspace() {
    shut_down();
    std::erase(open_workspaces(), this);
}

void Workspace::begin() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    fleet_.load();
    open_job_.start([path = options_.store_path()](const JobHandle&) { return Opened{RunStore::open(path)}; },
                    [this](Opened opened) {
                        take_store(std::move(opened));
                        if (options_.probe_this_computer) {
                            fleet_.probe(kLocalNodeName);
                        }
                    });
}

void Workspace::take_store(Opened opened) {
    store_settled_ = true;
    store_failure_.reset();
    old_store_ = std::move(opened.old);
    if (opened.store) {
        store_ = *opened.store;
        fleet_.set_store(store_);
    } else {
        store_failure_ = opened.store.failure();
    }
    emit storeSettled();
}

void Workspace::begin_new_store() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    store_.reset();
    fleet_.set_store(nullptr);
    open_job_.start([path = options_.store_path()](const JobHandle&) { return renew_store(path); },
                    [this](Opened opened) { take_store(std::move(opened)); });
}

// What still reads the old store has a moment to end.
Workspace::Opened Workspace::renew_store(const std::filesystem::path& path) {
    auto renamed = set_aside_store(path, now_us());
    for (int i = 0; i < kRenameTries && !renamed; ++i) {
        QThread::msleep(kRenamePauseMs);
        renamed = set_aside_store(path, now_us());
    }
    if (!renamed) {
        return {renamed.failure()};
    }
    return {RunStore::open(path), *renamed};
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
