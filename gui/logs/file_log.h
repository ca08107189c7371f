// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/logs/file_lines.h>
#include <gui/logs/merged_lines.h>
#include <gui/logview/log_panel.h>

#include <QStringList>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

class QComboBox;
class QMenu;
class QToolButton;

namespace rankscope::gui {

class ElidedLabel;

/// The lines of files from elsewhere with their numbers, of one file or of all, one file after the other or by time: search,
/// filter, copy, save.
class FileLog : public LogPanel {
    Q_OBJECT

public:
    explicit FileLog(QThreadPool* pool, QWidget* parent = nullptr);

    /// Replaces the current content by what the sink gets (see FileLines).
    logs::RawSink start(const std::string& strip);
    void update(bool reading) { lines_.update(reading); }
    /// The clocks of the hosts of these files; until they are here, lines are not merged by time.
    void set_clocks(const logs::HostClocks& clocks);
    /// Selects a line of a file (as logs::read_raw_lines() counts them), as soon as it is read.
    void show_line(std::uint32_t file, std::uint64_t number);
    const FileLines& lines() const { return lines_; }
    const MergedLines& merged() const { return merged_; }

private:
    struct Wanted {
        std::uint32_t file = 0;
        std::uint64_t number = 0;
    };

    QWidget* make_bar();
    void refresh();
    void show_wanted();
    void choose();
    void order_by_time(bool on);
    void show_store(const std::shared_ptr<const LineSource>& store);
    void merge();
    bool shows_merged() const;
    std::uint32_t line_of_files(std::uint32_t shown) const;
    QString label(std::uint32_t shown) const;
    void update_labels();
    void update_title();
    QStringList notes() const override;
    void fill_menu(QMenu* menu, quint32 line);
    SavedLines saved_lines() const;

    FileLines lines_;
    MergedLines merged_;
    std::optional<logs::HostClocks> clocks_;
    QComboBox* file_ = nullptr;
    QToolButton* by_time_ = nullptr;
    QStringList short_names_;  ///< of the files, for the labels of merged lines
    ElidedLabel* title_ = nullptr;
    std::optional<Wanted> wanted_;
};

}  // namespace rankscope::gui
