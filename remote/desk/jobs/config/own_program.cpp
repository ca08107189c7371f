// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/own_program.h>

namespace rankscope::inline jobs {

const char* to_string(LocalRankArgument argument) {
    switch (argument) {
        case LocalRankArgument::None:
            return "none";
        case LocalRankArgument::Dash:
            return "--local-rank";
        case LocalRankArgument::Underscore:
            return "--local_rank";
    }
    return "none";
}

}  // namespace rankscope::inline jobs
