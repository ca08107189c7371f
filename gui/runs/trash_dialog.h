// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/runs/store/run_store.h>

#include <QDialog>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QPushButton;
class QTableWidget;

namespace rankscope::gui {

/// The deleted runs that the store still has: restores them, or removes them for good when the user confirms. Reads and
/// writes on a thread of the pool.
class TrashDialog : public QDialog {
    Q_OBJECT

public:
    TrashDialog(std::shared_ptr<RunStore> store, std::filesystem::path file, QThreadPool* pool,
                QWidget* parent);

    bool busy() const { return job_.running(); }

signals:
    /// These runs are in the list again.
    void restored(const QStringList& run_ids);

private:
    struct Entry {
        TrashedRun run;
        std::int64_t bytes = 0;  ///< about
    };
    /// What an action did, and what the trash has after it.
    struct Seen {
        std::vector<Entry> entries;
        std::optional<Failure> failure;
        QString done;
        QStringList restored;
    };
    using Action = std::function<void(RunStore&, Seen&)>;

    /// How long a run stays restorable.
    static QString kept_text(std::int64_t deleted_us, std::int64_t now_us);
    void make_table();
    void look(const Action& before = {});
    void show_seen(const Seen& seen);
    void update_buttons();
    std::vector<const Entry*> selected() const;
    void restore();
    void ask_remove();
    void remove(const std::vector<std::string>& run_ids);

    std::shared_ptr<RunStore> store_;
    std::filesystem::path file_;
    std::vector<Entry> entries_;
    QLabel* state_;
    QLabel* problem_;
    QTableWidget* table_;
    QPushButton* restore_;
    QPushButton* remove_;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
