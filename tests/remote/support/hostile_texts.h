// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <vector>

namespace rankscope::test {

/// What a hostile node, file or user calls things, so that it becomes a command where it is pasted into one. Each would
/// make the file `mark`.
inline std::vector<std::string> hostile_texts(const std::string& mark) {
    return {"x';touch " + mark + ";'",
            "x\";touch " + mark + ";\"",
            "$(touch " + mark + ")",
            "`touch " + mark + "`",
            "x;touch " + mark,
            "x&&touch " + mark,
            "x|touch " + mark,
            "x\ntouch " + mark,
            "x\rtouch " + mark,
            "-oProxyCommand=touch " + mark,
            "--; touch " + mark,
            "x\\'; touch " + mark + " #",
            "x'\"'\"'; touch " + mark,
            "> " + mark,
            "x' | tee " + mark + " '",
            "${x:=$(touch " + mark + ")}",
            "node\xd0\xbe"
            "2; touch " +
                mark,                        // a Cyrillic letter
            "x\xe2\x80\xae; touch " + mark,  // written from right to left
            "x\xe2\x80\x8b;touch " + mark,   // a blank without width
            "!touch " + mark,
            "x\x1b]52;c;dG91Y2g=\x07",  // the clipboard of a terminal
            std::string("x\0;touch ", 9) + mark,
            std::string(300, 'a') + ";touch " + mark,
            "\xff\xfe;touch " + mark};
}

}  // namespace rankscope::test
