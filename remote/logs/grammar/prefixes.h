// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/grammar/log_line.h>
#include <remote/logs/grammar/time_stamp.h>

#include <string_view>

namespace rankscope::logs {

// Each takes its prefix from the start of `rest` and fills what it says, or leaves both as they are.

/// "host:pid:tid [dev] NCCL INFO ", "host:pid:tid [dev] misc/socket.cc:504 (function) NCCL WARN ", and the forms
/// of CALL, TRACE, ABORT and ATTN; "host:pid NCCL DIAG " of the diagnostics of NCCL 2.31 and later.
bool take_nccl(std::string_view& rest, LogLine& line);
/// The same after something else on the line: what a program began to print.
bool find_nccl(std::string_view& rest, std::string_view known_host, LogLine& line);
/// What begins with '[': times, ranks, levels, glog's, mpirun's, Kubernetes' names.
bool take_bracket(std::string_view& rest, LogLine& line, FileDate date);
/// "E1120 18:35:02.265149 140123 torch/…/api.py:869] ".
bool take_glog(std::string_view& rest, LogLine& line, FileDate date);
/// A time without brackets, and what usually follows it: a level, CRI's stream, syslog's host and program.
bool take_time(std::string_view& rest, LogLine& line, FileDate date);
/// "3: " of srun --label.
bool take_task_label(std::string_view& rest, LogLine& line);
/// "rank 3: ", "(RayWorker pid=1, ip=10.0.0.1) ", "worker-1  | ", "ERROR:torch.distributed…:", "LAUNCH INFO ".
bool take_word_label(std::string_view& rest, LogLine& line);

/// "i.pretrain/0 [default2]:[rank2]: ", "worker-0 pytorch Traceback …": what stands before a rank, a traceback or an
/// exception and is a label by its form.
bool take_foreign_label(std::string_view& rest, LogLine& line);
/// A progress bar that another message follows on the same line.
bool take_bar(std::string_view& rest, LogLine& line);

/// Whether a prefix that cannot be anything else begins here: "node1: " before it is then a label.
bool begins_with_certain_prefix(std::string_view rest);

}  // namespace rankscope::logs
