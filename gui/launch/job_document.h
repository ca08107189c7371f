// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>

#include <QString>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rankscope::gui {

/// The text of a job and where it comes from.
struct JobSource {
    std::string text;
    std::filesystem::path file;  ///< files to push are read from beside it
    QString title;               ///< as the page shows it
    std::string clean;           ///< the text as it was opened or saved
    bool saved = false;          ///< `file` exists: Save writes there
    std::string parent = {};     ///< id of the run whose job it is; empty: none

    bool is_draft() const { return text != clean; }
    bool operator==(const JobSource&) const = default;
};

/// What a text says.
struct JobReading {
    JobRead read;
    bool readable = false;  ///< it is YAML with keys; there may be errors in values
};
/// For any thread. Texts above kMostJobText bytes are not read.
inline constexpr std::size_t kMostJobText = std::size_t{256} * 1024;
JobReading read_job_text(const std::string& text, const std::filesystem::path& file);

/// A job while it is edited. The text of its file holds everything; the form and the text editor show it, and each step
/// of either can be undone. One thread.
class JobDocument {
public:
    using Clock = std::chrono::steady_clock;

    const JobSource& source() const { return source_; }
    const std::string& text() const { return source_.text; }
    /// What the last text that could be read says. A key with an error has its last good value.
    const Job& job() const { return job_; }
    /// Of the present text.
    const config::ConfigProblems& faults() const { return faults_; }
    bool readable() const { return readable_; }

    /// Another job; one step.
    void open(JobSource source, JobReading reading);
    /// The text as typed. What it says is unknown until take().
    void type(std::string text, Clock::time_point now = Clock::now());
    /// The reading of the text that was typed.
    void take(JobReading reading);
    bool pending() const { return pending_; }
    /// Puts what the form changed into the text. `field`: steps of the same field within a second become one.
    /// Whether the text is another one now; false as well where it cannot be edited.
    bool change(const Job& before, const Job& after, const std::string& field,
                Clock::time_point now = Clock::now());
    /// Takes the keys with errors out of the text.
    bool remove_wrong_keys();
    /// The text as it was opened or saved; one step.
    void discard_draft();
    void set_saved(const std::filesystem::path& file, const std::string& text, const QString& title);

    bool can_undo() const { return !past_.empty(); }
    bool can_redo() const { return !future_.empty(); }
    void undo();
    void redo();

private:
    void step(const std::string& label, Clock::time_point now);
    void go(std::vector<JobSource>& from, std::vector<JobSource>& to);
    void read_now();

    JobSource source_;
    Job job_;
    config::ConfigProblems faults_;
    bool readable_ = false;
    bool pending_ = false;
    std::vector<JobSource> past_;
    std::vector<JobSource> future_;
    std::string label_;  ///< of the last step
    Clock::time_point last_{};
};

/// Gives the key of `path` the value that it has in `from`. Keys of the native engine are left alone.
void keep_value(Job& job, const Job& from, const std::string& path);

}  // namespace rankscope::gui
