// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/compact_heap.h>

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace rankscope::gui {

void keep_heap_compact() {
#ifdef __GLIBC__
    constexpr int kOwnMapping = 128 << 10;  // bytes, glibc's first value
    constexpr int kReturned = 128 << 10;
    mallopt(M_MMAP_THRESHOLD, kOwnMapping);
    mallopt(M_TRIM_THRESHOLD, kReturned);
#endif
}

}  // namespace rankscope::gui
