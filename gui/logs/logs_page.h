// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/nccl/nccl_data.h>
#include <gui/session/fix_runner.h>

#include <QTemporaryDir>
#include <QWidget>
#include <memory>
#include <string>
#include <vector>

class QLabel;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QSplitter;
class QStackedWidget;
class QTabWidget;
class QTreeWidget;
class QVBoxLayout;

namespace rankscope::gui {

class FileLog;
class NcclPane;
class Workspace;

/// Logs from anywhere: what they say went wrong, with the lines that show it, and what NCCL did.
class LogsPage : public QWidget {
    Q_OBJECT

public:
    explicit LogsPage(Workspace* workspace, QWidget* parent = nullptr);
    ~LogsPage() override;

    /// Files, folders and archives, instead of what is shown.
    void open(const std::vector<std::string>& paths);
    /// A text from the clipboard.
    void open_text(const QString& text);
    const NcclData& data() const { return data_; }
    NcclPane* nccl() const { return nccl_; }

signals:
    void jobRequested(const std::map<std::string, std::string>& keys);
    /// Files that are no logs but runs.
    void bundlesRequested(const QStringList& files);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    QWidget* make_bar();
    QWidget* make_empty();
    QWidget* make_content();
    void choose_files();
    void choose_folder();
    void paste();
    void tell_not_pasted(const QString& problem);
    void start(const std::vector<std::string>& paths, const std::string& strip);
    void refresh();
    void show_verdicts();
    void fit_verdicts();
    void show_timeline();
    void show_place(quint32 file, quint64 line);
    void show_named_place(const QString& file, qint64 line);

    Workspace* workspace_;
    NcclData data_;
    BackgroundJob paste_job_;
    std::shared_ptr<QTemporaryDir> pasted_;
    std::shared_ptr<const ReadingSnapshot> shown_;
    QLabel* what_;
    QProgressBar* progress_;
    QPushButton* cancel_;
    QStackedWidget* stack_;
    QScrollArea* verdicts_;
    QVBoxLayout* cards_;
    QSplitter* answer_;  ///< verdicts above, what NCCL did below
    bool is_sized_ = false;
    FileLog* lines_;
    QTabWidget* tabs_;
    NcclPane* nccl_;
    QTreeWidget* timeline_;
    QTreeWidget* facts_;
};

}  // namespace rankscope::gui
