// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/jobs/config/recipes.h>

#include <QDialog>
#include <functional>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTreeWidget;

namespace rankscope::gui {

class NoticeBar;

/// Job files to begin with: those that Rankscope brings and the user's own, which can be renamed and removed. The present
/// job can become one.
class RecipesDialog : public QDialog {
    Q_OBJECT

public:
    /// `job`: the text that "Save" keeps, `name`: offered for it.
    RecipesDialog(RecipeBook book, std::string job, const QString& name, QThreadPool* pool, QWidget* parent);

signals:
    void chosen(const QString& name, const std::string& yaml);

private:
    struct Entry {
        JobRecipe recipe;
        std::string yaml;
    };
    struct Read {
        std::vector<Entry> entries;
        Failure failure;  ///< of the change; empty code: none
        QString select;
    };

    QWidget* make_list();
    QWidget* make_save_row(const QString& name);
    void run(const std::function<Result<void>()>& change, const QString& select, const QString& done = {});
    void show_entries(const Read& read);
    void show_current();
    const Entry* current() const;
    void use();
    void save();
    void rename();
    void remove();
    void take_back();

    RecipeBook book_;
    std::string job_;
    BackgroundJob job_slot_;
    std::vector<Entry> entries_;
    Entry removed_;
    QTreeWidget* list_;
    QPlainTextEdit* text_;
    QLineEdit* name_;
    QLineEdit* new_name_;
    QPushButton* save_;
    QPushButton* use_;
    QPushButton* rename_;
    QPushButton* remove_;
    NoticeBar* fault_;
    NoticeBar* news_;
};

}  // namespace rankscope::gui
