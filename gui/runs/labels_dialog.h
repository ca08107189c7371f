// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/store/run_labels.h>

#include <QDialog>
#include <QString>
#include <vector>

class QCheckBox;
class QFormLayout;
class QLineEdit;
class QPlainTextEdit;

namespace rankscope::gui {

/// Star, tags, group and note of a run, or of several. Where several differ, what the user leaves alone stays.
class LabelsDialog : public QDialog {
    Q_OBJECT

public:
    /// `title`: which run, or how many. `labels`: of each; at least one.
    LabelsDialog(const QString& title, const std::vector<RunLabels>& labels, QWidget* parent);

    LabelChange change() const;

private:
    void add_tags(QFormLayout* form);
    void add_group(QFormLayout* form, const std::vector<RunLabels>& labels);
    void add_note(QFormLayout* form, const std::vector<RunLabels>& labels);

    const SharedTags before_;
    QCheckBox* star_;
    QLineEdit* tags_ = nullptr;
    QLineEdit* tags_of_some_ = nullptr;  ///< null: there are none
    QLineEdit* group_ = nullptr;
    QPlainTextEdit* note_ = nullptr;
    QString first_note_;  ///< as it was shown
};

}  // namespace rankscope::gui
