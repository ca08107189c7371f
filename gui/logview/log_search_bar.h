// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/line_search.h>

#include <QStringList>
#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace rankscope::gui {

class LogView;

/// What is searched for in a log view: text or pattern, case, whole words; count, next and previous; only the lines that
/// match. Keeps the last searches (arrow keys).
class LogSearchBar : public QWidget {
    Q_OBJECT

public:
    static constexpr int kMostKept = 50;

    explicit LogSearchBar(LogView* view, QWidget* parent = nullptr);

    QLineEdit* edit() const { return edit_; }
    void focus();
    /// What is wrong with the pattern, for users; empty: nothing.
    QString fault() const;

signals:
    /// The pattern or what is wrong with it has changed.
    void searched();

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    QToolButton* make_switch(const QString& text, const char* object_name, const QString& tip);
    QToolButton* make_step(Qt::ArrowType arrow, const char* object_name, const QString& name,
                           const QString& action);
    void search();
    void step(bool backward);
    void rows_changed();
    void update_count();
    void keep();
    void recall(int by);

    LogView* view_;
    QLineEdit* edit_;
    QToolButton* case_;
    QToolButton* words_;
    QToolButton* pattern_;
    QToolButton* only_;
    QLabel* count_;
    bool jump_ = false;     ///< to the first match, once there is one
    bool stepped_ = false;  ///< next or previous was used: the user wants to know when it began again
    QStringList kept_;      ///< newest first
    int recalled_ = -1;
};

}  // namespace rankscope::gui
