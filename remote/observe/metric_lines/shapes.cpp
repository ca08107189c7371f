// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/metric_lines/shapes.h>

namespace rankscope::metric_lines {

const std::vector<Shape>& known_shapes() {
    static const std::vector<Shape> shapes{
        {"distribuuuu", read_distribuuuu},
        {"torch-tutorials", read_torch_tutorials},
        {"torch-examples", read_torch_examples},
        {"paddle", read_paddle},
        {"hf-trainer", read_hf_trainer},
        {"megatron", read_megatron},
        {"llm.c", read_llmc},
        {"tqdm", read_tqdm},
    };
    return shapes;
}

}  // namespace rankscope::metric_lines
