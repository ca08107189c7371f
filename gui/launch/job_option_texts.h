// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>

#include <QString>
#include <QStringList>
#include <map>
#include <string>

namespace rankscope::gui {

/// What the form holds, as typed, of how a job is launched, what its program needs, and what
/// happens when it fails or is stopped. Empty numbers mean the default.
struct JobOptionTexts {
    QString launcher;     ///< name
    QString submit_node;  ///< where the launcher chooses the nodes
    // Of the user's own program.
    bool own = false;  ///< else the native engine runs
    QString command;   ///< words as in a shell
    QString workdir;
    QString python;      ///< "venv", "conda" or empty: what the node has
    QString python_env;  ///< folder or name of it
    QString push;        ///< words as in a shell
    QString log_dir;
    bool known_lines = true;
    QStringList patterns;
    // While it runs, and when it ends.
    QString telemetry;
    QString peer_timeout;
    QString max_restarts;
    QString signal;  ///< "USR1" or empty: none
    QString signal_wait;
};

using FieldErrors = std::map<std::string, QString>;  ///< key of the job file → what would be right

JobOptionTexts option_texts_of(const Job& job);
/// Puts them into the job. What stands in no field here stays, except what has no place with the launcher.
void set_options(const JobOptionTexts& texts, Job& job, FieldErrors& errors);

/// "train.py 'a b'" ⇄ {"train.py", "a b"}, as a shell reads it. *why: what is wrong with the text.
QString join_words(const std::vector<std::string>& words);
std::vector<std::string> split_words(const QString& text, QString* why);

}  // namespace rankscope::gui
