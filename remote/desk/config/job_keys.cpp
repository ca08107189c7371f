// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/config/job_key_parts.h>
#include <remote/desk/text.h>

#include <charconv>

namespace rankscope {
namespace job_key_parts {

int index_of(const std::string& word, int max) {
    int index = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    return error != std::errc() || end != word.data() + word.size() || index > max ? -1 : index;
}

bool is_mapping(const config::KeyReader& reader) {
    if (!reader.node.is_mapping()) {
        reader.add(text(kContext, "%1 is not a mapping", {config::shown(reader.node)}),
                   text(kContext, "Write for example: %1", {reader.info.example}));
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
        job_key_parts::add_slurm(made);
        job_key_parts::add_what(made);
        job_key_parts::add_life(made);
        job_key_parts::add_environment(made);
        return made;
    }();
    return table;
}

bool applies(const config::KeyInfo& info, const Job& job) {
    const unsigned launcher = job.launcher == Launcher::Slurm ? config::kSlurm : config::kSsh;
    const unsigned program = job.train ? config::kNative : config::kOwnProgram;
    return (info.applies & launcher) != 0 && (info.applies & program) != 0;
}

}  // namespace rankscope
