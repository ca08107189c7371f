// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>

#include <QWidget>
#include <filesystem>
#include <string>

class QLabel;
class QLineEdit;
class QPushButton;

namespace rankscope::gui {

/// KEY VALUE pairs for the configuration of Distribuuuu that was opened, as its own command line has them. Hidden while
/// there is none.
class OverrideBar : public QWidget {
    Q_OBJECT

public:
    OverrideBar(QThreadPool* pool, QWidget* parent);

    /// `text`: of the configuration, as its file has it.
    void set_config(const std::filesystem::path& file, std::string text);
    void clear();

signals:
    /// The job that the configuration makes with the pairs.
    void made(const std::string& job_yaml, const std::filesystem::path& file);

private:
    void apply();

    BackgroundJob job_;
    std::filesystem::path file_;
    std::string text_;
    QLabel* title_;
    QLineEdit* pairs_;
    QPushButton* apply_;
    QLabel* problem_;
};

}  // namespace rankscope::gui
