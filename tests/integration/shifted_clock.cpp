// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// LD_PRELOADed at the desk by test_bad_input.py: its clock is off by RANKSCOPE_TEST_CLOCK_SHIFT seconds. A
// node's cannot be set without the whole machine's; seen from the one it is the other that is wrong.

#include <dlfcn.h>

#include <cstdlib>
#include <ctime>

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
    static const auto real =
        reinterpret_cast<int (*)(clockid_t, timespec*)>(::dlsym(RTLD_NEXT, "clock_gettime"));
    const int result = real(clock, time);
    const char* shift = std::getenv("RANKSCOPE_TEST_CLOCK_SHIFT");
    if (result == 0 && clock == CLOCK_REALTIME && shift != nullptr) {
        time->tv_sec += std::atol(shift);
    }
    return result;
}
