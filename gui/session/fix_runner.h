// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/session/fleet.h>
#include <remote/desk/runs/preflight/apply_fix.h>

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::gui {

/// How far a fix is.
enum class FixState { Open, Applying, Applied, Undoing };

/// The fixes that this window has applied, so that each can be undone. Commands run on threads of their own; two fixes
/// for one node run one after the other.
class FixRunner : public QObject {
    Q_OBJECT

public:
    using Runner = std::function<Result<std::string>(const FixRequest& request, const std::stop_token& stop)>;

    struct Entry {
        Fix fix;
        FixState state = FixState::Open;
        std::optional<Failure> failure = {};  ///< of the last attempt
    };

    explicit FixRunner(Fleet* fleet, QThreadPool* pool, Runner runner = apply_fix);

    void apply(const std::vector<Fix>& fixes);
    void undo(const Fix& fix);
    /// Open where it was never applied from here.
    Entry entry(const Fix& fix) const;
    /// Those that are applied or in progress, in their order.
    std::vector<Entry> applied() const;
    bool busy() const { return job_.running(); }

signals:
    void changed();
    /// All that was asked for is done, at least one with success: what they fix can be checked again.
    void finished();

private:
    struct Step {
        Fix fix;
        bool undo = false;
    };
    void add_steps(const std::vector<Step>& steps);
    void next();
    Entry& entry_of(const Fix& fix);

    Fleet* fleet_;
    Runner runner_;
    BackgroundJob job_;
    std::vector<Step> waiting_;
    std::vector<Entry> entries_;
    bool any_done_ = false;
};

}  // namespace rankscope::gui
