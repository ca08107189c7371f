// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>
#include <base/shell_quote.h>
#include <gui/launch/launch_check.h>
#include <gui/launch/train_values.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/jobs/launch_lines/shell_words.h>

#include <QCoreApplication>
#include <algorithm>

namespace rankscope::gui {

namespace {

using nlohmann::json;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Launch)
};

/// A number where the text is one, else the text itself for the check to complain about.
json number_or_text(const QString& text) {
    const QString trimmed = text.trimmed();
    bool ok = false;
    const qlonglong whole = trimmed.toLongLong(&ok);
    if (ok) {
        return json(std::int64_t(whole));
    }
    const double real = trimmed.toDouble(&ok);
    return ok ? json(real) : json(ss(trimmed));
}

QString number_text_of(double value) {
    return QString::number(value, 'g', 12);
}

/// The section with the values of the fields that the user changed: what the job says about the others stays
/// as it is written, also where it says nothing.
json train_of(const Job& base, const JobTexts& texts) {
    const bool given = base.train && base.train->is_object();
    json train = given ? *base.train
                       : json{{"model", ""}, {"dataset", {{"name", ""}}}, {"optimizer", {{"name", "sgd"}}}};
    const JobTexts shown = texts_of(base);
    const auto set = [&](const char* path, const QString& text, const QString& before, bool is_number) {
        const QString word = text.trimmed();
        if (given && word == before.trimmed()) {
            return false;
        }
        set_train_value(train, path,
                        word.isEmpty() ? json()
                        : is_number    ? number_or_text(word)
                                       : json(ss(word)));
        return true;
    };
    set("model.name", texts.model, shown.model, false);
    if (set("dataset.name", texts.dataset, shown.dataset, false)) {
        set_train_value(train, "dataset.otherwise", nullptr);  // was meant for the other one
    }
    set("dataset.root", texts.root, shown.root, false);
    set("epochs", texts.epochs, shown.epochs, true);
    set("batch_size", texts.batch_size, shown.batch_size, true);
    set("optimizer.lr", texts.lr, shown.lr, true);
    set("optimizer.momentum", texts.momentum, shown.momentum, true);
    set("optimizer.weight_decay", texts.weight_decay, shown.weight_decay, true);
    if (texts.nesterov != shown.nesterov) {
        set_train_value(train, "optimizer.nesterov", texts.nesterov);
    }
    return train;
}

/// What the job file says, right or wrong; where it says nothing, the default.
QString train_text(const Job& job, const char* path, const QString& normal) {
    const json value = job.train ? train_value(*job.train, path) : json();
    if (value.is_string()) {
        return qs(value.get<std::string>());
    }
    return value.is_number_integer() ? qs(value.dump())
           : value.is_number()       ? number_text_of(value.get<double>())
                                     : normal;
}

/// A whole number in [low, high]; otherwise an error with the range.
int whole(const QString& text, int low, int high, const char* field, CheckedJob& checked) {
    bool ok = false;
    const int value = text.trimmed().toInt(&ok);
    if (!ok || value < low || value > high) {
        checked.errors[field] = Words::tr("Give a whole number from %1 to %2.").arg(low).arg(high);
        return low;
    }
    return value;
}

/// "node1: 4, node2: 2".
QString join_procs(const std::map<std::string, int>& procs) {
    QStringList parts;
    for (const auto& [node, count] : procs) {
        parts += QString(qs(node) % u": "_s % QString::number(count));
    }
    return parts.join(u", "_s);
}

void set_procs(const JobTexts& texts, CheckedJob& checked) {
    constexpr int kMost = 1024;
    Job& job = checked.job;
    job.procs_of_node.clear();
    const QString procs = texts.procs_per_node.trimmed();
    if (!procs.contains(u':')) {
        const bool automatic = procs.isEmpty() || procs.compare(u"auto"_s, Qt::CaseInsensitive) == 0;
        job.procs_per_node = automatic ? 0 : whole(procs, 1, kMost, "procs_per_node", checked);
        if (checked.errors.contains("procs_per_node")) {
            checked.errors["procs_per_node"] =
                Words::tr("Write auto, a number from 1 to 1024, or one for each node: node1: 4, node2: 2.");
        }
        return;
    }
    if (launcher_of(job).chooses_nodes) {
        checked.errors["procs_per_node"] =
            Words::tr("With launcher %1 every node has the same number of ranks: write a number, or auto.")
                .arg(qs(job.launcher));
        return;
    }
    job.procs_per_node = 0;
    for (const QString& part : procs.split(u',', Qt::SkipEmptyParts)) {
        const qsizetype colon = part.lastIndexOf(u':');
        bool ok = false;
        const int count = part.mid(colon + 1).trimmed().toInt(&ok);
        const QString node = part.left(std::max<qsizetype>(colon, 0)).trimmed();
        if (!ok || count < 1 || count > kMost || node.isEmpty()) {
            checked.errors["procs_per_node"] =
                Words::tr("Write nodes and numbers from 1 to %1: node1: 4, node2: 2.").arg(kMost);
            return;
        }
        job.procs_of_node[ss(node)] = count;
    }
}

std::string trimmed(const QString& text) {
    return ss(text.trimmed());
}

// The key of a job for each kind of environment that the form offers.
const std::vector<std::pair<QString, std::string* (*)(Job&)>>& python_kinds() {
    static const std::vector<std::pair<QString, std::string* (*)(Job&)>> kinds{
        {u"venv"_s, [](Job& job) { return &job.own.venv; }},
        {u"conda"_s, [](Job& job) { return &job.own.conda; }},
        {u"uv"_s, [](Job& job) { return &job.environment.uv; }},
        {u"requirements"_s, [](Job& job) { return &job.environment.requirements; }}};
    return kinds;
}

QString missing_python(const QString& kind) {
    return kind == u"venv"_s ? Words::tr("Give the environment's folder on the nodes, such as ~/venvs/torch.")
           : kind == u"conda"_s ? Words::tr("Give the environment's name or folder on the nodes.")
                                : Words::tr("Give the file, next to the job file: %1.")
                                      .arg(kind == u"uv"_s ? u"uv.lock"_s : u"requirements.txt"_s);
}

void set_program(const JobTexts& texts, CheckedJob& checked) {
    Job& job = checked.job;
    job.train.reset();
    QString why;
    job.command = split_words(texts.command, &why);
    if (job.command.empty()) {
        checked.errors["command"] =
            why.isEmpty() ? Words::tr("Give the program with its arguments: python3 train.py --lr 0.1") : why;
    }
    if (texts.python != u"uv"_s && texts.python != u"requirements"_s) {
        job.environment = {};
    }
    for (const auto& [kind, value] : python_kinds()) {
        *value(job) = texts.python == kind ? trimmed(texts.python_env) : std::string();
    }
    if (!texts.python.isEmpty() && texts.python_env.trimmed().isEmpty()) {
        checked.errors["venv"] = missing_python(texts.python);
    }
    job.own.metrics.lines = texts.known_lines;
    job.own.metrics.patterns.clear();
    for (const QString& pattern : texts.patterns) {
        if (!pattern.trimmed().isEmpty()) {
            job.own.metrics.patterns.push_back(ss(pattern));
        }
    }
}

/// The native engine instead of the program: what was the program's goes.
void set_native(const JobTexts& texts, const Job& base, Job& job) {
    if (!job.command.empty()) {
        job.command.clear();
        job.push.clear();
        job.workdir.clear();
        job.own = Job().own;
    }
    job.train = train_of(base, texts);
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

bool LaunchState::is_ready() const {
    return reason().isEmpty();
}

bool LaunchState::takes_start() const {
    return is_ready() ||
           (planning && planning_again && store_settled && conflict.isEmpty() && check_reason().isEmpty());
}

QString LaunchState::check_reason() const {
    if (!inventory_read) {
        return Words::tr("Reading the inventory…");
    }
    if (!inventory_fine) {
        return Words::tr("The inventory has errors: see Fleet.");
    }
    if (!job_file_fine) {
        return Words::tr("Correct the job file first.");
    }
    if (!nodes_chosen) {
        return Words::tr("Choose at least one node.");
    }
    if (wrong_fields > 0) {
        return wrong_fields == 1 ? Words::tr("One field needs another value.")
                                 : Words::tr("%1 fields need other values.").arg(wrong_fields);
    }
    return {};
}

QString LaunchState::reason() const {
    if (const QString reason = check_reason(); !reason.isEmpty()) {
        return reason;
    }
    if (!store_settled) {
        return Words::tr("Opening the run store…");
    }
    if (planning) {
        return Words::tr("Making the plan…");
    }
    if (plan_failure) {
        return Words::tr("There is no plan: %1").arg(qs(plan_failure->what));
    }
    return conflict;
}

QString LaunchState::news() const {
    QStringList news;
    if (!warning.isEmpty()) {
        news += warning;
    }
    if (!beside.isEmpty()) {
        news += Words::tr("Starts in a tab of its own, beside %1.").arg(beside);
    }
    return news.join(u' ');
}

JobTexts texts_of(const Job& job) {
    JobTexts texts;
    texts.name = qs(job.name);
    texts.procs_per_node = !job.procs_of_node.empty() ? join_procs(job.procs_of_node)
                           : job.procs_per_node == 0  ? u"auto"_s
                                                      : QString::number(job.procs_per_node);
    texts.master_port = QString::number(job.master_port);
    config::TrainConfig config;
    config.model = "convnet";
    config.dataset.name = "mnist";
    if (job.train && config::check_train_config(*job.train).empty()) {
        config = config::parse_train_config(*job.train);
    }
    texts.model = train_text(job, "model.name", qs(config.model));
    texts.dataset = train_text(job, "dataset.name", qs(config.dataset.name));
    texts.root = train_text(job, "dataset.root", qs(config.dataset.root));
    texts.epochs = train_text(job, "epochs", QString::number(config.epochs));
    texts.batch_size = train_text(job, "batch_size", QString::number(config.batch_size));
    texts.lr = train_text(job, "optimizer.lr", number_text_of(config.optimizer.lr));
    texts.momentum = train_text(job, "optimizer.momentum", number_text_of(config.optimizer.momentum));
    texts.weight_decay =
        train_text(job, "optimizer.weight_decay", number_text_of(config.optimizer.weight_decay));
    texts.nesterov = config.optimizer.nesterov;
    texts.launcher = qs(job.launcher);
    texts.submit_node = qs(submit_node(job));
    texts.own = !job.command.empty();
    texts.command = join_words(job.command);
    Job values = job;
    for (const auto& [kind, value] : python_kinds()) {
        if (texts.python.isEmpty() && !value(values)->empty()) {
            texts.python = kind;
            texts.python_env = qs(*value(values));
        }
    }
    texts.known_lines = job.own.metrics.lines;
    for (const std::string& pattern : job.own.metrics.patterns) {
        texts.patterns += qs(pattern);
    }
    return texts;
}

// The native engine's keys have their own check, which has run; the page itself reports that no node is chosen.
void check_as_file(CheckedJob& checked) {
    for (const config::ConfigProblem& problem : check_job(checked.job)) {
        const std::string& key = problem.path;
        if (!key.empty() && key != "nodes" && key != launcher_of(checked.job).submit_key &&
            !key.starts_with("train")) {
            checked.errors.emplace(key == "environment" ? std::string("venv") : key,
                                   qs(to_sentence(problem)));
        }
    }
}

CheckedJob check_job_texts(const Job& base, const JobTexts& texts,
                           const std::function<void(Job&, FieldErrors&)>& more) {
    CheckedJob checked;
    checked.job = base;
    Job& job = checked.job;
    job.name = ss(texts.name.trimmed());
    if (job.name.empty()) {
        checked.errors["name"] = Words::tr("Give the run a name.");
    }
    choose_launcher(job, ss(texts.launcher));
    if (launcher_of(job).chooses_nodes) {
        set_submit_node(job, trimmed(texts.submit_node));
    }
    set_procs(texts, checked);
    job.master_port = whole(texts.master_port, 0, 65535, "master_port", checked);
    if (checked.errors.contains("master_port")) {
        checked.errors["master_port"] = Words::tr("Give a port from 1 to 65535, or 0 for a free one.");
    }
    if (texts.own) {
        set_program(texts, checked);
    } else {
        set_native(texts, base, job);
    }
    if (more) {
        more(job, checked.errors);
    }
    if (job.train) {
        for (const config::ConfigProblem& problem : config::check_train_config(*job.train)) {
            checked.errors.emplace(problem.path.empty() ? std::string("train") : problem.path,
                                   qs(to_sentence(problem)));
        }
    }
    return checked;
}

}  // namespace rankscope::gui
