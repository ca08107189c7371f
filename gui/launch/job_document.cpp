// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/job_document.h>
#include <gui/strings.h>
#include <remote/desk/jobs/config/job_edit.h>
#include <remote/desk/jobs/config/job_keys.h>
#include <remote/desk/shared/yaml_tree.h>

#include <QCoreApplication>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::size_t kMostSteps = 500;
constexpr std::size_t kMostBytes = std::size_t{16} * 1024 * 1024;  ///< of all steps
constexpr auto kOneStep = std::chrono::seconds(1);

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Launch)
};

}  // namespace

JobReading read_job_text(const std::string& text, const std::filesystem::path& file) {
    JobReading reading;
    if (text.size() > kMostJobText) {
        reading.read.job.file = file;
        reading.read.yaml = text;
        reading.read.faults = {{"", ss(Words::tr("the text is larger than %1 KiB").arg(kMostJobText / 1024)),
                                ss(Words::tr("Open a job file.")), 1}};
        reading.read.problems = failures_of(reading.read.faults, file);
        return reading;
    }
    reading.read = parse_job(text, file);
    config::ConfigProblems problems;
    const auto root = read_yaml(text, problems);
    reading.readable =
        root && problems.empty() && (root->is_mapping() || root->kind == config::ConfigNode::Kind::Null);
    return reading;
}

void keep_value(Job& job, const Job& from, const std::string& path) {
    const auto* key = job_keys().find(path);
    if (key == nullptr || path == "train") {
        return;
    }
    const nlohmann::json value = key->write(from);
    const config::ConfigNode node = config::from_json(value.is_null() ? nlohmann::json::object() : value);
    config::ConfigProblems ignored;
    key->read({node, key->info, path, true, ignored}, job);
}

void JobDocument::step(const std::string& label, Clock::time_point now) {
    const bool merge = !label.empty() && label == label_ && now - last_ < kOneStep && !past_.empty();
    label_ = label;
    last_ = now;
    future_.clear();
    if (merge) {
        return;
    }
    past_.push_back(source_);
    std::size_t bytes = 0;
    for (const JobSource& one : past_) {
        bytes += one.text.size() + one.clean.size();
    }
    while (past_.size() > kMostSteps || (bytes > kMostBytes && past_.size() > 1)) {
        bytes -= past_.front().text.size() + past_.front().clean.size();
        past_.erase(past_.begin());
    }
}

void JobDocument::open(JobSource source, JobReading reading) {
    if (!source_.text.empty()) {
        step({}, Clock::now());
    }
    source_ = std::move(source);
    job_ = {};
    pending_ = false;
    faults_ = std::move(reading.read.faults);
    readable_ = reading.readable;
    if (readable_) {
        job_ = std::move(reading.read.job);
    }
}

void JobDocument::type(std::string text, Clock::time_point now) {
    if (text == source_.text) {
        return;
    }
    step("text", now);
    source_.text = std::move(text);
    pending_ = true;
}

void JobDocument::take(JobReading reading) {
    pending_ = false;
    faults_ = std::move(reading.read.faults);
    readable_ = reading.readable;
    if (!readable_) {
        return;
    }
    Job job = std::move(reading.read.job);
    for (const config::ConfigProblem& fault : faults_) {
        keep_value(job, job_, fault.path);
    }
    job_ = std::move(job);
}

void JobDocument::read_now() {
    take(read_job_text(source_.text, source_.file));
}

bool JobDocument::change(const Job& before, const Job& after, const std::string& field,
                         Clock::time_point now) {
    if (pending_) {
        read_now();
    }
    const auto edited =
        readable_ ? with_changes(source_.text, before, after) : Result<std::string>(Failure{});
    if (!edited || *edited == source_.text) {
        return false;
    }
    step("field " + field, now);
    source_.text = *edited;
    read_now();
    return true;
}

bool JobDocument::remove_wrong_keys() {
    const auto edited = without_keys(source_.text, faults_);
    if (!edited || *edited == source_.text) {
        return false;
    }
    step({}, Clock::now());
    source_.text = *edited;
    job_ = {};  // there is no last good value: the default holds
    read_now();
    return true;
}

void JobDocument::discard_draft() {
    if (source_.is_draft()) {
        step({}, Clock::now());
        source_.text = source_.clean;
        read_now();
    }
}

void JobDocument::set_saved(const std::filesystem::path& file, const std::string& text,
                            const QString& title) {
    source_.file = file;
    source_.clean = text;
    source_.title = title;
    source_.saved = true;
    label_.clear();
    read_now();
}

void JobDocument::go(std::vector<JobSource>& from, std::vector<JobSource>& to) {
    if (from.empty()) {
        return;
    }
    to.push_back(std::move(source_));
    source_ = std::move(from.back());
    from.pop_back();
    label_.clear();
    read_now();
}

void JobDocument::undo() {
    go(past_, future_);
}

void JobDocument::redo() {
    go(future_, past_);
}

}  // namespace rankscope::gui
