// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Part of the tests of readers and writers: in this locale they run once more, as in a window on such a desktop.

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kSkipped = 77;

bool use() {
    const char* name = std::getenv("RANKSCOPE_TEST_LOCALE");
    if (name == nullptr) {
        return false;
    }
    if (std::setlocale(LC_ALL, name) == nullptr || std::strcmp(std::localeconv()->decimal_point, ",") != 0) {
        std::fprintf(stderr, "skipped: there is no locale %s, and localedef (package locales) made none\n",
                     name);
        std::_Exit(kSkipped);
    }
    std::setlocale(LC_MESSAGES, "C");  // numbers are what this is about; tests quote the system's words
    return true;
}

const bool used = use();

}  // namespace
