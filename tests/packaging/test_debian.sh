#!/usr/bin/env bash
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Makes the Debian packages of a build, installs each in a bare Debian 12, trains, removes it. Argument: the preset.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
skip() { printf 'skipped: %s\n' "$*" && exit 77; }
if [ "$(id -u)" -ne 0 ]; then skip "needs root (debootstrap, chroot)"; fi
for program in dpkg-shlibdeps debootstrap lintian; do
  command -v $program >/dev/null || skip "$program is missing: ./packaging/setup --tests"
done
./packaging/package "$1" --no-build
./packaging/release --check --build "build/$1" --packages "build/$1/packages"
exec ./packaging/try-package "build/$1/packages"/rankscope-headless_*.deb "build/$1/packages"/rankscope_*.deb
