# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# shellcheck shell=bash disable=SC1090,SC2164
# Read by each shell of an evaluated script before its first line: what this computer does not have must not end the script.

command_not_found_handle() {
    RS_NAME=$1 RS_KIND=other exec "$RS_RECORDER" "${@:2}"
}
source() {
    if [ -f "$1" ]; then
        builtin source "$@"
    else
        RS_NAME=source RS_KIND=left "$RS_RECORDER" "$@"
    fi
    return 0
}
.() {
    source "$@"
}
cd() {
    builtin cd "$@" 2> /dev/null || { command mkdir -p -- "${@: -1}" 2> /dev/null && builtin cd "$@" 2> /dev/null; }
    return 0
}
conda() {
    RS_NAME=conda RS_KIND=left "$RS_RECORDER" "$@"
}
module() {
    RS_NAME=module RS_KIND=left "$RS_RECORDER" "$@"
}
ml() {
    module "$@"
}
ulimit() {
    :
}
sleep() {
    :
}
