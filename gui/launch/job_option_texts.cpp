// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/shell_quote.h>
#include <gui/launch/job_option_texts.h>
#include <gui/strings.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/jobs/launch_lines/shell_words.h>

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr double kDay = 86400;
constexpr double kHour = 3600;
constexpr int kMostRestarts = 1000;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Launch)
};

/// Empty where it is the default, so that the field's placeholder says what that is.
QString number_or_empty(double value, double normal) {
    return value == normal ? QString() : QString::number(value, 'g', 12);
}

double number(const QString& text, double normal, double low, double high, const char* key,
              FieldErrors& errors) {
    if (text.trimmed().isEmpty()) {
        return normal;
    }
    bool ok = false;
    const double value = text.trimmed().toDouble(&ok);
    if (!ok || !std::isfinite(value) || value < low || value > high) {
        errors[key] = Words::tr("Give seconds from %1 to %2.").arg(low).arg(high);
        return normal;
    }
    return value;
}

int whole(const QString& text, int normal, int low, int high, const char* key, FieldErrors& errors) {
    if (text.trimmed().isEmpty()) {
        return normal;
    }
    bool ok = false;
    const int value = text.trimmed().toInt(&ok);
    if (!ok || value < low || value > high) {
        errors[key] = Words::tr("Give a whole number from %1 to %2.").arg(low).arg(high);
        return normal;
    }
    return value;
}

std::string trimmed(const QString& text) {
    return ss(text.trimmed());
}

std::vector<std::string> words(const QString& text, const char* key, FieldErrors& errors) {
    QString why;
    std::vector<std::string> all = split_words(text, &why);
    if (!why.isEmpty()) {
        errors[key] = why;
    }
    return all;
}

void set_program(const JobOptionTexts& texts, Job& job, FieldErrors& errors) {
    job.train.reset();
    job.command = words(texts.command, "command", errors);
    if (job.command.empty()) {
        errors.emplace("command",
                       Words::tr("Give the program with its arguments: python3 train.py --lr 0.1"));
    }
    job.workdir = trimmed(texts.workdir);
    job.push = words(texts.push, "push", errors);
    job.own.venv = texts.python == u"venv"_s ? trimmed(texts.python_env) : std::string();
    job.own.conda = texts.python == u"conda"_s ? trimmed(texts.python_env) : std::string();
    if (!texts.python.isEmpty() && texts.python_env.trimmed().isEmpty()) {
        errors["venv"] = texts.python == u"venv"_s
                             ? Words::tr("Give the environment's folder on the nodes, such as ~/venvs/torch.")
                             : Words::tr("Give the environment's name or folder on the nodes.");
    }
    job.own.log_dir = trimmed(texts.log_dir);
    job.own.metrics.lines = texts.known_lines;
    job.own.metrics.patterns.clear();
    for (const QString& pattern : texts.patterns) {
        if (!pattern.trimmed().isEmpty()) {
            job.own.metrics.patterns.push_back(ss(pattern));
        }
    }
}

}  // namespace

QString join_words(const std::vector<std::string>& words) {
    constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+";
    QStringList parts;
    for (const std::string& word : words) {
        const bool plain = !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
        parts += qs(plain ? word : shell_quote(word));
    }
    return parts.join(u' ');
}

std::vector<std::string> split_words(const QString& text, QString* why) {
    const ShellText read = split_shell_text(ss(text));
    if (!read.problem.empty()) {
        *why = qs(read.problem);
        return {};
    }
    if (read.commands.empty()) {
        return {};
    }
    const WrittenCommand& first = read.commands.front();
    if (read.commands.size() > 1 || !first.ended_by.empty() || !first.redirections.empty()) {
        *why = Words::tr("Words with spaces between them; put those with ; & | < > into single quotes.");
        return {};
    }
    return first.words;
}

JobOptionTexts option_texts_of(const Job& job) {
    const Job normal;
    JobOptionTexts texts;
    texts.launcher = qs(job.launcher);
    texts.submit_node = qs(submit_node(job));
    texts.own = !job.command.empty();
    texts.command = join_words(job.command);
    texts.workdir = qs(job.workdir);
    texts.python = !job.own.venv.empty() ? u"venv"_s : !job.own.conda.empty() ? u"conda"_s : QString();
    texts.python_env = qs(!job.own.venv.empty() ? job.own.venv : job.own.conda);
    texts.push = join_words(job.push);
    texts.log_dir = qs(job.own.log_dir);
    texts.known_lines = job.own.metrics.lines;
    for (const std::string& pattern : job.own.metrics.patterns) {
        texts.patterns += qs(pattern);
    }
    texts.telemetry = number_or_empty(job.telemetry_s, normal.telemetry_s);
    texts.peer_timeout = number_or_empty(job.peer_timeout_s, normal.peer_timeout_s);
    texts.max_restarts = job.max_restarts == 0 ? QString() : QString::number(job.max_restarts);
    texts.signal = qs(job.checkpoint_signal);
    texts.signal_wait = number_or_empty(job.checkpoint_wait_s, normal.checkpoint_wait_s);
    return texts;
}

void set_options(const JobOptionTexts& texts, Job& job, FieldErrors& errors) {
    const Job normal;
    choose_launcher(job, ss(texts.launcher));
    if (launcher_of(job).chooses_nodes) {
        set_submit_node(job, trimmed(texts.submit_node));
    }
    if (texts.own) {
        set_program(texts, job, errors);
    } else if (!job.command.empty()) {  // the native engine instead: what was the program's goes
        job.command.clear();
        job.push.clear();
        job.workdir.clear();
        job.own = normal.own;
    }
    job.telemetry_s = number(texts.telemetry, normal.telemetry_s, 0, kHour, "telemetry.every_s", errors);
    job.peer_timeout_s =
        number(texts.peer_timeout, normal.peer_timeout_s, 0, kDay, "on_failure.peer_timeout_s", errors);
    job.max_restarts = whole(texts.max_restarts, 0, 0, kMostRestarts, "on_failure.max_restarts", errors);
    job.checkpoint_signal = trimmed(texts.signal);
    job.checkpoint_wait_s =
        number(texts.signal_wait, normal.checkpoint_wait_s, 0, kDay, "checkpoint.wait_s", errors);
}

}  // namespace rankscope::gui
