// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/jobs/config/job_key_parts.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/shared/text.h>

namespace rankscope::inline jobs {
namespace job_key_parts {

int index_of(const std::string& word, int max) {
    const auto index = parse_number<int>(word);
    return index && *index <= max ? *index : -1;
}

bool is_mapping(const config::KeyReader& reader) {
    if (!reader.node.is_mapping()) {
        reader.add(text(kJobContext, "%1 is not a mapping", {config::shown(reader.node)}),
                   text(kJobContext, "Write for example: %1", {reader.info.example}));
    }
    return reader.node.is_mapping();
}

config::KeyReader entry_reader(const config::KeyReader& reader, const config::ConfigNode::Entry& entry) {
    return {entry.value, reader.info, reader.path + '.' + entry.key, reader.quoted_numbers, reader.problems};
}

}  // namespace job_key_parts

using job_key_parts::JobKeyTable;

const JobKeyTable& job_keys() {
    static const JobKeyTable table = [] {
        JobKeyTable made;
        job_key_parts::add_where(made);
        for (const JobLauncher& launcher : job_launchers()) {
            if (launcher.add_keys != nullptr) {
                launcher.add_keys(made);
            }
        }
        job_key_parts::add_what(made);
        job_key_parts::add_container(made);
        job_key_parts::add_life(made);
        job_key_parts::add_environment(made);
        return made;
    }();
    return table;
}

bool is_for_launcher(const config::KeyInfo& info, const JobLauncher& launcher) {
    const unsigned nodes = launcher.chooses_nodes ? config::kChosenNodes : config::kNamedNodes;
    return (info.applies & nodes) != 0 &&
           (*info.launcher == '\0' || std::string(info.launcher) == launcher.name);
}

bool applies(const config::KeyInfo& info, const Job& job) {
    const JobLauncher& launcher = launcher_of(job);
    const unsigned program = job.train ? config::kNative : config::kOwnProgram;
    return is_for_launcher(info, launcher) && (info.applies & program) != 0;
}

}  // namespace rankscope::inline jobs
