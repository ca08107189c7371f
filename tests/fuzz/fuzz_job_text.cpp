// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A job file while it is being typed: places, suggestions and help at any position, and the edits of the form. The first
// bytes say where the cursor is and what the form changes.

#include "target.h"

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/config/job_edit.h>
#include <remote/desk/jobs/config/job_text_help.h>
#include <remote/desk/shared/yaml_cursor.h>
#include <remote/desk/shared/yaml_tree.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    if (size < 3) {
        return 0;
    }
    const std::string text(fuzz::as_text(data + 3, size - 3));
    const std::size_t at = (std::size_t{data[0]} * 256 + data[1]) % (text.size() + 2);
    const YamlCursor cursor = cursor_in_yaml(text, at);
    fuzz::require(cursor.begin <= cursor.end && cursor.end <= text.size(), "the word lies in the text");
    (void)job_suggestions(text, at, {"node1"});
    (void)job_help_at(text, at);

    config::ConfigProblems problems;
    const auto root = read_yaml(text, problems);
    const JobRead read = parse_job(text, "j.yaml");
    Job job = read.job;
    switch (data[2] % 4) {
        case 0:
            job.name = "another: 'name' # x";
            break;
        case 1:
            job.max_restarts = job.max_restarts == 3 ? 4 : 3;
            break;
        case 2:
            job.env["NCCL_DEBUG"] = "a\"b: {c}";
            break;
        default:
            job.command = {"python3", "a b.py", "--x=#1"};
            job.train.reset();
    }
    const auto edited = with_changes(text, read.job, job);
    const bool editable =
        root && problems.empty() && (root->is_mapping() || root->kind == config::ConfigNode::Kind::Null);
    fuzz::require(!edited.ok() || editable, "a text that is no YAML is not edited");
    if (edited && editable) {
        const Job again = parse_job(*edited, "j.yaml").job;
        fuzz::require(data[2] % 4 != 0 || again.name == job.name, "the name is in the text");
        fuzz::require(data[2] % 4 != 1 || again.max_restarts == job.max_restarts, "so is a number");
        const auto same = with_changes(text, read.job, read.job);
        fuzz::require(same.ok() && *same == text, "without a change every byte stays");
        (void)without_keys(text, read.faults);
    }
    return 0;
}
