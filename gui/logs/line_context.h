// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>

#include <QWidget>
#include <cstdint>
#include <string>
#include <vector>

class QPlainTextEdit;

namespace rankscope::gui {

class ElidedLabel;

/// A line of a log among those around it, as the file has them. Reads on a thread; keeps nothing of the rest.
class LineContext : public QWidget {
    Q_OBJECT

public:
    static constexpr std::uint64_t kAround = 300;  ///< lines before and after

    explicit LineContext(QThreadPool* pool, QWidget* parent = nullptr);

    /// Line `line` of source `file` of these paths (as logs::read_raw_lines() counts them); `name`: what it is called.
    void show_line(const std::vector<std::string>& paths, std::uint32_t file, const QString& name,
                   std::uint64_t line);
    void clear();
    QPlainTextEdit* view() const { return view_; }

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Lines {
        std::vector<std::string> text;
        std::uint64_t first = 1;
    };
    void fill(const Lines& lines);
    void mark();

    std::uint64_t line_ = 0;
    int block_ = -1;  ///< of the line
    ElidedLabel* title_;
    QPlainTextEdit* view_;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
