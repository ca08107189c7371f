// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/on_thread.h>
#include <gui/session/fix_runner.h>

#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

bool same(const Fix& left, const Fix& right) {
    return left.node == right.node && left.command == right.command;
}

}  // namespace

FixRunner::FixRunner(Fleet* fleet, QThreadPool* pool, Runner runner)
    : QObject(nullptr), fleet_(fleet), runner_(std::move(runner)), job_(this, pool) {}

FixRunner::Entry& FixRunner::entry_of(const Fix& fix) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return same(entry.fix, fix); });
    if (found != entries_.end()) {
        return *found;
    }
    entries_.push_back({.fix = fix});
    return entries_.back();
}

FixRunner::Entry FixRunner::entry(const Fix& fix) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return same(entry.fix, fix); });
    return found != entries_.end() ? *found : Entry{.fix = fix};
}

std::vector<FixRunner::Entry> FixRunner::applied() const {
    std::vector<Entry> all;
    std::copy_if(entries_.begin(), entries_.end(), std::back_inserter(all),
                 [](const Entry& entry) { return entry.state != FixState::Open; });
    return all;
}

void FixRunner::apply(const std::vector<Fix>& fixes) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    std::vector<Step> steps;
    for (const Fix& fix : fixes) {
        Entry& entry = entry_of(fix);
        if (entry.state == FixState::Open && !fix.command.empty()) {
            entry.state = FixState::Applying;
            steps.push_back({fix, false});
        }
    }
    add_steps(steps);
}

void FixRunner::undo(const Fix& fix) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    Entry& entry = entry_of(fix);
    if (entry.state == FixState::Applied && !fix.undo.empty()) {
        entry.state = FixState::Undoing;
        add_steps({{fix, true}});
    }
}

void FixRunner::add_steps(const std::vector<Step>& steps) {
    waiting_.insert(waiting_.end(), steps.begin(), steps.end());
    if (!job_.running()) {
        any_done_ = false;
        next();
    }
    emit changed();
}

void FixRunner::next() {
    if (waiting_.empty()) {
        return;
    }
    const Step step = waiting_.front();
    waiting_.erase(waiting_.begin());
    FixRequest request;
    request.inventory = fleet_->inventory();
    request.fix = step.fix;
    request.undo = step.undo;
    request.prompter = fleet_->prompter();
    job_.start([runner = runner_, request = std::move(request)](
                   const JobHandle& handle) { return runner(request, handle.stop()); },
               [this, step](const Result<std::string>& result) {
                   Entry& entry = entry_of(step.fix);
                   const bool done = result.ok();
                   entry.failure = done ? std::nullopt : std::optional(result.failure());
                   entry.state = done == step.undo ? FixState::Open : FixState::Applied;
                   any_done_ = any_done_ || done;
                   const bool last = waiting_.empty();
                   next();
                   emit changed();
                   if (last && any_done_) {
                       emit finished();
                   }
               });
}

}  // namespace rankscope::gui
