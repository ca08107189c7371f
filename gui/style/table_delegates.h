// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QStyledItemDelegate>

namespace rankscope::gui {

/// Signs beside the words in tables, in the colours of the theme: models stay free of both.

/// Rank table: a rank's colour in its number's cell, the phase's sign in the state's.
class PhaseDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

/// Fleet table: the lamp.
class ProbeDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

/// Runs table: the outcome.
class OutcomeDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

/// Doctor's tables of checks and of nodes: the sign of the result.
class CheckDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    /// `column`: that of the result.
    CheckDelegate(int column, int status_role, QObject* parent)
        : QStyledItemDelegate(parent), column_(column), role_(status_role) {}

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

private:
    int column_;
    int role_;
};

}  // namespace rankscope::gui
