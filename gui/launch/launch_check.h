// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/jobs/config/job.h>

#include <QString>
#include <QStringList>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rankscope::gui {

/// All that Start depends on, each by name: the button follows from this and from nothing else.
struct LaunchState {
    bool inventory_read = false;
    bool inventory_fine = true;
    bool store_settled = false;
    bool job_file_fine = true;
    bool nodes_chosen = false;
    int wrong_fields = 0;
    bool planning = false;
    bool planning_again = false;  ///< it was ready, and only what is known of the nodes has changed
    std::optional<Failure> plan_failure;
    QString conflict;  ///< why it cannot run beside the runs in progress; empty: it can
    QString warning;   ///< what it shares with them and still can start; empty: nothing
    QString beside;    ///< the runs in progress in this window; empty: none

    bool is_ready() const;
    /// Start is enabled: the job starts now, or as soon as it is planned again.
    bool takes_start() const;
    /// Why Start is disabled; empty when it is not.
    QString reason() const;
    /// What the user should know before Start.
    QString news() const;
    /// Why the nodes of the job cannot be inspected; empty when they can.
    QString check_reason() const;
};

/// What a form holds in fields of its own before it is a job: the texts as typed.
struct JobTexts {
    QString name;
    QString procs_per_node;  ///< "auto" or a number
    QString master_port;
    QString launcher;     ///< name
    QString submit_node;  ///< where the launcher chooses the nodes
    // Of the native engine.
    QString model;
    QString dataset;
    QString root;
    QString epochs;
    QString batch_size;
    QString lr;
    QString momentum;
    QString weight_decay;
    bool nesterov = false;
    // Of the user's own program.
    bool own = false;    ///< else the native engine runs
    QString command;     ///< words as in a shell
    QString python;      ///< "venv", "conda", "uv", "requirements" or empty: what the node has
    QString python_env;  ///< folder, name or file of it
    bool known_lines = true;
    QStringList patterns;
};

using FieldErrors = std::map<std::string, QString>;  ///< key of the job file → what would be right

JobTexts texts_of(const Job& job);

/// `base` with what the texts say. A text that is no number goes in as text, so that the check names it.
struct CheckedJob {
    Job job;
    FieldErrors errors;            ///< field ("optimizer.lr", "master_port") → what would be right
    std::set<std::string> unread;  ///< fields whose text is no value: the job has another one
};
/// `more` puts further values into the job before it is checked.
CheckedJob check_job_texts(const Job& base, const JobTexts& texts,
                           const std::function<void(Job&, FieldErrors&)>& more = {});
/// Adds the errors of the whole job, by the key that they name.
void check_as_file(CheckedJob& checked);

/// "train.py 'a b'" ⇄ {"train.py", "a b"}, as a shell reads it. *why: what is wrong with the text.
QString join_words(const std::vector<std::string>& words);
std::vector<std::string> split_words(const QString& text, QString* why);

}  // namespace rankscope::gui
