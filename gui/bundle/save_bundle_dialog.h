// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/archive/failure_bundle/bundle_draft.h>

#include <QDialog>
#include <memory>
#include <stop_token>
#include <string>

class QCheckBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTableWidget;

namespace rankscope::gui {

class NoticeBar;

/// Writes a stored run to one file for others: first shows what goes in and everything that is replaced, then asks for
/// the file. Reads and writes on a thread.
class SaveBundleDialog : public QDialog {
    Q_OBJECT

public:
    SaveBundleDialog(std::shared_ptr<RunStore> store, std::string run_id, const QString& run_name,
                     QThreadPool* pool, QWidget* parent);
    ~SaveBundleDialog() override;

    /// While the file is written: stops that, and stays open.
    void reject() override;

private:
    enum class State { Reading, NotReadable, Ready, Writing, Saved };

    /// The draft reads the store as long as it lives.
    struct Draft {
        std::shared_ptr<RunStore> store;
        BundleDraft bundle;
    };
    struct Written {
        Result<void> result;
        std::string file;
        std::uint64_t bytes = 0;
    };

    QWidget* make_file_row();
    void make_draft();
    void show_draft();
    void choose_file();
    void save(bool replace);
    void show_written(const Written& written, bool replace);
    void ask_replace(const std::string& file);
    void set_state(State state);
    void show_progress(std::uint64_t done, std::uint64_t total);
    std::string file() const;

    const std::shared_ptr<RunStore> store_;
    const std::string run_id_;
    State state_ = State::Reading;
    std::shared_ptr<Draft> draft_;
    std::stop_source stop_write_;
    std::uint64_t last_done_ = 0;  ///< the events are read more than once
    NoticeBar* so_far_;            ///< shown where the run has not ended
    QLabel* parts_title_;
    QTableWidget* parts_;
    QLabel* redactions_title_;
    QTableWidget* redactions_;
    QCheckBox* hide_users_;
    QWidget* file_row_;
    QLineEdit* file_;
    QLabel* problem_;
    QLabel* what_;  ///< what is being done, or was done
    QProgressBar* bar_;
    QPushButton* save_;
    QPushButton* cancel_;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
