// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A configuration file of Distribuuuu, and the Python literals in it and on its command line.

#include "target.h"

#include <engine/distribuuuu/configuration.h>
#include <engine/distribuuuu/slurm_env.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    using namespace rankscope::engine::distribuuuu;
    const std::string text(fuzz::as_text(data, size));
    if (const auto literal = parse_python_literal(text)) {
        const std::string written = repr(*literal);
        if (written.find("nan") == std::string::npos && written.find("inf") == std::string::npos) {
            const auto again = parse_python_literal(written);
            fuzz::require(again && *again == *literal, "what repr() writes reads back the same");
        }
    }
    first_host(text);
    try {
        const FlatValues changes = read_yaml(text, "fuzz.yaml");
        FlatValues values = default_values();
        merge(values, changes, "fuzz.yaml");
        const Settings settings = settings_of(values);
        fuzz::require(settings.train.batch_size >= 1, "settings that are accepted can be used");
        write_yaml(values);
    } catch (const SettingsError& error) {
        fuzz::require(*error.what() != '\0', "a refusal has its reason");
    }
    return 0;
}
