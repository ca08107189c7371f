// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/launch/key_offers.h>
#include <gui/launch/launch_check.h>
#include <remote/desk/jobs/config/job_keys.h>
#include <remote/desk/jobs/plan/compute_offers.h>

#include <QObject>
#include <QString>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

class QLabel;
class QWidget;

namespace rankscope::gui {

class FieldForm;

/// Fields of a form made from the table of job keys. A key is known by its path, keys of the native engine
/// without "train.". Only fields that the user changed are put into a job.
class KeyRows : public QObject {
    Q_OBJECT

public:
    explicit KeyRows(FieldForm* form);

    /// Values to choose from in fields for text, when the user asks; a field has them if there are some at first.
    void set_offer_source(std::function<std::vector<KeyOffer>(const std::string& key)> source) {
        offer_source_ = std::move(source);
    }

    /// Adds a field for each key that `wanted` accepts, with a heading per group, at the end of the form.
    void add(const std::function<bool(const config::KeyInfo&)>& wanted);
    /// Adds the field of one key, which is never folded away; `button` is to its right. Returns its editor.
    QWidget* add_key(const char* path, QWidget* button = nullptr);
    void set_job(const Job& job);
    void apply(Job& job, FieldErrors& errors) const;
    /// As if the user had typed it.
    void set_text(const std::string& key, const QString& text);
    /// Shows the fields that mean something for the job; `more`: the rarely used ones, too.
    void show_for(const Job& job, bool more);
    /// Marks the values of a choice that the nodes do not offer: they cannot be chosen, and show why. `names`: how values
    /// are shown; `normal`: what the default comes to, empty: not known.
    void set_offers(const std::string& key, const std::vector<ComputeOffer>& offers,
                    const std::map<QString, QString>& names, const QString& normal);
    /// Whether the key is one that forms fold away.
    bool is_rare(const std::string& key) const;

signals:
    void edited();
    /// The user wants the variables as a table.
    void tableRequested();

private:
    struct Row {
        const config::KeyInfo* info = nullptr;
        std::string key;  ///< of the form
        QWidget* editor = nullptr;
        QLabel* title = nullptr;  ///< heading of its group
        QString loaded = {};
        bool train = false;
        bool rare = false;  ///< folded away
    };

    const Row* find(const std::string& key) const;
    void drop_what_means_nothing(Job& job) const;
    static bool is_for(const Row& row, const Job& job);
    QWidget* make_editor(const config::KeyInfo& info);
    void add_row(Row row, const QString& label, QWidget* button);
    /// A button that opens the variables as a table.
    QWidget* make_table_button(const QWidget* editor);
    /// A button that lists values.
    QWidget* make_offers_button(QWidget* editor, const std::string& key);
    void apply_train(const Row& row, const QString& text, Job& job, FieldErrors& errors) const;
    void apply_job(const Row& row, const QString& text, Job& job, FieldErrors& errors) const;

    FieldForm* form_;
    std::function<std::vector<KeyOffer>(const std::string& key)> offer_source_;
    std::vector<Row> rows_;
};

/// A text of the table of keys in the user's language.
QString translated_key(const char* text);
/// The form's name of a key: without "train.".
std::string form_key(const std::string& path);

}  // namespace rankscope::gui
