// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>
#include <gui/launch/launch_check.h>
#include <gui/strings.h>
#include <gui/texts.h>

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

void set_or_erase(json& object, const char* key, const QString& text) {
    if (text.trimmed().isEmpty()) {
        object.erase(key);
    } else {
        object[key] = number_or_text(text);
    }
}

json train_of(const Job& base, const JobTexts& texts) {
    json train = base.train && base.train->is_object() ? *base.train : json::object();
    if (train.contains("model") && train["model"].is_object()) {
        train["model"]["name"] = ss(texts.model.trimmed());
    } else {
        train["model"] = ss(texts.model.trimmed());
    }
    json dataset = json::object();
    if (train.contains("dataset") && train["dataset"].is_object()) {
        dataset = train["dataset"];
    }
    if (dataset.value("name", "") != ss(texts.dataset.trimmed())) {
        dataset.erase("otherwise");  // was meant for the other one
    }
    dataset["name"] = ss(texts.dataset.trimmed());
    if (texts.root.trimmed().isEmpty()) {
        dataset.erase("root");
    } else {
        dataset["root"] = ss(texts.root.trimmed());
    }
    train["dataset"] = dataset;
    set_or_erase(train, "epochs", texts.epochs);
    set_or_erase(train, "batch_size", texts.batch_size);
    json optimizer =
        train.contains("optimizer") && train["optimizer"].is_object() ? train["optimizer"] : json::object();
    optimizer["name"] = optimizer.value("name", "sgd");
    set_or_erase(optimizer, "lr", texts.lr);
    set_or_erase(optimizer, "momentum", texts.momentum);
    set_or_erase(optimizer, "weight_decay", texts.weight_decay);
    if (texts.nesterov || optimizer.contains("nesterov")) {
        optimizer["nesterov"] = texts.nesterov;
    }
    train["optimizer"] = optimizer;
    return train;
}

/// A whole number in [low, high]; otherwise an error that says so.
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
    if (texts.options.slurm) {
        checked.errors["procs_per_node"] =
            Words::tr("Under Slurm every node has as many ranks: write a number, or auto.");
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

}  // namespace

bool LaunchState::is_ready() const {
    return reason().isEmpty();
}

QString LaunchState::reason() const {
    if (!inventory_read) {
        return Words::tr("Reading the inventory…");
    }
    if (!inventory_fine) {
        return Words::tr("The inventory has errors: see Fleet.");
    }
    if (!job_file_fine) {
        return Words::tr("The job file has errors. Correct the marked fields, or dismiss the message.");
    }
    if (!nodes_chosen) {
        return Words::tr("Choose at least one node.");
    }
    if (wrong_fields > 0) {
        return wrong_fields == 1 ? Words::tr("One field needs another value.")
                                 : Words::tr("%1 fields need other values.").arg(wrong_fields);
    }
    if (run_active) {
        return Words::tr("A run is in progress: stop it first, or wait for its end.");
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
    return {};
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
    texts.model = qs(config.model);
    texts.dataset = qs(config.dataset.name);
    texts.root = qs(config.dataset.root);
    texts.epochs = QString::number(config.epochs);
    texts.batch_size = QString::number(config.batch_size);
    texts.lr = number_text_of(config.optimizer.lr);
    texts.momentum = number_text_of(config.optimizer.momentum);
    texts.weight_decay = number_text_of(config.optimizer.weight_decay);
    texts.nesterov = config.optimizer.nesterov;
    texts.options = option_texts_of(job);
    return texts;
}

// The native engine's keys have their own check, which has run; the page itself reports that no node is chosen.
void check_as_file(CheckedJob& checked) {
    for (const config::ConfigProblem& problem : check_job(checked.job)) {
        const std::string& key = problem.path;
        if (!key.empty() && key != "nodes" && key != "slurm.login" && !key.starts_with("train")) {
            checked.errors.emplace(key, qs(to_sentence(problem)));
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
    set_procs(texts, checked);
    job.master_port = whole(texts.master_port, 0, 65535, "master_port", checked);
    if (checked.errors.contains("master_port")) {
        checked.errors["master_port"] = Words::tr("Give a port from 1 to 65535, or 0 for a free one.");
    }
    set_options(texts.options, job, checked.errors);
    if (!texts.options.own) {
        job.train = train_of(base, texts);
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
