// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/logview/log_saver.h>

#include <QString>
#include <QStringList>
#include <QWidget>
#include <functional>

class QAction;
class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;
class QThreadPool;
class QVBoxLayout;

namespace rankscope::gui {

class LogRows;
class LogSearchBar;
class LogView;

/// Lines with a search bar above and a note below: what every log of the window can do with them. The bar on top is the
/// log's own.
class LogPanel : public QWidget {
    Q_OBJECT

public:
    LogView* view() const { return view_; }
    LogRows* rows() const { return rows_; }
    QLineEdit* search() const;
    void focus_search();

protected:
    /// `prefix` of the names of its widgets; `wrap_key` of the setting.
    LogPanel(QThreadPool* pool, QString prefix, QString wrap_key, QWidget* parent);

    /// Below `bar`: search bar, lines and note.
    void lay_out(QWidget* bar);
    QString name_of(QLatin1StringView part) const { return prefix_ + part; }
    /// What the note says beyond the search and the last action.
    virtual QStringList notes() const = 0;
    void update_note();
    /// Of the last action; the next search replaces it.
    void say(const QString& message);
    QAction* add_wrap(QMenu* menu);
    /// Where the line has a meaning that is known.
    void add_explain(QMenu* menu, quint32 line);
    /// Asks for a file and writes the lines; `name` is its first suggestion.
    void ask_path(const QString& title, const QString& name, std::function<SavedLines()> lines);
    void save(const QString& path, SavedLines lines);

    // Shared with the log's own parts; the panel makes and owns them.
    LogRows* const rows_;
    LogView* const view_;
    LogSearchBar* const search_;

private:
    QWidget* make_note();

    const QString prefix_;
    const QString wrap_key_;
    LogSaver saver_;
    QString message_;
    QWidget* note_row_ = nullptr;
    QLabel* note_ = nullptr;
    QPushButton* cancel_ = nullptr;
};

}  // namespace rankscope::gui
