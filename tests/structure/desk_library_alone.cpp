// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Linked with all of one library of the desk: a symbol of a library above it is an error of the linker.

int main() {
    return 0;
}
