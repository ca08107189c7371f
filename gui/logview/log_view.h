// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/logview/line_text.h>
#include <gui/logview/log_rows.h>
#include <remote/logs/fold/odd_ranks.h>

#include <QAbstractScrollArea>
#include <QBasicTimer>
#include <QPoint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QMenu;
class QPainter;

namespace rankscope::gui {

class MarkBar;

/// Clock: of this computer's zone. Printed: as the lines of files say it.
enum class TimeColumn { None, Clock, SinceStart, Printed };

/// Lines of a log, any number of them: only those in view are read and drawn. Beside each line its time and rank.
/// Selection by mouse and keys as in a text editor.
class LogView : public QAbstractScrollArea {
    Q_OBJECT

public:
    static constexpr qint64 kMostCopied = qint64(64) << 20;  ///< bytes to the clipboard

    explicit LogView(LogRows* rows, QWidget* parent = nullptr);
    ~LogView() override;

    /// Enough lines to follow what happens.
    QSize sizeHint() const override;
    LogRows* rows() const { return rows_; }
    void set_time_column(TimeColumn time);
    TimeColumn time_column() const { return time_; }
    /// What SinceStart counts from, µs since 1970.
    void set_start(std::int64_t start_us);
    /// Shows the rank beside each line.
    void set_rank_column(int most_rank, bool on);
    /// In place of the rank, `label` of each line, of `width` characters; null: the rank again. For the eye only: a copy has
    /// no labels.
    void set_labels(std::function<QString(std::uint32_t line)> label, int width);
    void set_label_width(int width);
    /// What is written instead of rows while they are put into their order; empty: nothing.
    QString message() const;
    /// Whose lines are shown, and whether more of them may come: which ranks lack a folded line.
    void set_ranks(const std::vector<int>& ranks, bool complete);
    /// The rank column of their lines is tinted.
    void set_selected_ranks(const std::vector<int>& ranks);
    bool is_of_selected_rank(std::uint32_t line) const;
    void set_wrapping(bool on);
    bool wraps() const { return wraps_; }
    void set_following(bool on);
    bool follows() const { return follows_; }

    /// Selects a line and brings it into view. False: it is not among the rows.
    bool show_line(std::uint32_t line);
    void show_row(std::uint32_t row);
    /// Selects the next match in view of where the user is. False: there is none.
    bool find_next(bool backward, bool from_here);
    bool wrapped_around() const { return wrapped_around_; }
    /// The match that is selected, from 0; nothing: another place.
    std::optional<std::uint32_t> current_match() const;

    bool has_selection() const { return caret_ && anchor_ && !(*caret_ == *anchor_); }
    void select_all();
    /// As copied: several lines with their ranks where those are shown. At most kMostCopied bytes.
    QString selected_text() const;
    qint64 selected_bytes() const;
    std::optional<std::uint32_t> current_line() const;
    /// The first and the last line of the selection, in the order of rows.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> selected_lines() const;
    /// A row as it is shown: time, rank, sign and text.
    QString row_text(std::uint32_t row) const;
    QString time_text(std::uint32_t line) const;
    /// All rows as they are shown, at most the last 20,000.
    QString shown_text() const;
    std::uint32_t first_visible_row() const { return top_row_; }
    std::uint32_t last_visible_row() const;
    QRect row_rect(std::uint32_t row) const;
    MarkBar* mark_bar() const { return bar_; }

public slots:
    void copy();

signals:
    void followingChanged(bool follows);
    /// The user has put the cursor on another line.
    void currentLineChanged();
    /// The user has double-clicked a line, or pressed Enter on it.
    void lineActivated(quint32 line);
    /// More than can be copied is selected.
    void tooMuchToCopy(qint64 bytes);
    /// Add entries for this line to its context menu.
    void menuRequested(QMenu* menu, quint32 line);

protected:
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void timerEvent(QTimerEvent* event) override;
    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    /// A place between characters of a drawn line.
    struct Place {
        std::uint32_t line = 0;
        int column = 0;
        bool operator==(const Place&) const = default;
    };
    struct Laid {
        LineText text;
        int from = 0;  ///< the layout begins at this character
        int lines = 1;
        std::unique_ptr<QTextLayout> layout;
    };
    struct Gutter {
        int time = 0, rank = 0, sign = 0;  ///< where these begin
        int width = 0;
    };

    void rows_reset();
    void rows_changed();
    void update_marks();
    void measure();
    Gutter gutter() const;
    int text_width() const;
    int page_lines() const;
    void update_bars();
    std::uint32_t last_top_row(int* sub) const;
    void to_end();
    void scroll_lines(int lines);
    void set_top(std::uint32_t row, int sub);
    void user_scrolled();
    void forget_layouts();
    int bar_shift() const;
    int lines_of(std::uint32_t row) const;

    Laid& laid(std::uint32_t line) const;
    std::unique_ptr<Laid> lay_out(std::uint32_t line) const;
    void lay_out_wrapped(Laid& laid) const;
    void draw_row(QPainter& painter, std::uint32_t row, int y, const ThemeColors& colors) const;
    void draw_gutter(QPainter& painter, std::uint32_t line, int y, const ThemeColors& colors) const;
    void draw_ranks(QPainter& painter, std::uint32_t line, double right, int base,
                    const ThemeColors& colors) const;
    logs::Presence presence(std::uint32_t line, const std::vector<int>& ranks) const;
    std::vector<logs::TextPart> varying_parts(std::uint32_t line) const;
    QString folded_tip(std::uint32_t line) const;
    QList<QTextLayout::FormatRange> selection_in(std::uint32_t row, const Laid& laid,
                                                 const ThemeColors& colors) const;
    bool is_selected_to_end(std::uint32_t row) const;

    std::pair<Place, Place> selection() const;  ///< in the order of rows
    std::uint32_t row_at(int y, int* sub) const;
    std::optional<Place> place_at(QPoint point) const;
    void set_caret(Place place, bool keep_anchor);
    void ensure_visible(Place place);
    void keep_caret_in_view(int old_height);
    void move_caret(int key, bool control, bool keep_anchor);
    Place moved_by_rows(Place from, std::int64_t rows) const;
    int next_column(const Place& from, bool forward) const;
    void select_word(const Place& place);
    void select_line(std::uint32_t row);
    void select_match(std::uint32_t match);
    void append_selected(QString& text, std::uint32_t row, const Place& first, const Place& last,
                         bool whole_lines) const;

    LogRows* rows_;
    MarkBar* bar_;
    TimeColumn time_ = TimeColumn::Clock;
    std::int64_t start_us_ = 0;
    int most_rank_ = 0;
    bool shows_rank_ = true;
    std::function<QString(std::uint32_t)> label_;
    int label_width_ = 0;  ///< characters
    std::vector<int> ranks_;
    std::vector<int> selected_ranks_;  ///< sorted
    bool is_complete_ = true;
    bool wraps_ = false;
    bool follows_ = true;
    bool moving_bars_ = false;
    std::uint32_t top_row_ = 0;
    int top_sub_ = 0;  ///< visual lines of the top row that are above the view
    std::uint32_t top_line_ = 0;
    std::optional<Place> anchor_;
    std::optional<Place> caret_;
    bool dragging_ = false;
    bool wrapped_around_ = false;
    QPoint last_mouse_;
    QBasicTimer drag_timer_;
    int wheel_rest_ = 0;

    int line_height_ = 16;
    int ascent_ = 12;
    double char_width_ = 8;
    SearchText drawn_search_;
    mutable double widest_ = 0;  ///< of the lines drawn so far
    mutable std::map<std::uint32_t, std::unique_ptr<Laid>> laid_;
};

}  // namespace rankscope::gui
