// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/sha256.h>
#include <engine/data/image_set.h>

#include <span>

namespace rankscope::engine {

std::string fingerprint(const ImageSet& set) {
    const std::string of_labels = sha256_hex(std::as_bytes(std::span(set.labels)));
    const std::string text = of_labels + " " +
                             (set.images   ? set.images->identity()
                              : set.tokens ? set.tokens->identity()
                                           : "");
    return std::to_string(set.size()) + " " + set.samples_word() + ", " + std::to_string(set.classes) +
           " classes, sha256:" + sha256_hex(std::as_bytes(std::span(text)));
}

}  // namespace rankscope::engine
