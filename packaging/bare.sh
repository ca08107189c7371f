# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Sourced by try-bare, try-package and try-portable: a bare Debian system in a folder, made by debootstrap. They run in a mount namespace of
# their own.
# shellcheck shell=bash

suite=${RANKSCOPE_TRY_SUITE:-bookworm}

# bare_bootstrap FOLDER [CACHE]: a minimal system in FOLDER, from CACHE if one is kept there, else from the mirror that apt uses here.
bare_bootstrap() {
  local folder=$1 cache=${2:-} mirror log tarball
  tarball=${cache:+$cache/$suite-minbase.tar}
  mkdir -p "$folder"
  if [ -z "$tarball" ] || [ ! -e "$tarball" ]; then
    # shellcheck disable=SC2016
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 2>/dev/null |
      awk -v suite="$suite" '($2 == suite || $2 == "bookworm") && $3 == "main" { print $1; exit }' || true)
    if [ -z "$mirror" ]; then
      printf 'apt has package lists of neither Debian 12 nor %s here (apt-get update), so there is no mirror to take it from\n' "$suite" >&2
      return 1
    fi
    log=$(mktemp)
    debootstrap --variant=minbase "$suite" "$folder" "$mirror" >"$log" 2>&1 || { tail -n 20 "$log" >&2 && rm -f "$log" && return 1; }
    rm -f "$log" "$folder"/var/cache/apt/archives/*.deb
    if [ -n "$tarball" ]; then
      mkdir -p "$cache"
      tar -C "$folder" -cpf "$tarball.new" . && mv "$tarball.new" "$tarball"
    fi
    return
  fi
  tar -C "$folder" -xpf "$tarball"
}

# bare_enter FOLDER CACHE: a fresh system in FOLDER, with what programs expect to be mounted and the packages of earlier trials.
bare_enter() {
  local folder=$1 cache=$2
  rm -rf "$folder"
  mkdir "$folder"
  mount --bind "$folder" "$folder" # one mount to take away at the end, with all that is below
  bare_bootstrap "$folder" "$cache" || return 1
  bare_lend_network "$folder"
  echo force-unsafe-io >"$folder/etc/dpkg/dpkg.cfg.d/unsafe-io" # a system that lives for a minute need not survive a power cut
  mount -t proc proc "$folder/proc"
  mount -t sysfs sysfs "$folder/sys"
  mount --bind /dev "$folder/dev"
  mount -t tmpfs -o mode=1777 tmpfs "$folder/dev/shm"
  mkdir -p "$cache/archives/partial"
  mount --bind "$cache/archives" "$folder/var/cache/apt/archives"
}

# bare_inside FOLDER COMMAND...: as root of that system.
bare_inside() {
  local folder=$1 environment
  shift
  mapfile -t environment < <(bare_environment /root)
  env -i "${environment[@]}" DEBIAN_FRONTEND=noninteractive chroot "$folder" "$@"
}

# bare_lend_network FOLDER: what this machine needs to reach the network, and no more: name servers, package sources, proxies, certificates.
bare_lend_network() {
  local folder=$1
  cp -L /etc/resolv.conf "$folder/etc/resolv.conf"
  apt-config dump | grep -E '^Acquire::(http|https|ftp|Check-|Retries|.*Proxy)' >"$folder/etc/apt/apt.conf.d/90lent" || true
  if [ -n "$(ls -A /etc/apt/auth.conf.d 2>/dev/null)" ]; then cp -a /etc/apt/auth.conf.d/. "$folder/etc/apt/auth.conf.d/"; fi
  if [ -n "$(ls -A /usr/local/share/ca-certificates 2>/dev/null)" ]; then
    mkdir -p "$folder/usr/local/share/ca-certificates"
    cp -aL /usr/local/share/ca-certificates/. "$folder/usr/local/share/ca-certificates/"
  fi
}

# bare_environment HOME: the environment of a user who has just logged in, one variable a line: nothing of this machine but the proxies.
bare_environment() {
  local name
  printf '%s\n' "HOME=$1" "TERM=${TERM:-dumb}" LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    if [ -n "${!name:-}" ]; then printf '%s\n' "$name=${!name}"; fi
  done
}
