// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_model.h>

#include <QWidget>
#include <deque>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QToolButton;

namespace rankscope::gui {

/// The output of the ranks: of all in the order of time, or of one. A line that arrives late is put where it
/// belongs among the last few thousand. Bounded: earlier lines are in the run store.
class LogPane : public QWidget {
    Q_OBJECT

public:
    explicit LogPane(QWidget* parent = nullptr);

    void set_live(LiveModel* live);
    /// New lines, or new ranks.
    void refresh();
    void show_rank(int rank);  ///< -1: all
    int shown_rank() const;
    /// Selects a line and scrolls to it; shows the rank alone where the line is not among those of all. False: it is not
    /// in the view.
    bool show_line(int rank, std::uint64_t number);
    QPlainTextEdit* view() const { return view_; }
    QLineEdit* search() const { return search_; }
    void focus_search();

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    QWidget* make_bar();
    void fill_chooser();
    void rewrite();
    std::vector<const LogLine*> take_back(const LogLine& late);
    void append_lines(const std::vector<const LogLine*>& lines, std::uint64_t skipped);
    void update_note();
    void find(bool backward, bool incremental);
    void mark_matches();
    void set_following(bool follow);
    void to_end();

    /// What a block of the view shows; number 0: no line of a log.
    struct Block {
        std::int64_t t_us = 0;
        std::uint64_t number = 0;
        int rank = -1;
    };

    LiveModel* live_ = nullptr;
    std::deque<Block> blocks_;  ///< as many as the document has, but for an empty one
    std::uint64_t shown_number_ = 0;
    int known_ranks_ = -1;
    bool appending_ = false;
    QComboBox* chooser_;
    QLineEdit* search_;
    QLabel* found_;
    QToolButton* follow_;
    QLabel* note_;
    QPlainTextEdit* view_;
};

}  // namespace rankscope::gui
