// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QPlainTextEdit>
#include <string>
#include <vector>

class QCompleter;
class QStandardItemModel;

namespace rankscope::gui {

/// What is wrong with a line of the text.
struct TextMark {
    int line = 0;  ///< from 1
    QString text;
    bool fault = true;  ///< else something to look at
    bool operator==(const TextMark&) const = default;
};

/// Editor of a job file's text: line numbers, marked lines, completion (Ctrl+Space) and help from the table of keys.
/// Undo and redo are its owner's.
class JobTextEdit : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit JobTextEdit(QWidget* parent = nullptr);

    /// Replaces only what differs, so that cursor and view stay. No signal.
    void set_text(const QString& text);
    QString text() const;
    void set_marks(std::vector<TextMark> marks);
    const std::vector<TextMark>& marks() const { return marks_; }
    void set_nodes(std::vector<std::string> nodes) { nodes_ = std::move(nodes); }
    void go_to_line(int line);
    /// The mark of the line and the meaning of the key at a position of the text; empty: neither.
    QString help_at(int position) const;
    void complete();

    int gutter_width() const;
    void paint_gutter(QPaintEvent* event);

signals:
    /// By the user.
    void textEdited();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void contents_changed();
    void mark_lines();
    void fit_gutter();
    void break_line();
    void offer(bool asked);
    void insert_completion(const QString& text);
    const TextMark* mark_of(int line) const;

    QWidget* gutter_;
    QCompleter* completer_;
    QStandardItemModel* offers_;
    std::vector<TextMark> marks_;
    std::vector<std::string> nodes_;
    QString shown_;  ///< new colours count as a change of the document, too
    bool filling_ = false;
};

}  // namespace rankscope::gui
