// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/failure_bundle/run_redactor.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/config/secret_env.h>

#include <utility>

namespace rankscope::inline archive {

Redactor redactor_of(const RunRecord& run, bool hide_users) {
    RedactOptions options;
    options.hide_users = hide_users;
    options.secret_names = run.plan.secret_env;
    const auto listed = parse_job(run.job_yaml, run.run_id).job.secret_env;
    options.secret_names.insert(listed.begin(), listed.end());
    return Redactor(std::move(options));
}

std::string shown_job(const RunRecord& run, Redactor& redactor, const std::string& where) {
    const auto job = parse_job(run.job_yaml, run.name).job;
    return redactor.redact_yaml(with_masked_secrets(run.job_yaml, job), where);
}

}  // namespace rankscope::inline archive
