// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The job of LaunchPage: its text, its form, its file and its draft.

#include <base/files.h>
#include <gui/launch/draft_file.h>
#include <gui/launch/job_draft.h>
#include <gui/launch/job_form.h>
#include <gui/launch/job_text_edit.h>
#include <gui/launch/job_text_pane.h>
#include <gui/launch/key_rows.h>
#include <gui/launch/launch_page.h>
#include <gui/launch/override_bar.h>
#include <gui/on_thread.h>
#include <gui/plain_text.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/jobs/config/distribuuuu_job.h>
#include <remote/desk/jobs/config/job_edit.h>
#include <remote/logs/variables/variable_table.h>

#include <QLabel>
#include <QSaveFile>
#include <QTabWidget>
#include <QToolButton>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace rankscope::gui {

namespace {

struct FileRead {
    std::optional<std::string> text;
    QString error;
    std::optional<std::string> config;  ///< of Distribuuuu, from which the text is made
};

FileRead read_job_file(const std::filesystem::path& file) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(file, missing);
    if (!missing && size > kMostJobText) {
        return {std::nullopt, LaunchPage::tr("It is larger than %1 KiB.").arg(kMostJobText / 1024), {}};
    }
    auto text = read_file(file);
    const QString error = text ? QString() : QString::fromLocal8Bit(std::strerror(errno));
    return {std::move(text), error, {}};
}

/// A configuration of Distribuuuu as a job for all nodes of the inventory.
std::pair<FileRead, JobReading> read_distribuuuu(FileRead content, const std::filesystem::path& file) {
    const auto job = job_of_distribuuuu(*content.text, file, {}, {});
    if (!job) {
        return {{std::nullopt, qs(job.failure().what), std::move(content.text)}, {}};
    }
    return {{*job, {}, std::move(content.text)}, read_job_text(*job, file.stem().string() + ".yaml")};
}

/// "train has no key lr_polcy. Did you mean "schedule"?"
QString unknown_key_text(const config::ConfigProblem& fault) {
    const auto dot = fault.path.rfind('.');
    const QString key = qs(fault.path.substr(dot == std::string::npos ? 0 : dot + 1));
    const QString what = dot == std::string::npos
                             ? LaunchPage::tr("A job has no key %1.").arg(key)
                             : LaunchPage::tr("%1 has no key %2.").arg(qs(fault.path.substr(0, dot)), key);
    // A list of all keys is what Ctrl+Space in the text is for.
    constexpr std::size_t kShort = 100;
    return fault.remedy.size() <= kShort ? QString(what % u' ' % qs(fault.remedy)) : what;
}

/// "Line 4: master_port: …".
QString line_of_fault(const config::ConfigProblem& fault) {
    const QString sentence = qs(to_sentence(fault));
    const QString what = fault.unknown_key    ? unknown_key_text(fault)
                         : fault.path.empty() ? sentence
                                              : QString(qs(fault.path) % u": "_s % sentence);
    return fault.line > 0 ? LaunchPage::tr("Line %1: %2").arg(fault.line).arg(what) : what;
}

}  // namespace

void LaunchPage::open_job(const std::filesystem::path& file) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    read_job_.start(
        [file](const JobHandle&) {
            FileRead content = read_job_file(file);
            if (content.text && is_distribuuuu(*content.text)) {
                return read_distribuuuu(std::move(content), file);
            }
            JobReading reading = content.text ? read_job_text(*content.text, file) : JobReading{};
            return std::pair(std::move(content), std::move(reading));
        },
        [this, file](std::pair<FileRead, JobReading> both) {
            auto& [content, reading] = both;
            if (!content.text) {
                file_fault_->set_text(tr("The job file %1 cannot be read.").arg(qs(file.string())),
                                      content.error);
                if (content.config) {
                    overrides_->set_config(file, *content.config);  // a pair may correct it
                }
                return;
            }
            if (content.config) {
                open_translated(*content.text, file, std::move(reading));
                overrides_->set_config(file, *content.config);
                return;
            }
            open({*content.text, file, qs(file.filename().string()), *content.text, true},
                 std::move(reading));
        });
}

void LaunchPage::set_job_text(const std::string& yaml, const std::filesystem::path& file) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    open({yaml, file, qs(file.filename().string()), yaml, false}, read_job_text(yaml, file));
}

void LaunchPage::set_job_again(const QString& name, const std::string& yaml, const std::string& run_id) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    // A run keeps its job, not the folder that its file lay in.
    std::error_code gone;
    const std::filesystem::path folder = std::filesystem::current_path(gone);
    const std::filesystem::path file = folder / (ss(name) + ".yaml");
    JobReading reading = read_job_text(yaml, file);
    const QString title =
        reading.read.job.push.empty()
            ? tr("the job of %1 again").arg(name)
            : tr("the job of %1 again; files to push are read from %2").arg(name, qs(folder.string()));
    open({yaml, file, title, yaml, false, run_id}, std::move(reading));
}

void LaunchPage::open_translated(const std::string& yaml, const std::filesystem::path& config,
                                 JobReading reading) {
    replace({yaml, {}, tr("from %1 of Distribuuuu").arg(qs(config.filename().string())), yaml, false},
            std::move(reading));
}

void LaunchPage::open(JobSource source, JobReading reading) {
    overrides_->clear();
    replace(std::move(source), std::move(reading));
}

void LaunchPage::replace(JobSource source, JobReading reading) {
    file_fault_->set_text({});
    text_job_.cancel();
    document_.open(std::move(source), std::move(reading));
    show_document();
}

void LaunchPage::restore_draft() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    read_job_.start(
        [file = draft_file_](const JobHandle&) {
            auto source = read_job_draft(file->path());
            JobReading reading = source ? read_job_text(source->text, source->file) : JobReading{};
            return std::pair(std::move(source), std::move(reading));
        },
        [this](std::pair<std::optional<JobSource>, JobReading> both) {
            if (both.first && !document_.can_undo()) {
                kept_ = *both.first;
                open(std::move(*both.first), std::move(both.second));
            }
        });
}

void LaunchPage::show_document(bool typed) {
    if (!typed) {
        text_->set_text(document_.text());
    }
    file_faults_ = document_.faults();
    form_->setEnabled(document_.readable());
    if (document_.readable()) {
        load_form();
    }
    show_faults(typed);
    form_changed();
    document_changed();
}

void LaunchPage::load_form() {
    filling_ = true;
    form_->set_job(document_.job());
    form_->set_fleet(*workspace_->fleet()->model());
    filling_ = false;
    shown_ = form_->checked().job;
}

void LaunchPage::put_form_into_text(const CheckedJob& checked) {
    Job job = checked.job;
    for (const std::string& key : checked.unread) {
        keep_value(job, shown_, key);
    }
    // Until the program has a command, the text keeps what it has.
    const bool pending = document_.pending();
    if ((!job.train && job.command.empty()) || (!pending && !document_.readable())) {
        return;
    }
    const bool changed = document_.change(shown_, job, ss(field_));
    shown_ = job;
    if (!changed) {
        return;
    }
    // What the form makes wrong stands at its field.
    std::erase_if(file_faults_, [&](const config::ConfigProblem& fault) {
        const auto& now = document_.faults();
        return std::none_of(now.begin(), now.end(), [&](const config::ConfigProblem& other) {
            return other.path == fault.path && (!fault.path.empty() || other.message == fault.message);
        });
    });
    text_->set_text(document_.text());
    show_faults(false);
    document_changed();
    if (pending) {
        text_timer_.start();
    }
}

void LaunchPage::text_typed() {
    document_.type(text_->text());
    state_.planning = true;
    update_state();
    text_timer_.start();
    document_changed();
}

void LaunchPage::read_text() {
    text_job_.start(
        [text = document_.text(), file = document_.source().file](const JobHandle&) {
            (void)logs::VariableTable::own();  // read once, for completion
            return std::pair(text, read_job_text(text, file));
        },
        [this](std::pair<std::string, JobReading> read) {
            if (read.first == document_.text()) {
                document_.take(std::move(read.second));
                show_document(true);
            }
        });
}

// The editor shows itself what is wrong with a text that is being typed: a banner would move it.
void LaunchPage::show_faults(bool typed) {
    text_->set_faults(document_.faults());
    tabs_->setTabText(tabs_->indexOf(text_),
                      file_faults_.empty() ? tr("Job &file")
                                           : tr("Job &file: %n error(s)", nullptr, int(file_faults_.size())));
    state_.job_file_fine = file_faults_.empty();
    if (!typed || file_faults_.empty()) {
        show_banners();
    }
}

void LaunchPage::show_banners() {
    QStringList lines;
    for (const config::ConfigProblem& fault : file_faults_) {
        lines += line_of_fault(fault);
    }
    const bool readable = document_.readable();
    const bool one_key = file_faults_.size() == 1 && file_faults_.front().unknown_key;
    problems_->set_action(!readable ? tr("&Go to the line")
                          : one_key ? tr("&Remove line")
                                    : tr("&Remove the wrong keys"));
    if (one_key) {
        problems_->set_text(lines.front());
        return;
    }
    problems_->set_text(
        lines.isEmpty() ? QString()
        : readable      ? tr("The job file has errors. Correct the marked fields or lines.")
                   : tr("The job file cannot be read. Correct the marked line; the form keeps its values."),
        lines.join(u'\n'));
}

void LaunchPage::remove_wrong_keys() {
    if (document_.remove_wrong_keys()) {
        show_document();
    } else {
        go_to_first_fault();
    }
}

void LaunchPage::go_to_first_fault() {
    tabs_->setCurrentWidget(text_);
    if (!file_faults_.empty()) {
        text_->edit()->go_to_line(file_faults_.front().line);
    }
}

// What the user typed into a field and is no value goes first.
void LaunchPage::undo() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (form_->checked().unread.empty()) {
        text_job_.cancel();
        document_.undo();
    }
    show_document();
}

void LaunchPage::redo() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    text_job_.cancel();
    document_.redo();
    show_document();
}

std::optional<Failure> LaunchPage::set_job_keys(const std::map<std::string, std::string>& keys) {
    RANKSCOPE_CHECK(on_thread_of(this), return std::nullopt);
    std::vector<std::string> assignments;
    for (const auto& [key, value] : keys) {
        assignments.push_back(key + "=" + value);
    }
    const Result<std::string> edited = with_assignments(job_text(), assignments);
    if (!edited) {
        return edited.failure();
    }
    text_job_.cancel();
    document_.type(*edited);
    document_.take(read_job_text(*edited, document_.source().file));
    show_document();
    return std::nullopt;
}

void LaunchPage::save() {
    if (document_.source().saved) {
        save_job(document_.source().file);
    } else {
        choose_save_file();
    }
}

void LaunchPage::save_job(const std::filesystem::path& file) {
    save_job_.start(
        [file, yaml = job_text()](const JobHandle&) {
            QSaveFile out(qs(file.string()));
            const bool fine = out.open(QIODevice::WriteOnly) &&
                              out.write(yaml.data(), qint64(yaml.size())) >= 0 && out.commit();
            return std::pair(yaml, fine ? QString() : out.errorString());
        },
        [this, file](const std::pair<std::string, QString>& saved) {
            if (!saved.second.isEmpty()) {
                file_fault_->set_text(tr("Cannot write %1.").arg(qs(file.string())), saved.second);
                return;
            }
            file_fault_->set_text({});
            document_.set_saved(file, saved.first, qs(file.filename().string()));
            document_changed();
        });
}

void LaunchPage::show_source() {
    const JobSource& source = document_.source();
    const QString name = source.title.isEmpty() ? tr("a new job") : source.title;
    file_->setText(source.is_draft() ? tr("%1, changed").arg(name) : name);
    file_->setToolTip(plain_text(source.saved ? qs(source.file.string()) : file_->text()));
}

void LaunchPage::document_changed() {
    show_source();
    undo_->setEnabled(document_.can_undo());
    redo_->setEnabled(document_.can_redo());
    discard_->setEnabled(document_.source().is_draft());
    if (document_.source() != kept_ && !draft_timer_.isActive()) {
        draft_timer_.start();
    }
}

void LaunchPage::save_draft() {
    if (draft_job_.running()) {  // the older text must not come last
        draft_timer_.start();
        return;
    }
    const JobSource source = document_.source();
    draft_job_.start(
        [source, file = draft_file_](const JobHandle&) { return write_job_draft(file->path(), source); },
        [this, source](const Result<void>& written) {
            kept_ = source;
            if (!written.ok()) {
                file_fault_->set_text(tr("The draft of the job cannot be kept."),
                                      qs(to_line(written.failure())));
            }
        });
}

}  // namespace rankscope::gui
