// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/diagnosis/failure_catalogue.h>

#include <cstdlib>
#include <functional>

namespace rankscope {
namespace {

constexpr auto kCatalogue = std::to_array<CatalogueEntry>({
    {"agent-architecture", ExitClass::Unreachable, "There is no agent for the processor of the node.",
     "Build rankscope-agent on such a machine."},
    {"agent-lost", ExitClass::Unreachable, "The connection was lost while the agent started.",
     "Check the network and the load of the node."},
    {"agent-silent", ExitClass::Unreachable, "The agent does not answer.",
     "Check the load of the node, then try again."},
    {"agent-start", ExitClass::Unreachable, "The agent cannot be started on the node.",
     "The output of the node shows the reason."},
    {"agent-timeout", ExitClass::Unreachable, "The login shell did not start the agent in time.",
     "A slow or waiting ~/.bashrc or ~/.profile on the node can cause this."},
    {"agent-vanished", ExitClass::Unreachable, "The agent ended unexpectedly.",
     "Try again. If it happens again, check the memory and the kernel log of the node."},
    {"bad-assignment", ExitClass::Usage, "The assignment cannot be read.",
     "Write key=value, for example train.optimizer.lr=0.01."},
    {"bad-command-line", ExitClass::Usage, "The launch command cannot be converted to a job.",
     "Correct the command, or write the job file by hand."},
    {"bad-field", ExitClass::Usage, "A value is not valid.", "Correct the value."},
    {"bad-file", ExitClass::Usage, "The file is not valid.",
     "Correct the key and the line that the message names."},
    {"bad-line", ExitClass::Usage, "A line is not valid.", "Correct the line."},
    {"bad-plan", ExitClass::Usage, "The stored plan cannot be read.",
     "Start the run again from its job file."},
    {"bad-public-key", ExitClass::Usage, "The file is not an SSH public key.",
     "Name the file that ends in .pub."},
    {"bad-request", ExitClass::Unreachable, "The agent does not accept the request.",
     "This is a defect of Rankscope: please report it."},
    {"broken-venv", ExitClass::Unreachable, "The virtual environment in {1} has no working Python.",
     "Its Python was removed or belongs to another machine. Create it again there: `python3 -m venv --clear "
     "{1}`."},
    {"cache-unsafe", ExitClass::Unreachable,
     "Other users of the node can change {1}. Rankscope does not start programs from there.",
     "Set cache_dir: for this node to a folder that only you can write, whose parents belong to you or root. "
     "Or remove the permission of the others: `chmod go-w {1}`."},
    {"cancelled", ExitClass::Stopped, "The user cancelled.", ""},
    {"cannot-write", ExitClass::Usage, "The file cannot be written.",
     "Check the folder, its permissions and the free space."},
    {"clock-skew", ExitClass::None, "The clock of the node differs from the clock of this computer.",
     "Synchronise it: `timedatectl set-ntp true` on the node."},
    {"code-differs", ExitClass::PreflightFault, "The script on {node} differs from that of the other nodes.",
     "Send it with push: in the job, so that every node has the same file."},
    {"collective-mismatch", ExitClass::TrainingFailed, "The ranks wait in different collective operations.",
     "Make the control flow of all ranks identical: branches that depend on the rank or on its data must not "
     "skip a collective."},
    {"cuda-driver-too-old", ExitClass::PreflightFault,
     "The driver on {node} is too old for the CUDA version that the job uses.",
     "Update the driver, or use a build for an older CUDA version."},
    {"damaged", ExitClass::Unreachable, "A file arrived damaged.",
     "Try again. If it happens again, check the memory and the disk of the node."},
    {"data-path-missing", ExitClass::PreflightFault, "A path that the job names does not exist on {node}.",
     "Mount or copy it there, or correct the path in the job."},
    {"device-and-backend", ExitClass::Usage, "The device and the backend of the job do not fit together.",
     "Use backend: nccl for GPUs and backend: gloo for processors."},
    {"disk-filling", ExitClass::None,
     "The disk of {node} (or the quota) is full. The run continues, but new events wait in memory.",
     "Free space there (`df -h`). The events arrive then."},
    {"disk-full", ExitClass::Unreachable, "The disk of the node (or your quota) is full.",
     "Free space there (`df -h`), remove what Rankscope keeps with `rankscopectl clean {node}`, or set "
     "cache_dir: to another disk."},
    {"disk-has-room", ExitClass::None, "The disk of {node} has free space again.", ""},
    {"docker0-chosen", ExitClass::PreflightFault,
     "A bridge of containers is used to reach other nodes: every node has it with the same address.",
     "Set interface: auto in the job, or name the interface that connects the nodes."},
    {"duplicate-mac", ExitClass::None, "Two nodes have the same hardware address.",
     "Give each virtual machine a hardware address of its own."},
    {"env-skew", ExitClass::None, "The NCCL settings of the nodes differ.",
     "Use the same settings on every node: /etc/nccl.conf, ~/.nccl.conf, the login environment and env: in "
     "the job."},
    {"event-file-damaged", ExitClass::None,
     "An event file on {node} is damaged. Rankscope does not read it further.",
     "The run is not affected. Check whether two processes write the same file."},
    {"event-file-foreign", ExitClass::None,
     "Rankscope ignores an event file on {node}: a process outside of this run writes it.",
     "Set metrics.tensorboard to a folder that only this run uses. With {{rank}} in the name, each rank has "
     "its own."},
    {"event-file-shrunk", ExitClass::None,
     "An event file on {node} became shorter. Rankscope does not read it further.",
     "The run is not affected. Check whether two processes write the same file."},
    {"event-files-absent", ExitClass::None,
     "metrics.tensorboard: no event file appeared on {node} during the run.",
     "Set it to the folder that the program gives its SummaryWriter. A relative folder starts at workdir."},
    {"event-folder-large", ExitClass::None,
     "metrics.tensorboard: the folder on {node} contains too many files to search.",
     "Set it to the folder that the program gives its SummaryWriter."},
    {"extra-nic-unreachable", ExitClass::PreflightFault,
     "The other nodes do not reach one of the addresses of {node}.",
     "Set interface: auto in the job, or NCCL_SOCKET_IFNAME to the interface that connects the nodes."},
    {"fabric-manager", ExitClass::PreflightFault, "The NVLink fabric of {node} is not ready.",
     "`sudo systemctl enable --now nvidia-fabricmanager`, in the version of the driver."},
    {"file-exists", ExitClass::Usage, "The file exists already.", "Choose another name, or remove it first."},
    {"fix-failed", ExitClass::Unreachable, "The command of the fix failed.",
     "Read its output; the check shows what is still wrong."},
    {"gloo-ports-blocked", ExitClass::PreflightFault,
     "The ports that Gloo listens on are blocked between nodes.",
     "Open them on the node that is named first, for the other nodes alone: the report shows the command."},
    {"gpu-busy", ExitClass::PreflightFault, "A GPU of {node} is in use by another process.",
     "End that process, or choose other GPUs with devices: in the job."},
    {"gpu-ecc", ExitClass::PreflightFault, "A GPU of {node} reports memory errors that cannot be corrected.",
     "Drain the node and reset the GPU; replace it when the errors return."},
    {"gpu-fell-off-bus", ExitClass::PreflightFault, "A GPU of {node} is no longer on the bus.",
     "Switch the node off and on; check power, cooling and seat of the card."},
    {"gpu-oom", ExitClass::TrainingFailed, "A rank used more GPU memory than there is.",
     "Use a smaller batch or model, or more GPUs."},
    {"gpu-pcie-degraded", ExitClass::None, "A GPU of {node} uses fewer PCIe lanes than it has.",
     "Reseat the card; check the riser and the BIOS settings."},
    {"home-not-shared", ExitClass::Unreachable,
     "The nodes of the Slurm job do not share the cache folder of the login node.",
     "Set cache_dir: of the login node in the inventory to a folder that all nodes share."},
    {"host-oom", ExitClass::TrainingFailed, "A rank used more memory than the node has.",
     "Use a smaller batch or fewer data loader workers, or run fewer ranks there."},
    {"hostname-unresolvable", ExitClass::PreflightFault, "{node} cannot resolve its own host name.",
     "Add the name with the address of the node to /etc/hosts there."},
    {"ib-degraded", ExitClass::None, "An InfiniBand port of {node} is not ready.",
     "Check the cable and the subnet manager (`ibstat`)."},
    {"ib-memlock", ExitClass::PreflightFault,
     "The limit of locked memory on {node} is too low for InfiniBand or RoCE.",
     "Raise it: `* - memlock unlimited` in /etc/security/limits.d on the node; then log in again."},
    {"incomplete-install", ExitClass::TrainingFailed, "The installation of Rankscope is not complete.",
     "Install or build Rankscope again."},
    {"interpreter-missing", ExitClass::PreflightFault, "The program of the job is missing on {node}.",
     "Install it there, correct command: in the job, or name the environment that has it with venv: or "
     "conda:."},
    {"io-error", ExitClass::Unreachable, "A file operation failed on {node}.",
     "The message of the node shows the file: check its disk."},
    {"ipv6-link-local", ExitClass::PreflightFault, "An address is valid on its own link alone.",
     "Use an interface that has an IPv4 or a global IPv6 address."},
    {"ipv6-only-name", ExitClass::PreflightFault, "A name leads to an IPv6 address that a node cannot use.",
     "Set address: of the node in the inventory to its IPv4 address."},
    {"key-exists", ExitClass::Usage, "The key file exists already.", "Use it, or choose another name."},
    {"key-generation", ExitClass::Usage, "The key pair cannot be created.",
     "Check that the folder exists and that you can write there."},
    {"key-install", ExitClass::Unreachable, "The public key cannot be installed on the node.",
     "Check the owner and permissions of ~/.ssh on the node."},
    {"key-not-accepted", ExitClass::Unreachable, "The key is on the node, but the node does not accept it.",
     "Check that ~ and ~/.ssh there are not writable for others."},
    {"killed-external", ExitClass::TrainingFailed, "A rank was killed from outside.",
     "`journalctl -k | grep -i oom` on the node shows whether the kernel did it."},
    {"link-delay", ExitClass::None, "The delay between two nodes is long.",
     "Collectives wait for it in every step. Place the ranks on nodes that are near each other."},
    {"link-down", ExitClass::PreflightFault, "The interface of {node} has no link.",
     "Check the cable and the port of the switch, or use another interface."},
    {"link-loss", ExitClass::None, "The path between two nodes loses packets.",
     "Check the cable, the errors of both interfaces (`ip -s link`) and the switch."},
    {"link-slow", ExitClass::None, "The path between two nodes is slow.",
     "Check the speed of both interfaces (`ethtool`), or use another interface."},
    {"local-exec", ExitClass::Unreachable, "A program on this computer cannot be started.",
     "Install it, or correct PATH."},
    {"log-dir", ExitClass::Unreachable, "The folder for log files {1} cannot be created.",
     "Correct log_dir: in the job, or remove it: the run stores every line in any case."},
    {"log-lost", ExitClass::None, "The disk of {node} was full: {1} log chunks ({MB2} MB) are lost.",
     "All metrics and events are stored. Free space there, or set cache_dir: to another disk."},
    {"look-unavailable", ExitClass::None, "The ranks on {node} cannot be inspected.",
     "Check the connection to the node."},
    {"loopback-hostname", ExitClass::PreflightFault, "{node} resolves its own name to a loopback address.",
     "Put the real address of the node before 127.0.1.1 in /etc/hosts there."},
    {"master-addr-wrong-node", ExitClass::PreflightFault,
     "The address or name of a node leads to another one.",
     "Set address: of the node in the inventory, or correct the name in /etc/hosts or DNS."},
    {"master-port-dropped", ExitClass::PreflightFault,
     "The rendezvous port of the master is blocked: packets are dropped.",
     "Open it on the master for the other nodes alone: the report shows the command."},
    {"master-port-icmp-reject", ExitClass::PreflightFault,
     "The rendezvous port of the master is blocked: a firewall rejects it.",
     "Open it on the master for the other nodes alone: the report shows the command."},
    {"master-port-reset", ExitClass::PreflightFault,
     "The rendezvous port of the master is blocked: connections are reset.",
     "Open it on the master for the other nodes alone: the report shows the command."},
    {"master-unresolvable", ExitClass::PreflightFault, "A node cannot resolve the name of another one.",
     "Set address: of the node in the inventory to a number, or add the name to /etc/hosts."},
    {"module-missing", ExitClass::TrainingFailed, "A Python package is missing on a node.",
     "Install it there, or name the environment that has it with venv: or conda: in the job."},
    {"mtu-blackhole", ExitClass::PreflightFault,
     "Large packets do not arrive: the path has a smaller MTU than the interfaces.",
     "Set the same MTU on the whole path: `sudo ip link set IFACE mtu 1500`."},
    {"mtu-skew", ExitClass::None, "The MTU differs between the nodes.",
     "Set the same MTU on all interfaces of the network."},
    {"nat-one-way", ExitClass::PreflightFault,
     "{node} is behind address translation: the others cannot connect to it.",
     "Use host or bridged networking, or a VPN between the nodes whose interface the job names."},
    {"nccl-ports-dropped", ExitClass::PreflightFault,
     "The ports that NCCL listens on are blocked between nodes: packets are dropped.",
     "Open them on the node that is named first, for the other nodes alone: the report shows the command."},
    {"nccl-ports-icmp-reject", ExitClass::PreflightFault,
     "The ports that NCCL listens on are blocked between nodes: a firewall rejects them.",
     "Open them on the node that is named first, for the other nodes alone: the report shows the command."},
    {"nccl-ports-reset", ExitClass::PreflightFault,
     "The ports that NCCL listens on are blocked between nodes: connections are reset.",
     "Open them on the node that is named first, for the other nodes alone: the report shows the command."},
    {"nccl-version-mismatch", ExitClass::PreflightFault, "The nodes have different versions of NCCL.",
     "Install the same version on all nodes."},
    {"no-answer", ExitClass::Unreachable, "A node did not answer in time.",
     "`rankscopectl probe` shows whether it can be reached."},
    {"no-conda", ExitClass::Unreachable, "There is no conda environment {1}.",
     "`conda env list` on the node shows the environments. conda: takes a name or a folder."},
    {"no-exec", ExitClass::Unreachable, "The node does not run programs from its cache folder.",
     "The folder is probably mounted noexec (`findmnt -T ~/.cache`). Set cache_dir: for this node to a "
     "folder on another file system that no other user can write to."},
    {"no-free-ports", ExitClass::PreflightFault, "{node} has no free local port.",
     "`ss -s` on the node shows who holds them."},
    {"no-gpu", ExitClass::Usage, "The job needs GPUs and a node has none.",
     "Use other nodes, or backend: gloo."},
    {"no-home", ExitClass::Usage, "The home folder is not known.", "Set HOME."},
    {"no-nodes", ExitClass::Usage, "No node is selected.", "Set nodes: in the job."},
    {"no-pattern", ExitClass::Usage, "No pattern can be learned from the line.",
     "Give a line that contains a name and a number."},
    {"no-permission", ExitClass::Unreachable, "The cache folder of the node is not writable.",
     "Check its owner and permissions, or set cache_dir: for this node."},
    {"no-public-key", ExitClass::Usage, "There is no public key.",
     "Create one: `rankscopectl keys generate`."},
    {"no-shell", ExitClass::Unreachable, "The account has no login shell on the node.",
     "Give it one there: `sudo chsh -s /bin/bash USER`."},
    {"no-ssh", ExitClass::Unreachable, "OpenSSH is not installed on this computer.",
     "Install it: `sudo apt install openssh-client`."},
    {"no-such-gpu", ExitClass::Usage, "The inventory names a GPU that the node does not have.",
     "Correct gpus: in the inventory."},
    {"no-such-run", ExitClass::Unreachable, "The node does not know this run.",
     "The run was removed there, or never started."},
    {"no-venv", ExitClass::Unreachable, "There is no virtual environment in {1}.",
     "Create it there (`python3 -m venv {1}`), or correct venv: in the job."},
    {"node-lost", ExitClass::TrainingFailed, "A node was lost.",
     "Check that it is up, and the network between the nodes."},
    {"not-own", ExitClass::Unreachable, "Process {1} belongs to {2}: it was not ended.",
     "Ask {2} to end it, or use another port or GPU."},
    {"nvlink-error", ExitClass::PreflightFault, "NVLink of a GPU of {node} reports errors.",
     "Check `nvidia-smi nvlink -s` and -e; reset the GPU, or drain the node."},
    {"open-files-limit", ExitClass::PreflightFault, "The limit of open files on {node} is too low.",
     "Raise it: `* - nofile 1048576` in /etc/security/limits.d on the node; then log in again."},
    {"partition-midrun", ExitClass::PreflightFault, "Two nodes do not reach each other on any port.",
     "Check the network and the firewalls between them."},
    {"passphrase", ExitClass::Unreachable, "The passphrase is wrong.", "Try again, or run `ssh-add` first."},
    {"path-late", ExitClass::PreflightFault, "A path on {node} does not answer.",
     "Check the file server and the mount (`findmnt`)."},
    {"peer-link-absent", ExitClass::None,
     "The supervisor of {node} has no connection to the supervisor of the master node. If a rank fails, only "
     "this computer can inform the other nodes.",
     "Allow TCP connections between the nodes (ports above 1023). The ranks need them, too."},
    {"peer-lost", ExitClass::TrainingFailed, "A rank lost the connection to another rank.",
     "Check the end of the other rank first."},
    {"pids-limit", ExitClass::PreflightFault, "The limit of processes on {node} is too low.",
     "Raise `ulimit -u` or pids.max of its cgroup."},
    {"port-in-use", ExitClass::PreflightFault, "Port {1} is in use by {detail}.",
     "End that program, or write master_port: 0 in the job to use a free port."},
    {"port-not-permitted", ExitClass::PreflightFault, "The rendezvous port needs root.",
     "Choose a port above 1023 as master_port: in the job."},
    {"probe-incomplete", ExitClass::None, "A part of the node could not be inspected.", ""},
    {"push-changed", ExitClass::Unreachable, "{detail} changed while it was copied.",
     "Start again when no program writes to it."},
    {"push-missing", ExitClass::Usage, "A file of push: does not exist.", "Correct push: in the job."},
    {"push-too-many", ExitClass::Usage, "push: names too many files.",
     "Name only the files that the program needs."},
    {"push-unreadable", ExitClass::Usage, "A file of push: cannot be read.", "Check its permissions."},
    {"rank-continued", ExitClass::None, "Rank {rank} on {node} continues.", ""},
    {"rank-exception", ExitClass::TrainingFailed, "A rank ended with an error.", "Read its traceback."},
    {"rank-exit-early", ExitClass::TrainingFailed, "A rank ended without an error while the others continue.",
     "Give all ranks the same number of steps: DistributedSampler, drop_last=True, or the join() context."},
    {"rank-hang", ExitClass::TrainingFailed, "A rank stopped answering.", "Check its process on the node."},
    {"rank-segv", ExitClass::TrainingFailed, "A rank crashed.", "Read its core file or its last lines."},
    {"rank-slow", ExitClass::None, "Rank {rank} on {node} is slower than the others, which wait for it.",
     "Check what differs on its node."},
    {"rank-stopped", ExitClass::None,
     "Rank {rank} on {node} was stopped by signal {2}. All other ranks wait for it.",
     "On {node}: `kill -CONT {1}` continues it."},
    {"read-only", ExitClass::Unreachable, "The cache folder of the node is on a read-only file system.",
     "Set cache_dir: for this node to a folder that you can write."},
    {"restart-impossible", ExitClass::None, "The ranks are not started again.",
     "Start the run again when all nodes can be reached."},
    {"run-exists", ExitClass::Unreachable, "A run with this id exists on the node.", ""},
    {"run-live", ExitClass::Unreachable, "Process {1} belongs to a run that is not finished.",
     "Stop the run first: `rankscopectl runs stop RUN`."},
    {"run-over", ExitClass::Usage, "The run has ended.", "`rankscopectl runs show RUN` shows it."},
    {"script-missing", ExitClass::TrainingFailed, "The script is not on the node.",
     "Copy it with push: in the job, or set workdir: to the folder that contains it."},
    {"secret-missing", ExitClass::Usage,
     "A secret variable of the job has no value: the run store does not keep secrets.",
     "Set it in the job file, or with `rankscopectl runs rerun RUN --set env.NAME=VALUE`."},
    {"shm-too-small", ExitClass::PreflightFault, "/dev/shm of {node} is too small.",
     "`sudo mount -o remount,size=16G /dev/shm`, or start the container with --shm-size=16g."},
    {"slurm-cancel", ExitClass::TrainingFailed, "Slurm did not cancel the job: {detail}.",
     "Check it there with `squeue --me`."},
    {"slurm-cancelled", ExitClass::TrainingFailed, "The job was cancelled in Slurm.",
     "You or an administrator used scancel."},
    {"slurm-job-failed", ExitClass::TrainingFailed, "The Slurm job failed before a rank started.",
     "The output of its script shows the reason. Check that all nodes share the cache folder."},
    {"slurm-lost", ExitClass::TrainingFailed, "Slurm does not know the job any more.",
     "`sacct` on the login node shows what happened to it."},
    {"slurm-missing", ExitClass::Usage, "Slurm is not available on this node: {detail} was not found.",
     "Set slurm.login to a login node of the cluster. If a module provides Slurm, load it in ~/.bashrc "
     "there."},
    {"slurm-node-failed", ExitClass::TrainingFailed, "A node of the Slurm job failed.",
     "`sinfo -R` on the login node shows the node and the reason. Start the run again."},
    {"slurm-out-of-memory", ExitClass::TrainingFailed, "The Slurm job used more memory than Slurm granted.",
     "Request more, for example slurm.extra: [--mem=16G], or use a smaller batch."},
    {"slurm-preempted", ExitClass::TrainingFailed, "Slurm gave the nodes to a job with a higher priority.",
     "Start the run again, or use a partition or QOS without preemption."},
    {"slurm-refused", ExitClass::Usage, "Slurm does not accept the job.",
     "Correct the section slurm of the job file."},
    {"slurm-silent", ExitClass::Unreachable, "sbatch did not answer within one minute.",
     "The Slurm controller is busy or down: run `scontrol ping` there, then try again."},
    {"slurm-step-failed", ExitClass::TrainingFailed, "srun could not start the ranks.",
     "The output of the job shows the reason."},
    {"slurm-time-limit", ExitClass::TrainingFailed, "Slurm ended the job at its time limit.",
     "Request more time with slurm.time, or train for fewer epochs."},
    {"socket-ifname-invalid", ExitClass::PreflightFault,
     "An interface that the job names does not exist on {node}.",
     "Set interface: auto in the job, or correct NCCL_SOCKET_IFNAME and GLOO_SOCKET_IFNAME."},
    {"spool-thinned", ExitClass::None,
     "The spool of {node} was full: the oldest {1} log chunks ({MB2} MB) of this run were removed.",
     "All metrics and events are stored. Write less output, or stay connected."},
    {"ssh-algorithms", ExitClass::Unreachable, "The node and this computer have no SSH algorithm in common.",
     "Update the SSH server of the node, or allow the algorithm in ~/.ssh/config."},
    {"ssh-answer-late", ExitClass::Unreachable,
     "The login took too long: the node closed the connection while it waited for an answer.",
     "Connect again. LoginGraceTime of the SSH server limits the time."},
    {"ssh-auth-denied", ExitClass::Unreachable, "The node does not accept the login.",
     "Install your key there: `rankscopectl keys install {node}`."},
    {"ssh-auth-partial", ExitClass::Unreachable, "The node asks for another login step after the first one.",
     "Log in once with `ssh` and complete the step, or ask the administrator to allow keys alone."},
    {"ssh-config", ExitClass::Unreachable, "The SSH configuration cannot be used.",
     "Correct the line of ~/.ssh/config that the message names."},
    {"ssh-connect", ExitClass::Unreachable, "The connection to the node failed.",
     "Check the address and the network: `ssh -v` shows each step."},
    {"ssh-exec", ExitClass::Unreachable, "The node does not start commands.",
     "Check ForceCommand, MaxSessions and the limits of the account there."},
    {"ssh-hostkey-changed", ExitClass::Unreachable, "The host key of the node has changed.",
     "If the node was reinstalled, remove the old key with `ssh-keygen -R HOST`. If not, do not connect."},
    {"ssh-hostkey-other", ExitClass::Unreachable,
     "The node shows a host key of another type than the known one.",
     "Compare the key with the node's own, then add it to known_hosts."},
    {"ssh-hostkey-revoked", ExitClass::Unreachable, "The host key of the node is marked as revoked.",
     "Do not connect. Ask the administrator of the node."},
    {"ssh-hostkey-unknown", ExitClass::Unreachable, "The host key of the node is not known.",
     "Connect once and confirm the key, or use --accept-new-host-keys."},
    {"ssh-jump-refused", ExitClass::Unreachable, "The jump host refuses to forward the connection.",
     "Check AllowTcpForwarding on the jump host, and the address of the node as the jump host sees it."},
    {"ssh-key-permissions", ExitClass::Unreachable, "Other users can read the private key.",
     "Restrict it: `chmod 600 FILE`."},
    {"ssh-known-hosts", ExitClass::Unreachable, "The file known_hosts cannot be read or written.",
     "Check the owner and the permissions of ~/.ssh/known_hosts."},
    {"ssh-link-lost", ExitClass::Unreachable, "The connection to {node} was lost.",
     "Check the network and whether the node is up."},
    {"ssh-login-closed", ExitClass::Unreachable,
     "The node closed the connection before the login was complete.",
     "Try again and answer sooner. LoginGraceTime of the SSH server limits the time."},
    {"ssh-name-unresolvable", ExitClass::Unreachable, "The name of the node cannot be resolved.",
     "Correct host: in the inventory, or write the address of the node."},
    {"ssh-no-identity", ExitClass::Unreachable, "The identity file does not exist.",
     "Correct identity_file: in the inventory."},
    {"ssh-no-route", ExitClass::Unreachable, "There is no route to the node.",
     "Check the address, the VPN and `ip route get ADDRESS`."},
    {"ssh-passphrase-needed", ExitClass::Unreachable,
     "The private key is encrypted and no passphrase was given.",
     "Run `ssh-add` first, or start from a terminal that can ask."},
    {"ssh-password-needed", ExitClass::Unreachable,
     "The node asks for a password and there is no terminal to ask on.",
     "Install your key there: `rankscopectl keys install {node}`, or start from a terminal."},
    {"ssh-protocol", ExitClass::Unreachable, "The SSH connection failed.",
     "`ssh -v` shows each step of the connection."},
    {"ssh-refused", ExitClass::Unreachable, "The node refuses the connection: no SSH server listens there.",
     "On the node: `sudo systemctl start ssh`. Check the port in the inventory."},
    {"ssh-timeout", ExitClass::Unreachable, "The node does not answer.",
     "Check that the node is up and that no firewall drops the port."},
    {"ssh-too-many-auth", ExitClass::Unreachable, "The node ends the login after too many keys.",
     "Set identity_file: for the node, so that only one key is offered."},
    {"stale-process", ExitClass::None, "Processes of an earlier run are left on {node}.",
     "`rankscopectl clean {node}` ends them."},
    {"still-there", ExitClass::Unreachable, "Process {1} did not end, not even after SIGKILL.",
     "It waits for a device or a file system: read the kernel log of the node."},
    {"store", ExitClass::Usage, "The run store cannot be used.",
     "Check the permissions and the free space of its folder."},
    {"store-newer", ExitClass::Usage, "The run store was written by a newer Rankscope.",
     "Use that version, or another folder: --data-dir."},
    {"sudo-refused", ExitClass::Unreachable, "sudo on {node} does not accept the password or the command.",
     "Run the command as an administrator of the node."},
    {"supervisor-died", ExitClass::Unreachable, "The supervisor cannot be started.",
     "Check the process limit (`ulimit -u`) and the free memory of the node."},
    {"too-many-ranks", ExitClass::Usage, "The job has more ranks than the nodes allow.",
     "Correct procs_per_node: in the job."},
    {"torch-version-skew", ExitClass::PreflightFault, "The nodes have different versions of PyTorch.",
     "Install the same version on all nodes."},
    {"unknown-failure", ExitClass::Unreachable, "The agent on {node} reports a failure.", ""},
    {"unknown-node", ExitClass::Usage, "The node is not in the inventory.",
     "Add it: `rankscopectl nodes add NAME`."},
    {"unknown-rank", ExitClass::Usage, "The job names a rank that it does not have.", "Correct the rank."},
    {"version-skew", ExitClass::None, "The nodes have different versions of a program or library.",
     "Install the same version on all nodes."},
    {"virbr0-chosen", ExitClass::PreflightFault,
     "A bridge of virtual machines is used to reach other nodes: every node has it with the same address.",
     "Set interface: auto in the job, or name the interface that connects the nodes."},
    {"watchdog-timeout", ExitClass::TrainingFailed, "The ranks make no progress, and no cause was found.",
     "Read the stacks of the ranks."},
    {"which-nodes", ExitClass::Usage, "The launch command does not name its nodes.", "Select the nodes."},
    {"workdir-missing", ExitClass::Unreachable, "The folder of workdir: does not exist on the node.",
     "Create it there, or correct workdir: in the job."},
    {"workdir-not-writable", ExitClass::Unreachable, "The files of push: cannot be written on the node.",
     "Set workdir: in the job to a folder that you can write, or remove workdir: to use a folder of the "
     "job."},
    {"worker-missing-library", ExitClass::TrainingFailed, "A shared library is missing on a node.",
     "Install the package that contains it (`apt-file search NAME`)."},
    {"worker-old-libc", ExitClass::TrainingFailed, "The C library of a node is too old.",
     "Use a node with Debian 12, Ubuntu 24.04 or newer, or build Rankscope on the oldest node."},
    {"wrong-host", ExitClass::PreflightFault, "Another host or program answers at the address of {node}.",
     "Check for a duplicate address and for a program that redirects ports."},
    {"wrong-subnet-chosen", ExitClass::PreflightFault, "A node has no route to the address of another one.",
     "Set address: of the node in the inventory to one that all nodes reach."},
});

// One row for each id, in the same order: a row that is missing does not compile.
consteval bool rows_match_ids() {
    if (kCatalogue.size() != kFailureIds.size()) {
        return false;
    }
    for (std::size_t i = 0; i < kCatalogue.size(); ++i) {
        if (kCatalogue[i].id.text() != kFailureIds[i]) {
            return false;
        }
    }
    return std::is_sorted(kFailureIds.begin(), kFailureIds.end());
}
static_assert(rows_match_ids(), "base/failure_ids.h and the catalogue must have the same ids, sorted");

// "{name}" → of("name"); "{{name}}" is the text "{name}".
std::string replace_places(const std::string& text,
                           const std::function<std::string(const std::string& name)>& of) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
        const auto open = text.find('{', at);
        const auto close = open == std::string::npos ? open : text.find('}', open);
        if (close == std::string::npos) {
            break;
        }
        const std::string name = text.substr(open + 1, close - open - 1);
        out += text.substr(at, open - at) + (name.starts_with('{') ? name : of(name));
        at = close + 1;
    }
    return out + text.substr(at);
}

bool is_index(const std::string& name) {
    return name.size() == 1 && name[0] >= '1' && name[0] <= '9';
}

}  // namespace

const char* to_string(ExitClass exit_class) {
    switch (exit_class) {
        case ExitClass::None:
            return "none";
        case ExitClass::TrainingFailed:
            return "training-failed";
        case ExitClass::Usage:
            return "usage";
        case ExitClass::PreflightFault:
            return "preflight-fault";
        case ExitClass::Unreachable:
            return "unreachable";
        case ExitClass::Stopped:
            return "stopped";
    }
    return "none";
}

std::span<const CatalogueEntry> failure_catalogue() {
    return kCatalogue;
}

const CatalogueEntry* catalogue_entry(FailureId id) {
    const auto* const it =
        std::lower_bound(kCatalogue.begin(), kCatalogue.end(), id,
                         [](const CatalogueEntry& entry, FailureId wanted) { return entry.id < wanted; });
    return it != kCatalogue.end() && it->id == id ? it : nullptr;
}

int exit_code_of(FailureId id) {
    const CatalogueEntry* entry = catalogue_entry(id);
    return static_cast<int>(entry != nullptr && entry->exit != ExitClass::None ? entry->exit
                                                                               : ExitClass::Unreachable);
}

std::string documentation_of(FailureId id) {
    return "docs/failures.md#" + id.str();
}

std::string fill_places(const std::string& text, const CatalogueArguments& arguments) {
    const auto argument = [&arguments](char digit) {
        const auto index = static_cast<std::size_t>(digit - '1');
        return index < arguments.args.size() ? arguments.args[index] : std::string("?");
    };
    return replace_places(text, [&](const std::string& name) -> std::string {
        if (name == "node") {
            return arguments.node;
        }
        if (name == "rank") {
            return std::to_string(arguments.rank);
        }
        if (name == "detail") {
            return arguments.detail;
        }
        if (is_index(name)) {
            return argument(name[0]);
        }
        if (name.starts_with("MB") && is_index(name.substr(2))) {
            return std::to_string((std::strtoull(argument(name[2]).c_str(), nullptr, 10) + 500000) / 1000000);
        }
        return '{' + name + '}';
    });
}

std::string without_places(const std::string& text) {
    return replace_places(text, [](const std::string&) { return std::string("…"); });
}

std::string failures_markdown() {
    std::string page =
        "# Failures, verdicts and notices\n\n"
        "Every id that Rankscope uses, in JSON output (`id`) and in this page. An id does not change once "
        "it is released.\nThis page is the output of `rankscopectl errors --markdown`.\n";
    for (const auto& entry : failure_catalogue()) {
        page += "\n## " + entry.id.str() + "\n\n" + without_places(entry.title) + '\n';
        if (*entry.remedy != '\0') {
            page += "\n**What to do:** " + without_places(entry.remedy) + '\n';
        }
        if (entry.exit != ExitClass::None) {
            page += "\nExit code: " + std::to_string(static_cast<int>(entry.exit)) + '\n';
        }
    }
    return page;
}

}  // namespace rankscope
