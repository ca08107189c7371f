#!/bin/bash
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every program that an evaluated script starts is this one (sandbox_shell.h): it records who is started and how, answers what scripts
# ask of their surroundings, and goes on to the program within a wrapper. Its own variables begin with RS_; it exports nothing else.

rs_name=${RS_NAME:-${0##*/}}
unset RS_NAME
rs_called=$rs_name # /opt/venv/bin/python is not just any python
case $0 in
    /rs/*) ;;
    */*) rs_called=$0 ;;
esac
PATH=$RS_PATH

# KIND WORD…: the program and its words. A file has its last name only when it is complete.
record() {
    local file=$RS_OUT/$EPOCHREALTIME.$BASHPID folder=$PWD
    if [ "$folder" = "$RS_OUTSIDE" ]; then folder=/job; fi # the folder of a container is another one
    {
        printf '%s\0' "$1" "$RS_NODE" "$folder" "$RS_WRAPPERS" "$RS_BEFORE" $(($# - 1)) "${@:2}"
        env -0
    } > "$file.part" && mv "$file.part" "$file.record"
    exit 0
}

# OPTIONS WORD…: the place of the first word that is no option; OPTIONS have their value in the next word.
first_word() {
    local with_value=" $1 " at=1
    shift
    while [ $at -le $# ]; do
        case ${!at} in
            --)
                at=$((at + 1))
                break
                ;;
            -*) if [[ $with_value == *" ${!at} "* ]]; then at=$((at + 1)); fi ;;
            *) break ;;
        esac
        at=$((at + 1))
    done
    echo $at
}

# NOTE WORD…: the words are the program; the note says what was around it.
within() {
    export RS_WRAPPERS=${RS_WRAPPERS:+$RS_WRAPPERS$'\n'}$1
    if ! type -P -- "$2" > /dev/null; then RS_NAME=$2 RS_KIND=other exec "$RS_RECORDER" "${@:3}"; fi
    exec "${@:2}"
}

# NAME OPTIONS WORD…: skips the options of a wrapper.
wrapper() {
    local name=$1 at
    at=$(first_word "${@:2}")
    shift 2
    if [ "$at" -gt $# ]; then record left "$name" "$@"; fi
    local options=${*:1:$((at - 1))}
    within "$name${options:+ $options}" "${@:$at}"
}

# OPTIONS WORD…: Slurm's and MPI's launchers are read by what reads them in a pasted line. A shell or a wrapper in them is evaluated
# first; a question is answered.
launcher() {
    local at
    at=$(first_word "$@")
    shift
    local program=${!at}
    case ${program##*/} in
        hostname | ip | nproc | date | nvidia-smi | echo | cat | ls | scontrol | true | printenv | id | free | lscpu | python*-c)
            exec "${@:$at}"
            ;;
        bash | sh | zsh | dash | env | singularity | apptainer | docker | podman | uv | conda | mamba | micromamba | poetry | pixi | numactl | \
            taskset | nohup | stdbuf | timeout | time | nice)
            export RS_BEFORE
            RS_BEFORE=$(printf '%s\n' "$rs_called" "${@:1:$((at - 1))}")
            exec "${@:$at}"
            ;;
    esac
    record start "$rs_called" "$@"
}

# WORD…: the options of ALPS's and IBM's launchers in srun's words (tasks), and the place of the program (skipped). A resource set of
# jsrun has tasks_per_rs tasks.
count_tasks() {
    local option value total='' per_node='' cpus='' nodes='' sets='' of_a_set=1 sets_per_host=''
    skipped=1
    while [[ ${!skipped} == -* ]]; do
        option=${!skipped}
        skipped=$((skipped + 1))
        case $option in
            --*=*)
                value=${option#*=}
                option=${option%%=*}
                ;;
            -[A-Za-z][0-9]*)
                value=${option:2}
                option=${option:0:2}
                ;;
            -b | -B | -q | -R | -T | -ss | --immediate | -i)
                if [ "$rs_name" = aprun ] || [ "$option" = -i ] || [ "$option" = --immediate ]; then continue; fi
                ;&
            *)
                value=${!skipped}
                skipped=$((skipped + 1))
                ;;
        esac
        case $rs_name$option in
            aprun-n | jsrun-p | jsrun--np) total=$value ;;
            aprun-N) per_node=$value ;;
            aprun-d | jsrun-c | jsrun--cpu_per_rs) cpus=$value ;;
            aprun-L) nodes=$value ;;
            aprun-e | jsrun-E | jsrun--env) if [[ $value =~ ^[A-Za-z_][A-Za-z_0-9]*= ]]; then export "${value?}"; fi ;;
            jsrun-n | jsrun--nrs) sets=$value ;;
            jsrun-a | jsrun--tasks_per_rs) of_a_set=$value ;;
            jsrun-r | jsrun--rs_per_host) sets_per_host=$value ;;
        esac
    done
    if [ -z "$total" ] && [[ "$sets $of_a_set" =~ ^[0-9]+\ [0-9]+$ ]]; then total=$((sets * of_a_set)); fi
    if [[ "$sets_per_host $of_a_set" =~ ^[0-9]+\ [0-9]+$ ]]; then per_node=$((sets_per_host * of_a_set)); fi
    tasks=(${total:+-n "$total"} ${per_node:+"--ntasks-per-node=$per_node"} ${cpus:+-c "$cpus"} ${nodes:+-w "$nodes"})
}

container_options="-v --volume -e --env --name -w --workdir --network --net --gpus --shm-size --ulimit --mount -p --publish -u --user
 --entrypoint --ipc --device --runtime --env-file --hostname -h --cap-add --memory -m --cpus --add-host --label --pid --security-opt
 --platform --log-driver --restart --group-add --tmpfs"
container_options=${container_options//$'\n'/}

# The environment that the options of a container give its program.
take_container_environment() {
    local at=1 value
    while [ $at -le $# ]; do
        value=
        case ${!at} in
            -e | --env)
                at=$((at + 1))
                value=${!at}
                ;;
            -e=* | --env=*) value=${!at#*=} ;;
        esac
        if [[ $value =~ ^[A-Za-z_][A-Za-z_0-9]*= ]]; then export "${value?}"; fi
        at=$((at + 1))
    done
}

case $rs_name in
    hostname)
        case $1 in
            -I | -i | --all-ip-addresses | --ip-address) echo "${RS_NODE:-$RS_FIRST} " ;;
            *) echo "${RS_NODE:-$RS_FIRST}" ;;
        esac
        ;;
    scontrol) if [ "$2" = hostnames ]; then tr ' ' '\n' <<< "$RS_NODES"; fi ;;
    nvidia-smi)
        case $* in
            *-L* | *list-gpus*) for ((i = 0; i < RS_GPUS; i++)); do echo "GPU $i: GPU (UUID: GPU-$i)"; done ;;
            *query-gpu*) for ((i = 0; i < RS_GPUS; i++)); do echo "$i"; done ;;
        esac
        ;;
    ip) echo "2: eth0    inet ${RS_NODE:-$RS_FIRST}/24 scope global eth0" ;;
    which) printf '%s\n' "$@" ;;
    squeue | sinfo | sacct | sleep | nvcc | ibstat | rocm-smi | lspci | sync | clear | stty | tput | reset) ;;
    sudo | doas) wrapper "$rs_name" "-u -g" "$@" ;;
    uv | poetry | pixi | pipenv | hatch | rye | pdm)
        if [ "$1" = run ]; then
            wrapper "$rs_name run" "--python -p --with --extra --group --project --directory --env-file -e --index-url" "${@:2}"
        fi
        record left "$rs_name" "$@"
        ;;
    conda | mamba | micromamba)
        if [ "$1" = run ]; then wrapper "$rs_name run" "-n --name -p --prefix --cwd" "${@:2}"; fi
        record left "$rs_name" "$@"
        ;;
    numactl) wrapper "$rs_name" "-N -m -C -l -i -p" "$@" ;;
    taskset | chrt)
        if [[ $1 != -* ]]; then within "$rs_name $1" "${@:2}"; fi
        wrapper "$rs_name" "-c -p" "$@"
        ;;
    docker | podman | nerdctl)
        if [ "$1" = container ]; then shift; fi
        verb=$1
        if [ "$verb" = run ] || [ "$verb" = exec ]; then
            shift
            at=$(first_word "$container_options" "$@")
            if [ "$at" -lt $# ]; then
                take_container_environment "${@:1:$((at - 1))}"
                export RS_OUTSIDE=$PWD
                within "$rs_name $verb ${*:1:$at}" "${@:$((at + 1))}"
            fi
        fi
        record left "$rs_name" "$@"
        ;;
    singularity | apptainer)
        at=$(first_word "" "$@")
        verb=${!at}
        if [ "$verb" = exec ] || [ "$verb" = run ]; then
            shift "$at"
            at=$(first_word "-B --bind -H --home -W --workdir --pwd --env --env-file --overlay -o --network --app" "$@")
            export RS_OUTSIDE=$PWD
            if [ "$at" -lt $# ]; then within "$rs_name $verb ${*:1:$at}" "${@:$((at + 1))}"; fi
        fi
        record left "$rs_name" "$@"
        ;;
    ssh)
        at=$(first_word "-p -i -l -o -F -J -b -c -e -L -R -D -m -O -Q -S -W -w -E -I -B" "$@")
        if [ "$at" -ge $# ]; then record left "$rs_name" "$@"; fi
        host=${!at}
        export RS_NODE=${host#*@}
        exec bash -c "${*:$((at + 1))}"
        ;;
    pdsh | clush)
        at=$(first_word "-w -x -g -l -f -R -t -u -N" "$@")
        if [ "$at" -gt $# ]; then record left "$rs_name" "$@"; fi
        export RS_WRAPPERS=${RS_WRAPPERS:+$RS_WRAPPERS$'\n'}"$rs_name ${*:1:$((at - 1))}"
        exec bash -c "${*:$at}"
        ;;
    flux)
        if [ "$1" = run ] || [ "$1" = submit ]; then
            rs_called=srun
            launcher "-N -n -c -g -t -q -B -x --nodes --ntasks --cores-per-task --gpus-per-task --time-limit --queue" "${@:2}"
        fi
        record left "$rs_name" "$@"
        ;;
    aprun | jsrun)
        rs_called=srun
        count_tasks "$@"
        launcher "-n -c -w" "${tasks[@]}" "${@:$skipped}"
        ;;
    srun | yhrun)
        launcher "-N -n -c -p -A -t -J -w -x -o -e -i -G -D -C -q -d -m -r --nodes --ntasks --cpus-per-task --partition --account --time \
--job-name --nodelist --exclude --output --error --input --gpus --gres --constraint --qos --mem --ntasks-per-node --gpus-per-node \
--gpus-per-task --jobid --mpi --cpu-bind --distribution --container-image --container-mounts --container-name --container-workdir \
--chdir --export --wait --relative" "$@"
        ;;
    mpirun | mpiexec | mpiexec.hydra | orterun | horovodrun)
        launcher "-np -n -c -N -H -host --host -hostfile --hostfile -f -machinefile --machinefile -x -mca --mca -map-by --map-by -bind-to \
--bind-to -ppn -genv -env -wdir -p --network-interface --start-timeout" "$@"
        ;;
    python*)
        case $1 in
            -c) if [ -p /dev/stdout ] && [ -x /usr/bin/python3 ]; then exec /usr/bin/python3 -I "$@"; fi ;;
            -V | --version)
                echo "Python 3"
                exit
                ;;
            "") exit ;;
        esac
        record start "$rs_called" "$@"
        ;;
    *) record "${RS_KIND:-start}" "$rs_called" "$@" ;;
esac
