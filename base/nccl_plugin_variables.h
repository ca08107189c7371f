// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

/// The variables of librankscope-nccl.so in a rank's environment, between the plan and the node that starts the rank.
namespace rankscope {

inline constexpr const char* kNcclPluginVariable = "NCCL_PROFILER_PLUGIN";
inline constexpr const char* kNcclChainVariable = "RANKSCOPE_NCCL_CHAIN";  ///< the user's own plugin
inline constexpr const char* kNcclFolderVariable = "RANKSCOPE_NCCL_DIR";
inline constexpr const char* kNcclLevelVariable = "RANKSCOPE_NCCL_LEVEL";

/// In a plan they stand for paths that only the node knows: the library, the folder of the rank's ring files.
inline constexpr const char* kNcclPluginPlaceholder = "{nccl_plugin}";
inline constexpr const char* kNcclFolderPlaceholder = "{nccl_folder}";

inline constexpr const char* kNcclPluginFile = "librankscope-nccl.so";

}  // namespace rankscope
