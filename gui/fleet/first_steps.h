// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QFrame>
#include <QString>
#include <array>
#include <cstddef>
#include <initializer_list>

class QGridLayout;
class QLabel;

namespace rankscope::gui {

/// What a new user does first: a run on this computer, own nodes, a key on them. What is done has a tick.
class FirstSteps : public QFrame {
    Q_OBJECT

public:
    enum class Step { Run, Add, Ready };
    static constexpr std::size_t kSteps = 3;

    explicit FirstSteps(QWidget* parent);
    void set_done(Step step, bool done);
    bool all_done() const;

signals:
    void quickStartRequested();
    void addRequested();
    void importRequested();
    void keysRequested();
    void probeRequested();
    void closed();

private:
    struct Action {
        QString text;
        const char* object_name;
        void (FirstSteps::*wanted)();
    };
    void add_step(QGridLayout* grid, Step step, const QString& title, const QString& text,
                  std::initializer_list<Action> actions);
    void show_done(std::size_t step);

    std::array<bool, kSteps> done_{};
    std::array<QString, kSteps> titles_;
    std::array<QLabel*, kSteps> heads_{};
};

}  // namespace rankscope::gui
