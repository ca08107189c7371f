// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/distribuuuu/command.h>
#include <engine/worker/program.h>

int main(int argc, char** argv) {
    return rankscope::engine::run_program(argv, [&](rankscope::engine::MetricsSink& metrics) {
        return rankscope::engine::distribuuuu::command(argc, argv, metrics);
    });
}
