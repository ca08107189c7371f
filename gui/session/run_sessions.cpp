// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/on_thread.h>
#include <gui/session/run_sessions.h>

#include <algorithm>

namespace rankscope::gui {

std::string run_id_of(const RunSession& session) {
    const std::string live = session.run_id();
    return live.empty() ? session.model()->state().run_id : live;
}

RunSessions::RunSessions(QThreadPool* pool, QObject* parent) : QObject(parent), pool_(pool), front_(add()) {}

RunSessions::~RunSessions() = default;

RunSession* RunSessions::add() {
    RunSession* session = sessions_.emplace_back(std::make_unique<RunSession>(pool_)).get();
    if (refresh_ms_ > 0) {
        session->set_refresh_ms(refresh_ms_);
    }
    connect(session, &RunSession::started, this, [this, session] { emit started(session); });
    connect(session, &RunSession::attached, this, [this, session] { emit attached(session); });
    connect(session, &RunSession::attachProgress, this, &RunSessions::attachProgress);
    connect(session, &RunSession::attachFailed, this, &RunSessions::attachFailed);
    connect(session, &RunSession::stateChanged, this, [this, session] { emit changed(session); });
    connect(session, &RunSession::ended, this, [this, session] { emit ended(session); });
    // What it uses is known when its plan is.
    connect(session->model(), &LiveModel::changed, this, [this, session](const LiveChanges& changes) {
        if (changes.plan) {
            emit changed(session);
        }
    });
    return session;
}

void RunSessions::bring_to_front(RunSession* session) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (front_ != session) {
        front_ = session;
        emit frontChanged();
    }
}

RunSession* RunSessions::free_session() {
    const auto is_free = [](const RunSession& session) {
        return !session.live() && !session.attaching() && session.model()->empty();
    };
    if (is_free(*front_)) {
        return front_;
    }
    for (const auto& session : sessions_) {
        if (is_free(*session)) {
            return session.get();
        }
    }
    RunSession* session = add();
    emit added(session);
    return session;
}

RunSession* RunSessions::find(const std::string& run_id) const {
    for (const auto& session : sessions_) {
        if (!run_id.empty() && !session->model()->empty() && run_id_of(*session) == run_id) {
            return session.get();
        }
    }
    return nullptr;
}

std::vector<RunSession*> RunSessions::live() const {
    std::vector<RunSession*> live;
    for (const auto& session : sessions_) {
        if (session->live()) {
            live.push_back(session.get());
        }
    }
    return live;
}

bool RunSessions::attaching() const {
    return std::any_of(sessions_.begin(), sessions_.end(),
                       [](const auto& session) { return session->attaching(); });
}

void RunSessions::close(RunSession* session) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    session->detach();
    session->model()->clear();
    emit changed(session);
}

void RunSessions::detach() {
    for (const auto& session : sessions_) {
        session->detach();
    }
}

void RunSessions::set_refresh_ms(int milliseconds) {
    refresh_ms_ = milliseconds;
    for (const auto& session : sessions_) {
        session->set_refresh_ms(milliseconds);
    }
}

}  // namespace rankscope::gui
