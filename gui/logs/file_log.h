// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/logs/file_lines.h>
#include <gui/logs/merged_lines.h>
#include <gui/logview/log_saver.h>

#include <QStringList>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

class QComboBox;
class QLabel;
class QMenu;
class QToolButton;

namespace rankscope::gui {

class ElidedLabel;
class LogRows;
class LogSearchBar;
class LogView;

/// The lines of files from elsewhere with their numbers, of one file or of all, one file after the other or by time: search,
/// filter, copy, save.
class FileLog : public QWidget {
    Q_OBJECT

public:
    explicit FileLog(QThreadPool* pool, QWidget* parent = nullptr);

    /// Instead of what is shown. Names begin with `strip` no longer.
    void read(const std::vector<std::string>& paths, const std::string& strip);
    /// The clocks of the hosts of these files; until they are here, lines are not merged by time.
    void set_clocks(const logs::HostClocks& clocks);
    /// Selects a line of a file (as logs::read_raw_lines() counts them), as soon as it is read.
    void show_line(std::uint32_t file, std::uint64_t number);
    /// What was read stays.
    void stop() { lines_.stop(); }
    void focus_search();
    LogView* view() const { return view_; }
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
    void show_store(const std::shared_ptr<const LineStore>& store);
    void merge();
    bool shows_merged() const;
    std::uint32_t line_of_files(std::uint32_t shown) const;
    QString label(std::uint32_t shown) const;
    void update_labels();
    void update_title();
    void update_note();
    void fill_menu(QMenu* menu, quint32 line);
    void ask_path();
    void save(const QString& path);

    FileLines lines_;
    MergedLines merged_;
    std::optional<logs::HostClocks> clocks_;
    LogRows* rows_;
    LogView* view_;
    LogSearchBar* search_;
    LogSaver saver_;
    QComboBox* file_ = nullptr;
    QToolButton* by_time_ = nullptr;
    QStringList short_names_;  ///< of the files, for the labels of merged lines
    ElidedLabel* title_ = nullptr;
    QLabel* note_;
    QString message_;  ///< of the last action
    std::optional<Wanted> wanted_;
};

}  // namespace rankscope::gui
