<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
    <context>
        <name>AdoptRun</name>
        <message>
            <source>Cancelled.</source>
            <translation>已取消。</translation>
        </message>
        <message>
            <source>The node sends no events of the run.</source>
            <translation>该节点没有发送此运行的事件。</translation>
        </message>
        <message>
            <source>Try again; `rankscopectl probe` shows whether it answers.</source>
            <translation>请重试；`rankscopectl probe` 可显示它是否应答。</translation>
        </message>
        <message>
            <source>A launcher that is unknown here has submitted the run: %1.</source>
            <translation>此运行由此处未知的启动器提交：%1。</translation>
        </message>
        <message>
            <source>Update Rankscope on this computer.</source>
            <translation>请更新此计算机上的 Rankscope。</translation>
        </message>
    </context>
    <context>
        <name>AgentFailures</name>
        <message>
            <source>The process is yours: `rankscopectl clean %1 --port %2 --end` ends it. Or write master_port: 0 in the job to use a free port.</source>
            <translation>该进程属于你：`rankscopectl clean %1 --port %2 --end` 会结束它。或者在作业中写 master_port: 0，使用空闲端口。</translation>
        </message>
        <message>
            <source>The agent arrived damaged.</source>
            <translation>代理程序送达时已损坏。</translation>
        </message>
        <message>
            <source>Try again. If it happens again, something changes bytes on the way: for example a login script that reads stdin.</source>
            <translation>请重试。如果再次出现，说明传输途中有什么改动了字节，例如会读取 stdin 的登录脚本。</translation>
        </message>
        <message>
            <source>The agent cannot be started (exit status %1).</source>
            <translation>无法启动代理程序（退出状态 %1）。</translation>
        </message>
        <message>
            <source>was stopped by signal %1 for longer than the job allows</source>
            <translation>被信号 %1 暂停的时间超过了作业允许的时长</translation>
        </message>
        <message>
            <source>was killed by the kernel because memory ran out</source>
            <translation>因内存耗尽被内核杀死</translation>
        </message>
        <message>
            <source>was killed by signal %1, core dumped to %2</source>
            <translation>被信号 %1 杀死，core dump 已写入 %2</translation>
        </message>
        <message>
            <source>was killed by signal %1, core dumped</source>
            <translation>被信号 %1 杀死，已生成 core dump</translation>
        </message>
        <message>
            <source>was killed by signal %1</source>
            <translation>被信号 %1 杀死</translation>
        </message>
        <message>
            <source>could not be started: %1</source>
            <translation>无法启动：%1</translation>
        </message>
        <message>
            <source>exited with code %1</source>
            <translation>以退出码 %1 退出</translation>
        </message>
        <message>
            <source>A shared library is missing on %1: %2</source>
            <translation>%1 上缺少共享库：%2</translation>
        </message>
        <message>
            <source>Install the package that contains it there (`apt-file search NAME`).</source>
            <translation>在该节点上安装包含它的软件包（`apt-file search NAME`）。</translation>
        </message>
        <message>
            <source>The C library of %1 is too old: %2</source>
            <translation>%1 的 C 库太旧：%2</translation>
        </message>
        <message>
            <source>Use a node with Debian 12, Ubuntu 24.04 or newer, or build Rankscope on the oldest node.</source>
            <translation>使用 Debian 12、Ubuntu 24.04 或更新系统的节点，或者在最旧的节点上构建 Rankscope。</translation>
        </message>
        <message>
            <source>The script is not on %1: %2</source>
            <translation>脚本不在 %1 上：%2</translation>
        </message>
        <message>
            <source>Copy it with push: in the job, or set workdir: to the folder that contains it.</source>
            <translation>在作业中用 push: 复制它，或者把 workdir: 设为包含它的文件夹。</translation>
        </message>
        <message>
            <source>A Python package is missing on %1: %2</source>
            <translation>%1 上缺少 Python 包：%2</translation>
        </message>
        <message>
            <source>Install it there, or name the environment that has it with venv: or conda: in the job.</source>
            <translation>在该节点上安装它，或者在作业中用 venv: 或 conda: 指定含有它的环境。</translation>
        </message>
        <message>
            <source>Set cache_dir: for %1 to a file system without noexec.</source>
            <translation>为 %1 把 cache_dir: 设到没有 noexec 的文件系统上。</translation>
        </message>
        <message>
            <source>The kernel of %1 killed it because memory ran out (source: %2).</source>
            <translation>内存耗尽，%1 的内核杀死了它（来源：%2）。</translation>
        </message>
        <message>
            <source>Use a smaller batch size or fewer data loader workers, or run fewer ranks there.</source>
            <translation>减小批大小或减少数据加载工作进程，或者在该节点上运行更少的 rank。</translation>
        </message>
        <message>
            <source>A GPU of %1 has no free memory: %2</source>
            <translation>%1 的一个 GPU 没有空闲显存：%2</translation>
        </message>
        <message>
            <source>Use a smaller batch size or model, or more GPUs.</source>
            <translation>使用更小的批大小或模型，或者使用更多 GPU。</translation>
        </message>
        <message>
            <source>It could not allocate memory on %1: %2</source>
            <translation>它无法在 %1 上分配内存：%2</translation>
        </message>
        <message>
            <source>Use a smaller batch size, or raise the limit (`ulimit -v`, or that of the cgroup).</source>
            <translation>减小批大小，或者提高限制（`ulimit -v` 或 cgroup 的限制）。</translation>
        </message>
        <message>
            <source>A user, a program or the kernel (if memory ran out) killed it.</source>
            <translation>被用户、某个程序或内核（内存耗尽时）杀死。</translation>
        </message>
        <message>
            <source>On %1: `journalctl -k | grep -i oom` shows whether the kernel did it.</source>
            <translation>在 %1 上：`journalctl -k | grep -i oom` 可显示是否为内核所为。</translation>
        </message>
        <message>
            <source>It lost the connection to another rank.</source>
            <translation>它与另一个 rank 的连接断开了。</translation>
        </message>
        <message>
            <source>Check the end of the other rank first.</source>
            <translation>先查看另一个 rank 是如何结束的。</translation>
        </message>
        <message>
            <source>failed: %1</source>
            <translation>失败：%1</translation>
        </message>
        <message>
            <source>The kernel of %1 killed one of its processes because memory ran out (source: %2).</source>
            <translation>内存耗尽，%1 的内核终止了它的一个进程（来源：%2）。</translation>
        </message>
        <message>
            <source>It may not use as much address space on %1 as its libraries need: %2</source>
            <translation>它在 %1 上可用的地址空间少于其库所需：%2</translation>
        </message>
        <message>
            <source>Raise the limit there (`ulimit -v`), or remove it.</source>
            <translation>在该节点上提高限制（`ulimit -v`），或取消限制。</translation>
        </message>
        <message>
            <source>ended</source>
            <translation>已结束</translation>
        </message>
    </context>
    <context>
        <name>AgentLink</name>
        <message>
            <source>The agent was pushed, but is not there.</source>
            <translation>代理程序已推送，但不在那里。</translation>
        </message>
        <message>
            <source>Is the cache folder cleaned by another program? Set cache_dir: for this node.</source>
            <translation>缓存文件夹是否会被其他程序清理？为该节点设置 cache_dir:。</translation>
        </message>
        <message>
            <source>The login shell did not start the agent within %1 s.</source>
            <translation>登录 shell 未在 %1 s 内启动代理程序。</translation>
        </message>
        <message>
            <source>A slow or waiting ~/.bashrc or ~/.profile is the usual cause: try `ssh %1 true`.</source>
            <translation>常见原因是 ~/.bashrc 或 ~/.profile 很慢或在等待：试试 `ssh %1 true`。</translation>
        </message>
        <message>
            <source>slow login shell: %1 s, no byte yet</source>
            <translation>登录 shell 很慢：已 %1 s，尚未收到任何字节</translation>
        </message>
        <message>
            <source>The node is "%1", this build of Rankscope is for "%2".</source>
            <translation>该节点是“%1”，此 Rankscope 构建面向“%2”。</translation>
        </message>
        <message>
            <source>Build Rankscope on such a machine and start runs on this node from there.</source>
            <translation>在同类机器上构建 Rankscope，并从那里启动该节点上的运行。</translation>
        </message>
        <message>
            <source>%1 cannot be read.</source>
            <translation>无法读取 %1。</translation>
        </message>
        <message>
            <source>pushing the agent</source>
            <translation>正在推送代理程序</translation>
        </message>
        <message>
            <source>the stream from the agent is damaged</source>
            <translation>来自代理程序的数据流已损坏</translation>
        </message>
        <message>
            <source>The agent did not answer within %1 s.</source>
            <translation>代理程序未在 %1 s 内应答。</translation>
        </message>
        <message>
            <source>Check the node's load and the network.</source>
            <translation>检查节点的负载和网络。</translation>
        </message>
        <message>
            <source>The connection was lost.</source>
            <translation>连接已断开。</translation>
        </message>
        <message>
            <source>Check the network and the node; what runs there continues.</source>
            <translation>检查网络和节点；那里正在运行的程序会继续。</translation>
        </message>
    </context>
    <context>
        <name>AgentRequests</name>
        <message>
            <source>The node is not connected.</source>
            <translation>该节点未连接。</translation>
        </message>
        <message>
            <source>The agent did not answer within %1 s.</source>
            <translation>代理程序未在 %1 s 内应答。</translation>
        </message>
        <message>
            <source>Check the node's load and the network.</source>
            <translation>检查节点的负载和网络。</translation>
        </message>
    </context>
    <context>
        <name>AgentSession</name>
        <message>
            <source>pushed %1 MB in %2 ms</source>
            <translation>已推送 %1 MB，用时 %2 ms</translation>
        </message>
        <message>
            <source>pushed %1 files, %2 kB, to %3 in %4 ms; removed %5 of an earlier push</source>
            <translation>已推送 %1 个文件（%2 kB）到 %3，用时 %4 ms；删除了之前推送的 %5 个文件</translation>
        </message>
        <message>
            <source>pushed 1 file, %1 kB, to %2 in %3 ms; removed %4 of an earlier push</source>
            <translation>已推送 1 个文件,%1 kB,到 %2,用时 %3 毫秒;移除了 %4 个先前推送的文件</translation>
        </message>
    </context>
    <context>
        <name>AlertCommand</name>
        <message>
            <source>Write a program and its arguments, or put what a shell shall do into a script.</source>
            <translation>写出程序及其参数，或把需要 shell 完成的事写进脚本。</translation>
        </message>
        <message>
            <source>The command is more than one: it is not run by a shell.</source>
            <translation>命令不止一条：它不经 shell 运行。</translation>
        </message>
        <message>
            <source>"%1" needs a shell: it is not run by one.</source>
            <translation>“%1”需要 shell：命令不经 shell 运行。</translation>
        </message>
        <message>
            <source>The notification command "%1" cannot be started.</source>
            <translation>无法启动通知命令“%1”。</translation>
        </message>
        <message>
            <source>Check its name and its permissions.</source>
            <translation>请检查其名称和权限。</translation>
        </message>
        <message>
            <source>The notification command "%1" has not ended within %2 s; it was killed.</source>
            <translation>通知命令“%1”未在 %2 秒内结束，已被终止。</translation>
        </message>
        <message>
            <source>Start what takes longer in the background.</source>
            <translation>需要更长时间的事请放到后台。</translation>
        </message>
        <message>
            <source>The notification command "%1" failed.</source>
            <translation>通知命令“%1”失败。</translation>
        </message>
        <message>
            <source>Run it in a terminal to see why.</source>
            <translation>在终端中运行它以查看原因。</translation>
        </message>
    </context>
    <context>
        <name>AlertRule</name>
        <message>
            <source>Write for example: loss &gt; 10 for 50 steps.</source>
            <translation>例如：loss &gt; 10 for 50 steps。</translation>
        </message>
        <message>
            <source>After the value there may only be "for N steps".</source>
            <translation>值之后只能写“for N steps”。</translation>
        </message>
        <message>
            <source>"%1" is not a number of steps.</source>
            <translation>“%1”不是步数。</translation>
        </message>
        <message>
            <source>The rule is longer than %1 characters.</source>
            <translation>规则超过 %1 个字符。</translation>
        </message>
        <message>
            <source>A rule has a metric, a comparison and a value.</source>
            <translation>规则由指标、比较符和值组成。</translation>
        </message>
        <message>
            <source>"%1" is not a comparison: use &gt;, &gt;=, &lt; or &lt;=.</source>
            <translation>“%1”不是比较符：请用 &gt;、&gt;=、&lt; 或 &lt;=。</translation>
        </message>
        <message>
            <source>"%1" is not a number.</source>
            <translation>“%1”不是数字。</translation>
        </message>
        <message>
            <source>"%1" is not a rule for a plateau.</source>
            <translation>“%1”不是停滞规则。</translation>
        </message>
        <message>
            <source>Write plateau, or for example: plateau of loss for 500 steps.</source>
            <translation>写 plateau，或例如：plateau of loss for 500 steps。</translation>
        </message>
    </context>
    <context>
        <name>ApplyFix</name>
        <message>
            <source>Run the command there as an administrator.</source>
            <translation>以管理员身份在该处运行此命令。</translation>
        </message>
        <message>
            <source>sudo on %1 asks for a password, and there is no terminal to type it in.</source>
            <translation>%1 上的 sudo 要求输入密码，但没有可供输入的终端。</translation>
        </message>
        <message>
            <source>sudo on %1 does not accept the password.</source>
            <translation>%1 上的 sudo 不接受该密码。</translation>
        </message>
        <message>
            <source>%1 (sudo)</source>
            <translation>%1 (sudo)</translation>
        </message>
        <message>
            <source>Password for sudo</source>
            <translation>sudo 密码</translation>
        </message>
        <message>
            <source>%1 has no sudo, and its user is not root.</source>
            <translation>%1 没有 sudo，且其用户不是 root。</translation>
        </message>
        <message>
            <source>sudo on %1 does not permit the command.</source>
            <translation>%1 上的 sudo 不允许执行该命令。</translation>
        </message>
        <message>
            <source>The command on %1 failed with status %2.</source>
            <translation>%1 上的命令失败，状态为 %2。</translation>
        </message>
        <message>
            <source>The connection to %1 ended before the command did.</source>
            <translation>到 %1 的连接在命令结束前断开。</translation>
        </message>
        <message>
            <source>Read its output, and run the preflight again.</source>
            <translation>查看其输出，并重新运行预检。</translation>
        </message>
        <message>
            <source>The command on %1 did not end in time.</source>
            <translation>%1 上的命令未及时结束。</translation>
        </message>
        <message>
            <source>It may still run there. Run the preflight again.</source>
            <translation>它可能仍在那里运行。重新运行预检。</translation>
        </message>
        <message>
            <source>this computer</source>
            <translation>本机</translation>
        </message>
        <message>
            <source>There is no command to run.</source>
            <translation>没有可运行的命令。</translation>
        </message>
        <message>
            <source>The inventory has no node "%1".</source>
            <translation>节点清单中没有节点“%1”。</translation>
        </message>
        <message>
            <source>The command has characters that do not show: it was not run.</source>
            <translation>该命令含有不显示的字符：未执行。</translation>
        </message>
        <message>
            <source>Run the preflight again, and report the command.</source>
            <translation>请重新运行预检，并报告该命令。</translation>
        </message>
    </context>
    <context>
        <name>Artifacts</name>
        <message>
            <source>This installation lacks %1.</source>
            <translation>此安装缺少 %1。</translation>
        </message>
        <message>
            <source>Build it (./packaging/build) or install the package again; expected at %1.</source>
            <translation>构建它（./packaging/build）或重新安装软件包；应位于 %1。</translation>
        </message>
    </context>
    <context>
        <name>AskpassServer</name>
        <message>
            <source>This installation lacks %1.</source>
            <translation>此安装缺少 %1。</translation>
        </message>
        <message>
            <source>Build it (./packaging/build) or install the package again.</source>
            <translation>构建它（./packaging/build）或重新安装软件包。</translation>
        </message>
        <message>
            <source>Cannot create a private socket in %1.</source>
            <translation>无法在 %1 中创建私有套接字。</translation>
        </message>
        <message>
            <source>Check the folder's file system.</source>
            <translation>检查该文件夹所在的文件系统。</translation>
        </message>
        <message>
            <source>Password</source>
            <translation>密码</translation>
        </message>
    </context>
    <context>
        <name>BundleFile</name>
        <message>
            <source>Failure bundles (*%1)</source>
            <translation>故障包 (*%1)</translation>
        </message>
    </context>
    <context>
        <name>BundlePush</name>
        <message>
            <source>%1 cannot be read.</source>
            <translation>无法读取 %1。</translation>
        </message>
        <message>
            <source>pushing the worker</source>
            <translation>正在推送工作进程</translation>
        </message>
    </context>
    <context>
        <name>CheckDetails</name>
        <message>
            <source>%1 and %2 more</source>
            <translation>%1 及另外 %2 项</translation>
        </message>
    </context>
    <context>
        <name>ClearButton</name>
        <message>
            <source>Clear</source>
            <translation>清除</translation>
        </message>
    </context>
    <context>
        <name>ClockCheck</name>
        <message>
            <source>%1 min</source>
            <translation>%1 分钟</translation>
        </message>
        <message>
            <source>%1 h</source>
            <translation>%1 小时</translation>
        </message>
        <message>
            <source>Its clock is %1 ahead of this computer's.</source>
            <translation>其时钟比本机快 %1。</translation>
        </message>
        <message>
            <source>Its clock is %1 behind this computer's.</source>
            <translation>其时钟比本机慢 %1。</translation>
        </message>
        <message>
            <source>Let both take their time from the network (`sudo timedatectl set-ntp true`); the times that Rankscope shows are corrected.</source>
            <translation>让两者都从网络获取时间（`sudo timedatectl set-ntp true`）；Rankscope 显示的时间已经过校正。</translation>
        </message>
    </context>
    <context>
        <name>ClockText</name>
        <message>
            <source>in step</source>
            <translation>一致</translation>
        </message>
        <message>
            <source>%1 ± %2</source>
            <translation>%1 ± %2</translation>
        </message>
    </context>
    <context>
        <name>Collectives</name>
        <message numerus="yes">
            <source>%1, %n ranks</source>
            <translation>
                <numerusform>%1, %n 个 rank</numerusform>
            </translation>
        </message>
        <message>
            <source>NCCL did not load Rankscope's plugin.</source>
            <translation>NCCL 未加载 Rankscope 的插件。</translation>
        </message>
        <message>
            <source>This NCCL has no profiler interface: it came with NCCL 2.23.</source>
            <translation>此 NCCL 没有 profiler 接口：该接口从 NCCL 2.23 起提供。</translation>
        </message>
        <message>
            <source>NCCL is a part of the program itself and loads no plugin.</source>
            <translation>NCCL 是程序自身的一部分，不加载插件。</translation>
        </message>
        <message>
            <source>The program has not loaded NCCL.</source>
            <translation>程序未加载 NCCL。</translation>
        </message>
        <message>
            <source>Another profiler plugin is in use (NCCL_PROFILER_PLUGIN).</source>
            <translation>正在使用另一个 profiler 插件 (NCCL_PROFILER_PLUGIN)。</translation>
        </message>
        <message>
            <source>What the plugin writes cannot be read.</source>
            <translation>无法读取插件写出的内容。</translation>
        </message>
    </context>
    <context>
        <name>Commands</name>
        <message>
            <source>this computer</source>
            <translation>本机</translation>
        </message>
        <message>
            <source>Node</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>Probe %1</source>
            <translation>探测 %1</translation>
        </message>
        <message>
            <source>%1 is being probed.</source>
            <translation>正在探测 %1。</translation>
        </message>
        <message>
            <source>Leftovers of %1…</source>
            <translation>%1 的残留…</translation>
        </message>
        <message>
            <source>%1, %2, %3</source>
            <translation>%1，%2，%3</translation>
        </message>
        <message>
            <source>Run in progress</source>
            <translation>进行中的运行</translation>
        </message>
        <message>
            <source>Stored run</source>
            <translation>已保存的运行</translation>
        </message>
        <message>
            <source>Train on MNIST with this computer</source>
            <translation>在本机上训练 MNIST</translation>
        </message>
        <message>
            <source>Recipe</source>
            <translation>配方</translation>
        </message>
        <message>
            <source>This page</source>
            <translation>本页</translation>
        </message>
        <message>
            <source>The page cannot do this now.</source>
            <translation>页面现在无法执行此操作。</translation>
        </message>
        <message>
            <source>Edit %1…</source>
            <translation>编辑 %1…</translation>
        </message>
        <message>
            <source>Open shell on %1</source>
            <translation>在 %1 上打开 shell</translation>
        </message>
        <message>
            <source>Own recipe</source>
            <translation>自己的配方</translation>
        </message>
    </context>
    <context>
        <name>ComparePlot</name>
        <message>
            <source>%1, mean</source>
            <translation>%1，均值</translation>
        </message>
        <message>
            <source>%1, deviation</source>
            <translation>%1，标准差</translation>
        </message>
    </context>
    <context>
        <name>ComparisonModel</name>
        <message>
            <source>Job</source>
            <translation>作业</translation>
        </message>
        <message>
            <source>Environment</source>
            <translation>环境</translation>
        </message>
        <message>
            <source>Versions</source>
            <translation>版本</translation>
        </message>
        <message>
            <source>Run</source>
            <translation>运行</translation>
        </message>
        <message>
            <source>%1 · %2</source>
            <translation>%1 · %2</translation>
        </message>
        <message>
            <source>%1: mean of last, %2 runs</source>
            <translation>%1：最终值的平均，%2 次运行</translation>
        </message>
        <message>
            <source>%1 ± %2</source>
            <translation>%1 ± %2</translation>
        </message>
    </context>
    <context>
        <name>DesktopNotification</name>
        <message>
            <source>The desktop does not show notifications.</source>
            <translation>桌面不显示通知。</translation>
        </message>
        <message>
            <source>Start a notification service, or switch desktop notifications off in the settings.</source>
            <translation>请启动通知服务，或在设置中关闭桌面通知。</translation>
        </message>
    </context>
    <context>
        <name>DisplayCheck</name>
        <message>
            <source>there is no display (DISPLAY and WAYLAND_DISPLAY are not set)</source>
            <translation>没有显示器（未设置 DISPLAY 和 WAYLAND_DISPLAY）</translation>
        </message>
        <message>
            <source>the display %1 cannot be used</source>
            <translation>无法使用显示器 %1</translation>
        </message>
        <message>
            <source>Cannot open a window: %1. In a terminal use rankscopectl, or connect with `ssh -X`.</source>
            <translation>无法打开窗口：%1。在终端中请使用 rankscopectl，或用 `ssh -X` 连接。</translation>
        </message>
    </context>
    <context>
        <name>Distribuuuu</name>
        <message>
            <source>Made from Distribuuuu's %1.</source>
            <translation>由 Distribuuuu 的 %1 生成。</translation>
        </message>
        <message>
            <source>MODEL.WEIGHTS is not read; train.checkpoint.init_from takes its file.</source>
            <translation>不读取 MODEL.WEIGHTS；请把该文件写入 train.checkpoint.init_from。</translation>
        </message>
    </context>
    <context>
        <name>Doctor</name>
        <message>
            <source>rendezvous port %1</source>
            <translation>会合端口 %1</translation>
        </message>
        <message>
            <source>SSH port %1</source>
            <translation>SSH 端口 %1</translation>
        </message>
        <message>
            <source>port %1</source>
            <translation>端口 %1</translation>
        </message>
        <message>
            <source>after %1</source>
            <translation>%1 后</translation>
        </message>
        <message>
            <source>delay %1</source>
            <translation>延迟 %1</translation>
        </message>
        <message>
            <source>MTU %1</source>
            <translation>MTU %1</translation>
        </message>
        <message>
            <source>%1 Mbit/s</source>
            <translation>%1 Mbit/s</translation>
        </message>
        <message>
            <source>loss %1</source>
            <translation>丢包 %1</translation>
        </message>
        <message>
            <source>seen as %1</source>
            <translation>对端看到的是 %1</translation>
        </message>
        <message>
            <source>%1 (%2)</source>
            <translation>%1 (%2)</translation>
        </message>
        <message>
            <source>%1, %2: %3</source>
            <translation>%1, %2: %3</translation>
        </message>
        <message>
            <source>not tested</source>
            <translation>未测试</translation>
        </message>
        <message>
            <source>reached</source>
            <translation>可达</translation>
        </message>
        <message>
            <source>warning</source>
            <translation>警告</translation>
        </message>
        <message>
            <source>fault</source>
            <translation>故障</translation>
        </message>
        <message>
            <source>%1 → %2: %3</source>
            <translation>%1 → %2: %3</translation>
        </message>
        <message>
            <source>No connection was tried in this direction.</source>
            <translation>未在此方向上尝试连接。</translation>
        </message>
        <message>
            <source>not used by the run: %1</source>
            <translation>运行未使用：%1</translation>
        </message>
        <message>
            <source>… and %1 more at addresses that the run does not use</source>
            <translation>… 以及另外 %1 个，位于运行未使用的地址</translation>
        </message>
        <message>
            <source>and %1 more</source>
            <translation>另有 %1 个</translation>
        </message>
        <message>
            <source>passed</source>
            <translation>通过</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>失败</translation>
        </message>
        <message>
            <source>not checked</source>
            <translation>未能查看</translation>
        </message>
        <message>
            <source>%1 and %2 more</source>
            <translation>%1 及另外 %2 项</translation>
        </message>
        <message>
            <source>%1 failed</source>
            <translation>%1 项失败</translation>
        </message>
        <message>
            <source>1 warning</source>
            <translation>1 项警告</translation>
        </message>
        <message>
            <source>%1 warnings</source>
            <translation>%1 项警告</translation>
        </message>
        <message>
            <source>%1 passed</source>
            <translation>%1 项通过</translation>
        </message>
        <message>
            <source>%1 not checked</source>
            <translation>%1 项未能查看</translation>
        </message>
        <message>
            <source>This report has no attempts to connect.</source>
            <translation>此报告中没有连接尝试。</translation>
        </message>
    </context>
    <context>
        <name>DoctorCommand</name>
        <message>
            <source>Nothing holds the ranks.</source>
            <translation>没有什么阻塞各 rank。</translation>
        </message>
        <message>
            <source>No cause is seen. Ranks that were not inspected: %1.</source>
            <translation>未发现原因。未检查的 rank：%1。</translation>
        </message>
    </context>
    <context>
        <name>DraftFile</name>
        <message>
            <source>Standard output cannot be written: %1</source>
            <translation>无法写入标准输出：%1</translation>
        </message>
        <message>
            <source>The file exists already.</source>
            <translation>该文件已存在。</translation>
        </message>
        <message>
            <source>Choose another name, or replace it (--force).</source>
            <translation>换一个名称，或者替换它 (--force)。</translation>
        </message>
        <message>
            <source>The file cannot be written: %1</source>
            <translation>无法写入该文件：%1</translation>
        </message>
        <message>
            <source>Check the folder, its permissions and the free space.</source>
            <translation>检查文件夹、其权限和剩余空间。</translation>
        </message>
    </context>
    <context>
        <name>DraftFolder</name>
        <message>
            <source>The folder cannot be written: %1</source>
            <translation>无法写入该文件夹：%1</translation>
        </message>
        <message>
            <source>Check the folder above it, its permissions and the free space.</source>
            <translation>检查其上级文件夹、权限和剩余空间。</translation>
        </message>
        <message>
            <source>The folder is not empty.</source>
            <translation>该文件夹不为空。</translation>
        </message>
        <message>
            <source>Choose another folder.</source>
            <translation>选择其他文件夹。</translation>
        </message>
    </context>
    <context>
        <name>EpochTime</name>
        <message>
            <source>the CPU</source>
            <translation>CPU</translation>
        </message>
        <message>
            <source>GPUs</source>
            <translation>GPU</translation>
        </message>
        <message numerus="yes">
            <source>About %1 an epoch, %2 for this job (from the run of %3 on %n rank(s)).</source>
            <translation>
                <numerusform>每轮约 %1，此作业约 %2（依据 %3 在 %n 个 rank 上的运行）。</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>This job has %n rank(s).</source>
            <translation>
                <numerusform>此作业有 %n 个 rank。</numerusform>
            </translation>
        </message>
        <message>
            <source>That run used %1.</source>
            <translation>那次运行使用 %1。</translation>
        </message>
        <message>
            <source>Projected from a part of its first epoch.</source>
            <translation>由其第一轮的一部分推算。</translation>
        </message>
    </context>
    <context>
        <name>EventIntake</name>
        <message>
            <source>events %1 to %2 are missing: thinned, or the spool was damaged there (check the disk); all others are kept</source>
            <translation>缺少事件 %1 到 %2：已被抽稀，或 spool 在该处损坏（检查磁盘）；其余事件均已保留</translation>
        </message>
    </context>
    <context>
        <name>EventPump</name>
        <message>
            <source>The run store refuses new events. They wait in memory: %1</source>
            <translation>运行存储拒绝新事件，它们在内存中等待：%1</translation>
        </message>
        <message>
            <source>Rankscope tries again by itself.</source>
            <translation>Rankscope 会自动重试。</translation>
        </message>
        <message>
            <source>Too many events wait for the run store: it gets no more of %1. Live shows them.</source>
            <translation>等待写入运行存储的事件过多：%1 的事件不再写入，但“实时”中仍会显示。</translation>
        </message>
        <message>
            <source>%1 keeps them. Attach to this run again when the run store accepts events: that reads them from the node.</source>
            <translation>%1 保留着这些事件。运行存储恢复接受事件后，请重新附加到此运行：届时会从该节点读取它们。</translation>
        </message>
        <message>
            <source>The run store accepts events again.</source>
            <translation>运行存储已恢复接受事件。</translation>
        </message>
        <message>
            <source>Attach to this run again: that reads what is missing from %1.</source>
            <translation>请重新附加到此运行：届时会从 %1 读取缺少的事件。</translation>
        </message>
    </context>
    <context>
        <name>FailureBanner</name>
        <message>
            <source>Rank %1</source>
            <translation>Rank %1</translation>
        </message>
        <message>
            <source>Rank %1 on %2</source>
            <translation>%2 上的 rank %1</translation>
        </message>
        <message>
            <source>rank %1 waits</source>
            <translation>rank %1 在等待</translation>
        </message>
        <message>
            <source>%1 ranks wait: %2</source>
            <translation>%1 个 rank 在等待：%2</translation>
        </message>
        <message>
            <source>since %1</source>
            <translation>自 %1 起</translation>
        </message>
        <message>
            <source>confidence %1</source>
            <translation>置信度 %1</translation>
        </message>
        <message>
            <source>Also: %1</source>
            <translation>另有：%1</translation>
        </message>
        <message>
            <source>The run could not start: stage %1 failed</source>
            <translation>运行无法启动：阶段“%1”失败</translation>
        </message>
        <message>
            <source>The run was lost</source>
            <translation>运行已失联</translation>
        </message>
        <message>
            <source>The run failed</source>
            <translation>运行失败</translation>
        </message>
    </context>
    <context>
        <name>FailureBundle</name>
        <message>
            <source>Cancelled: nothing was written.</source>
            <translation>已取消：未写入任何内容。</translation>
        </message>
        <message>
            <source>output of rank %1</source>
            <translation>rank %1 的输出</translation>
        </message>
        <message>
            <source>events of rank %1</source>
            <translation>rank %1 的事件</translation>
        </message>
        <message>
            <source>events of the run</source>
            <translation>运行的事件</translation>
        </message>
        <message>
            <source>events of %1</source>
            <translation>%1 的事件</translation>
        </message>
        <message>
            <source>what the file is, what was replaced</source>
            <translation>文件说明，以及被替换的内容</translation>
        </message>
        <message>
            <source>%1 events: output of the ranks, metrics, telemetry, exits</source>
            <translation>%1 个事件：各 rank 的输出、指标、遥测、退出</translation>
        </message>
        <message>
            <source>name, times, end</source>
            <translation>名称、时间、结束情况</translation>
        </message>
        <message>
            <source>the job file</source>
            <translation>作业文件</translation>
        </message>
        <message>
            <source>ranks, nodes, devices, commands</source>
            <translation>rank、节点、设备、命令</translation>
        </message>
        <message>
            <source>variables of the ranks</source>
            <translation>各 rank 的变量</translation>
        </message>
        <message>
            <source>versions of programs, systems and libraries</source>
            <translation>程序、系统和库的版本</translation>
        </message>
        <message>
            <source>what is known of the nodes</source>
            <translation>已知的节点信息</translation>
        </message>
        <message>
            <source>what was diagnosed</source>
            <translation>诊断结果</translation>
        </message>
        <message>
            <source>what the logs say of NCCL: versions, communicators, rings</source>
            <translation>日志中关于 NCCL 的信息：版本、通信域、环</translation>
        </message>
        <message>
            <source>The file is no failure bundle.</source>
            <translation>该文件不是故障包。</translation>
        </message>
        <message>
            <source>Save one in Runs or by `rankscopectl bundle RUN -o FILE`. Open logs in Logs or by `rankscopectl diagnose`.</source>
            <translation>请在“运行记录”中或用 `rankscopectl bundle RUN -o FILE` 保存故障包。日志请在“日志”中或用 `rankscopectl diagnose` 打开。</translation>
        </message>
        <message>
            <source>The failure bundle is damaged: %1</source>
            <translation>故障包已损坏：%1</translation>
        </message>
        <message>
            <source>Copy it again, or write it again where the run is stored.</source>
            <translation>重新复制它，或者在保存该运行的地方重新写出。</translation>
        </message>
        <message>
            <source>The failure bundle is too large.</source>
            <translation>故障包太大。</translation>
        </message>
        <message>
            <source>Its parts may have 64 MiB each, its events 16 GiB together.</source>
            <translation>其每个部分最多 64 MiB，所有事件合计最多 16 GiB。</translation>
        </message>
        <message>
            <source>a part is missing.</source>
            <translation>缺少一个部分。</translation>
        </message>
        <message>
            <source>%1 of %2 events are there.</source>
            <translation>%2 个事件中只有 %1 个。</translation>
        </message>
        <message>
            <source>The file has "%1", which is no part of a failure bundle. Nothing was read from it.</source>
            <translation>文件中有“%1”，它不属于故障包。未从中读取任何内容。</translation>
        </message>
        <message>
            <source>Use it only if you trust its source.</source>
            <translation>仅在信任其来源时使用。</translation>
        </message>
        <message>
            <source>an event is cut off.</source>
            <translation>一个事件被截断。</translation>
        </message>
        <message>
            <source>"%1" is there twice.</source>
            <translation>“%1”出现了两次。</translation>
        </message>
        <message>
            <source>The failure bundle was written by a newer Rankscope.</source>
            <translation>故障包由更新版本的 Rankscope 写出。</translation>
        </message>
        <message>
            <source>Update this program.</source>
            <translation>更新本程序。</translation>
        </message>
        <message>
            <source>the id of its run is not valid.</source>
            <translation>其运行的 id 无效。</translation>
        </message>
        <message>
            <source>"%1" is missing.</source>
            <translation>缺少“%1”。</translation>
        </message>
        <message>
            <source>its plan is not valid.</source>
            <translation>其计划无效。</translation>
        </message>
        <message>
            <source>its parts are of different runs.</source>
            <translation>其各部分来自不同的运行。</translation>
        </message>
        <message>
            <source>event %1 is not valid.</source>
            <translation>事件 %1 无效。</translation>
        </message>
        <message>
            <source>Cancelled: the run store is as it was.</source>
            <translation>已取消：运行存储保持原样。</translation>
        </message>
        <message>
            <source>The run had not ended when its bundle was written.</source>
            <translation>写出故障包时，该运行尚未结束。</translation>
        </message>
        <message>
            <source>The file cannot be read.</source>
            <translation>无法读取该文件。</translation>
        </message>
        <message>
            <source>Check its name and its permissions.</source>
            <translation>检查其名称和权限。</translation>
        </message>
        <message>
            <source>The run store already has a run with the id %1.</source>
            <translation>运行存储中已有 id 为 %1 的运行。</translation>
        </message>
        <message>
            <source>Delete that run first, or use another run store (--data-dir).</source>
            <translation>先删除那个运行，或使用另一个运行存储 (--data-dir)。</translation>
        </message>
        <message>
            <source>its job is too large.</source>
            <translation>它的作业文件过大。</translation>
        </message>
    </context>
    <context>
        <name>FailureCatalogue</name>
        <message>
            <source>There is no agent for the processor of the node.</source>
            <translation>没有适用于该节点处理器的代理程序。</translation>
        </message>
        <message>
            <source>Build rankscope-agent on such a machine.</source>
            <translation>在同类机器上构建 rankscope-agent。</translation>
        </message>
        <message>
            <source>The connection was lost while the agent started.</source>
            <translation>代理程序启动时连接断开。</translation>
        </message>
        <message>
            <source>Check the network and the load of the node.</source>
            <translation>检查网络和节点的负载。</translation>
        </message>
        <message>
            <source>The agent does not answer.</source>
            <translation>代理程序没有应答。</translation>
        </message>
        <message>
            <source>Check the load of the node, then try again.</source>
            <translation>检查节点的负载，然后重试。</translation>
        </message>
        <message>
            <source>The agent cannot be started on the node.</source>
            <translation>无法在该节点上启动代理程序。</translation>
        </message>
        <message>
            <source>The output of the node shows the reason.</source>
            <translation>节点的输出给出了原因。</translation>
        </message>
        <message>
            <source>The login shell did not start the agent in time.</source>
            <translation>登录 shell 未能及时启动代理程序。</translation>
        </message>
        <message>
            <source>A slow or waiting ~/.bashrc or ~/.profile on the node can cause this.</source>
            <translation>节点上的 ~/.bashrc 或 ~/.profile 很慢或在等待时，会出现这种情况。</translation>
        </message>
        <message>
            <source>The agent ended unexpectedly.</source>
            <translation>代理程序意外结束。</translation>
        </message>
        <message>
            <source>Try again. If it happens again, check the memory and the kernel log of the node.</source>
            <translation>请重试。如果再次出现，检查节点的内存和内核日志。</translation>
        </message>
        <message>
            <source>The assignment cannot be read.</source>
            <translation>无法读取该赋值。</translation>
        </message>
        <message>
            <source>Write key=value, for example train.optimizer.lr=0.01.</source>
            <translation>写成 key=value，例如 train.optimizer.lr=0.01。</translation>
        </message>
        <message>
            <source>The launch command cannot be converted to a job.</source>
            <translation>无法把启动命令转换为作业。</translation>
        </message>
        <message>
            <source>Correct the command, or write the job file by hand.</source>
            <translation>更正命令，或手工编写作业文件。</translation>
        </message>
        <message>
            <source>A value is not valid.</source>
            <translation>有一个值无效。</translation>
        </message>
        <message>
            <source>Correct the value.</source>
            <translation>请更正该值。</translation>
        </message>
        <message>
            <source>The file is not valid.</source>
            <translation>该文件无效。</translation>
        </message>
        <message>
            <source>Correct the key and the line that the message names.</source>
            <translation>更正消息所指出的键和行。</translation>
        </message>
        <message>
            <source>A line is not valid.</source>
            <translation>有一行无效。</translation>
        </message>
        <message>
            <source>Correct the line.</source>
            <translation>更正该行。</translation>
        </message>
        <message>
            <source>The stored plan cannot be read.</source>
            <translation>无法读取已保存的计划。</translation>
        </message>
        <message>
            <source>Start the run again from its job file.</source>
            <translation>用作业文件再次启动该运行。</translation>
        </message>
        <message>
            <source>The file is not an SSH public key.</source>
            <translation>该文件不是 SSH 公钥。</translation>
        </message>
        <message>
            <source>Name the file that ends in .pub.</source>
            <translation>指定以 .pub 结尾的文件。</translation>
        </message>
        <message>
            <source>The agent does not accept the request.</source>
            <translation>代理程序不接受该请求。</translation>
        </message>
        <message>
            <source>This is a defect of Rankscope: please report it.</source>
            <translation>这是 Rankscope 的缺陷：请报告。</translation>
        </message>
        <message>
            <source>The virtual environment in {1} has no working Python.</source>
            <translation>{1} 中的虚拟环境没有可用的 Python。</translation>
        </message>
        <message>
            <source>Its Python was removed or belongs to another machine. Create it again there: `python3 -m venv --clear {1}`.</source>
            <translation>其 Python 已被删除，或属于另一台机器。在该节点上重新创建：`python3 -m venv --clear {1}`。</translation>
        </message>
        <message>
            <source>Other users of the node can change {1}. Rankscope does not start programs from there.</source>
            <translation>该节点的其他用户可以更改 {1}。Rankscope 不从那里启动程序。</translation>
        </message>
        <message>
            <source>Set cache_dir: for this node to a folder that only you can write, whose parents belong to you or root. Or remove the permission of the others: `chmod go-w {1}`.</source>
            <translation>把此节点的 cache_dir: 设为只有你能写入的文件夹，且其各级上层文件夹属于你或 root。或者去掉其他用户的权限：`chmod go-w {1}`。</translation>
        </message>
        <message>
            <source>The user cancelled.</source>
            <translation>用户已取消。</translation>
        </message>
        <message>
            <source>The file cannot be written.</source>
            <translation>无法写入该文件。</translation>
        </message>
        <message>
            <source>Check the folder, its permissions and the free space.</source>
            <translation>检查文件夹、其权限和剩余空间。</translation>
        </message>
        <message>
            <source>The clock of the node differs from the clock of this computer.</source>
            <translation>节点的时钟与本机的时钟不一致。</translation>
        </message>
        <message>
            <source>Synchronise it: `timedatectl set-ntp true` on the node.</source>
            <translation>同步时钟：在节点上运行 `timedatectl set-ntp true`。</translation>
        </message>
        <message>
            <source>A file arrived damaged.</source>
            <translation>有一个文件送达时已损坏。</translation>
        </message>
        <message>
            <source>Try again. If it happens again, check the memory and the disk of the node.</source>
            <translation>请重试。如果再次出现，检查节点的内存和磁盘。</translation>
        </message>
        <message>
            <source>Device, backend and precision of the job do not fit the nodes or each other.</source>
            <translation>作业的设备、后端和精度与节点不匹配，或彼此不匹配。</translation>
        </message>
        <message>
            <source>Use backend: nccl for GPUs and backend: gloo for processors, and a precision that they compute in.</source>
            <translation>GPU 用 backend: nccl，处理器用 backend: gloo，并使用它们能计算的精度。</translation>
        </message>
        <message>
            <source>The disk of {node} (or the quota) is full. The run continues, but new events wait in memory.</source>
            <translation>{node} 的磁盘（或配额）已满。运行会继续，但新事件在内存中等待。</translation>
        </message>
        <message>
            <source>Free space there (`df -h`). The events arrive then.</source>
            <translation>在该节点上释放空间 (`df -h`)。之后事件就会送达。</translation>
        </message>
        <message>
            <source>The disk of the node (or your quota) is full.</source>
            <translation>节点的磁盘（或你的配额）已满。</translation>
        </message>
        <message>
            <source>Free space there (`df -h`), remove what Rankscope keeps with `rankscopectl clean {node}`, or set cache_dir: to another disk.</source>
            <translation>在该节点上释放空间 (`df -h`)，用 `rankscopectl clean {node}` 删除 Rankscope 保留的内容，或把 cache_dir: 设到另一块磁盘。</translation>
        </message>
        <message>
            <source>The disk of {node} has free space again.</source>
            <translation>{node} 的磁盘又有剩余空间了。</translation>
        </message>
        <message>
            <source>Two nodes have the same hardware address.</source>
            <translation>两个节点的硬件地址相同。</translation>
        </message>
        <message>
            <source>Give each virtual machine a hardware address of its own.</source>
            <translation>给每台虚拟机各自的硬件地址。</translation>
        </message>
        <message>
            <source>The NCCL settings of the nodes differ.</source>
            <translation>各节点的 NCCL 设置不同。</translation>
        </message>
        <message>
            <source>Use the same settings on every node: /etc/nccl.conf, ~/.nccl.conf, the login environment and env: in the job.</source>
            <translation>在每个节点上使用相同的设置：/etc/nccl.conf、~/.nccl.conf、登录环境和作业中的 env:。</translation>
        </message>
        <message>
            <source>An event file on {node} is damaged. Rankscope does not read it further.</source>
            <translation>{node} 上的一个事件文件已损坏。Rankscope 不再继续读取它。</translation>
        </message>
        <message>
            <source>The run is not affected. Check whether two processes write the same file.</source>
            <translation>运行不受影响。检查是否有两个进程写入同一个文件。</translation>
        </message>
        <message>
            <source>Rankscope ignores an event file on {node}: a process outside of this run writes it.</source>
            <translation>Rankscope 忽略 {node} 上的一个事件文件：写入它的进程不属于此运行。</translation>
        </message>
        <message>
            <source>Set metrics.tensorboard to a folder that only this run uses. With {{rank}} in the name, each rank has its own.</source>
            <translation>把 metrics.tensorboard 设为只有此运行使用的文件夹。名称中带 {{rank}} 时，每个 rank 有各自的文件夹。</translation>
        </message>
        <message>
            <source>An event file on {node} became shorter. Rankscope does not read it further.</source>
            <translation>{node} 上的一个事件文件变短了。Rankscope 不再继续读取它。</translation>
        </message>
        <message>
            <source>metrics.tensorboard: no event file appeared on {node} during the run.</source>
            <translation>metrics.tensorboard：运行期间 {node} 上没有出现事件文件。</translation>
        </message>
        <message>
            <source>Set it to the folder that the program gives its SummaryWriter. A relative folder starts at workdir.</source>
            <translation>把它设为程序传给 SummaryWriter 的文件夹。相对路径从 workdir 开始。</translation>
        </message>
        <message>
            <source>metrics.tensorboard: the folder on {node} contains too many files to search.</source>
            <translation>metrics.tensorboard：{node} 上的该文件夹包含的文件太多，无法搜索。</translation>
        </message>
        <message>
            <source>Set it to the folder that the program gives its SummaryWriter.</source>
            <translation>把它设为程序传给 SummaryWriter 的文件夹。</translation>
        </message>
        <message>
            <source>The file exists already.</source>
            <translation>该文件已存在。</translation>
        </message>
        <message>
            <source>Choose another name, or remove it first.</source>
            <translation>换一个名称，或先删除它。</translation>
        </message>
        <message>
            <source>The command of the fix failed.</source>
            <translation>修复命令失败。</translation>
        </message>
        <message>
            <source>Read its output; the check shows what is still wrong.</source>
            <translation>查看其输出；检查会显示仍有什么问题。</translation>
        </message>
        <message>
            <source>A GPU of {node} uses fewer PCIe lanes than it has.</source>
            <translation>{node} 的一个 GPU 使用的 PCIe 通道数少于其自身的通道数。</translation>
        </message>
        <message>
            <source>Reseat the card; check the riser and the BIOS settings.</source>
            <translation>重新插好该卡；检查转接卡和 BIOS 设置。</translation>
        </message>
        <message>
            <source>The nodes of the Slurm job do not share the cache folder of the login node.</source>
            <translation>Slurm 作业的节点没有共享登录节点的缓存文件夹。</translation>
        </message>
        <message>
            <source>Set cache_dir: of the login node in the inventory to a folder that all nodes share.</source>
            <translation>在节点清单中把登录节点的 cache_dir: 设为所有节点共享的文件夹。</translation>
        </message>
        <message>
            <source>An InfiniBand port of {node} is not ready.</source>
            <translation>{node} 的一个 InfiniBand 端口未就绪。</translation>
        </message>
        <message>
            <source>Check the cable and the subnet manager (`ibstat`).</source>
            <translation>检查线缆和子网管理器 (`ibstat`)。</translation>
        </message>
        <message>
            <source>A file operation failed on {node}.</source>
            <translation>{node} 上的一次文件操作失败。</translation>
        </message>
        <message>
            <source>The message of the node shows the file: check its disk.</source>
            <translation>节点的消息显示了是哪个文件：检查其磁盘。</translation>
        </message>
        <message>
            <source>The key file exists already.</source>
            <translation>密钥文件已存在。</translation>
        </message>
        <message>
            <source>Use it, or choose another name.</source>
            <translation>使用它，或换一个名称。</translation>
        </message>
        <message>
            <source>The key pair cannot be created.</source>
            <translation>无法创建密钥对。</translation>
        </message>
        <message>
            <source>Check that the folder exists and that you can write there.</source>
            <translation>检查该文件夹是否存在，以及你能否在其中写入。</translation>
        </message>
        <message>
            <source>The public key cannot be installed on the node.</source>
            <translation>无法在节点上安装公钥。</translation>
        </message>
        <message>
            <source>Check the owner and permissions of ~/.ssh on the node.</source>
            <translation>检查节点上 ~/.ssh 的所有者和权限。</translation>
        </message>
        <message>
            <source>The key is on the node, but the node does not accept it.</source>
            <translation>密钥已在节点上，但节点不接受它。</translation>
        </message>
        <message>
            <source>Check that ~ and ~/.ssh there are not writable for others.</source>
            <translation>检查该节点上的 ~ 和 ~/.ssh 是否不可被其他用户写入。</translation>
        </message>
        <message>
            <source>The delay between two nodes is long.</source>
            <translation>两个节点之间的延迟较长。</translation>
        </message>
        <message>
            <source>Collectives wait for it in every step. Place the ranks on nodes that are near each other.</source>
            <translation>集合通信在每一步都要等待它。把 rank 放在彼此邻近的节点上。</translation>
        </message>
        <message>
            <source>The path between two nodes loses packets.</source>
            <translation>两个节点之间的路径丢包。</translation>
        </message>
        <message>
            <source>Check the cable, the errors of both interfaces (`ip -s link`) and the switch.</source>
            <translation>检查线缆、两端网络接口的错误 (`ip -s link`) 和交换机。</translation>
        </message>
        <message>
            <source>The path between two nodes is slow.</source>
            <translation>两个节点之间的路径较慢。</translation>
        </message>
        <message>
            <source>Check the speed of both interfaces (`ethtool`), or use another interface.</source>
            <translation>检查两端网络接口的速率 (`ethtool`)，或使用另一个网络接口。</translation>
        </message>
        <message>
            <source>A program on this computer cannot be started.</source>
            <translation>无法启动本机上的一个程序。</translation>
        </message>
        <message>
            <source>Install it, or correct PATH.</source>
            <translation>安装它，或更正 PATH。</translation>
        </message>
        <message>
            <source>The folder for log files {1} cannot be created.</source>
            <translation>无法创建日志文件的文件夹 {1}。</translation>
        </message>
        <message>
            <source>Correct log_dir: in the job, or remove it: the run stores every line in any case.</source>
            <translation>更正作业中的 log_dir:，或去掉它：无论如何，运行都会保存每一行。</translation>
        </message>
        <message>
            <source>The disk of {node} was full: {1} parts of logs and NCCL records ({MB2} MB) are lost.</source>
            <translation>{node} 的磁盘曾经已满：丢失了 {1} 段日志和 NCCL 记录 ({MB2} MB)。</translation>
        </message>
        <message>
            <source>All other events are stored. Free space there, or set cache_dir: to another disk.</source>
            <translation>其他所有事件均已保存。在该节点上释放空间，或把 cache_dir: 设到另一块磁盘。</translation>
        </message>
        <message>
            <source>The ranks on {node} cannot be inspected.</source>
            <translation>无法检查 {node} 上的 rank。</translation>
        </message>
        <message>
            <source>Check the connection to the node.</source>
            <translation>检查与该节点的连接。</translation>
        </message>
        <message>
            <source>The MTU differs between the nodes.</source>
            <translation>各节点的 MTU 不同。</translation>
        </message>
        <message>
            <source>Set the same MTU on all interfaces of the network.</source>
            <translation>在该网络的所有网络接口上设置相同的 MTU。</translation>
        </message>
        <message>
            <source>A node did not answer in time.</source>
            <translation>有一个节点未及时应答。</translation>
        </message>
        <message>
            <source>`rankscopectl probe` shows whether it can be reached.</source>
            <translation>`rankscopectl probe` 可显示能否到达它。</translation>
        </message>
        <message>
            <source>There is no conda environment {1}.</source>
            <translation>没有 conda 环境 {1}。</translation>
        </message>
        <message>
            <source>`conda env list` on the node shows the environments. conda: takes a name or a folder.</source>
            <translation>节点上的 `conda env list` 可列出环境。conda: 的值是名称或文件夹。</translation>
        </message>
        <message>
            <source>The node does not run programs from its cache folder.</source>
            <translation>节点不运行其缓存文件夹中的程序。</translation>
        </message>
        <message>
            <source>The folder is probably mounted noexec (`findmnt -T ~/.cache`). Set cache_dir: for this node to a folder on another file system that no other user can write to.</source>
            <translation>该文件夹可能以 noexec 方式挂载 (`findmnt -T ~/.cache`)。把此节点的 cache_dir: 设为另一个文件系统上、其他用户都不能写入的文件夹。</translation>
        </message>
        <message>
            <source>The job needs GPUs and a node has none.</source>
            <translation>作业需要 GPU，而有一个节点没有 GPU。</translation>
        </message>
        <message>
            <source>Use other nodes, or backend: gloo.</source>
            <translation>使用其他节点，或 backend: gloo。</translation>
        </message>
        <message>
            <source>The home folder is not known.</source>
            <translation>主文件夹未知。</translation>
        </message>
        <message>
            <source>Set HOME.</source>
            <translation>设置 HOME。</translation>
        </message>
        <message>
            <source>No node is selected.</source>
            <translation>没有选择节点。</translation>
        </message>
        <message>
            <source>Set nodes: in the job.</source>
            <translation>设置作业中的 nodes:。</translation>
        </message>
        <message>
            <source>No pattern can be learned from the line.</source>
            <translation>无法从该行学到模式。</translation>
        </message>
        <message>
            <source>Give a line that contains a name and a number.</source>
            <translation>给出一行包含名称和数字的文本。</translation>
        </message>
        <message>
            <source>The cache folder of the node is not writable.</source>
            <translation>节点的缓存文件夹不可写。</translation>
        </message>
        <message>
            <source>Check its owner and permissions, or set cache_dir: for this node.</source>
            <translation>检查其所有者和权限，或设置此节点的 cache_dir:。</translation>
        </message>
        <message>
            <source>There is no public key.</source>
            <translation>没有公钥。</translation>
        </message>
        <message>
            <source>Create one: `rankscopectl keys generate`.</source>
            <translation>创建一个：`rankscopectl keys generate`。</translation>
        </message>
        <message>
            <source>The account has no login shell on the node.</source>
            <translation>该账户在节点上没有登录 shell。</translation>
        </message>
        <message>
            <source>Give it one there: `sudo chsh -s /bin/bash USER`.</source>
            <translation>在该节点上为它设置一个：`sudo chsh -s /bin/bash USER`。</translation>
        </message>
        <message>
            <source>OpenSSH is not installed on this computer.</source>
            <translation>本机上没有安装 OpenSSH。</translation>
        </message>
        <message>
            <source>Install it: `sudo apt install openssh-client`.</source>
            <translation>安装它：`sudo apt install openssh-client`。</translation>
        </message>
        <message>
            <source>The inventory names a GPU that the node does not have.</source>
            <translation>节点清单指定了该节点没有的 GPU。</translation>
        </message>
        <message>
            <source>Correct gpus: in the inventory.</source>
            <translation>更正节点清单中的 gpus:。</translation>
        </message>
        <message>
            <source>The node does not know this run.</source>
            <translation>节点不认识此运行。</translation>
        </message>
        <message>
            <source>The run was removed there, or never started.</source>
            <translation>该运行在节点上已被删除，或从未启动。</translation>
        </message>
        <message>
            <source>There is no virtual environment in {1}.</source>
            <translation>{1} 中没有虚拟环境。</translation>
        </message>
        <message>
            <source>Create it there (`python3 -m venv {1}`), or correct venv: in the job.</source>
            <translation>在该节点上创建它 (`python3 -m venv {1}`)，或更正作业中的 venv:。</translation>
        </message>
        <message>
            <source>Process {1} belongs to {2}: it was not ended.</source>
            <translation>进程 {1} 属于 {2}：没有结束它。</translation>
        </message>
        <message>
            <source>Ask {2} to end it, or use another port or GPU.</source>
            <translation>请 {2} 结束它，或使用另一个端口或 GPU。</translation>
        </message>
        <message>
            <source>The passphrase is wrong.</source>
            <translation>密码短语错误。</translation>
        </message>
        <message>
            <source>Try again, or run `ssh-add` first.</source>
            <translation>请重试，或先运行 `ssh-add`。</translation>
        </message>
        <message>
            <source>The supervisor of {node} has no connection to the supervisor of the master node. If a rank fails, only this computer can inform the other nodes.</source>
            <translation>{node} 的监管进程与主节点的监管进程没有连接。如果有 rank 失败，只有本机能通知其他节点。</translation>
        </message>
        <message>
            <source>Allow TCP connections between the nodes (ports above 1023). The ranks need them, too.</source>
            <translation>允许节点之间的 TCP 连接（1023 以上的端口）。rank 也需要这些连接。</translation>
        </message>
        <message>
            <source>A part of the node could not be inspected.</source>
            <translation>节点有一部分无法检查。</translation>
        </message>
        <message>
            <source>{detail} changed while it was copied.</source>
            <translation>{detail} 在复制过程中发生了变化。</translation>
        </message>
        <message>
            <source>Start again when no program writes to it.</source>
            <translation>等没有程序写入它时再次启动。</translation>
        </message>
        <message>
            <source>A file of push: does not exist.</source>
            <translation>push: 的一个文件不存在。</translation>
        </message>
        <message>
            <source>Correct push: in the job.</source>
            <translation>更正作业中的 push:。</translation>
        </message>
        <message>
            <source>push: names too many files.</source>
            <translation>push: 指定的文件太多。</translation>
        </message>
        <message>
            <source>Name only the files that the program needs.</source>
            <translation>只指定程序需要的文件。</translation>
        </message>
        <message>
            <source>A file of push: cannot be read.</source>
            <translation>无法读取 push: 的一个文件。</translation>
        </message>
        <message>
            <source>Check its permissions.</source>
            <translation>检查其权限。</translation>
        </message>
        <message>
            <source>Rank {rank} on {node} continues.</source>
            <translation>{node} 上的 rank {rank} 继续运行。</translation>
        </message>
        <message>
            <source>Rank {rank} on {node} is slower than the others, which wait for it.</source>
            <translation>{node} 上的 rank {rank} 比其他 rank 慢，其他 rank 在等它。</translation>
        </message>
        <message>
            <source>Check what differs on its node.</source>
            <translation>检查其节点有何不同。</translation>
        </message>
        <message>
            <source>On {node}: `kill -CONT {1}` continues it.</source>
            <translation>在 {node} 上：`kill -CONT {1}` 让它继续。</translation>
        </message>
        <message>
            <source>The cache folder of the node is on a read-only file system.</source>
            <translation>节点的缓存文件夹位于只读文件系统上。</translation>
        </message>
        <message>
            <source>Set cache_dir: for this node to a folder that you can write.</source>
            <translation>把此节点的 cache_dir: 设为你能写入的文件夹。</translation>
        </message>
        <message>
            <source>The ranks are not started again.</source>
            <translation>不再重新启动各 rank。</translation>
        </message>
        <message>
            <source>Start the run again when all nodes can be reached.</source>
            <translation>等所有节点都能到达时，再次启动该运行。</translation>
        </message>
        <message>
            <source>A run with this id exists on the node.</source>
            <translation>节点上已有此 id 的运行。</translation>
        </message>
        <message>
            <source>Process {1} belongs to a run that is not finished.</source>
            <translation>进程 {1} 属于一个尚未结束的运行。</translation>
        </message>
        <message>
            <source>Stop the run first: `rankscopectl runs stop RUN`.</source>
            <translation>先停止该运行：`rankscopectl runs stop RUN`。</translation>
        </message>
        <message>
            <source>The run has ended.</source>
            <translation>该运行已结束。</translation>
        </message>
        <message>
            <source>`rankscopectl runs show RUN` shows it.</source>
            <translation>`rankscopectl runs show RUN` 可显示它。</translation>
        </message>
        <message>
            <source>A secret variable of the job has no value: the run store does not keep secrets.</source>
            <translation>作业的一个机密变量没有值：运行存储不保存机密。</translation>
        </message>
        <message>
            <source>Set it in the job file, or with `rankscopectl runs rerun RUN --set env.NAME=VALUE`.</source>
            <translation>在作业文件中设置它，或使用 `rankscopectl runs rerun RUN --set env.NAME=VALUE`。</translation>
        </message>
        <message>
            <source>Slurm is not available on this node: {detail} was not found.</source>
            <translation>此节点上没有可用的 Slurm：找不到 {detail}。</translation>
        </message>
        <message>
            <source>Set slurm.login to a login node of the cluster. If a module provides Slurm, load it in ~/.bashrc there.</source>
            <translation>把 slurm.login 设为集群的登录节点。如果 Slurm 由模块提供，在该节点的 ~/.bashrc 中加载它。</translation>
        </message>
        <message>
            <source>Slurm does not accept the job.</source>
            <translation>Slurm 不接受该作业。</translation>
        </message>
        <message>
            <source>Correct the section slurm of the job file.</source>
            <translation>更正作业文件的 slurm 部分。</translation>
        </message>
        <message>
            <source>The Slurm controller is busy or down: run `scontrol ping` there, then try again.</source>
            <translation>Slurm 控制器繁忙或已停机：在该节点上运行 `scontrol ping`，然后重试。</translation>
        </message>
        <message>
            <source>The spool of {node} was full: the oldest {1} parts of logs and NCCL records ({MB2} MB) of this run were removed.</source>
            <translation>{node} 的 spool 已满：此运行最早的 {1} 段日志和 NCCL 记录 ({MB2} MB) 已被删除。</translation>
        </message>
        <message>
            <source>All other events are stored. Write less output, or stay connected.</source>
            <translation>其他所有事件均已保存。减少输出，或保持连接。</translation>
        </message>
        <message>
            <source>The node and this computer have no SSH algorithm in common.</source>
            <translation>节点和本机没有共同的 SSH 算法。</translation>
        </message>
        <message>
            <source>Update the SSH server of the node, or allow the algorithm in ~/.ssh/config.</source>
            <translation>更新节点的 SSH 服务器，或在 ~/.ssh/config 中允许该算法。</translation>
        </message>
        <message>
            <source>The login took too long: the node closed the connection while it waited for an answer.</source>
            <translation>登录用时过长：节点在等待应答时关闭了连接。</translation>
        </message>
        <message>
            <source>Connect again. LoginGraceTime of the SSH server limits the time.</source>
            <translation>请重新连接。时间由 SSH 服务器的 LoginGraceTime 限制。</translation>
        </message>
        <message>
            <source>The node does not accept the login.</source>
            <translation>节点不接受登录。</translation>
        </message>
        <message>
            <source>Install your key there: `rankscopectl keys install {node}`.</source>
            <translation>在该节点上安装你的密钥：`rankscopectl keys install {node}`。</translation>
        </message>
        <message>
            <source>The node asks for another login step after the first one.</source>
            <translation>节点在第一步登录之后还要求另一个登录步骤。</translation>
        </message>
        <message>
            <source>Log in once with `ssh` and complete the step, or ask the administrator to allow keys alone.</source>
            <translation>用 `ssh` 登录一次并完成该步骤，或请管理员允许只用密钥登录。</translation>
        </message>
        <message>
            <source>The SSH configuration cannot be used.</source>
            <translation>无法使用 SSH 配置。</translation>
        </message>
        <message>
            <source>Correct the line of ~/.ssh/config that the message names.</source>
            <translation>更正消息所指出的 ~/.ssh/config 中的行。</translation>
        </message>
        <message>
            <source>The connection to the node failed.</source>
            <translation>与节点的连接失败。</translation>
        </message>
        <message>
            <source>Check the address and the network: `ssh -v` shows each step.</source>
            <translation>检查地址和网络：`ssh -v` 可显示每一步。</translation>
        </message>
        <message>
            <source>The node does not start commands.</source>
            <translation>该节点不启动命令。</translation>
        </message>
        <message>
            <source>Check ForceCommand, MaxSessions and the limits of the account there.</source>
            <translation>检查该节点上的 ForceCommand、MaxSessions 和账户的限制。</translation>
        </message>
        <message>
            <source>The host key of the node has changed.</source>
            <translation>节点的主机密钥已改变。</translation>
        </message>
        <message>
            <source>If the node was reinstalled, remove the old key with `ssh-keygen -R HOST`. If not, do not connect.</source>
            <translation>如果节点重装过系统，用 `ssh-keygen -R HOST` 删除旧密钥。如果没有，不要连接。</translation>
        </message>
        <message>
            <source>The node shows a host key of another type than the known one.</source>
            <translation>节点出示的主机密钥与已知的主机密钥类型不同。</translation>
        </message>
        <message>
            <source>Compare the key with the node's own, then add it to known_hosts.</source>
            <translation>把该密钥与节点自身的密钥比较，然后加入 known_hosts。</translation>
        </message>
        <message>
            <source>The host key of the node is marked as revoked.</source>
            <translation>节点的主机密钥被标记为已吊销。</translation>
        </message>
        <message>
            <source>Do not connect. Ask the administrator of the node.</source>
            <translation>不要连接。询问该节点的管理员。</translation>
        </message>
        <message>
            <source>The host key of the node is not known.</source>
            <translation>节点的主机密钥未知。</translation>
        </message>
        <message>
            <source>Connect once and confirm the key, or use --accept-new-host-keys.</source>
            <translation>连接一次并确认密钥，或使用 --accept-new-host-keys。</translation>
        </message>
        <message>
            <source>The jump host refuses to forward the connection.</source>
            <translation>跳板机拒绝转发连接。</translation>
        </message>
        <message>
            <source>Check AllowTcpForwarding on the jump host, and the address of the node as the jump host sees it.</source>
            <translation>检查跳板机上的 AllowTcpForwarding，以及从跳板机看到的节点地址。</translation>
        </message>
        <message>
            <source>Other users can read the private key.</source>
            <translation>其他用户可以读取私钥。</translation>
        </message>
        <message>
            <source>Restrict it: `chmod 600 FILE`.</source>
            <translation>收紧其权限：`chmod 600 FILE`。</translation>
        </message>
        <message>
            <source>The file known_hosts cannot be read or written.</source>
            <translation>无法读取或写入文件 known_hosts。</translation>
        </message>
        <message>
            <source>Check the owner and the permissions of ~/.ssh/known_hosts.</source>
            <translation>检查 ~/.ssh/known_hosts 的所有者和权限。</translation>
        </message>
        <message>
            <source>The connection to {node} was lost.</source>
            <translation>与 {node} 的连接已断开。</translation>
        </message>
        <message>
            <source>Check the network and whether the node is up.</source>
            <translation>检查网络，以及节点是否在运行。</translation>
        </message>
        <message>
            <source>The node closed the connection before the login was complete.</source>
            <translation>节点在登录完成之前关闭了连接。</translation>
        </message>
        <message>
            <source>Try again and answer sooner. LoginGraceTime of the SSH server limits the time.</source>
            <translation>请重试并更快应答。时间由 SSH 服务器的 LoginGraceTime 限制。</translation>
        </message>
        <message>
            <source>The name of the node cannot be resolved.</source>
            <translation>无法解析节点的名称。</translation>
        </message>
        <message>
            <source>Correct host: in the inventory, or write the address of the node.</source>
            <translation>更正节点清单中的 host:，或写上节点的地址。</translation>
        </message>
        <message>
            <source>The identity file does not exist.</source>
            <translation>密钥文件不存在。</translation>
        </message>
        <message>
            <source>Correct identity_file: in the inventory.</source>
            <translation>更正节点清单中的 identity_file:。</translation>
        </message>
        <message>
            <source>There is no route to the node.</source>
            <translation>没有到该节点的路由。</translation>
        </message>
        <message>
            <source>Check the address, the VPN and `ip route get ADDRESS`.</source>
            <translation>检查地址、VPN 和 `ip route get ADDRESS`。</translation>
        </message>
        <message>
            <source>The private key is encrypted and no passphrase was given.</source>
            <translation>私钥已加密，但没有提供密码短语。</translation>
        </message>
        <message>
            <source>Run `ssh-add` first, or start from a terminal that can ask.</source>
            <translation>先运行 `ssh-add`，或从能够询问的终端启动。</translation>
        </message>
        <message>
            <source>The node asks for a password and there is no terminal to ask on.</source>
            <translation>节点要求密码，但没有可供询问的终端。</translation>
        </message>
        <message>
            <source>Install your key there: `rankscopectl keys install {node}`, or start from a terminal.</source>
            <translation>在该节点上安装你的密钥：`rankscopectl keys install {node}`，或从终端启动。</translation>
        </message>
        <message>
            <source>The SSH connection failed.</source>
            <translation>SSH 连接失败。</translation>
        </message>
        <message>
            <source>`ssh -v` shows each step of the connection.</source>
            <translation>`ssh -v` 可显示连接的每一步。</translation>
        </message>
        <message>
            <source>The node refuses the connection: no SSH server listens there.</source>
            <translation>节点拒绝连接：那里没有 SSH 服务器在监听。</translation>
        </message>
        <message>
            <source>On the node: `sudo systemctl start ssh`. Check the port in the inventory.</source>
            <translation>在节点上：`sudo systemctl start ssh`。检查节点清单中的端口。</translation>
        </message>
        <message>
            <source>The node does not answer.</source>
            <translation>节点没有应答。</translation>
        </message>
        <message>
            <source>Check that the node is up and that no firewall drops the port.</source>
            <translation>检查节点是否在运行，以及是否有防火墙丢弃发往该端口的包。</translation>
        </message>
        <message>
            <source>The node ends the login after too many keys.</source>
            <translation>节点在收到过多密钥后结束了登录。</translation>
        </message>
        <message>
            <source>Set identity_file: for the node, so that only one key is offered.</source>
            <translation>设置该节点的 identity_file:，使其只提供一个密钥。</translation>
        </message>
        <message>
            <source>Processes of an earlier run are left on {node}.</source>
            <translation>{node} 上有先前运行残留的进程。</translation>
        </message>
        <message>
            <source>`rankscopectl clean {node}` ends them.</source>
            <translation>`rankscopectl clean {node}` 会结束它们。</translation>
        </message>
        <message>
            <source>Process {1} did not end, not even after SIGKILL.</source>
            <translation>进程 {1} 没有结束，即使在 SIGKILL 之后。</translation>
        </message>
        <message>
            <source>It waits for a device or a file system: read the kernel log of the node.</source>
            <translation>它在等待设备或文件系统：查看节点的内核日志。</translation>
        </message>
        <message>
            <source>The run store cannot be used.</source>
            <translation>无法使用运行存储。</translation>
        </message>
        <message>
            <source>Check the permissions and the free space of its folder.</source>
            <translation>检查其文件夹的权限和剩余空间。</translation>
        </message>
        <message>
            <source>The run store was written by a newer Rankscope.</source>
            <translation>运行存储是由更新版本的 Rankscope 写入的。</translation>
        </message>
        <message>
            <source>Use that version, or another folder: --data-dir.</source>
            <translation>使用那个版本，或另一个文件夹：--data-dir。</translation>
        </message>
        <message>
            <source>sudo on {node} does not accept the password or the command.</source>
            <translation>{node} 上的 sudo 不接受该密码或命令。</translation>
        </message>
        <message>
            <source>Run the command as an administrator of the node.</source>
            <translation>以节点管理员的身份运行该命令。</translation>
        </message>
        <message>
            <source>The supervisor cannot be started.</source>
            <translation>无法启动监管进程。</translation>
        </message>
        <message>
            <source>Check the process limit (`ulimit -u`) and the free memory of the node.</source>
            <translation>检查节点的进程数限制 (`ulimit -u`) 和空闲内存。</translation>
        </message>
        <message>
            <source>The job has more ranks than the nodes allow.</source>
            <translation>作业的 rank 数超过了节点允许的数量。</translation>
        </message>
        <message>
            <source>Correct procs_per_node: in the job.</source>
            <translation>更正作业中的 procs_per_node:。</translation>
        </message>
        <message>
            <source>The agent on {node} reports a failure.</source>
            <translation>{node} 上的代理程序报告了一个故障。</translation>
        </message>
        <message>
            <source>The node is not in the inventory.</source>
            <translation>该节点不在节点清单中。</translation>
        </message>
        <message>
            <source>Add it: `rankscopectl nodes add NAME`.</source>
            <translation>添加它：`rankscopectl nodes add NAME`。</translation>
        </message>
        <message>
            <source>The job names a rank that it does not have.</source>
            <translation>作业指定了它没有的 rank。</translation>
        </message>
        <message>
            <source>Correct the rank.</source>
            <translation>更正该 rank。</translation>
        </message>
        <message>
            <source>The nodes have different versions of a program or library.</source>
            <translation>各节点上某个程序或库的版本不同。</translation>
        </message>
        <message>
            <source>Install the same version on all nodes.</source>
            <translation>在所有节点上安装相同的版本。</translation>
        </message>
        <message>
            <source>The launch command does not name its nodes.</source>
            <translation>启动命令没有指定其节点。</translation>
        </message>
        <message>
            <source>Select the nodes.</source>
            <translation>选择节点。</translation>
        </message>
        <message>
            <source>The folder of workdir: does not exist on the node.</source>
            <translation>节点上不存在 workdir: 的文件夹。</translation>
        </message>
        <message>
            <source>Create it there, or correct workdir: in the job.</source>
            <translation>在该节点上创建它，或更正作业中的 workdir:。</translation>
        </message>
        <message>
            <source>The files of push: cannot be written on the node.</source>
            <translation>无法在节点上写入 push: 的文件。</translation>
        </message>
        <message>
            <source>Set workdir: in the job to a folder that you can write, or remove workdir: to use a folder of the job.</source>
            <translation>把作业中的 workdir: 设为你能写入的文件夹，或去掉 workdir:，使用作业自己的文件夹。</translation>
        </message>
        <message>
            <source>The script on {node} differs from that of the other nodes.</source>
            <translation>{node} 上的脚本与其他节点的不同。</translation>
        </message>
        <message>
            <source>Send it with push: in the job, so that every node has the same file.</source>
            <translation>在作业中用 push: 发送它，使每个节点都有相同的文件。</translation>
        </message>
        <message>
            <source>The ranks wait in different collective operations.</source>
            <translation>各 rank 在不同的集合通信操作中等待。</translation>
        </message>
        <message>
            <source>Make the control flow of all ranks identical: branches that depend on the rank or on its data must not skip a collective.</source>
            <translation>使所有 rank 的控制流一致：取决于 rank 或其数据的分支不得跳过集合通信。</translation>
        </message>
        <message>
            <source>NCCL_COMM_ID is no address of {node}.</source>
            <translation>NCCL_COMM_ID 不是 {node} 的地址。</translation>
        </message>
        <message>
            <source>Remove NCCL_COMM_ID, or set it to an address of rank 0 in a subnet that all nodes share.</source>
            <translation>去掉 NCCL_COMM_ID，或把它设为 rank 0 在所有节点共享的子网中的地址。</translation>
        </message>
        <message>
            <source>The containers of the job have networks of their own.</source>
            <translation>作业的各容器有各自的网络。</translation>
        </message>
        <message>
            <source>Start the containers with the network of the host (`--network=host`).</source>
            <translation>用主机的网络启动容器 (`--network=host`)。</translation>
        </message>
        <message>
            <source>The driver on {node} is too old for the CUDA version that the job uses.</source>
            <translation>{node} 上的驱动对作业使用的 CUDA 版本来说太旧。</translation>
        </message>
        <message>
            <source>Update the driver, or use a build for an older CUDA version.</source>
            <translation>更新驱动，或使用面向较旧 CUDA 版本的构建。</translation>
        </message>
        <message>
            <source>A path that the job names does not exist on {node}.</source>
            <translation>作业指定的一个路径在 {node} 上不存在。</translation>
        </message>
        <message>
            <source>Mount or copy it there, or correct the path in the job.</source>
            <translation>在该节点上挂载或复制它，或更正作业中的路径。</translation>
        </message>
        <message>
            <source>The DataLoader workers have too little shared memory.</source>
            <translation>DataLoader 工作进程的共享内存太少。</translation>
        </message>
        <message>
            <source>Containers: `--shm-size=16g` or `--ipc=host`. Otherwise use fewer workers.</source>
            <translation>容器：`--shm-size=16g` 或 `--ipc=host`。否则使用更少的工作进程。</translation>
        </message>
        <message>
            <source>A node has fewer GPUs than ranks.</source>
            <translation>有一个节点的 GPU 数少于 rank 数。</translation>
        </message>
        <message>
            <source>Start no more ranks on a node than it has GPUs: `nvidia-smi -L`.</source>
            <translation>在节点上启动的 rank 不要多于其 GPU：`nvidia-smi -L`。</translation>
        </message>
        <message>
            <source>A bridge of containers is used to reach other nodes: every node has it with the same address.</source>
            <translation>用容器的网桥来到达其他节点：每个节点上都有地址相同的网桥。</translation>
        </message>
        <message>
            <source>Set interface: auto in the job, or name the interface that connects the nodes.</source>
            <translation>在作业中设置 interface: auto，或指定连接各节点的网络接口。</translation>
        </message>
        <message>
            <source>Two ranks use the same GPU.</source>
            <translation>两个 rank 使用同一个 GPU。</translation>
        </message>
        <message>
            <source>Select the GPU before its first use: `torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))`.</source>
            <translation>在首次使用之前选择 GPU：`torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))`。</translation>
        </message>
        <message>
            <source>Two processes claim one rank.</source>
            <translation>两个进程声称是同一个 rank。</translation>
        </message>
        <message>
            <source>Give every process a RANK of its own, and every node a --node-rank of its own.</source>
            <translation>给每个进程各自的 RANK，给每个节点各自的 --node-rank。</translation>
        </message>
        <message>
            <source>The other nodes do not reach one of the addresses of {node}.</source>
            <translation>其他节点无法到达 {node} 的一个地址。</translation>
        </message>
        <message>
            <source>Set interface: auto in the job, or NCCL_SOCKET_IFNAME to the interface that connects the nodes.</source>
            <translation>在作业中设置 interface: auto，或把 NCCL_SOCKET_IFNAME 设为连接各节点的网络接口。</translation>
        </message>
        <message>
            <source>The NVLink fabric of {node} is not ready.</source>
            <translation>{node} 的 NVLink fabric 未就绪。</translation>
        </message>
        <message>
            <source>`sudo systemctl enable --now nvidia-fabricmanager`, in the version of the driver.</source>
            <translation>`sudo systemctl enable --now nvidia-fabricmanager`，版本与驱动一致。</translation>
        </message>
        <message>
            <source>GPUDirect RDMA is off: data for the network goes through host memory.</source>
            <translation>GPUDirect RDMA 未启用：网络数据要经过主机内存。</translation>
        </message>
        <message>
            <source>`sudo modprobe nvidia-peermem` on every node, and switch off ACS.</source>
            <translation>在每个节点上运行 `sudo modprobe nvidia-peermem`，并关闭 ACS。</translation>
        </message>
        <message>
            <source>GLOO_SOCKET_IFNAME names an interface that a node does not have.</source>
            <translation>GLOO_SOCKET_IFNAME 指定了某个节点没有的网络接口。</translation>
        </message>
        <message>
            <source>Set it to the exact name of one interface on each node: `ip -br addr`.</source>
            <translation>把它设为每个节点上某一个网络接口的确切名称：`ip -br addr`。</translation>
        </message>
        <message>
            <source>The ports that Gloo listens on are blocked between nodes.</source>
            <translation>节点之间，Gloo 监听的端口被阻止。</translation>
        </message>
        <message>
            <source>A GPU of {node} is in use by another process.</source>
            <translation>{node} 的一个 GPU 正被另一个进程使用。</translation>
        </message>
        <message>
            <source>End that process, or choose other GPUs with devices: in the job.</source>
            <translation>结束该进程，或在作业中用 devices: 选择其他 GPU。</translation>
        </message>
        <message>
            <source>A GPU of {node} reports memory errors that cannot be corrected.</source>
            <translation>{node} 的一个 GPU 报告了无法纠正的显存错误。</translation>
        </message>
        <message>
            <source>Drain the node and reset the GPU; replace it when the errors return.</source>
            <translation>排空节点并重置 GPU；如果错误再次出现，更换它。</translation>
        </message>
        <message>
            <source>A GPU of {node} is no longer on the bus.</source>
            <translation>{node} 的一个 GPU 已不在总线上。</translation>
        </message>
        <message>
            <source>Switch the node off and on; check power, cooling and seat of the card.</source>
            <translation>关闭节点再开机；检查供电、散热和卡是否插好。</translation>
        </message>
        <message>
            <source>A GPU reports an illegal memory access.</source>
            <translation>一个 GPU 报告了非法内存访问。</translation>
        </message>
        <message>
            <source>Run with CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer. Always the same GPU: replace it.</source>
            <translation>用 CUDA_LAUNCH_BLOCKING=1 或 compute-sanitizer 运行。如果总是同一个 GPU：更换它。</translation>
        </message>
        <message>
            <source>A rank used more GPU memory than there is.</source>
            <translation>一个 rank 使用的显存超过了现有的显存。</translation>
        </message>
        <message>
            <source>Use a smaller batch or model, or more GPUs.</source>
            <translation>使用更小的批大小或模型，或者使用更多 GPU。</translation>
        </message>
        <message>
            <source>NCCL gets no more memory of a GPU.</source>
            <translation>NCCL 无法再从一个 GPU 获得显存。</translation>
        </message>
        <message>
            <source>Leave 1 to 2 GiB of each GPU to NCCL, and create the communicators early.</source>
            <translation>给 NCCL 留出每个 GPU 的 1 到 2 GiB 显存，并尽早创建通信域。</translation>
        </message>
        <message>
            <source>The nodes use different numbers of network cards.</source>
            <translation>各节点使用的网卡数量不同。</translation>
        </message>
        <message>
            <source>Set NCCL_IB_HCA to the same cards on every node.</source>
            <translation>在每个节点上把 NCCL_IB_HCA 设为相同的网卡。</translation>
        </message>
        <message>
            <source>A rank used more memory than the node has.</source>
            <translation>一个 rank 使用的内存超过了节点现有的内存。</translation>
        </message>
        <message>
            <source>Use a smaller batch or fewer data loader workers, or run fewer ranks there.</source>
            <translation>减小批大小或减少数据加载工作进程，或者在该节点上运行更少的 rank。</translation>
        </message>
        <message>
            <source>{node} cannot resolve its own host name.</source>
            <translation>{node} 无法解析自己的主机名。</translation>
        </message>
        <message>
            <source>Add the name with the address of the node to /etc/hosts there.</source>
            <translation>在该节点的 /etc/hosts 中加入此名称和节点的地址。</translation>
        </message>
        <message>
            <source>A node cannot open an RDMA device.</source>
            <translation>一个节点无法打开 RDMA 设备。</translation>
        </message>
        <message>
            <source>Give the container /dev/infiniband, or name the devices with NCCL_IB_HCA.</source>
            <translation>给容器提供 /dev/infiniband，或用 NCCL_IB_HCA 指定设备。</translation>
        </message>
        <message>
            <source>A peer does not answer over RDMA.</source>
            <translation>有一个对端在 RDMA 上没有应答。</translation>
        </message>
        <message>
            <source>Check the process of the peer, then each link: `ibstat`, `ib_write_bw`.</source>
            <translation>检查对端的进程，然后检查每条链路：`ibstat`、`ib_write_bw`。</translation>
        </message>
        <message>
            <source>The GID index does not fit the network.</source>
            <translation>GID 索引与网络不匹配。</translation>
        </message>
        <message>
            <source>NCCL 2.21 or newer: remove NCCL_IB_GID_INDEX. Older: set the index of the RoCE v2 entry on each node (`show_gids`).</source>
            <translation>NCCL 2.21 或更新版本：去掉 NCCL_IB_GID_INDEX。更旧的版本：在每个节点上设为 RoCE v2 条目的索引 (`show_gids`)。</translation>
        </message>
        <message>
            <source>A network card may not read the memory of a GPU.</source>
            <translation>一块网卡无权读取 GPU 的显存。</translation>
        </message>
        <message>
            <source>`sudo modprobe nvidia-peermem`, and switch off ACS.</source>
            <translation>运行 `sudo modprobe nvidia-peermem`，并关闭 ACS。</translation>
        </message>
        <message>
            <source>The limit of locked memory on {node} is too low for InfiniBand or RoCE.</source>
            <translation>{node} 的锁定内存上限对 InfiniBand 或 RoCE 来说太低。</translation>
        </message>
        <message>
            <source>Raise it: `* - memlock unlimited` in /etc/security/limits.d on the node; then log in again.</source>
            <translation>提高它：在节点的 /etc/security/limits.d 中写入 `* - memlock unlimited`；然后重新登录。</translation>
        </message>
        <message>
            <source>The MTU of the RDMA ports differs.</source>
            <translation>各 RDMA 端口的 MTU 不同。</translation>
        </message>
        <message>
            <source>Set the same MTU on all ports and switches: `ibv_devinfo | grep mtu`.</source>
            <translation>在所有端口和交换机上设置相同的 MTU：`ibv_devinfo | grep mtu`。</translation>
        </message>
        <message>
            <source>The InfiniBand partition key does not allow the connection.</source>
            <translation>InfiniBand 分区键不允许该连接。</translation>
        </message>
        <message>
            <source>Give the ports full membership of one partition, and set NCCL_IB_PKEY to its index.</source>
            <translation>使各端口成为同一个分区的完全成员，并把 NCCL_IB_PKEY 设为该分区的索引。</translation>
        </message>
        <message>
            <source>The link of a network card went down.</source>
            <translation>一块网卡的链路断开了。</translation>
        </message>
        <message>
            <source>Check cable, transceiver and switch port: `ibstat`.</source>
            <translation>检查线缆、光模块和交换机端口：`ibstat`。</translation>
        </message>
        <message>
            <source>The InfiniBand service level is not mapped on the path.</source>
            <translation>路径上没有映射该 InfiniBand 服务级别。</translation>
        </message>
        <message>
            <source>Set NCCL_IB_SL to the level that the subnet manager gives.</source>
            <translation>把 NCCL_IB_SL 设为子网管理器给出的级别。</translation>
        </message>
        <message>
            <source>A network card has no IP address and reaches no other node.</source>
            <translation>一块网卡没有 IP 地址，无法到达任何其他节点。</translation>
        </message>
        <message>
            <source>Name the cards that have addresses with NCCL_IB_HCA.</source>
            <translation>用 NCCL_IB_HCA 指定有地址的网卡。</translation>
        </message>
        <message>
            <source>The installation of Rankscope is not complete.</source>
            <translation>Rankscope 的安装不完整。</translation>
        </message>
        <message>
            <source>Install or build Rankscope again.</source>
            <translation>重新安装或构建 Rankscope。</translation>
        </message>
        <message>
            <source>The program of the job is missing on {node}.</source>
            <translation>{node} 上缺少作业的程序。</translation>
        </message>
        <message>
            <source>Install it there, correct command: in the job, or name the environment that has it with venv: or conda:.</source>
            <translation>在该节点上安装它，更正作业中的 command:，或用 venv: 或 conda: 指定含有它的环境。</translation>
        </message>
        <message>
            <source>An address is valid on its own link alone.</source>
            <translation>有一个地址只在其自身的链路上有效。</translation>
        </message>
        <message>
            <source>Use an interface that has an IPv4 or a global IPv6 address.</source>
            <translation>使用有 IPv4 地址或全局 IPv6 地址的网络接口。</translation>
        </message>
        <message>
            <source>A name leads to an IPv6 address that a node cannot use.</source>
            <translation>有一个名称指向某个节点无法使用的 IPv6 地址。</translation>
        </message>
        <message>
            <source>Set address: of the node in the inventory to its IPv4 address.</source>
            <translation>在节点清单中把节点的 address: 设为其 IPv4 地址。</translation>
        </message>
        <message>
            <source>A rank was killed from outside.</source>
            <translation>一个 rank 被外部杀死。</translation>
        </message>
        <message>
            <source>`journalctl -k | grep -i oom` on the node shows whether the kernel did it.</source>
            <translation>节点上的 `journalctl -k | grep -i oom` 可显示是否为内核所为。</translation>
        </message>
        <message>
            <source>torchrun asks for libuv, but this PyTorch does not have it.</source>
            <translation>torchrun 要求 libuv，但此 PyTorch 没有它。</translation>
        </message>
        <message>
            <source>`export USE_LIBUV=0`</source>
            <translation>`export USE_LIBUV=0`</translation>
        </message>
        <message>
            <source>The interface {1} of {node} has no link.</source>
            <translation>{node} 的网络接口 {1} 没有链路。</translation>
        </message>
        <message>
            <source>Check the cable and the port of the switch, or use another interface.</source>
            <translation>检查线缆和交换机端口，或使用另一个网络接口。</translation>
        </message>
        <message>
            <source>{node} resolves its own name to a loopback address.</source>
            <translation>{node} 把自己的名称解析为环回地址。</translation>
        </message>
        <message>
            <source>Put the real address of the node before 127.0.1.1 in /etc/hosts there.</source>
            <translation>在该节点的 /etc/hosts 中，把节点的真实地址放在 127.0.1.1 之前。</translation>
        </message>
        <message>
            <source>A node looks for the master on itself.</source>
            <translation>一个节点在自己身上寻找 master。</translation>
        </message>
        <message>
            <source>Set MASTER_ADDR to an address of the node of rank 0 that all nodes reach.</source>
            <translation>把 MASTER_ADDR 设为 rank 0 所在节点的、所有节点都能到达的地址。</translation>
        </message>
        <message>
            <source>The address or name of a node leads to another one.</source>
            <translation>一个节点的地址或名称指向了另一个节点。</translation>
        </message>
        <message>
            <source>Set address: of the node in the inventory, or correct the name in /etc/hosts or DNS.</source>
            <translation>在节点清单中设置节点的 address:，或更正 /etc/hosts 或 DNS 中的名称。</translation>
        </message>
        <message>
            <source>The rendezvous port of the master is blocked: packets are dropped.</source>
            <translation>master 的会合端口被阻止：包被丢弃。</translation>
        </message>
        <message>
            <source>The rendezvous port of the master is blocked: a firewall rejects it.</source>
            <translation>master 的会合端口被阻止：被防火墙拒绝。</translation>
        </message>
        <message>
            <source>The rendezvous port of the master is blocked: connections are reset.</source>
            <translation>master 的会合端口被阻止：连接被重置。</translation>
        </message>
        <message>
            <source>A node cannot resolve the name of another one.</source>
            <translation>一个节点无法解析另一个节点的名称。</translation>
        </message>
        <message>
            <source>Set address: of the node in the inventory to a number, or add the name to /etc/hosts.</source>
            <translation>在节点清单中把节点的 address: 设为数字地址，或把名称加入 /etc/hosts。</translation>
        </message>
        <message>
            <source>A Python package is missing on a node.</source>
            <translation>一个节点上缺少 Python 包。</translation>
        </message>
        <message>
            <source>Install it there, or name the environment that has it with venv: or conda: in the job.</source>
            <translation>在该节点上安装它，或者在作业中用 venv: 或 conda: 指定含有它的环境。</translation>
        </message>
        <message>
            <source>Large packets do not arrive: the path has a smaller MTU than the interfaces.</source>
            <translation>大包无法到达：路径的 MTU 小于网络接口的 MTU。</translation>
        </message>
        <message>
            <source>Set the same MTU on the whole path: `sudo ip link set IFACE mtu 1500`.</source>
            <translation>在整条路径上设置相同的 MTU：`sudo ip link set IFACE mtu 1500`。</translation>
        </message>
        <message>
            <source>{node} is behind address translation: the others cannot connect to it.</source>
            <translation>{node} 位于地址转换之后：其他节点无法连接它。</translation>
        </message>
        <message>
            <source>Use host or bridged networking, or a VPN between the nodes whose interface the job names.</source>
            <translation>使用主机网络或桥接网络，或在节点之间使用 VPN，并在作业中指定其网络接口。</translation>
        </message>
        <message>
            <source>A connection of NCCL broke while the ranks connected.</source>
            <translation>各 rank 连接时，NCCL 的一个连接中断。</translation>
        </message>
        <message>
            <source>Read the log of the rank that ended first.</source>
            <translation>查看最先结束的 rank 的日志。</translation>
        </message>
        <message>
            <source>NCCL reports an error of a communicator.</source>
            <translation>NCCL 报告了一个通信域的错误。</translation>
        </message>
        <message>
            <source>Read the NCCL log of the ranks that the report names.</source>
            <translation>查看报告所指出的 rank 的 NCCL 日志。</translation>
        </message>
        <message>
            <source>Tuning variables of NCCL make the first collectives hang.</source>
            <translation>NCCL 的调优变量使最初的集合通信挂起。</translation>
        </message>
        <message>
            <source>Remove NCCL_* variables that are not needed for addresses, one group at a time.</source>
            <translation>去掉与地址无关的 NCCL_* 变量，每次去掉一组。</translation>
        </message>
        <message>
            <source>A GPU does not finish a collective that all ranks have entered.</source>
            <translation>一个 GPU 没有完成所有 rank 都已进入的集合通信。</translation>
        </message>
        <message>
            <source>Check the GPU and its links: `nvidia-smi -q`, `dmesg | grep -i xid`.</source>
            <translation>检查该 GPU 及其链路：`nvidia-smi -q`、`dmesg | grep -i xid`。</translation>
        </message>
        <message>
            <source>This version of NCCL has a known defect that fits.</source>
            <translation>此版本的 NCCL 有一个与此相符的已知缺陷。</translation>
        </message>
        <message>
            <source>Use the version that the report names.</source>
            <translation>使用报告所指出的版本。</translation>
        </message>
        <message>
            <source>This PyTorch has no NCCL.</source>
            <translation>此 PyTorch 没有 NCCL。</translation>
        </message>
        <message>
            <source>Install a build with CUDA, or use backend: gloo.</source>
            <translation>安装带 CUDA 的构建，或使用 backend: gloo。</translation>
        </message>
        <message>
            <source>NCCL cannot be observed on {node}: {1}.</source>
            <translation>无法在 {node} 上观察 NCCL：{1}。</translation>
        </message>
        <message>
            <source>The ports that NCCL listens on are blocked between nodes: packets are dropped.</source>
            <translation>节点之间，NCCL 监听的端口被阻止：包被丢弃。</translation>
        </message>
        <message>
            <source>The ports that NCCL listens on are blocked between nodes: a firewall rejects them.</source>
            <translation>节点之间，NCCL 监听的端口被阻止：被防火墙拒绝。</translation>
        </message>
        <message>
            <source>The ports that NCCL listens on are blocked between nodes: connections are reset.</source>
            <translation>节点之间，NCCL 监听的端口被阻止：连接被重置。</translation>
        </message>
        <message>
            <source>The network thread of NCCL failed.</source>
            <translation>NCCL 的网络线程失败。</translation>
        </message>
        <message>
            <source>Read the log of the peer that it was connected to.</source>
            <translation>查看与它相连的对端的日志。</translation>
        </message>
        <message>
            <source>A rank has not entered a collective that the others wait in.</source>
            <translation>有一个 rank 没有进入其他 rank 正在等待的集合通信。</translation>
        </message>
        <message>
            <source>Look at what this rank does: its stack, its data loader, its files.</source>
            <translation>看看这个 rank 在做什么：它的栈、数据加载器和文件。</translation>
        </message>
        <message>
            <source>A rank does not answer NCCL.</source>
            <translation>有一个 rank 没有应答 NCCL。</translation>
        </message>
        <message>
            <source>Check whether its process lives and whether its node answers.</source>
            <translation>检查其进程是否还在，以及其节点是否应答。</translation>
        </message>
        <message>
            <source>The process of a peer closed its connection.</source>
            <translation>对端的进程关闭了连接。</translation>
        </message>
        <message>
            <source>Read the log of that process: it ended first.</source>
            <translation>查看该进程的日志：它最先结束。</translation>
        </message>
        <message>
            <source>The nodes have different versions of NCCL.</source>
            <translation>各节点的 NCCL 版本不同。</translation>
        </message>
        <message>
            <source>The network plugin of NCCL does not fit the driver.</source>
            <translation>NCCL 的网络插件与驱动不匹配。</translation>
        </message>
        <message>
            <source>Use the same image on all nodes. To test: NCCL_NET_PLUGIN=none.</source>
            <translation>在所有节点上使用相同的镜像。测试方法：NCCL_NET_PLUGIN=none。</translation>
        </message>
        <message>
            <source>The network that NCCL_NET asks for does not exist.</source>
            <translation>NCCL_NET 要求的网络不存在。</translation>
        </message>
        <message>
            <source>Remove NCCL_NET, or install its plugin on every node.</source>
            <translation>去掉 NCCL_NET，或在每个节点上安装其插件。</translation>
        </message>
        <message>
            <source>{node} has no free local port.</source>
            <translation>{node} 没有空闲的本地端口。</translation>
        </message>
        <message>
            <source>`ss -s` on the node shows who holds them.</source>
            <translation>节点上的 `ss -s` 可显示谁占用了它们。</translation>
        </message>
        <message>
            <source>No known cause. The report shows what is unusual.</source>
            <translation>没有已知的原因。报告给出了异常之处。</translation>
        </message>
        <message>
            <source>A node was lost.</source>
            <translation>有一个节点失联。</translation>
        </message>
        <message>
            <source>Check that it is up, and the network between the nodes.</source>
            <translation>检查它是否在运行，以及节点之间的网络。</translation>
        </message>
        <message>
            <source>Not all nodes came to the rendezvous.</source>
            <translation>并非所有节点都到达了会合点。</translation>
        </message>
        <message>
            <source>Check that the launcher runs on every node, with the same number of nodes.</source>
            <translation>检查每个节点上是否都运行着启动器，且节点数相同。</translation>
        </message>
        <message>
            <source>NVLink of a GPU of {node} reports errors.</source>
            <translation>{node} 的一个 GPU 的 NVLink 报告了错误。</translation>
        </message>
        <message>
            <source>Check `nvidia-smi nvlink -s` and -e; reset the GPU, or drain the node.</source>
            <translation>检查 `nvidia-smi nvlink -s` 和 -e；重置 GPU，或排空节点。</translation>
        </message>
        <message>
            <source>NVLink SHARP fails.</source>
            <translation>NVLink SHARP 失败。</translation>
        </message>
        <message>
            <source>`export NCCL_NVLS_ENABLE=0`</source>
            <translation>`export NCCL_NVLS_ENABLE=0`</translation>
        </message>
        <message>
            <source>The driver was upgraded without a reboot.</source>
            <translation>驱动已升级，但没有重启。</translation>
        </message>
        <message>
            <source>Reboot the node, or restart the container.</source>
            <translation>重启节点，或重新启动容器。</translation>
        </message>
        <message>
            <source>The limit of open files on {node} is too low.</source>
            <translation>{node} 的打开文件数上限太低。</translation>
        </message>
        <message>
            <source>Raise it: `* - nofile 1048576` in /etc/security/limits.d on the node; then log in again.</source>
            <translation>提高它：在节点的 /etc/security/limits.d 中写入 `* - nofile 1048576`；然后重新登录。</translation>
        </message>
        <message>
            <source>Two interfaces of a node lie in the same subnet.</source>
            <translation>一个节点的两个网络接口位于同一个子网中。</translation>
        </message>
        <message>
            <source>Give each interface a subnet of its own, or name one with NCCL_SOCKET_IFNAME.</source>
            <translation>给每个网络接口各自的子网，或用 NCCL_SOCKET_IFNAME 指定其中一个。</translation>
        </message>
        <message>
            <source>ACS or the IOMMU disturbs access between GPUs.</source>
            <translation>ACS 或 IOMMU 干扰 GPU 之间的访问。</translation>
        </message>
        <message>
            <source>Switch off ACS on the PCIe bridges, and the IOMMU where possible (`iommu=pt`).</source>
            <translation>关闭 PCIe 网桥上的 ACS，并尽可能关闭 IOMMU (`iommu=pt`)。</translation>
        </message>
        <message>
            <source>Two GPUs cannot access each other.</source>
            <translation>两个 GPU 无法互相访问。</translation>
        </message>
        <message>
            <source>`export NCCL_P2P_DISABLE=1`</source>
            <translation>`export NCCL_P2P_DISABLE=1`</translation>
        </message>
        <message>
            <source>Two nodes do not reach each other on any port.</source>
            <translation>两个节点在任何端口上都无法互通。</translation>
        </message>
        <message>
            <source>Check the network and the firewalls between them.</source>
            <translation>检查它们之间的网络和防火墙。</translation>
        </message>
        <message>
            <source>A path on {node} does not answer.</source>
            <translation>{node} 上的一个路径没有应答。</translation>
        </message>
        <message>
            <source>Check the file server and the mount (`findmnt`).</source>
            <translation>检查文件服务器和挂载 (`findmnt`)。</translation>
        </message>
        <message>
            <source>A rank lost the connection to another rank.</source>
            <translation>一个 rank 与另一个 rank 的连接断开了。</translation>
        </message>
        <message>
            <source>Check the end of the other rank first.</source>
            <translation>先查看另一个 rank 是如何结束的。</translation>
        </message>
        <message>
            <source>The limit of processes on {node} is too low.</source>
            <translation>{node} 的进程数上限太低。</translation>
        </message>
        <message>
            <source>Raise `ulimit -u` or pids.max of its cgroup.</source>
            <translation>提高 `ulimit -u` 或其 cgroup 的 pids.max。</translation>
        </message>
        <message>
            <source>Port {1} is in use by {detail}.</source>
            <translation>端口 {1} 正被 {detail} 使用。</translation>
        </message>
        <message>
            <source>End that program, or write master_port: 0 in the job to use a free port.</source>
            <translation>结束该程序，或在作业中写 master_port: 0，使用空闲端口。</translation>
        </message>
        <message>
            <source>The rendezvous port needs root.</source>
            <translation>该会合端口需要 root。</translation>
        </message>
        <message>
            <source>Choose a port above 1023 as master_port: in the job.</source>
            <translation>选择 1023 以上的端口作为作业中的 master_port:。</translation>
        </message>
        <message>
            <source>Another program connected to a port of NCCL.</source>
            <translation>另一个程序连接了 NCCL 的端口。</translation>
        </message>
        <message>
            <source>Exempt the nodes from the scan or health check. NCCL 2.18 or newer ignores it.</source>
            <translation>把这些节点排除在扫描或健康检查之外。NCCL 2.18 或更新版本会忽略它。</translation>
        </message>
        <message>
            <source>A proxy variable redirects connections between the nodes.</source>
            <translation>一个代理变量把节点之间的连接重定向。</translation>
        </message>
        <message>
            <source>Add the nodes to no_proxy, or remove http_proxy and https_proxy.</source>
            <translation>把节点加入 no_proxy，或去掉 http_proxy 和 https_proxy。</translation>
        </message>
        <message>
            <source>A rank aborted.</source>
            <translation>一个 rank 中止了。</translation>
        </message>
        <message>
            <source>Read the C++ exception before it.</source>
            <translation>查看在此之前的 C++ 异常。</translation>
        </message>
        <message>
            <source>A rank ended with an error.</source>
            <translation>一个 rank 出错结束。</translation>
        </message>
        <message>
            <source>Read its traceback.</source>
            <translation>查看其 traceback。</translation>
        </message>
        <message>
            <source>A rank ended without an error while the others continue.</source>
            <translation>一个 rank 无错误地结束，而其他 rank 仍在继续。</translation>
        </message>
        <message>
            <source>Give all ranks the same number of steps: DistributedSampler, drop_last=True, or the join() context.</source>
            <translation>使所有 rank 的步数相同：DistributedSampler、drop_last=True 或 join() 上下文。</translation>
        </message>
        <message>
            <source>A rank stopped answering.</source>
            <translation>一个 rank 停止了应答。</translation>
        </message>
        <message>
            <source>Check its process on the node.</source>
            <translation>检查节点上的该进程。</translation>
        </message>
        <message>
            <source>A rank did not come to the start.</source>
            <translation>一个 rank 没有到达启动点。</translation>
        </message>
        <message>
            <source>Read the log of that rank.</source>
            <translation>查看该 rank 的日志。</translation>
        </message>
        <message>
            <source>A rank crashed.</source>
            <translation>一个 rank 崩溃。</translation>
        </message>
        <message>
            <source>Read its core file or its last lines.</source>
            <translation>查看其 core 文件或最后几行。</translation>
        </message>
        <message>
            <source>No node recognises itself as the host of the rendezvous.</source>
            <translation>没有节点认出自己是会合的主机。</translation>
        </message>
        <message>
            <source>Use the exact host name or address of the first node as --rdzv-endpoint, or set --local-addr.</source>
            <translation>把第一个节点的确切主机名或地址用作 --rdzv-endpoint，或设置 --local-addr。</translation>
        </message>
        <message>
            <source>The nodes wait in different rendezvous.</source>
            <translation>各节点在不同的会合中等待。</translation>
        </message>
        <message>
            <source>Start every node with the same --rdzv-id.</source>
            <translation>用相同的 --rdzv-id 启动每个节点。</translation>
        </message>
        <message>
            <source>Two network cards in different subnets are paired.</source>
            <translation>位于不同子网的两块网卡配成了对。</translation>
        </message>
        <message>
            <source>`export NCCL_CROSS_NIC=0 NCCL_IB_MERGE_NICS=0`</source>
            <translation>`export NCCL_CROSS_NIC=0 NCCL_IB_MERGE_NICS=0`</translation>
        </message>
        <message>
            <source>Two machines look like one to NCCL.</source>
            <translation>两台机器在 NCCL 看来是同一台。</translation>
        </message>
        <message>
            <source>Give each machine a host name of its own, and remove NCCL_HOSTID.</source>
            <translation>给每台机器各自的主机名，并去掉 NCCL_HOSTID。</translation>
        </message>
        <message>
            <source>The script is not on the node.</source>
            <translation>脚本不在该节点上。</translation>
        </message>
        <message>
            <source>Copy it with push: in the job, or set workdir: to the folder that contains it.</source>
            <translation>在作业中用 push: 复制它，或者把 workdir: 设为包含它的文件夹。</translation>
        </message>
        <message>
            <source>The shared memory of the job was removed while it ran.</source>
            <translation>作业的共享内存在其运行期间被删除。</translation>
        </message>
        <message>
            <source>Set RemoveIPC=no in /etc/systemd/logind.conf, or `loginctl enable-linger`.</source>
            <translation>在 /etc/systemd/logind.conf 中设置 RemoveIPC=no，或运行 `loginctl enable-linger`。</translation>
        </message>
        <message>
            <source>/dev/shm of {node} is too small.</source>
            <translation>{node} 的 /dev/shm 太小。</translation>
        </message>
        <message>
            <source>`sudo mount -o remount,size=16G /dev/shm`, or start the container with --shm-size=16g.</source>
            <translation>运行 `sudo mount -o remount,size=16G /dev/shm`，或用 --shm-size=16g 启动容器。</translation>
        </message>
        <message>
            <source>A log stops while NCCL starts, without an error.</source>
            <translation>有一个日志在 NCCL 启动期间停止，没有错误。</translation>
        </message>
        <message>
            <source>Read the logs of the other ranks, and test the ports between the nodes: `rankscopectl preflight`.</source>
            <translation>查看其他 rank 的日志，并测试节点之间的端口：`rankscopectl preflight`。</translation>
        </message>
        <message>
            <source>Slurm did not cancel the job: {detail}.</source>
            <translation>Slurm 没有取消该作业：{detail}。</translation>
        </message>
        <message>
            <source>Check it there with `squeue --me`.</source>
            <translation>在该节点上用 `squeue --me` 检查。</translation>
        </message>
        <message>
            <source>The job was cancelled in Slurm.</source>
            <translation>该作业在 Slurm 中被取消。</translation>
        </message>
        <message>
            <source>You or an administrator used scancel.</source>
            <translation>你或管理员使用了 scancel。</translation>
        </message>
        <message>
            <source>The Slurm job failed before a rank started.</source>
            <translation>Slurm 作业在有 rank 启动之前就失败了。</translation>
        </message>
        <message>
            <source>The output of its script shows the reason. Check that all nodes share the cache folder.</source>
            <translation>其脚本的输出给出了原因。检查是否所有节点都共享缓存文件夹。</translation>
        </message>
        <message>
            <source>Slurm does not know the job any more.</source>
            <translation>Slurm 已不再知道该作业。</translation>
        </message>
        <message>
            <source>`sacct` on the login node shows what happened to it.</source>
            <translation>登录节点上的 `sacct` 可显示它发生了什么。</translation>
        </message>
        <message>
            <source>A node of the Slurm job failed.</source>
            <translation>Slurm 作业的一个节点发生故障。</translation>
        </message>
        <message>
            <source>`sinfo -R` on the login node shows the node and the reason. Start the run again.</source>
            <translation>登录节点上的 `sinfo -R` 可显示该节点和原因。再次启动该运行。</translation>
        </message>
        <message>
            <source>The Slurm job used more memory than Slurm granted.</source>
            <translation>Slurm 作业使用的内存超过了 Slurm 分配的内存。</translation>
        </message>
        <message>
            <source>Request more, for example slurm.extra: [--mem=16G], or use a smaller batch.</source>
            <translation>申请更多内存，例如 slurm.extra: [--mem=16G]，或使用更小的批。</translation>
        </message>
        <message>
            <source>Slurm gave the nodes to a job with a higher priority.</source>
            <translation>Slurm 把节点给了优先级更高的作业。</translation>
        </message>
        <message>
            <source>Start the run again, or use a partition or QOS without preemption.</source>
            <translation>再次启动该运行，或使用不会抢占的分区或 QOS。</translation>
        </message>
        <message>
            <source>srun could not start the ranks.</source>
            <translation>srun 无法启动各 rank。</translation>
        </message>
        <message>
            <source>The output of the job shows the reason.</source>
            <translation>作业的输出给出了原因。</translation>
        </message>
        <message>
            <source>Slurm ended the job at its time limit.</source>
            <translation>Slurm 在作业达到时限时结束了它。</translation>
        </message>
        <message>
            <source>Request more time with slurm.time, or train for fewer epochs.</source>
            <translation>用 slurm.time 申请更多时间，或减少训练的轮次。</translation>
        </message>
        <message>
            <source>An interface that the job names does not exist on {node}.</source>
            <translation>作业指定的一个网络接口在 {node} 上不存在。</translation>
        </message>
        <message>
            <source>Set interface: auto in the job, or correct NCCL_SOCKET_IFNAME and GLOO_SOCKET_IFNAME.</source>
            <translation>在作业中设置 interface: auto，或更正 NCCL_SOCKET_IFNAME 和 GLOO_SOCKET_IFNAME。</translation>
        </message>
        <message>
            <source>A node closed the SSH session.</source>
            <translation>一个节点关闭了 SSH 会话。</translation>
        </message>
        <message>
            <source>Read `last -x reboot` and `journalctl -u ssh` there.</source>
            <translation>在该节点上查看 `last -x reboot` 和 `journalctl -u ssh`。</translation>
        </message>
        <message>
            <source>The store of the job went away: its process ended first.</source>
            <translation>作业的 store 消失了：其进程最先结束。</translation>
        </message>
        <message>
            <source>Read the log of that process.</source>
            <translation>查看该进程的日志。</translation>
        </message>
        <message>
            <source>The nodes have different versions of PyTorch.</source>
            <translation>各节点的 PyTorch 版本不同。</translation>
        </message>
        <message>
            <source>A bridge of virtual machines is used to reach other nodes: every node has it with the same address.</source>
            <translation>用虚拟机的网桥来到达其他节点：每个节点上都有地址相同的网桥。</translation>
        </message>
        <message>
            <source>The ranks make no progress, and no cause was found.</source>
            <translation>各 rank 没有进展，且没有找到原因。</translation>
        </message>
        <message>
            <source>Read the stacks of the ranks.</source>
            <translation>查看各 rank 的栈。</translation>
        </message>
        <message>
            <source>A shared library is missing on a node.</source>
            <translation>一个节点上缺少共享库。</translation>
        </message>
        <message>
            <source>Install the package that contains it (`apt-file search NAME`).</source>
            <translation>安装包含它的软件包 (`apt-file search NAME`)。</translation>
        </message>
        <message>
            <source>The C library of a node is too old.</source>
            <translation>一个节点的 C 库太旧。</translation>
        </message>
        <message>
            <source>Use a node with Debian 12, Ubuntu 24.04 or newer, or build Rankscope on the oldest node.</source>
            <translation>使用 Debian 12、Ubuntu 24.04 或更新系统的节点，或者在最旧的节点上构建 Rankscope。</translation>
        </message>
        <message>
            <source>The store of the workers cannot be reached.</source>
            <translation>无法到达工作进程的 store。</translation>
        </message>
        <message>
            <source>Open the ephemeral ports between the nodes, or use a static rendezvous.</source>
            <translation>在节点之间开放临时端口，或使用静态会合。</translation>
        </message>
        <message>
            <source>The processes do not agree on the number of ranks.</source>
            <translation>各进程的 rank 数不一致。</translation>
        </message>
        <message>
            <source>Use the same --nnodes and --nproc-per-node on every node.</source>
            <translation>在每个节点上使用相同的 --nnodes 和 --nproc-per-node。</translation>
        </message>
        <message>
            <source>Another host or program answers at the address of {node}.</source>
            <translation>在 {node} 的地址上应答的是另一台主机或另一个程序。</translation>
        </message>
        <message>
            <source>Check for a duplicate address and for a program that redirects ports.</source>
            <translation>检查是否有重复的地址，以及是否有程序重定向端口。</translation>
        </message>
        <message>
            <source>A node has no route to the address of another one.</source>
            <translation>一个节点没有到另一个节点地址的路由。</translation>
        </message>
        <message>
            <source>Set address: of the node in the inventory to one that all nodes reach.</source>
            <translation>在节点清单中把节点的 address: 设为所有节点都能到达的地址。</translation>
        </message>
        <message>
            <source>Another program uses the run store.</source>
            <translation>另一个程序正在使用运行存储。</translation>
        </message>
        <message>
            <source>Close it, then try again.</source>
            <translation>关闭它，然后重试。</translation>
        </message>
        <message>
            <source>The run store is damaged, or the file is no run store.</source>
            <translation>运行存储已损坏，或该文件不是运行存储。</translation>
        </message>
        <message>
            <source>`rankscopectl runs repair` keeps it under another name and begins a new one.</source>
            <translation>`rankscopectl runs repair` 会以另一个名称保留它，并新建一个。</translation>
        </message>
        <message>
            <source>The disk of the run store, or the quota, is full.</source>
            <translation>运行存储所在的磁盘已满，或配额已用完。</translation>
        </message>
        <message>
            <source>Free space there (`df -h`).</source>
            <translation>在那里释放空间 (`df -h`)。</translation>
        </message>
        <message>
            <source>Too many events wait for the run store: events of a node are shown but not stored.</source>
            <translation>等待写入运行存储的事件过多：一个节点的事件会显示，但不会保存。</translation>
        </message>
        <message>
            <source>The node keeps them. Attach to the run again when the run store accepts events.</source>
            <translation>该节点保留着这些事件。运行存储恢复接受事件后，请重新附加到该运行。</translation>
        </message>
        <message>
            <source>The run store cannot be written.</source>
            <translation>无法写入运行存储。</translation>
        </message>
        <message>
            <source>Check owner and permissions of its folder, and whether its disk is mounted read-only.</source>
            <translation>检查其文件夹的所有者和权限，以及磁盘是否以只读方式挂载。</translation>
        </message>
        <message>
            <source>The run store accepts events again.</source>
            <translation>运行存储已恢复接受事件。</translation>
        </message>
        <message>
            <source>Other users of {node} can change what the run executes.</source>
            <translation>{node} 上的其他用户能更改该运行所执行的内容。</translation>
        </message>
        <message>
            <source>Remove their permission, or set workdir: to a folder that only you can write.</source>
            <translation>请收回他们的权限，或将 workdir: 设为只有您能写入的文件夹。</translation>
        </message>
        <message>
            <source>The host name of {node} belongs to another node.</source>
            <translation>{node} 的主机名属于另一个节点。</translation>
        </message>
        <message>
            <source>Give each node its own name: `sudo hostnamectl set-hostname NAME`. Or correct the name in /etc/hosts or DNS.</source>
            <translation>请给每个节点各自的名称：`sudo hostnamectl set-hostname NAME`。或在 /etc/hosts 或 DNS 中更正该名称。</translation>
        </message>
        <message>
            <source>The parameters of rank {rank} on {node} differ from those of the other ranks since step {2} (first: {1}).</source>
            <translation>{node} 上 rank {rank} 的参数自第 {2} 步起与其他 rank 不同（首个：{1}）。</translation>
        </message>
        <message>
            <source>Do not use the result. Check {node}: memory and GPU errors (ECC), another processor or driver than the others. Then continue from a checkpoint before step {2}.</source>
            <translation>不要使用该结果。请检查 {node}：内存和 GPU 错误（ECC），处理器或驱动是否与其他节点不同。然后从第 {2} 步之前的检查点继续。</translation>
        </message>
        <message>
            <source>Open them on the node that is named first, for the other nodes alone. With root or sudo there, the report shows the command.</source>
            <translation>请在首先列出的节点上仅对其他节点开放这些端口。若那里有 root 或 sudo 权限，报告会显示命令。</translation>
        </message>
        <message>
            <source>Open it on the master for the other nodes alone. With root or sudo there, the report shows the command.</source>
            <translation>请在主节点上仅对其他节点开放该端口。若那里有 root 或 sudo 权限，报告会显示命令。</translation>
        </message>
        <message>
            <source>Rank {rank} on {node} was stopped by signal {2}. Ranks that need it wait.</source>
            <translation>{node} 上的 rank {rank} 被信号 {2} 暂停。需要它的 rank 会等待。</translation>
        </message>
        <message>
            <source>Slurm did not take the job: its controller does not answer.</source>
            <translation>Slurm 没有接受该作业：其控制器没有应答。</translation>
        </message>
        <message>
            <source>A node loads a cuDNN that does not fit the build.</source>
            <translation>某个节点加载的 cuDNN 与该构建不匹配。</translation>
        </message>
        <message>
            <source>Take the other cuDNN out of LD_LIBRARY_PATH, or install the version that the build needs.</source>
            <translation>把另一个 cuDNN 从 LD_LIBRARY_PATH 中移除，或安装该构建所需的版本。</translation>
        </message>
        <message>
            <source>The loss or a gradient is not a number any more.</source>
            <translation>损失或某个梯度已不是数值。</translation>
        </message>
        <message>
            <source>Look at the batch and the weights of that rank; use a smaller learning rate, clip the gradients, bf16 in place of fp16.</source>
            <translation>检查该 rank 的批次和权重；使用更小的学习率，裁剪梯度，用 bf16 代替 fp16。</translation>
        </message>
        <message>
            <source>A node has no network interface with an IP address that NCCL may use.</source>
            <translation>某个节点没有 NCCL 可用的带 IP 地址的网络接口。</translation>
        </message>
        <message>
            <source>Give the node, or its container, a network with an IPv4 address: `ip -br addr`.</source>
            <translation>给该节点或其容器一个带 IPv4 地址的网络：`ip -br addr`。</translation>
        </message>
        <message>
            <source>NVSHMEM cannot use the network card directly (DEVX).</source>
            <translation>NVSHMEM 不能直接使用网卡 (DEVX)。</translation>
        </message>
        <message>
            <source>Containers: `--privileged`, or pass /dev/infiniband with its capabilities; else `NVSHMEM_IB_ENABLE_IBGDA=0`.</source>
            <translation>容器：`--privileged`，或传入 /dev/infiniband 及其权限；否则 `NVSHMEM_IB_ENABLE_IBGDA=0`。</translation>
        </message>
        <message>
            <source>libfabric finds no provider for the network of a node.</source>
            <translation>libfabric 找不到适合某个节点网络的 provider。</translation>
        </message>
        <message>
            <source>Compare `fi_info` on the nodes; install the driver of the network card and pass its devices to the container.</source>
            <translation>在各节点上比较 `fi_info`；安装网卡的驱动，并把设备传入容器。</translation>
        </message>
        <message>
            <source>More workers than ranks are counted: a file or a store of an earlier start counts its workers, too.</source>
            <translation>计入的 worker 多于 rank：较早一次启动留下的文件或 store 也计入了它的 worker。</translation>
        </message>
        <message>
            <source>Remove the file of init_method=file:// before each start, or use another port or --rdzv-id.</source>
            <translation>每次启动前删除 init_method=file:// 的文件，或使用另一个端口或 --rdzv-id。</translation>
        </message>
        <message>
            <source>Rank {rank} on {node} uses MPI, but no mpirun has started it: MPI_Init finds it alone.</source>
            <translation>{node} 上的 rank {rank} 使用 MPI，但不是由 mpirun 启动的：MPI_Init 只看到它自己。</translation>
        </message>
        <message>
            <source>Make mpirun the command and write mpi: true, or start it with srun (launcher: slurm): Rankscope sees its ranks there.</source>
            <translation>把 mpirun 设为命令并写 mpi: true，或用 srun 启动（launcher: slurm）：这样 Rankscope 能看到它的 rank。</translation>
        </message>
    </context>
    <context>
        <name>FaultMarks</name>
        <message>
            <source>stopped</source>
            <translation>已被停住</translation>
        </message>
        <message>
            <source>in a debugger</source>
            <translation>在调试器中</translation>
        </message>
        <message>
            <source>ended too early</source>
            <translation>过早结束</translation>
        </message>
        <message>
            <source>other collective</source>
            <translation>集合通信不同</translation>
        </message>
        <message>
            <source>behind</source>
            <translation>落后</translation>
        </message>
        <message>
            <source>silent</source>
            <translation>无响应</translation>
        </message>
        <message>
            <source>no answer</source>
            <translation>无响应</translation>
        </message>
        <message>
            <source>hangs</source>
            <translation>挂起</translation>
        </message>
        <message>
            <source>not reachable</source>
            <translation>无法到达</translation>
        </message>
        <message>
            <source>not started</source>
            <translation>未启动</translation>
        </message>
        <message>
            <source>unknown since %1</source>
            <translation>自 %1 起未知</translation>
        </message>
        <message>
            <source>unknown</source>
            <translation>未知</translation>
        </message>
        <message>
            <source>lost a peer</source>
            <translation>失去对端</translation>
        </message>
        <message>
            <source>failed later</source>
            <translation>随后失败</translation>
        </message>
        <message>
            <source>waits for %1</source>
            <translation>等待 %1</translation>
        </message>
        <message>
            <source>slow</source>
            <translation>缓慢</translation>
        </message>
        <message>
            <source>cut from %1</source>
            <translation>与 %1 断开</translation>
        </message>
        <message>
            <source>ended with its node</source>
            <translation>随节点结束</translation>
        </message>
        <message>
            <source>at fault</source>
            <translation>有故障</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>失败</translation>
        </message>
        <message>
            <source>rank %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>ranks %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>At fault: %1</source>
            <translation>故障方：%1</translation>
        </message>
        <message>
            <source>wait for it: %1</source>
            <translation>等待它的 rank：%1</translation>
        </message>
        <message>
            <source>lost a peer: %1</source>
            <translation>失去对端的 rank：%1</translation>
        </message>
        <message>
            <source>failed later: %1</source>
            <translation>随后失败的 rank：%1</translation>
        </message>
    </context>
    <context>
        <name>FixedKeys</name>
        <message>
            <source>Open the selected row (tables)</source>
            <translation>打开所选行（表格）</translation>
        </message>
        <message>
            <source>Clear the selection, go back, or close the dialog</source>
            <translation>清除选择、返回或关闭对话框</translation>
        </message>
        <message>
            <source>Select all (log, tables, fields)</source>
            <translation>全选（日志、表格、输入框）</translation>
        </message>
        <message>
            <source>Cut and paste (fields)</source>
            <translation>剪切和粘贴（输入框）</translation>
        </message>
        <message>
            <source>Next or previous match (search in the log)</source>
            <translation>下一个或上一个匹配（日志搜索）</translation>
        </message>
        <message>
            <source>Earlier searches (search in the log)</source>
            <translation>之前的搜索（日志搜索）</translation>
        </message>
        <message>
            <source>Show the moment on the curves (log)</source>
            <translation>在曲线上显示此时刻（日志）</translation>
        </message>
        <message>
            <source>Scroll by a line (log)</source>
            <translation>滚动一行（日志）</translation>
        </message>
        <message>
            <source>Move the cursor; with Shift, select (log, tables, fields)</source>
            <translation>移动光标；按住 Shift 则选择（日志、表格、输入框）</translation>
        </message>
        <message>
            <source>Zoom, show all, move in time (curves)</source>
            <translation>缩放、显示全部、沿时间移动（曲线）</translation>
        </message>
        <message>
            <source>Previous or next plot (curves)</source>
            <translation>上一幅或下一幅图（曲线）</translation>
        </message>
        <message>
            <source>Heat map, log scale of the plot (curves)</source>
            <translation>图的热图、对数刻度（曲线）</translation>
        </message>
        <message>
            <source>Move the marked moment (curves)</source>
            <translation>移动标记的时刻（曲线）</translation>
        </message>
        <message>
            <source>Show the log at the marked moment (curves)</source>
            <translation>显示标记时刻的日志（曲线）</translation>
        </message>
        <message>
            <source>Zoom, show all, move (comparison, NCCL)</source>
            <translation>缩放、显示全部、移动（比较、NCCL）</translation>
        </message>
        <message>
            <source>Other ranks (timeline of NCCL)</source>
            <translation>其他 rank（NCCL 时间线）</translation>
        </message>
        <message>
            <source>Choose (squares of GPUs, pairs of nodes, map of NCCL)</source>
            <translation>选择（GPU 方格、节点对、NCCL 图）</translation>
        </message>
        <message>
            <source>Move to another square (GPUs, pairs of nodes)</source>
            <translation>移到另一个方格（GPU、节点对）</translation>
        </message>
        <message>
            <source>List keys and values (text of the job)</source>
            <translation>列出键和值（作业文本）</translation>
        </message>
        <message>
            <source>Go back, all pages (documentation)</source>
            <translation>返回、所有页面（文档）</translation>
        </message>
        <message>
            <source>Logarithmic x axis (curves)</source>
            <translation>对数 X 轴（曲线）</translation>
        </message>
    </context>
    <context>
        <name>Formula</name>
        <message>
            <source>Write a formula, such as loss - loss@mean.</source>
            <translation>请写一个公式，例如 loss - loss@mean。</translation>
        </message>
        <message>
            <source>The formula is longer than %1 characters.</source>
            <translation>公式超过 %1 个字符。</translation>
        </message>
        <message>
            <source>The formula has more than %1 parts.</source>
            <translation>公式超过 %1 个部分。</translation>
        </message>
        <message>
            <source>More than %1 parentheses are open</source>
            <translation>未闭合的括号超过 %1 个</translation>
        </message>
        <message>
            <source>“%1” is not allowed here</source>
            <translation>“%1”不能放在这里</translation>
        </message>
        <message>
            <source>A number, a metric or a parenthesis is missing</source>
            <translation>缺少数字、指标或括号</translation>
        </message>
        <message>
            <source>This parenthesis is not closed</source>
            <translation>此括号没有闭合</translation>
        </message>
        <message>
            <source>This quotation mark is not closed</source>
            <translation>此引号没有闭合</translation>
        </message>
        <message>
            <source>This is not a number</source>
            <translation>这不是数字</translation>
        </message>
        <message>
            <source>“log” takes one value</source>
            <translation>“log”只接受一个值</translation>
        </message>
        <message>
            <source>“%1” takes one metric, or two values or more</source>
            <translation>“%1”接受一个指标，或者两个及以上的值</translation>
        </message>
        <message>
            <source>An operator is missing before “%1”</source>
            <translation>“%1”之前缺少运算符</translation>
        </message>
        <message>
            <source>%1 (column %2).</source>
            <translation>%1（第 %2 列）。</translation>
        </message>
        <message>
            <source>The formula names no metric.</source>
            <translation>公式中没有指标。</translation>
        </message>
        <message>
            <source>No rank has reported “%1”.</source>
            <translation>没有 rank 报告过“%1”。</translation>
        </message>
        <message>
            <source>This run has no rank %1.</source>
            <translation>此运行没有 rank %1。</translation>
        </message>
        <message>
            <source>A word is missing after @: rank0, mean, min, max, median or sum</source>
            <translation>@ 之后缺少一个词：rank0、mean、min、max、median 或 sum</translation>
        </message>
        <message>
            <source>“%1” is unknown; after @: rank0, mean, min, max, median, sum; functions: mean, min, max, median, sum, log</source>
            <translation>未知的“%1”；@ 之后可用：rank0、mean、min、max、median、sum；函数：mean、min、max、median、sum、log</translation>
        </message>
    </context>
    <context>
        <name>GpuPicker</name>
        <message>
            <source>GPU %1 of %2: %3, %4 GiB</source>
            <translation>%2 的 GPU %1：%3，%4 GiB</translation>
        </message>
    </context>
    <context>
        <name>GpuTexts</name>
        <message>
            <source>%1 out, %2 in</source>
            <translation>出 %1，入 %2</translation>
        </message>
        <message>
            <source>PCIe %1 ×%2</source>
            <translation>PCIe %1 ×%2</translation>
        </message>
        <message>
            <source>PCIe ×%1</source>
            <translation>PCIe ×%1</translation>
        </message>
        <message>
            <source>%1 B/s</source>
            <translation>%1 B/s</translation>
        </message>
        <message>
            <source>%1 kB/s</source>
            <translation>%1 kB/s</translation>
        </message>
        <message>
            <source>%1 MB/s</source>
            <translation>%1 MB/s</translation>
        </message>
        <message>
            <source>%1 GB/s</source>
            <translation>%1 GB/s</translation>
        </message>
        <message>
            <source>%1 TB/s</source>
            <translation>%1 TB/s</translation>
        </message>
        <message>
            <source>%1 MHz</source>
            <translation>%1 MHz</translation>
        </message>
        <message>
            <source>%1 GHz</source>
            <translation>%1 GHz</translation>
        </message>
        <message>
            <source>nothing</source>
            <translation>无</translation>
        </message>
        <message>
            <source>idle</source>
            <translation>空闲</translation>
        </message>
        <message>
            <source>clock setting</source>
            <translation>频率设定</translation>
        </message>
        <message>
            <source>sync boost</source>
            <translation>同步加速</translation>
        </message>
        <message>
            <source>power limit</source>
            <translation>功耗上限</translation>
        </message>
        <message>
            <source>board</source>
            <translation>板卡</translation>
        </message>
        <message>
            <source>power supply</source>
            <translation>供电</translation>
        </message>
        <message>
            <source>heat</source>
            <translation>过热</translation>
        </message>
        <message>
            <source>NVLink %1</source>
            <translation>NVLink %1</translation>
        </message>
        <message>
            <source>PCIe %1</source>
            <translation>PCIe %1</translation>
        </message>
        <message>
            <source>NVLink: %1</source>
            <translation>NVLink：%1</translation>
        </message>
        <message>
            <source>NVLink errors: %1</source>
            <translation>NVLink 错误：%1</translation>
        </message>
        <message>
            <source>PCIe replays: %1</source>
            <translation>PCIe 重传：%1</translation>
        </message>
        <message>
            <source>Use: %1</source>
            <translation>使用率：%1</translation>
        </message>
        <message>
            <source>Memory: %1</source>
            <translation>显存：%1</translation>
        </message>
        <message>
            <source>Temperature: %1 °C</source>
            <translation>温度：%1 °C</translation>
        </message>
        <message>
            <source>Power: %1</source>
            <translation>功耗：%1</translation>
        </message>
        <message>
            <source>Clock: %1</source>
            <translation>频率：%1</translation>
        </message>
        <message>
            <source>Clock: %1, limited by: %2</source>
            <translation>频率：%1，受限于：%2</translation>
        </message>
        <message>
            <source>Uncorrected memory errors: %1</source>
            <translation>未纠正的显存错误：%1</translation>
        </message>
        <message>
            <source>Not available: the GPU's driver has not reported it since %1.</source>
            <translation>不可用：自 %1 起，GPU 驱动不再报告此值。</translation>
        </message>
        <message>
            <source>Not available: the GPU's memory has no ECC, or it is switched off.</source>
            <translation>不可用：该 GPU 的显存没有 ECC，或 ECC 已关闭。</translation>
        </message>
        <message>
            <source>Not available: the driver reports neither NVLink nor PCIe of this GPU.</source>
            <translation>不可用：驱动既不报告此 GPU 的 NVLink，也不报告 PCIe。</translation>
        </message>
        <message>
            <source>Not available: the driver does not report it for this GPU.</source>
            <translation>不可用：驱动不报告此 GPU 的这个值。</translation>
        </message>
        <message>
            <source>This node reports no GPU.</source>
            <translation>此节点没有报告 GPU。</translation>
        </message>
        <message>
            <source>Not available: the GPU driver of this node does not answer.</source>
            <translation>不可用：此节点的 GPU 驱动没有应答。</translation>
        </message>
        <message>
            <source>Not available: this node has a GPU driver, but neither NVML nor nvidia-smi is found there.</source>
            <translation>不可用：此节点有 GPU 驱动，但找不到 NVML，也找不到 nvidia-smi。</translation>
        </message>
        <message>
            <source>Not available: the GPU driver of this node reports an error.</source>
            <translation>不可用：此节点的 GPU 驱动报告错误。</translation>
        </message>
    </context>
    <context>
        <name>HtmlReport</name>
        <message>
            <source>en</source>
            <translation>zh-CN</translation>
        </message>
        <message>
            <source>Written by %1. Passwords, tokens and keys are replaced.</source>
            <translation>由 %1 写出。密码、令牌和密钥均已替换。</translation>
        </message>
        <message>
            <source>Run</source>
            <translation>运行</translation>
        </message>
        <message>
            <source>Started</source>
            <translation>开始时间</translation>
        </message>
        <message>
            <source>Lasted</source>
            <translation>持续时间</translation>
        </message>
        <message>
            <source>World size</source>
            <translation>总进程数 (world size)</translation>
        </message>
        <message>
            <source>Nodes</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>Backend</source>
            <translation>后端</translation>
        </message>
        <message>
            <source>Exit status</source>
            <translation>退出状态</translation>
        </message>
        <message>
            <source>Restarts</source>
            <translation>重启次数</translation>
        </message>
        <message>
            <source>confidence %1</source>
            <translation>置信度 %1</translation>
        </message>
        <message>
            <source>Diagnosis</source>
            <translation>诊断</translation>
        </message>
        <message>
            <source>Curves</source>
            <translation>曲线</translation>
        </message>
        <message>
            <source>step</source>
            <translation>步</translation>
        </message>
        <message>
            <source>seconds since the start</source>
            <translation>自开始以来的秒数</translation>
        </message>
        <message>
            <source>The ranks reported no metrics.</source>
            <translation>各 rank 未上报指标。</translation>
        </message>
        <message>
            <source>Mean of all ranks, with the smallest and the largest value.</source>
            <translation>所有 rank 的平均值，以及最小值和最大值。</translation>
        </message>
        <message>
            <source>rank %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>Not drawn: %1 values that are not a number or infinite.</source>
            <translation>未绘制：%1 个非数字或无穷大的值。</translation>
        </message>
        <message>
            <source>Ranks</source>
            <translation>Rank</translation>
        </message>
        <message>
            <source>Rank</source>
            <translation>Rank</translation>
        </message>
        <message>
            <source>Node</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>Device</source>
            <translation>设备</translation>
        </message>
        <message>
            <source>State</source>
            <translation>状态</translation>
        </message>
        <message>
            <source>Step</source>
            <translation>步</translation>
        </message>
        <message>
            <source>Last loss</source>
            <translation>最后的损失</translation>
        </message>
        <message>
            <source>End</source>
            <translation>结束</translation>
        </message>
        <message>
            <source>signal %1</source>
            <translation>信号 %1</translation>
        </message>
        <message>
            <source>exit status %1</source>
            <translation>退出状态 %1</translation>
        </message>
        <message>
            <source>The first %1 of %2 ranks.</source>
            <translation>%2 个 rank 中的前 %1 个。</translation>
        </message>
        <message>
            <source>Last lines of rank %1</source>
            <translation>rank %1 的最后几行</translation>
        </message>
        <message>
            <source>Address</source>
            <translation>地址</translation>
        </message>
        <message>
            <source>GPUs</source>
            <translation>GPU</translation>
        </message>
        <message>
            <source>CPUs</source>
            <translation>CPU</translation>
        </message>
        <message>
            <source>System</source>
            <translation>系统</translation>
        </message>
        <message>
            <source>Kernel</source>
            <translation>内核</translation>
        </message>
        <message>
            <source>Agent</source>
            <translation>代理程序</translation>
        </message>
        <message>
            <source>Telemetry</source>
            <translation>遥测</translation>
        </message>
        <message>
            <source>Mean and largest value of every node</source>
            <translation>各节点的平均值和最大值</translation>
        </message>
        <message>
            <source>Value</source>
            <translation>指标</translation>
        </message>
        <message>
            <source>Mean</source>
            <translation>平均</translation>
        </message>
        <message>
            <source>Largest</source>
            <translation>最大</translation>
        </message>
        <message>
            <source>Last</source>
            <translation>最后</translation>
        </message>
        <message>
            <source>Start</source>
            <translation>启动</translation>
        </message>
        <message>
            <source>Stage</source>
            <translation>阶段</translation>
        </message>
        <message>
            <source>Seconds</source>
            <translation>秒</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>失败</translation>
        </message>
        <message>
            <source>done</source>
            <translation>完成</translation>
        </message>
        <message>
            <source>begun</source>
            <translation>已开始</translation>
        </message>
        <message>
            <source>not reached</source>
            <translation>未到达</translation>
        </message>
        <message>
            <source>Job</source>
            <translation>作业</translation>
        </message>
        <message>
            <source>Environment of rank 0</source>
            <translation>rank 0 的环境</translation>
        </message>
        <message>
            <source>%1 further metrics are not drawn. The export as CSV has them.</source>
            <translation>另有 %1 个指标未绘制。导出为 CSV 时包含它们。</translation>
        </message>
        <message>
            <source>More than %1 further metrics are not drawn. The export as CSV has them.</source>
            <translation>另有超过 %1 个指标未绘制。导出为 CSV 时包含它们。</translation>
        </message>
        <message>
            <source>Libraries</source>
            <translation>库</translation>
        </message>
    </context>
    <context>
        <name>Inventory</name>
        <message>
            <source>neither "auto" nor a list of different indices</source>
            <translation>既不是 "auto"，也不是互不相同的编号列表</translation>
        </message>
        <message>
            <source>Write gpus: auto, or for example gpus: [0, 1]; gpus: [] for none.</source>
            <translation>写 gpus: auto，或例如 gpus: [0, 1]；不使用时写 gpus: []。</translation>
        </message>
        <message>
            <source>a node is a mapping</source>
            <translation>节点应为映射</translation>
        </message>
        <message>
            <source>Write it as - name: node1, with host, user, … below.</source>
            <translation>写成 - name: node1，并在其下写 host、user…。</translation>
        </message>
        <message>
            <source>the file must hold a mapping</source>
            <translation>文件内容必须是映射</translation>
        </message>
        <message>
            <source>Begin it with nodes: and list the nodes below.</source>
            <translation>以 nodes: 开头，并在其下列出节点。</translation>
        </message>
        <message>
            <source>must be a list</source>
            <translation>必须是列表</translation>
        </message>
        <message>
            <source>Begin each node with "- name: …".</source>
            <translation>每个节点以“- name: …”开头。</translation>
        </message>
        <message>
            <source>"%1" is there twice</source>
            <translation>“%1”出现了两次</translation>
        </message>
        <message>
            <source>Names of nodes must differ.</source>
            <translation>节点名称不能重复。</translation>
        </message>
        <message>
            <source>For example node1.</source>
            <translation>例如 node1。</translation>
        </message>
        <message>
            <source>"local" always means this computer</source>
            <translation>"local" 始终表示本机</translation>
        </message>
        <message>
            <source>Choose another name.</source>
            <translation>换一个名称。</translation>
        </message>
        <message>
            <source>"all" means every node in a job file</source>
            <translation>在作业文件中 "all" 表示所有节点</translation>
        </message>
        <message>
            <source>"%1" is not a host name or address</source>
            <translation>“%1”不是主机名或地址</translation>
        </message>
        <message>
            <source>For example 10.0.0.11, gpu1.example.org, or a Host of your ssh_config.</source>
            <translation>例如 10.0.0.11、gpu1.example.org，或你的 ssh_config 中的某个 Host。</translation>
        </message>
        <message>
            <source>"%1" is not a user name</source>
            <translation>“%1”不是用户名</translation>
        </message>
        <message>
            <source>For example trainer.</source>
            <translation>例如 trainer。</translation>
        </message>
        <message>
            <source>%1 is not a port</source>
            <translation>%1 不是端口</translation>
        </message>
        <message>
            <source>Give a number from 1 to 65535; SSH's own is 22.</source>
            <translation>填写 1 到 65535 之间的数；SSH 默认为 22。</translation>
        </message>
        <message>
            <source>"%1" is not a jump host</source>
            <translation>“%1”不是跳板机</translation>
        </message>
        <message>
            <source>For example login, or me@login:2222,inner for two of them.</source>
            <translation>例如 login；两台跳板机则写 me@login:2222,inner。</translation>
        </message>
        <message>
            <source>"%1" is no way to connect</source>
            <translation>“%1”不是可用的连接方式</translation>
        </message>
        <message>
            <source>Give auto, libssh or openssh.</source>
            <translation>填写 auto、libssh 或 openssh。</translation>
        </message>
        <message>
            <source>holds a '!' or a control character</source>
            <translation>含有 '!' 或控制字符</translation>
        </message>
        <message>
            <source>Choose another folder.</source>
            <translation>选择其他文件夹。</translation>
        </message>
        <message>
            <source>"%1" is not an absolute folder</source>
            <translation>“%1”不是绝对路径的文件夹</translation>
        </message>
        <message>
            <source>Begin it with / or ~/.</source>
            <translation>以 / 或 ~/ 开头。</translation>
        </message>
        <message>
            <source>The inventory cannot be read: %1.</source>
            <translation>无法读取节点清单：%1。</translation>
        </message>
        <message>
            <source>Check the path given with --cluster.</source>
            <translation>检查用 --cluster 给出的路径。</translation>
        </message>
        <message>
            <source>The inventory cannot be written: %1.</source>
            <translation>无法写入节点清单：%1。</translation>
        </message>
        <message>
            <source>Check the folder's permissions and free space; the old file is unchanged.</source>
            <translation>检查文件夹的权限和剩余空间；旧文件未改变。</translation>
        </message>
        <message>
            <source>is not a name of a group</source>
            <translation>不是组名</translation>
        </message>
        <message>
            <source>Give up to 64 letters without line breaks, for example rack 2.</source>
            <translation>最多 64 个字符，不含换行，例如 rack 2。</translation>
        </message>
        <message>
            <source>a node needs a name without blanks, quotes or '/', and no '-' at its begin</source>
            <translation>节点需要一个名称，不含空格、引号或“/”，且不以“-”开头</translation>
        </message>
    </context>
    <context>
        <name>Job</name>
        <message>
            <source>has no place with launcher: %1</source>
            <translation>不能与 launcher: %1 一起使用</translation>
        </message>
        <message>
            <source>has no effect with the native engine</source>
            <translation>对原生引擎无效</translation>
        </message>
        <message>
            <source>there is a train section as well</source>
            <translation>同时还有 train 一节</translation>
        </message>
        <message>
            <source>Keep one: train for the native engine, command for your own program.</source>
            <translation>只保留一个：train 用于原生引擎，command 用于自己的程序。</translation>
        </message>
        <message>
            <source>neither train nor command is given</source>
            <translation>train 和 command 都未给出</translation>
        </message>
        <message>
            <source>Add a train section (native engine), or command: [python3, train.py].</source>
            <translation>添加 train 一节（原生引擎），或 command: [python3, train.py]。</translation>
        </message>
        <message>
            <source>there is a venv as well</source>
            <translation>同时还有 venv</translation>
        </message>
        <message>
            <source>Keep one: venv for a virtual environment, conda for one of conda's.</source>
            <translation>只保留一个：venv 用于虚拟环境，conda 用于 conda 的环境。</translation>
        </message>
        <message>
            <source>missing</source>
            <translation>缺失</translation>
        </message>
        <message>
            <source>Add it, for example: %1</source>
            <translation>请添加，例如：%1</translation>
        </message>
        <message>
            <source>the launcher is %1</source>
            <translation>启动器是 %1</translation>
        </message>
        <message>
            <source>Write launcher: %1, or leave the section out.</source>
            <translation>写 launcher: %1，或去掉这一节。</translation>
        </message>
        <message>
            <source>differs by node</source>
            <translation>各节点不同</translation>
        </message>
        <message>
            <source>With launcher: %1 every node has the same number: write a number, or auto.</source>
            <translation>使用 launcher: %1 时每个节点的数目相同：写一个数，或 auto。</translation>
        </message>
        <message>
            <source>"%1" is not one of the nodes</source>
            <translation>“%1”不是这些节点之一</translation>
        </message>
        <message>
            <source>Name one that nodes: contains, or add it there.</source>
            <translation>填写 nodes: 中的一个，或将其加入其中。</translation>
        </message>
        <message>
            <source>the file must hold a mapping</source>
            <translation>文件内容必须是映射</translation>
        </message>
        <message>
            <source>Begin with name:, nodes: and train:.</source>
            <translation>以 name:、nodes: 和 train: 开头。</translation>
        </message>
        <message>
            <source>The job file cannot be read: %1.</source>
            <translation>无法读取作业文件：%1。</translation>
        </message>
        <message>
            <source>Check the path.</source>
            <translation>检查路径。</translation>
        </message>
        <message>
            <source>Write 0, or leave it out: the launcher restarts a job, not Rankscope.</source>
            <translation>写 0，或去掉它：重新启动作业的是启动器，不是 Rankscope。</translation>
        </message>
        <message>
            <source>Leave it out: the launcher ends a job whose node does not answer.</source>
            <translation>请去掉它：节点无应答时，启动器会结束作业。</translation>
        </message>
        <message>
            <source>Leave it out: the nodes are known when the job starts. `rankscopectl doctor RUN` inspects them.</source>
            <translation>请去掉它：作业开始时才知道节点。`rankscopectl doctor RUN` 会检查它们。</translation>
        </message>
        <message>
            <source>throughput.batch is given as well</source>
            <translation>同时给出了 throughput.batch</translation>
        </message>
        <message>
            <source>Keep one: batch counts the samples of all ranks, batch_per_rank those of one.</source>
            <translation>只保留一个：batch 是所有 rank 的样本数，batch_per_rank 是一个 rank 的样本数。</translation>
        </message>
    </context>
    <context>
        <name>JobEdit</name>
        <message>
            <source>Write it as key=value, for example train.optimizer.lr=0.01.</source>
            <translation>写成 key=value，例如 train.optimizer.lr=0.01。</translation>
        </message>
        <message>
            <source>The value above "%1" is no mapping.</source>
            <translation>“%1”的上级值不是映射。</translation>
        </message>
        <message>
            <source>This is no assignment.</source>
            <translation>这不是赋值。</translation>
        </message>
        <message>
            <source>A part of the key is empty.</source>
            <translation>键的某一部分为空。</translation>
        </message>
        <message>
            <source>The value is no YAML: %1.</source>
            <translation>值不是 YAML：%1。</translation>
        </message>
        <message>
            <source>The job's text cannot be read: %1.</source>
            <translation>无法读取作业的文本：%1。</translation>
        </message>
    </context>
    <context>
        <name>JobHelp</name>
        <message>
            <source>this computer</source>
            <translation>本机</translation>
        </message>
        <message>
            <source>every node of the inventory</source>
            <translation>清单中的所有节点</translation>
        </message>
        <message>
            <source>the default</source>
            <translation>默认值</translation>
        </message>
        <message>
            <source>Values: %1</source>
            <translation>取值：%1</translation>
        </message>
        <message>
            <source>Default: %1</source>
            <translation>默认值：%1</translation>
        </message>
        <message>
            <source>Keys: %1</source>
            <translation>键：%1</translation>
        </message>
        <message>
            <source>Example: %1</source>
            <translation>示例：%1</translation>
        </message>
    </context>
    <context>
        <name>JobKeys</name>
        <message>
            <source>Model and data</source>
            <translation>模型与数据</translation>
        </message>
        <message>
            <source>Checkpoints</source>
            <translation>检查点</translation>
        </message>
        <message>
            <source>Device and precision</source>
            <translation>设备与精度</translation>
        </message>
        <message>
            <source>Gradients between ranks</source>
            <translation>rank 之间的梯度</translation>
        </message>
        <message>
            <source>Optimizer</source>
            <translation>优化器</translation>
        </message>
        <message>
            <source>Output</source>
            <translation>输出</translation>
        </message>
        <message>
            <source>Learning rate schedule</source>
            <translation>学习率计划</translation>
        </message>
        <message>
            <source>Training</source>
            <translation>训练</translation>
        </message>
        <message>
            <source>Validation</source>
            <translation>验证</translation>
        </message>
        <message>
            <source>Environment</source>
            <translation>环境</translation>
        </message>
        <message>
            <source>Safety</source>
            <translation>安全</translation>
        </message>
        <message>
            <source>Measurements</source>
            <translation>测量</translation>
        </message>
        <message>
            <source>Your own program</source>
            <translation>自己的程序</translation>
        </message>
        <message>
            <source>What</source>
            <translation>内容</translation>
        </message>
        <message>
            <source>Where</source>
            <translation>位置</translation>
        </message>
        <message>
            <source>Slurm</source>
            <translation>Slurm</translation>
        </message>
        <message>
            <source>&amp;Data set</source>
            <translation>数据集(&amp;D)</translation>
        </message>
        <message>
            <source>`dataset: mnist` is short for `dataset: { name: mnist }`.</source>
            <translation>`dataset: mnist` 是 `dataset: { name: mnist }` 的简写。</translation>
        </message>
        <message>
            <source>Data &amp;folder</source>
            <translation>数据文件夹(&amp;F)</translation>
        </message>
        <message>
            <source>On the nodes; missing files are downloaded into it. image-folder needs it: root/&lt;split&gt;/&lt;class&gt;/…/&lt;image&gt;, classes in the order of their names.</source>
            <translation>位于节点上；缺少的文件会下载到其中。image-folder 需要它：root/&lt;split&gt;/&lt;class&gt;/…/&lt;image&gt;，类别按文件夹名排序。</translation>
        </message>
        <message>
            <source>the user's cache on the node</source>
            <translation>节点上该用户的缓存</translation>
        </message>
        <message>
            <source>Use only samples</source>
            <translation>仅使用样本</translation>
        </message>
        <message>
            <source>The first N training samples; of an image folder N spread over its classes.</source>
            <translation>前 N 个训练样本；图像文件夹则从各类别中均匀取 N 个。</translation>
        </message>
        <message>
            <source>all</source>
            <translation>全部</translation>
        </message>
        <message>
            <source>Augmentation</source>
            <translation>数据增强</translation>
        </message>
        <message>
            <source>none; standard: what the tutorials of the set do; or a list of random_crop: {padding: 4}, random_resized_crop: {scale: [0.08, 1], ratio: [0.75, 1.3333]}, horizontal_flip: {p: 0.5}, each with its values or as the bare name.</source>
            <translation>none；standard：该数据集教程中的做法；或列出 random_crop: {padding: 4}、random_resized_crop: {scale: [0.08, 1], ratio: [0.75, 1.3333]}、horizontal_flip: {p: 0.5}，各带其取值，也可只写名称。</translation>
        </message>
        <message>
            <source>Normalise</source>
            <translation>归一化</translation>
        </message>
        <message>
            <source>{mean, std}, numbers or one per channel, or a name: mnist, fashion-mnist, cifar10, cifar100, imagenet.</source>
            <translation>{mean, std}，一个数或每通道一个，或名称：mnist、fashion-mnist、cifar10、cifar100、imagenet。</translation>
        </message>
        <message>
            <source>pixels are only divided by 255</source>
            <translation>像素仅除以 255</translation>
        </message>
        <message>
            <source>Image size</source>
            <translation>图像尺寸</translation>
        </message>
        <message>
            <source>Height and width that the network gets.</source>
            <translation>网络得到的高和宽。</translation>
        </message>
        <message>
            <source>as stored; 224 for image-folder and dummy</source>
            <translation>与存储时相同；image-folder 和 dummy 为 224</translation>
        </message>
        <message>
            <source>Resize to</source>
            <translation>缩放到</translation>
        </message>
        <message>
            <source>Shorter side before a crop that is not random_resized_crop.</source>
            <translation>裁剪前的短边，random_resized_crop 除外。</translation>
        </message>
        <message>
            <source>image_size; image-folder: image_size × 256 / 224</source>
            <translation>image_size；image-folder：image_size × 256 / 224</translation>
        </message>
        <message>
            <source>Loader threads</source>
            <translation>加载线程</translation>
        </message>
        <message>
            <source>Threads that read and decode.</source>
            <translation>读取和解码的线程数。</translation>
        </message>
        <message>
            <source>chosen from the set and the cores</source>
            <translation>按数据集和 CPU 核数选择</translation>
        </message>
        <message>
            <source>Classes of the set</source>
            <translation>数据集的类别数</translation>
        </message>
        <message>
            <source>Only for image-folder (outputs of the network, at least the number of class folders), random and dummy.</source>
            <translation>仅用于 image-folder（网络的输出数，不少于类别文件夹数）、random 和 dummy。</translation>
        </message>
        <message>
            <source>image-folder: the class folders; random: 10; dummy: 1000</source>
            <translation>image-folder：类别文件夹数；random：10；dummy：1000</translation>
        </message>
        <message>
            <source>Shape of a sample</source>
            <translation>样本形状</translation>
        </message>
        <message>
            <source>Only for random: [channels, height, width] or [features].</source>
            <translation>仅用于 random：[channels, height, width] 或 [features]。</translation>
        </message>
        <message>
            <source>[3, 32, 32]</source>
            <translation>[3, 32, 32]</translation>
        </message>
        <message>
            <source>Training folder</source>
            <translation>训练文件夹</translation>
        </message>
        <message>
            <source>Only for image-folder: the folder below root.</source>
            <translation>仅用于 image-folder：root 下的文件夹。</translation>
        </message>
        <message>
            <source>Validation folder</source>
            <translation>验证文件夹</translation>
        </message>
        <message>
            <source>Training samples</source>
            <translation>训练样本</translation>
        </message>
        <message>
            <source>How many a set without files has.</source>
            <translation>没有文件的数据集所含的样本数。</translation>
        </message>
        <message>
            <source>synthetic-digits and random: 20000; dummy: 1000</source>
            <translation>synthetic-digits 和 random：20000；dummy：1000</translation>
        </message>
        <message>
            <source>Validation samples</source>
            <translation>验证样本</translation>
        </message>
        <message>
            <source>synthetic-digits and random: 4000; dummy: 1000</source>
            <translation>synthetic-digits 和 random：4000；dummy：1000</translation>
        </message>
        <message>
            <source>Seed of the set</source>
            <translation>数据集的种子</translation>
        </message>
        <message>
            <source>synthetic-digits, random and dummy: which samples are drawn.</source>
            <translation>synthetic-digits、random 和 dummy：抽取哪些样本。</translation>
        </message>
        <message>
            <source>Else use</source>
            <translation>否则使用</translation>
        </message>
        <message>
            <source>The set that all ranks take together where `name` is unavailable on one of them; its samples must have the same shape and classes.</source>
            <translation>当某个 rank 上没有 `name` 时，所有 rank 一起改用的数据集；其样本的形状和类别数必须相同。</translation>
        </message>
        <message>
            <source>an unavailable set is an error</source>
            <translation>数据集不可用即为错误</translation>
        </message>
        <message>
            <source>&amp;Model</source>
            <translation>模型(&amp;M)</translation>
        </message>
        <message>
            <source>The network. `model: convnet` is short for `model: { name: convnet }`.</source>
            <translation>网络。`model: convnet` 是 `model: { name: convnet }` 的简写。</translation>
        </message>
        <message>
            <source>Classes</source>
            <translation>类别</translation>
        </message>
        <message>
            <source>Outputs of the last layer.</source>
            <translation>最后一层的输出数。</translation>
        </message>
        <message>
            <source>those of the data set</source>
            <translation>数据集的类别数</translation>
        </message>
        <message>
            <source>&amp;Epochs</source>
            <translation>轮数(&amp;E)</translation>
        </message>
        <message>
            <source>Passes over the data set.</source>
            <translation>遍历数据集的次数。</translation>
        </message>
        <message>
            <source>B&amp;atch per rank</source>
            <translation>每个 rank 的批大小(&amp;A)</translation>
        </message>
        <message>
            <source>Samples of a rank in one forward pass.</source>
            <translation>一个 rank 一次前向计算的样本数。</translation>
        </message>
        <message>
            <source>Batches per update</source>
            <translation>每次更新的批数</translation>
        </message>
        <message>
            <source>Batches before an update; the gradient is that of their mean loss.</source>
            <translation>每次更新前的批数；梯度是其平均损失的梯度。</translation>
        </message>
        <message>
            <source>Stop after updates</source>
            <translation>更新若干次后停止</translation>
        </message>
        <message>
            <source>The run ends after this number of updates.</source>
            <translation>运行在更新这么多次之后结束。</translation>
        </message>
        <message>
            <source>no limit</source>
            <translation>不限</translation>
        </message>
        <message>
            <source>Label smoothing</source>
            <translation>标签平滑</translation>
        </message>
        <message>
            <source>Share of the target that is spread over all classes.</source>
            <translation>目标中平均分给所有类别的份额。</translation>
        </message>
        <message>
            <source>Clip norm</source>
            <translation>范数裁剪</translation>
        </message>
        <message>
            <source>Largest total norm of the gradients.</source>
            <translation>梯度总范数的上限。</translation>
        </message>
        <message>
            <source>Clip value</source>
            <translation>数值裁剪</translation>
        </message>
        <message>
            <source>Largest absolute value of a gradient.</source>
            <translation>梯度绝对值的上限。</translation>
        </message>
        <message>
            <source>Shuffle</source>
            <translation>打乱</translation>
        </message>
        <message>
            <source>A new order of the samples in every epoch (seed + epoch, as PyTorch's DistributedSampler).</source>
            <translation>每轮使用新的样本顺序（seed + epoch，与 PyTorch 的 DistributedSampler 相同）。</translation>
        </message>
        <message>
            <source>Drop the rest</source>
            <translation>舍弃余数</translation>
        </message>
        <message>
            <source>Leave out the samples that do not fill all ranks, and the last short batch.</source>
            <translation>舍弃填不满所有 rank 的样本以及最后不足的一批。</translation>
        </message>
        <message>
            <source>Drop a short batch</source>
            <translation>舍弃不足的批</translation>
        </message>
        <message>
            <source>Leave out only the last short batch, as PyTorch's DataLoader(drop_last=True).</source>
            <translation>仅舍弃最后不足的一批，与 PyTorch 的 DataLoader(drop_last=True) 相同。</translation>
        </message>
        <message>
            <source>Synchronise batch norms</source>
            <translation>同步批归一化</translation>
        </message>
        <message>
            <source>Batch norms use the statistics of the batches of all ranks.</source>
            <translation>批归一化使用所有 rank 的批的统计量。</translation>
        </message>
        <message>
            <source>See&amp;d</source>
            <translation>种子(&amp;D)</translation>
        </message>
        <message>
            <source>Of the initial parameters and the order of the samples.</source>
            <translation>用于初始参数和样本顺序。</translation>
        </message>
        <message>
            <source>Seed of the order</source>
            <translation>顺序的种子</translation>
        </message>
        <message>
            <source>Of the order of the samples alone.</source>
            <translation>仅用于样本顺序。</translation>
        </message>
        <message>
            <source>seed</source>
            <translation>seed</translation>
        </message>
        <message>
            <source>&amp;Optimizer</source>
            <translation>优化器(&amp;O)</translation>
        </message>
        <message>
            <source>What updates the parameters.</source>
            <translation>用什么更新参数。</translation>
        </message>
        <message>
            <source>&amp;Learning rate</source>
            <translation>学习率(&amp;L)</translation>
        </message>
        <message>
            <source>With adam and adamw the default is 0.001.</source>
            <translation>使用 adam 和 adamw 时默认为 0.001。</translation>
        </message>
        <message>
            <source>M&amp;omentum</source>
            <translation>动量(&amp;O)</translation>
        </message>
        <message>
            <source>Beta 1</source>
            <translation>Beta 1</translation>
        </message>
        <message>
            <source>Decay of the mean of the gradients.</source>
            <translation>梯度均值的衰减。</translation>
        </message>
        <message>
            <source>Beta 2</source>
            <translation>Beta 2</translation>
        </message>
        <message>
            <source>Decay of the mean of their squares.</source>
            <translation>梯度平方均值的衰减。</translation>
        </message>
        <message>
            <source>&amp;Weight decay</source>
            <translation>权重衰减(&amp;W)</translation>
        </message>
        <message>
            <source>With adamw the default is 0.01.</source>
            <translation>使用 adamw 时默认为 0.01。</translation>
        </message>
        <message>
            <source>Nesterov</source>
            <translation>Nesterov</translation>
        </message>
        <message>
            <source>Nesterov's momentum; needs a momentum and no dampening.</source>
            <translation>Nesterov 动量；需要动量且不能有阻尼。</translation>
        </message>
        <message>
            <source>Dampening</source>
            <translation>阻尼</translation>
        </message>
        <message>
            <source>Of the momentum.</source>
            <translation>动量的阻尼。</translation>
        </message>
        <message>
            <source>Epsilon</source>
            <translation>Epsilon</translation>
        </message>
        <message>
            <source>Added to the divisor.</source>
            <translation>加在除数上。</translation>
        </message>
        <message>
            <source>No decay of norms</source>
            <translation>归一化层不衰减</translation>
        </message>
        <message>
            <source>Biases and normalisation layers are not decayed.</source>
            <translation>偏置和归一化层不做权重衰减。</translation>
        </message>
        <message>
            <source>Sche&amp;dule</source>
            <translation>学习率计划(&amp;D)</translation>
        </message>
        <message>
            <source>How the learning rate changes. `schedule: cos` is short for `schedule: { name: cos }`. onecycle is PyTorch's OneCycleLR, and lr its max_lr.</source>
            <translation>学习率如何变化。`schedule: cos` 是 `schedule: { name: cos }` 的简写。onecycle 即 PyTorch 的 OneCycleLR，lr 是其 max_lr。</translation>
        </message>
        <message>
            <source>Changes by</source>
            <translation>变化时机</translation>
        </message>
        <message>
            <source>Whether the rate changes after every epoch or after every step.</source>
            <translation>学习率在每轮之后还是每步之后变化。</translation>
        </message>
        <message>
            <source>Ends at</source>
            <translation>终值</translation>
        </message>
        <message>
            <source>The last rate as a share of lr.</source>
            <translation>最后的学习率占 lr 的份额。</translation>
        </message>
        <message>
            <source>Milestones</source>
            <translation>里程碑</translation>
        </message>
        <message>
            <source>Epochs after which the rate is multiplied by gamma.</source>
            <translation>在这些轮之后学习率乘以 gamma。</translation>
        </message>
        <message>
            <source>Gamma</source>
            <translation>Gamma</translation>
        </message>
        <message>
            <source>Factor at every milestone.</source>
            <translation>每个里程碑的系数。</translation>
        </message>
        <message>
            <source>Warm-up epochs</source>
            <translation>预热轮数</translation>
        </message>
        <message>
            <source>The rate rises to the schedule's in this time. Give epochs or steps.</source>
            <translation>学习率在此期间升到计划值。轮数和步数只给一个。</translation>
        </message>
        <message>
            <source>no warm-up</source>
            <translation>不预热</translation>
        </message>
        <message>
            <source>Warm-up steps</source>
            <translation>预热步数</translation>
        </message>
        <message>
            <source>The same in steps.</source>
            <translation>同上，以步计。</translation>
        </message>
        <message>
            <source>Warm-up starts at</source>
            <translation>预热起点</translation>
        </message>
        <message>
            <source>The first rate as a share of the schedule's.</source>
            <translation>最初的学习率占计划值的份额。</translation>
        </message>
        <message>
            <source>Reference batch</source>
            <translation>参考批大小</translation>
        </message>
        <message>
            <source>lr is for this number of samples per update and is scaled linearly to batch_size · world size · accumulate_steps.</source>
            <translation>lr 对应每次更新这么多样本，并按 batch_size · world size · accumulate_steps 线性缩放。</translation>
        </message>
        <message>
            <source>lr is used as it is</source>
            <translation>lr 按原值使用</translation>
        </message>
        <message>
            <source>Rising share</source>
            <translation>上升份额</translation>
        </message>
        <message>
            <source>Share of the steps in which lr rises.</source>
            <translation>lr 上升的步数所占的份额。</translation>
        </message>
        <message>
            <source>Anneal</source>
            <translation>退火</translation>
        </message>
        <message>
            <source>Shape of the curve.</source>
            <translation>曲线的形状。</translation>
        </message>
        <message>
            <source>First divisor</source>
            <translation>首个除数</translation>
        </message>
        <message>
            <source>The first rate is lr divided by it.</source>
            <translation>最初的学习率是 lr 除以它。</translation>
        </message>
        <message>
            <source>Last divisor</source>
            <translation>末尾除数</translation>
        </message>
        <message>
            <source>The last rate is the first divided by it.</source>
            <translation>最后的学习率是最初的除以它。</translation>
        </message>
        <message>
            <source>Three phases</source>
            <translation>三个阶段</translation>
        </message>
        <message>
            <source>A third phase brings lr to its minimum.</source>
            <translation>第三阶段把 lr 降到最小。</translation>
        </message>
        <message>
            <source>Cycle momentum</source>
            <translation>动量循环</translation>
        </message>
        <message>
            <source>The momentum changes against lr.</source>
            <translation>动量与 lr 反向变化。</translation>
        </message>
        <message>
            <source>Base momentum</source>
            <translation>基础动量</translation>
        </message>
        <message>
            <source>Largest momentum</source>
            <translation>最大动量</translation>
        </message>
        <message>
            <source>De&amp;vice</source>
            <translation>设备(&amp;V)</translation>
        </message>
        <message>
            <source>What computes. auto: GPUs where every node of the run has one, else CPUs; the plan says which. cuda takes one GPU per rank and NCCL.</source>
            <translation>用什么计算。auto：运行的每个节点都有 GPU 时用 GPU，否则用 CPU；计划中会说明。cuda 每个 rank 用一块 GPU，并使用 NCCL。</translation>
        </message>
        <message>
            <source>&amp;Precision</source>
            <translation>精度(&amp;P)</translation>
        </message>
        <message>
            <source>What multiplies; weights stay fp32. GPUs need compute capability 8.0 for tf32 and bf16, 7.0 for fp16. CPUs compute tf32 as fp32, need AVX512-BF16 for bf16, and have no fp16.</source>
            <translation>乘法所用的精度；权重保持 fp32。GPU 使用 tf32 和 bf16 需要计算能力 8.0，fp16 需要 7.0。CPU 把 tf32 当作 fp32 计算，bf16 需要 AVX512-BF16，没有 fp16。</translation>
        </message>
        <message>
            <source>Deterministic</source>
            <translation>确定性</translation>
        </message>
        <message>
            <source>Only kernels that give the same bits in every run.</source>
            <translation>仅使用每次运行结果逐位相同的内核。</translation>
        </message>
        <message>
            <source>Threads per rank</source>
            <translation>每个 rank 的线程</translation>
        </message>
        <message>
            <source>Compute threads.</source>
            <translation>计算线程数。</translation>
        </message>
        <message>
            <source>OMP_NUM_THREADS, else 1</source>
            <translation>OMP_NUM_THREADS，否则为 1</translation>
        </message>
        <message>
            <source>Older name of ddp.bucket_mb.</source>
            <translation>ddp.bucket_mb 的旧名称。</translation>
        </message>
        <message>
            <source>ddp.bucket_mb</source>
            <translation>ddp.bucket_mb</translation>
        </message>
        <message>
            <source>First bucket (MiB)</source>
            <translation>第一个桶 (MiB)</translation>
        </message>
        <message>
            <source>Size of the first gradient bucket.</source>
            <translation>第一个梯度桶的大小。</translation>
        </message>
        <message>
            <source>chosen from the size of the model</source>
            <translation>按模型大小选择</translation>
        </message>
        <message>
            <source>Buckets (MiB)</source>
            <translation>桶 (MiB)</translation>
        </message>
        <message>
            <source>Size of the other gradient buckets.</source>
            <translation>其他梯度桶的大小。</translation>
        </message>
        <message>
            <source>Compression</source>
            <translation>压缩</translation>
        </message>
        <message>
            <source>Of gradients on the network.</source>
            <translation>网络上梯度的压缩。</translation>
        </message>
        <message>
            <source>Broadcast buffers</source>
            <translation>广播缓冲区</translation>
        </message>
        <message>
            <source>Rank 0's running statistics go to all ranks.</source>
            <translation>rank 0 的运行统计量发送给所有 rank。</translation>
        </message>
        <message>
            <source>Unused parameters</source>
            <translation>未使用的参数</translation>
        </message>
        <message>
            <source>Collective time-out (s)</source>
            <translation>集合通信超时 (s)</translation>
        </message>
        <message>
            <source>A collective operation that takes longer ends the run.</source>
            <translation>耗时更长的集合操作会结束运行。</translation>
        </message>
        <message>
            <source>the process group's own</source>
            <translation>进程组自己的值</translation>
        </message>
        <message>
            <source>Heartbeat (s)</source>
            <translation>心跳 (s)</translation>
        </message>
        <message>
            <source>How often ranks report to each other that they are alive.</source>
            <translation>各 rank 相互报告存活的间隔。</translation>
        </message>
        <message>
            <source>Rendezvous time-out (s)</source>
            <translation>会合超时 (s)</translation>
        </message>
        <message>
            <source>Time for all ranks to arrive.</source>
            <translation>所有 rank 到齐的时限。</translation>
        </message>
        <message>
            <source>120</source>
            <translation>120</translation>
        </message>
        <message>
            <source>Validate</source>
            <translation>验证</translation>
        </message>
        <message>
            <source>Validation over all ranks after every epoch.</source>
            <translation>每轮之后在所有 rank 上验证。</translation>
        </message>
        <message>
            <source>Validation batch</source>
            <translation>验证批大小</translation>
        </message>
        <message>
            <source>Samples of a rank in one pass.</source>
            <translation>一个 rank 一次计算的样本数。</translation>
        </message>
        <message>
            <source>batch_size</source>
            <translation>batch_size</translation>
        </message>
        <message>
            <source>Pad the ranks</source>
            <translation>补齐各 rank</translation>
        </message>
        <message>
            <source>Repeat samples until all ranks have the same number, as PyTorch's sampler does; some count twice.</source>
            <translation>重复样本直到所有 rank 数量相同，与 PyTorch 的采样器一致；有些样本会计两次。</translation>
        </message>
        <message>
            <source>Report every</source>
            <translation>报告间隔</translation>
        </message>
        <message>
            <source>Batches between two results over all ranks.</source>
            <translation>两次汇总所有 rank 结果之间的批数。</translation>
        </message>
        <message>
            <source>only the whole</source>
            <translation>仅报告总体</translation>
        </message>
        <message>
            <source>Top k</source>
            <translation>Top k</translation>
        </message>
        <message>
            <source>The k of the second accuracy.</source>
            <translation>第二个准确率的 k。</translation>
        </message>
        <message>
            <source>Chec&amp;kpoints in</source>
            <translation>检查点位置(&amp;K)</translation>
        </message>
        <message>
            <source>Folder on the nodes. Empty: no checkpoints are written.</source>
            <translation>节点上的文件夹。为空：不写检查点。</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>Every epochs</source>
            <translation>每隔轮数</translation>
        </message>
        <message>
            <source>Epochs between two checkpoints; 0: not by epoch.</source>
            <translation>两个检查点之间的轮数；0：不按轮。</translation>
        </message>
        <message>
            <source>Every steps</source>
            <translation>每隔步数</translation>
        </message>
        <message>
            <source>Updates between two checkpoints.</source>
            <translation>两个检查点之间的更新次数。</translation>
        </message>
        <message>
            <source>not by step</source>
            <translation>不按步</translation>
        </message>
        <message>
            <source>Keep newest</source>
            <translation>保留最新</translation>
        </message>
        <message>
            <source>Older checkpoints are removed; 0: keep all.</source>
            <translation>更早的检查点会被删除；0：全部保留。</translation>
        </message>
        <message>
            <source>Resume from</source>
            <translation>恢复自</translation>
        </message>
        <message>
            <source>auto: the newest good one, if there is one; never; or the path of one.</source>
            <translation>auto：最新的完好检查点（如有）；never：不恢复；或检查点的路径。</translation>
        </message>
        <message>
            <source>Initial weights</source>
            <translation>初始权重</translation>
        </message>
        <message>
            <source>from seed</source>
            <translation>由 seed 决定</translation>
        </message>
        <message>
            <source>Log every</source>
            <translation>日志间隔</translation>
        </message>
        <message>
            <source>Updates between two lines of the human log.</source>
            <translation>可读日志两行之间的更新次数。</translation>
        </message>
        <message>
            <source>Metrics every</source>
            <translation>指标间隔</translation>
        </message>
        <message>
            <source>Updates between two metric lines over all ranks; rank 0 writes them.</source>
            <translation>两行汇总所有 rank 的指标之间的更新次数；由 rank 0 写出。</translation>
        </message>
        <message>
            <source>Variables</source>
            <translation>变量</translation>
        </message>
        <message>
            <source>Environment of all ranks. Placeholders such as {rank} and {node} are replaced.</source>
            <translation>所有 rank 的环境变量。{rank}、{node} 等占位符会被替换。</translation>
        </message>
        <message>
            <source>Secret variables</source>
            <translation>机密变量</translation>
        </message>
        <message>
            <source>Variables whose values are shown as *** and not stored. Names such as HF_TOKEN or DB_PASSWORD are secret without this list.</source>
            <translation>其值显示为 *** 且不存储的变量。HF_TOKEN、DB_PASSWORD 之类的名称无需列出即为机密。</translation>
        </message>
        <message>
            <source>of a node</source>
            <translation>某个节点的</translation>
        </message>
        <message>
            <source>Environment of the ranks of a node; wins over env.</source>
            <translation>某个节点上各 rank 的环境变量；优先于 env。</translation>
        </message>
        <message>
            <source>of a rank</source>
            <translation>某个 rank 的</translation>
        </message>
        <message>
            <source>Environment of one rank; wins over env and node_env.</source>
            <translation>一个 rank 的环境变量；优先于 env 和 node_env。</translation>
        </message>
        <message>
            <source>Sample nodes every (s)</source>
            <translation>节点采样间隔 (s)</translation>
        </message>
        <message>
            <source>Seconds between two samples of GPU and host; 0: never.</source>
            <translation>GPU 和主机两次采样之间的秒数；0：从不。</translation>
        </message>
        <message>
            <source>Grace time (s)</source>
            <translation>宽限时间 (s)</translation>
        </message>
        <message>
            <source>Seconds between SIGTERM and SIGKILL when ranks are stopped.</source>
            <translation>停止 rank 时 SIGTERM 与 SIGKILL 之间的秒数。</translation>
        </message>
        <message>
            <source>Restarts</source>
            <translation>重启次数</translation>
        </message>
        <message>
            <source>How often all ranks are started again after one has failed.</source>
            <translation>某个 rank 失败后重新启动所有 rank 的次数。</translation>
        </message>
        <message>
            <source>Lost node after (s)</source>
            <translation>节点失联判定 (s)</translation>
        </message>
        <message>
            <source>A node that the others have not heard from for this time ends the run; 0: never.</source>
            <translation>其他节点在这段时间内没有收到某节点的消息，则结束运行；0：从不。</translation>
        </message>
        <message>
            <source>Stopped rank after (s)</source>
            <translation>rank 停住判定 (s)</translation>
        </message>
        <message>
            <source>A rank that a signal has stopped for this time fails the run; 0: never.</source>
            <translation>被信号停住这么久的 rank 使运行失败；0：从不。</translation>
        </message>
        <message>
            <source>When it hangs</source>
            <translation>挂起时</translation>
        </message>
        <message>
            <source>report: name the cause. dump: keep the stacks of all ranks, too. stop: stop the run.</source>
            <translation>report：指出原因。dump：同时保存所有 rank 的调用栈。stop：停止运行。</translation>
        </message>
        <message>
            <source>It hangs after (s)</source>
            <translation>挂起判定 (s)</translation>
        </message>
        <message>
            <source>Without progress for this time the ranks are inspected; 0: learnt from the run.</source>
            <translation>这段时间没有进展则检查各 rank；0：由运行情况得出。</translation>
        </message>
        <message>
            <source>Observe NCCL</source>
            <translation>观察 NCCL</translation>
        </message>
        <message>
            <source>auto: operations and their GPU times, where ranks have GPUs. light: without GPU times. full: and the network.</source>
            <translation>auto：在有 GPU 的 rank 上记录操作及其 GPU 时间。light：不含 GPU 时间。full：还包括网络。</translation>
        </message>
        <message>
            <source>Before a stop</source>
            <translation>停止之前</translation>
        </message>
        <message>
            <source>Signal that the ranks get so that they write a checkpoint and end by themselves.</source>
            <translation>发给各 rank 的信号，让它们写检查点并自行结束。</translation>
        </message>
        <message>
            <source>and wait (s)</source>
            <translation>并等待 (s)</translation>
        </message>
        <message>
            <source>Seconds after that signal until SIGTERM follows.</source>
            <translation>该信号之后到发送 SIGTERM 的秒数。</translation>
        </message>
        <message>
            <source>What the native engine trains; its keys are below.</source>
            <translation>内置引擎训练的内容；其各键见下。</translation>
        </message>
        <message>
            <source>command runs instead</source>
            <translation>改为运行 command</translation>
        </message>
        <message>
            <source>Co&amp;mmand</source>
            <translation>命令(&amp;M)</translation>
        </message>
        <message>
            <source>Your own program, instead of train; every rank runs it with torchrun's environment.</source>
            <translation>用自己的程序代替 train；每个 rank 以 torchrun 的环境变量运行它。</translation>
        </message>
        <message>
            <source>train runs instead</source>
            <translation>改为运行 train</translation>
        </message>
        <message>
            <source>Wor&amp;king folder</source>
            <translation>工作文件夹(&amp;K)</translation>
        </message>
        <message>
            <source>On the nodes.</source>
            <translation>位于节点上。</translation>
        </message>
        <message>
            <source>the home folder, or that of the pushed files</source>
            <translation>主文件夹，或推送文件所在的文件夹</translation>
        </message>
        <message>
            <source>P&amp;ush</source>
            <translation>推送(&amp;U)</translation>
        </message>
        <message>
            <source>Files and folders next to the job file; only changes travel.</source>
            <translation>作业文件旁边的文件和文件夹；只传送改动。</translation>
        </message>
        <message>
            <source>nothing: it is on the nodes already</source>
            <translation>无：节点上已有</translation>
        </message>
        <message>
            <source>Local rank as</source>
            <translation>本地 rank 的传法</translation>
        </message>
        <message>
            <source>Argument for scripts written for torch.distributed.launch.</source>
            <translation>用于为 torch.distributed.launch 编写的脚本的参数。</translation>
        </message>
        <message>
            <source>Python &amp;of</source>
            <translation>Python 来自(&amp;O)</translation>
        </message>
        <message>
            <source>Folder of a virtual environment on the nodes.</source>
            <translation>节点上虚拟环境的文件夹。</translation>
        </message>
        <message>
            <source>the node's Python</source>
            <translation>节点的 Python</translation>
        </message>
        <message>
            <source>Name or folder of an environment of conda on the nodes.</source>
            <translation>节点上 conda 环境的名称或文件夹。</translation>
        </message>
        <message>
            <source>Lo&amp;g folder</source>
            <translation>日志文件夹(&amp;G)</translation>
        </message>
        <message>
            <source>On the nodes: a file per rank as well, as torchrun lays them out.</source>
            <translation>位于节点上：每个 rank 另写一个文件，布局与 torchrun 相同。</translation>
        </message>
        <message>
            <source>none: the output comes here</source>
            <translation>无：输出传到这里</translation>
        </message>
        <message>
            <source>TensorBoard folder</source>
            <translation>TensorBoard 文件夹</translation>
        </message>
        <message>
            <source>Folder of event files on the node, from workdir, with placeholders: runs/{rank}. metrics.lines is then false unless the job says otherwise.</source>
            <translation>节点上事件文件的文件夹，相对 workdir，可用占位符：runs/{rank}。此时 metrics.lines 为 false，除非作业另有说明。</translation>
        </message>
        <message>
            <source>Known lines</source>
            <translation>已知的行</translation>
        </message>
        <message>
            <source>Read curves from lines of known shapes: PyTorch's examples, Lightning, Hugging Face, tqdm, Megatron-LM and others.</source>
            <translation>从已知格式的行读取曲线：PyTorch 示例、Lightning、Hugging Face、tqdm、Megatron-LM 等。</translation>
        </message>
        <message>
            <source>Own l&amp;ines</source>
            <translation>自定义行(&amp;I)</translation>
        </message>
        <message>
            <source>{name} is a number that becomes a curve, {} any number, {*} any text.</source>
            <translation>{name} 是成为曲线的数，{} 是任意数，{*} 是任意文本。</translation>
        </message>
        <message>
            <source>Name of the r&amp;un</source>
            <translation>运行名称(&amp;U)</translation>
        </message>
        <message>
            <source>Shown in Runs.</source>
            <translation>显示在“运行记录”中。</translation>
        </message>
        <message>
            <source>the name of the file</source>
            <translation>文件的名称</translation>
        </message>
        <message>
            <source>Laun&amp;cher</source>
            <translation>启动器(&amp;C)</translation>
        </message>
        <message>
            <source>&amp;Nodes</source>
            <translation>节点(&amp;N)</translation>
        </message>
        <message>
            <source>Names from the inventory; the first is the master. all: every node of the inventory. local: this computer, without SSH.</source>
            <translation>节点清单中的名称；第一个是主节点。all：节点清单中的所有节点。local：本机，不经 SSH。</translation>
        </message>
        <message>
            <source>required unless the launcher chooses the nodes</source>
            <translation>必填，除非由启动器选择节点</translation>
        </message>
        <message>
            <source>Master</source>
            <translation>主节点</translation>
        </message>
        <message>
            <source>The node that gets rank 0.</source>
            <translation>得到 rank 0 的节点。</translation>
        </message>
        <message>
            <source>the first of nodes</source>
            <translation>nodes 中的第一个</translation>
        </message>
        <message>
            <source>Order of ranks</source>
            <translation>rank 的次序</translation>
        </message>
        <message>
            <source>block: all ranks of the first node, then of the next, as torchrun. cyclic: one rank of each node in turn.</source>
            <translation>block：先是第一个节点的所有 rank，再是下一个，与 torchrun 相同。cyclic：轮流在每个节点上放一个 rank。</translation>
        </message>
        <message>
            <source>&amp;Ranks per node</source>
            <translation>每个节点的 rank 数(&amp;R)</translation>
        </message>
        <message>
            <source>auto: one per GPU, else one per CPU slot; a number; or one for each node: { node1: 4, node2: 2 }.</source>
            <translation>auto：每块 GPU 一个，否则每个 CPU 槽位一个；或一个数；或逐节点给出：{ node1: 4, node2: 2 }。</translation>
        </message>
        <message>
            <source>GPUs of nodes</source>
            <translation>各节点的 GPU</translation>
        </message>
        <message>
            <source>Indices of the GPUs of a node, instead of the inventory's.</source>
            <translation>节点 GPU 的编号，代替节点清单中的设置。</translation>
        </message>
        <message>
            <source>those of the inventory</source>
            <translation>节点清单中的设置</translation>
        </message>
        <message>
            <source>Backend</source>
            <translation>通信后端</translation>
        </message>
        <message>
            <source>What the ranks communicate with: nccl between GPUs, gloo between CPUs. auto: as the device.</source>
            <translation>各 rank 用什么通信：GPU 之间用 nccl，CPU 之间用 gloo。auto：随设备而定。</translation>
        </message>
        <message>
            <source>Master &amp;port</source>
            <translation>主节点端口(&amp;P)</translation>
        </message>
        <message>
            <source>Preflight</source>
            <translation>预检</translation>
        </message>
        <message>
            <source>Before the start: quick: the nodes and the paths between them. always: loss, bandwidth and versions, too. off: nothing.</source>
            <translation>启动之前：quick：检查节点及其间的路径。always：还检查丢包、带宽和版本。off：不检查。</translation>
        </message>
        <message>
            <source>Network interface</source>
            <translation>网络接口</translation>
        </message>
        <message>
            <source>auto, or the name of one, for example eth0.</source>
            <translation>auto，或接口名称，例如 eth0。</translation>
        </message>
        <message>
            <source>Login &amp;node</source>
            <translation>登录节点(&amp;N)</translation>
        </message>
        <message>
            <source>Inventory name of a node that has sbatch; local: this computer.</source>
            <translation>节点清单中装有 sbatch 的节点名称；local：本机。</translation>
        </message>
        <message>
            <source>N&amp;umber of nodes</source>
            <translation>节点数(&amp;U)</translation>
        </message>
        <message>
            <source>Nodes to ask Slurm for.</source>
            <translation>向 Slurm 申请的节点数。</translation>
        </message>
        <message>
            <source>Part&amp;ition</source>
            <translation>分区(&amp;I)</translation>
        </message>
        <message>
            <source>Slurm's default</source>
            <translation>Slurm 的默认值</translation>
        </message>
        <message>
            <source>Acc&amp;ount</source>
            <translation>账户(&amp;O)</translation>
        </message>
        <message>
            <source>QOS</source>
            <translation>QOS</translation>
        </message>
        <message>
            <source>&amp;Time limit</source>
            <translation>时限(&amp;T)</translation>
        </message>
        <message>
            <source>Minutes, HH:MM:SS or D-HH:MM:SS.</source>
            <translation>分钟数、HH:MM:SS 或 D-HH:MM:SS。</translation>
        </message>
        <message>
            <source>&amp;GRES per node</source>
            <translation>每节点 GRES(&amp;G)</translation>
        </message>
        <message>
            <source>As sbatch --gres, for example gpu:4.</source>
            <translation>与 sbatch --gres 相同，例如 gpu:4。</translation>
        </message>
        <message>
            <source>E&amp;xtra for sbatch</source>
            <translation>sbatch 的其他参数(&amp;X)</translation>
        </message>
        <message>
            <source>Further options in one word each: --mem=32G --exclusive.</source>
            <translation>其他选项，每个一个词：--mem=32G --exclusive。</translation>
        </message>
        <message>
            <source>nodes that Slurm chooses</source>
            <translation>由 Slurm 选择节点</translation>
        </message>
        <message>
            <source>the nodes of the job</source>
            <translation>作业的各节点</translation>
        </message>
        <message>
            <source>Accepted and not needed: every parameter of a native model takes part in every step.</source>
            <translation>可以写，但不需要：原生模型的每个参数都参与每一步。</translation>
        </message>
        <message>
            <source>A safetensors or PyTorch file.</source>
            <translation>safetensors 或 PyTorch 文件。</translation>
        </message>
        <message>
            <source>The port on the master where the ranks meet. 0: a free one; with launcher: slurm 10000 + job id % 20000, which is the default there.</source>
            <translation>各 rank 会合时使用的主节点端口。0：空闲端口；launcher: slurm 时为 10000 + 作业号 % 20000，并且是其默认值。</translation>
        </message>
        <message>
            <source>Starts its own ranks</source>
            <translation>自行启动 rank</translation>
        </message>
        <message>
            <source>The program starts its ranks itself (Lightning, Ultralytics): one process on each node, without RANK and its kin.</source>
            <translation>程序自行启动 rank（Lightning、Ultralytics）：每个节点一个进程，不设置 RANK 等变量。</translation>
        </message>
        <message>
            <source>Command is mpirun</source>
            <translation>命令是 mpirun</translation>
        </message>
        <message>
            <source>The command is mpirun or mpiexec: it starts on the first node, and its daemons on the others, without ssh between them. procs_per_node: its slots.</source>
            <translation>命令是 mpirun 或 mpiexec：它在第一个节点上启动，它的守护进程在其他节点上启动，节点之间不需要 ssh。procs_per_node：每个节点的槽位数。</translation>
        </message>
        <message>
            <source>Throughput</source>
            <translation>吞吐量</translation>
        </message>
        <message>
            <source>Batch of all ranks</source>
            <translation>所有 rank 的批次</translation>
        </message>
        <message>
            <source>Samples of all ranks together in one step.</source>
            <translation>一步中所有 rank 的样本总数。</translation>
        </message>
        <message>
            <source>as output and command say</source>
            <translation>按输出和命令所示</translation>
        </message>
        <message>
            <source>Batch of a rank</source>
            <translation>一个 rank 的批次</translation>
        </message>
        <message>
            <source>Samples of one rank in one step.</source>
            <translation>一步中一个 rank 的样本数。</translation>
        </message>
        <message>
            <source>Tokens of a sample</source>
            <translation>每个样本的 token 数</translation>
        </message>
        <message>
            <source>Length of the sequences that the model is trained with.</source>
            <translation>训练模型所用序列的长度。</translation>
        </message>
        <message>
            <source>FLOPs of a sample</source>
            <translation>每个样本的 FLOPs</translation>
        </message>
        <message>
            <source>Of the model, forward and backward, for MFU.</source>
            <translation>模型前向与反向的 FLOPs，用于 MFU。</translation>
        </message>
        <message>
            <source>6 for each parameter and token</source>
            <translation>每个参数和 token 计 6</translation>
        </message>
        <message>
            <source>Parameters</source>
            <translation>参数量</translation>
        </message>
        <message>
            <source>That a token passes in a transformer, for MFU.</source>
            <translation>transformer 中每个 token 经过的参数，用于 MFU。</translation>
        </message>
        <message>
            <source>as the output says</source>
            <translation>按输出所示</translation>
        </message>
        <message>
            <source>Peak of a GPU (TFLOPS)</source>
            <translation>单个 GPU 的峰值 (TFLOPS)</translation>
        </message>
        <message>
            <source>What one GPU computes at most with the numbers that are used.</source>
            <translation>一个 GPU 以所用数值格式最多能计算多少。</translation>
        </message>
        <message>
            <source>dense BF16, by the name of the GPU</source>
            <translation>按 GPU 名称取稠密 BF16 的值</translation>
        </message>
        <message>
            <source>Known files</source>
            <translation>已知文件</translation>
        </message>
        <message>
            <source>Find the files that the program writes its numbers to (TensorBoard, wandb, MLflow, CSV, JSON lines), and read curves from them. metrics.tensorboard names a folder instead.</source>
            <translation>查找程序写入数值的文件（TensorBoard、wandb、MLflow、CSV、JSON 行），并从中读取曲线。metrics.tensorboard 则指定一个文件夹。</translation>
        </message>
    </context>
    <context>
        <name>KeyInstall</name>
        <message>
            <source>The login shell did not finish.</source>
            <translation>登录 shell 未结束。</translation>
        </message>
        <message>
            <source>Try `ssh %1 true`: a waiting ~/.bashrc is the usual cause.</source>
            <translation>试试 `ssh %1 true`：常见原因是 ~/.bashrc 在等待。</translation>
        </message>
        <message>
            <source>The account has no home folder there.</source>
            <translation>该账户在那里没有主文件夹。</translation>
        </message>
        <message>
            <source>Ask the administrator to make it; its place is in the password file.</source>
            <translation>请管理员创建；其位置见密码文件。</translation>
        </message>
        <message>
            <source>~/.ssh cannot be created, or belongs to another user.</source>
            <translation>无法创建 ~/.ssh，或它属于其他用户。</translation>
        </message>
        <message>
            <source>Check owner and permissions of the home and ~/.ssh there.</source>
            <translation>检查那里的主文件夹和 ~/.ssh 的所有者和权限。</translation>
        </message>
        <message>
            <source>~/.ssh/authorized_keys cannot be written.</source>
            <translation>无法写入 ~/.ssh/authorized_keys。</translation>
        </message>
        <message>
            <source>Check its owner, the disk's space (`df -h ~`) and the quota there.</source>
            <translation>检查那里该文件的所有者、磁盘空间（`df -h ~`）和配额。</translation>
        </message>
        <message>
            <source>The key could not be installed.</source>
            <translation>无法安装密钥。</translation>
        </message>
        <message>
            <source>Check the message of the node; `ssh %1 true` should print nothing.</source>
            <translation>查看节点给出的消息；`ssh %1 true` 应不输出任何内容。</translation>
        </message>
        <message>
            <source>The key is in ~/.ssh/authorized_keys on the node, but the server does not accept it.</source>
            <translation>密钥已在节点的 ~/.ssh/authorized_keys 中，但服务器不接受它。</translation>
        </message>
        <message>
            <source>Others can write to the home folder there, which sshd refuses: `chmod go-w ~`.</source>
            <translation>那里的主文件夹可被他人写入，sshd 会拒绝：`chmod go-w ~`。</translation>
        </message>
        <message>
            <source>Check AuthorizedKeysFile and PubkeyAuthentication in its sshd_config, and `journalctl -u ssh` there.</source>
            <translation>检查那里 sshd_config 中的 AuthorizedKeysFile 和 PubkeyAuthentication，以及 `journalctl -u ssh`。</translation>
        </message>
        <message>
            <source>installing the key</source>
            <translation>正在安装密钥</translation>
        </message>
        <message>
            <source>logging in with the key</source>
            <translation>正在用密钥登录</translation>
        </message>
    </context>
    <context>
        <name>KeyOffers</name>
        <message>
            <source>crop at random with a border of %1 pixels</source>
            <translation>加 %1 像素边框后随机裁剪</translation>
        </message>
        <message>
            <source>crop a part at random and resize it</source>
            <translation>随机裁剪一部分并缩放</translation>
        </message>
        <message>
            <source>flip left to right</source>
            <translation>左右翻转</translation>
        </message>
        <message>
            <source>nothing for this data set</source>
            <translation>此数据集不做任何增强</translation>
        </message>
        <message>
            <source>images as they are</source>
            <translation>图像保持原样</translation>
        </message>
        <message>
            <source>as the tutorials of the set: %1</source>
            <translation>与该数据集的教程相同：%1</translation>
        </message>
        <message>
            <source>small images, such as CIFAR</source>
            <translation>小图像，例如 CIFAR</translation>
        </message>
        <message>
            <source>photographs, such as ImageNet</source>
            <translation>照片，例如 ImageNet</translation>
        </message>
        <message>
            <source>with values, to change</source>
            <translation>带数值，可修改</translation>
        </message>
        <message>
            <source>mean %1; deviation %2</source>
            <translation>均值 %1；标准差 %2</translation>
        </message>
        <message>
            <source>from −1 to 1; values to change</source>
            <translation>从 −1 到 1；数值可修改</translation>
        </message>
        <message>
            <source>the one that reaches the master</source>
            <translation>能到达主节点的那个</translation>
        </message>
        <message>
            <source>not on all nodes: %1</source>
            <translation>并非所有节点都有：%1</translation>
        </message>
    </context>
    <context>
        <name>KeyPair</name>
        <message>
            <source>The key file cannot be written: %1.</source>
            <translation>无法写入密钥文件：%1。</translation>
        </message>
        <message>
            <source>Check the folder's permissions and free space.</source>
            <translation>检查文件夹的权限和剩余空间。</translation>
        </message>
        <message>
            <source>There is a file of this name; it was not touched.</source>
            <translation>已有同名文件；未改动它。</translation>
        </message>
        <message>
            <source>Use that key, or choose another name: --file ~/.ssh/id_rankscope.</source>
            <translation>使用那个密钥，或换一个名称：--file ~/.ssh/id_rankscope。</translation>
        </message>
        <message>
            <source>No key could be made.</source>
            <translation>无法生成密钥。</translation>
        </message>
        <message>
            <source>The public key cannot be read: %1.</source>
            <translation>无法读取公钥：%1。</translation>
        </message>
        <message>
            <source>Make one with `rankscopectl keys generate`, or name another: --file.</source>
            <translation>用 `rankscopectl keys generate` 生成一个，或指定另一个：--file。</translation>
        </message>
        <message>
            <source>This is no public SSH key.</source>
            <translation>这不是 SSH 公钥。</translation>
        </message>
        <message>
            <source>It is one line that begins with its type, such as ssh-ed25519.</source>
            <translation>公钥只有一行，以其类型开头，例如 ssh-ed25519。</translation>
        </message>
    </context>
    <context>
        <name>Launch</name>
        <message>
            <source>Give a whole number from %1 to %2.</source>
            <translation>填写 %1 到 %2 之间的整数。</translation>
        </message>
        <message>
            <source>Give the program with its arguments: python3 train.py --lr 0.1</source>
            <translation>填写程序及其参数：python3 train.py --lr 0.1</translation>
        </message>
        <message>
            <source>Give the environment's folder on the nodes, such as ~/venvs/torch.</source>
            <translation>填写节点上的环境文件夹，例如 ~/venvs/torch。</translation>
        </message>
        <message>
            <source>Give the environment's name or folder on the nodes.</source>
            <translation>填写节点上环境的名称或文件夹。</translation>
        </message>
        <message>
            <source>Words with spaces between them; put those with ; &amp; | &lt; &gt; into single quotes.</source>
            <translation>各词以空格分隔；含有 ; &amp; | &lt; &gt; 的词请放入单引号中。</translation>
        </message>
        <message>
            <source>Write auto, a number from 1 to 1024, or one for each node: node1: 4, node2: 2.</source>
            <translation>写 auto、1 到 1024 之间的数，或为每个节点各写一个：node1: 4, node2: 2。</translation>
        </message>
        <message>
            <source>With launcher %1 every node has the same number of ranks: write a number, or auto.</source>
            <translation>使用启动器 %1 时每个节点的 rank 数相同：写一个数，或 auto。</translation>
        </message>
        <message>
            <source>Write nodes and numbers from 1 to %1: node1: 4, node2: 2.</source>
            <translation>写节点和 1 到 %1 之间的数：node1: 4, node2: 2。</translation>
        </message>
        <message>
            <source>Reading the inventory…</source>
            <translation>正在读取节点清单…</translation>
        </message>
        <message>
            <source>The inventory has errors: see Fleet.</source>
            <translation>节点清单有错误：见“集群”。</translation>
        </message>
        <message>
            <source>Choose at least one node.</source>
            <translation>至少选择一个节点。</translation>
        </message>
        <message>
            <source>One field needs another value.</source>
            <translation>一个字段需要改成其他值。</translation>
        </message>
        <message>
            <source>%1 fields need other values.</source>
            <translation>%1 个字段需要改成其他值。</translation>
        </message>
        <message>
            <source>Opening the run store…</source>
            <translation>正在打开运行存储…</translation>
        </message>
        <message>
            <source>Making the plan…</source>
            <translation>正在制定计划…</translation>
        </message>
        <message>
            <source>There is no plan: %1</source>
            <translation>没有计划：%1</translation>
        </message>
        <message>
            <source>Give the run a name.</source>
            <translation>为运行填写名称。</translation>
        </message>
        <message>
            <source>Give a port from 1 to 65535, or 0 for a free one.</source>
            <translation>填写 1 到 65535 之间的端口，或填 0 使用空闲端口。</translation>
        </message>
        <message>
            <source>the text is larger than %1 KiB</source>
            <translation>文本大于 %1 KiB</translation>
        </message>
        <message>
            <source>Open a job file.</source>
            <translation>请打开一个作业文件。</translation>
        </message>
        <message>
            <source>Starts in a tab of its own, beside %1.</source>
            <translation>将在新标签页中启动，与 %1 同时运行。</translation>
        </message>
        <message>
            <source>this computer</source>
            <translation>本机</translation>
        </message>
        <message>
            <source>The run %1 uses port %2 of %3: set Master port to 0 for a free one, or to another number.</source>
            <translation>运行 %1 正在使用 %3 的端口 %2：请将主端口设为 0 以选用空闲端口，或改为其他端口号。</translation>
        </message>
        <message>
            <source>The run %1 uses these GPUs, too (%2): both become slower, and their memory may not suffice.</source>
            <translation>运行 %1 也在使用这些 GPU（%2）：两者都会变慢，显存也可能不够。</translation>
        </message>
        <message>
            <source>Correct the job file first.</source>
            <translation>请先更正作业文件。</translation>
        </message>
    </context>
    <context>
        <name>LaunchContext</name>
        <message>
            <source>reading the files of push:, %1 MB</source>
            <translation>正在读取 push: 的文件，%1 MB</translation>
        </message>
    </context>
    <context>
        <name>LaunchLines</name>
        <message>
            <source>accelerate starts the same number of ranks on every node.</source>
            <translation>accelerate 在每个节点上启动相同数目的 rank。</translation>
        </message>
        <message>
            <source>Give procs_per_node one number.</source>
            <translation>为 procs_per_node 填写一个数。</translation>
        </message>
        <message>
            <source>is not read; give what it says as options</source>
            <translation>不会被读取；请将其内容写成选项</translation>
        </message>
        <message>
            <source>%1 processes on %2 machines: accelerate wants the same number on each.</source>
            <translation>%2 台机器上有 %1 个进程：accelerate 要求每台数目相同。</translation>
        </message>
        <message>
            <source>Correct --num_processes (it counts all machines).</source>
            <translation>更正 --num_processes（它按所有机器合计）。</translation>
        </message>
        <message>
            <source>"%1" is not host:0,1@host:2,3</source>
            <translation>“%1”不符合 host:0,1@host:2,3</translation>
        </message>
        <message>
            <source>choose the nodes in nodes:</source>
            <translation>在 nodes: 中选择节点</translation>
        </message>
        <message>
            <source>a start that fails is reported immediately</source>
            <translation>启动失败会立即报告</translation>
        </message>
        <message>
            <source>give HOROVOD_FUSION_THRESHOLD in env:</source>
            <translation>在 env: 中给出 HOROVOD_FUSION_THRESHOLD</translation>
        </message>
        <message>
            <source>hvd.init() also asks horovodrun's own rendezvous server, which is not there; use a script on torch.distributed, or start horovodrun itself in command:.</source>
            <translation>hvd.init() 还会向 horovodrun 自己的会合服务器请求，而这里没有该服务器；请使用基于 torch.distributed 的脚本，或在 command: 中启动 horovodrun 本身。</translation>
        </message>
        <message>
            <source>%1: programs start without a shell; say it with venv: or conda:, or name the environment's python in command:.</source>
            <translation>%1：程序启动时不经过 shell；请用 venv: 或 conda: 指定，或在 command: 中写明该环境的 python。</translation>
        </message>
        <message>
            <source>The text is not UTF-8.</source>
            <translation>文本不是 UTF-8。</translation>
        </message>
        <message>
            <source>Copy the command line as text.</source>
            <translation>请以文本形式复制命令行。</translation>
        </message>
        <message>
            <source>The text cannot be split into words: %1.</source>
            <translation>无法将文本拆分成词：%1。</translation>
        </message>
        <message>
            <source>Copy the whole command line.</source>
            <translation>请复制完整的命令行。</translation>
        </message>
        <message>
            <source>%1 …: what follows the launcher is left out.</source>
            <translation>%1 …：启动器之后的内容被略去。</translation>
        </message>
        <message>
            <source>%1: a shell would fill that in; programs start without one. Write the value.</source>
            <translation>%1：这会由 shell 填充，而程序启动时不经过 shell。请写出具体值。</translation>
        </message>
        <message>
            <source>%1: each rank's output is kept anyway.</source>
            <translation>%1：每个 rank 的输出本来就会保留。</translation>
        </message>
        <message>
            <source>There is no launcher in the text.</source>
            <translation>文本中没有启动器。</translation>
        </message>
        <message>
            <source>The line asks for %1 nodes, but does not name them, and %2 are chosen.</source>
            <translation>该命令行要求 %1 个节点，但未指明是哪些，而已选择 %2 个。</translation>
        </message>
        <message>
            <source>Choose %1 nodes (rankscopectl: --nodes node1,node2).</source>
            <translation>选择 %1 个节点（rankscopectl: --nodes node1,node2）。</translation>
        </message>
        <message>
            <source>The line's host %1 is not in the inventory.</source>
            <translation>该命令行中的主机 %1 不在节点清单中。</translation>
        </message>
        <message>
            <source>Add it with `rankscopectl nodes add %1`.</source>
            <translation>用 `rankscopectl nodes add %1` 添加它。</translation>
        </message>
        <message>
            <source>%1 is not known and was left out.</source>
            <translation>%1 未知，已略去。</translation>
        </message>
        <message>
            <source>%1 has no option %2 that is known here.</source>
            <translation>%1 没有这里已知的选项 %2。</translation>
        </message>
        <message>
            <source>Leave it out, or write it as %1=VALUE if it takes a value.</source>
            <translation>去掉它；如果它需要值，则写成 %1=VALUE。</translation>
        </message>
        <message>
            <source>%1 has no value.</source>
            <translation>%1 没有值。</translation>
        </message>
        <message>
            <source>Is the end of the line missing?</source>
            <translation>是否缺少行尾部分？</translation>
        </message>
        <message>
            <source>Correct the value.</source>
            <translation>请更正该值。</translation>
        </message>
        <message>
            <source>"%1" is not a number from %2 to %3</source>
            <translation>“%1”不是 %2 到 %3 之间的数</translation>
        </message>
        <message>
            <source>each rank's output is kept anyway</source>
            <translation>每个 rank 的输出本来就会保留</translation>
        </message>
        <message>
            <source>the inventory says how nodes are reached</source>
            <translation>节点的连接方式由节点清单给出</translation>
        </message>
        <message>
            <source>each run has a rendezvous of its own</source>
            <translation>每个运行都有自己的会合</translation>
        </message>
        <message>
            <source>the number of nodes is fixed in a run</source>
            <translation>一个运行的节点数是固定的</translation>
        </message>
        <message>
            <source>ranks follow from the order of the nodes</source>
            <translation>rank 由节点的顺序决定</translation>
        </message>
        <message>
            <source>the master's address is found out</source>
            <translation>主节点的地址会自动查明</translation>
        </message>
        <message>
            <source>an exit is seen at once</source>
            <translation>退出会立即被发现</translation>
        </message>
        <message>
            <source>there is one role</source>
            <translation>只有一个角色</translation>
        </message>
        <message>
            <source>address: in the inventory says that</source>
            <translation>由节点清单中的 address: 给出</translation>
        </message>
        <message>
            <source>start numactl in command: instead</source>
            <translation>请改为在 command: 中启动 numactl</translation>
        </message>
        <message>
            <source>Rankscope does that in its own way</source>
            <translation>Rankscope 以自己的方式处理</translation>
        </message>
        <message>
            <source>"%1" is not host:slots</source>
            <translation>“%1”不符合 host:slots</translation>
        </message>
        <message>
            <source>"%1" names no host</source>
            <translation>“%1”未指明主机</translation>
        </message>
        <message>
            <source>"%1" is not a list of GPUs (0,1,2)</source>
            <translation>“%1”不是 GPU 列表 (0,1,2)</translation>
        </message>
        <message>
            <source>--nnodes %1: the number of nodes is fixed in a run; the larger is taken.</source>
            <translation>--nnodes %1：一个运行的节点数是固定的；取较大者。</translation>
        </message>
        <message>
            <source>Give the number of nodes.</source>
            <translation>填写节点数。</translation>
        </message>
        <message>
            <source>Write it as HOST:PORT.</source>
            <translation>写成 HOST:PORT。</translation>
        </message>
        <message>
            <source>--hostfile %1: `rankscopectl nodes import %1` adds its nodes.</source>
            <translation>--hostfile %1：`rankscopectl nodes import %1` 可添加其中的节点。</translation>
        </message>
        <message>
            <source>The line names no program.</source>
            <translation>该命令行未指明程序。</translation>
        </message>
        <message>
            <source>The script to train comes after the options.</source>
            <translation>要训练的脚本写在选项之后。</translation>
        </message>
        <message>
            <source>The program gets what %1 would set: %2.</source>
            <translation>程序会得到 %1 本应设置的内容：%2。</translation>
        </message>
        <message>
            <source>The program to run comes after the options.</source>
            <translation>要运行的程序写在选项之后。</translation>
        </message>
        <message>
            <source>%1 differs from rank to rank; this line cannot say that.</source>
            <translation>%1 因 rank 而异；这条命令行无法表达。</translation>
        </message>
        <message>
            <source>train.json is the job's train section as JSON.</source>
            <translation>train.json 是作业的 train 一节的 JSON 形式。</translation>
        </message>
        <message>
            <source>master_port: 0 lets Rankscope find a free port; here it is %1.</source>
            <translation>master_port: 0 让 Rankscope 查找空闲端口；这里是 %1。</translation>
        </message>
        <message>
            <source>-x %1: its value is not in the line; give it in env:.</source>
            <translation>-x %1：其值不在命令行中；请在 env: 中给出。</translation>
        </message>
        <message>
            <source>%1 %2: is Open MPI's own.</source>
            <translation>%1 %2：为 Open MPI 自有选项。</translation>
        </message>
        <message>
            <source>Paddle's launcher starts Python scripts only.</source>
            <translation>Paddle 的启动器只能启动 Python 脚本。</translation>
        </message>
        <message>
            <source>only collective can be run here</source>
            <translation>这里只能运行 collective</translation>
        </message>
        <message>
            <source>ports are chosen when the run starts</source>
            <translation>端口在运行启动时选择</translation>
        </message>
        <message>
            <source>srun starts the same number of ranks on every node.</source>
            <translation>srun 在每个节点上启动相同数目的 rank。</translation>
        </message>
        <message>
            <source>Slurm chooses the nodes; MASTER_ADDR is right only if %1 is the first of them.</source>
            <translation>节点由 Slurm 选择；只有当 %1 是其中第一个时，MASTER_ADDR 才正确。</translation>
        </message>
        <message>
            <source>belongs to the allocation; the job's nodes are used as they are</source>
            <translation>属于资源分配；作业的节点按原样使用</translation>
        </message>
        <message>
            <source>give variables in env:</source>
            <translation>在 env: 中给出变量</translation>
        </message>
        <message>
            <source>%1 tasks on %2 nodes: how many on each?</source>
            <translation>%2 个节点上有 %1 个任务：每个节点多少个？</translation>
        </message>
        <message>
            <source>Give --ntasks-per-node.</source>
            <translation>给出 --ntasks-per-node。</translation>
        </message>
        <message>
            <source>--nodelist %1: name the nodes yourself (`scontrol show hostnames %1`).</source>
            <translation>--nodelist %1：请自行写出节点名称（`scontrol show hostnames %1`）。</translation>
        </message>
        <message>
            <source>the script is started as it is</source>
            <translation>脚本按原样启动</translation>
        </message>
        <message>
            <source>stops are Rankscope's to send</source>
            <translation>停止由 Rankscope 发出</translation>
        </message>
        <message>
            <source>--nproc-per-node cpu: as many ranks as cpu_slots: in the inventory says.</source>
            <translation>--nproc-per-node cpu：rank 数由节点清单中的 cpu_slots: 决定。</translation>
        </message>
        <message>
            <source>Give the number of ranks per node.</source>
            <translation>给出每个节点的 rank 数。</translation>
        </message>
        <message>
            <source>--rdzv-endpoint %1: only its port is taken.</source>
            <translation>--rdzv-endpoint %1：只采用其端口。</translation>
        </message>
        <message>
            <source>torch.distributed.launch passes --local_rank=N (newer versions --local-rank=N); change the spelling in command: if the script wants the other.</source>
            <translation>torch.distributed.launch 会传入 --local_rank=N（新版本为 --local-rank=N）；如果脚本需要另一种写法，请在 command: 中修改。</translation>
        </message>
        <message>
            <source>The script that sbatch starts is not in the line.</source>
            <translation>该行中没有 sbatch 启动的脚本内容。</translation>
        </message>
        <message>
            <source>Paste the text of the script: its #SBATCH lines and its srun line.</source>
            <translation>请粘贴脚本的文本：其 #SBATCH 行和 srun 行。</translation>
        </message>
        <message>
            <source>for: the line in it becomes one run; a shell would repeat it.</source>
            <translation>for：其中的命令行成为一次运行；shell 会重复执行它。</translation>
        </message>
        <message>
            <source>%1: the line in it becomes one run; a shell would repeat it.</source>
            <translation>%1：其中的命令行成为一次运行；shell 会重复执行它。</translation>
        </message>
        <message>
            <source>%1: Rankscope sets it for each rank.</source>
            <translation>%1：由 Rankscope 为每个 rank 设置。</translation>
        </message>
        <message>
            <source>%1: a shell would fill that in, so it is left out. Write the value in env:.</source>
            <translation>%1：需由 shell 填入，因此已去掉。请在 env: 中写出其值。</translation>
        </message>
        <message>
            <source>cd %1: a shell would fill that in, so it is left out. Write the folder in workdir:.</source>
            <translation>cd %1：需由 shell 填入，因此已去掉。请在 workdir: 中写出该文件夹。</translation>
        </message>
        <message>
            <source>%1: left out; only the line that starts the ranks becomes the job.</source>
            <translation>%1：已去掉；只有启动各 rank 的命令行成为作业。</translation>
        </message>
        <message>
            <source>%1: a shell would fill that in, so it is left out.</source>
            <translation>%1：需由 shell 填入，因此已去掉。</translation>
        </message>
        <message>
            <source>%1: its ranks are started without it, %2.</source>
            <translation>%1：其 rank 不经由它启动，%2。</translation>
        </message>
        <message>
            <source>one for each GPU that Slurm grants</source>
            <translation>Slurm 分配的每个 GPU 一个</translation>
        </message>
        <message>
            <source>%1 on each node</source>
            <translation>每个节点 %1 个</translation>
        </message>
        <message>
            <source>--array %1: an array is one job for each index; this becomes one run. Start it once for each value.</source>
            <translation>--array %1：作业数组的每个下标是一个作业；这里成为一次运行。请为每个值各启动一次。</translation>
        </message>
        <message>
            <source>the program runs outside the container</source>
            <translation>程序在容器之外运行</translation>
        </message>
        <message>
            <source>a run is not queued again; restart it, or use checkpoints</source>
            <translation>运行不会重新排队；请重新启动它，或使用检查点</translation>
        </message>
        <message>
            <source>Rankscope does not know the launcher "%1".</source>
            <translation>Rankscope 不认识启动器“%1”。</translation>
        </message>
        <message>
            <source>Known launchers: %1. Write any other program into command: as it is.</source>
            <translation>已知的启动器：%1。其他程序请原样写入 command:。</translation>
        </message>
        <message>
            <source>Known launchers: %1.</source>
            <translation>已知的启动器：%1。</translation>
        </message>
        <message>
            <source>%1: belongs to the allocation; the job's nodes are used as they are</source>
            <translation>%1：属于资源分配；作业的节点按原样使用</translation>
        </message>
        <message>
            <source>This computer has no sandbox for scripts.</source>
            <translation>本机没有用于脚本的沙箱。</translation>
        </message>
        <message>
            <source>Install bubblewrap.</source>
            <translation>请安装 bubblewrap。</translation>
        </message>
        <message>
            <source>The script does not end within %1 s.</source>
            <translation>脚本在 %1 秒内没有结束。</translation>
        </message>
        <message>
            <source>Paste the lines that start the ranks.</source>
            <translation>请只粘贴启动各 rank 的命令行。</translation>
        </message>
        <message>
            <source>%1: it may come from the file that the script reads; write the value.</source>
            <translation>%1：它可能来自脚本读取的文件；请写出其值。</translation>
        </message>
        <message>
            <source>--config_file %1 cannot be read: %2.</source>
            <translation>无法读取 --config_file %1：%2。</translation>
        </message>
        <message>
            <source>--config_file %1: read (%2); what else it says is accelerate's own.</source>
            <translation>--config_file %1：已读取（%2）；其余内容只对 accelerate 有意义。</translation>
        </message>
        <message>
            <source>--hostfile %1 cannot be read.</source>
            <translation>无法读取 --hostfile %1。</translation>
        </message>
        <message>
            <source>%1: it is %2 alone; what a node has in it already is not added.</source>
            <translation>%1：只有 %2；节点上原有的内容不会加入。</translation>
        </message>
        <message>
            <source>There is no launcher in the text, and no program that trains.</source>
            <translation>文本中没有启动器，也没有训练程序。</translation>
        </message>
        <message>
            <source>Write the program into command: as it is.</source>
            <translation>请将程序原样写入 command:。</translation>
        </message>
        <message>
            <source>The script needs values that it does not have: %1.%2</source>
            <translation>脚本缺少所需的值：%1。%2</translation>
        </message>
        <message>
            <source>Give each one (rankscopectl:%1).</source>
            <translation>请逐一给出（rankscopectl：%1）。</translation>
        </message>
        <message>
            <source>%1: the ranks start outside of the container; say with venv: or conda: where their programs are.</source>
            <translation>%1：各 rank 在容器之外启动；请用 venv: 或 conda: 指明其程序的位置。</translation>
        </message>
        <message>
            <source>%1: left out; say with venv: or conda: where the programs of the ranks are.</source>
            <translation>%1：已略去；请用 venv: 或 conda: 指明各 rank 程序的位置。</translation>
        </message>
        <message>
            <source>$@: arguments of the script itself come behind the command.</source>
            <translation>$@：脚本自身的参数接在命令之后。</translation>
        </message>
        <message>
            <source>Variables and branches are read as text: install bubblewrap, and a shell evaluates them.</source>
            <translation>变量和分支按文本读取：安装 bubblewrap 后由 shell 求值。</translation>
        </message>
        <message>
            <source>The program gets Paddle's variables of each rank (PADDLE_TRAINER_ID, PADDLE_TRAINER_ENDPOINTS, …).</source>
            <translation>程序会得到每个 rank 的 Paddle 变量（PADDLE_TRAINER_ID、PADDLE_TRAINER_ENDPOINTS 等）。</translation>
        </message>
        <message>
            <source>%1 differs from line to line: each node gets that of the first.</source>
            <translation>各行的 %1 不同：每个节点都采用第一行的值。</translation>
        </message>
        <message>
            <source>jax.distributed.initialize() without arguments takes number and rank of its processes from Open MPI's variables; env: has them.</source>
            <translation>不带参数的 jax.distributed.initialize() 从 Open MPI 的变量读取进程数和序号；env: 里已有这些变量。</translation>
        </message>
        <message>
            <source>%1: one rank is started on each node, with RANK and its kin.</source>
            <translation>%1：每个节点启动一个 rank，带有 RANK 及相关变量。</translation>
        </message>
        <message>
            <source>%1: one is started on each node, as if by hand, without RANK and its kin; ranks that it starts itself become ranks of the run (own_ranks: true).</source>
            <translation>%1：像手工启动一样，每个节点启动一个，不带 RANK 及相关变量；它自己启动的 rank 会成为本次运行的 rank（own_ranks: true）。</translation>
        </message>
        <message>
            <source>MPI itself is not started: a program that calls MPI_Init is alone in its world. Start such a program with srun (launcher: slurm), or with mpirun itself as the command.</source>
            <translation>不会启动 MPI 本身：调用 MPI_Init 的程序只看到它自己。请用 srun 启动这样的程序（launcher: slurm），或者以 mpirun 本身作为命令。</translation>
        </message>
        <message>
            <source>"%1" is not NODES x RANKS, such as 2x4</source>
            <translation>“%1” 不是“节点数 x rank 数”，例如 2x4</translation>
        </message>
        <message>
            <source>%1 ranks do not divide among %2 nodes.</source>
            <translation>%1 个 rank 不能平均分配到 %2 个节点。</translation>
        </message>
        <message>
            <source>%1: left out; an option of %2 that has no counterpart.</source>
            <translation>%1：已略去；这是 %2 的选项，没有对应项。</translation>
        </message>
        <message>
            <source>The program uses MPI: mpirun itself is the command, and the ranks that it starts become ranks of the run (own_ranks: true).</source>
            <translation>程序使用 MPI：命令就是 mpirun 本身，它启动的 rank 成为本次运行的 rank（own_ranks: true）。</translation>
        </message>
        <message>
            <source>The program uses MPI: mpirun itself is the command. It starts on the first node, and its daemons on the others (mpi: true); procs_per_node: says how many ranks each may have.</source>
            <translation>程序使用 MPI：命令就是 mpirun 本身。它在第一个节点上启动，它的守护进程在其他节点上启动（mpi: true）；procs_per_node: 说明每个节点最多可有多少个 rank。</translation>
        </message>
        <message>
            <source>%1 lines start this job: one job for all nodes.</source>
            <translation>%1 行启动的是同一个任务：所有节点合为一个任务。</translation>
        </message>
        <message>
            <source>The lines name different GPUs: choose %1 nodes, or one node that has them all.</source>
            <translation>各行指定了不同的 GPU：请选择 %1 个节点，或一个拥有全部这些 GPU 的节点。</translation>
        </message>
        <message>
            <source>The text starts %1 jobs: there is no number %2.</source>
            <translation>该文本启动 %1 个任务：没有第 %2 个。</translation>
        </message>
        <message>
            <source>Choose one of them (rankscopectl: --start).</source>
            <translation>请选择其中一个（rankscopectl：--start）。</translation>
        </message>
    </context>
    <context>
        <name>LaunchPlan</name>
        <message>
            <source>GPU %1 of %2 has compute capability %3; %4 needs %5</source>
            <translation>%2 的 GPU %1 的计算能力为 %3；%4 需要 %5</translation>
        </message>
        <message>
            <source>this build of Rankscope has no CUDA engine</source>
            <translation>此 Rankscope 构建没有 CUDA 引擎</translation>
        </message>
        <message>
            <source>%1 has not been probed: its GPUs are not known</source>
            <translation>%1 尚未探测：其 GPU 未知</translation>
        </message>
        <message>
            <source>%1 has no GPU</source>
            <translation>%1 没有 GPU</translation>
        </message>
        <message>
            <source>backend: nccl needs GPUs</source>
            <translation>backend: nccl 需要 GPU</translation>
        </message>
        <message>
            <source>backend: gloo is for CPUs</source>
            <translation>backend: gloo 用于 CPU</translation>
        </message>
        <message>
            <source>train.device: cpu asks for CPUs</source>
            <translation>train.device: cpu 要求使用 CPU</translation>
        </message>
        <message>
            <source>train.device: cuda averages gradients by NCCL</source>
            <translation>train.device: cuda 通过 NCCL 对梯度求平均</translation>
        </message>
        <message>
            <source>every node has a GPU</source>
            <translation>每个节点都有 GPU</translation>
        </message>
        <message>
            <source>%1 needs GPUs</source>
            <translation>%1 需要 GPU</translation>
        </message>
        <message>
            <source>The ranks train on GPUs: %1. train.device: cpu trains on CPUs.</source>
            <translation>各 rank 在 GPU 上训练：%1。train.device: cpu 则在 CPU 上训练。</translation>
        </message>
        <message>
            <source>The ranks train on CPUs: %1.</source>
            <translation>各 rank 在 CPU 上训练：%1。</translation>
        </message>
        <message>
            <source>tf32 is a precision of GPUs: CPUs compute in fp32.</source>
            <translation>tf32 是 GPU 的精度：CPU 以 fp32 计算。</translation>
        </message>
        <message>
            <source>%1 has not been probed: its GPUs are not known, CPU slots are assumed.</source>
            <translation>%1 尚未探测：其 GPU 未知，暂按 CPU 槽位处理。</translation>
        </message>
        <message>
            <source>Correct devices: in the job, or gpus: in the inventory; they count from 0.</source>
            <translation>更正作业中的 devices: 或节点清单中的 gpus:；编号从 0 开始。</translation>
        </message>
        <message>
            <source>Lower procs_per_node, or write backend: gloo for CPU ranks.</source>
            <translation>减小 procs_per_node，或写 backend: gloo 使用 CPU rank。</translation>
        </message>
        <message>
            <source>backend: nccl needs a GPU, and this node offers none.</source>
            <translation>backend: nccl 需要 GPU，而该节点没有提供。</translation>
        </message>
        <message>
            <source>Check gpus: in the inventory and the driver of the node, or write backend: gloo.</source>
            <translation>检查节点清单中的 gpus: 和该节点的驱动，或写 backend: gloo。</translation>
        </message>
        <message>
            <source>Check gpus: in the inventory, install the driver (%1), or write backend: gloo.</source>
            <translation>检查节点清单中的 gpus:，安装驱动 (%1)，或写 backend: gloo。</translation>
        </message>
        <message>
            <source>nodes: all, but the inventory names no node.</source>
            <translation>nodes: all，但节点清单中没有任何节点。</translation>
        </message>
        <message>
            <source>Add nodes with `rankscopectl nodes add`, or write nodes: local.</source>
            <translation>用 `rankscopectl nodes add` 添加节点，或写 nodes: local。</translation>
        </message>
        <message>
            <source>%1: "%2" is not in the inventory.</source>
            <translation>%1：“%2”不在节点清单中。</translation>
        </message>
        <message>
            <source>Known nodes: %1. Add it with `rankscopectl nodes add %2`.</source>
            <translation>已知节点：%1。用 `rankscopectl nodes add %2` 添加它。</translation>
        </message>
        <message>
            <source>No node is chosen.</source>
            <translation>未选择节点。</translation>
        </message>
        <message>
            <source>Choose at least one; "local" is this computer.</source>
            <translation>至少选择一个；"local" 表示本机。</translation>
        </message>
        <message>
            <source>%1: "%2" is not one of the job's nodes.</source>
            <translation>%1：“%2”不是该作业的节点之一。</translation>
        </message>
        <message>
            <source>Name one that stands in nodes:, or add it there.</source>
            <translation>填写 nodes: 中的一个，或将其加入其中。</translation>
        </message>
        <message>
            <source>Write backend: auto or nccl, or train.device: cpu.</source>
            <translation>写 backend: auto 或 nccl，或者写 train.device: cpu。</translation>
        </message>
        <message>
            <source>Write train.device: cuda, or backend: auto or gloo.</source>
            <translation>写 train.device: cuda，或者写 backend: auto 或 gloo。</translation>
        </message>
        <message>
            <source>train.precision: %1 cannot be used: %2.</source>
            <translation>无法使用 train.precision: %1：%2。</translation>
        </message>
        <message>
            <source>Choose another train.precision, or other nodes.</source>
            <translation>选择其他 train.precision，或其他节点。</translation>
        </message>
        <message>
            <source>When the run starts, it takes a free port of %1.</source>
            <translation>运行启动时会使用 %1 的一个空闲端口。</translation>
        </message>
        <message>
            <source>rank_env: there is no rank %1; the job has %2, counted from 0.</source>
            <translation>rank_env: 没有 rank %1；该作业有 %2 个，从 0 开始编号。</translation>
        </message>
        <message>
            <source>Correct the rank, or leave it out.</source>
            <translation>更正该 rank，或去掉它。</translation>
        </message>
        <message>
            <source>A stored plan cannot be read.</source>
            <translation>无法读取一个已保存的计划。</translation>
        </message>
        <message>
            <source>event files below %1</source>
            <translation>事件文件位于 %1 下</translation>
        </message>
        <message>
            <source>%1=%2 is set by the job: NCCL is not observed.</source>
            <translation>作业设置了 %1=%2：不观测 NCCL。</translation>
        </message>
        <message>
            <source>%1=%2 is set by the job: this plugin is loaded through Rankscope's.</source>
            <translation>作业设置了 %1=%2：该插件通过 Rankscope 的插件加载。</translation>
        </message>
        <message>
            <source>A rank needs about %1 of GPU memory, and %2 on %3 has %4 for it.</source>
            <translation>每个 rank 约需 %1 显存，而 %3 上的 %2 只能为其提供 %4。</translation>
        </message>
        <message>
            <source>A batch of %1 fits.</source>
            <translation>批大小为 %1 时可以容纳。</translation>
        </message>
        <message>
            <source>Not even a batch of one sample fits.</source>
            <translation>批大小为 1 时也无法容纳。</translation>
        </message>
        <message>
            <source>GPU %1 is requested; GPUs on this node: %2.</source>
            <translation>请求了 GPU %1；此节点的 GPU 数：%2。</translation>
        </message>
        <message>
            <source>%1 ranks are requested; GPUs on this node: %2.</source>
            <translation>请求了 %1 个 rank；此节点的 GPU 数：%2。</translation>
        </message>
        <message>
            <source>train.device: cuda averages gradients by NCCL, but the job says backend: gloo.</source>
            <translation>train.device: cuda 用 NCCL 平均梯度，但任务写的是 backend: gloo。</translation>
        </message>
        <message>
            <source>backend: nccl needs GPUs, but the job says train.device: cpu.</source>
            <translation>backend: nccl 需要 GPU，但任务写的是 train.device: cpu。</translation>
        </message>
    </context>
    <context>
        <name>LeaveRuns</name>
        <message>
            <source>The run %1 is in progress. What should happen to it?</source>
            <translation>运行 %1 正在进行。要如何处理它？</translation>
        </message>
        <message numerus="yes">
            <source>%n runs are in progress. What should happen to them?</source>
            <translation>
                <numerusform>有 %n 个运行正在进行。要如何处理它们？</numerusform>
            </translation>
        </message>
        <message>
            <source>Its ranks run on their nodes and continue without this window. Attach to it later from Runs.</source>
            <translation>它的 rank 在各自的节点上运行，没有此窗口也会继续。稍后可从“运行记录”附加到它。</translation>
        </message>
        <message>
            <source>Its ranks are not started yet: if you leave now, the start is cancelled.</source>
            <translation>它的 rank 尚未启动：如果现在离开，启动会被取消。</translation>
        </message>
        <message>
            <source>Their ranks run on their nodes and continue without this window. Attach to them later from Runs.</source>
            <translation>它们的 rank 在各自的节点上运行，没有此窗口也会继续。稍后可从“运行记录”附加到它们。</translation>
        </message>
        <message>
            <source>The ranks of some are not started yet: if you leave now, their start is cancelled. The others continue on their nodes.</source>
            <translation>其中一些的 rank 尚未启动：如果现在离开，它们的启动会被取消。其余的会在各自的节点上继续。</translation>
        </message>
        <message>
            <source>Run in progress</source>
            <translation>进行中的运行</translation>
        </message>
        <message>
            <source>&amp;Abort</source>
            <translation>中止(&amp;A)</translation>
        </message>
        <message>
            <source>&amp;Leave it running</source>
            <translation>让它继续运行(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Leave them running</source>
            <translation>让它们继续运行(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Stop it</source>
            <translation>停止它(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;Stop them</source>
            <translation>停止它们(&amp;S)</translation>
        </message>
    </context>
    <context>
        <name>LineText</name>
        <message>
            <source>(this line is in the run store only: the disk was full)</source>
            <translation>（此行仅在运行库中：当时磁盘已满）</translation>
        </message>
        <message>
            <source> … %1 in all: copy or save has the rest</source>
            <translation> … 共 %1：复制或保存可得到其余部分</translation>
        </message>
        <message>
            <source>(the file has changed since it was read: open it again)</source>
            <translation>（此文件在读取之后已更改：请重新打开）</translation>
        </message>
    </context>
    <context>
        <name>LiveData</name>
        <message>
            <source>ended with %1</source>
            <translation>结束：%1</translation>
        </message>
        <message>
            <source> (stopped with the run)</source>
            <translation> （随运行停止）</translation>
        </message>
        <message>
            <source>run %1</source>
            <translation>运行：%1</translation>
        </message>
        <message>
            <source>its ranks have ended: %1</source>
            <translation>其各 rank 已结束：%1</translation>
        </message>
        <message>
            <source>diagnosis: %1</source>
            <translation>诊断：%1</translation>
        </message>
        <message>
            <source>seen now: %1</source>
            <translation>当前出现：%1</translation>
        </message>
        <message>
            <source>notice: %1</source>
            <translation>提示：%1</translation>
        </message>
        <message>
            <source>%1 failed</source>
            <translation>%1 失败</translation>
        </message>
        <message>
            <source>%1 of the output of rank %2 are left out here: it writes more than is kept</source>
            <translation>此处省略了 rank %2 的 %1 输出：它写出的内容多于保留的量</translation>
        </message>
        <message>
            <source>steps began again at %1 in epoch %2: the values of each epoch stand behind those of the one before</source>
            <translation>第 %2 轮的步数又从 %1 开始：每一轮的值排在上一轮之后</translation>
        </message>
        <message>
            <source>steps began again at %1: values from there on replace the earlier ones</source>
            <translation>步数又从 %1 开始：此后的值会替换先前的值</translation>
        </message>
        <message>
            <source>No steps are read from the output; lines like this could be curves: %1</source>
            <translation>未能从输出中读取训练步；类似这样的行可以绘成曲线：%1</translation>
        </message>
        <message>
            <source>is process %1, started by the program of rank %2 (%3 ranks)</source>
            <translation>是进程 %1，由 rank %2 的程序启动（共 %3 个 rank）</translation>
        </message>
    </context>
    <context>
        <name>LogRules</name>
        <message>
            <source>The ranks use different versions of NCCL.</source>
            <translation>各 rank 使用的 NCCL 版本不同。</translation>
        </message>
        <message>
            <source>Compare on all nodes: grep -h libnccl /proc/PID/maps</source>
            <translation>在所有节点上比较：grep -h libnccl /proc/PID/maps</translation>
        </message>
        <message>
            <source>Install the same wheel everywhere; remove a second NCCL from LD_LIBRARY_PATH</source>
            <translation>在所有节点上安装相同的 wheel；从 LD_LIBRARY_PATH 中移除第二个 NCCL</translation>
        </message>
        <message>
            <source>A connection of NCCL broke while the ranks met.</source>
            <translation>各 rank 会合时，NCCL 的一个连接断开。</translation>
        </message>
        <message>
            <source>The NVIDIA driver of {host} is too old for this CUDA, or there is none.</source>
            <translation>{host} 的 NVIDIA 驱动对该 CUDA 来说过旧，或没有驱动。</translation>
        </message>
        <message>
            <source>Install a newer driver, or a PyTorch for an older CUDA; containers need --gpus all</source>
            <translation>安装更新的驱动，或适配较旧 CUDA 的 PyTorch；容器需要 --gpus all</translation>
        </message>
        <message>
            <source>The driver of {host} was upgraded without a reboot.</source>
            <translation>{host} 的驱动升级后没有重启。</translation>
        </message>
        <message>
            <source>Reboot {host}, or restart the container</source>
            <translation>重启 {host}，或重启容器</translation>
        </message>
        <message>
            <source>This PyTorch has no NCCL.</source>
            <translation>此 PyTorch 不含 NCCL。</translation>
        </message>
        <message>
            <source>Install a wheel with CUDA, or use the backend gloo</source>
            <translation>安装带 CUDA 的 wheel，或使用后端 gloo</translation>
        </message>
        <message>
            <source>torch.cuda.set_device(int(os.environ["LOCAL_RANK"])) before the first use of the GPU</source>
            <translation>在首次使用 GPU 之前调用 torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))</translation>
        </message>
        <message>
            <source>Start no more processes on a node than it has GPUs</source>
            <translation>一个节点上启动的进程数不要超过其 GPU 数</translation>
        </message>
        <message>
            <source>{host} has fewer GPUs than ranks: invalid device ordinal.</source>
            <translation>{host} 的 GPU 少于 rank：invalid device ordinal。</translation>
        </message>
        <message>
            <source>Set --nproc-per-node to the number of GPUs that the ranks see: nvidia-smi -L</source>
            <translation>将 --nproc-per-node 设为各 rank 可见的 GPU 数：nvidia-smi -L</translation>
        </message>
        <message>
            <source>A GPU of {host} is busy or unavailable.</source>
            <translation>{host} 的一个 GPU 被占用或不可用。</translation>
        </message>
        <message>
            <source>Find the process that holds it: nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv</source>
            <translation>查找占用它的进程：nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv</translation>
        </message>
        <message>
            <source>Compute mode EXCLUSIVE_PROCESS: sudo nvidia-smi -c 0</source>
            <translation>计算模式为 EXCLUSIVE_PROCESS 时：sudo nvidia-smi -c 0</translation>
        </message>
        <message>
            <source>The memory of a GPU is full on {host}, rank {rank}.</source>
            <translation>{host} 上 rank {rank} 的 GPU 显存已满。</translation>
        </message>
        <message>
            <source>Use a smaller batch or sequence, activation checkpointing, PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True</source>
            <translation>减小 batch 或序列长度，使用激活检查点 (activation checkpointing)、PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True</translation>
        </message>
        <message>
            <source>End other processes on the GPU: nvidia-smi</source>
            <translation>结束 GPU 上的其他进程：nvidia-smi</translation>
        </message>
        <message>
            <source>NCCL gets no more memory of the GPU on {host}.</source>
            <translation>NCCL 在 {host} 上无法再分配到显存。</translation>
        </message>
        <message>
            <source>Leave 1-2 GiB of each GPU to NCCL; create the communicators early; set_device before the first use</source>
            <translation>每个 GPU 给 NCCL 留出 1-2 GiB；尽早创建通信器；首次使用前调用 set_device</translation>
        </message>
        <message>
            <source>NCCL_BUFFSIZE, NCCL_MAX_NCHANNELS</source>
            <translation>NCCL_BUFFSIZE, NCCL_MAX_NCHANNELS</translation>
        </message>
        <message>
            <source>The memory of a GPU of {host} is defective (ECC).</source>
            <translation>{host} 的一个 GPU 显存有缺陷 (ECC)。</translation>
        </message>
        <message>
            <source>Take {host} out of the cluster and reset the GPU or reboot: nvidia-smi -q -d ROW_REMAPPER</source>
            <translation>将 {host} 移出集群，重置 GPU 或重启：nvidia-smi -q -d ROW_REMAPPER</translation>
        </message>
        <message>
            <source>Replace the GPU if remapping failed</source>
            <translation>如果重映射失败，更换 GPU</translation>
        </message>
        <message>
            <source>A GPU of {host} no longer answers: it fell off the bus, or its firmware stopped.</source>
            <translation>{host} 的一个 GPU 不再响应：它已从总线上掉线，或其固件已停止运行。</translation>
        </message>
        <message>
            <source>Power {host} off and on; check power, temperature and the riser</source>
            <translation>将 {host} 断电后重新上电；检查供电、温度和转接卡 (riser)</translation>
        </message>
        <message>
            <source>An illegal memory access on the GPU of {host}.</source>
            <translation>{host} 的 GPU 上发生非法内存访问。</translation>
        </message>
        <message>
            <source>Run with CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer: the Python line shown is late</source>
            <translation>用 CUDA_LAUNCH_BLOCKING=1 或 compute-sanitizer 运行：显示的 Python 行晚于实际出错位置</translation>
        </message>
        <message>
            <source>The same GPU each time: hardware</source>
            <translation>每次都是同一个 GPU：硬件问题</translation>
        </message>
        <message>
            <source>NVLink fails on {host}.</source>
            <translation>{host} 上的 NVLink 发生故障。</translation>
        </message>
        <message>
            <source>nvidia-smi nvlink -s and -e; reset the GPUs; check the fabric manager</source>
            <translation>nvidia-smi nvlink -s 和 -e；重置 GPU；检查 fabric manager</translation>
        </message>
        <message>
            <source>The NVSwitch fabric of {host} is not ready: the fabric manager does not run.</source>
            <translation>{host} 的 NVSwitch 网络未就绪：fabric manager 没有运行。</translation>
        </message>
        <message>
            <source>sudo systemctl enable --now nvidia-fabricmanager, of the same version as the driver</source>
            <translation>sudo systemctl enable --now nvidia-fabricmanager，版本与驱动相同</translation>
        </message>
        <message>
            <source>Two GPUs of {host} cannot access each other.</source>
            <translation>{host} 的两个 GPU 无法互相访问。</translation>
        </message>
        <message>
            <source>export NCCL_P2P_DISABLE=1; in virtual machines NCCL_SHM_DISABLE=1, too</source>
            <translation>export NCCL_P2P_DISABLE=1；在虚拟机中还需 NCCL_SHM_DISABLE=1</translation>
        </message>
        <message>
            <source>NVLink SHARP fails on {host}.</source>
            <translation>{host} 上的 NVLink SHARP 发生故障。</translation>
        </message>
        <message>
            <source>export NCCL_NVLS_ENABLE=0</source>
            <translation>export NCCL_NVLS_ENABLE=0</translation>
        </message>
        <message>
            <source>Check the fabric manager: systemctl status nvidia-fabricmanager</source>
            <translation>检查 fabric manager：systemctl status nvidia-fabricmanager</translation>
        </message>
        <message>
            <source>The GPUs of {host} cannot reach each other's memory over PCIe: an IOMMU or ACS redirects it.</source>
            <translation>{host} 的各 GPU 无法通过 PCIe 访问彼此的显存：IOMMU 或 ACS 改变了访问路径。</translation>
        </message>
        <message>
            <source>To test: NCCL_P2P_DISABLE=1</source>
            <translation>测试：NCCL_P2P_DISABLE=1</translation>
        </message>
        <message>
            <source>BIOS: ACS and IOMMU off, or the kernel parameter iommu=pt; sudo lspci -vvv | grep ACSCtl</source>
            <translation>BIOS：关闭 ACS 和 IOMMU，或使用内核参数 iommu=pt；sudo lspci -vvv | grep ACSCtl</translation>
        </message>
        <message>
            <source>/dev/shm of {host} is too small for NCCL.</source>
            <translation>{host} 的 /dev/shm 对 NCCL 来说太小。</translation>
        </message>
        <message>
            <source>Containers: --shm-size=16g or --ipc=host; pods: emptyDir {medium: Memory} on /dev/shm</source>
            <translation>容器：--shm-size=16g 或 --ipc=host；Pod：在 /dev/shm 上挂载 emptyDir {medium: Memory}</translation>
        </message>
        <message>
            <source>sudo mount -o remount,size=16G /dev/shm; remove own leftovers there</source>
            <translation>sudo mount -o remount,size=16G /dev/shm；删除其中自己的残留文件</translation>
        </message>
        <message>
            <source>The shared memory of the job was removed on {host} while it ran.</source>
            <translation>作业在 {host} 上运行期间，其共享内存被删除。</translation>
        </message>
        <message>
            <source>RemoveIPC=no in /etc/systemd/logind.conf, or loginctl enable-linger</source>
            <translation>在 /etc/systemd/logind.conf 中设置 RemoveIPC=no，或运行 loginctl enable-linger</translation>
        </message>
        <message>
            <source>A process that is not of this run uses a GPU or a port of {host}.</source>
            <translation>不属于本次运行的进程占用了 {host} 的 GPU 或端口。</translation>
        </message>
        <message>
            <source>Find it: nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv</source>
            <translation>查找该进程：nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv</translation>
        </message>
        <message>
            <source>End the process group of the earlier run only</source>
            <translation>只结束之前那次运行的进程组</translation>
        </message>
        <message>
            <source>This version of NCCL has a known defect here.</source>
            <translation>此版本的 NCCL 在这里有一个已知缺陷。</translation>
        </message>
        <message>
            <source>Install NCCL 2.27.3 or newer; until then NCCL_PROTO=LL</source>
            <translation>安装 NCCL 2.27.3 或更新版本；在此之前使用 NCCL_PROTO=LL</translation>
        </message>
        <message>
            <source>Unset NCCL_CHUNK_SIZE</source>
            <translation>取消设置 NCCL_CHUNK_SIZE</translation>
        </message>
        <message>
            <source>A module cannot be imported on {host}: {module}.</source>
            <translation>{host} 上无法导入模块：{module}。</translation>
        </message>
        <message>
            <source>Use the same environment on every node; compare: pip freeze | sha256sum</source>
            <translation>在每个节点上使用相同的环境；比较：pip freeze | sha256sum</translation>
        </message>
        <message>
            <source>A file is missing on {host}: {path}.</source>
            <translation>{host} 上缺少文件：{path}。</translation>
        </message>
        <message>
            <source>Check on every node, as the user of the job and within its container: ls -d {path}; findmnt -T {path}</source>
            <translation>在每个节点上，以作业的用户身份并在其容器内检查：ls -d {path}; findmnt -T {path}</translation>
        </message>
        <message>
            <source>The disk is full on {host}.</source>
            <translation>{host} 的磁盘已满。</translation>
        </message>
        <message>
            <source>Free space, or write elsewhere: df -h, df -i, quota -s of the checkpoint folder and $TMPDIR</source>
            <translation>释放空间，或写到其他位置：对检查点文件夹和 $TMPDIR 运行 df -h、df -i、quota -s</translation>
        </message>
        <message>
            <source>The DataLoader workers of {host} have too little shared memory.</source>
            <translation>{host} 的 DataLoader worker 共享内存不足。</translation>
        </message>
        <message>
            <source>Containers: --shm-size=16g or --ipc=host; fewer workers</source>
            <translation>容器：--shm-size=16g 或 --ipc=host；减少 worker</translation>
        </message>
        <message>
            <source>torch.multiprocessing.set_sharing_strategy('file_system')</source>
            <translation>torch.multiprocessing.set_sharing_strategy('file_system')</translation>
        </message>
        <message>
            <source>{host} ran out of memory and killed a process.</source>
            <translation>{host} 内存不足，并终止了一个进程。</translation>
        </message>
        <message>
            <source>Use fewer DataLoader workers, stream the data, or ask for more memory (--mem)</source>
            <translation>减少 DataLoader worker，流式读取数据，或申请更多内存 (--mem)</translation>
        </message>
        <message>
            <source>Proof: memory.events (oom_kill) of the cgroup, or journalctl -k -g "Killed process"</source>
            <translation>证据：cgroup 的 memory.events (oom_kill)，或 journalctl -k -g "Killed process"</translation>
        </message>
        <message>
            <source>The job was stopped from outside.</source>
            <translation>作业被外部停止。</translation>
        </message>
        <message>
            <source>The limit of open files on {host} is too low.</source>
            <translation>{host} 上打开文件数的限制过低。</translation>
        </message>
        <message>
            <source>ulimit -n 1048576 in the job; LimitNOFILE= for sshd and slurmd</source>
            <translation>在作业中设置 ulimit -n 1048576；为 sshd 和 slurmd 设置 LimitNOFILE=</translation>
        </message>
        <message>
            <source>The limit of threads and processes on {host} is too low.</source>
            <translation>{host} 上线程数和进程数的限制过低。</translation>
        </message>
        <message>
            <source>Containers: --pids-limit=-1; systemd: TasksMax=infinity; OMP_NUM_THREADS=1</source>
            <translation>容器：--pids-limit=-1；systemd：TasksMax=infinity；OMP_NUM_THREADS=1</translation>
        </message>
        <message>
            <source>The clock of {host} is wrong.</source>
            <translation>{host} 的时钟不正确。</translation>
        </message>
        <message>
            <source>Synchronise the clock: timedatectl, chrony</source>
            <translation>同步时钟：timedatectl、chrony</translation>
        </message>
        <message>
            <source>A proxy refuses a connection of {host}: http_proxy is set, or no_proxy lacks the nodes.</source>
            <translation>代理拒绝了 {host} 的连接：设置了 http_proxy，或 no_proxy 中缺少这些节点。</translation>
        </message>
        <message>
            <source>export no_proxy=localhost,127.0.0.1 and the names and addresses of all nodes</source>
            <translation>export no_proxy=localhost,127.0.0.1，并加上所有节点的名称和地址</translation>
        </message>
        <message>
            <source>Set http_proxy and https_proxy alike on all nodes, or on none</source>
            <translation>在所有节点上将 http_proxy 和 https_proxy 设为相同的值，或都不设置</translation>
        </message>
        <message>
            <source>Slurm starts the tasks with other limits or plugins than the job needs.</source>
            <translation>Slurm 启动任务时使用的限制或插件与作业所需不符。</translation>
        </message>
        <message>
            <source>PropagateResourceLimitsExcept=MEMLOCK,NOFILE in slurm.conf; check the limits of slurmd itself</source>
            <translation>在 slurm.conf 中设置 PropagateResourceLimitsExcept=MEMLOCK,NOFILE；检查 slurmd 自身的限制</translation>
        </message>
        <message>
            <source>srun --mpi=list shows the plugins; srun --cpus-per-task=$SLURM_CPUS_PER_TASK, one task per GPU</source>
            <translation>srun --mpi=list 显示可用插件；srun --cpus-per-task=$SLURM_CPUS_PER_TASK，每个 GPU 一个任务</translation>
        </message>
        <message>
            <source>The GID index of {host} does not fit its network.</source>
            <translation>{host} 的 GID 索引与其网络不匹配。</translation>
        </message>
        <message>
            <source>NCCL 2.21 or newer: unset NCCL_IB_GID_INDEX; NCCL_IB_ROCE_VERSION_NUM=2, NCCL_IB_ADDR_RANGE=SUBNET</source>
            <translation>NCCL 2.21 或更新版本：取消设置 NCCL_IB_GID_INDEX；NCCL_IB_ROCE_VERSION_NUM=2、NCCL_IB_ADDR_RANGE=SUBNET</translation>
        </message>
        <message>
            <source>Older: choose the index of the RoCE v2 entry with IPv4 on each node: show_gids</source>
            <translation>更旧的版本：在每个节点上选择带 IPv4 的 RoCE v2 条目的索引：show_gids</translation>
        </message>
        <message>
            <source>Two network cards in different subnets are paired.</source>
            <translation>位于不同子网的两块网卡被配对。</translation>
        </message>
        <message>
            <source>export NCCL_CROSS_NIC=0 NCCL_IB_MERGE_NICS=0</source>
            <translation>export NCCL_CROSS_NIC=0 NCCL_IB_MERGE_NICS=0</translation>
        </message>
        <message>
            <source>Or add routes between the subnets of the cards</source>
            <translation>或在这些网卡的子网之间添加路由</translation>
        </message>
        <message>
            <source>The limit of locked memory on {host} is too low for RDMA.</source>
            <translation>{host} 上锁定内存的限制对 RDMA 来说过低。</translation>
        </message>
        <message>
            <source>/etc/security/limits.d/rdma.conf: '* soft memlock unlimited' and '* hard memlock unlimited'; LimitMEMLOCK=infinity for sshd, slurmd, containerd</source>
            <translation>/etc/security/limits.d/rdma.conf：'* soft memlock unlimited' 和 '* hard memlock unlimited'；为 sshd、slurmd、containerd 设置 LimitMEMLOCK=infinity</translation>
        </message>
        <message>
            <source>Containers: --ulimit memlock=-1</source>
            <translation>容器：--ulimit memlock=-1</translation>
        </message>
        <message>
            <source>{host} cannot open the RDMA device {device}.</source>
            <translation>{host} 无法打开 RDMA 设备 {device}。</translation>
        </message>
        <message>
            <source>Pass /dev/infiniband to the container, or name the common devices: NCCL_IB_HCA=LIST</source>
            <translation>将 /dev/infiniband 传入容器，或指定共有的设备：NCCL_IB_HCA=LIST</translation>
        </message>
        <message>
            <source>The network card of {host} may not read the memory of the GPU (status 4).</source>
            <translation>{host} 的网卡无权读取 GPU 显存 (status 4)。</translation>
        </message>
        <message>
            <source>sudo modprobe nvidia-peermem; switch off ACS</source>
            <translation>sudo modprobe nvidia-peermem；关闭 ACS</translation>
        </message>
        <message>
            <source>To test: NCCL_NET_GDR_LEVEL=LOC</source>
            <translation>测试：NCCL_NET_GDR_LEVEL=LOC</translation>
        </message>
        <message>
            <source>Check the peer process first</source>
            <translation>先检查对端进程</translation>
        </message>
        <message>
            <source>Then each rail: ib_write_bw -d DEVICE NODE; ibstat</source>
            <translation>然后检查每条 rail：ib_write_bw -d DEVICE NODE；ibstat</translation>
        </message>
        <message>
            <source>The card {hca} has no IP address; its link-local GID reaches no other node.</source>
            <translation>网卡 {hca} 没有 IP 地址；其链路本地 GID 无法到达任何其他节点。</translation>
        </message>
        <message>
            <source>Name the cards with addresses: NCCL_IB_HCA==LIST</source>
            <translation>指定有地址的网卡：NCCL_IB_HCA==LIST</translation>
        </message>
        <message>
            <source>The link of a network card of {host} went down.</source>
            <translation>{host} 的一块网卡链路断开。</translation>
        </message>
        <message>
            <source>Check cable, transceiver and switch port: ibstat; the counters link_downed and symbol_error</source>
            <translation>检查线缆、光模块和交换机端口：ibstat；计数器 link_downed 和 symbol_error</translation>
        </message>
        <message>
            <source>The nodes use different numbers of network cards.</source>
            <translation>各节点使用的网卡数量不同。</translation>
        </message>
        <message>
            <source>Set NCCL_IB_HCA to the same cards on every node</source>
            <translation>在每个节点上将 NCCL_IB_HCA 设为相同的网卡</translation>
        </message>
        <message>
            <source>The network that NCCL_NET asks for does not exist on {host}.</source>
            <translation>NCCL_NET 指定的网络在 {host} 上不存在。</translation>
        </message>
        <message>
            <source>Unset NCCL_NET, or install the plugin on every node (aws-ofi-nccl for Slingshot and EFA)</source>
            <translation>取消设置 NCCL_NET，或在每个节点上安装该插件（Slingshot 和 EFA 使用 aws-ofi-nccl）</translation>
        </message>
        <message>
            <source>The network plugin does not fit the driver.</source>
            <translation>网络插件与驱动不匹配。</translation>
        </message>
        <message>
            <source>Use the same image on all nodes; to test: NCCL_NET_PLUGIN=none</source>
            <translation>在所有节点上使用相同的镜像；测试：NCCL_NET_PLUGIN=none</translation>
        </message>
        <message>
            <source>Tuning variables of NCCL make the first collectives hang.</source>
            <translation>NCCL 的调优变量导致最初的集合通信挂起。</translation>
        </message>
        <message>
            <source>Unset NCCL_* and FI_* variables that addressing does not need, one group at a time: first {variable}</source>
            <translation>取消设置寻址不需要的 NCCL_* 和 FI_* 变量，每次一组：先从 {variable} 开始</translation>
        </message>
        <message>
            <source>The partition key of {host} admits no traffic to the other nodes.</source>
            <translation>{host} 的分区密钥不允许与其他节点通信。</translation>
        </message>
        <message>
            <source>Compare on both nodes: cat /sys/class/infiniband/*/ports/1/pkeys/0 (0xffff is full, 0x7fff limited)</source>
            <translation>在两个节点上比较：cat /sys/class/infiniband/*/ports/1/pkeys/0（0xffff 为完全成员，0x7fff 为受限成员）</translation>
        </message>
        <message>
            <source>Give the nodes full membership in the subnet manager; unset NCCL_IB_PKEY</source>
            <translation>在子网管理器中将这些节点设为完全成员；取消设置 NCCL_IB_PKEY</translation>
        </message>
        <message>
            <source>The service level that NCCL_IB_SL names leads nowhere: the subnet manager maps it to no lane.</source>
            <translation>NCCL_IB_SL 指定的服务级别不通：子网管理器没有将其映射到任何虚拟通道 (VL)。</translation>
        </message>
        <message>
            <source>Unset {variable}, or map the level in the subnet manager (QoS)</source>
            <translation>取消设置 {variable}，或在子网管理器 (QoS) 中映射该级别</translation>
        </message>
        <message>
            <source>The network cards of the nodes use different MTUs.</source>
            <translation>各节点的网卡使用不同的 MTU。</translation>
        </message>
        <message>
            <source>Compare active_mtu of ibv_devinfo on both nodes; use the same MTU on the interfaces of the cards</source>
            <translation>在两个节点上比较 ibv_devinfo 的 active_mtu；在这些网卡的网络接口上使用相同的 MTU</translation>
        </message>
        <message>
            <source>The kernel of {host} cannot pin memory for RDMA, although the limit of locked memory allows it.</source>
            <translation>{host} 的内核无法为 RDMA 固定内存，尽管锁定内存的限制允许。</translation>
        </message>
        <message>
            <source>Install another kernel (6.17.0-1032 or newer fixes)</source>
            <translation>安装其他内核（6.17.0-1032 或更新版本已修复）</translation>
        </message>
        <message>
            <source>Leave memory free before the communicators are created</source>
            <translation>在创建通信器之前留出空闲内存</translation>
        </message>
        <message>
            <source>A network card of {host} runs slower than it can.</source>
            <translation>{host} 的一块网卡运行速度低于其能力。</translation>
        </message>
        <message>
            <source>Compare the link of the card: lspci -vv (LnkSta), ibstat (Rate)</source>
            <translation>比较网卡的链路：lspci -vv (LnkSta)、ibstat (Rate)</translation>
        </message>
        <message>
            <source>ib_write_bw to each node, compared with the median of all pairs; reseat the card, restart the node</source>
            <translation>对每个节点运行 ib_write_bw，与所有节点对的中位数比较；重新插拔网卡，重启节点</translation>
        </message>
        <message>
            <source>NCCL uses sockets on {host}, although the node has RDMA devices.</source>
            <translation>NCCL 在 {host} 上使用套接字，而该节点有 RDMA 设备。</translation>
        </message>
        <message>
            <source>NCCL_IB_HCA must name a device of ls /sys/class/infiniband</source>
            <translation>NCCL_IB_HCA 必须指定 ls /sys/class/infiniband 列出的设备</translation>
        </message>
        <message>
            <source>Containers: --device=/dev/infiniband --cap-add=IPC_LOCK --ulimit memlock=-1</source>
            <translation>容器：--device=/dev/infiniband --cap-add=IPC_LOCK --ulimit memlock=-1</translation>
        </message>
        <message>
            <source>GPUDirect RDMA is off on {host}: data takes the way through the memory of the host.</source>
            <translation>GPUDirect RDMA 在 {host} 上未启用：数据经由主机内存传输。</translation>
        </message>
        <message>
            <source>sudo modprobe nvidia-peermem</source>
            <translation>sudo modprobe nvidia-peermem</translation>
        </message>
        <message>
            <source>Switch off ACS, or allow a longer way between GPU and card: NCCL_NET_GDR_LEVEL=PHB</source>
            <translation>关闭 ACS，或允许 GPU 与网卡之间使用更长的路径：NCCL_NET_GDR_LEVEL=PHB</translation>
        </message>
        <message>
            <source>NCCL finds no usable interface on {host}: NCCL_SOCKET_IFNAME names none, or it has no link.</source>
            <translation>NCCL 在 {host} 上找不到可用的网络接口：NCCL_SOCKET_IFNAME 没有匹配到任何接口，或该接口没有链路。</translation>
        </message>
        <message>
            <source>On {host}: ip -br addr; set NCCL_SOCKET_IFNAME to a prefix of an interface of every node, or exclude: ^lo,docker,virbr,br-</source>
            <translation>在 {host} 上：ip -br addr；将 NCCL_SOCKET_IFNAME 设为每个节点上都有的网络接口的前缀，或用排除写法：^lo,docker,virbr,br-</translation>
        </message>
        <message>
            <source>NCCL_COMM_ID is no address of this node.</source>
            <translation>NCCL_COMM_ID 不是此节点的地址。</translation>
        </message>
        <message>
            <source>Unset NCCL_COMM_ID, or give an address of rank 0 in a subnet that all nodes share</source>
            <translation>取消设置 NCCL_COMM_ID，或填写 rank 0 在所有节点共有的子网中的地址</translation>
        </message>
        <message>
            <source>NCCL or Gloo uses a container bridge; every node has the same address there.</source>
            <translation>NCCL 或 Gloo 使用了容器网桥；每个节点在该网桥上的地址都相同。</translation>
        </message>
        <message>
            <source>export NCCL_SOCKET_IFNAME=INTERFACE GLOO_SOCKET_IFNAME=INTERFACE, the one between the nodes</source>
            <translation>export NCCL_SOCKET_IFNAME=INTERFACE GLOO_SOCKET_IFNAME=INTERFACE，即节点之间的网络接口</translation>
        </message>
        <message>
            <source>NCCL uses the bridge of libvirt, virbr0; every node has 192.168.122.1.</source>
            <translation>NCCL 使用了 libvirt 的网桥 virbr0；每个节点的地址都是 192.168.122.1。</translation>
        </message>
        <message>
            <source>export NCCL_SOCKET_IFNAME=^virbr,docker,lo</source>
            <translation>export NCCL_SOCKET_IFNAME=^virbr,docker,lo</translation>
        </message>
        <message>
            <source>Or remove the bridge if it has no use: virsh net-destroy default</source>
            <translation>或者，如果不需要该网桥，将其删除：virsh net-destroy default</translation>
        </message>
        <message>
            <source>A node offers a link-local IPv6 address, which no other node can use: {peer}.</source>
            <translation>一个节点提供了链路本地 IPv6 地址，其他节点无法使用：{peer}。</translation>
        </message>
        <message>
            <source>NCCL_SOCKET_FAMILY=AF_INET, and an interface with an IPv4 address: NCCL_SOCKET_IFNAME=INTERFACE</source>
            <translation>NCCL_SOCKET_FAMILY=AF_INET，并使用有 IPv4 地址的网络接口：NCCL_SOCKET_IFNAME=INTERFACE</translation>
        </message>
        <message>
            <source>NCCL uses an interface that the other nodes cannot reach: {peer}.</source>
            <translation>NCCL 使用了其他节点无法到达的网络接口：{peer}。</translation>
        </message>
        <message>
            <source>export NCCL_SOCKET_IFNAME=INTERFACE on all nodes, the one between them</source>
            <translation>在所有节点上 export NCCL_SOCKET_IFNAME=INTERFACE，即节点之间的网络接口</translation>
        </message>
        <message>
            <source>The interface that NCCL chose leads to a network that the nodes do not share: {peer}.</source>
            <translation>NCCL 选择的网络接口通往一个各节点并不共有的网络：{peer}。</translation>
        </message>
        <message>
            <source>export NCCL_SOCKET_IFNAME=INTERFACE, the one between the nodes</source>
            <translation>export NCCL_SOCKET_IFNAME=INTERFACE，即节点之间的网络接口</translation>
        </message>
        <message>
            <source>The firewall of {peer} rejects NCCL's ports (no route to host).</source>
            <translation>{peer} 的防火墙拒绝了 NCCL 的端口 (no route to host)。</translation>
        </message>
        <message>
            <source>On {peer}: sudo firewall-cmd --permanent --zone=trusted --add-source=ADDRESS_OF_THE_OTHERS &amp;&amp; sudo firewall-cmd --reload</source>
            <translation>在 {peer} 上：sudo firewall-cmd --permanent --zone=trusted --add-source=ADDRESS_OF_THE_OTHERS &amp;&amp; sudo firewall-cmd --reload</translation>
        </message>
        <message>
            <source>Or narrow net.ipv4.ip_local_port_range on all nodes and open it between them</source>
            <translation>或在所有节点上缩小 net.ipv4.ip_local_port_range，并在节点之间开放该范围</translation>
        </message>
        <message>
            <source>NCCL cannot reach {peer}: its packets are dropped.</source>
            <translation>NCCL 无法连接 {peer}：其数据包被丢弃。</translation>
        </message>
        <message>
            <source>Let the firewall or the security group of {peer} admit the other nodes: sudo ufw allow from NODE</source>
            <translation>让 {peer} 的防火墙或安全组放行其他节点：sudo ufw allow from NODE</translation>
        </message>
        <message>
            <source>{peer} refuses NCCL's connections: its firewall rejects them, or the process there ended.</source>
            <translation>{peer} 拒绝 NCCL 的连接：被其防火墙拒绝，或那里的进程已结束。</translation>
        </message>
        <message>
            <source>Check that the process on {peer} still runs</source>
            <translation>检查 {peer} 上的进程是否仍在运行</translation>
        </message>
        <message>
            <source>Let the firewall of {peer} admit the other nodes: sudo ufw allow from NODE</source>
            <translation>让 {peer} 的防火墙放行其他节点：sudo ufw allow from NODE</translation>
        </message>
        <message>
            <source>Two machines look like one to NCCL: the same host name or NCCL_HOSTID.</source>
            <translation>NCCL 把两台机器当成了同一台：主机名或 NCCL_HOSTID 相同。</translation>
        </message>
        <message>
            <source>Give each machine its own name: sudo hostnamectl set-hostname NAME</source>
            <translation>为每台机器设置各自的主机名：sudo hostnamectl set-hostname NAME</translation>
        </message>
        <message>
            <source>Unset NCCL_HOSTID, or set another value on each node</source>
            <translation>取消设置 NCCL_HOSTID，或在每个节点上设为不同的值</translation>
        </message>
        <message>
            <source>Small messages pass between the nodes and large ones do not: the MTU differs on the way.</source>
            <translation>节点之间小消息能通过，大消息不能：路径上的 MTU 不一致。</translation>
        </message>
        <message>
            <source>Try: ping -M do -s 8972 -c 2 NODE, in both directions</source>
            <translation>在两个方向上都试一下：ping -M do -s 8972 -c 2 NODE</translation>
        </message>
        <message>
            <source>Use the same MTU everywhere: sudo ip link set INTERFACE mtu 1500</source>
            <translation>各处使用相同的 MTU：sudo ip link set INTERFACE mtu 1500</translation>
        </message>
        <message>
            <source>Another program connected to NCCL's port and sent {got} bytes of another protocol.</source>
            <translation>另一个程序连到了 NCCL 的端口，并发送了 {got} 字节其他协议的数据。</translation>
        </message>
        <message>
            <source>NCCL 2.18 or newer ignores it</source>
            <translation>NCCL 2.18 或更新版本会忽略它</translation>
        </message>
        <message>
            <source>Exempt the nodes from the scan or health check</source>
            <translation>将这些节点排除在扫描或健康检查之外</translation>
        </message>
        <message>
            <source>The ranks use different networks: variables reached only some nodes.</source>
            <translation>各 rank 使用不同的网络：变量只传到了部分节点。</translation>
        </message>
        <message>
            <source>Set NCCL_* in one place and pass it to every rank: mpirun -x NAME, the env section of the job</source>
            <translation>在一处设置 NCCL_*，并传给每个 rank：mpirun -x NAME，或作业的 env 部分</translation>
        </message>
        <message>
            <source>The process on {peer} closed its connection: look there.</source>
            <translation>{peer} 上的进程关闭了连接：到那里查找原因。</translation>
        </message>
        <message>
            <source>Read the log of the process on {peer}: an exception, a signal, or silence decides</source>
            <translation>查看 {peer} 上该进程的日志：看是异常、信号还是没有任何输出，据此判断原因</translation>
        </message>
        <message>
            <source>The network thread of NCCL failed on {host}.</source>
            <translation>{host} 上 NCCL 的网络线程失败。</translation>
        </message>
        <message>
            <source>{host} offers an address of a container bridge, {peer}, that the other hosts cannot reach.</source>
            <translation>{host} 通告的是容器网桥的地址 {peer}，其他主机无法访问。</translation>
        </message>
        <message>
            <source>docker run --network=host --ipc=host</source>
            <translation>docker run --network=host --ipc=host</translation>
        </message>
        <message>
            <source>Kubernetes: hostNetwork: true with dnsPolicy: ClusterFirstWithHostNet, or a network plugin that routes between the nodes</source>
            <translation>Kubernetes：hostNetwork: true 并配合 dnsPolicy: ClusterFirstWithHostNet，或使用能在节点之间路由的网络插件</translation>
        </message>
        <message>
            <source>Two interfaces of {host} are in one subnet: the kernel may send over the other one.</source>
            <translation>{host} 的两个网络接口在同一子网：内核可能从另一个接口发送。</translation>
        </message>
        <message>
            <source>Use one subnet per interface; or NCCL_SOCKET_IFNAME with one of them</source>
            <translation>每个网络接口使用一个独立的子网；或用 NCCL_SOCKET_IFNAME 指定其中一个</translation>
        </message>
        <message>
            <source>Else source routing: net.ipv4.conf.all.arp_ignore=1, arp_announce=2, and ip rule</source>
            <translation>否则使用源路由：net.ipv4.conf.all.arp_ignore=1、arp_announce=2 以及 ip rule</translation>
        </message>
        <message>
            <source>The ranks do not run the same collective.</source>
            <translation>各 rank 执行的不是同一个集合通信。</translation>
        </message>
        <message>
            <source>Compare what each rank calls: TORCH_DISTRIBUTED_DEBUG=DETAIL; look for branches that depend on rank or data</source>
            <translation>比较每个 rank 的调用：TORCH_DISTRIBUTED_DEBUG=DETAIL；查找依赖 rank 或数据的分支</translation>
        </message>
        <message>
            <source>A rank did not come to a collective in time.</source>
            <translation>有 rank 未能及时进入集合通信。</translation>
        </message>
        <message>
            <source>Look at the rank that is behind: py-spy dump; its state and its data loader</source>
            <translation>检查落后的 rank：py-spy dump；其状态和数据加载器</translation>
        </message>
        <message>
            <source>Set TORCH_NCCL_TRACE_BUFFER_SIZE=2000 and compare the dumps of the ranks</source>
            <translation>设置 TORCH_NCCL_TRACE_BUFFER_SIZE=2000，并比较各 rank 的转储</translation>
        </message>
        <message>
            <source>The network between the nodes failed while the job ran.</source>
            <translation>作业运行期间，节点之间的网络发生故障。</translation>
        </message>
        <message>
            <source>Check the link and the switch: ip -s link; ss -tnoi of the ranks</source>
            <translation>检查链路和交换机：ip -s link；对各 rank 执行 ss -tnoi</translation>
        </message>
        <message>
            <source>Restart from the checkpoint</source>
            <translation>从检查点重新启动</translation>
        </message>
        <message>
            <source>Rank {rank} crashed on {host}: segmentation fault.</source>
            <translation>rank {rank} 在 {host} 上崩溃：段错误。</translation>
        </message>
        <message>
            <source>PYTHONFAULTHANDLER=1 prints the Python line of the crash (runs of Rankscope have it); check native extensions and that the wheel fits the processor</source>
            <translation>PYTHONFAULTHANDLER=1 会打印崩溃处的 Python 行（Rankscope 的运行已打开）；检查原生扩展，以及 wheel 是否与处理器匹配</translation>
        </message>
        <message>
            <source>Rank {rank} aborted on {host}.</source>
            <translation>rank {rank} 在 {host} 上中止。</translation>
        </message>
        <message>
            <source>Read the C++ exception before it</source>
            <translation>查看它之前的 C++ 异常</translation>
        </message>
        <message>
            <source>A process on {peer} ended without an error while others still needed it.</source>
            <translation>{peer} 上的一个进程无错误地结束，而其他进程仍需要它。</translation>
        </message>
        <message>
            <source>Give every rank the same number of steps: DistributedSampler, drop_last=True, or join()</source>
            <translation>让每个 rank 的步数相同：DistributedSampler、drop_last=True 或 join()</translation>
        </message>
        <message>
            <source>{peer} is lost: the other nodes no longer reach it.</source>
            <translation>{peer} 已失联：其他节点无法再访问它。</translation>
        </message>
        <message>
            <source>Check the node (ping, console, last -x), replace it, restart from the checkpoint</source>
            <translation>检查该节点（ping、控制台、last -x），更换它，并从检查点重新启动</translation>
        </message>
        <message>
            <source>The process at {peer} ended or closed its connection: look there.</source>
            <translation>{peer} 处的进程已结束或关闭了连接：到那里查找原因。</translation>
        </message>
        <message>
            <source>Read the log of the process at {peer}: an exception, a signal, or silence decides</source>
            <translation>查看 {peer} 处进程的日志：看是异常、信号还是没有任何输出，据此判断原因</translation>
        </message>
        <message>
            <source>A rank did not come to the start (keys of the store: {keys}).</source>
            <translation>有 rank 未到达启动点（store 键 {keys}）。</translation>
        </message>
        <message>
            <source>Read the log of the rank that did not come</source>
            <translation>查看未到达的 rank 的日志</translation>
        </message>
        <message>
            <source>The ranks wait for one that did not come.</source>
            <translation>各 rank 在等待一个未到达的 rank。</translation>
        </message>
        <message>
            <source>The log stops while NCCL starts, without an error: another rank or the path to it decides.</source>
            <translation>日志在 NCCL 启动时中断，没有错误：原因在另一个 rank 或通往它的路径上。</translation>
        </message>
        <message>
            <source>Read the logs of the other ranks</source>
            <translation>查看其他 rank 的日志</translation>
        </message>
        <message>
            <source>Test the ephemeral ports between the nodes: rankscopectl preflight</source>
            <translation>测试节点之间的临时端口：rankscopectl preflight</translation>
        </message>
        <message>
            <source>Start with PYTHONUNBUFFERED=1 to see the last lines</source>
            <translation>用 PYTHONUNBUFFERED=1 启动，以便看到最后几行</translation>
        </message>
        <message>
            <source>No known cause. Unusual: {what}</source>
            <translation>没有已知原因。异常之处：{what}</translation>
        </message>
        <message>
            <source>Some ranks run a collective that the others skip.</source>
            <translation>部分 rank 执行了其他 rank 跳过的集合通信。</translation>
        </message>
        <message>
            <source>Let every rank call the same collectives: move them out of branches on the rank</source>
            <translation>让每个 rank 调用相同的集合通信：将其移出依赖 rank 的分支</translation>
        </message>
        <message>
            <source>Compare the dumps of the flight recorder: torchfrtrace</source>
            <translation>比较 flight recorder 的转储：torchfrtrace</translation>
        </message>
        <message>
            <source>{peer}:{port} cannot be reached: a firewall drops it, or nothing listens there.</source>
            <translation>无法连接 {peer}:{port}：被防火墙丢弃，或那里没有程序在监听。</translation>
        </message>
        <message>
            <source>Check that rank 0 runs on {peer} and listens: ss -ltn "sport = :{port}"</source>
            <translation>检查 rank 0 是否在 {peer} 上运行并监听：ss -ltn "sport = :{port}"</translation>
        </message>
        <message>
            <source>Let the firewall of {peer} admit the other nodes on port {port}</source>
            <translation>让 {peer} 的防火墙在端口 {port} 上放行其他节点</translation>
        </message>
        <message>
            <source>The firewall of {peer} rejects port {port} (no route to host).</source>
            <translation>{peer} 的防火墙拒绝端口 {port}（no route to host）。</translation>
        </message>
        <message>
            <source>On {peer}: sudo firewall-cmd --permanent --add-rich-rule='rule family="ipv4" source address="NODE/32" port port="{port}" protocol="tcp" accept' &amp;&amp; sudo firewall-cmd --reload</source>
            <translation>在 {peer} 上：sudo firewall-cmd --permanent --add-rich-rule='rule family="ipv4" source address="NODE/32" port port="{port}" protocol="tcp" accept' &amp;&amp; sudo firewall-cmd --reload</translation>
        </message>
        <message>
            <source>{peer} refuses port {port}: its firewall rejects it, or nothing listens there.</source>
            <translation>{peer} 拒绝端口 {port}：被其防火墙拒绝，或那里没有程序在监听。</translation>
        </message>
        <message>
            <source>Let the firewall of {peer} admit port {port}</source>
            <translation>让 {peer} 的防火墙放行端口 {port}</translation>
        </message>
        <message>
            <source>The node looks for the master on itself: MASTER_ADDR is {peer}.</source>
            <translation>该节点在自己身上寻找 master：MASTER_ADDR 为 {peer}。</translation>
        </message>
        <message>
            <source>Set MASTER_ADDR to an address of the node of rank 0 that all nodes reach</source>
            <translation>将 MASTER_ADDR 设为 rank 0 所在节点的、所有节点都能访问的地址</translation>
        </message>
        <message>
            <source>{peer} is named as the master, but rank 0 does not run there.</source>
            <translation>{peer} 被指定为 master，但 rank 0 不在那里运行。</translation>
        </message>
        <message>
            <source>Set MASTER_ADDR to an address of the node that has rank 0</source>
            <translation>将 MASTER_ADDR 设为 rank 0 所在节点的地址</translation>
        </message>
        <message>
            <source>The name {peer} cannot be resolved.</source>
            <translation>无法解析名称 {peer}。</translation>
        </message>
        <message>
            <source>On {host}: getent ahosts {peer}</source>
            <translation>在 {host} 上：getent ahosts {peer}</translation>
        </message>
        <message>
            <source>Use an address in place of the name, or add {peer} to /etc/hosts of every node</source>
            <translation>用地址代替名称，或将 {peer} 加入每个节点的 /etc/hosts</translation>
        </message>
        <message>
            <source>{peer} resolves to an IPv6 address that this node cannot use.</source>
            <translation>{peer} 解析为本节点无法使用的 IPv6 地址。</translation>
        </message>
        <message>
            <source>Use an IPv4 address for the master; NCCL_SOCKET_FAMILY=AF_INET</source>
            <translation>master 使用 IPv4 地址；NCCL_SOCKET_FAMILY=AF_INET</translation>
        </message>
        <message>
            <source>Port {port} is already in use on {host}.</source>
            <translation>{host} 上的端口 {port} 已被占用。</translation>
        </message>
        <message>
            <source>Find it: ss -ltnp "sport = :{port}"</source>
            <translation>找出它：ss -ltnp "sport = :{port}"</translation>
        </message>
        <message>
            <source>End the earlier run, or choose another port for each job</source>
            <translation>结束之前的运行，或为每个作业选用不同的端口</translation>
        </message>
        <message>
            <source>Not all nodes came to the rendezvous ({joined} joined).</source>
            <translation>并非所有节点都加入了会合（已加入 {joined} 个）。</translation>
        </message>
        <message>
            <source>Check that the launcher runs on every node, with the same number of nodes</source>
            <translation>检查启动器是否在每个节点上运行，且节点数设置相同</translation>
        </message>
        <message>
            <source>Check from the missing node that the master port answers</source>
            <translation>从缺失的节点检查 master 端口是否有响应</translation>
        </message>
        <message>
            <source>Two processes claim one rank.</source>
            <translation>两个进程占用同一个 rank。</translation>
        </message>
        <message>
            <source>Give every process its own RANK, and every node its own --node-rank</source>
            <translation>为每个进程设置各自的 RANK，为每个节点设置各自的 --node-rank</translation>
        </message>
        <message>
            <source>Look for processes of an earlier run</source>
            <translation>查找之前运行遗留的进程</translation>
        </message>
        <message>
            <source>The processes do not agree on the number of ranks.</source>
            <translation>各进程的 rank 总数不一致。</translation>
        </message>
        <message>
            <source>Use the same --nnodes and --nproc-per-node on every node; unset WORLD_SIZE and RANK of other jobs</source>
            <translation>在每个节点上使用相同的 --nnodes 和 --nproc-per-node；取消设置其他作业的 WORLD_SIZE 和 RANK</translation>
        </message>
        <message>
            <source>The nodes wait in different rendezvous: --rdzv-id differs.</source>
            <translation>各节点在不同的会合中等待：--rdzv-id 不一致。</translation>
        </message>
        <message>
            <source>Start every node with the same --rdzv-id</source>
            <translation>用相同的 --rdzv-id 启动每个节点</translation>
        </message>
        <message>
            <source>The store of the workers on {peer}, port {port}, cannot be reached.</source>
            <translation>无法连接 {peer} 端口 {port} 上的 worker store。</translation>
        </message>
        <message>
            <source>Open the ephemeral ports between the nodes</source>
            <translation>在节点之间开放临时端口</translation>
        </message>
        <message>
            <source>Or use a static rendezvous, which uses one port: --master-addr, --master-port, --node-rank</source>
            <translation>或使用静态会合，只用一个端口：--master-addr、--master-port、--node-rank</translation>
        </message>
        <message>
            <source>The nodes run different versions of PyTorch: the store resets the connection after the first bytes.</source>
            <translation>各节点的 PyTorch 版本不同：store 在收到最初几个字节后重置连接。</translation>
        </message>
        <message>
            <source>Compare on all nodes: python -c 'import torch; print(torch.__version__, torch.version.cuda, torch.cuda.nccl.version())'</source>
            <translation>在所有节点上比较：python -c 'import torch; print(torch.__version__, torch.version.cuda, torch.cuda.nccl.version())'</translation>
        </message>
        <message>
            <source>torchrun asks for libuv, but this PyTorch has none.</source>
            <translation>torchrun 要求使用 libuv，但此 PyTorch 不带 libuv。</translation>
        </message>
        <message>
            <source>export USE_LIBUV=0</source>
            <translation>export USE_LIBUV=0</translation>
        </message>
        <message>
            <source>GLOO_SOCKET_IFNAME names an interface that {host} does not have: {interface}.</source>
            <translation>GLOO_SOCKET_IFNAME 指定的网络接口在 {host} 上不存在：{interface}。</translation>
        </message>
        <message>
            <source>Set GLOO_SOCKET_IFNAME to the one exact name of an interface on each node: ip -br addr</source>
            <translation>在每个节点上将 GLOO_SOCKET_IFNAME 设为一个网络接口的确切名称：ip -br addr</translation>
        </message>
        <message>
            <source>{host} cannot resolve its own name, so it offers its loopback address to the others.</source>
            <translation>{host} 无法解析自己的主机名，因此向其他节点通告了环回地址。</translation>
        </message>
        <message>
            <source>On {host}: add its name with its real address to /etc/hosts</source>
            <translation>在 {host} 上：将其主机名和真实地址加入 /etc/hosts</translation>
        </message>
        <message>
            <source>Or export GLOO_SOCKET_IFNAME=INTERFACE</source>
            <translation>或 export GLOO_SOCKET_IFNAME=INTERFACE</translation>
        </message>
        <message>
            <source>A node offers its loopback address {peer} to the others.</source>
            <translation>有节点向其他节点通告了环回地址 {peer}。</translation>
        </message>
        <message>
            <source>In /etc/hosts of that node: the real address in place of 127.0.1.1</source>
            <translation>在该节点的 /etc/hosts 中：用真实地址替换 127.0.1.1</translation>
        </message>
        <message>
            <source>Gloo cannot connect between the nodes.</source>
            <translation>Gloo 无法在节点之间建立连接。</translation>
        </message>
        <message>
            <source>Open the ephemeral ports between the nodes, or trust their addresses: sudo ufw allow from NODE</source>
            <translation>在节点之间开放临时端口，或信任其地址：sudo ufw allow from NODE</translation>
        </message>
        <message>
            <source>Check the address that each node offers: getent ahosts $(hostname)</source>
            <translation>检查每个节点通告的地址：getent ahosts $(hostname)</translation>
        </message>
        <message>
            <source>A node can connect to the others but not be reached: {peer}.</source>
            <translation>有节点能连接其他节点，但无法被连接：{peer}。</translation>
        </message>
        <message>
            <source>Use bridged or host networking, or a tunnel between the nodes (WireGuard) with NCCL_SOCKET_IFNAME=wg0</source>
            <translation>使用桥接或 host 网络，或在节点之间建立隧道 (WireGuard) 并设置 NCCL_SOCKET_IFNAME=wg0</translation>
        </message>
        <message>
            <source>No node recognises itself as {peer}, which --rdzv-endpoint names, so none holds the store.</source>
            <translation>没有节点认出 --rdzv-endpoint 的地址 {peer} 是自己，因此没有节点提供 store。</translation>
        </message>
        <message>
            <source>Give --rdzv-endpoint the address of that node in place of its name</source>
            <translation>将 --rdzv-endpoint 设为该节点的地址，而不是名称</translation>
        </message>
        <message>
            <source>Or add --rdzv-conf is_host=1 on that node, and is_host=0 on the others</source>
            <translation>或在该节点上加 --rdzv-conf is_host=1，在其他节点上加 is_host=0</translation>
        </message>
        <message>
            <source>Install the public key there: ssh-copy-id -i ~/.ssh/id_ed25519.pub {node}</source>
            <translation>在那里安装公钥：ssh-copy-id -i ~/.ssh/id_ed25519.pub {node}</translation>
        </message>
        <message>
            <source>On {node}: chmod go-w ~ &amp;&amp; chmod 700 ~/.ssh &amp;&amp; chmod 600 ~/.ssh/authorized_keys</source>
            <translation>在 {node} 上：chmod go-w ~ &amp;&amp; chmod 700 ~/.ssh &amp;&amp; chmod 600 ~/.ssh/authorized_keys</translation>
        </message>
        <message>
            <source>The SSH agent offers too many keys before the right one.</source>
            <translation>SSH agent 在正确的密钥之前提供了过多密钥。</translation>
        </message>
        <message>
            <source>In ~/.ssh/config for this host: IdentitiesOnly yes and IdentityFile with the right key</source>
            <translation>在 ~/.ssh/config 中为该主机设置：IdentitiesOnly yes，以及指向正确密钥的 IdentityFile</translation>
        </message>
        <message>
            <source>The host key of the node is not known.</source>
            <translation>该节点的主机密钥未知。</translation>
        </message>
        <message>
            <source>Compare the fingerprint with the console of the node, then add it: ssh-keyscan -t ed25519 HOST &gt;&gt; ~/.ssh/known_hosts</source>
            <translation>与节点控制台上的指纹比对，然后添加：ssh-keyscan -t ed25519 HOST &gt;&gt; ~/.ssh/known_hosts</translation>
        </message>
        <message>
            <source>The host key of the node changed.</source>
            <translation>该节点的主机密钥已改变。</translation>
        </message>
        <message>
            <source>Compare the fingerprint with the console of the node, then: ssh-keygen -R HOST</source>
            <translation>与节点控制台上的指纹比对，然后执行：ssh-keygen -R HOST</translation>
        </message>
        <message>
            <source>The private key is readable by others, so ssh does not use it.</source>
            <translation>其他用户可读取该私钥，因此 ssh 不使用它。</translation>
        </message>
        <message>
            <source>chmod 600 {key}</source>
            <translation>chmod 600 {key}</translation>
        </message>
        <message>
            <source>{node} refuses connections to its SSH port.</source>
            <translation>{node} 拒绝连接其 SSH 端口。</translation>
        </message>
        <message>
            <source>Start sshd on {node}, or set the right Port in ~/.ssh/config</source>
            <translation>在 {node} 上启动 sshd，或在 ~/.ssh/config 中设置正确的 Port</translation>
        </message>
        <message>
            <source>{node} does not answer on its SSH port.</source>
            <translation>{node} 的 SSH 端口没有响应。</translation>
        </message>
        <message>
            <source>Check whether {node} is up: ping -c1 {node}</source>
            <translation>检查 {node} 是否在线：ping -c1 {node}</translation>
        </message>
        <message>
            <source>Let the firewall or the security group of {node} admit port {port} from here</source>
            <translation>让 {node} 的防火墙或安全组放行本机到端口 {port} 的连接</translation>
        </message>
        <message>
            <source>There is no route to {node}, or its firewall rejects SSH.</source>
            <translation>没有到 {node} 的路由，或其防火墙拒绝 SSH。</translation>
        </message>
        <message>
            <source>Check that {node} is on, and the VPN: ip route get {node}</source>
            <translation>检查 {node} 是否开机，以及 VPN：ip route get {node}</translation>
        </message>
        <message>
            <source>The name {node} cannot be resolved.</source>
            <translation>无法解析名称 {node}。</translation>
        </message>
        <message>
            <source>Add {node} to /etc/hosts, or HostName to ~/.ssh/config</source>
            <translation>将 {node} 加入 /etc/hosts，或将 HostName 加入 ~/.ssh/config</translation>
        </message>
        <message>
            <source>The SSH connection was lost.</source>
            <translation>SSH 连接中断。</translation>
        </message>
        <message>
            <source>In ~/.ssh/config: ServerAliveInterval 15 and ServerAliveCountMax 3; run the job detached</source>
            <translation>在 ~/.ssh/config 中：ServerAliveInterval 15 和 ServerAliveCountMax 3；以脱离会话的方式运行作业</translation>
        </message>
        <message>
            <source>{node} closed the SSH session.</source>
            <translation>{node} 关闭了 SSH 会话。</translation>
        </message>
        <message>
            <source>On {node}: last -x reboot; journalctl -u ssh</source>
            <translation>在 {node} 上：last -x reboot; journalctl -u ssh</translation>
        </message>
        <message>
            <source>Keep processes after logout: loginctl enable-linger</source>
            <translation>注销后保留进程：loginctl enable-linger</translation>
        </message>
        <message>
            <source>Run the job detached</source>
            <translation>以脱离会话的方式运行作业</translation>
        </message>
        <message>
            <source>The program {program} does not exist on {host}.</source>
            <translation>{host} 上不存在程序 {program}。</translation>
        </message>
        <message>
            <source>Use the absolute path of an interpreter that exists on every node</source>
            <translation>使用每个节点上都存在的解释器的绝对路径</translation>
        </message>
        <message>
            <source>conda: ~/miniconda3/bin/conda run -n ENV --no-capture-output python …</source>
            <translation>conda：~/miniconda3/bin/conda run -n ENV --no-capture-output python …</translation>
        </message>
        <message>
            <source>The folder {path} does not exist on {host}.</source>
            <translation>{host} 上不存在文件夹 {path}。</translation>
        </message>
        <message>
            <source>Mount it on {host} (findmnt -T {path}), or choose a folder that every node has</source>
            <translation>在 {host} 上挂载它 (findmnt -T {path})，或选择每个节点都有的文件夹</translation>
        </message>
        <message>
            <source>The script {script} does not exist on {host}.</source>
            <translation>{host} 上不存在脚本 {script}。</translation>
        </message>
        <message>
            <source>Copy the code to every node, or use a shared folder</source>
            <translation>将代码复制到每个节点，或使用共享文件夹</translation>
        </message>
        <message>
            <source>A DataLoader worker was killed on {host}, pid {pid}: a user, a program or the kernel (if memory ran out) did it.</source>
            <translation>{host} 上的一个 DataLoader worker 被终止，pid {pid}：由用户、某个程序或内核（若内存耗尽）所为。</translation>
        </message>
        <message>
            <source>On {host}: memory.events (oom_kill) of the cgroup and `journalctl -k -g "Killed process"` show whether the kernel did it</source>
            <translation>在 {host} 上：cgroup 的 memory.events (oom_kill) 和 `journalctl -k -g "Killed process"` 可显示是否由内核所为</translation>
        </message>
        <message>
            <source>If memory ran out: fewer DataLoader workers, a stream of the data, or more memory (--mem)</source>
            <translation>若内存耗尽：减少 DataLoader worker、流式读取数据，或申请更多内存 (--mem)</translation>
        </message>
        <message>
            <source>A process on {host} asked for memory and got none: the node, its cgroup or `ulimit -v` has no more.</source>
            <translation>{host} 上的一个进程申请内存失败：节点、其 cgroup 或 `ulimit -v` 已无更多内存。</translation>
        </message>
        <message>
            <source>On {host}: `free -g`, memory.max of the cgroup and `ulimit -v` show which limit it is</source>
            <translation>在 {host} 上：`free -g`、cgroup 的 memory.max 和 `ulimit -v` 可显示是哪个限制</translation>
        </message>
        <message>
            <source>A process of the job was killed on {host}, rank {inner}, pid {pid}: a user, a program or the kernel (if memory ran out) did it.</source>
            <translation>{host} 上作业的一个进程被终止，rank {inner}，pid {pid}：由用户、某个程序或内核（若内存耗尽）所为。</translation>
        </message>
        <message>
            <source>This build has no code for the GPU of {host}: no kernel image.</source>
            <translation>该构建没有适合 {host} 的 GPU 的代码：没有 kernel image。</translation>
        </message>
        <message>
            <source>Compare: python -c "import torch; print(torch.cuda.get_arch_list(), torch.cuda.get_device_capability())"</source>
            <translation>比较：python -c "import torch; print(torch.cuda.get_arch_list(), torch.cuda.get_device_capability())"</translation>
        </message>
        <message>
            <source>Install a PyTorch, and build extensions, for this GPU: a newer wheel, TORCH_CUDA_ARCH_LIST=…; update the driver if nvidia-smi shows an older CUDA</source>
            <translation>为该 GPU 安装 PyTorch 并编译扩展：更新的 wheel，TORCH_CUDA_ARCH_LIST=…；若 nvidia-smi 显示较旧的 CUDA，请更新驱动</translation>
        </message>
        <message>
            <source>Ranks {first} and {rank} use the same GPU on {host} ({device}).</source>
            <translation>rank {first} 和 rank {rank} 在 {host} 上使用同一个 GPU（{device}）。</translation>
        </message>
        <message>
            <source>Two ranks use the same GPU on {host}.</source>
            <translation>两个 rank 在 {host} 上使用同一个 GPU。</translation>
        </message>
        <message>
            <source>mpirun: spread the ranks over the nodes: --map-by ppr:N:node, or slots=N in the hostfile</source>
            <translation>mpirun：把 rank 分布到各节点：--map-by ppr:N:node，或在 hostfile 中写 slots=N</translation>
        </message>
        <message>
            <source>GPUs in MIG mode: a process sees one instance only, whatever its local rank: give each rank its own in CUDA_VISIBLE_DEVICES and use device 0</source>
            <translation>MIG 模式的 GPU：无论本地 rank 是多少，一个进程只看到一个实例：在 CUDA_VISIBLE_DEVICES 中给每个 rank 自己的实例，并使用设备 0</translation>
        </message>
        <message>
            <source>{host} loads a cuDNN that does not fit this build.</source>
            <translation>{host} 加载的 cuDNN 与该构建不匹配。</translation>
        </message>
        <message>
            <source>Take the other cuDNN out of the way: unset LD_LIBRARY_PATH, or remove its folder from it; python -c "import torch; print(torch.backends.cudnn.version())"</source>
            <translation>移开另一个 cuDNN：unset LD_LIBRARY_PATH，或从中删除它的文件夹；python -c "import torch; print(torch.backends.cudnn.version())"</translation>
        </message>
        <message>
            <source>Install the version that the build needs: pip install --force-reinstall torch, or nvidia-cudnn-cu12 of that version</source>
            <translation>安装该构建所需的版本：pip install --force-reinstall torch，或该版本的 nvidia-cudnn-cu12</translation>
        </message>
        <message>
            <source>If memory may be the reason: nvidia-smi, a smaller batch</source>
            <translation>若原因可能是显存：nvidia-smi，更小的批次</translation>
        </message>
        <message>
            <source>{host} loads cuDNN ({found}) in place of the version that PyTorch was built for: LD_LIBRARY_PATH or another package brings it.</source>
            <translation>{host} 加载了 cuDNN ({found})，而不是 PyTorch 构建时的版本：它来自 LD_LIBRARY_PATH 或另一个软件包。</translation>
        </message>
        <message>
            <source>cuDNN cannot start on {host}: it does not fit the build or the driver, or the memory of the GPU is full.</source>
            <translation>cuDNN 无法在 {host} 上启动：它与构建或驱动不匹配，或 GPU 显存已满。</translation>
        </message>
        <message>
            <source>cuDNN finds no way to run an operation on {host}: the memory of the GPU is full, or cuDNN does not fit the build.</source>
            <translation>cuDNN 在 {host} 上找不到执行某个操作的方法：GPU 显存已满，或 cuDNN 与构建不匹配。</translation>
        </message>
        <message>
            <source>A library of CUDA cannot start on {host}, rank {rank}: mostly the memory of the GPU is full, else an index is out of range.</source>
            <translation>CUDA 的某个库无法在 {host} 上启动，rank {rank}：多半是 GPU 显存已满，否则是索引越界。</translation>
        </message>
        <message>
            <source>Check the memory of the GPU: nvidia-smi; use a smaller batch</source>
            <translation>检查 GPU 显存：nvidia-smi；使用更小的批次</translation>
        </message>
        <message>
            <source>Repeat with CUDA_LAUNCH_BLOCKING=1: an assertion of a kernel before it shows an index that is out of range</source>
            <translation>用 CUDA_LAUNCH_BLOCKING=1 重试：它之前的 kernel 断言会显示越界的索引</translation>
        </message>
        <message>
            <source>Look for what came before: dmesg -T | grep -i -e nvrm -e xid -e pcie; take the GPU out of the cluster if it happens again</source>
            <translation>查看之前发生了什么：dmesg -T | grep -i -e nvrm -e xid -e pcie；若再次发生，把该 GPU 移出集群</translation>
        </message>
        <message>
            <source>A worker of Ray ended on {host} without a word: out of memory, a stop of Ray, or a crash. The line only lists what it may have been.</source>
            <translation>Ray 的一个 worker 在 {host} 上没有说明就结束了：内存不足、Ray 被停止，或崩溃。该行只列出了可能的原因。</translation>
        </message>
        <message>
            <source>Memory first: memory.events (oom_kill) of the cgroup or pod, journalctl -k -g "Killed process", ray memory; give it more (--mem, limits of the container), or fewer workers</source>
            <translation>先看内存：cgroup 或 pod 的 memory.events (oom_kill)，journalctl -k -g "Killed process"，ray memory；给它更多内存（--mem、容器的限制），或减少 worker</translation>
        </message>
        <message>
            <source>Then the log of the worker: /tmp/ray/session_latest/logs/worker-*.err shows a crash (SIGSEGV)</source>
            <translation>再看 worker 的日志：/tmp/ray/session_latest/logs/worker-*.err 会显示崩溃 (SIGSEGV)</translation>
        </message>
        <message>
            <source>Nobody ran ray stop --force?</source>
            <translation>没有人运行 ray stop --force 吗？</translation>
        </message>
        <message>
            <source>The lines do not say who stopped it: sacct -j JOB -o JobID,State,Reason, the log of the launcher, the events of the cluster</source>
            <translation>这些行没有说明是谁停止的：sacct -j JOB -o JobID,State,Reason、启动器的日志、集群的事件</translation>
        </message>
        <message>
            <source>The job reached its time limit, and the scheduler ended it on {host}.</source>
            <translation>作业达到了时间限制，调度器在 {host} 上结束了它。</translation>
        </message>
        <message>
            <source>Ask for more time: sbatch --time=…, qsub -l walltime=…</source>
            <translation>申请更多时间：sbatch --time=…，qsub -l walltime=…</translation>
        </message>
        <message>
            <source>Run in parts: write checkpoints often, and one on a signal before the end (sbatch --signal=B:USR1@300), and let the next job resume from it</source>
            <translation>分段运行：经常写检查点，并在结束前的信号到来时再写一个 (sbatch --signal=B:USR1@300)，让下一个作业从它继续</translation>
        </message>
        <message>
            <source>The scheduler gave the nodes to another job: this one was preempted on {host}.</source>
            <translation>调度器把节点给了另一个作业：本作业在 {host} 上被抢占。</translation>
        </message>
        <message>
            <source>Let the scheduler start it again, and resume from the last checkpoint: sbatch --requeue; write one on SIGTERM</source>
            <translation>让调度器重新启动它，并从最后一个检查点继续：sbatch --requeue；在收到 SIGTERM 时写一个检查点</translation>
        </message>
        <message>
            <source>What the first start left behind must not count for the second: name files of init_method=file:// after $SLURM_JOB_ID-$SLURM_RESTART_COUNT</source>
            <translation>第一次启动留下的东西不得计入第二次：用 $SLURM_JOB_ID-$SLURM_RESTART_COUNT 命名 init_method=file:// 的文件</translation>
        </message>
        <message>
            <source>Use a partition or a QOS that is not preempted</source>
            <translation>使用不会被抢占的分区或 QOS</translation>
        </message>
        <message>
            <source>The scheduler put the job back into the queue; it starts again.</source>
            <translation>调度器把作业放回了队列；它会再次启动。</translation>
        </message>
        <message>
            <source>Resume from the last checkpoint when it starts again; remove what the first start left (files of init_method=file://, ports)</source>
            <translation>再次启动时从最后一个检查点继续；删除第一次留下的东西（init_method=file:// 的文件、端口）</translation>
        </message>
        <message>
            <source>See why: scontrol show job JOB; sacct -j JOB --duplicates</source>
            <translation>查看原因：scontrol show job JOB；sacct -j JOB --duplicates</translation>
        </message>
        <message>
            <source>Slurm ended the step on {host} because one of its tasks ended first: look there.</source>
            <translation>Slurm 结束了 {host} 上的 step，因为它的一个 task 先结束了：请看那里。</translation>
        </message>
        <message>
            <source>Find the task that ended first: sacct -j JOB -o JobID,State,ExitCode,NodeList, and its own log</source>
            <translation>找到先结束的 task：sacct -j JOB -o JobID,State,ExitCode,NodeList，以及它自己的日志</translation>
        </message>
        <message>
            <source>srun --kill-on-bad-exit=0 lets the others finish</source>
            <translation>srun --kill-on-bad-exit=0 让其他 task 继续到结束</translation>
        </message>
        <message>
            <source>Kubernetes took the pod off {host}: the node was short of a resource.</source>
            <translation>Kubernetes 把 pod 从 {host} 上移走了：该节点缺少某种资源。</translation>
        </message>
        <message>
            <source>See which: kubectl describe pod POD; give the pod requests for memory and ephemeral-storage, and a priority</source>
            <translation>查看是哪种：kubectl describe pod POD；为 pod 设置 memory 和 ephemeral-storage 的 requests，以及优先级</translation>
        </message>
        <message>
            <source>The terminal or the SSH connection that started the run on {host} was closed (SIGHUP).</source>
            <translation>在 {host} 上启动该运行的终端或 SSH 连接被关闭了 (SIGHUP)。</translation>
        </message>
        <message>
            <source>Start it detached from the terminal: tmux or screen, or `setsid nohup COMMAND &amp;`; nohup alone does not help, torchrun sets its own handler</source>
            <translation>脱离终端启动：tmux 或 screen，或 `setsid nohup COMMAND &amp;`；仅用 nohup 没有用，torchrun 会设置自己的处理程序</translation>
        </message>
        <message>
            <source>Keep processes after a logout: loginctl enable-linger; or use a scheduler</source>
            <translation>注销后保留进程：loginctl enable-linger；或使用调度器</translation>
        </message>
        <message>
            <source>Somebody stopped the run on {host} with Ctrl-C (SIGINT).</source>
            <translation>有人用 Ctrl-C (SIGINT) 停止了 {host} 上的运行。</translation>
        </message>
        <message>
            <source>Start it detached from the terminal if nobody meant to: tmux, or `setsid nohup COMMAND &amp;`</source>
            <translation>若并非有意，请脱离终端启动：tmux，或 `setsid nohup COMMAND &amp;`</translation>
        </message>
        <message>
            <source>Raise activeDeadlineSeconds of the job, or resume from checkpoints</source>
            <translation>提高作业的 activeDeadlineSeconds，或从检查点继续</translation>
        </message>
        <message>
            <source>libfabric finds no provider for the network of {host} (EFA, Slingshot, verbs), so its plugin does not serve NCCL.</source>
            <translation>libfabric 找不到适合 {host} 网络的 provider（EFA、Slingshot、verbs），因此它的插件不能为 NCCL 服务。</translation>
        </message>
        <message>
            <source>On {host}, within the container of the job: fi_info -p efa (or cxi, verbs); ls /dev/infiniband</source>
            <translation>在 {host} 上、作业的容器内：fi_info -p efa（或 cxi、verbs）；ls /dev/infiniband</translation>
        </message>
        <message>
            <source>Install the EFA driver and libfabric, pass the devices to the container (--device=/dev/infiniband), FI_PROVIDER=efa; on instances without EFA remove the plugin: NCCL_NET_PLUGIN=none</source>
            <translation>安装 EFA 驱动和 libfabric，把设备传入容器 (--device=/dev/infiniband)，FI_PROVIDER=efa；在没有 EFA 的实例上移除插件：NCCL_NET_PLUGIN=none</translation>
        </message>
        <message>
            <source>NVSHMEM cannot use the network card of {host} directly (DEVX): the container or the driver does not let it.</source>
            <translation>NVSHMEM 不能直接使用 {host} 的网卡 (DEVX)：容器或驱动不允许。</translation>
        </message>
        <message>
            <source>Containers: --privileged, or --cap-add=SYS_ADMIN --cap-add=IPC_LOCK --device=/dev/infiniband --ulimit memlock=-1</source>
            <translation>容器：--privileged，或 --cap-add=SYS_ADMIN --cap-add=IPC_LOCK --device=/dev/infiniband --ulimit memlock=-1</translation>
        </message>
        <message>
            <source>Driver: options nvidia NVreg_EnableStreamMemOPs=1 NVreg_RegistryDwords='PeerMappingOverride=1;', then restart {host}</source>
            <translation>驱动：options nvidia NVreg_EnableStreamMemOPs=1 NVreg_RegistryDwords='PeerMappingOverride=1;'，然后重启 {host}</translation>
        </message>
        <message>
            <source>Without IBGDA: NVSHMEM_IB_ENABLE_IBGDA=0</source>
            <translation>不用 IBGDA：NVSHMEM_IB_ENABLE_IBGDA=0</translation>
        </message>
        <message>
            <source>NCCL has no address to connect to: {host} has no interface {interface}, which NCCL_SOCKET_IFNAME names there.</source>
            <translation>NCCL 没有可连接的地址：{host} 没有接口 {interface}，而那里的 NCCL_SOCKET_IFNAME 指定了它。</translation>
        </message>
        <message>
            <source>NCCL has no address to connect to: NCCL_SOCKET_IFNAME names an interface that a node does not have.</source>
            <translation>NCCL 没有可连接的地址：NCCL_SOCKET_IFNAME 指定了某个节点没有的接口。</translation>
        </message>
        <message>
            <source>{host} has no network interface with an IP address that NCCL may use.</source>
            <translation>{host} 没有 NCCL 可用的带 IP 地址的网络接口。</translation>
        </message>
        <message>
            <source>On {host}, within the container of the job: ip -br addr; give it a network (--network=host), or an IPv4 address</source>
            <translation>在 {host} 上、作业的容器内：ip -br addr；给它一个网络 (--network=host)，或一个 IPv4 地址</translation>
        </message>
        <message>
            <source>NCCL_SOCKET_FAMILY=AF_INET, and NCCL_SOCKET_IFNAME=INTERFACE with that address</source>
            <translation>NCCL_SOCKET_FAMILY=AF_INET，以及 NCCL_SOCKET_IFNAME=INTERFACE（有该地址的接口）</translation>
        </message>
        <message>
            <source>Look for work that one rank does alone (if rank == 0: save, evaluate, prepare data): a collective within it waits for ranks that never come, and long work needs a longer timeout (init_process_group(timeout=…), ddp_timeout)</source>
            <translation>查找只由一个 rank 单独做的工作（if rank == 0：保存、评估、准备数据）：其中的集合操作会等待永远不来的 rank，而长时间的工作需要更长的超时（init_process_group(timeout=…)、ddp_timeout）</translation>
        </message>
        <message>
            <source>One rank is busy alone for longer than the others wait for it in a collective: {doing}.</source>
            <translation>一个 rank 单独忙碌的时间超过了其他 rank 在集合操作中等待它的时间：{doing}。</translation>
        </message>
        <message>
            <source>Do such work before the processes start, once; or let the others wait without a collective, and keep the result on disk</source>
            <translation>在进程启动之前一次做完这些工作；或让其他 rank 不用集合操作等待，并把结果保存在磁盘上</translation>
        </message>
        <message>
            <source>Give the collective more time: init_process_group(timeout=timedelta(hours=3)), ddp_timeout of Transformers, --ddp-timeout; TORCH_NCCL_BLOCKING_WAIT alone gives none</source>
            <translation>给集合操作更多时间：init_process_group(timeout=timedelta(hours=3))、Transformers 的 ddp_timeout、--ddp-timeout；单独设置 TORCH_NCCL_BLOCKING_WAIT 不会增加时间</translation>
        </message>
        <message>
            <source>Split the work over the ranks, with more workers (num_proc)</source>
            <translation>把工作分给各个 rank，使用更多 worker (num_proc)</translation>
        </message>
        <message>
            <source>Rank {rank} aborted on {host}: C++ exception: {what}</source>
            <translation>rank {rank} 在 {host} 上中止：C++ 异常：{what}</translation>
        </message>
        <message>
            <source>The program itself failed on {host}, rank {rank}, at {frame}: {type}: {what}</source>
            <translation>程序自身在 {host} 上失败，rank {rank}，位于 {frame}：{type}：{what}</translation>
        </message>
        <message>
            <source>Read the traceback above the line from its end: its last frame in your own files is where; the input of that moment decides, too</source>
            <translation>从末尾开始阅读该行上面的 traceback：其中属于您自己文件的最后一帧就是位置；那一刻的输入也有影响</translation>
        </message>
        <message>
            <source>Parameters of the model took no part in the loss of rank {rank}, at {frame}: DistributedDataParallel waits for their gradients.</source>
            <translation>模型的一些参数没有参与 rank {rank} 的损失，位于 {frame}：DistributedDataParallel 在等待它们的梯度。</translation>
        </message>
        <message>
            <source>DistributedDataParallel(…, find_unused_parameters=True), or let every output take part in the loss; TORCH_DISTRIBUTED_DEBUG=DETAIL names the parameters</source>
            <translation>DistributedDataParallel(…, find_unused_parameters=True)，或让每个输出都参与损失；TORCH_DISTRIBUTED_DEBUG=DETAIL 会列出这些参数</translation>
        </message>
        <message>
            <source>A parameter is used twice in one step of rank {rank}, at {frame}: DistributedDataParallel counts its gradient once.</source>
            <translation>一个参数在 rank {rank} 的一步中被使用了两次，位于 {frame}：DistributedDataParallel 只计一次它的梯度。</translation>
        </message>
        <message>
            <source>Activation checkpointing: use_reentrant=False; or DistributedDataParallel(…, static_graph=True); find_unused_parameters=False</source>
            <translation>激活检查点：use_reentrant=False；或 DistributedDataParallel(…, static_graph=True)；find_unused_parameters=False</translation>
        </message>
        <message>
            <source>A checkpoint does not fit the model on {host}, rank {rank}, at {frame}: {what}</source>
            <translation>检查点与 {host} 上的模型不匹配，rank {rank}，位于 {frame}：{what}</translation>
        </message>
        <message>
            <source>Build the model as it was when the checkpoint was written: compare the names and shapes that the lines below list</source>
            <translation>按写检查点时的样子构建模型：比较下面各行列出的名称和形状</translation>
        </message>
        <message>
            <source>Names that begin with module. are of DistributedDataParallel: save model.module.state_dict(), or remove the prefix</source>
            <translation>以 module. 开头的名称来自 DistributedDataParallel：保存 model.module.state_dict()，或去掉该前缀</translation>
        </message>
        <message>
            <source>A checkpoint or a file of weights is damaged or incomplete on {host}, rank {rank}: {what}</source>
            <translation>检查点或权重文件在 {host} 上损坏或不完整，rank {rank}：{what}</translation>
        </message>
        <message>
            <source>Compare its size and sha256sum with the source; copy or download it again; a pointer of git-lfs is a small text: git lfs pull</source>
            <translation>与来源比较大小和 sha256sum；重新复制或下载；git-lfs 的指针只是一小段文本：git lfs pull</translation>
        </message>
        <message>
            <source>Write a checkpoint under another name and rename it, so that a stopped run leaves no half of one</source>
            <translation>用另一个名称写检查点，再重命名，这样被停止的运行不会留下半个文件</translation>
        </message>
        <message>
            <source>torch.load refuses a checkpoint on {host}, rank {rank}, because it holds more than weights (PyTorch 2.6 and newer).</source>
            <translation>torch.load 在 {host} 上拒绝了检查点，rank {rank}，因为其中不只有权重（PyTorch 2.6 及更新版本）。</translation>
        </message>
        <message>
            <source>If you trust the file: torch.load(…, weights_only=False); else add its classes with torch.serialization.add_safe_globals</source>
            <translation>若您信任该文件：torch.load(…, weights_only=False)；否则用 torch.serialization.add_safe_globals 加入它的类</translation>
        </message>
        <message>
            <source>A model, a tokenizer or a data set cannot be fetched from its hub on {host}, rank {rank}: {what}</source>
            <translation>无法在 {host} 上从 hub 获取模型、tokenizer 或数据集，rank {rank}：{what}</translation>
        </message>
        <message>
            <source>Check the name, the access (huggingface-cli login, HF_TOKEN on every node) and the network of the node; a folder of the same name hides it</source>
            <translation>检查名称、访问权限（huggingface-cli login，每个节点上的 HF_TOKEN）和节点的网络；同名文件夹会遮住它</translation>
        </message>
        <message>
            <source>Download once, before the start: huggingface-cli download NAME; then HF_HUB_OFFLINE=1 and HF_HOME on a disk that every node has</source>
            <translation>在启动之前下载一次：huggingface-cli download NAME；然后 HF_HUB_OFFLINE=1，并把 HF_HOME 放在每个节点都有的磁盘上</translation>
        </message>
        <message>
            <source>Many ranks at once are turned away (429): let local rank 0 download first</source>
            <translation>许多 rank 同时请求会被拒绝 (429)：先让本地 rank 0 下载</translation>
        </message>
        <message>
            <source>Two tensors have different types of numbers on rank {rank}, at {frame}: {what}</source>
            <translation>rank {rank} 上两个张量的数值类型不同，位于 {frame}：{what}</translation>
        </message>
        <message>
            <source>Give the model and its input one type: model.to(dtype), torch.autocast; layers that are kept in float32 (norms, LoRA) and data from the loader are the usual ones</source>
            <translation>让模型和输入使用同一类型：model.to(dtype)、torch.autocast；通常是保留为 float32 的层（norm、LoRA）和加载器的数据</translation>
        </message>
        <message>
            <source>The shapes of two tensors do not fit on rank {rank}, at {frame}: {what}</source>
            <translation>rank {rank} 上两个张量的形状不匹配，位于 {frame}：{what}</translation>
        </message>
        <message>
            <source>Print the shapes at that frame; the last, smaller batch (drop_last=True), padding of the collate function and a changed vocabulary are the usual reasons</source>
            <translation>在该帧打印形状；常见原因是最后一个较小的批次 (drop_last=True)、collate 函数的填充，以及改变了的词表</translation>
        </message>
        <message>
            <source>Tensors of one operation are on different devices on rank {rank}, at {frame}: {what}</source>
            <translation>rank {rank} 上同一操作的张量在不同的设备上，位于 {frame}：{what}</translation>
        </message>
        <message>
            <source>Move the input to the device of the rank: batch.to(local_rank); torch.cuda.set_device(local_rank) before anything else</source>
            <translation>把输入移到该 rank 的设备：batch.to(local_rank)；先调用 torch.cuda.set_device(local_rank)</translation>
        </message>
        <message>
            <source>A kernel found an index out of range on {host}, rank {rank}, at {frame}: device-side assert.</source>
            <translation>一个 kernel 在 {host} 上发现索引越界，rank {rank}，位于 {frame}：device-side assert。</translation>
        </message>
        <message>
            <source>Read the line with Assertion above it; labels must be below the number of classes, token ids below the size of the embedding</source>
            <translation>阅读上面带 Assertion 的行；标签必须小于类别数，token id 必须小于 embedding 的大小</translation>
        </message>
        <message>
            <source>Repeat with CUDA_LAUNCH_BLOCKING=1, or on the CPU: the Python line shown may be late</source>
            <translation>用 CUDA_LAUNCH_BLOCKING=1 或在 CPU 上重试：显示的 Python 行可能滞后</translation>
        </message>
        <message>
            <source>A process on {host} uses CUDA after a fork, at {frame}.</source>
            <translation>{host} 上的一个进程在 fork 之后使用 CUDA，位于 {frame}。</translation>
        </message>
        <message>
            <source>torch.multiprocessing.set_start_method('spawn'); no CUDA tensors before the workers start or within a Dataset</source>
            <translation>torch.multiprocessing.set_start_method('spawn')；在 worker 启动之前或在 Dataset 中不要使用 CUDA 张量</translation>
        </message>
        <message>
            <source>A collective runs before init_process_group on {host}, rank {rank}, at {frame}.</source>
            <translation>在 {host} 上，集合操作在 init_process_group 之前运行，rank {rank}，位于 {frame}。</translation>
        </message>
        <message>
            <source>Call torch.distributed.init_process_group first; start with torchrun, which sets RANK and WORLD_SIZE</source>
            <translation>先调用 torch.distributed.init_process_group；用 torchrun 启动，它会设置 RANK 和 WORLD_SIZE</translation>
        </message>
        <message>
            <source>The program does not know the argument that its launcher passes: {what}</source>
            <translation>程序不认识启动器传入的参数：{what}</translation>
        </message>
        <message>
            <source>Accept --local_rank and --local-rank, or start with torchrun and read LOCAL_RANK from the environment</source>
            <translation>同时接受 --local_rank 和 --local-rank，或用 torchrun 启动并从环境中读取 LOCAL_RANK</translation>
        </message>
        <message>
            <source>A tensor was changed in place before its gradient was computed, on rank {rank}, at {frame}.</source>
            <translation>一个张量在计算梯度之前被就地修改，rank {rank}，位于 {frame}。</translation>
        </message>
        <message>
            <source>DistributedDataParallel(…, broadcast_buffers=False) where a model with BatchNorm runs forward twice; else replace the operation (x += y, relu_)</source>
            <translation>DistributedDataParallel(…, broadcast_buffers=False)，若带 BatchNorm 的模型前向运行两次；否则替换该操作（x += y、relu_）</translation>
        </message>
        <message>
            <source>FlashAttention cannot run on {host}: {what}</source>
            <translation>FlashAttention 无法在 {host} 上运行：{what}</translation>
        </message>
        <message>
            <source>Use the attention of PyTorch: attn_implementation='sdpa'; or bf16/fp16 and a GPU that it supports, and flash-attn built for this PyTorch</source>
            <translation>使用 PyTorch 的 attention：attn_implementation='sdpa'；或使用 bf16/fp16、它支持的 GPU，以及为该 PyTorch 编译的 flash-attn</translation>
        </message>
        <message>
            <source>The loss or a gradient of rank {rank} is not a number any more (NaN or infinite).</source>
            <translation>rank {rank} 的损失或某个梯度已不是数值（NaN 或无穷大）。</translation>
        </message>
        <message>
            <source>Later: a smaller learning rate, more warm-up, clip_grad_norm_, bf16 in place of fp16</source>
            <translation>在之后：更小的学习率、更长的 warm-up、clip_grad_norm_、用 bf16 代替 fp16</translation>
        </message>
        <message>
            <source>torch.autograd.set_detect_anomaly(True) names the operation</source>
            <translation>torch.autograd.set_detect_anomaly(True) 会指出操作</translation>
        </message>
        <message>
            <source>The loss scale of rank {rank} is at its minimum: the gradients overflow in every step.</source>
            <translation>rank {rank} 的 loss scale 已到最小值：每一步的梯度都溢出。</translation>
        </message>
        <message>
            <source>The probabilities that rank {rank} draws from contain NaN or infinite values, at {frame}.</source>
            <translation>rank {rank} 采样所用的概率含有 NaN 或无穷大，位于 {frame}。</translation>
        </message>
        <message>
            <source>The store on {peer} went away: the process that holds it, usually rank 0 or its launcher, ended first.</source>
            <translation>{peer} 上的 store 消失了：持有它的进程（通常是 rank 0 或其启动器）先结束了。</translation>
        </message>
        <message>
            <source>Read the log of rank 0 and of the launcher on its node: an exception, a signal, or silence decides</source>
            <translation>查看 rank 0 及其节点上启动器的日志：异常、信号或没有任何输出会说明原因</translation>
        </message>
        <message>
            <source>Kubernetes: the name of a pod that is not ready yet does not exist: publishNotReadyAddresses: true for its headless service, or wait before the start: until getent hosts {peer}; do sleep 2; done</source>
            <translation>Kubernetes：尚未就绪的 pod 的名称不存在：为其 headless service 设置 publishNotReadyAddresses: true，或在启动前等待：until getent hosts {peer}; do sleep 2; done</translation>
        </message>
        <message>
            <source>If nothing holds it before the start, the run collides with itself: the program opens port {port} whatever MASTER_PORT says, in each of its processes; let it read MASTER_PORT, and rank 0 alone listen</source>
            <translation>若启动之前没有程序占用它，则是运行与自己冲突：程序不管 MASTER_PORT，在每个进程中都打开端口 {port}；让它读取 MASTER_PORT，并且只让 rank 0 监听</translation>
        </message>
        <message>
            <source>More workers than ranks are counted ({count} of {world}): a file or a store of an earlier start counts its workers, too.</source>
            <translation>计入的 worker 多于 rank（{count}，应为 {world}）：较早一次启动留下的文件或 store 也计入了它的 worker。</translation>
        </message>
        <message>
            <source>Remove the file of init_method=file://PATH before each start, or name it after the start: $SLURM_JOB_ID-$SLURM_RESTART_COUNT</source>
            <translation>每次启动前删除 init_method=file://PATH 的文件，或按启动命名：$SLURM_JOB_ID-$SLURM_RESTART_COUNT</translation>
        </message>
        <message>
            <source>Without a file: another port or --rdzv-id for each start, and no process of the earlier one</source>
            <translation>不使用文件时：每次启动用另一个端口或 --rdzv-id，并且没有较早启动的进程</translation>
        </message>
        <message>
            <source>Start as many processes as WORLD_SIZE says</source>
            <translation>启动与 WORLD_SIZE 一样多的进程</translation>
        </message>
        <message>
            <source>{node} does not accept the key: Permission denied ({methods}).</source>
            <translation>{node} 不接受密钥：Permission denied（{methods}）。</translation>
        </message>
        <message>
            <source>{node} cannot be reached with ssh without a password.</source>
            <translation>无法不用密码通过 ssh 到达 {node}。</translation>
        </message>
        <message>
            <source>See the words of ssh: ssh -o BatchMode=yes {node} hostname</source>
            <translation>查看 ssh 的原话：ssh -o BatchMode=yes {node} hostname</translation>
        </message>
        <message>
            <source>Install the public key there: ssh-copy-id {node}</source>
            <translation>在那里安装公钥：ssh-copy-id {node}</translation>
        </message>
        <message>
            <source>Check the name and the port of {node} in the hostfile and in ~/.ssh/config; a single node needs no hostfile</source>
            <translation>检查 hostfile 和 ~/.ssh/config 中 {node} 的名称和端口；单个节点不需要 hostfile</translation>
        </message>
        <message>
            <source>Kubernetes: a pod that starts is not in the DNS yet: start again, or wait for it: until getent hosts {node}; do sleep 2; done</source>
            <translation>Kubernetes：正在启动的 pod 还不在 DNS 中：再次启动，或等待它：until getent hosts {node}; do sleep 2; done</translation>
        </message>
        <message>
            <source>Read the lines before it, and the logs of the other ranks</source>
            <translation>阅读它之前的行，以及其他 rank 的日志</translation>
        </message>
        <message>
            <source>No known cause. NCCL reports: {what}</source>
            <translation>原因未知。NCCL 报告：{what}</translation>
        </message>
        <message>
            <source>Look up the line in the guide to NCCL: https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html</source>
            <translation>在 NCCL 的指南中查找该行：https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html</translation>
        </message>
        <message>
            <source>Repeat with NCCL_DEBUG=INFO on all ranks and read the lines before it</source>
            <translation>在所有 rank 上用 NCCL_DEBUG=INFO 重试，并阅读它之前的行</translation>
        </message>
        <message>
            <source>No known cause. NVSHMEM reports: {what}</source>
            <translation>原因未知。NVSHMEM 报告：{what}</translation>
        </message>
        <message>
            <source>Repeat with NVSHMEM_DEBUG=INFO; its variables: https://docs.nvidia.com/nvshmem/api/gen/env.html</source>
            <translation>用 NVSHMEM_DEBUG=INFO 重试；其变量：https://docs.nvidia.com/nvshmem/api/gen/env.html</translation>
        </message>
        <message>
            <source>Check what its transport needs of the node: RDMA devices in the container, nvidia-peermem or dma-buf, and for IBGDA the driver option PeerMappingOverride=1</source>
            <translation>检查其传输对节点的要求：容器中的 RDMA 设备、nvidia-peermem 或 dma-buf，IBGDA 还需要驱动选项 PeerMappingOverride=1</translation>
        </message>
        <message>
            <source>No known cause. DeepEP reports: {what}</source>
            <translation>原因未知。DeepEP 报告：{what}</translation>
        </message>
        <message>
            <source>Check what DeepEP needs: NVSHMEM with IBGDA, RDMA devices, buffers large enough for the number of ranks: https://github.com/deepseek-ai/DeepEP</source>
            <translation>检查 DeepEP 的要求：带 IBGDA 的 NVSHMEM、RDMA 设备、对 rank 数足够大的缓冲区：https://github.com/deepseek-ai/DeepEP</translation>
        </message>
        <message>
            <source>No known cause. The plugin for libfabric reports: {what}</source>
            <translation>原因未知。libfabric 的插件报告：{what}</translation>
        </message>
        <message>
            <source>Check the provider on the node: fi_info -p efa (or cxi, verbs); repeat with FI_LOG_LEVEL=warn NCCL_DEBUG=INFO</source>
            <translation>在节点上检查 provider：fi_info -p efa（或 cxi、verbs）；用 FI_LOG_LEVEL=warn NCCL_DEBUG=INFO 重试</translation>
        </message>
        <message>
            <source>Read the guide to aws-ofi-nccl: https://github.com/aws/aws-ofi-nccl/blob/master/doc</source>
            <translation>阅读 aws-ofi-nccl 的指南：https://github.com/aws/aws-ofi-nccl/blob/master/doc</translation>
        </message>
        <message>
            <source>No known cause. UCX reports: {what}</source>
            <translation>原因未知。UCX 报告：{what}</translation>
        </message>
        <message>
            <source>Check the devices and transports on the node: ucx_info -d; repeat with UCX_LOG_LEVEL=info; its FAQ: https://openucx.readthedocs.io/en/master/faq.html</source>
            <translation>在节点上检查设备和传输：ucx_info -d；用 UCX_LOG_LEVEL=info 重试；其 FAQ：https://openucx.readthedocs.io/en/master/faq.html</translation>
        </message>
        <message>
            <source>No known cause. RCCL or ROCm reports: {what}</source>
            <translation>原因未知。RCCL 或 ROCm 报告：{what}</translation>
        </message>
        <message>
            <source>Check the GPUs: rocm-smi, dmesg; the guide to RCCL: https://rocm.docs.amd.com/projects/rccl/en/latest/how-to/troubleshooting-rccl.html</source>
            <translation>检查 GPU：rocm-smi、dmesg；RCCL 的指南：https://rocm.docs.amd.com/projects/rccl/en/latest/how-to/troubleshooting-rccl.html</translation>
        </message>
        <message>
            <source>No known cause. Gloo reports: {what}</source>
            <translation>原因未知。Gloo 报告：{what}</translation>
        </message>
        <message>
            <source>Check the address that each node offers: getent ahosts $(hostname); export GLOO_SOCKET_IFNAME=INTERFACE</source>
            <translation>检查每个节点提供的地址：getent ahosts $(hostname)；export GLOO_SOCKET_IFNAME=INTERFACE</translation>
        </message>
        <message>
            <source>No known cause. MPI reports: {what}</source>
            <translation>原因未知。MPI 报告：{what}</translation>
        </message>
        <message>
            <source>Read the lines around it; repeat with mpirun --mca plm_base_verbose 5 --mca btl_base_verbose 30: https://docs.open-mpi.org</source>
            <translation>阅读它前后的行；用 mpirun --mca plm_base_verbose 5 --mca btl_base_verbose 30 重试：https://docs.open-mpi.org</translation>
        </message>
        <message>
            <source>No known cause. Ray reports: {what}</source>
            <translation>原因未知。Ray 报告：{what}</translation>
        </message>
        <message>
            <source>Read the log of the worker and of the raylet: /tmp/ray/session_latest/logs; ray status</source>
            <translation>阅读 worker 和 raylet 的日志：/tmp/ray/session_latest/logs；ray status</translation>
        </message>
        <message>
            <source>Memory of the node: dmesg, ray memory</source>
            <translation>节点的内存：dmesg、ray memory</translation>
        </message>
        <message>
            <source>No known cause. Slurm reports: {what}</source>
            <translation>原因未知。Slurm 报告：{what}</translation>
        </message>
        <message>
            <source>Check how the job ended: sacct -j JOB -o JobID,State,ExitCode,Reason,NodeList; scontrol show job JOB</source>
            <translation>检查作业如何结束：sacct -j JOB -o JobID,State,ExitCode,Reason,NodeList；scontrol show job JOB</translation>
        </message>
        <message>
            <source>No known cause. The container or Kubernetes reports: {what}</source>
            <translation>原因未知。容器或 Kubernetes 报告：{what}</translation>
        </message>
        <message>
            <source>Check the events of the pod: kubectl describe pod; or the log of the container runtime</source>
            <translation>检查 pod 的事件：kubectl describe pod；或容器运行时的日志</translation>
        </message>
        <message>
            <source>No known cause. The driver or the kernel reports: {what}</source>
            <translation>原因未知。驱动或内核报告：{what}</translation>
        </message>
        <message>
            <source>Check the GPU: nvidia-smi -q, dmesg -T | grep -i -e nvrm -e xid; meaning of an Xid: https://docs.nvidia.com/deploy/xid-errors</source>
            <translation>检查 GPU：nvidia-smi -q、dmesg -T | grep -i -e nvrm -e xid；Xid 的含义：https://docs.nvidia.com/deploy/xid-errors</translation>
        </message>
        <message>
            <source>No known cause. Horovod reports: {what}</source>
            <translation>原因未知。Horovod 报告：{what}</translation>
        </message>
        <message>
            <source>Read the log of each rank: the first error decides; https://horovod.readthedocs.io/en/stable/troubleshooting_include.html</source>
            <translation>阅读每个 rank 的日志：第一个错误说明原因；https://horovod.readthedocs.io/en/stable/troubleshooting_include.html</translation>
        </message>
        <message>
            <source>No known cause. ssh reports: {what}</source>
            <translation>原因未知。ssh 报告：{what}</translation>
        </message>
        <message>
            <source>Repeat the connection with ssh -v</source>
            <translation>用 ssh -v 重试该连接</translation>
        </message>
        <message>
            <source>No known cause. CUDA or one of its libraries reports: {what}</source>
            <translation>原因未知。CUDA 或其某个库报告：{what}</translation>
        </message>
        <message>
            <source>Repeat with CUDA_LAUNCH_BLOCKING=1: the Python line shown may be late</source>
            <translation>用 CUDA_LAUNCH_BLOCKING=1 重试：显示的 Python 行可能滞后</translation>
        </message>
        <message>
            <source>Check the GPU: nvidia-smi -q, dmesg -T | grep -i xid</source>
            <translation>检查 GPU：nvidia-smi -q、dmesg -T | grep -i xid</translation>
        </message>
        <message>
            <source>No known cause. PyTorch reports: {what}</source>
            <translation>原因未知。PyTorch 报告：{what}</translation>
        </message>
        <message>
            <source>Repeat with TORCH_DISTRIBUTED_DEBUG=DETAIL TORCH_CPP_LOG_LEVEL=INFO on all ranks and read the lines before it</source>
            <translation>在所有 rank 上用 TORCH_DISTRIBUTED_DEBUG=DETAIL TORCH_CPP_LOG_LEVEL=INFO 重试，并阅读它之前的行</translation>
        </message>
        <message>
            <source>Read the lines before it, and the log of the rank that failed first</source>
            <translation>阅读它之前的行，以及最先失败的 rank 的日志</translation>
        </message>
        <message>
            <source>No known cause. The program reports: {what}</source>
            <translation>原因未知。程序报告：{what}</translation>
        </message>
        <message>
            <source>In the first step: look at the batch and the loaded weights of that rank (torch.isfinite); the same GPU each time: its hardware, nvidia-smi -q -d ECC</source>
            <translation>在第一步：检查该 rank 的批次和加载的权重 (torch.isfinite)；若每次都是同一个 GPU：它的硬件，nvidia-smi -q -d ECC</translation>
        </message>
        <message>
            <source>{peer} does not answer over RDMA (status 12).</source>
            <translation>{peer} 不通过 RDMA 应答（状态 12）。</translation>
        </message>
        <message>
            <source>An RDMA connection to {peer} was torn down (status 5 or 13): mostly the process there ended first.</source>
            <translation>与 {peer} 的 RDMA 连接被拆除（状态 5 或 13）：多半是那里的进程先结束了。</translation>
        </message>
        <message>
            <source>A peer does not answer over RDMA: UCX gave up after its retries.</source>
            <translation>某个对端不通过 RDMA 应答：UCX 在重试之后放弃了。</translation>
        </message>
        <message>
            <source>A DataLoader worker ended with an exception of its own on {host}, rank {rank}, at {frame}: {what}</source>
            <translation>{host} 上的一个 DataLoader worker 因自身的异常结束，rank {rank}，位于 {frame}：{what}</translation>
        </message>
        <message>
            <source>Run with num_workers=0: the traceback of the worker then shows</source>
            <translation>用 num_workers=0 运行：这样会显示 worker 的 traceback</translation>
        </message>
        <message>
            <source>A program that starts its ranks itself (Lightning with devices=2): own_ranks: true in the job</source>
            <translation>自行启动 rank 的程序（devices=2 的 Lightning）：在作业中写 own_ranks: true</translation>
        </message>
        <message>
            <source>Started with spawn, the program needs: if __name__ == "__main__":</source>
            <translation>以 spawn 方式启动时，程序需要：if __name__ == "__main__":</translation>
        </message>
        <message>
            <source>Containers on several hosts: docker run --network=host --ipc=host</source>
            <translation>多台主机上的容器：docker run --network=host --ipc=host</translation>
        </message>
    </context>
    <context>
        <name>LogsPage</name>
        <message>
            <source>bootstrap %1</source>
            <translation>bootstrap %1</translation>
        </message>
        <message>
            <source>sockets %1</source>
            <translation>套接字 %1</translation>
        </message>
        <message>
            <source>InfiniBand %1</source>
            <translation>InfiniBand %1</translation>
        </message>
        <message>
            <source>uses %1</source>
            <translation>使用 %1</translation>
        </message>
        <message>
            <source>Node %1</source>
            <translation>节点 %1</translation>
        </message>
        <message>
            <source>%1 ranks</source>
            <translation>%1 个 rank</translation>
        </message>
        <message>
            <source>%1 nodes</source>
            <translation>%1 个节点</translation>
        </message>
        <message>
            <source>%1 channels</source>
            <translation>%1 个通道</translation>
        </message>
        <message>
            <source>no line of ranks %1</source>
            <translation>没有 rank %1 的日志行</translation>
        </message>
        <message>
            <source>Communicator %1</source>
            <translation>通信域 %1</translation>
        </message>
        <message>
            <source>not found</source>
            <translation>未找到</translation>
        </message>
        <message>
            <source>cannot be read: %1</source>
            <translation>无法读取：%1</translation>
        </message>
        <message>
            <source>skipped: it is no log</source>
            <translation>已跳过：不是日志</translation>
        </message>
        <message>
            <source>a line is too long: its end is left out</source>
            <translation>某一行过长：行尾已略去</translation>
        </message>
        <message>
            <source>NUL bytes are left out</source>
            <translation>已略去 NUL 字节</translation>
        </message>
        <message>
            <source>colour codes are left out</source>
            <translation>已略去颜色代码</translation>
        </message>
        <message>
            <source>lines that were written over are read one by one</source>
            <translation>被覆盖写的行按各次内容分别读取</translation>
        </message>
        <message>
            <source>bytes that are no UTF-8 are replaced</source>
            <translation>非 UTF-8 的字节已替换</translation>
        </message>
        <message>
            <source>read as UTF-16</source>
            <translation>按 UTF-16 读取</translation>
        </message>
        <message>
            <source>the archive is damaged: read as far as it goes</source>
            <translation>归档已损坏：读到能读之处为止</translation>
        </message>
        <message>
            <source>skipped: it is encrypted</source>
            <translation>已跳过：已加密</translation>
        </message>
        <message>
            <source>skipped: an archive within too many others</source>
            <translation>已跳过：归档嵌套层数过多</translation>
        </message>
        <message>
            <source>the archive is too large: the rest is skipped</source>
            <translation>归档过大：其余部分已跳过</translation>
        </message>
        <message>
            <source>too many files: the rest is skipped</source>
            <translation>文件过多：其余部分已跳过</translation>
        </message>
        <message>
            <source>the reading was cancelled</source>
            <translation>读取已取消</translation>
        </message>
        <message>
            <source>Fact</source>
            <translation>事实</translation>
        </message>
        <message>
            <source>First fault</source>
            <translation>首个故障</translation>
        </message>
        <message>
            <source>Fault</source>
            <translation>故障</translation>
        </message>
        <message>
            <source>Noticed</source>
            <translation>提示</translation>
        </message>
        <message>
            <source>Exit</source>
            <translation>退出</translation>
        </message>
        <message>
            <source>Last line</source>
            <translation>最后一行</translation>
        </message>
        <message>
            <source>%1, CUDA %2</source>
            <translation>%1, CUDA %2</translation>
        </message>
        <message>
            <source>Nodes</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>%1 more</source>
            <translation>另有 %1 个</translation>
        </message>
        <message>
            <source>rank %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>%1 later entries are not shown.</source>
            <translation>后面还有 %1 条未显示。</translation>
        </message>
        <message>
            <source>not begun</source>
            <translation>未开始</translation>
        </message>
        <message>
            <source>not ended</source>
            <translation>未结束</translation>
        </message>
        <message>
            <source>ended</source>
            <translation>已结束</translation>
        </message>
        <message>
            <source>%1 collectives</source>
            <translation>%1 次集合通信</translation>
        </message>
        <message>
            <source>the last: %1 of %2 (%3), %4</source>
            <translation>最后一次：%2 的 %1（第 %3 次），%4</translation>
        </message>
        <message>
            <source>the dump is incomplete</source>
            <translation>转储不完整</translation>
        </message>
        <message>
            <source>Flight Recorder, rank %1</source>
            <translation>Flight Recorder，rank %1</translation>
        </message>
        <message>
            <source>left out, of an earlier run: %1</source>
            <translation>已忽略，属于更早的运行：%1</translation>
        </message>
    </context>
    <context>
        <name>MapView</name>
        <message>
            <source>rings %1</source>
            <translation>环 %1</translation>
        </message>
        <message>
            <source>trees %1</source>
            <translation>树 %1</translation>
        </message>
        <message>
            <source>other channels %1</source>
            <translation>其他通道 %1</translation>
        </message>
    </context>
    <context>
        <name>MemoryFacts</name>
        <message>
            <source>The kernel of %1 killed a process to free memory (source: %2).</source>
            <translation>%1 的内核为释放内存终止了一个进程（来源：%2）。</translation>
        </message>
        <message>
            <source>The memory of %1 was %2 % full just before.</source>
            <translation>此前不久，%1 的内存已用 %2 %。</translation>
        </message>
        <message>
            <source>Memory ran out, and the kernel killed a process.</source>
            <translation>内存耗尽，内核终止了一个进程。</translation>
        </message>
        <message>
            <source>Memory of %1 ran out, and the kernel killed a process.</source>
            <translation>%1 的内存耗尽，内核终止了一个进程。</translation>
        </message>
    </context>
    <context>
        <name>Metric</name>
        <message>
            <source>Loss</source>
            <translation>损失</translation>
        </message>
        <message>
            <source>Accuracy</source>
            <translation>准确率</translation>
        </message>
        <message>
            <source>Images/s per rank</source>
            <translation>每个 rank 的图像/s</translation>
        </message>
        <message>
            <source>Learning rate</source>
            <translation>学习率</translation>
        </message>
        <message>
            <source>Gradient norm</source>
            <translation>梯度范数</translation>
        </message>
        <message>
            <source>Samples</source>
            <translation>样本数</translation>
        </message>
        <message>
            <source>Skipped updates</source>
            <translation>跳过的更新</translation>
        </message>
        <message>
            <source>Loss, all ranks</source>
            <translation>损失（所有 rank）</translation>
        </message>
        <message>
            <source>Accuracy, all ranks</source>
            <translation>准确率（所有 rank）</translation>
        </message>
        <message>
            <source>Validation loss</source>
            <translation>验证损失</translation>
        </message>
        <message>
            <source>Validation accuracy</source>
            <translation>验证准确率</translation>
        </message>
        <message>
            <source>Validation samples</source>
            <translation>验证样本数</translation>
        </message>
        <message>
            <source>Time: data</source>
            <translation>时间：数据</translation>
        </message>
        <message>
            <source>Time: forward</source>
            <translation>时间：前向</translation>
        </message>
        <message>
            <source>Time: backward</source>
            <translation>时间：反向</translation>
        </message>
        <message>
            <source>Time: communication</source>
            <translation>时间：通信</translation>
        </message>
        <message>
            <source>Time: optimizer</source>
            <translation>时间：优化器</translation>
        </message>
        <message>
            <source>Time: step</source>
            <translation>时间：步</translation>
        </message>
        <message>
            <source>Peak memory, MiB</source>
            <translation>峰值内存, MiB</translation>
        </message>
        <message>
            <source>Validation top-%1 accuracy</source>
            <translation>验证 top-%1 准确率</translation>
        </message>
        <message>
            <source>Top-%1 accuracy, all ranks</source>
            <translation>Top-%1 准确率（所有 rank）</translation>
        </message>
        <message>
            <source>Top-%1 accuracy</source>
            <translation>Top-%1 准确率</translation>
        </message>
        <message>
            <source>Acc.</source>
            <translation>准确率</translation>
        </message>
        <message>
            <source>Images/s</source>
            <translation>图像/s</translation>
        </message>
        <message>
            <source>%1 ms</source>
            <translation>%1 ms</translation>
        </message>
    </context>
    <context>
        <name>MetricPlot</name>
        <message>
            <source>%1 (◆ validation)</source>
            <translation>%1（◆ 验证）</translation>
        </message>
        <message>
            <source>All values here are NaN or infinite.</source>
            <translation>这里的值全部为 NaN 或无穷大。</translation>
        </message>
        <message>
            <source>No values between these steps.</source>
            <translation>这些步之间没有值。</translation>
        </message>
        <message>
            <source>median %1</source>
            <translation>中位数 %1</translation>
        </message>
        <message>
            <source>p10–p90 %1 – %2</source>
            <translation>p10–p90 %1 – %2</translation>
        </message>
        <message>
            <source>min–max %1 – %2</source>
            <translation>最小–最大 %1 – %2</translation>
        </message>
        <message>
            <source>rank %1: %2</source>
            <translation>rank %1：%2</translation>
        </message>
        <message>
            <source>%1: from the median ±%2</source>
            <translation>%1：与中位数之差 ±%2</translation>
        </message>
        <message>
            <source>%1: from the median</source>
            <translation>%1：与中位数之差</translation>
        </message>
        <message>
            <source>Computing: %1</source>
            <translation>正在计算：%1</translation>
        </message>
        <message>
            <source>Reading %1 ranks…</source>
            <translation>正在读取 %1 个 rank…</translation>
        </message>
        <message>
            <source>A log scale shows values above 0; there are none here.</source>
            <translation>对数刻度只显示大于 0 的值；此处没有。</translation>
        </message>
    </context>
    <context>
        <name>NcclLines</name>
        <message>
            <source>The interface and address over which the ranks find each other. All nodes must reach each other on it; NCCL_SOCKET_IFNAME selects another one.</source>
            <translation>各 rank 相互发现所用的网络接口和地址。所有节点必须能经由它互通；可用 NCCL_SOCKET_IFNAME 选择其他接口。</translation>
        </message>
        <message>
            <source>The version of the NCCL library in use and the CUDA version that it was built with. All ranks must load the same one.</source>
            <translation>所用 NCCL 库的版本，以及构建它时的 CUDA 版本。所有 rank 必须加载同一个库。</translation>
        </message>
        <message>
            <source>The newest CUDA version that the driver supports: 12040 is 12.4.</source>
            <translation>驱动支持的最新 CUDA 版本：12040 即 12.4。</translation>
        </message>
        <message>
            <source>NCCL read this variable from the environment or one of its configuration files and uses the value.</source>
            <translation>NCCL 从环境或其配置文件中读到了这个变量，并采用该值。</translation>
        </message>
        <message>
            <source>NCCL uses this value of a variable.</source>
            <translation>NCCL 采用变量的这个值。</translation>
        </message>
        <message>
            <source>The program set an option for this communicator in its call; it wins over NCCL's choice.</source>
            <translation>程序在调用中为该通信器设置了一个选项；它优先于 NCCL 自己的选择。</translation>
        </message>
        <message>
            <source>The network plugin that was loaded, here from NVIDIA HPC-X.</source>
            <translation>已加载的网络插件，此处来自 NVIDIA HPC-X。</translation>
        </message>
        <message>
            <source>The point-to-point part of the loaded network plugin.</source>
            <translation>已加载网络插件中负责点对点通信的部分。</translation>
        </message>
        <message>
            <source>The part of the network plugin that lets InfiniBand switches reduce.</source>
            <translation>网络插件中让 InfiniBand 交换机执行归约的部分。</translation>
        </message>
        <message>
            <source>There is no network plugin (libnccl-net.so). NCCL uses its own InfiniBand or socket transport; clouds with their own network (EFA, GPUDirect-TCPX) need a plugin.</source>
            <translation>没有网络插件 (libnccl-net.so)。NCCL 使用自带的 InfiniBand 或 socket 传输；使用自有网络 (EFA、GPUDirect-TCPX) 的云需要插件。</translation>
        </message>
        <message>
            <source>There is no network plugin. NCCL uses its own InfiniBand or socket transport; clouds with their own network need a plugin.</source>
            <translation>没有网络插件。NCCL 使用自带的 InfiniBand 或 socket 传输；使用自有网络的云需要插件。</translation>
        </message>
        <message>
            <source>These plugin libraries do not exist. Without a plugin NCCL uses its own transports.</source>
            <translation>这些插件库不存在。没有插件时 NCCL 使用自带的传输。</translation>
        </message>
        <message>
            <source>The network plugin was not loaded. "No such file" is normal where none is installed; another error means that it is installed and broken.</source>
            <translation>网络插件未加载。未安装插件时出现“No such file”是正常的；若是其他错误，则说明插件已安装但有问题。</translation>
        </message>
        <message>
            <source>The network plugin was not loaded. "No such file" is normal where none is installed.</source>
            <translation>网络插件未加载。未安装插件时出现“No such file”是正常的。</translation>
        </message>
        <message>
            <source>The plugin lacks the symbol of this interface version. NCCL tries older ones; only when none fits the plugin is not used.</source>
            <translation>插件缺少该接口版本的符号。NCCL 会尝试更旧的版本；全都不匹配时才不使用该插件。</translation>
        </message>
        <message>
            <source>This network plugin is in use, with the interface version in brackets.</source>
            <translation>正在使用这个网络插件，括号内为接口版本。</translation>
        </message>
        <message>
            <source>The plugin can reduce inside the network (CollNet).</source>
            <translation>插件可以在网络内执行归约 (CollNet)。</translation>
        </message>
        <message>
            <source>NCCL uses its own InfiniBand or socket transport.</source>
            <translation>NCCL 使用自带的 InfiniBand 或 socket 传输。</translation>
        </message>
        <message>
            <source>A plugin (network, tuner, profiler) was found and is used.</source>
            <translation>找到了一个插件（网络、调优器或性能分析器），并已启用。</translation>
        </message>
        <message>
            <source>NCCL_NET_PLUGIN names the network plugin to load.</source>
            <translation>NCCL_NET_PLUGIN 指定要加载的网络插件。</translation>
        </message>
        <message>
            <source>No tuner plugin: NCCL chooses algorithm and protocol by its own model.</source>
            <translation>没有调优器插件：NCCL 按自己的模型选择算法和协议。</translation>
        </message>
        <message>
            <source>NCCL looks for a tuner plugin, which would choose algorithm and protocol. Without one NCCL uses its own model; that is normal.</source>
            <translation>NCCL 在查找调优器插件，由它来选择算法和协议。没有时 NCCL 使用自己的模型，这是正常的。</translation>
        </message>
        <message>
            <source>NCCL looks for or loads a profiler plugin. Rankscope watches NCCL through its own one.</source>
            <translation>NCCL 在查找或加载性能分析器插件。Rankscope 通过自己的插件监视 NCCL。</translation>
        </message>
        <message>
            <source>The kinds of events that the profiler plugin asked for.</source>
            <translation>性能分析器插件所请求的事件种类。</translation>
        </message>
        <message>
            <source>NCCL looks for a plugin that supplies variables; without one it reads the environment.</source>
            <translation>NCCL 在查找提供变量的插件；没有时从环境中读取变量。</translation>
        </message>
        <message>
            <source>NCCL looks for a plugin for communication that GPUs start themselves (GIN).</source>
            <translation>NCCL 在查找用于 GPU 自行发起通信 (GIN) 的插件。</translation>
        </message>
        <message>
            <source>The transport between nodes. "Socket" where InfiniBand or a plugin is expected costs most of the bandwidth.</source>
            <translation>节点之间的传输。本应是 InfiniBand 或插件却显示“Socket”时，会损失大部分带宽。</translation>
        </message>
        <message>
            <source>The transport between nodes that this communicator uses.</source>
            <translation>该通信器在节点之间使用的传输。</translation>
        </message>
        <message>
            <source>A network transport started and may be used.</source>
            <translation>一个网络传输已启动，可供使用。</translation>
        </message>
        <message>
            <source>The network transport runs on the CPU, which is normal.</source>
            <translation>网络传输在 CPU 上运行，这是正常的。</translation>
        </message>
        <message>
            <source>The kernel can share GPU memory with the network card without nvidia-peermem: GPU Direct RDMA is possible.</source>
            <translation>内核无需 nvidia-peermem 即可与网卡共享 GPU 显存：可以使用 GPU Direct RDMA。</translation>
        </message>
        <message>
            <source>This rank begins to make a communicator. A rank that never prints it did not call; one that prints it and not "Init COMPLETE" waits for others.</source>
            <translation>该 rank 开始创建通信器。从未打印这一行的 rank 没有发起调用；打印了这一行却没有打印“Init COMPLETE”的 rank 在等待其他 rank。</translation>
        </message>
        <message>
            <source>This rank begins to make a communicator of a part of the ranks.</source>
            <translation>该 rank 开始用一部分 rank 创建通信器。</translation>
        </message>
        <message>
            <source>This rank begins to make a communicator.</source>
            <translation>该 rank 开始创建通信器。</translation>
        </message>
        <message>
            <source>The communicator works on this rank. A rank without this line did not get through the initialisation.</source>
            <translation>通信器在该 rank 上已可用。没有这一行的 rank 未能完成初始化。</translation>
        </message>
        <message>
            <source>The program gave the communicator back, as it should at its end.</source>
            <translation>程序归还了通信器，结束时理应如此。</translation>
        </message>
        <message>
            <source>The program broke the communicator off. PyTorch does this after an error or a time-out, and some versions at every exit.</source>
            <translation>程序中止了通信器。PyTorch 在出错或超时后会这样做，某些版本每次退出时也会。</translation>
        </message>
        <message>
            <source>The size of the communicator and the place of this rank in it. MNNVL 1: NVLink reaches over nodes.</source>
            <translation>通信器的大小，以及该 rank 在其中的位置。MNNVL 1：NVLink 跨节点。</translation>
        </message>
        <message>
            <source>A communicator of this rank.</source>
            <translation>该 rank 的一个通信器。</translation>
        </message>
        <message>
            <source>Seconds that the initialisation took, and its parts. A long bootstrap means that other ranks came late or connections were slow.</source>
            <translation>初始化所用的秒数及其各部分。引导 (bootstrap) 耗时长，说明其他 rank 来得晚或建立连接慢。</translation>
        </message>
        <message>
            <source>Seconds that the first meeting of the ranks took. "recv" and "ring" are long when another rank came late.</source>
            <translation>各 rank 首次会合所用的秒数。有其他 rank 来得晚时，“recv”和“ring”会很长。</translation>
        </message>
        <message>
            <source>The ranks of a split communicator have met.</source>
            <translation>拆分出的通信器的各 rank 已会合。</translation>
        </message>
        <message>
            <source>Another rank did not answer yet. It may not have started, or a firewall refuses the connection; NCCL tries again.</source>
            <translation>另一个 rank 尚未应答。它可能还没有启动，或防火墙拒绝了连接；NCCL 会重试。</translation>
        </message>
        <message>
            <source>A connection to another rank failed. NCCL tries again some times, then the initialisation fails.</source>
            <translation>到另一个 rank 的连接失败。NCCL 会重试若干次，之后初始化失败。</translation>
        </message>
        <message>
            <source>A connection to another rank failed to start. Check that the address belongs to a network that both nodes share.</source>
            <translation>到另一个 rank 的连接未能发起。检查该地址是否属于两个节点共有的网络。</translation>
        </message>
        <message>
            <source>This rank is not part of the split communicator, as the program asked.</source>
            <translation>按程序的要求，该 rank 不属于拆分出的通信器。</translation>
        </message>
        <message>
            <source>NCCL sees no InfiniBand or RoCE card, or cannot use libibverbs. Normal without such a card; otherwise NCCL falls back to sockets.</source>
            <translation>NCCL 找不到 InfiniBand 或 RoCE 网卡，或无法使用 libibverbs。没有这类网卡时属正常；否则 NCCL 会退回到 socket。</translation>
        </message>
        <message>
            <source>The InfiniBand or RoCE cards in use. OOB: the interface over which the cards exchange their addresses.</source>
            <translation>正在使用的 InfiniBand 或 RoCE 网卡。OOB：网卡之间交换地址所用的网络接口。</translation>
        </message>
        <message>
            <source>An InfiniBand or RoCE card, its speed in Mbit/s and whether adaptive routing is on (ar).</source>
            <translation>一块 InfiniBand 或 RoCE 网卡、其速率（单位 Mbit/s），以及自适应路由 (ar) 是否开启。</translation>
        </message>
        <message>
            <source>Several ports are used as one device.</source>
            <translation>多个端口合并为一个设备使用。</translation>
        </message>
        <message>
            <source>Whether the card reads and writes GPU memory itself. Disabled: data goes through host memory, which costs bandwidth.</source>
            <translation>网卡是否直接读写 GPU 显存。禁用时数据经过主机内存，会损失带宽。</translation>
        </message>
        <message>
            <source>The network card reads and writes GPU memory itself.</source>
            <translation>网卡直接读写 GPU 显存。</translation>
        </message>
        <message>
            <source>The network card does not reach GPU memory; data goes through host memory, which costs bandwidth. Check nvidia-peermem or DMA-BUF and NCCL_NET_GDR_LEVEL. Normal for sockets.</source>
            <translation>网卡无法访问 GPU 显存；数据经过主机内存，会损失带宽。检查 nvidia-peermem 或 DMA-BUF，以及 NCCL_NET_GDR_LEVEL。使用 socket 时属正常。</translation>
        </message>
        <message>
            <source>Whether this GPU and this network card are near enough for GPU Direct RDMA, by NCCL_NET_GDR_LEVEL.</source>
            <translation>按 NCCL_NET_GDR_LEVEL 判断，该 GPU 与该网卡是否近到可以使用 GPU Direct RDMA。</translation>
        </message>
        <message>
            <source>A connection between two cards: its queue pair, MTU and address (LID for InfiniBand, GID for RoCE).</source>
            <translation>两块网卡之间的一个连接：其 QP、MTU 和地址（InfiniBand 为 LID，RoCE 为 GID）。</translation>
        </message>
        <message>
            <source>A port changed its speed while it was in use: look at the cable and the switch port.</source>
            <translation>端口在使用中改变了速率：检查线缆和交换机端口。</translation>
        </message>
        <message>
            <source>The network card reports an event, for example that a port went down. Link errors end a run or slow it down.</source>
            <translation>网卡报告了一个事件，例如端口断开。链路错误会使运行终止或变慢。</translation>
        </message>
        <message>
            <source>The network card reports an event, for example that a port went down.</source>
            <translation>网卡报告了一个事件，例如端口断开。</translation>
        </message>
        <message>
            <source>The other node did not answer over InfiniBand or RoCE (transport retry exceeded): wrong GID index, a broken fabric, or the other process ended.</source>
            <translation>另一个节点没有经由 InfiniBand 或 RoCE 应答 (transport retry exceeded)：GID 索引错误、网络故障，或对端进程已结束。</translation>
        </message>
        <message>
            <source>A transfer over InfiniBand or RoCE ended with an error; the status says which.</source>
            <translation>一次经由 InfiniBand 或 RoCE 的传输以错误结束；具体错误见状态码。</translation>
        </message>
        <message>
            <source>The interfaces over which sockets transfer data. An interface that other nodes do not reach must be excluded with NCCL_SOCKET_IFNAME.</source>
            <translation>socket 传输数据所用的网络接口。其他节点无法到达的接口必须用 NCCL_SOCKET_IFNAME 排除。</translation>
        </message>
        <message>
            <source>Threads and connections per peer of the socket transport (NCCL_SOCKET_NTHREADS, NCCL_NSOCKS_PERTHREAD).</source>
            <translation>socket 传输中每个对端的线程数和连接数 (NCCL_SOCKET_NTHREADS、NCCL_NSOCKS_PERTHREAD)。</translation>
        </message>
        <message>
            <source>Sockets cannot use GPU memory. Normal.</source>
            <translation>socket 无法使用 GPU 显存。正常。</translation>
        </message>
        <message>
            <source>A message of the AWS libfabric plugin (EFA).</source>
            <translation>AWS libfabric 插件 (EFA) 的消息。</translation>
        </message>
        <message>
            <source>A message of Google's Fast Socket plugin.</source>
            <translation>Google Fast Socket 插件的消息。</translation>
        </message>
        <message>
            <source>A message of Google's RDMA plugin (gIB).</source>
            <translation>Google RDMA 插件 (gIB) 的消息。</translation>
        </message>
        <message>
            <source>A message of the network transport or its plugin.</source>
            <translation>网络传输或其插件的消息。</translation>
        </message>
        <message>
            <source>The interface does not say its speed; NCCL assumes 10 Gbit/s, which may lead to a poor choice of rings.</source>
            <translation>网络接口没有给出速率；NCCL 假定为 10 Gbit/s，可能导致选出的环不佳。</translation>
        </message>
        <message>
            <source>An interface and its speed.</source>
            <translation>一个网络接口及其速率。</translation>
        </message>
        <message>
            <source>The InfiniBand library is not installed (in the container), so InfiniBand and RoCE cannot be used.</source>
            <translation>（容器中）未安装 InfiniBand 库，因此无法使用 InfiniBand 和 RoCE。</translation>
        </message>
        <message>
            <source>GDRCopy is used: the CPU writes small data straight into GPU memory.</source>
            <translation>正在使用 GDRCopy：CPU 将小块数据直接写入 GPU 显存。</translation>
        </message>
        <message>
            <source>Advice of NCCL about the error above.</source>
            <translation>NCCL 针对上面的错误给出的建议。</translation>
        </message>
        <message>
            <source>The CPUs near the GPU, on which NCCL's threads run.</source>
            <translation>靠近该 GPU 的 CPU，NCCL 的线程在其上运行。</translation>
        </message>
        <message>
            <source>NVLink's other end does not say what it is; NCCL takes it for a switch.</source>
            <translation>NVLink 的另一端没有表明自己是什么；NCCL 把它当作交换机。</translation>
        </message>
        <message>
            <source>Whether NVLink SHARP (reduction in the NVSwitch) can be used: Hopper and newer with NVSwitch.</source>
            <translation>能否使用 NVLink SHARP（在 NVSwitch 中归约）：需要 Hopper 或更新的 GPU，且有 NVSwitch。</translation>
        </message>
        <message>
            <source>NVLink over several nodes (Multi-Node NVLink): domain and clique of this rank.</source>
            <translation>跨多个节点的 NVLink (Multi-Node NVLink)：该 rank 所在的域和 clique。</translation>
        </message>
        <message>
            <source>The topology that NCCL found: its greatest and total bandwidth in GB/s. The lines below draw it.</source>
            <translation>NCCL 检测到的拓扑：最大带宽和总带宽，单位 GB/s。下面各行画出该拓扑。</translation>
        </message>
        <message>
            <source>The end of the drawing of the topology.</source>
            <translation>拓扑图结束。</translation>
        </message>
        <message>
            <source>A PCI link in the drawing of the topology, with its bandwidth in GB/s.</source>
            <translation>拓扑图中的一条 PCI 链路及其带宽，单位 GB/s。</translation>
        </message>
        <message>
            <source>An NVLink in the drawing of the topology, with its bandwidth in GB/s.</source>
            <translation>拓扑图中的一条 NVLink 及其带宽，单位 GB/s。</translation>
        </message>
        <message>
            <source>A network port in the drawing of the topology, with its bandwidth in GB/s.</source>
            <translation>拓扑图中的一个网络端口及其带宽，单位 GB/s。</translation>
        </message>
        <message>
            <source>A link in the drawing of the topology, with its bandwidth in GB/s.</source>
            <translation>拓扑图中的一条链路及其带宽，单位 GB/s。</translation>
        </message>
        <message>
            <source>A processor in the drawing of the topology: architecture, vendor and type.</source>
            <translation>拓扑图中的一个处理器：架构、厂商和型号。</translation>
        </message>
        <message>
            <source>The ways from this GPU: for each target the hops, the bandwidth in GB/s and the kind of path (NVL, PIX, PXB, PHB, SYS).</source>
            <translation>从该 GPU 出发的路径：到每个目标的跳数、带宽（单位 GB/s）和路径类型 (NVL、PIX、PXB、PHB、SYS)。</translation>
        </message>
        <message>
            <source>The ways from this network card: hops, bandwidth in GB/s and kind of path.</source>
            <translation>从该网卡出发的路径：跳数、带宽（单位 GB/s）和路径类型。</translation>
        </message>
        <message>
            <source>The ways from a device to the others.</source>
            <translation>从一个设备到其他设备的路径。</translation>
        </message>
        <message>
            <source>The result of a search for rings or trees: pattern (1 balanced tree, 2 split tree, 3 tree, 4 ring, 5 NVLS, 6 CollNet), channels, bandwidth inside and between nodes in GB/s, and kinds of path. Few channels or a low bandwidth mean a poor topology.</source>
            <translation>环或树的搜索结果：模式（1 平衡树，2 分裂树，3 树，4 环，5 NVLS，6 CollNet）、通道数、节点内和节点间的带宽（单位 GB/s），以及路径类型。通道少或带宽低说明拓扑不佳。</translation>
        </message>
        <message>
            <source>The order of GPUs in a channel that the search found.</source>
            <translation>搜索得到的某个通道中 GPU 的顺序。</translation>
        </message>
        <message>
            <source>The order of network card and GPUs in a channel that the search found.</source>
            <translation>搜索得到的某个通道中网卡和 GPU 的顺序。</translation>
        </message>
        <message>
            <source>NCCL reads the topology from a file; clouds provide one because virtual machines hide it.</source>
            <translation>NCCL 从文件读取拓扑；云厂商会提供这样的文件，因为虚拟机隐藏了拓扑。</translation>
        </message>
        <message>
            <source>NCCL reads a topology file that does not name its system.</source>
            <translation>NCCL 读取了一个没有写明系统名称的拓扑文件。</translation>
        </message>
        <message>
            <source>NCCL reads rings and trees from a file (NCCL_GRAPH_FILE) and does not search.</source>
            <translation>NCCL 从文件 (NCCL_GRAPH_FILE) 读取环和树，不再搜索。</translation>
        </message>
        <message>
            <source>Channels come from NCCL_GRAPH_FILE.</source>
            <translation>通道来自 NCCL_GRAPH_FILE。</translation>
        </message>
        <message>
            <source>A file of /sys is missing, often in containers and virtual machines; NCCL guesses.</source>
            <translation>/sys 下缺少一个文件，在容器和虚拟机中常见；NCCL 自行猜测。</translation>
        </message>
        <message>
            <source>The network card is no PCI device (virtual); NCCL attaches it to the first CPU.</source>
            <translation>该网卡不是 PCI 设备（虚拟网卡）；NCCL 将其挂到第一个 CPU 上。</translation>
        </message>
        <message>
            <source>Two GPUs are connected but cannot reach each other's memory, for example because of PCI access control (ACS) or an IOMMU. Data goes through host memory.</source>
            <translation>两个 GPU 相连，但无法访问彼此的显存，例如因为 PCI 访问控制 (ACS) 或 IOMMU。数据经过主机内存。</translation>
        </message>
        <message>
            <source>A question to the GPU driver's management library failed.</source>
            <translation>对 GPU 驱动管理库的一次查询失败。</translation>
        </message>
        <message>
            <source>A connection inside a node: direct access from GPU to GPU over NVLink or PCI (CUMEM, IPC: how the memory is shared; read: the receiver fetches).</source>
            <translation>节点内的一个连接：GPU 之间经 NVLink 或 PCI 直接访问（CUMEM、IPC：内存的共享方式；read：由接收方读取）。</translation>
        </message>
        <message>
            <source>A connection inside a node through shared host memory. Slower than direct access: the GPUs have no peer access, or NCCL_P2P_DISABLE or NCCL_P2P_LEVEL prevents it.</source>
            <translation>节点内经由主机共享内存的一个连接。比直接访问慢：GPU 之间没有对等访问，或被 NCCL_P2P_DISABLE 或 NCCL_P2P_LEVEL 禁止。</translation>
        </message>
        <message>
            <source>A connection between nodes in which the network card uses GPU memory directly (GPU Direct RDMA).</source>
            <translation>节点之间的一个连接，网卡直接使用 GPU 显存 (GPU Direct RDMA)。</translation>
        </message>
        <message>
            <source>A connection between nodes: transport and number of the network card. Without /GDRDMA the data goes through host memory.</source>
            <translation>节点之间的一个连接：传输和网卡编号。没有 /GDRDMA 时数据经过主机内存。</translation>
        </message>
        <message>
            <source>A connection inside a node: direct access from GPU to GPU over NVLink or PCI.</source>
            <translation>节点内的一个连接：GPU 之间经 NVLink 或 PCI 直接访问。</translation>
        </message>
        <message>
            <source>A connection inside a node through shared host memory, slower than direct access.</source>
            <translation>节点内经由主机共享内存的一个连接，比直接访问慢。</translation>
        </message>
        <message>
            <source>A connection of a ring and its transport.</source>
            <translation>环的一个连接及其传输。</translation>
        </message>
        <message>
            <source>The order of ranks in the ring of this channel, printed by the first rank and cut after 20 ranks.</source>
            <translation>该通道的环中各 rank 的顺序，由第一个 rank 打印，超过 20 个 rank 时截断。</translation>
        </message>
        <message>
            <source>The order of ranks in the ring of this channel, printed by the first rank.</source>
            <translation>该通道的环中各 rank 的顺序，由第一个 rank 打印。</translation>
        </message>
        <message>
            <source>The neighbours of this rank in a ring: previous, own, next.</source>
            <translation>该 rank 在一个环中的邻居：前一个、自己、后一个。</translation>
        </message>
        <message>
            <source>For each channel this rank's place in the tree: children -&gt; rank -&gt; parent; -1 is none.</source>
            <translation>该 rank 在每个通道的树中的位置：子 rank -&gt; 本 rank -&gt; 父 rank；-1 表示没有。</translation>
        </message>
        <message>
            <source>This rank's place in a tree: parent -&gt; rank -&gt; children; -1 is none.</source>
            <translation>该 rank 在一棵树中的位置：父 rank -&gt; 本 rank -&gt; 子 rank；-1 表示没有。</translation>
        </message>
        <message>
            <source>This rank's place in the trees that connect NVSwitch domains.</source>
            <translation>该 rank 在连接各 NVSwitch 域的树中的位置。</translation>
        </message>
        <message>
            <source>A connection to the network that reduces itself (SHARP).</source>
            <translation>到自身执行归约的网络 (SHARP) 的一个连接。</translation>
        </message>
        <message>
            <source>This rank's place in a reduction inside the network (SHARP).</source>
            <translation>该 rank 在网络内归约 (SHARP) 中的位置。</translation>
        </message>
        <message>
            <source>NVLink SHARP buffers of this rank and their size.</source>
            <translation>该 rank 的 NVLink SHARP 缓冲区及其大小。</translation>
        </message>
        <message>
            <source>NVLink SHARP: multicast memory that the NVSwitch reduces.</source>
            <translation>NVLink SHARP：由 NVSwitch 执行归约的多播内存。</translation>
        </message>
        <message>
            <source>All connections of the rings stand. A rank without this line waits for a neighbour.</source>
            <translation>环的所有连接均已建立。没有这一行的 rank 在等待邻居。</translation>
        </message>
        <message>
            <source>All connections of the trees stand.</source>
            <translation>树的所有连接均已建立。</translation>
        </message>
        <message>
            <source>The connections between NVSwitch domains stand.</source>
            <translation>NVSwitch 域之间的连接均已建立。</translation>
        </message>
        <message>
            <source>The connections to the reducing network stand.</source>
            <translation>到执行归约的网络的连接均已建立。</translation>
        </message>
        <message>
            <source>The connections of the PAT algorithm stand.</source>
            <translation>PAT 算法的连接均已建立。</translation>
        </message>
        <message>
            <source>Bytes of a piece in send and receive: 131072 over the network, 524288 over NVLink.</source>
            <translation>发送和接收时每个数据块的字节数：经网络为 131072，经 NVLink 为 524288。</translation>
        </message>
        <message>
            <source>The number of channels for collectives, NVLink SHARP and send/receive. More channels use more of the GPU and more links; all ranks must agree.</source>
            <translation>集合通信、NVLink SHARP 和发送/接收的通道数。通道越多，占用的 GPU 资源和链路越多；所有 rank 必须一致。</translation>
        </message>
        <message>
            <source>Bytes per rank below which fewer GPU threads are used, for each algorithm and protocol.</source>
            <translation>各算法和协议的阈值：每个 rank 的字节数低于该值时使用较少的 GPU 线程。</translation>
        </message>
        <message>
            <source>GPU threads per channel, and whether trees are used.</source>
            <translation>每个通道的 GPU 线程数，以及是否使用树。</translation>
        </message>
        <message>
            <source>The head of NCCL's table: latency in microseconds and bandwidth in GB/s it expects of each algorithm and protocol.</source>
            <translation>NCCL 表格的表头：它对各算法和协议预期的延迟（微秒）和带宽（单位 GB/s）。</translation>
        </message>
        <message>
            <source>GPU threads for each algorithm and protocol.</source>
            <translation>各算法和协议的 GPU 线程数。</translation>
        </message>
        <message>
            <source>Which algorithms and protocols each function may use, after NCCL_ALGO and NCCL_PROTO.</source>
            <translation>应用 NCCL_ALGO 和 NCCL_PROTO 之后，各函数可用的算法和协议。</translation>
        </message>
        <message>
            <source>The algorithm and protocol that NCCL chose for a collective of this size, and the channels.</source>
            <translation>NCCL 为这一大小的集合通信选择的算法和协议，以及所用通道。</translation>
        </message>
        <message>
            <source>NCCL considers kernels that use symmetric memory of all GPUs of a node.</source>
            <translation>NCCL 考虑采用使用节点内所有 GPU 对称内存的核函数。</translation>
        </message>
        <message>
            <source>How NCCL starts its kernels: Parallel is the normal one.</source>
            <translation>NCCL 启动核函数的方式：Parallel 为正常方式。</translation>
        </message>
        <message>
            <source>Whether confidential computing is on, and the memory of the queue of work.</source>
            <translation>机密计算是否开启，以及工作队列所用的内存。</translation>
        </message>
        <message>
            <source>Too few nodes for reductions in the network (NCCL_COLLNET_NODE_THRESHOLD).</source>
            <translation>节点太少，不在网络内归约 (NCCL_COLLNET_NODE_THRESHOLD)。</translation>
        </message>
        <message>
            <source>The program called a collective: number of the call, buffers, elements, data type, operation and root. Ranks whose last number differs are out of step.</source>
            <translation>程序调用了一次集合通信：调用序号、缓冲区、元素数、数据类型、运算和根 rank。各 rank 的最后序号不同，说明它们已不同步。</translation>
        </message>
        <message>
            <source>The program called a broadcast.</source>
            <translation>程序调用了一次广播。</translation>
        </message>
        <message>
            <source>Several operations are started together.</source>
            <translation>多个操作一起启动。</translation>
        </message>
        <message>
            <source>NCCL allocated memory.</source>
            <translation>NCCL 分配了内存。</translation>
        </message>
        <message>
            <source>NCCL enlarged a piece of memory.</source>
            <translation>NCCL 扩大了一块内存。</translation>
        </message>
        <message>
            <source>NCCL made a file of shared memory in /dev/shm.</source>
            <translation>NCCL 在 /dev/shm 中创建了一个共享内存文件。</translation>
        </message>
        <message>
            <source>NCCL made memory that other processes may share.</source>
            <translation>NCCL 创建了可供其他进程共享的内存。</translation>
        </message>
        <message>
            <source>NCCL made GPU memory that other processes may share.</source>
            <translation>NCCL 创建了可供其他进程共享的 GPU 显存。</translation>
        </message>
        <message>
            <source>NCCL's own memory grew.</source>
            <translation>NCCL 自身占用的内存增加了。</translation>
        </message>
        <message>
            <source>A thread on the CPU (proxy) serves a connection of this rank.</source>
            <translation>CPU 上的一个线程（代理）为该 rank 的一个连接服务。</translation>
        </message>
        <message>
            <source>This rank is connected to the CPU thread (proxy) that serves a transport.</source>
            <translation>该 rank 已连接到为某个传输服务的 CPU 线程（代理）。</translation>
        </message>
        <message>
            <source>A rank of this node closed its connection to the CPU thread. Normal at the end; during the run it means that the rank is gone.</source>
            <translation>该节点的一个 rank 关闭了到 CPU 线程的连接。结束时属正常；在运行期间则说明该 rank 已不在。</translation>
        </message>
        <message>
            <source>A CPU thread of NCCL uses the GPU.</source>
            <translation>NCCL 的一个 CPU 线程使用该 GPU。</translation>
        </message>
        <message>
            <source>A message of the CPU thread that moves data.</source>
            <translation>搬运数据的 CPU 线程的消息。</translation>
        </message>
        <message>
            <source>A message of the CPU thread that serves connections.</source>
            <translation>为连接服务的 CPU 线程的消息。</translation>
        </message>
        <message>
            <source>An error that reached the CPU thread of NCCL; the line above it says which.</source>
            <translation>传到 NCCL 的 CPU 线程的一个错误；具体错误见上面一行。</translation>
        </message>
        <message>
            <source>NCCL's own monitor runs; the program ncclras and Rankscope can ask it.</source>
            <translation>NCCL 自带的监视器正在运行；程序 ncclras 和 Rankscope 可以查询它。</translation>
        </message>
        <message>
            <source>The address at which NCCL's own monitor answers.</source>
            <translation>NCCL 自带的监视器应答查询的地址。</translation>
        </message>
        <message>
            <source>NCCL's own monitor lost a process for good.</source>
            <translation>NCCL 自带的监视器已彻底失去一个进程。</translation>
        </message>
        <message>
            <source>A message of NCCL's own monitor.</source>
            <translation>NCCL 自带的监视器的消息。</translation>
        </message>
        <message>
            <source>A buffer of the program is registered, so that it needs no copies.</source>
            <translation>程序的一个缓冲区已注册，因此无需复制。</translation>
        </message>
        <message>
            <source>A buffer of the program is registered, or could not be; then NCCL copies.</source>
            <translation>程序的一个缓冲区已注册，或未能注册；未能注册时由 NCCL 复制。</translation>
        </message>
        <message>
            <source>No interface fits NCCL_SOCKET_IFNAME, or the node has none besides the loopback.</source>
            <translation>没有与 NCCL_SOCKET_IFNAME 匹配的网络接口，或该节点除回环外没有其他接口。</translation>
        </message>
        <message>
            <source>No interface fits what was asked for: check NCCL_SOCKET_IFNAME on this node.</source>
            <translation>没有符合要求的网络接口：检查该节点上的 NCCL_SOCKET_IFNAME。</translation>
        </message>
        <message>
            <source>The other node is reachable, but nothing listens there: the rank ended, did not start yet, or a firewall rejects the connection.</source>
            <translation>另一个节点可达，但没有进程在那里监听：该 rank 已结束、尚未启动，或防火墙拒绝了连接。</translation>
        </message>
        <message>
            <source>The other rank ended suddenly or its node cut the connection. Look for the first error of that rank.</source>
            <translation>另一个 rank 突然结束，或其节点切断了连接。查找该 rank 的第一个错误。</translation>
        </message>
        <message>
            <source>The other rank closed its connection: it ended or failed. Look for its first error.</source>
            <translation>另一个 rank 关闭了连接：它已结束或失败。查找它的第一个错误。</translation>
        </message>
        <message>
            <source>The other rank ended. Look for its first error.</source>
            <translation>另一个 rank 已结束。查找它的第一个错误。</translation>
        </message>
        <message>
            <source>The address cannot be reached: a wrong interface, a missing route or a firewall.</source>
            <translation>该地址不可达：网络接口错误、缺少路由，或防火墙拦截。</translation>
        </message>
        <message>
            <source>The other node does not answer: a firewall drops the packets, or the interface is the wrong one.</source>
            <translation>另一个节点没有应答：防火墙丢弃了数据包，或网络接口不对。</translation>
        </message>
        <message>
            <source>Two ranks exchanged messages of different sizes: their collectives or settings (NCCL_ALGO, NCCL_PROTO) differ.</source>
            <translation>两个 rank 交换的消息大小不同：它们的集合通信或设置 (NCCL_ALGO、NCCL_PROTO) 不一致。</translation>
        </message>
        <message>
            <source>Ranks called different collectives.</source>
            <translation>各 rank 调用了不同的集合通信。</translation>
        </message>
        <message>
            <source>The GPU has no memory left for NCCL's buffers.</source>
            <translation>GPU 已没有显存可供 NCCL 的缓冲区使用。</translation>
        </message>
        <message>
            <source>Two GPUs cannot reach each other's memory: set NCCL_P2P_DISABLE=1 or change the topology.</source>
            <translation>两个 GPU 无法访问彼此的显存：设置 NCCL_P2P_DISABLE=1，或更改拓扑。</translation>
        </message>
        <message>
            <source>A call of CUDA failed. Often an error of the program's own kernels that shows here.</source>
            <translation>一次 CUDA 调用失败。往往是程序自己的核函数出错，在此处才显现。</translation>
        </message>
        <message>
            <source>A call of CUDA failed; the WARN line above it says which.</source>
            <translation>一次 CUDA 调用失败；具体原因见上面的 WARN 行。</translation>
        </message>
        <message>
            <source>A call of the operating system failed; the WARN line above it says which.</source>
            <translation>一次操作系统调用失败；具体原因见上面的 WARN 行。</translation>
        </message>
        <message>
            <source>Two ranks use the same GPU: each needs its own (LOCAL_RANK, CUDA_VISIBLE_DEVICES).</source>
            <translation>两个 rank 使用了同一个 GPU：每个 rank 需要自己的 GPU (LOCAL_RANK、CUDA_VISIBLE_DEVICES)。</translation>
        </message>
        <message>
            <source>/dev/shm is full or too small. Give containers --shm-size or --ipc=host.</source>
            <translation>/dev/shm 已满或太小。为容器加上 --shm-size 或 --ipc=host。</translation>
        </message>
        <message>
            <source>Shared memory could not be made: /dev/shm is missing, full, or not writable.</source>
            <translation>无法创建共享内存：/dev/shm 不存在、已满或不可写。</translation>
        </message>
        <message>
            <source>Memory could not be registered for RDMA: the limit of locked memory (ulimit -l) is too low, or nvidia-peermem is missing.</source>
            <translation>无法为 RDMA 注册内存：锁定内存上限 (ulimit -l) 太低，或缺少 nvidia-peermem。</translation>
        </message>
        <message>
            <source>A connection over InfiniBand or RoCE could not be made, often because of the wrong GID index or address.</source>
            <translation>无法建立 InfiniBand 或 RoCE 连接，往往是因为 GID 索引或地址错误。</translation>
        </message>
        <message>
            <source>A call of the InfiniBand library failed; the error says which.</source>
            <translation>一次 InfiniBand 库调用失败；具体原因见错误信息。</translation>
        </message>
        <message>
            <source>The search found no rings or trees of this pattern. NCCL uses a simple order of the GPUs and expects a low bandwidth.</source>
            <translation>搜索没有找到此模式的环或树。NCCL 改用简单的 GPU 顺序，预计带宽很低。</translation>
        </message>
        <message>
            <source>The program passed a rank outside of the communicator.</source>
            <translation>程序传入的 rank 超出了通信器的范围。</translation>
        </message>
        <message>
            <source>A connection to another rank could not be made.</source>
            <translation>无法建立到另一个 rank 的连接。</translation>
        </message>
        <message>
            <source>The kernel's IOMMU may block direct access between GPUs.</source>
            <translation>内核的 IOMMU 可能会阻止 GPU 之间的直接访问。</translation>
        </message>
        <message>
            <source>The CPU thread of another rank of this node failed or ended.</source>
            <translation>该节点另一个 rank 的 CPU 线程失败或已结束。</translation>
        </message>
        <message>
            <source>NCCL does not know this variable or value.</source>
            <translation>NCCL 不认识这个变量或值。</translation>
        </message>
        <message>
            <source>The value of this variable is no number; NCCL uses its default.</source>
            <translation>该变量的值不是数字；NCCL 使用默认值。</translation>
        </message>
        <message>
            <source>A connection from another rank could not be accepted, for example because too many files are open.</source>
            <translation>无法接受来自另一个 rank 的连接，例如因为打开的文件太多。</translation>
        </message>
        <message>
            <source>Waiting for connections failed, for example because the limit of open files is too low.</source>
            <translation>等待连接失败，例如因为打开文件数的上限太低。</translation>
        </message>
        <message>
            <source>The network that NCCL_NET asks for does not exist on this node, or no transport works.</source>
            <translation>NCCL_NET 所要求的网络在该节点上不存在，或没有可用的传输。</translation>
        </message>
        <message>
            <source>Ranks disagree about the size of the communicator: WORLD_SIZE differs between nodes.</source>
            <translation>各 rank 的通信器大小不一致：各节点的 WORLD_SIZE 不同。</translation>
        </message>
        <message>
            <source>The rank could not reach the meeting point of PyTorch (MASTER_ADDR, MASTER_PORT): rank 0 does not run, the address is wrong, or a firewall drops the packets.</source>
            <translation>该 rank 无法到达 PyTorch 的会合点 (MASTER_ADDR、MASTER_PORT)：rank 0 没有运行、地址错误，或防火墙丢弃了数据包。</translation>
        </message>
        <message>
            <source>The rank tries to reach the meeting point of PyTorch (MASTER_ADDR, MASTER_PORT) and does not yet get through.</source>
            <translation>该 rank 正在尝试连接 PyTorch 的会合点 (MASTER_ADDR、MASTER_PORT)，尚未连通。</translation>
        </message>
        <message>
            <source>The name of MASTER_ADDR is unknown on this node.</source>
            <translation>该节点无法解析 MASTER_ADDR 的主机名。</translation>
        </message>
        <message>
            <source>An address of a rank has no name. Harmless.</source>
            <translation>某个 rank 的地址没有对应的主机名。无害。</translation>
        </message>
        <message>
            <source>Not all ranks came to PyTorch's store in time: look for ranks that did not start.</source>
            <translation>并非所有 rank 都及时连到 PyTorch 的 store：查找没有启动的 rank。</translation>
        </message>
        <message>
            <source>A key that another rank writes into PyTorch's store did not appear: that rank is late or gone.</source>
            <translation>另一个 rank 应写入 PyTorch store 的一个键没有出现：该 rank 来得晚或已不在。</translation>
        </message>
        <message>
            <source>A collective did not end in time. The ranks that print this wait; the cause is at a rank that did not come, or in the network.</source>
            <translation>一次集合通信没有按时结束。打印这一行的 rank 在等待；原因在没有到达的 rank，或在网络。</translation>
        </message>
        <message>
            <source>PyTorch ends the process because results may be wrong after a failed collective.</source>
            <translation>PyTorch 结束该进程，因为集合通信失败后结果可能有误。</translation>
        </message>
        <message>
            <source>PyTorch's watchdog ended the process; the reason follows in the line.</source>
            <translation>PyTorch 的看门狗结束了该进程；原因见该行后文。</translation>
        </message>
        <message>
            <source>torchrun reports that a rank failed. The list below names the first failure of this node.</source>
            <translation>torchrun 报告有 rank 失败。下面的列表给出该节点的第一个失败。</translation>
        </message>
        <message>
            <source>The place in PyTorch's source that reported the error.</source>
            <translation>报告该错误的 PyTorch 源码位置。</translation>
        </message>
        <message>
            <source>Gloo could not connect all ranks with each other: an address or interface that others do not reach (GLOO_SOCKET_IFNAME).</source>
            <translation>Gloo 无法让所有 rank 互连：某个地址或网络接口是其他 rank 无法到达的 (GLOO_SOCKET_IFNAME)。</translation>
        </message>
        <message>
            <source>Another rank did not take part in time.</source>
            <translation>另一个 rank 没有及时参与。</translation>
        </message>
        <message>
            <source>Another rank ended. Look for its first error.</source>
            <translation>另一个 rank 已结束。查找它的第一个错误。</translation>
        </message>
        <message>
            <source>An error on its way up through NCCL's calls; the first WARN line above it is the cause.</source>
            <translation>沿 NCCL 调用链向上传递的错误；原因是它上方的第一个 WARN 行。</translation>
        </message>
    </context>
    <context>
        <name>NcclMap</name>
        <message>
            <source>GPU to GPU (NVLink or PCIe)</source>
            <translation>GPU 到 GPU（NVLink 或 PCIe）</translation>
        </message>
        <message>
            <source>Host memory</source>
            <translation>主机内存</translation>
        </message>
        <message>
            <source>InfiniBand, GPUDirect</source>
            <translation>InfiniBand, GPUDirect</translation>
        </message>
        <message>
            <source>InfiniBand</source>
            <translation>InfiniBand</translation>
        </message>
        <message>
            <source>TCP</source>
            <translation>TCP</translation>
        </message>
        <message>
            <source>Other network</source>
            <translation>其他网络</translation>
        </message>
        <message>
            <source>In-network reduction</source>
            <translation>网内归约</translation>
        </message>
        <message>
            <source>Transport not printed</source>
            <translation>传输方式未打印</translation>
        </message>
        <message>
            <source>TCP instead of InfiniBand: %1</source>
            <translation>用 TCP 代替了 InfiniBand：%1</translation>
        </message>
        <message>
            <source>Host memory instead of GPU to GPU: %1</source>
            <translation>用主机内存代替了 GPU 到 GPU：%1</translation>
        </message>
        <message>
            <source>%1 of %2 network devices in use: %3</source>
            <translation>%2 个网络设备中使用了 %1 个：%3</translation>
        </message>
        <message>
            <source>InfiniBand without GPUDirect RDMA: %1</source>
            <translation>InfiniBand 未使用 GPUDirect RDMA：%1</translation>
        </message>
        <message>
            <source> (%1=%2)</source>
            <translation> (%1=%2)</translation>
        </message>
        <message>
            <source>Each byte passes through the kernel and the memory of both nodes: a fraction of InfiniBand's rate, and processor time.</source>
            <translation>每个字节都经过两个节点的内核和内存：速率只有 InfiniBand 的几分之一，还占用处理器时间。</translation>
        </message>
        <message>
            <source> Unused: %1.</source>
            <translation> 未使用：%1。</translation>
        </message>
        <message>
            <source>Each byte is copied into the memory of the host and out again: a fraction of NVLink's rate.</source>
            <translation>每个字节都要复制到主机内存再复制出来：速率只有 NVLink 的几分之一。</translation>
        </message>
        <message>
            <source>At most %1 % of the node's network rate.</source>
            <translation>最多为节点网络速率的 %1 %。</translation>
        </message>
        <message>
            <source>Each byte passes through the memory of both hosts: lower rate, more latency. Check nvidia-peermem or DMA-BUF, and NCCL_NET_GDR_LEVEL.</source>
            <translation>每个字节都经过两台主机的内存：速率更低，延迟更高。检查 nvidia-peermem 或 DMA-BUF，以及 NCCL_NET_GDR_LEVEL。</translation>
        </message>
        <message>
            <source>%1 and %2 more</source>
            <translation>%1 和另外 %2 个</translation>
        </message>
    </context>
    <context>
        <name>NcclVariables</name>
        <message>
            <source>IP interfaces to use: prefixes by comma; =name is exact, ^ excludes. Wrong values are the most common cause of a failed start.</source>
            <translation>要使用的 IP 网络接口：前缀，以逗号分隔；=name 为精确匹配，^ 为排除。取值错误是启动失败最常见的原因。</translation>
        </message>
        <message>
            <source>chosen by NCCL</source>
            <translation>由 NCCL 选择</translation>
        </message>
        <message>
            <source>Uses only IPv4 or only IPv6.</source>
            <translation>只使用 IPv4 或只使用 IPv6。</translation>
        </message>
        <message>
            <source>Number that connections of a job show each other, so that jobs that share ports do not mix.</source>
            <translation>同一作业的连接相互出示的编号，避免共用端口的作业互相混淆。</translation>
        </message>
        <message>
            <source>built in</source>
            <translation>内置</translation>
        </message>
        <message>
            <source>How often a refused or unanswered connection is tried again.</source>
            <translation>连接被拒绝或无应答时的重试次数。</translation>
        </message>
        <message>
            <source>First wait in ms before a connection is tried again; it grows with each try, about 60 s in all.</source>
            <translation>重试连接前的首次等待时间，单位 ms；每次重试递增，总计约 60 s。</translation>
        </message>
        <message>
            <source>Waits this long in poll() during the start instead of using a CPU core; 0: never waits.</source>
            <translation>启动期间在 poll() 中等待的时长，以免占用一个 CPU 核；0：从不等待。</translation>
        </message>
        <message>
            <source>CPU threads per connection of the socket transport.</source>
            <translation>套接字传输每个连接的 CPU 线程数。</translation>
        </message>
        <message>
            <source>1; AWS 2, Google 4</source>
            <translation>1；AWS 为 2，Google 为 4</translation>
        </message>
        <message>
            <source>Sockets of each thread of the socket transport; threads times sockets are at most 64.</source>
            <translation>套接字传输每个线程的套接字数；线程数乘以套接字数最多为 64。</translation>
        </message>
        <message>
            <source>1; AWS 8</source>
            <translation>1；AWS 为 8</translation>
        </message>
        <message>
            <source>Bytes up to which data travels in the header message of a socket.</source>
            <translation>数据随套接字头部消息一起发送的字节数上限。</translation>
        </message>
        <message>
            <source>Smallest piece in bytes that is split over sockets.</source>
            <translation>会拆分到多个套接字的最小数据块，单位字节。</translation>
        </message>
        <message>
            <source>Receive buffer of sockets in bytes.</source>
            <translation>套接字接收缓冲区的字节数。</translation>
        </message>
        <message>
            <source>-1: system</source>
            <translation>-1：系统决定</translation>
        </message>
        <message>
            <source>Send buffer of sockets in bytes.</source>
            <translation>套接字发送缓冲区的字节数。</translation>
        </message>
        <message>
            <source>Address and port at which the ranks meet, host:port, instead of an id that the program passes on.</source>
            <translation>各 rank 会合的地址和端口，格式为 host:port，用来代替由程序传递的 ID。</translation>
        </message>
        <message>
            <source>Uses the data network for the first meeting of the ranks, too.</source>
            <translation>各 rank 首次会合时也使用数据网络。</translation>
        </message>
        <message>
            <source>Interfaces for that; same form as NCCL_IB_HCA.</source>
            <translation>用于上述会合的网络接口；格式与 NCCL_IB_HCA 相同。</translation>
        </message>
        <message>
            <source>Ranks from which on the first connections are spread over time.</source>
            <translation>rank 数达到该值时，首次连接在时间上错开。</translation>
        </message>
        <message>
            <source>Connections per second when they are spread.</source>
            <translation>错开连接时每秒的连接数。</translation>
        </message>
        <message>
            <source>Network transport that must be used: IB, Socket, or the name of a plugin's. The start fails without it.</source>
            <translation>必须使用的网络传输：IB、Socket，或插件所提供传输的名称。该传输不可用时启动失败。</translation>
        </message>
        <message>
            <source>Network plugin: library, suffix, or none.</source>
            <translation>网络插件：库、后缀或 none。</translation>
        </message>
        <message>
            <source>Unloads network plugins with the last communicator.</source>
            <translation>最后一个通信器销毁时卸载网络插件。</translation>
        </message>
        <message>
            <source>How network cards are shared among GPUs: AUTO, MAX:N or ALL.</source>
            <translation>网卡在 GPU 之间的分配方式：AUTO、MAX:N 或 ALL。</translation>
        </message>
        <message>
            <source>Up to which distance network ports are merged into one device: LOC, PORT, PIX, PXB, PHB, SYS.</source>
            <translation>网络端口合并为一个设备的最大距离：LOC、PORT、PIX、PXB、PHB、SYS。</translation>
        </message>
        <message>
            <source>Whether ports of other rails may be merged.</source>
            <translation>是否允许合并不同轨道 (rail) 的端口。</translation>
        </message>
        <message>
            <source>Lists of network devices that are merged.</source>
            <translation>要合并的网络设备列表。</translation>
        </message>
        <message>
            <source>Greatest distance between GPU and network card at which the card uses GPU memory directly (GPU Direct RDMA).</source>
            <translation>网卡直接访问显存 (GPU Direct RDMA) 时，GPU 与网卡之间的最大距离。</translation>
        </message>
        <message>
            <source>Whether the card also reads GPU memory when it sends.</source>
            <translation>网卡发送时是否也直接读取显存。</translation>
        </message>
        <message>
            <source>1 with NVLink</source>
            <translation>有 NVLink 时为 1</translation>
        </message>
        <message>
            <source>GPU Direct RDMA for a card at a CPU that is connected by C2C (Grace).</source>
            <translation>网卡连接在通过 C2C 互连的 CPU (Grace) 上时使用 GPU Direct RDMA。</translation>
        </message>
        <message>
            <source>GPU Direct RDMA with partitions of a GPU.</source>
            <translation>对 GPU 分区使用 GPU Direct RDMA。</translation>
        </message>
        <message>
            <source>Forbids the network inside a node.</source>
            <translation>禁止在节点内部使用网络。</translation>
        </message>
        <message>
            <source>One pool of buffers for send and receive to all nodes; saves memory.</source>
            <translation>与所有节点的收发共用一个缓冲区池；节省内存。</translation>
        </message>
        <message>
            <source>Shares connections between ranks that send through one card (PXN).</source>
            <translation>经同一网卡发送的 rank 之间共享连接 (PXN)。</translation>
        </message>
        <message>
            <source>Always flushes received data with GPU Direct RDMA.</source>
            <translation>使用 GPU Direct RDMA 时，对收到的数据总是执行 flush。</translation>
        </message>
        <message>
            <source>Cost of a message in ns in NCCL's model.</source>
            <translation>NCCL 模型中一条消息的开销，单位 ns。</translation>
        </message>
        <message>
            <source>-2: chosen</source>
            <translation>-2：自动选择</translation>
        </message>
        <message>
            <source>Lets plugins skip the completion of small receives.</source>
            <translation>允许插件跳过小数据接收的完成通知。</translation>
        </message>
        <message>
            <source>Whether a ring may use different network cards on different nodes: 0 never, 1 yes, 2 if it is faster. 0 suits rail-optimised networks.</source>
            <translation>同一个环在不同节点上是否可使用不同的网卡：0 从不，1 可以，2 更快时使用。0 适合按轨道 (rail) 优化的网络。</translation>
        </message>
        <message>
            <source>0: fails the start when ranks see different numbers of network cards.</source>
            <translation>0：各 rank 看到的网卡数量不同时，启动失败。</translation>
        </message>
        <message>
            <source>1: ignores that ranks see different numbers of CollNet devices.</source>
            <translation>1：忽略各 rank 看到的 CollNet 设备数量不同。</translation>
        </message>
        <message>
            <source>Reports the progress of connections in a large start.</source>
            <translation>大规模启动时报告连接进度。</translation>
        </message>
        <message>
            <source>Peers that are connected at a time.</source>
            <translation>一次同时连接的对端数。</translation>
        </message>
        <message>
            <source>More channels for networks that deliver data to be unpacked (GPUDirect-TCPX).</source>
            <translation>对于交付的数据需要解包的网络 (GPUDirect-TCPX)，使用更多通道。</translation>
        </message>
        <message>
            <source>1: never uses InfiniBand and RoCE; NCCL falls back to sockets.</source>
            <translation>1：从不使用 InfiniBand 和 RoCE；NCCL 回退到套接字。</translation>
        </message>
        <message>
            <source>InfiniBand cards to use: mlx5_0:1,mlx5_1; = is exact, ^ excludes. Without = a name is a prefix: mlx5_1 is also mlx5_10.</source>
            <translation>要使用的 InfiniBand 网卡：mlx5_0:1,mlx5_1；= 为精确匹配，^ 为排除。不带 = 时名称作为前缀：mlx5_1 也匹配 mlx5_10。</translation>
        </message>
        <message>
            <source>Index of the address (GID) of a RoCE card. A wrong one gives time-outs (status 12).</source>
            <translation>RoCE 网卡地址 (GID) 的索引。索引错误会导致超时 (status 12)。</translation>
        </message>
        <message>
            <source>-1: chosen; before 2.21 0</source>
            <translation>-1：自动选择；2.21 之前为 0</translation>
        </message>
        <message>
            <source>Family of the GID that NCCL chooses.</source>
            <translation>NCCL 所选 GID 的地址族。</translation>
        </message>
        <message>
            <source>Network (CIDR) of the GID that NCCL chooses.</source>
            <translation>NCCL 所选 GID 的网段 (CIDR)。</translation>
        </message>
        <message>
            <source>RoCE version of the GID that NCCL chooses.</source>
            <translation>NCCL 所选 GID 的 RoCE 版本。</translation>
        </message>
        <message>
            <source>Time-out of InfiniBand: 4.096 µs times 2 to this power, for each try.</source>
            <translation>InfiniBand 超时：每次尝试为 4.096 µs 乘以 2 的该值次幂。</translation>
        </message>
        <message>
            <source>20; 18 before 2.23, 14 before 2.14</source>
            <translation>20；2.23 之前为 18，2.14 之前为 14</translation>
        </message>
        <message>
            <source>Tries before an InfiniBand error.</source>
            <translation>报告 InfiniBand 错误之前的尝试次数。</translation>
        </message>
        <message>
            <source>Index of the partition key.</source>
            <translation>分区密钥 (partition key) 的索引。</translation>
        </message>
        <message>
            <source>InfiniBand service level.</source>
            <translation>InfiniBand 服务级别。</translation>
        </message>
        <message>
            <source>Traffic class of the data; RoCE networks with priorities need the right one.</source>
            <translation>数据的流量类别；按优先级划分的 RoCE 网络必须设置正确。</translation>
        </message>
        <message>
            <source>Traffic class of control messages.</source>
            <translation>控制消息的流量类别。</translation>
        </message>
        <message>
            <source>as NCCL_IB_TC</source>
            <translation>同 NCCL_IB_TC</translation>
        </message>
        <message>
            <source>Sends small control messages inside the work request.</source>
            <translation>将小的控制消息内联在工作请求中发送。</translation>
        </message>
        <message>
            <source>Bytes from which on data is sent apart, for adaptive routing.</source>
            <translation>数据达到该字节数时单独发送，用于自适应路由。</translation>
        </message>
        <message>
            <source>Uses adaptive routing.</source>
            <translation>使用自适应路由。</translation>
        </message>
        <message>
            <source>1 on InfiniBand, 0 on RoCE</source>
            <translation>InfiniBand 上为 1，RoCE 上为 0</translation>
        </message>
        <message>
            <source>Queue pairs per connection; more spread over the paths of the fabric.</source>
            <translation>每个连接的 QP 数；数量越多，越能分散到网络的多条路径上。</translation>
        </message>
        <message>
            <source>1: splits each message over the queue pairs; 0: takes them in turn.</source>
            <translation>1：每条消息拆分到各个 QP；0：各个 QP 轮流使用。</translation>
        </message>
        <message>
            <source>0; 1 in 2.18 and 2.19</source>
            <translation>0；2.18 和 2.19 中为 1</translation>
        </message>
        <message>
            <source>Forces or forbids GPU Direct RDMA.</source>
            <translation>强制使用或禁止 GPU Direct RDMA。</translation>
        </message>
        <message>
            <source>Greatest distance for GPU Direct RDMA.</source>
            <translation>使用 GPU Direct RDMA 的最大距离。</translation>
        </message>
        <message>
            <source>PCI relaxed ordering: 2 if available, 1 or fail, 0 never. Important in virtual machines.</source>
            <translation>PCI 宽松排序 (relaxed ordering)：2 可用时启用；1 必须启用，否则失败；0 从不启用。在虚拟机中很重要。</translation>
        </message>
        <message>
            <source>Enhanced connection establishment of the cards.</source>
            <translation>网卡的增强连接建立 (ECE)。</translation>
        </message>
        <message>
            <source>Ends communication after a fatal event of the card.</source>
            <translation>网卡发生致命事件后终止通信。</translation>
        </message>
        <message>
            <source>Takes virtual functions of a card as one.</source>
            <translation>将同一网卡的多个虚拟功能 (VF) 视为一个。</translation>
        </message>
        <message>
            <source>Joins the two ports of a card into one device.</source>
            <translation>将一块网卡的两个端口合并为一个设备。</translation>
        </message>
        <message>
            <source>Uses the direct data path of ConnectX-8 cards.</source>
            <translation>使用 ConnectX-8 网卡的直接数据通路。</translation>
        </message>
        <message>
            <source>GID index with routable local addresses (FLID).</source>
            <translation>使用可路由本地地址 (FLID) 时的 GID 索引。</translation>
        </message>
        <message>
            <source>Warns when cards on different rails of a subnet connect.</source>
            <translation>子网中位于不同轨道 (rail) 的网卡相互连接时发出警告。</translation>
        </message>
        <message>
            <source>Tries again after every error while queue pairs connect.</source>
            <translation>QP 连接过程中出现任何错误都重试。</translation>
        </message>
        <message>
            <source>Tries to connect a queue pair.</source>
            <translation>连接 QP 的尝试次数。</translation>
        </message>
        <message>
            <source>First wait in ms between these tries.</source>
            <translation>这些尝试之间的首次等待时间，单位 ms。</translation>
        </message>
        <message>
            <source>Lets receive requests end out of order.</source>
            <translation>允许接收请求乱序完成。</translation>
        </message>
        <message>
            <source>Numbers cards by their PCI address.</source>
            <translation>按 PCI 地址为网卡编号。</translation>
        </message>
        <message>
            <source>Asks the driver for the port's speed.</source>
            <translation>向驱动查询端口速率。</translation>
        </message>
        <message>
            <source>Connects ports of the same IP subnet.</source>
            <translation>连接同一 IP 子网的端口。</translation>
        </message>
        <message>
            <source>Prefix length of these subnets.</source>
            <translation>这些子网的前缀长度。</translation>
        </message>
        <message>
            <source>Posts receive requests early.</source>
            <translation>提前提交接收请求。</translation>
        </message>
        <message>
            <source>How the receiver matches messages.</source>
            <translation>接收端匹配消息的方式。</translation>
        </message>
        <message>
            <source>Continues on another port when one fails.</source>
            <translation>一个端口故障时改用另一个端口继续通信。</translation>
        </message>
        <message>
            <source>Attempts of a failover.</source>
            <translation>故障切换的尝试次数。</translation>
        </message>
        <message>
            <source>Wait in ms before a port is probed after an error.</source>
            <translation>出错后探测端口之前的等待时间，单位 ms。</translation>
        </message>
        <message>
            <source>Uses a failed port again when it works.</source>
            <translation>故障端口恢复正常后重新使用。</translation>
        </message>
        <message>
            <source>Time-out in ms of the confirmation of a recovery.</source>
            <translation>恢复确认的超时，单位 ms。</translation>
        </message>
        <message>
            <source>Interval in ms of the messages that test a port.</source>
            <translation>端口测试消息的间隔，单位 ms。</translation>
        </message>
        <message>
            <source>Messages at a time that test a port.</source>
            <translation>每次测试端口发送的消息数。</translation>
        </message>
        <message>
            <source>Rounds of these messages.</source>
            <translation>这些消息的轮数。</translation>
        </message>
        <message>
            <source>Time-out in ms of these messages.</source>
            <translation>这些消息的超时，单位 ms。</translation>
        </message>
        <message>
            <source>Attempts to recover a port.</source>
            <translation>恢复端口的尝试次数。</translation>
        </message>
        <message>
            <source>Wait in ms before the first attempt.</source>
            <translation>首次尝试前的等待时间，单位 ms。</translation>
        </message>
        <message>
            <source>The InfiniBand library to load.</source>
            <translation>要加载的 InfiniBand 库。</translation>
        </message>
        <message>
            <source>Skips the flush after data came by GPU Direct RDMA. Dangerous.</source>
            <translation>数据经 GPU Direct RDMA 到达后跳过 flush。有风险。</translation>
        </message>
        <message>
            <source>Uses GDRCopy for small data between CPU and GPU.</source>
            <translation>CPU 与 GPU 之间的小数据使用 GDRCopy。</translation>
        </message>
        <message>
            <source>With GDRCopy: queues in GPU memory.</source>
            <translation>配合 GDRCopy：队列放在显存中。</translation>
        </message>
        <message>
            <source>With GDRCopy: flushes with it.</source>
            <translation>配合 GDRCopy：用它执行 flush。</translation>
        </message>
        <message>
            <source>With GDRCopy: synchronises with it.</source>
            <translation>配合 GDRCopy：用它同步。</translation>
        </message>
        <message>
            <source>With GDRCopy: counters in GPU memory.</source>
            <translation>配合 GDRCopy：计数器放在显存中。</translation>
        </message>
        <message>
            <source>Uses the kernel's dma-buf for GPU Direct RDMA instead of nvidia-peermem.</source>
            <translation>GPU Direct RDMA 使用内核的 dma-buf，而不是 nvidia-peermem。</translation>
        </message>
        <message>
            <source>1: no direct access between GPUs; data goes through host memory, which is slower. A remedy for PCI access control (ACS).</source>
            <translation>1：GPU 之间不直接访问；数据经主机内存中转，速度较慢。可用来规避 PCI 访问控制 (ACS) 的问题。</translation>
        </message>
        <message>
            <source>Greatest distance at which GPUs access each other directly: LOC never, NVL, PIX, PXB, PHB, SYS.</source>
            <translation>GPU 之间直接访问的最大距离：LOC 从不，NVL、PIX、PXB、PHB、SYS。</translation>
        </message>
        <message>
            <source>No direct access to the program's buffers between GPUs of a process.</source>
            <translation>同一进程的 GPU 之间不直接访问程序的缓冲区。</translation>
        </message>
        <message>
            <source>The receiving GPU reads instead of the sender writing.</source>
            <translation>由接收端 GPU 读取，而不是由发送端写入。</translation>
        </message>
        <message>
            <source>Copies between GPUs with the copy engine.</source>
            <translation>GPU 之间用拷贝引擎复制。</translation>
        </message>
        <message>
            <source>When send and receive go through another GPU of the node to its card: 0 never, 1 if needed, 2 always.</source>
            <translation>send 和 receive 何时经节点内的另一块 GPU 到达其网卡：0 从不，1 需要时，2 总是。</translation>
        </message>
        <message>
            <source>1: never sends through another GPU of the node to its card.</source>
            <translation>1：从不经节点内的另一块 GPU 发送到其网卡。</translation>
        </message>
        <message>
            <source>Allows it for a GPU at a C2C-connected CPU.</source>
            <translation>GPU 所在 CPU 通过 C2C 互连时，允许上述方式。</translation>
        </message>
        <message>
            <source>1: no traffic over NVLink through a GPU in between.</source>
            <translation>1：NVLink 流量不经中间 GPU 转发。</translation>
        </message>
        <message>
            <source>Connects such paths at the start.</source>
            <translation>启动时即建立此类路径的连接。</translation>
        </message>
        <message>
            <source>1: no shared memory between processes; without direct access the network is used even inside a node.</source>
            <translation>1：进程之间不使用共享内存；无法直接访问时，节点内部也走网络。</translation>
        </message>
        <message>
            <source>Which side's shared memory is used: 1 sender, 2 receiver.</source>
            <translation>使用哪一端的共享内存：1 发送端，2 接收端。</translation>
        </message>
        <message>
            <source>Which side copies with the copy engine.</source>
            <translation>由哪一端用拷贝引擎复制。</translation>
        </message>
        <message>
            <source>Shared memory with the copy engine.</source>
            <translation>共享内存配合拷贝引擎使用。</translation>
        </message>
        <message>
            <source>1: ignores the job's CPU affinity and takes the CPUs near the GPU.</source>
            <translation>1：忽略作业的 CPU 亲和性，使用靠近 GPU 的 CPU。</translation>
        </message>
        <message>
            <source>No warning when direct access between connected GPUs is off; 2: not even a check.</source>
            <translation>相连的 GPU 之间直接访问被关闭时不发出警告；2：连检查也不做。</translation>
        </message>
        <message>
            <source>XML file with the topology, for virtual machines.</source>
            <translation>描述拓扑的 XML 文件，用于虚拟机。</translation>
        </message>
        <message>
            <source>File that gets the topology that NCCL found.</source>
            <translation>写入 NCCL 所发现拓扑的文件。</translation>
        </message>
        <message>
            <source>The rank that writes it.</source>
            <translation>写入该文件的 rank。</translation>
        </message>
        <message>
            <source>Treats partitions of a GPU apart.</source>
            <translation>将一块 GPU 的各个分区分开处理。</translation>
        </message>
        <message>
            <source>XML file with rings and trees; NCCL does not search.</source>
            <translation>描述环和树的 XML 文件；NCCL 不再搜索。</translation>
        </message>
        <message>
            <source>File that gets the rings and trees that NCCL chose.</source>
            <translation>写入 NCCL 所选环和树的文件。</translation>
        </message>
        <message>
            <source>Rings and trees from a file.</source>
            <translation>从文件读取环和树。</translation>
        </message>
        <message>
            <source>Rings as lists of ranks.</source>
            <translation>以 rank 列表给出的环。</translation>
        </message>
        <message>
            <source>What makes processes belong to the same machine. Set it in containers that share a name or split a node.</source>
            <translation>判定进程属于同一台机器的依据。容器共用主机名或拆分节点时需要设置。</translation>
        </message>
        <message>
            <source>name of the host</source>
            <translation>主机名</translation>
        </message>
        <message>
            <source>NVLink over several nodes.</source>
            <translation>跨节点 NVLink。</translation>
        </message>
        <message>
            <source>NVLink over several nodes: 0 off, 1 or fail, 2 if available.</source>
            <translation>跨节点 NVLink：0 关闭；1 必须启用，否则失败；2 可用时启用。</translation>
        </message>
        <message>
            <source>Domain of NVLink over several nodes.</source>
            <translation>跨节点 NVLink 的域。</translation>
        </message>
        <message>
            <source>of the fabric manager</source>
            <translation>来自 fabric manager</translation>
        </message>
        <message>
            <source>Part of that domain; splits it.</source>
            <translation>该域的一部分；用于拆分该域。</translation>
        </message>
        <message>
            <source>NVLink between parts of the domain.</source>
            <translation>域的各部分之间使用 NVLink。</translation>
        </message>
        <message>
            <source>Counts rails per host in such domains.</source>
            <translation>在此类域中按主机统计轨道 (rail) 数。</translation>
        </message>
        <message>
            <source>Spreads network cards over the ranks of such domains.</source>
            <translation>在此类域中将网卡分散给各 rank。</translation>
        </message>
        <message>
            <source>Lets several ranks share a GPU. Experimental.</source>
            <translation>允许多个 rank 共用一块 GPU。实验性功能。</translation>
        </message>
        <message>
            <source>Algorithms that may be used; ^ excludes. Must be the same on all ranks. From 2.24 on also for each function: allreduce:ring;broadcast:tree.</source>
            <translation>允许使用的算法；^ 为排除。所有 rank 必须一致。从 2.24 起也可按函数设置：allreduce:ring;broadcast:tree。</translation>
        </message>
        <message>
            <source>Protocols that may be used; ^ excludes. LL128 where it is not supported corrupts data.</source>
            <translation>允许使用的协议；^ 为排除。在不支持 LL128 的环境中使用它会损坏数据。</translation>
        </message>
        <message>
            <source>all that are safe</source>
            <translation>所有安全的</translation>
        </message>
        <message>
            <source>GPU threads per channel.</source>
            <translation>每个通道的 GPU 线程数。</translation>
        </message>
        <message>
            <source>512 or 256</source>
            <translation>512 或 256</translation>
        </message>
        <message>
            <source>GPU threads per channel with LL128.</source>
            <translation>使用 LL128 时每个通道的 GPU 线程数。</translation>
        </message>
        <message>
            <source>At most this many channels.</source>
            <translation>通道数上限。</translation>
        </message>
        <message>
            <source>At least this many channels.</source>
            <translation>通道数下限。</translation>
        </message>
        <message>
            <source>At most this many rings.</source>
            <translation>环数上限。</translation>
        </message>
        <message>
            <source>At least this many rings.</source>
            <translation>环数下限。</translation>
        </message>
        <message>
            <source>At most this many blocks of the GPU for communication. Fewer leave more of the GPU to the program.</source>
            <translation>用于通信的 GPU 线程块数上限。数量越少，留给程序的 GPU 资源越多。</translation>
        </message>
        <message>
            <source>At least this many blocks of the GPU for communication.</source>
            <translation>用于通信的 GPU 线程块数下限。</translation>
        </message>
        <message>
            <source>What to favour: DEFAULT, EFFICIENCY, ZERO (no blocks of the GPU where possible).</source>
            <translation>优先目标：DEFAULT、EFFICIENCY、ZERO（尽可能不占用 GPU 线程块）。</translation>
        </message>
        <message>
            <source>Size of clusters of blocks on Hopper and newer.</source>
            <translation>Hopper 及更新的 GPU 上线程块簇 (cluster) 的大小。</translation>
        </message>
        <message>
            <source>At most this many channels for send and receive.</source>
            <translation>send 和 receive 的通道数上限。</translation>
        </message>
        <message>
            <source>At least this many channels for send and receive.</source>
            <translation>send 和 receive 的通道数下限。</translation>
        </message>
        <message>
            <source>Channels per peer over the network for send and receive.</source>
            <translation>send 和 receive 经网络通信时每个对端的通道数。</translation>
        </message>
        <message>
            <source>Peers with which a rank exchanges at the same time.</source>
            <translation>一个 rank 同时交换数据的对端数。</translation>
        </message>
        <message>
            <source>Bandwidth in GB/s per channel that the number of channels is computed with.</source>
            <translation>计算通道数时所用的每通道带宽，单位 GB/s。</translation>
        </message>
        <message>
            <source>Sends and receives that are scheduled together.</source>
            <translation>一起调度的 send 和 receive 数量。</translation>
        </message>
        <message>
            <source>Orders sends and receives in rounds.</source>
            <translation>将 send 和 receive 按轮次排列。</translation>
        </message>
        <message>
            <source>Bytes per thread from which on more threads are used, for each algorithm and protocol.</source>
            <translation>每线程数据量达到该字节数时使用更多线程，按算法和协议分别设置。</translation>
        </message>
        <message>
            <source>Bytes per thread from which on more threads are used.</source>
            <translation>每线程数据量达到该字节数时使用更多线程。</translation>
        </message>
        <message>
            <source>Bytes below which the low-latency protocol is used.</source>
            <translation>低于该字节数时使用低延迟协议。</translation>
        </message>
        <message>
            <source>by ranks</source>
            <translation>按 rank 数</translation>
        </message>
        <message>
            <source>Bytes below which trees are used.</source>
            <translation>低于该字节数时使用树。</translation>
        </message>
        <message>
            <source>Bytes below which one ring is used.</source>
            <translation>低于该字节数时使用单个环。</translation>
        </message>
        <message>
            <source>LL128 over C2C.</source>
            <translation>在 C2C 上使用 LL128。</translation>
        </message>
        <message>
            <source>The PAT algorithm: 0 off, 1 on, 2 if it fits.</source>
            <translation>PAT 算法：0 关闭，1 启用，2 适用时启用。</translation>
        </message>
        <message>
            <source>Uses reductions inside the network (SHARP) through a plugin.</source>
            <translation>通过插件使用网络内归约 (SHARP)。</translation>
        </message>
        <message>
            <source>Nodes from which on CollNet is used.</source>
            <translation>节点数达到该值时使用 CollNet。</translation>
        </message>
        <message>
            <source>NVLink SHARP (reduction in the NVSwitch): 0 off, 1 on, 2 if available.</source>
            <translation>NVLink SHARP（在 NVSwitch 中归约）：0 关闭，1 启用，2 可用时启用。</translation>
        </message>
        <message>
            <source>Channels for NVLink SHARP.</source>
            <translation>NVLink SHARP 的通道数。</translation>
        </message>
        <message>
            <source>Bytes of a piece with NVLink SHARP.</source>
            <translation>NVLink SHARP 的数据块字节数。</translation>
        </message>
        <message>
            <source>Greatest piece with NVLink SHARP trees.</source>
            <translation>NVLink SHARP 树的最大数据块。</translation>
        </message>
        <message>
            <source>Joins broadcasts of all ranks into one operation.</source>
            <translation>将所有 rank 的 broadcast 合并为一个操作。</translation>
        </message>
        <message>
            <source>Tuner plugin: library, suffix, or none. It chooses algorithm and protocol.</source>
            <translation>调优器 (tuner) 插件：库、后缀或 none。由它选择算法和协议。</translation>
        </message>
        <message>
            <source>File of the example tuner plugin.</source>
            <translation>示例调优器 (tuner) 插件的文件。</translation>
        </message>
        <message>
            <source>The kernel for symmetric memory that must be used.</source>
            <translation>必须使用的对称内存 kernel。</translation>
        </message>
        <message>
            <source>Blocks of the GPU for symmetric kernels.</source>
            <translation>对称 kernel 使用的 GPU 线程块数。</translation>
        </message>
        <message>
            <source>0: chosen</source>
            <translation>0：自动选择</translation>
        </message>
        <message>
            <source>Bytes from which on the copy engine is used for symmetric memory.</source>
            <translation>对称内存达到该字节数时使用拷贝引擎。</translation>
        </message>
        <message>
            <source>Symmetric kernels that start network traffic themselves.</source>
            <translation>自行发起网络通信的对称 kernel。</translation>
        </message>
        <message>
            <source>Symmetric kernels for buffers without a window.</source>
            <translation>用于未注册窗口的缓冲区的对称 kernel。</translation>
        </message>
        <message>
            <source>Symmetric kernels with the tensor memory accelerator.</source>
            <translation>使用张量内存加速器 (TMA) 的对称 kernel。</translation>
        </message>
        <message>
            <source>Uses handles of host memory again.</source>
            <translation>复用主机内存的句柄。</translation>
        </message>
        <message>
            <source>Bytes of a piece of ReduceScatter over the network.</source>
            <translation>ReduceScatter 经网络传输的数据块字节数。</translation>
        </message>
        <message>
            <source>-1: chosen</source>
            <translation>-1：自动选择</translation>
        </message>
        <message>
            <source>Schedules send and receive so that NVLink is full.</source>
            <translation>调度 send 和 receive，使 NVLink 得到充分利用。</translation>
        </message>
        <message>
            <source>Bytes of the buffer between two GPUs.</source>
            <translation>两块 GPU 之间缓冲区的字节数。</translation>
        </message>
        <message>
            <source>Bytes of the buffer of the LL protocol.</source>
            <translation>LL 协议缓冲区的字节数。</translation>
        </message>
        <message>
            <source>Bytes of the buffer of the LL128 protocol.</source>
            <translation>LL128 协议缓冲区的字节数。</translation>
        </message>
        <message>
            <source>Bytes of a piece of a collective. Must be the same on all ranks.</source>
            <translation>集合通信的数据块字节数。所有 rank 必须一致。</translation>
        </message>
        <message>
            <source>Bytes of a piece of send and receive over the network.</source>
            <translation>send 和 receive 经网络传输的数据块字节数。</translation>
        </message>
        <message>
            <source>The same over NVLink.</source>
            <translation>同上，经 NVLink 传输。</translation>
        </message>
        <message>
            <source>The same over PCI.</source>
            <translation>同上，经 PCI 传输。</translation>
        </message>
        <message>
            <source>Bytes up to which send and receive use the LL protocol.</source>
            <translation>send 和 receive 使用 LL 协议的字节数上限。</translation>
        </message>
        <message>
            <source>LL buffers for send and receive over the network; need memory.</source>
            <translation>send 和 receive 经网络通信时使用 LL 缓冲区；会占用内存。</translation>
        </message>
        <message>
            <source>The same, by a misspelt name of these versions.</source>
            <translation>同上，使用这些版本中拼写有误的变量名。</translation>
        </message>
        <message>
            <source>Allocates GPU memory with the cuMem functions of CUDA.</source>
            <translation>用 CUDA 的 cuMem 函数分配显存。</translation>
        </message>
        <message>
            <source>by system</source>
            <translation>按系统</translation>
        </message>
        <message>
            <source>Allocates host memory with them; fails in containers without NUMA rights.</source>
            <translation>用这些函数分配主机内存；在没有 NUMA 权限的容器中会失败。</translation>
        </message>
        <message>
            <source>Uses buffers that the program registered.</source>
            <translation>使用程序已注册的缓冲区。</translation>
        </message>
        <message>
            <source>Registers buffers of CUDA graphs.</source>
            <translation>注册 CUDA graph 的缓冲区。</translation>
        </message>
        <message>
            <source>Registers memory of cudaMalloc, too; may hang.</source>
            <translation>cudaMalloc 分配的内存也注册；可能挂起。</translation>
        </message>
        <message>
            <source>Registers buffers of several pieces of memory.</source>
            <translation>注册由多段内存组成的缓冲区。</translation>
        </message>
        <message>
            <source>Registers memory where a process has several GPUs.</source>
            <translation>一个进程有多块 GPU 时也注册内存。</translation>
        </message>
        <message>
            <source>Registers buffers that may grow.</source>
            <translation>注册可能增长的缓冲区。</translation>
        </message>
        <message>
            <source>RDMA with partitions of a GPU.</source>
            <translation>对 GPU 分区使用 RDMA。</translation>
        </message>
        <message>
            <source>Windows of symmetric memory.</source>
            <translation>对称内存的窗口。</translation>
        </message>
        <message>
            <source>Address space of a rank's windows.</source>
            <translation>一个 rank 的窗口所用的地址空间。</translation>
        </message>
        <message>
            <source>Ranks that reach each other by load and store.</source>
            <translation>可通过 load/store 互相访问的 rank。</translation>
        </message>
        <message>
            <source>CUDA's memory synchronisation domain of NCCL's kernels.</source>
            <translation>NCCL 内核函数的 CUDA 内存同步域。</translation>
        </message>
        <message>
            <source>Greatest size of a pool of host memory.</source>
            <translation>主机内存池的最大大小。</translation>
        </message>
        <message>
            <source>Turns off NCCL's own administration of memory.</source>
            <translation>关闭 NCCL 自己的内存管理。</translation>
        </message>
        <message>
            <source>Share of the L1 cache as shared memory in NCCL's kernels.</source>
            <translation>NCCL 内核函数中 L1 缓存用作共享内存的比例。</translation>
        </message>
        <message>
            <source>Number of shared buffers.</source>
            <translation>共享缓冲区的数量。</translation>
        </message>
        <message>
            <source>Entries of the queue of work.</source>
            <translation>工作队列的条目数。</translation>
        </message>
        <message>
            <source>Bytes of the queue of work.</source>
            <translation>工作队列的字节数。</translation>
        </message>
        <message>
            <source>Bytes of work that travel with the launch of a kernel.</source>
            <translation>随内核函数启动一起传递的工作数据的字节数。</translation>
        </message>
        <message>
            <source>How kernels are launched by a process with several GPUs.</source>
            <translation>一个进程有多块 GPU 时启动内核函数的方式。</translation>
        </message>
        <message>
            <source>Orders operations of several communicators as the program calls them; prevents deadlocks.</source>
            <translation>让多个通信器的操作按程序的调用顺序执行；可防止死锁。</translation>
        </message>
        <message>
            <source>Reports threads that launch on the same GPU at the same time.</source>
            <translation>报告同时在同一块 GPU 上启动操作的线程。</translation>
        </message>
        <message>
            <source>Allows calls in and outside of CUDA graphs at the same time.</source>
            <translation>允许 CUDA graph 内外的调用同时进行。</translation>
        </message>
        <message>
            <source>Orders kernels of CUDA graphs.</source>
            <translation>为 CUDA graph 的内核函数排定顺序。</translation>
        </message>
        <message>
            <source>No helper thread for CUDA graphs.</source>
            <translation>CUDA graph 不使用辅助线程。</translation>
        </message>
        <message>
            <source>The stream that orders a group.</source>
            <translation>决定一个组的执行顺序的流。</translation>
        </message>
        <message>
            <source>0: calls return at once and the program asks for the result.</source>
            <translation>0：调用立即返回，由程序查询结果。</translation>
        </message>
        <message>
            <source>as the program says</source>
            <translation>由程序决定</translation>
        </message>
        <message>
            <source>A split communicator shares buffers with its parent.</source>
            <translation>拆分 (split) 出的通信器与父通信器共享缓冲区。</translation>
        </message>
        <message>
            <source>A shrunk communicator shares buffers with its parent.</source>
            <translation>收缩 (shrink) 得到的通信器与父通信器共享缓冲区。</translation>
        </message>
        <message>
            <source>Connects ranks at the first use; 0: at the start.</source>
            <translation>首次使用时才连接各 rank；0：启动时连接。</translation>
        </message>
        <message>
            <source>Sets the GPU's stack size at the start; a remedy for hangs when memory is reconfigured.</source>
            <translation>启动时设置 GPU 的栈大小；可避免内存重新配置时的挂起。</translation>
        </message>
        <message>
            <source>Sets the stack size of NCCL's threads.</source>
            <translation>设置 NCCL 线程的栈大小。</translation>
        </message>
        <message>
            <source>Bytes per channel when operations are joined.</source>
            <translation>合并操作时每个通道的字节数。</translation>
        </message>
        <message>
            <source>How channels are shared out when operations are joined.</source>
            <translation>合并操作时通道的分配方式。</translation>
        </message>
        <message>
            <source>Checks the pointers of each call; slow.</source>
            <translation>检查每次调用的指针；慢。</translation>
        </message>
        <message>
            <source>Checks the arguments of each call, alone or across ranks.</source>
            <translation>检查每次调用的参数，只查本 rank 或跨 rank 检查。</translation>
        </message>
        <message>
            <source>Skips the checks of arguments.</source>
            <translation>跳过参数检查。</translation>
        </message>
        <message>
            <source>Checks that program and library fit.</source>
            <translation>检查程序与库是否匹配。</translation>
        </message>
        <message>
            <source>An own CUDA context for NCCL's threads.</source>
            <translation>NCCL 线程使用单独的 CUDA 上下文。</translation>
        </message>
        <message>
            <source>Operations that the CPU thread takes at a time.</source>
            <translation>CPU 线程一次取走的操作数。</translation>
        </message>
        <message>
            <source>How often the CPU thread looks for new operations.</source>
            <translation>CPU 线程查找新操作的频率。</translation>
        </message>
        <message>
            <source>CPUs of NCCL's threads.</source>
            <translation>NCCL 线程使用的 CPU。</translation>
        </message>
        <message>
            <source>File with times of the CPU thread.</source>
            <translation>记录 CPU 线程耗时的文件。</translation>
        </message>
        <message>
            <source>Contexts for one-sided operations.</source>
            <translation>单边操作的上下文数。</translation>
        </message>
        <message>
            <source>Turns off one-sided operations.</source>
            <translation>关闭单边操作。</translation>
        </message>
        <message>
            <source>Plugin for one-sided operations.</source>
            <translation>单边操作的插件。</translation>
        </message>
        <message>
            <source>Unloads that plugin with the last communicator.</source>
            <translation>随最后一个通信器一起卸载该插件。</translation>
        </message>
        <message>
            <source>Entries of the queue of one-sided operations; a power of two.</source>
            <translation>单边操作队列的条目数；须为 2 的幂。</translation>
        </message>
        <message>
            <source>-1: greatest</source>
            <translation>-1：最大</translation>
        </message>
        <message>
            <source>Folder of the CUDA library.</source>
            <translation>CUDA 库所在的文件夹。</translation>
        </message>
        <message>
            <source>The user's file with variables of NCCL.</source>
            <translation>用户自己的 NCCL 变量文件。</translation>
        </message>
        <message>
            <source>Plugin that supplies variables: library, suffix, or none.</source>
            <translation>提供变量的插件：库、后缀或 none。</translation>
        </message>
        <message>
            <source>Abstract sockets between processes of a node; 0 for containers with several network namespaces.</source>
            <translation>同一节点上的进程之间使用抽象套接字；容器有多个网络命名空间时设为 0。</translation>
        </message>
        <message>
            <source>Communication that GPUs start themselves (GIN).</source>
            <translation>由 GPU 自行发起的通信 (GIN)。</translation>
        </message>
        <message>
            <source>How GIN works: by the CPU or by the GPU.</source>
            <translation>GIN 的工作方式：由 CPU 或由 GPU 执行。</translation>
        </message>
        <message>
            <source>Plugin for GIN.</source>
            <translation>GIN 的插件。</translation>
        </message>
        <message>
            <source>Connections of GIN.</source>
            <translation>GIN 的连接数。</translation>
        </message>
        <message>
            <source>Contexts of GIN.</source>
            <translation>GIN 的上下文数。</translation>
        </message>
        <message>
            <source>Contexts of GIN that are not shared.</source>
            <translation>GIN 的非共享上下文数。</translation>
        </message>
        <message>
            <source>Signals of GIN.</source>
            <translation>GIN 的信号数。</translation>
        </message>
        <message>
            <source>Counters of GIN.</source>
            <translation>GIN 的计数器数。</translation>
        </message>
        <message>
            <source>Seconds between looks for errors of GIN.</source>
            <translation>检查 GIN 错误的间隔，单位为秒。</translation>
        </message>
        <message>
            <source>Entries of the queue of GIN.</source>
            <translation>GIN 队列的条目数。</translation>
        </message>
        <message>
            <source>Who rings the card's doorbell with GIN.</source>
            <translation>使用 GIN 时由谁触发网卡的 doorbell。</translation>
        </message>
        <message>
            <source>Depth of GIN's queue pairs.</source>
            <translation>GIN 的 QP 深度。</translation>
        </message>
        <message>
            <source>Outstanding reads and atomics at the target with GIN.</source>
            <translation>使用 GIN 时目标端未完成的读操作和原子操作数。</translation>
        </message>
        <message>
            <source>Outstanding reads and atomics of a queue pair with GIN.</source>
            <translation>使用 GIN 时一个 QP 未完成的读操作和原子操作数。</translation>
        </message>
        <message>
            <source>Traffic class of GIN.</source>
            <translation>GIN 的流量类别。</translation>
        </message>
        <message>
            <source>-1: as NCCL_IB_TC</source>
            <translation>-1：同 NCCL_IB_TC</translation>
        </message>
        <message>
            <source>A reliable doorbell with GIN.</source>
            <translation>GIN 使用可靠的 doorbell。</translation>
        </message>
        <message>
            <source>Device functions are compiled at run time.</source>
            <translation>设备函数在运行时编译。</translation>
        </message>
        <message>
            <source>What NCCL prints: VERSION, WARN, INFO, TRACE. WARN costs nothing and names errors; INFO shows the start.</source>
            <translation>NCCL 打印的内容：VERSION、WARN、INFO、TRACE。WARN 没有开销，会指出错误；INFO 显示启动过程。</translation>
        </message>
        <message>
            <source>Parts of NCCL that print with INFO; ^ excludes.</source>
            <translation>INFO 级别下打印哪些 NCCL 模块；^ 表示排除。</translation>
        </message>
        <message>
            <source>File for NCCL's lines; %h is the host, %p the process.</source>
            <translation>NCCL 日志行写入的文件；%h 为主机，%p 为进程。</translation>
        </message>
        <message>
            <source>standard output</source>
            <translation>标准输出</translation>
        </message>
        <message>
            <source>Form of the time in lines, as strftime has it; %3f is ms.</source>
            <translation>日志行中时间的格式，写法同 strftime；%3f 为 ms。</translation>
        </message>
        <message>
            <source>[%F %T]</source>
            <translation>[%F %T]</translation>
        </message>
        <message>
            <source>Lines with a time.</source>
            <translation>日志行带时间。</translation>
        </message>
        <message>
            <source>After a warning everything else is printed, too.</source>
            <translation>出现一条警告后，其余内容也全部打印。</translation>
        </message>
        <message>
            <source>Names NCCL's threads, for debuggers.</source>
            <translation>为 NCCL 的线程命名，供调试器使用。</translation>
        </message>
        <message>
            <source>1: no marks for NVIDIA's profilers.</source>
            <translation>1：不为 NVIDIA 的性能分析器写标记。</translation>
        </message>
        <message>
            <source>Profiler plugin: library, suffix, or none. Rankscope sets its own one.</source>
            <translation>性能分析器插件：库、后缀或 none。Rankscope 会设置自己的插件。</translation>
        </message>
        <message>
            <source>Events of the example profiler plugin.</source>
            <translation>示例性能分析器插件的事件。</translation>
        </message>
        <message>
            <source>of the plugin</source>
            <translation>由插件决定</translation>
        </message>
        <message>
            <source>Output of the example profiler plugin.</source>
            <translation>示例性能分析器插件的输出。</translation>
        </message>
        <message>
            <source>Signal on which the CPU thread prints its state.</source>
            <translation>收到此信号时，CPU 线程打印自身状态。</translation>
        </message>
        <message>
            <source>-1: none</source>
            <translation>-1：无</translation>
        </message>
        <message>
            <source>Signal on which the thread of one-sided operations prints its state.</source>
            <translation>收到此信号时，单边操作线程打印自身状态。</translation>
        </message>
        <message>
            <source>Prints all variables that NCCL knows.</source>
            <translation>打印 NCCL 认识的所有变量。</translation>
        </message>
        <message>
            <source>Variables that are read again at each use.</source>
            <translation>每次使用时都重新读取的变量。</translation>
        </message>
        <message>
            <source>NCCL's own monitor, which ncclras and Rankscope ask.</source>
            <translation>NCCL 自带的监视器，ncclras 和 Rankscope 向它查询。</translation>
        </message>
        <message>
            <source>Address of the monitor. Jobs that share a node need different ports.</source>
            <translation>监视器的地址。共用一个节点的作业需要不同的端口。</translation>
        </message>
        <message>
            <source>Makes all time-outs of the monitor longer.</source>
            <translation>延长监视器的所有超时。</translation>
        </message>
        <message>
            <source>NCCL Inspector, a profiler plugin of NVIDIA.</source>
            <translation>NCCL Inspector，NVIDIA 的一个性能分析器插件。</translation>
        </message>
        <message>
            <source>Folder of NCCL Inspector's output.</source>
            <translation>NCCL Inspector 的输出文件夹。</translation>
        </message>
        <message>
            <source>Interval of NCCL Inspector's output.</source>
            <translation>NCCL Inspector 的输出间隔。</translation>
        </message>
        <message>
            <source>More output of NCCL Inspector.</source>
            <translation>NCCL Inspector 输出更多内容。</translation>
        </message>
        <message>
            <source>A variable of the UCX network plugin (HPC-X).</source>
            <translation>UCX 网络插件 (HPC-X) 的变量。</translation>
        </message>
        <message>
            <source>A variable of the SHARP network plugin (HPC-X).</source>
            <translation>SHARP 网络插件 (HPC-X) 的变量。</translation>
        </message>
        <message>
            <source>Transport of the HPC-X network plugin: ib or ucx.</source>
            <translation>HPC-X 网络插件的传输：ib 或 ucx。</translation>
        </message>
        <message>
            <source>A variable of the HPC-X network plugin.</source>
            <translation>HPC-X 网络插件的变量。</translation>
        </message>
        <message>
            <source>A variable of Google's GPUDirect-TCPX plugin.</source>
            <translation>Google 的 GPUDirect-TCPX 插件的变量。</translation>
        </message>
        <message>
            <source>A variable of Google's GPUDirect-TCPXO plugin.</source>
            <translation>Google 的 GPUDirect-TCPXO 插件的变量。</translation>
        </message>
        <message>
            <source>A variable of Google's gIB plugin.</source>
            <translation>Google 的 gIB 插件的变量。</translation>
        </message>
        <message>
            <source>Configuration of a cloud's tuner plugin.</source>
            <translation>云厂商调优插件的配置。</translation>
        </message>
        <message>
            <source>A variable of the AWS libfabric plugin.</source>
            <translation>AWS libfabric 插件的变量。</translation>
        </message>
        <message>
            <source>Folder of NCCL for builds; NCCL itself does not read it.</source>
            <translation>构建时使用的 NCCL 文件夹；NCCL 本身不读取。</translation>
        </message>
        <message>
            <source>Version of NCCL in NVIDIA's container images; NCCL itself does not read it.</source>
            <translation>NVIDIA 容器镜像中的 NCCL 版本；NCCL 本身不读取。</translation>
        </message>
        <message>
            <source>NCCL's library for programs that load it themselves.</source>
            <translation>NCCL 的库，供自行加载它的程序使用。</translation>
        </message>
        <message>
            <source>What PyTorch does after an error of NCCL: 0 nothing, 1 abort and end the process, 2 abort only, 3 end without clean-up.</source>
            <translation>NCCL 出错后 PyTorch 的处理：0 不处理，1 中止并结束进程，2 只中止，3 不做清理直接结束。</translation>
        </message>
        <message>
            <source>wait() blocks until the collective ends or its time is over.</source>
            <translation>wait() 会阻塞，直到集合通信结束或超时。</translation>
        </message>
        <message>
            <source>After a time-out reports which ranks are out of step.</source>
            <translation>超时后报告哪些 rank 不同步。</translation>
        </message>
        <message>
            <source>Measures each collective with CUDA events.</source>
            <translation>用 CUDA 事件测量每次集合通信。</translation>
        </message>
        <message>
            <source>A second watchdog that ends the process when the first one hangs.</source>
            <translation>第二个看门狗，第一个挂起时结束进程。</translation>
        </message>
        <message>
            <source>Seconds after which that watchdog ends the process.</source>
            <translation>该看门狗在多少秒后结束进程。</translation>
        </message>
        <message>
            <source>480; 600 before 2.5</source>
            <translation>480；2.5 之前为 600</translation>
        </message>
        <message>
            <source>Writes the Flight Recorder's data after a time-out.</source>
            <translation>超时后写出 Flight Recorder 的数据。</translation>
        </message>
        <message>
            <source>1 with a buffer</source>
            <translation>有缓冲区时为 1</translation>
        </message>
        <message>
            <source>Collectives that the Flight Recorder remembers.</source>
            <translation>Flight Recorder 记住的集合通信数。</translation>
        </message>
        <message>
            <source>2000; 0 before 2.6</source>
            <translation>2000；2.6 之前为 0</translation>
        </message>
        <message>
            <source>Flight Recorder with C++ stacks.</source>
            <translation>Flight Recorder 带 C++ 栈。</translation>
        </message>
        <message>
            <source>Beginning of the Flight Recorder's file names.</source>
            <translation>Flight Recorder 文件名的开头。</translation>
        </message>
        <message>
            <source>Beginning of the names of pipes on which a dump can be asked for.</source>
            <translation>用于请求转储的管道名的开头。</translation>
        </message>
        <message>
            <source>Time for a dump before the process ends, in ms.</source>
            <translation>进程结束前留给转储的时间，单位为 ms。</translation>
        </message>
        <message>
            <source>Interval of looks for an error of another rank, in ms.</source>
            <translation>检查其他 rank 是否出错的间隔，单位为 ms。</translation>
        </message>
        <message>
            <source>A dump also on exceptions.</source>
            <translation>发生异常时也转储。</translation>
        </message>
        <message>
            <source>Prints C++ stacks when the process ends uncleanly.</source>
            <translation>进程异常结束时打印 C++ 栈。</translation>
        </message>
        <message>
            <source>Tells the other ranks of an error of this one.</source>
            <translation>将本 rank 的错误告知其他 rank。</translation>
        </message>
        <message>
            <source>Passes CUDA errors on from the watchdog.</source>
            <translation>看门狗把 CUDA 错误继续向上抛出。</translation>
        </message>
        <message>
            <source>Looks for NaN in the input of collectives.</source>
            <translation>检查集合通信的输入中是否有 NaN。</translation>
        </message>
        <message>
            <source>Uses CUDA events again.</source>
            <translation>复用 CUDA 事件。</translation>
        </message>
        <message>
            <source>Keeps tensors alive without recordStream; needs less memory.</source>
            <translation>不用 recordStream 也保持张量存活；占用内存更少。</translation>
        </message>
        <message>
            <source>0; 1 from 2.8</source>
            <translation>0；从 2.8 起为 1</translation>
        </message>
        <message>
            <source>Runs collectives on streams of high priority.</source>
            <translation>在高优先级的流上运行集合通信。</translation>
        </message>
        <message>
            <source>Communicators whose calls return at once.</source>
            <translation>调用立即返回的通信器。</translation>
        </message>
        <message>
            <source>Time-out of such communicators in s.</source>
            <translation>此类通信器的超时，单位为 s。</translation>
        </message>
        <message>
            <source>Registers tensors with NCCL.</source>
            <translation>向 NCCL 注册张量。</translation>
        </message>
        <message>
            <source>Passes the id of a communicator through the store.</source>
            <translation>通过 store 传递通信器的 id。</translation>
        </message>
        <message>
            <source>Ranks per root when a large communicator is made.</source>
            <translation>创建大型通信器时每个 root 对应的 rank 数。</translation>
        </message>
        <message>
            <source>Warns when send and receive are serialised.</source>
            <translation>发送与接收被串行执行时发出警告。</translation>
        </message>
        <message>
            <source>Python frames in a Flight Recorder dump.</source>
            <translation>Flight Recorder 转储中包含 Python 栈帧。</translation>
        </message>
        <message>
            <source>Only open collectives in a Flight Recorder dump.</source>
            <translation>Flight Recorder 转储中只包含未完成的集合通信。</translation>
        </message>
        <message>
            <source>Checks of torch.distributed: DETAIL compares collectives of all ranks and names a mismatch; slow.</source>
            <translation>torch.distributed 的检查：DETAIL 会比较所有 rank 的集合通信并指出不一致；慢。</translation>
        </message>
        <message>
            <source>What the C++ part of PyTorch prints.</source>
            <translation>PyTorch 的 C++ 部分打印的内容。</translation>
        </message>
        <message>
            <source>C++ stacks in errors.</source>
            <translation>错误信息带 C++ 栈。</translation>
        </message>
        <message>
            <source>A barrier at the end of init_process_group.</source>
            <translation>在 init_process_group 结束时执行一次 barrier。</translation>
        </message>
        <message>
            <source>Gloo connects ranks at the first use.</source>
            <translation>Gloo 在首次使用时才连接各 rank。</translation>
        </message>
        <message>
            <source>Socket of torchrun's worker server.</source>
            <translation>torchrun 的 worker 服务器的套接字。</translation>
        </message>
        <message>
            <source>Uses the old interface of cuDNN.</source>
            <translation>使用 cuDNN 的旧接口。</translation>
        </message>
        <message>
            <source>Plans of cuDNN that are kept.</source>
            <translation>保留的 cuDNN plan 数。</translation>
        </message>
        <message>
            <source>Allows TF32 in matrix products.</source>
            <translation>允许在矩阵乘法中使用 TF32。</translation>
        </message>
        <message>
            <source>GPU architectures for which extensions are built.</source>
            <translation>为哪些 GPU 架构构建扩展。</translation>
        </message>
        <message>
            <source>of the GPUs</source>
            <translation>来自 GPU</translation>
        </message>
        <message>
            <source>Folder of built extensions.</source>
            <translation>已构建扩展的文件夹。</translation>
        </message>
        <message>
            <source>Folder of downloaded models.</source>
            <translation>已下载模型的文件夹。</translation>
        </message>
        <message>
            <source>Parts of PyTorch that print more.</source>
            <translation>打印更多内容的 PyTorch 模块。</translation>
        </message>
        <message>
            <source>File for these lines.</source>
            <translation>这些日志行写入的文件。</translation>
        </message>
        <message>
            <source>standard error</source>
            <translation>标准错误输出</translation>
        </message>
        <message>
            <source>Folder of traces of the compiler.</source>
            <translation>编译器跟踪文件所在的文件夹。</translation>
        </message>
        <message>
            <source>Turns torch.compile off.</source>
            <translation>关闭 torch.compile。</translation>
        </message>
        <message>
            <source>Writes what torch.compile does.</source>
            <translation>记录 torch.compile 的执行过程。</translation>
        </message>
        <message>
            <source>Assertions in GPU code; needs a build with them.</source>
            <translation>GPU 代码中的断言；需要带断言的构建。</translation>
        </message>
        <message>
            <source>Loads PyTorch's library with global symbols.</source>
            <translation>以全局符号方式加载 PyTorch 的库。</translation>
        </message>
        <message>
            <source>torch.load() reads weights only.</source>
            <translation>torch.load() 只读取权重。</translation>
        </message>
        <message>
            <source>torch.load() reads everything.</source>
            <translation>torch.load() 读取全部内容。</translation>
        </message>
        <message>
            <source>How tensors are shared between processes.</source>
            <translation>张量在进程间共享的方式。</translation>
        </message>
        <message>
            <source>Options of the memory allocator of CUDA tensors.</source>
            <translation>CUDA 张量内存分配器的选项。</translation>
        </message>
        <message>
            <source>Prefers cuBLASLt for matrix products.</source>
            <translation>矩阵乘法优先使用 cuBLASLt。</translation>
        </message>
        <message>
            <source>Prefers cuSOLVER for linear algebra.</source>
            <translation>线性代数优先使用 cuSOLVER。</translation>
        </message>
        <message>
            <source>Asynchronous tensor parallelism with symmetric memory.</source>
            <translation>使用对称内存的异步张量并行。</translation>
        </message>
        <message>
            <source>Seconds between SIGTERM and SIGKILL of torchrun.</source>
            <translation>torchrun 从 SIGTERM 到 SIGKILL 的秒数。</translation>
        </message>
        <message>
            <source>A variable of PyTorch's NCCL backend.</source>
            <translation>PyTorch 的 NCCL 后端的变量。</translation>
        </message>
        <message>
            <source>Interfaces of Gloo, by comma. Names are exact. Without it Gloo takes the interface of the address that the host's own name has; 127.0.1.1 in /etc/hosts breaks that.</source>
            <translation>Gloo 的网络接口，用逗号分隔。名称须完全一致。不设置时，Gloo 使用主机自身名称对应地址所在的网络接口；/etc/hosts 中的 127.0.1.1 会使其失效。</translation>
        </message>
        <message>
            <source>by the host's name</source>
            <translation>按主机名</translation>
        </message>
        <message>
            <source>Transport of Gloo.</source>
            <translation>Gloo 的传输。</translation>
        </message>
        <message>
            <source>TCP; UV on macOS</source>
            <translation>TCP；macOS 上为 UV</translation>
        </message>
        <message>
            <source>Private key of the TLS transport.</source>
            <translation>TLS 传输的私钥。</translation>
        </message>
        <message>
            <source>Certificate of the TLS transport.</source>
            <translation>TLS 传输的证书。</translation>
        </message>
        <message>
            <source>Certificates of the authorities of the TLS transport.</source>
            <translation>TLS 传输的 CA 证书。</translation>
        </message>
        <message>
            <source>Folder of these certificates.</source>
            <translation>这些证书所在的文件夹。</translation>
        </message>
        <message>
            <source>The name of TORCH_NCCL_ASYNC_ERROR_HANDLING before PyTorch 2.2; newer ones read it and warn.</source>
            <translation>TORCH_NCCL_ASYNC_ERROR_HANDLING 在 PyTorch 2.2 之前的名称；较新版本仍读取它并发出警告。</translation>
        </message>
        <message>
            <source>The name of TORCH_NCCL_BLOCKING_WAIT before PyTorch 2.2; newer ones read it and warn.</source>
            <translation>TORCH_NCCL_BLOCKING_WAIT 在 PyTorch 2.2 之前的名称；较新版本仍读取它并发出警告。</translation>
        </message>
        <message>
            <source>The name of TORCH_NCCL_DESYNC_DEBUG before PyTorch 2.2; newer ones read it and warn.</source>
            <translation>TORCH_NCCL_DESYNC_DEBUG 在 PyTorch 2.2 之前的名称；较新版本仍读取它并发出警告。</translation>
        </message>
        <message>
            <source>The name of TORCH_NCCL_ENABLE_TIMING before PyTorch 2.2; newer ones read it and warn.</source>
            <translation>TORCH_NCCL_ENABLE_TIMING 在 PyTorch 2.2 之前的名称；较新版本仍读取它并发出警告。</translation>
        </message>
        <message>
            <source>The name of TORCH_NCCL_USE_TENSOR_REGISTER_ALLOCATOR_HOOK before PyTorch 2.2.</source>
            <translation>TORCH_NCCL_USE_TENSOR_REGISTER_ALLOCATOR_HOOK 在 PyTorch 2.2 之前的名称。</translation>
        </message>
    </context>
    <context>
        <name>NodeImport</name>
        <message>
            <source>is no line of text</source>
            <translation>不是一行文本</translation>
        </message>
        <message>
            <source>Is this the right file?</source>
            <translation>这是正确的文件吗？</translation>
        </message>
        <message>
            <source>"%1" is in the inventory already</source>
            <translation>“%1”已在节点清单中</translation>
        </message>
        <message>
            <source>"%1" came in %2 already</source>
            <translation>“%1”已在 %2 中出现过</translation>
        </message>
        <message>
            <source>Include goes too deep</source>
            <translation>Include 嵌套过深</translation>
        </message>
        <message>
            <source>Does a file include itself?</source>
            <translation>是否有文件包含了自身？</translation>
        </message>
        <message>
            <source>%1 cannot be read</source>
            <translation>无法读取 %1</translation>
        </message>
        <message>
            <source>Check its permissions.</source>
            <translation>检查其权限。</translation>
        </message>
        <message>
            <source>"%1" has no user before the @</source>
            <translation>“%1”的 @ 之前没有用户</translation>
        </message>
        <message>
            <source>Write user@host, or host.</source>
            <translation>写成 user@host 或 host。</translation>
        </message>
        <message>
            <source>"%1" does not end in a port</source>
            <translation>“%1”不以端口结尾</translation>
        </message>
        <message>
            <source>Write host:22; SSH's own port is 22.</source>
            <translation>写成 host:22；SSH 自身的端口是 22。</translation>
        </message>
        <message>
            <source>"%1" is no port</source>
            <translation>“%1”不是端口</translation>
        </message>
        <message>
            <source>SSH's own port is 22.</source>
            <translation>SSH 自身的端口是 22。</translation>
        </message>
        <message>
            <source>"%1" is more than a name and an address</source>
            <translation>“%1”不只是一个名称和一个地址</translation>
        </message>
        <message>
            <source>Leave the address out, or write a line for each.</source>
            <translation>去掉地址，或为每台机器各写一行。</translation>
        </message>
        <message>
            <source>"%1" is no range of names</source>
            <translation>“%1”不是名称范围</translation>
        </message>
        <message>
            <source>For example node[01-16].</source>
            <translation>例如 node[01-16]。</translation>
        </message>
        <message>
            <source>For example worker-1 slots=4, with N from 1 to 1024.</source>
            <translation>例如 worker-1 slots=4，N 为 1 到 1024。</translation>
        </message>
        <message>
            <source>"%1" is not a number of ranks</source>
            <translation>“%1”不是 rank 的数量</translation>
        </message>
        <message>
            <source>%1: ranks where there is no GPU; GPUs are found by probing</source>
            <translation>%1：没有 GPU 时的 rank 数；GPU 由探测得出</translation>
        </message>
        <message>
            <source>"%1" is neither a name nor NAME=VALUE</source>
            <translation>“%1”既不是名称也不是 NAME=VALUE</translation>
        </message>
        <message>
            <source>%1 is left out</source>
            <translation>%1 已略去</translation>
        </message>
        <message>
            <source>the same node as %1</source>
            <translation>与 %1 是同一个节点</translation>
        </message>
        <message>
            <source>a pattern, not a node; add each by its name: rankscopectl nodes add NAME</source>
            <translation>这是模式，不是节点；请按名称逐个添加：rankscopectl nodes add NAME</translation>
        </message>
        <message>
            <source>this computer itself, or no node</source>
            <translation>是本机自身，或者不是节点</translation>
        </message>
        <message>
            <source>One node a line: name, address, name and address, or user@host:port.</source>
            <translation>每行一个节点：名称、地址、名称和地址，或 user@host:port。</translation>
        </message>
        <message>
            <source>"%1" names several nodes with one address</source>
            <translation>“%1”用一个地址指定了多个节点</translation>
        </message>
        <message>
            <source>One node a line, for example: worker-1 slots=4.</source>
            <translation>每行一个节点，例如：worker-1 slots=4。</translation>
        </message>
    </context>
    <context>
        <name>NodeTask</name>
        <message>
            <source>the supervisor is stopped (state T): nothing is watched there</source>
            <translation>监管进程已被暂停（状态 T）：那里没有任何监视</translation>
        </message>
        <message>
            <source>the supervisor continues</source>
            <translation>监管进程继续运行</translation>
        </message>
    </context>
    <context>
        <name>NodeUse</name>
        <message>
            <source>rank %1, %2</source>
            <translation>rank %1, %2</translation>
        </message>
        <message>
            <source>free</source>
            <translation>空闲</translation>
        </message>
        <message>
            <source>used by another program</source>
            <translation>被其他程序占用</translation>
        </message>
        <message>
            <source>not offered by the inventory</source>
            <translation>节点清单未提供</translation>
        </message>
        <message>
            <source>%1 °C</source>
            <translation>%1 °C</translation>
        </message>
        <message>
            <source>CPU %1</source>
            <translation>CPU %1</translation>
        </message>
        <message>
            <source>CPU: %1</source>
            <translation>CPU：%1</translation>
        </message>
        <message>
            <source>Load (1 min): %1</source>
            <translation>负载 (1 min)：%1</translation>
        </message>
        <message>
            <source>Memory: %1 of %2</source>
            <translation>内存：%1 / %2</translation>
        </message>
        <message>
            <source>As of %1 ago</source>
            <translation>%1 前的数据</translation>
        </message>
        <message>
            <source>%1 of %2 GiB</source>
            <translation>%1 / %2 GiB</translation>
        </message>
        <message>
            <source>%1 W</source>
            <translation>%1 W</translation>
        </message>
        <message>
            <source>slowed down by its power supply</source>
            <translation>因供电而降速</translation>
        </message>
        <message>
            <source>slowed down by heat</source>
            <translation>因过热而降速</translation>
        </message>
        <message>
            <source>%1 uncorrected memory errors</source>
            <translation>%1 个未纠正的显存错误</translation>
        </message>
        <message>
            <source>not known</source>
            <translation>未知</translation>
        </message>
        <message>
            <source>GPU %1: %2</source>
            <translation>GPU %1：%2</translation>
        </message>
        <message>
            <source>Slot %1: %2</source>
            <translation>槽位 %1：%2</translation>
        </message>
        <message>
            <source>and %1 more</source>
            <translation>另有 %1 个</translation>
        </message>
        <message>
            <source>Not known now: the last probe failed.</source>
            <translation>目前未知：上次探测失败。</translation>
        </message>
        <message>
            <source>Not known now: probed in an earlier session.</source>
            <translation>目前未知：在之前的会话中探测过。</translation>
        </message>
        <message>
            <source>Not known: the node was not probed.</source>
            <translation>未知：该节点未探测过。</translation>
        </message>
        <message>
            <source>slowed down by its board</source>
            <translation>因板卡而降速</translation>
        </message>
    </context>
    <context>
        <name>Notices</name>
        <message>
            <source>{1}; {2} belongs to another host</source>
            <translation>{1}；{2} 属于另一台主机</translation>
        </message>
        <message>
            <source>If the ranks run in containers, give each its own folder: {{rank}} in the name.</source>
            <translation>如果 rank 在容器中运行，请给每个 rank 单独的文件夹：在名称中写 {{rank}}。</translation>
        </message>
        <message>
            <source>{1}, from byte {3}</source>
            <translation>{1}，从第 {3} 字节起</translation>
        </message>
        <message>
            <source>{1}: more than {2} files, or {3} event files of this run</source>
            <translation>{1}：超过 {2} 个文件，或此运行的 {3} 个事件文件</translation>
        </message>
        <message>
            <source>{1}: Xid {2}: {3}</source>
            <translation>{1}：Xid {2}：{3}</translation>
        </message>
        <message>
            <source>pid {1}</source>
            <translation>pid {1}</translation>
        </message>
        <message>
            <source>{1} is lost</source>
            <translation>{1} 已失联</translation>
        </message>
        <message>
            <source>{node} stopped waiting for the other nodes</source>
            <translation>{node} 不再等待其他节点</translation>
        </message>
        <message>
            <source>No steps are read from what rank %1 prints.</source>
            <translation>未能从 rank %1 的输出中读取训练步。</translation>
        </message>
    </context>
    <context>
        <name>OpenSsh</name>
        <message>
            <source>The SSH configuration has a fault: %1.</source>
            <translation>SSH 配置有错误：%1。</translation>
        </message>
        <message>
            <source>Fix it; `ssh -G %1` must print no error.</source>
            <translation>请修复；`ssh -G %1` 应不输出任何错误。</translation>
        </message>
        <message>
            <source>The jump host does not forward connections to %1.</source>
            <translation>跳板机不转发到 %1 的连接。</translation>
        </message>
        <message>
            <source>Its sshd_config needs AllowTcpForwarding yes (and PermitOpen, where it is set).</source>
            <translation>其 sshd_config 需要 AllowTcpForwarding yes（如设置了 PermitOpen，也需允许）。</translation>
        </message>
        <message>
            <source>Cannot create a folder for SSH's sockets on this computer.</source>
            <translation>无法在本机上为 SSH 的套接字创建文件夹。</translation>
        </message>
        <message>
            <source>Check XDG_RUNTIME_DIR and /tmp.</source>
            <translation>检查 XDG_RUNTIME_DIR 和 /tmp。</translation>
        </message>
        <message>
            <source>Cannot create a socket pair.</source>
            <translation>无法创建套接字对。</translation>
        </message>
        <message>
            <source>%1, by OpenSSH (%2)</source>
            <translation>%1，通过 OpenSSH (%2)</translation>
        </message>
    </context>
    <context>
        <name>Options</name>
        <message>
            <source>Open Launch with an MNIST run on this computer, ready to start.</source>
            <translation>打开“启动”，其中已备好在本机上的 MNIST 运行，可直接启动。</translation>
        </message>
        <message>
            <source>Open Launch with this job file.</source>
            <translation>用此作业文件打开“启动”。</translation>
        </message>
        <message>
            <source>Folder of the run store.</source>
            <translation>运行存储的文件夹。</translation>
        </message>
        <message>
            <source>Launch, watch and diagnose distributed training.</source>
            <translation>启动、监视和诊断分布式训练。</translation>
        </message>
        <message>
            <source>Failure bundles (*%1) to open.</source>
            <translation>要打开的故障包 (*%1)。</translation>
        </message>
        <message>
            <source>Unexpected argument: %1</source>
            <translation>意外的参数：%1</translation>
        </message>
        <message>
            <source>en, zh_CN or system.</source>
            <translation>en、zh_CN 或 system。</translation>
        </message>
        <message>
            <source>--language %1: use en, zh_CN or system.</source>
            <translation>--language %1：请用 en、zh_CN 或 system。</translation>
        </message>
        <message>
            <source>light, dark, high-contrast or system.</source>
            <translation>light、dark、high-contrast 或 system。</translation>
        </message>
        <message>
            <source>--theme %1: use light, dark, high-contrast or system.</source>
            <translation>--theme %1：请使用 light、dark、high-contrast 或 system。</translation>
        </message>
        <message>
            <source>Inventory of nodes to use (cluster.yaml).</source>
            <translation>要使用的节点清单 (cluster.yaml)。</translation>
        </message>
    </context>
    <context>
        <name>PanelSections</name>
        <message>
            <source>General</source>
            <translation>常规</translation>
        </message>
        <message>
            <source>Validation</source>
            <translation>验证</translation>
        </message>
        <message>
            <source>Times</source>
            <translation>时间</translation>
        </message>
    </context>
    <context>
        <name>PlotExport</name>
        <message>
            <source>%1 cannot be written: %2</source>
            <translation>无法写入 %1：%2</translation>
        </message>
        <message>
            <source>The panel is not shown any more.</source>
            <translation>此面板已不再显示。</translation>
        </message>
        <message>
            <source>The picture cannot be made: too little memory.</source>
            <translation>无法生成图片：内存不足。</translation>
        </message>
        <message>
            <source>“%1” is still being computed (%2). Export it when that is complete.</source>
            <translation>“%1”仍在计算（%2）。请在计算完成后导出。</translation>
        </message>
    </context>
    <context>
        <name>Preflight</name>
        <message>
            <source>GPU %1 (%2)</source>
            <translation>GPU %1 (%2)</translation>
        </message>
        <message>
            <source>%1 (pid %2, %3): %4</source>
            <translation>%1 (pid %2, %3): %4</translation>
        </message>
        <message>
            <source>a process</source>
            <translation>一个进程</translation>
        </message>
        <message>
            <source>user not known</source>
            <translation>用户未知</translation>
        </message>
        <message>
            <source>%1 of %2 is in the compute mode "Prohibited".</source>
            <translation>%2 的 %1 处于计算模式“Prohibited”。</translation>
        </message>
        <message>
            <source>%1 of %2 is in exclusive mode, and another process uses it.</source>
            <translation>%2 的 %1 处于独占模式，且另一个进程正在使用它。</translation>
        </message>
        <message>
            <source>%1 of %2 is in use: %3 of %4 MiB are taken.</source>
            <translation>%2 的 %1 正被使用：已占用 %3 / %4 MiB。</translation>
        </message>
        <message>
            <source>%1 of %2 reports %3 memory errors that were not corrected.</source>
            <translation>%2 的 %1 报告了 %3 个未纠正的显存错误。</translation>
        </message>
        <message>
            <source>%1 of %2 has retired %3 pages of its memory after errors.</source>
            <translation>%2 的 %1 因错误停用了 %3 个显存页。</translation>
        </message>
        <message>
            <source>%1 of %2 uses %3 of %4 PCIe lanes.</source>
            <translation>%2 的 %1 使用了 %4 条 PCIe 通道中的 %3 条。</translation>
        </message>
        <message>
            <source>The NVLink fabric of %1 of %2 is not ready: "%3".</source>
            <translation>%2 的 %1 的 NVLink fabric 未就绪：“%3”。</translation>
        </message>
        <message>
            <source>The kernel of %1 reports Xid %2 for %3: %4</source>
            <translation>%1 的内核为 %3 报告了 Xid %2：%4</translation>
        </message>
        <message>
            <source>The driver %1 of %2 is too old for CUDA %3, which needs at least %4.</source>
            <translation>%2 的驱动 %1 对 CUDA %3 来说太旧，后者至少需要 %4。</translation>
        </message>
        <message>
            <source>%1 runs the driver %2 with the library of %3: restart the node after an update.</source>
            <translation>%1 上运行的是驱动 %2，而库是 %3：更新后请重启该节点。</translation>
        </message>
        <message>
            <source>persistence %1, MIG %2</source>
            <translation>persistence %1, MIG %2</translation>
        </message>
        <message>
            <source>The GPUs of the nodes are set differently: %1 has %2.</source>
            <translation>各节点的 GPU 设置不同：%1 为 %2。</translation>
        </message>
        <message>
            <source>The GPUs are free.</source>
            <translation>GPU 空闲。</translation>
        </message>
        <message>
            <source>Install it from %1.</source>
            <translation>从 %1 安装。</translation>
        </message>
        <message>
            <source>On %1: %2 (packages: %3).</source>
            <translation>在 %1 上：%2（软件包：%3）。</translation>
        </message>
        <message>
            <source>Ranks on %1 need a GPU, and no NVIDIA driver is loaded there.</source>
            <translation>%1 上的 rank 需要 GPU，但那里未加载 NVIDIA 驱动。</translation>
        </message>
        <message>
            <source>The driver %1 of %2 is too old for the CUDA engine, which needs at least %3.</source>
            <translation>%2 的驱动 %1 对 CUDA 引擎来说太旧，后者至少需要 %3。</translation>
        </message>
        <message>
            <source>%1 has no %2, which the CUDA engine needs.</source>
            <translation>%1 没有 CUDA 引擎所需的 %2。</translation>
        </message>
        <message>
            <source>%1 has %2 %3; the CUDA engine needs at least %4.</source>
            <translation>%1 有 %2 %3；CUDA 引擎至少需要 %4。</translation>
        </message>
        <message>
            <source>GPU %1 (%2) of %3 has compute capability %4; %5 needs %6.</source>
            <translation>%3 的 GPU %1 (%2) 的计算能力为 %4；%5 需要 %6。</translation>
        </message>
        <message>
            <source>unlimited</source>
            <translation>无限制</translation>
        </message>
        <message>
            <source>The rendezvous port of %1 is free.</source>
            <translation>%1 的会合端口空闲。</translation>
        </message>
        <message>
            <source>Port %1 of %2 needs root.</source>
            <translation>%2 的端口 %1 需要 root。</translation>
        </message>
        <message>
            <source>a process of another user</source>
            <translation>另一个用户的进程</translation>
        </message>
        <message>
            <source>a process of %1</source>
            <translation>%1 的进程</translation>
        </message>
        <message>
            <source>Port %1 of %2 is held by %3, a process that the run %4 left behind.</source>
            <translation>%2 的端口 %1 被 %3 占用，这是运行 %4 残留的进程。</translation>
        </message>
        <message>
            <source>Port %1 of %2 is held by the run %3, which is in progress.</source>
            <translation>%2 的端口 %1 被正在进行的运行 %3 占用。</translation>
        </message>
        <message>
            <source>Port %1 of %2 is held by %3.</source>
            <translation>%2 的端口 %1 被 %3 占用。</translation>
        </message>
        <message>
            <source>Port %1 of %2 cannot be used: %3.</source>
            <translation>%2 的端口 %1 无法使用：%3。</translation>
        </message>
        <message>
            <source>/dev/shm of %1 has %2, and %3 ranks with data loaders need %4.</source>
            <translation>%1 的 /dev/shm 有 %2，而 %3 个带数据加载器的 rank 需要 %4。</translation>
        </message>
        <message>
            <source>/dev/shm of %1 is full: %2 of %3 are free.</source>
            <translation>%1 的 /dev/shm 已满：%3 中剩余 %2。</translation>
        </message>
        <message>
            <source>%1 of %2 does not answer: its file server (%3) is probably gone.</source>
            <translation>%2 的 %1 没有应答：其文件服务器 (%3) 可能已不可用。</translation>
        </message>
        <message>
            <source>The quota of %2 on the disk of %1 is used up.</source>
            <translation>%2 在 %1 的磁盘上的配额已用尽。</translation>
        </message>
        <message>
            <source>The disk of %1 of %2 has no room left.</source>
            <translation>%2 上 %1 所在的磁盘没有剩余空间。</translation>
        </message>
        <message>
            <source>The disk of %1 of %2 has only %3 left.</source>
            <translation>%2 上 %1 所在的磁盘只剩 %3。</translation>
        </message>
        <message>
            <source>The disk of %1 of %2 has only %3 inodes left.</source>
            <translation>%2 上 %1 所在的磁盘只剩 %3 个 inode。</translation>
        </message>
        <message>
            <source>%1 of %2 is on a file system that is mounted read-only.</source>
            <translation>%2 的 %1 位于以只读方式挂载的文件系统上。</translation>
        </message>
        <message>
            <source>%1 of %2 is not writable.</source>
            <translation>%2 的 %1 不可写。</translation>
        </message>
        <message>
            <source>%1 of %2 is on a file system that is mounted noexec.</source>
            <translation>%2 的 %1 位于以 noexec 挂载的文件系统上。</translation>
        </message>
        <message>
            <source>%1 does not exist on %2.</source>
            <translation>%1 在 %2 上不存在。</translation>
        </message>
        <message>
            <source>%1 has no program "%2".</source>
            <translation>%1 没有程序“%2”。</translation>
        </message>
        <message>
            <source>"%2" of %1 cannot be executed: its interpreter or loader is missing.</source>
            <translation>无法执行 %1 的“%2”：缺少其解释器或加载器。</translation>
        </message>
        <message>
            <source>"%2" of %1 cannot be executed.</source>
            <translation>无法执行 %1 的“%2”。</translation>
        </message>
        <message>
            <source>Every node has the program "%1".</source>
            <translation>每个节点都有程序“%1”。</translation>
        </message>
        <message>
            <source>%1 of %2 differs from the file of the other nodes.</source>
            <translation>%2 的 %1 与其他节点的文件不同。</translation>
        </message>
        <message>
            <source>A process on %1 may open %2 files; a run of %3 ranks needs %4.</source>
            <translation>%1 上的一个进程可打开 %2 个文件；有 %3 个 rank 的运行需要 %4 个。</translation>
        </message>
        <message>
            <source>A process on %1 may lock %2 bytes of memory; InfiniBand and RoCE need unlimited.</source>
            <translation>%1 上的一个进程可锁定的内存为 %2 字节；InfiniBand 和 RoCE 需要无限制。</translation>
        </message>
        <message>
            <source>%1 allows %2 more processes and threads (%3, limit %4); %5 ranks need %6.</source>
            <translation>%1 还允许 %2 个进程和线程（%3，限制 %4）；%5 个 rank 需要 %6 个。</translation>
        </message>
        <message>
            <source>The clock of %1 is off by %2 s.</source>
            <translation>%1 的时钟偏差 %2 s。</translation>
        </message>
        <message>
            <source>The clocks agree.</source>
            <translation>各时钟一致。</translation>
        </message>
        <message>
            <source>%1 has no %2; other nodes have it.</source>
            <translation>%1 没有 %2；其他节点有。</translation>
        </message>
        <message>
            <source>%1 has %2 %3; other nodes have another version.</source>
            <translation>%1 有 %2 %3；其他节点是另一版本。</translation>
        </message>
        <message>
            <source>%1 still has a process of the run %2, which is over: %3 (pid %4).</source>
            <translation>%1 上仍有已结束的运行 %2 的进程：%3 (pid %4)。</translation>
        </message>
        <message>
            <source>The disks have room.</source>
            <translation>磁盘空间充足。</translation>
        </message>
        <message>
            <source>/dev/shm is large enough.</source>
            <translation>/dev/shm 足够大。</translation>
        </message>
        <message>
            <source>The limits of open files are high enough.</source>
            <translation>打开文件数的限制足够高。</translation>
        </message>
        <message>
            <source>The limits of processes are high enough.</source>
            <translation>进程数的限制足够高。</translation>
        </message>
        <message>
            <source>The same check concerns %1.</source>
            <translation>同一检查也涉及 %1。</translation>
        </message>
        <message>
            <source>%1 has no interface "%2".</source>
            <translation>%1 没有网络接口“%2”。</translation>
        </message>
        <message>
            <source>The interface %2 of %1 has no link.</source>
            <translation>%1 的网络接口 %2 没有链路。</translation>
        </message>
        <message>
            <source>The job names %2. On %1 and other nodes it is a bridge with the same address (%3): no node reaches another one there.</source>
            <translation>作业指定了 %2。它在 %1 和其他节点上是地址相同 (%3) 的网桥：任何节点都无法经由它到达其他节点。</translation>
        </message>
        <message>
            <source>The interface %2 of %1 has no address that other nodes can reach.</source>
            <translation>%1 的网络接口 %2 没有其他节点可达的地址。</translation>
        </message>
        <message>
            <source>The ranks of this run use %1 alone.</source>
            <translation>此运行的 rank 只使用 %1。</translation>
        </message>
        <message>
            <source>NCCL_SOCKET_IFNAME of the job takes the bridge %2 of %1, which has the same address (%3) as on other nodes: no node reaches another one there.</source>
            <translation>作业的 NCCL_SOCKET_IFNAME 选中了 %1 的网桥 %2，其地址 (%3) 与其他节点上的相同：任何节点都无法经由它到达其他节点。</translation>
        </message>
        <message>
            <source>%1 has the bridge %2 with the same address (%3) as other nodes: NCCL takes it unless NCCL_SOCKET_IFNAME says otherwise.</source>
            <translation>%1 有与其他节点地址相同 (%3) 的网桥 %2：除非 NCCL_SOCKET_IFNAME 另有指定，NCCL 会选用它。</translation>
        </message>
        <message>
            <source>The other nodes do not reach %1 at %2 (%3): %4.</source>
            <translation>其他节点无法通过 %2 (%3) 到达 %1：%4。</translation>
        </message>
        <message>
            <source>NCCL_SOCKET_IFNAME=%1 (%2) names no usable interface of %3.</source>
            <translation>NCCL_SOCKET_IFNAME=%1 (%2) 未指定 %3 的任何可用网络接口。</translation>
        </message>
        <message>
            <source>%1 and another node have the same hardware address %2.</source>
            <translation>%1 与另一个节点的硬件地址相同：%2。</translation>
        </message>
        <message>
            <source>The MTU differs between the nodes: %1 has %2 bytes.</source>
            <translation>各节点的 MTU 不同：%1 为 %2 字节。</translation>
        </message>
        <message>
            <source>NCCL_SOCKET_IFNAME=%2 names no usable interface of %1.</source>
            <translation>NCCL_SOCKET_IFNAME=%2 未指定 %1 的任何可用网络接口。</translation>
        </message>
        <message>
            <source>Every node has one interface that leads to the others.</source>
            <translation>每个节点都有一个通往其他节点的网络接口。</translation>
        </message>
        <message>
            <source>Every name leads to the right node.</source>
            <translation>每个名称都指向正确的节点。</translation>
        </message>
        <message>
            <source>%1 cannot resolve its own name "%2": programs that look it up advertise 127.0.0.1.</source>
            <translation>%1 无法解析自己的名称“%2”：查询该名称的程序会通告 127.0.0.1。</translation>
        </message>
        <message>
            <source>%1 resolves its own name "%2" to %3. Gloo without an interface, and torchrun's c10d rendezvous, advertise that address to the other nodes.</source>
            <translation>%1 将自己的名称“%2”解析为 %3。未指定网络接口的 Gloo，以及 torchrun 的 c10d 会合，会向其他节点通告该地址。</translation>
        </message>
        <message>
            <source>%1 resolves its own name "%2" to %3, an address of a bridge that several nodes have.</source>
            <translation>%1 把自己的名称“%2”解析为 %3，这是多个节点都有的网桥地址。</translation>
        </message>
        <message>
            <source>%1 resolves its own name "%2" to the link-local address %3.</source>
            <translation>%1 把自己的名称“%2”解析为链路本地地址 %3。</translation>
        </message>
        <message>
            <source>%1 cannot resolve "%2", the name of %3.</source>
            <translation>%1 无法解析“%2”，即 %3 的名称。</translation>
        </message>
        <message>
            <source>%1 resolves "%2" (%3) to IPv6 alone: %4.</source>
            <translation>%1 把“%2”（%3）只解析为 IPv6：%4。</translation>
        </message>
        <message>
            <source>%1 resolves "%2", the name of %3, to %4: itself.</source>
            <translation>%1 把“%2”（%3 的名称）解析为 %4：它自己。</translation>
        </message>
        <message>
            <source>%1 resolves "%2" to %3, which is no address of %4.</source>
            <translation>%1 把“%2”解析为 %3，这不是 %4 的地址。</translation>
        </message>
        <message>
            <source>the job</source>
            <translation>作业</translation>
        </message>
        <message>
            <source>It is set on %1 (%2).</source>
            <translation>它在 %1 上设置（%2）。</translation>
        </message>
        <message>
            <source>Correct the name where it is set.</source>
            <translation>在设置它的地方更正名称。</translation>
        </message>
        <message>
            <source>%1 is not set on %2; other nodes have it.</source>
            <translation>%1 在 %2 上没有设置；其他节点有设置。</translation>
        </message>
        <message>
            <source>%1 is "%2" on %3 (%4); other nodes have another value.</source>
            <translation>%1 在 %3 上为“%2”（%4）；其他节点的值不同。</translation>
        </message>
        <message>
            <source>The port %1 of %2 is active and has no GID.</source>
            <translation>%2 的端口 %1 处于活动状态，但没有 GID。</translation>
        </message>
        <message>
            <source>The port %1 of %2 is %3 (%4); other nodes have more active ports.</source>
            <translation>%2 的端口 %1 为 %3（%4）；其他节点有更多活动端口。</translation>
        </message>
        <message>
            <source>%1 has no InfiniBand or RoCE port; other nodes have %2 active ones.</source>
            <translation>%1 没有 InfiniBand 或 RoCE 端口；其他节点有 %2 个活动端口。</translation>
        </message>
        <message>
            <source>The nodes do not reach each other at %1. The run uses %2 (%3) instead.</source>
            <translation>各节点在 %1 上无法互通。运行改用 %2（%3）。</translation>
        </message>
        <message>
            <source>the nodes</source>
            <translation>各节点</translation>
        </message>
        <message>
            <source> and %1 more</source>
            <translation> 和另外 %1 个</translation>
        </message>
        <message>
            <source>%1 cannot reach %2 at %3 on any port: %4.</source>
            <translation>%1 在任何端口上都无法到达 %2 的 %3：%4。</translation>
        </message>
        <message>
            <source>%1 has no route to %2 (%3).</source>
            <translation>%1 没有到 %2（%3）的路由。</translation>
        </message>
        <message>
            <source>%1 cannot use the IPv6 address %3 of %2.</source>
            <translation>%1 无法使用 %2 的 IPv6 地址 %3。</translation>
        </message>
        <message>
            <source>%1 has no free local port left.</source>
            <translation>%1 没有可用的本地端口了。</translation>
        </message>
        <message>
            <source>Small packets from %1 reach %2, large ones do not: a device on the path has a smaller MTU and drops them.</source>
            <translation>从 %1 发出的小包能到达 %2，大包不能：路径上有设备的 MTU 较小，丢弃了大包。</translation>
        </message>
        <message>
            <source>The delay between %1 and %2 is long: %3 ms there and back.</source>
            <translation>%1 与 %2 之间的延迟较长：往返 %3 ms。</translation>
        </message>
        <message>
            <source>The path from %1 to %2 loses packets: about %3 %.</source>
            <translation>从 %1 到 %2 的路径丢包：约 %3 %。</translation>
        </message>
        <message>
            <source>The path from %1 to %2 is slow: %3 Mbit/s.</source>
            <translation>从 %1 到 %2 的路径较慢：%3 Mbit/s。</translation>
        </message>
        <message>
            <source>%1 is behind address translation: %2 sees it as %3.</source>
            <translation>%1 位于地址转换之后：%2 看到的地址是 %3。</translation>
        </message>
        <message>
            <source>At %3, %1 reaches another host or program than %2.</source>
            <translation>在 %3 上，%1 到达的是另一台主机或另一个程序，而不是 %2。</translation>
        </message>
        <message>
            <source>%1 cannot connect to %2 on the ports that the ranks listen on (for example %3): %4.</source>
            <translation>%1 无法连接 %2 上各 rank 监听的端口（例如 %3）：%4。</translation>
        </message>
        <message>
            <source>%1 cannot connect to %2 on the rendezvous port %3: %4.</source>
            <translation>%1 无法连接 %2 的会合端口 %3：%4。</translation>
        </message>
        <message>
            <source>The opposite direction works.</source>
            <translation>反方向正常。</translation>
        </message>
        <message>
            <source>and %1 more</source>
            <translation>和另外 %1 个</translation>
        </message>
        <message>
            <source> from %1</source>
            <translation> 来自 %1</translation>
        </message>
        <message>
            <source>connected</source>
            <translation>已连接</translation>
        </message>
        <message>
            <source>no answer, the packets are dropped</source>
            <translation>无应答，包被丢弃</translation>
        </message>
        <message>
            <source>rejected (TCP reset)</source>
            <translation>被拒绝（TCP reset）</translation>
        </message>
        <message>
            <source>rejected (ICMP port unreachable%1)</source>
            <translation>被拒绝（ICMP 端口不可达%1）</translation>
        </message>
        <message>
            <source>rejected (ICMP administratively prohibited%1)</source>
            <translation>被拒绝（ICMP 被管理员禁止%1）</translation>
        </message>
        <message>
            <source>rejected (ICMP host unreachable%1)</source>
            <translation>被拒绝（ICMP 主机不可达%1）</translation>
        </message>
        <message>
            <source>no route</source>
            <translation>没有路由</translation>
        </message>
        <message>
            <source>no host has this address on the link</source>
            <translation>该链路上没有主机使用此地址</translation>
        </message>
        <message>
            <source>a rule of the connecting node forbids it</source>
            <translation>发起连接的节点有规则禁止此连接</translation>
        </message>
        <message>
            <source>no local address or port</source>
            <translation>没有本地地址或端口</translation>
        </message>
        <message>
            <source>another host or program answers</source>
            <translation>应答的是另一台主机或另一个程序</translation>
        </message>
        <message>
            <source>large segments do not arrive</source>
            <translation>大的报文段无法到达</translation>
        </message>
        <message>
            <source>accepted, then closed</source>
            <translation>已接受，随后关闭</translation>
        </message>
        <message>
            <source>not tried</source>
            <translation>未尝试</translation>
        </message>
        <message>
            <source>No path between the nodes could be tested.</source>
            <translation>节点之间没有可测试的路径。</translation>
        </message>
        <message>
            <source>All nodes reach %1 on the rendezvous port %2.</source>
            <translation>所有节点都能到达 %1 的会合端口 %2。</translation>
        </message>
        <message>
            <source>The nodes reach each other on the ports that the ranks listen on.</source>
            <translation>各节点在各 rank 监听的端口上可以互通。</translation>
        </message>
        <message>
            <source>Large packets arrive in all directions.</source>
            <translation>大包在所有方向上都能到达。</translation>
        </message>
        <message>
            <source>%1, %2: %3</source>
            <translation>%1, %2: %3</translation>
        </message>
        <message>
            <source>%1: the firewall's rules could not be read without root or sudo.</source>
            <translation>%1：没有 root 或 sudo，无法读取防火墙规则。</translation>
        </message>
        <message>
            <source>%1: its own firewall accepts the connection; another one on the path blocks it.</source>
            <translation>%1：其自身的防火墙接受该连接；路径上的另一个防火墙阻止了它。</translation>
        </message>
        <message>
            <source>connecting</source>
            <translation>正在连接</translation>
        </message>
        <message>
            <source>inspecting %1 nodes</source>
            <translation>正在检查 %1 个节点</translation>
        </message>
        <message>
            <source>every node reaches it</source>
            <translation>每个节点都能到达</translation>
        </message>
        <message>
            <source>the only node</source>
            <translation>唯一的节点</translation>
        </message>
        <message>
            <source>the job names it</source>
            <translation>由作业指定</translation>
        </message>
        <message>
            <source>planned; not every node reaches it</source>
            <translation>按计划选用；并非每个节点都能到达</translation>
        </message>
        <message>
            <source>the planned one is not reached by every node</source>
            <translation>计划选用的那个并非每个节点都能到达</translation>
        </message>
        <message>
            <source>The launcher of this job chooses the nodes: they are not known before it starts.</source>
            <translation>此作业的启动器自行选择节点：启动之前无法得知是哪些节点。</translation>
        </message>
        <message>
            <source>Write a job that names the nodes, and test that.</source>
            <translation>编写一个指明节点的作业，再测试它。</translation>
        </message>
        <message>
            <source>Stopped by the user.</source>
            <translation>已由用户停止。</translation>
        </message>
        <message>
            <source>testing %1 paths</source>
            <translation>正在测试 %1 条路径</translation>
        </message>
        <message>
            <source>Of %1 nodes not every pair was tried: each node with its neighbours at distances 1, 2, 4, … and with the master.</source>
            <translation>%1 个节点中，并非每一对都尝试过：每个节点只与距离为 1, 2, 4, … 的相邻节点以及主节点配对。</translation>
        </message>
        <message>
            <source>Loss and bandwidth: only a full preflight of at most %1 nodes measures them.</source>
            <translation>丢包和带宽：只有不超过 %1 个节点的完整预检才测量。</translation>
        </message>
        <message>
            <source>the state of the clock's synchronization</source>
            <translation>时钟同步状态</translation>
        </message>
        <message>
            <source>the range of ephemeral ports</source>
            <translation>临时端口范围</translation>
        </message>
        <message>
            <source>the firewall</source>
            <translation>防火墙</translation>
        </message>
        <message>
            <source>the rules of the firewall</source>
            <translation>防火墙规则</translation>
        </message>
        <message>
            <source>the state of the firewall</source>
            <translation>防火墙状态</translation>
        </message>
        <message>
            <source>the zones of the firewall</source>
            <translation>防火墙区域</translation>
        </message>
        <message>
            <source>the errors of the GPUs in the kernel log</source>
            <translation>内核日志中的 GPU 错误</translation>
        </message>
        <message>
            <source>the GPUs</source>
            <translation>GPU</translation>
        </message>
        <message>
            <source>the processes on the GPUs</source>
            <translation>GPU 上的进程</translation>
        </message>
        <message>
            <source>the value %1 of the GPUs</source>
            <translation>GPU 的 %1 值</translation>
        </message>
        <message>
            <source>the network interfaces</source>
            <translation>网络接口</translation>
        </message>
        <message>
            <source>processes of earlier runs</source>
            <translation>以前运行留下的进程</translation>
        </message>
        <message>
            <source>the limit %1</source>
            <translation>限制 %1</translation>
        </message>
        <message>
            <source>the names of the nodes</source>
            <translation>节点名称</translation>
        </message>
        <message>
            <source>the address of %1</source>
            <translation>%1 的地址</translation>
        </message>
        <message>
            <source>NCCL's settings</source>
            <translation>NCCL 设置</translation>
        </message>
        <message>
            <source>the paths of the job</source>
            <translation>作业的路径</translation>
        </message>
        <message>
            <source>the path %1</source>
            <translation>路径 %1</translation>
        </message>
        <message>
            <source>the ports in use</source>
            <translation>已占用的端口</translation>
        </message>
        <message>
            <source>the programs of the job</source>
            <translation>作业的程序</translation>
        </message>
        <message>
            <source>the routes to the other nodes</source>
            <translation>到其他节点的路由</translation>
        </message>
        <message>
            <source>the versions of the programs and libraries</source>
            <translation>程序和库的版本</translation>
        </message>
        <message>
            <source>the version of PyTorch's CUDA</source>
            <translation>PyTorch 的 CUDA 版本</translation>
        </message>
        <message>
            <source>the version of PyTorch's cuDNN</source>
            <translation>PyTorch 的 cuDNN 版本</translation>
        </message>
        <message>
            <source>the version of the system's cuDNN</source>
            <translation>系统的 cuDNN 版本</translation>
        </message>
        <message>
            <source>the version of the GPU driver</source>
            <translation>GPU 驱动版本</translation>
        </message>
        <message>
            <source>the version of PyTorch's HIP</source>
            <translation>PyTorch 的 HIP 版本</translation>
        </message>
        <message>
            <source>the version of the C library</source>
            <translation>C 库版本</translation>
        </message>
        <message>
            <source>the version of PyTorch's NCCL</source>
            <translation>PyTorch 的 NCCL 版本</translation>
        </message>
        <message>
            <source>the version of the system's NCCL</source>
            <translation>系统的 NCCL 版本</translation>
        </message>
        <message>
            <source>the version of Python</source>
            <translation>Python 版本</translation>
        </message>
        <message>
            <source>the version of PyTorch</source>
            <translation>PyTorch 版本</translation>
        </message>
        <message>
            <source>%1: cannot read %2: %3</source>
            <translation>%1：无法读取%2：%3</translation>
        </message>
        <message>
            <source>the version of the system's cuBLASLt</source>
            <translation>系统的 cuBLASLt 版本</translation>
        </message>
        <message>
            <source>%1 removes what finished runs left there.</source>
            <translation>%1 会清除已结束的运行在那里留下的内容。</translation>
        </message>
        <message>
            <source>%1 reports the host name "%2", which has characters or a meaning that no host name of a node has: there is no fix for it.</source>
            <translation>%1 报告的主机名“%2”含有节点主机名不会有的字符或含义：没有修复方法。</translation>
        </message>
        <message>
            <source>More than one node has the name "%1": there is no fix for it.</source>
            <translation>不止一个节点使用名称“%1”：没有修复方法。</translation>
        </message>
        <message>
            <source>"%1" is only what %2 calls itself, the inventory does not have it: there is no fix for it.</source>
            <translation>“%1”只是 %2 对自己的称呼，清单中没有：没有修复方法。</translation>
        </message>
        <message>
            <source>The fix puts "%1 %2" first in /etc/hosts of %3: it is its own name and address, and no other node has the name.</source>
            <translation>修复会把“%1 %2”放在 %3 的 /etc/hosts 首行：这是它自己的名称和地址，没有其他节点使用该名称。</translation>
        </message>
        <message>
            <source>The fix puts "%1 %2" first in /etc/hosts of %3: the inventory has the name for %4, and no other node has it.</source>
            <translation>修复会把“%1 %2”放在 %3 的 /etc/hosts 首行：清单中该名称属于 %4，没有其他节点使用它。</translation>
        </message>
        <message>
            <source>%1 report the same host name, "%2": NCCL and rendezvous can take them for one node.</source>
            <translation>%1 报告了相同的主机名“%2”：NCCL 和会合可能把它们当作一个节点。</translation>
        </message>
        <message>
            <source>On %1 "%2" leads to %3 (%4).</source>
            <translation>在 %1 上，“%2”指向 %3（%4）。</translation>
        </message>
        <message>
            <source>Give %1 its own name there: `sudo hostnamectl set-hostname NAME`. "%2" is %3.</source>
            <translation>请在 %1 上为它设置自己的名称：`sudo hostnamectl set-hostname NAME`。“%2”是 %3。</translation>
        </message>
        <message>
            <source>Give each of them its own name there: `sudo hostnamectl set-hostname NAME`.</source>
            <translation>请在每个节点上设置各自的名称：`sudo hostnamectl set-hostname NAME`。</translation>
        </message>
        <message>
            <source>%1 resolves its own name "%2" to %3, which is %4: torchrun's c10d rendezvous goes there.</source>
            <translation>%1 把自己的名称“%2”解析为 %3，那是 %4：torchrun 的 c10d 会合会去那里。</translation>
        </message>
        <message>
            <source>%1 reports the host name "%2", which is the name of %3: on %4 it leads to %5.</source>
            <translation>%1 报告的主机名“%2”是 %3 的名称：在 %4 上它指向 %5。</translation>
        </message>
        <message>
            <source>%1 reports the host name "%2", which on %3 leads to %4 (%5).</source>
            <translation>%1 报告的主机名“%2”在 %3 上指向 %4（%5）。</translation>
        </message>
        <message>
            <source>Some of %1 cannot reach each other on any port: %2.</source>
            <translation>%1 中有节点在任何端口上都无法互相连通：%2。</translation>
        </message>
        <message>
            <source>Small packets between %1 arrive, large ones do not: a device on the path has a smaller MTU and drops them.</source>
            <translation>%1 之间小数据包能到达，大数据包不能：路径上有设备的 MTU 较小，丢弃了它们。</translation>
        </message>
        <message>
            <source>The delay between %1 is long: %2 ms there and back.</source>
            <translation>%1 之间的延迟很长：往返 %2 ms。</translation>
        </message>
        <message>
            <source>it belongs to %1</source>
            <translation>它属于 %1</translation>
        </message>
        <message>
            <source>the group %1 can write there</source>
            <translation>组 %1 可以写入</translation>
        </message>
        <message>
            <source>the user %1 can write there</source>
            <translation>用户 %1 可以写入</translation>
        </message>
        <message>
            <source>every user can write there</source>
            <translation>所有用户都可以写入</translation>
        </message>
        <message>
            <source>Others can change what the run executes on %1: %2 has the owner %3 and the mode %4; %5.</source>
            <translation>其他用户能更改该运行在 %1 上所执行的内容：%2 的所有者为 %3，权限为 %4；%5。</translation>
        </message>
        <message>
            <source>Set workdir: to a folder that only you can write.</source>
            <translation>请将 workdir: 设为只有你能写入的文件夹。</translation>
        </message>
        <message>
            <source>Remove their permission there: `chmod go-w %1`. Or set workdir: to a folder that only you can write.</source>
            <translation>请在那里收回他们的权限：`chmod go-w %1`。或将 workdir: 设为只有你能写入的文件夹。</translation>
        </message>
        <message>
            <source>A process on %1 may use %2 of address space (ulimit -v); a rank needs %3.</source>
            <translation>%1 上的进程可用地址空间为 %2（ulimit -v）；一个 rank 需要 %3。</translation>
        </message>
        <message>
            <source>The loopback interface %2 of %1 is down: no rank there reaches its own node.</source>
            <translation>%1 的回环接口 %2 已关闭：该节点上的 rank 无法连接到本节点。</translation>
        </message>
        <message>
            <source>The path from %1 to %2 loses packets: not every attempt got an answer.</source>
            <translation>从 %1 到 %2 的路径丢包：并非每次尝试都得到应答。</translation>
        </message>
        <message>
            <source>For the administrator of %1: allow TCP to port %2 of %3. The rules: `sudo nft list ruleset`, `sudo iptables-save`</source>
            <translation>请 %1 的管理员：允许到 %3 的端口 %2 的 TCP。规则：`sudo nft list ruleset`、`sudo iptables-save`</translation>
        </message>
        <message>
            <source>For the administrator of %1: allow TCP to port %2 from %3. The rules: `sudo nft list ruleset`, `sudo iptables-save`</source>
            <translation>请 %1 的管理员：允许来自 %3 的到端口 %2 的 TCP。规则：`sudo nft list ruleset`、`sudo iptables-save`</translation>
        </message>
        <message>
            <source>Other ports of the same address pass, for example %1: master_port: 0 takes one.</source>
            <translation>同一地址的其他端口可通，例如 %1：master_port: 0 会选用其中一个。</translation>
        </message>
        <message>
            <source>"%2" of %1 is not Python, or its installation is broken: `%2 -V` there.</source>
            <translation>%1 上的“%2”不是 Python，或其安装已损坏：在该节点上运行 `%2 -V`。</translation>
        </message>
        <message>
            <source>"%2" of %1 is Python %3. PyTorch needs Python 3.</source>
            <translation>%1 上的“%2”是 Python %3。PyTorch 需要 Python 3。</translation>
        </message>
        <message>
            <source>Connections, loss and bandwidth: there is no second node.</source>
            <translation>连接、丢包和带宽：没有第二个节点。</translation>
        </message>
    </context>
    <context>
        <name>RankMenu</name>
        <message>
            <source>&amp;Log of rank %1</source>
            <translation>rank %1 的日志(&amp;L)</translation>
        </message>
        <message>
            <source>All ranks of &amp;its node</source>
            <translation>其节点的所有 rank(&amp;I)</translation>
        </message>
        <message>
            <source>&amp;Clear the selection</source>
            <translation>清除选择(&amp;C)</translation>
        </message>
        <message>
            <source>Copy the &amp;row</source>
            <translation>复制该行(&amp;R)</translation>
        </message>
        <message>
            <source>Copy the name of the &amp;node</source>
            <translation>复制节点名(&amp;N)</translation>
        </message>
    </context>
    <context>
        <name>RankOutlier</name>
        <message>
            <source>rank %1: %2</source>
            <translation>rank %1：%2</translation>
        </message>
    </context>
    <context>
        <name>RankTableModel</name>
        <message>
            <source>ok</source>
            <translation>正常</translation>
        </message>
        <message>
            <source>code %1</source>
            <translation>代码 %1</translation>
        </message>
    </context>
    <context>
        <name>Recipes</name>
        <message>
            <source>The recipe cannot be changed: %1.</source>
            <translation>无法更改配方：%1。</translation>
        </message>
        <message>
            <source>Check the folder's permissions and free space.</source>
            <translation>请检查文件夹的权限和可用空间。</translation>
        </message>
        <message>
            <source>There is no recipe "%1".</source>
            <translation>没有名为“%1”的配方。</translation>
        </message>
        <message>
            <source>rankscopectl recipes list names them.</source>
            <translation>rankscopectl recipes list 会列出它们。</translation>
        </message>
        <message>
            <source>The recipe cannot be read: %1.</source>
            <translation>无法读取配方：%1。</translation>
        </message>
        <message>
            <source>"%1" cannot be the name of a recipe.</source>
            <translation>“%1”不能用作配方的名称。</translation>
        </message>
        <message>
            <source>Give up to 64 letters without / that begin with none of a dot, a dash, a blank.</source>
            <translation>请输入最多 64 个字符，不含 /，且不以点、短横线或空格开头。</translation>
        </message>
        <message>
            <source>There is a recipe "%1" already.</source>
            <translation>已有名为“%1”的配方。</translation>
        </message>
        <message>
            <source>Choose another name.</source>
            <translation>请选择其他名称。</translation>
        </message>
    </context>
    <context>
        <name>RecordedStops</name>
        <message>
            <source>%1: delivered the recorded stop of run %2</source>
            <translation>%1：已送达运行 %2 的停止记录</translation>
        </message>
        <message>
            <source>this computer has not reached it yet</source>
            <translation>本机尚未连上它</translation>
        </message>
        <message>
            <source>no sign of life for %1 s (since %2)</source>
            <translation>已有 %1 s 没有动静（自 %2 起）</translation>
        </message>
        <message>
            <source>%1 has not confirmed the end: %2. Its ranks may still be running.</source>
            <translation>%1 没有确认结束：%2。其 rank 可能仍在运行。</translation>
        </message>
        <message>
            <source>A stop is recorded; it is delivered when %1 answers again: at the next start on it, `runs attach`, `runs list` or `clean`.</source>
            <translation>停止已记录；待 %1 恢复应答时送达：下次在其上启动时，或执行 `runs attach`、`runs list` 或 `clean` 时。</translation>
        </message>
        <message>
            <source>its agent answers, but its supervisor does not report the end (perhaps it is stopped)</source>
            <translation>其代理有应答，但其监管进程没有报告结束（可能已被暂停）</translation>
        </message>
        <message>
            <source>its supervisor is stopped (state T) and does not report the end</source>
            <translation>其监管进程已被暂停（状态 T），没有报告结束</translation>
        </message>
        <message>
            <source>its disk is full: its supervisor cannot record the end</source>
            <translation>其磁盘已满：监管进程无法记录结束</translation>
        </message>
    </context>
    <context>
        <name>Redactor</name>
        <message>
            <source>It has the shape of one.</source>
            <translation>它具有此类内容的形式。</translation>
        </message>
        <message>
            <source>a private key</source>
            <translation>私钥</translation>
        </message>
        <message>
            <source>the password of an address</source>
            <translation>地址中的密码</translation>
        </message>
        <message>
            <source>It stands before @ in a URL.</source>
            <translation>它位于 URL 中的 @ 之前。</translation>
        </message>
        <message>
            <source>an authorization</source>
            <translation>授权信息</translation>
        </message>
        <message>
            <source>It follows the name of an HTTP header.</source>
            <translation>它跟在一个 HTTP 头的名称之后。</translation>
        </message>
        <message>
            <source>a token</source>
            <translation>令牌</translation>
        </message>
        <message>
            <source>It begins as the tokens of a known service.</source>
            <translation>它的开头与某个已知服务的令牌相同。</translation>
        </message>
        <message>
            <source>Its name looks secret.</source>
            <translation>它的名称像是机密。</translation>
        </message>
        <message>
            <source>the value of %1</source>
            <translation>%1 的值</translation>
        </message>
        <message>
            <source>The names of users are to be hidden.</source>
            <translation>需要隐藏用户名。</translation>
        </message>
        <message>
            <source>the name of a user</source>
            <translation>用户名</translation>
        </message>
        <message>
            <source>The same value was replaced elsewhere.</source>
            <translation>同样的值已在别处被替换。</translation>
        </message>
        <message>
            <source>Its name looks secret, or the job says that it is.</source>
            <translation>它的名称像是机密，或者作业声明它是机密。</translation>
        </message>
        <message>
            <source>It is part of an address that lets anyone send messages.</source>
            <translation>它是地址的一部分，任何人凭此地址都能发送消息。</translation>
        </message>
        <message>
            <source>the signature of an address</source>
            <translation>地址的签名</translation>
        </message>
        <message>
            <source>It follows ? or &amp; in a URL.</source>
            <translation>它在 URL 中位于 ? 或 &amp; 之后。</translation>
        </message>
        <message>
            <source>a cookie</source>
            <translation>一个 Cookie</translation>
        </message>
    </context>
    <context>
        <name>RunAlerts</name>
        <message>
            <source>%1: %2 of rank %3 is %4.</source>
            <translation>%1：rank %3 的 %2 为 %4。</translation>
        </message>
        <message>
            <source>At step %1.</source>
            <translation>在第 %1 步。</translation>
        </message>
        <message>
            <source>%1: %2 does not get better for %3 steps.</source>
            <translation>%1：%2 已有 %3 步没有改善。</translation>
        </message>
        <message>
            <source>The best is %1, of step %2.</source>
            <translation>最佳值为 %1，在第 %2 步。</translation>
        </message>
        <message>
            <source>%1: %2.</source>
            <translation>%1：%2。</translation>
        </message>
        <message>
            <source>Rank %1 at step %2: %3.</source>
            <translation>rank %1 在第 %2 步：%3。</translation>
        </message>
        <message>
            <source>%1 failed.</source>
            <translation>%1 失败。</translation>
        </message>
        <message>
            <source>%1 was stopped.</source>
            <translation>%1 已停止。</translation>
        </message>
        <message>
            <source>%1 is done.</source>
            <translation>%1 已完成。</translation>
        </message>
    </context>
    <context>
        <name>RunColumn</name>
        <message>
            <source>best</source>
            <translation>最佳</translation>
        </message>
        <message>
            <source>min</source>
            <translation>最小</translation>
        </message>
        <message>
            <source>max</source>
            <translation>最大</translation>
        </message>
        <message>
            <source>mean</source>
            <translation>平均</translation>
        </message>
        <message>
            <source>last</source>
            <translation>最终</translation>
        </message>
        <message>
            <source>Steps</source>
            <translation>步数</translation>
        </message>
        <message>
            <source>Exit code</source>
            <translation>退出码</translation>
        </message>
        <message>
            <source>Run again from</source>
            <translation>重新运行自</translation>
        </message>
        <message>
            <source>Verdict</source>
            <translation>诊断</translation>
        </message>
        <message>
            <source>Images/s</source>
            <translation>图像/s</translation>
        </message>
        <message>
            <source>%1, %2</source>
            <translation>%1，%2</translation>
        </message>
        <message>
            <source>Job: %1</source>
            <translation>作业：%1</translation>
        </message>
    </context>
    <context>
        <name>RunComparison</name>
        <message>
            <source>last</source>
            <translation>最终</translation>
        </message>
        <message>
            <source>best</source>
            <translation>最佳</translation>
        </message>
        <message>
            <source>step of best</source>
            <translation>最佳所在步</translation>
        </message>
        <message>
            <source>mean</source>
            <translation>平均</translation>
        </message>
        <message>
            <source>reports</source>
            <translation>上报次数</translation>
        </message>
        <message>
            <source>seconds to %1</source>
            <translation>达到 %1 的秒数</translation>
        </message>
        <message>
            <source>The run %1 has no metrics; it is compared without curves.</source>
            <translation>运行 %1 没有指标；比较时不含曲线。</translation>
        </message>
        <message>
            <source>A comparison needs two runs or more.</source>
            <translation>比较需要两次或更多运行。</translation>
        </message>
        <message>
            <source>Choose another run.</source>
            <translation>请再选择一次运行。</translation>
        </message>
    </context>
    <context>
        <name>RunController</name>
        <message>
            <source>the run had failed</source>
            <translation>该运行已失败</translation>
        </message>
        <message>
            <source>Stopped by the user.</source>
            <translation>已由用户停止。</translation>
        </message>
        <message>
            <source>This run is over: %1</source>
            <translation>此运行已结束：%1</translation>
        </message>
        <message>
            <source>`rankscopectl runs show %1` shows it.</source>
            <translation>`rankscopectl runs show %1` 会显示它。</translation>
        </message>
        <message>
            <source>Cancelled.</source>
            <translation>已取消。</translation>
        </message>
        <message>
            <source>stopped by the user</source>
            <translation>已由用户停止</translation>
        </message>
    </context>
    <context>
        <name>RunEvents</name>
        <message>
            <source>%1 begins</source>
            <translation>%1开始</translation>
        </message>
        <message>
            <source>%1 done</source>
            <translation>%1完成</translation>
        </message>
        <message>
            <source>%1 failed</source>
            <translation>%1 失败</translation>
        </message>
        <message>
            <source>ended with %1</source>
            <translation>结束：%1</translation>
        </message>
        <message>
            <source> (stopped with the run)</source>
            <translation>（随运行停止）</translation>
        </message>
        <message>
            <source>run %1</source>
            <translation>运行：%1</translation>
        </message>
        <message>
            <source>its ranks have ended: %1</source>
            <translation>其各 rank 已结束：%1</translation>
        </message>
        <message>
            <source>Stage</source>
            <translation>阶段</translation>
        </message>
        <message>
            <source>Notice</source>
            <translation>提示</translation>
        </message>
        <message>
            <source>Verdict</source>
            <translation>诊断</translation>
        </message>
        <message>
            <source>Exit</source>
            <translation>退出</translation>
        </message>
        <message>
            <source>Checkpoint</source>
            <translation>检查点</translation>
        </message>
        <message>
            <source>Restart</source>
            <translation>重启</translation>
        </message>
        <message>
            <source>Pause</source>
            <translation>暂停</translation>
        </message>
        <message>
            <source>Link</source>
            <translation>链路</translation>
        </message>
        <message>
            <source>End</source>
            <translation>结束</translation>
        </message>
        <message>
            <source>rank %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>rank %1 on %2</source>
            <translation>%2 上的 rank %1</translation>
        </message>
        <message>
            <source>run</source>
            <translation>运行</translation>
        </message>
    </context>
    <context>
        <name>RunExamination</name>
        <message>
            <source>connecting to %1 nodes</source>
            <translation>正在连接 %1 个节点</translation>
        </message>
        <message>
            <source>looking again</source>
            <translation>正在再次查看</translation>
        </message>
        <message>
            <source>asking NCCL</source>
            <translation>正在询问 NCCL</translation>
        </message>
        <message>
            <source>asking for the dumps of the Flight Recorder</source>
            <translation>正在请求 Flight Recorder 的转储</translation>
        </message>
        <message>
            <source>looking at the ranks</source>
            <translation>正在查看各 rank</translation>
        </message>
        <message>
            <source>testing the paths between the nodes</source>
            <translation>正在测试节点之间的路径</translation>
        </message>
        <message>
            <source>The node is not in the inventory.</source>
            <translation>该节点不在清单中。</translation>
        </message>
        <message>
            <source>Add it with `rankscopectl nodes add`.</source>
            <translation>请用 `rankscopectl nodes add` 添加它。</translation>
        </message>
        <message>
            <source>The node did not answer in time.</source>
            <translation>该节点没有及时应答。</translation>
        </message>
        <message>
            <source>Try again; is the node overloaded?</source>
            <translation>请重试；该节点是否过载？</translation>
        </message>
    </context>
    <context>
        <name>RunExport</name>
        <message>
            <source>job</source>
            <translation>作业</translation>
        </message>
        <message>
            <source>end</source>
            <translation>结束</translation>
        </message>
        <message>
            <source>Cancelled: nothing was written.</source>
            <translation>已取消：没有写入任何内容。</translation>
        </message>
    </context>
    <context>
        <name>RunHeader</name>
        <message>
            <source>%1 and %2 more</source>
            <translation>%1 和另外 %2 个</translation>
        </message>
        <message>
            <source>saving…</source>
            <translation>正在保存…</translation>
        </message>
        <message>
            <source>force stop sent</source>
            <translation>已发送强制停止</translation>
        </message>
        <message>
            <source>stopping…</source>
            <translation>正在停止…</translation>
        </message>
        <message>
            <source>%1, waiting for %2</source>
            <translation>%1，等待 %2</translation>
        </message>
        <message>
            <source>pausing…</source>
            <translation>正在暂停…</translation>
        </message>
        <message>
            <source>continuing…</source>
            <translation>正在继续…</translation>
        </message>
        <message>
            <source>rank %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>%1 stopped</source>
            <translation>%1 已停止</translation>
        </message>
        <message>
            <source>ranks stopped</source>
            <translation>有 rank 已停止</translation>
        </message>
        <message>
            <source>%1 exited early</source>
            <translation>%1 过早退出</translation>
        </message>
        <message>
            <source>ranks exited early</source>
            <translation>有 rank 过早退出</translation>
        </message>
        <message>
            <source>%1 slow</source>
            <translation>%1 较慢</translation>
        </message>
        <message>
            <source>slow ranks</source>
            <translation>有慢 rank</translation>
        </message>
        <message>
            <source>collectives differ</source>
            <translation>集合通信不一致</translation>
        </message>
        <message>
            <source>node lost</source>
            <translation>节点失联</translation>
        </message>
        <message>
            <source>slow network</source>
            <translation>网络较慢</translation>
        </message>
        <message>
            <source>network fault</source>
            <translation>网络故障</translation>
        </message>
        <message>
            <source>%1 hangs</source>
            <translation>%1 挂起</translation>
        </message>
        <message>
            <source>hangs</source>
            <translation>挂起</translation>
        </message>
        <message>
            <source>in the queue</source>
            <translation>排队中</translation>
        </message>
        <message>
            <source>paused</source>
            <translation>已暂停</translation>
        </message>
        <message>
            <source>stalled for %1</source>
            <translation>已停滞 %1</translation>
        </message>
        <message>
            <source>failing</source>
            <translation>失败中</translation>
        </message>
        <message>
            <source>failing: waiting for %1</source>
            <translation>失败中：等待 %1</translation>
        </message>
        <message>
            <source>paused on %1 of %2</source>
            <translation>%2 个中已暂停 %1 个</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1: %2</translation>
        </message>
        <message>
            <source>%1 nodes do not answer: %2</source>
            <translation>%1 个节点没有应答：%2</translation>
        </message>
        <message>
            <source>%1: %2.</source>
            <translation>%1：%2。</translation>
        </message>
        <message>
            <source>Its ranks may still run there. The values shown are the last ones received.</source>
            <translation>其 rank 可能仍在那里运行。显示的是最后收到的值。</translation>
        </message>
        <message>
            <source>%1 lost</source>
            <translation>%1 丢失</translation>
        </message>
        <message>
            <source>failing: %1</source>
            <translation>正在失败：%1</translation>
        </message>
        <message>
            <source>waiting for %1</source>
            <translation>等待 %1</translation>
        </message>
        <message>
            <source>running, no steps read</source>
            <translation>运行中，未读取到训练步</translation>
        </message>
    </context>
    <context>
        <name>RunImport</name>
        <message>
            <source>Cancelled: the run store is as it was.</source>
            <translation>已取消：运行存储保持原样。</translation>
        </message>
        <message>
            <source>Imported from %1</source>
            <translation>已从 %1 导入</translation>
        </message>
        <message>
            <source>Imported from TensorBoard event files.</source>
            <translation>已从 TensorBoard 事件文件导入。</translation>
        </message>
        <message>
            <source>Imported: how the rank ended is not known.</source>
            <translation>已导入：不知道该 rank 如何结束。</translation>
        </message>
        <message>
            <source>There is nothing to import.</source>
            <translation>没有可导入的内容。</translation>
        </message>
        <message>
            <source>Name a failure bundle, a folder of TensorBoard event files, or logs.</source>
            <translation>指定一个故障包、一个含 TensorBoard 事件文件的文件夹，或日志。</translation>
        </message>
        <message>
            <source>Imported from logs, which show no failure.</source>
            <translation>已从日志导入，日志中没有显示失败。</translation>
        </message>
        <message>
            <source>There is no such file or folder.</source>
            <translation>没有这个文件或文件夹。</translation>
        </message>
        <message>
            <source>Check its name.</source>
            <translation>检查其名称。</translation>
        </message>
        <message>
            <source>no log</source>
            <translation>不是日志</translation>
        </message>
        <message>
            <source>a damaged archive</source>
            <translation>归档已损坏</translation>
        </message>
        <message>
            <source>encrypted</source>
            <translation>已加密</translation>
        </message>
        <message>
            <source>an archive within too many others</source>
            <translation>归档嵌套过深</translation>
        </message>
        <message>
            <source>Skipped: %1 and %2 more.</source>
            <translation>已跳过：%1，另有 %2 个。</translation>
        </message>
        <message>
            <source>Skipped: %1.</source>
            <translation>已跳过：%1。</translation>
        </message>
    </context>
    <context>
        <name>RunLines</name>
        <message>
            <source>Ended by signal %1.</source>
            <translation>因信号 %1 结束。</translation>
        </message>
        <message>
            <source>Ended with exit code %1.</source>
            <translation>以退出码 %1 结束。</translation>
        </message>
    </context>
    <context>
        <name>RunMark</name>
        <message>
            <source>Epoch %1</source>
            <translation>第 %1 个 epoch</translation>
        </message>
        <message>
            <source>Checkpoint</source>
            <translation>检查点</translation>
        </message>
        <message>
            <source>Checkpoint: %1</source>
            <translation>检查点：%1</translation>
        </message>
        <message>
            <source>Paused: %1</source>
            <translation>已暂停：%1</translation>
        </message>
        <message>
            <source>Continued: %1</source>
            <translation>已继续：%1</translation>
        </message>
        <message>
            <source>Restarted: %1</source>
            <translation>已重新启动：%1</translation>
        </message>
        <message>
            <source>Rank %1 ended with %2</source>
            <translation>rank %1 已结束：%2</translation>
        </message>
        <message>
            <source>Run %1</source>
            <translation>运行：%1</translation>
        </message>
        <message>
            <source>Steps began again at %1</source>
            <translation>步数又从 %1 开始</translation>
        </message>
    </context>
    <context>
        <name>RunMoment</name>
        <message>
            <source>%1, step %2, rank %3</source>
            <translation>%1，第 %2 步，rank %3</translation>
        </message>
        <message>
            <source>%1, step %2</source>
            <translation>%1，第 %2 步</translation>
        </message>
        <message>
            <source>all times</source>
            <translation>全部时间</translation>
        </message>
        <message>
            <source>until %1</source>
            <translation>%1 之前</translation>
        </message>
        <message>
            <source>from %1</source>
            <translation>%1 之后</translation>
        </message>
        <message>
            <source>%1 – %2</source>
            <translation>%1 – %2</translation>
        </message>
    </context>
    <context>
        <name>RunStore</name>
        <message>
            <source>The labels of runs cannot be read or stored.</source>
            <translation>无法读取或保存运行的标记。</translation>
        </message>
        <message>
            <source>Check free space and permissions of the folder.</source>
            <translation>检查该文件夹的剩余空间和权限。</translation>
        </message>
        <message>
            <source>The run store was written by a newer Rankscope.</source>
            <translation>运行存储是由更新版本的 Rankscope 写入的。</translation>
        </message>
        <message>
            <source>Update this program, or choose another folder with --data-dir.</source>
            <translation>更新此程序，或用 --data-dir 选择另一个文件夹。</translation>
        </message>
        <message>
            <source>There is no run "%1" in the run store.</source>
            <translation>运行存储中没有运行“%1”。</translation>
        </message>
        <message>
            <source>`rankscopectl runs list` shows them.</source>
            <translation>`rankscopectl runs list` 会列出这些运行。</translation>
        </message>
        <message>
            <source>unreadable event</source>
            <translation>无法读取的事件</translation>
        </message>
        <message>
            <source>The run store cannot be opened.</source>
            <translation>无法打开运行存储。</translation>
        </message>
        <message>
            <source>The run store cannot be set up.</source>
            <translation>无法建立运行存储。</translation>
        </message>
        <message>
            <source>The run cannot be stored.</source>
            <translation>无法保存该运行。</translation>
        </message>
        <message>
            <source>The plan cannot be stored.</source>
            <translation>无法保存该计划。</translation>
        </message>
        <message>
            <source>Events cannot be stored.</source>
            <translation>无法保存事件。</translation>
        </message>
        <message>
            <source>The run's end cannot be stored.</source>
            <translation>无法保存该运行的结束。</translation>
        </message>
        <message>
            <source>The runs cannot be read.</source>
            <translation>无法读取已保存的运行。</translation>
        </message>
        <message>
            <source>The events of the run cannot be read.</source>
            <translation>无法读取该运行的事件。</translation>
        </message>
        <message>
            <source>The run cannot be deleted.</source>
            <translation>无法删除该运行。</translation>
        </message>
        <message>
            <source>Facts cannot be stored.</source>
            <translation>无法保存节点信息。</translation>
        </message>
        <message>
            <source>The stop cannot be stored.</source>
            <translation>无法保存该停止记录。</translation>
        </message>
        <message>
            <source>The recorded stops cannot be read.</source>
            <translation>无法读取已记录的停止。</translation>
        </message>
        <message>
            <source>The recorded stop cannot be removed.</source>
            <translation>无法删除已记录的停止。</translation>
        </message>
        <message>
            <source>The run store cannot be read.</source>
            <translation>无法读取运行存储。</translation>
        </message>
        <message>
            <source>The run "%1" is deleted.</source>
            <translation>运行“%1”已删除。</translation>
        </message>
        <message>
            <source>`rankscopectl runs restore %1` restores it.</source>
            <translation>`rankscopectl runs restore %1` 可恢复它。</translation>
        </message>
        <message>
            <source>The deleted runs cannot be read.</source>
            <translation>无法读取已删除的运行。</translation>
        </message>
        <message>
            <source>There is no deleted run "%1".</source>
            <translation>没有已删除的运行“%1”。</translation>
        </message>
        <message>
            <source>`rankscopectl runs list --deleted` shows those that can be restored.</source>
            <translation>`rankscopectl runs list --deleted` 列出可恢复的运行。</translation>
        </message>
        <message>
            <source>%1 is running and cannot be deleted.</source>
            <translation>%1 正在运行，无法删除。</translation>
        </message>
        <message>
            <source>Stop it first: `rankscopectl runs stop %1`.</source>
            <translation>请先停止它：`rankscopectl runs stop %1`。</translation>
        </message>
        <message>
            <source>%1 (process %2)</source>
            <translation>%1（进程 %2）</translation>
        </message>
        <message>
            <source>The run store is damaged.</source>
            <translation>运行存储已损坏。</translation>
        </message>
        <message>
            <source>%1 has the run store open.</source>
            <translation>%1 打开着运行存储。</translation>
        </message>
        <message>
            <source>Close that program or window, then try again.</source>
            <translation>关闭该程序或窗口，然后重试。</translation>
        </message>
        <message>
            <source>The run store cannot be renamed.</source>
            <translation>无法重命名运行存储。</translation>
        </message>
        <message>
            <source>Check owner and permissions of its folder, or rename the file yourself.</source>
            <translation>检查其文件夹的所有者和权限，或自行重命名该文件。</translation>
        </message>
        <message>
            <source>The disk, or your quota, is full: free space for %1 (`df -h`).</source>
            <translation>磁盘已满，或你的配额已用完：请为 %1 释放空间 (`df -h`)。</translation>
        </message>
        <message>
            <source>Another program writes to it: `fuser %1` shows which. Close it, then try again.</source>
            <translation>另一个程序正在写入它：用 `fuser %1` 查看是哪一个。关闭该程序，然后重试。</translation>
        </message>
        <message>
            <source>The file is damaged, or no run store. `rankscopectl runs repair` keeps it under another name and begins a new one.</source>
            <translation>该文件已损坏，或不是运行存储。`rankscopectl runs repair` 会以另一个名称保留它，并新建一个。</translation>
        </message>
        <message>
            <source>Check owner and permissions of %1, and whether its disk is mounted read-only. Or choose another folder with --data-dir.</source>
            <translation>请检查 %1 的所有者和权限，以及其磁盘是否以只读方式挂载。也可以用 --data-dir 选择其他文件夹。</translation>
        </message>
        <message>
            <source>The report of the preflight cannot be stored.</source>
            <translation>无法保存预检报告。</translation>
        </message>
        <message>
            <source>The report of the preflight cannot be read.</source>
            <translation>无法读取预检报告。</translation>
        </message>
    </context>
    <context>
        <name>RunSummary</name>
        <message>
            <source>Cancelled.</source>
            <translation>已取消。</translation>
        </message>
    </context>
    <context>
        <name>RunTracker</name>
        <message>
            <source>`journalctl -b -1` there may say why; `rankscopectl runs rerun` starts the run again.</source>
            <translation>在该节点上执行 `journalctl -b -1` 也许能看到原因；`rankscopectl runs rerun` 可再次启动该运行。</translation>
        </message>
        <message>
            <source>Was the node shut down, or was the agent ended there?</source>
            <translation>该节点是否被关机，或者其上的代理程序是否被终止？</translation>
        </message>
        <message>
            <source>Was it stopped by a debugger or by `kill -STOP`?</source>
            <translation>它是否被调试器或 `kill -STOP` 停止？</translation>
        </message>
        <message>
            <source>Check whether it is up, and the network between the nodes.</source>
            <translation>检查它是否在运行，以及节点之间的网络。</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1: %2</translation>
        </message>
        <message>
            <source>%1 has lost %2</source>
            <translation>%1 与 %2 失去联系</translation>
        </message>
        <message>
            <source>rank %1 on %2 %3</source>
            <translation>%2 上的 rank %1 %3</translation>
        </message>
        <message>
            <source>%1 cannot connect to %2:%3: %4</source>
            <translation>%1 无法连接 %2:%3：%4</translation>
        </message>
        <message>
            <source>waiting for rank %1 and %2 more</source>
            <translation>等待 rank %1 和另外 %2 个</translation>
        </message>
        <message>
            <source>waiting for rank %1</source>
            <translation>等待 rank %1</translation>
        </message>
        <message>
            <source>%1 of %2 ranks have met</source>
            <translation>%2 个 rank 中已有 %1 个会合</translation>
        </message>
        <message>
            <source>All ranks had been started again %1 times before.</source>
            <translation>此前所有 rank 已被重新启动过 %1 次。</translation>
        </message>
        <message>
            <source>Rank %1 on %2 stopped answering: its process is stopped (state %3).</source>
            <translation>%2 上的 rank %1 停止应答：其进程已被停止（状态 %3）。</translation>
        </message>
        <message>
            <source>Rank %1 on %2 stopped answering, says rank %3 on %4: %5</source>
            <translation>据 %4 上的 rank %3 报告，%2 上的 rank %1 停止应答：%5</translation>
        </message>
        <message>
            <source>Rank %1 on %2 ended without an error while others still needed it.</source>
            <translation>%2 上的 rank %1 没有报错就结束了，而其他 rank 仍需要它。</translation>
        </message>
        <message>
            <source>Rank %1 on %2 %3</source>
            <translation>%2 上的 rank %1 %3</translation>
        </message>
        <message>
            <source>The supervisor of %1 was killed; its ranks ended with it.</source>
            <translation>%1 的监管进程被杀死；其 rank 随之结束。</translation>
        </message>
        <message>
            <source>The run failed on %1.</source>
            <translation>运行在 %1 上失败。</translation>
        </message>
        <message>
            <source>Stopped by the user.</source>
            <translation>已由用户停止。</translation>
        </message>
        <message>
            <source>All %1 ranks finished.</source>
            <translation>全部 %1 个 rank 已完成。</translation>
        </message>
        <message>
            <source>The loss of rank %1 on %2 is %3 at step %4.</source>
            <translation>%2 上 rank %1 的损失在第 %4 步变为 %3。</translation>
        </message>
        <message>
            <source>The loss of rank %1 on %2 is %3.</source>
            <translation>%2 上 rank %1 的损失为 %3。</translation>
        </message>
        <message>
            <source>But the loss is %1 from step %2 on (rank %3).</source>
            <translation>但损失从第 %2 步起为 %1(rank %3)。</translation>
        </message>
        <message>
            <source>But the loss is %1 (rank %2).</source>
            <translation>但损失为 %1(rank %2)。</translation>
        </message>
        <message>
            <source>The only rank finished.</source>
            <translation>唯一的 rank 已结束。</translation>
        </message>
        <message>
            <source>%1 stopped answering%2. Nothing was heard from it for %3 s.</source>
            <translation>%1 停止响应%2。已有 %3 秒没有收到它的消息。</translation>
        </message>
        <message>
            <source>%1 was lost%2: its supervisor is gone.</source>
            <translation>%1 丢失%2：它的监管进程已不存在。</translation>
        </message>
        <message>
            <source>%1 was lost%2: it was rebooted during the run.</source>
            <translation>%1 丢失%2：它在运行期间重新启动。</translation>
        </message>
        <message>
            <source>%1 was lost%2: its supervisor was killed; its ranks ended with it.</source>
            <translation>%1 丢失%2：它的监管进程被终止，其 rank 随之结束。</translation>
        </message>
        <message>
            <source>%1 stopped answering%2: its supervisor was stopped (state T); its ranks were ended.</source>
            <translation>%1 停止响应%2：它的监管进程被停住（状态 T），其 rank 已被结束。</translation>
        </message>
        <message>
            <source>%1 was lost%2: %3.</source>
            <translation>%1 丢失%2：%3。</translation>
        </message>
        <message>
            <source> at %1 (step %2)</source>
            <translation>（%1，第 %2 步）</translation>
        </message>
        <message>
            <source> at %1</source>
            <translation>（%1）</translation>
        </message>
        <message>
            <source>Check its process on the node.</source>
            <translation>请检查它在该节点上的进程。</translation>
        </message>
        <message>
            <source>Memory of %1 ran out, and the kernel killed it.</source>
            <translation>%1 的内存耗尽，内核终止了它。</translation>
        </message>
        <message>
            <source>%1 stopped answering%2: its supervisor is stopped (state T).</source>
            <translation>%1 停止响应%2：其监管进程已暂停（状态 T）。</translation>
        </message>
        <message>
            <source>Rank %1 on %2 (process %3, started by the program of rank %4) %5</source>
            <translation>%2 上的 rank %1（进程 %3，由 rank %4 的程序启动）%5</translation>
        </message>
        <message>
            <source>The program of rank %1 on %2 %3</source>
            <translation>%2 上 rank %1 的程序 %3</translation>
        </message>
    </context>
    <context>
        <name>RunsOnNodes</name>
        <message>
            <source>There is no run %1.</source>
            <translation>没有运行 %1。</translation>
        </message>
        <message>
            <source>`rankscopectl runs list %1` shows what is there.</source>
            <translation>`rankscopectl runs list %1` 可列出那里的运行。</translation>
        </message>
        <message>
            <source>stopped by the user</source>
            <translation>已由用户停止</translation>
        </message>
        <message>
            <source>%1: %2 was not running</source>
            <translation>%1：%2 没有在运行</translation>
        </message>
        <message>
            <source>%1: Slurm ends job %2 of %3</source>
            <translation>%1：Slurm 正在结束 %3 的作业 %2</translation>
        </message>
        <message>
            <source>%1: the supervisor of %2 stops it</source>
            <translation>%1：%2 的监管进程正在停止它</translation>
        </message>
        <message>
            <source>Set nccl_profiler: in the job, and start it again.</source>
            <translation>请在作业中设置 nccl_profiler:，并重新启动它。</translation>
        </message>
        <message>
            <source>The NCCL level of a run under Slurm cannot be changed.</source>
            <translation>Slurm 下运行的 NCCL 级别不能更改。</translation>
        </message>
    </context>
    <context>
        <name>SavedFlights</name>
        <message>
            <source>rank %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>ranks %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>There is no dump of %1, and %2 did not get beyond %3.</source>
            <translation>没有 %1 的转储，%2 停在 %3。</translation>
        </message>
        <message>
            <source>Flight Recorder: %1 (process group %2, collective %3): %4</source>
            <translation>Flight Recorder：%1（进程组 %2，第 %3 次集合通信）：%4</translation>
        </message>
        <message>
            <source>Add the dumps of all ranks. Where one is missing, read the log of that rank: its process may have ended before the others waited.</source>
            <translation>请加入所有 rank 的转储。若缺少某个转储，请查看该 rank 的日志：它的进程可能在其他 rank 开始等待之前就已结束。</translation>
        </message>
    </context>
    <context>
        <name>Scaling</name>
        <message>
            <source>A batch of %1 cannot be divided between %2 ranks.</source>
            <translation>批大小 %1 无法平均分给 %2 个 rank。</translation>
        </message>
        <message>
            <source>Choose other numbers of ranks, or weak scaling.</source>
            <translation>请选择其他 rank 数，或使用弱扩展。</translation>
        </message>
        <message>
            <source>The nodes of the job offer %1 ranks, not %2.</source>
            <translation>作业的节点提供 %1 个 rank，而不是 %2 个。</translation>
        </message>
        <message>
            <source>Raise procs_per_node in the job, or add nodes.</source>
            <translation>请在作业中增大 procs_per_node，或添加节点。</translation>
        </message>
        <message>
            <source>Strong scaling needs the batch of the native engine; this job runs a program.</source>
            <translation>强扩展需要原生引擎的批大小；此作业运行的是程序。</translation>
        </message>
        <message>
            <source>Choose weak scaling.</source>
            <translation>请选择弱扩展。</translation>
        </message>
        <message>
            <source>the ranks reported no steps</source>
            <translation>各 rank 没有上报任何步</translation>
        </message>
        <message>
            <source>only %1 steps after the warm-up; give it more seconds</source>
            <translation>预热后只有 %1 步；请给更多秒数</translation>
        </message>
        <message>
            <source>the run failed</source>
            <translation>运行失败</translation>
        </message>
        <message>
            <source>Cancelled.</source>
            <translation>已取消。</translation>
        </message>
        <message>
            <source>No stored run has the tag %1.</source>
            <translation>没有存储的运行带有标签 %1。</translation>
        </message>
        <message>
            <source>`rankscopectl runs list` shows the tags.</source>
            <translation>`rankscopectl runs list` 会列出标签。</translation>
        </message>
        <message>
            <source>Scaling run, %1 ranks</source>
            <translation>扩展性运行，%1 个 rank</translation>
        </message>
        <message>
            <source>A scaling run starts the ranks itself; this job is submitted to %1.</source>
            <translation>扩展性运行自行启动各 rank；此作业提交给 %1。</translation>
        </message>
        <message>
            <source>Choose nodes of the inventory in the job.</source>
            <translation>请在作业中选择清单里的节点。</translation>
        </message>
    </context>
    <context>
        <name>SecretEnv</name>
        <message>
            <source>The value of %1 is not known: the run store does not keep secrets.</source>
            <translation>%1 的值未知：运行存储不保存机密。</translation>
        </message>
        <message>
            <source>Set it in the job file, or start again with `rankscopectl runs rerun RUN --set %1=VALUE`.</source>
            <translation>在作业文件中设置它，或用 `rankscopectl runs rerun RUN --set %1=VALUE` 再次启动。</translation>
        </message>
    </context>
    <context>
        <name>Settings</name>
        <message>
            <source>a number from %1 to %2</source>
            <translation>%1 到 %2 的数字</translation>
        </message>
        <message>
            <source>0 (the desktop's) or a number from %1 to %2</source>
            <translation>0（跟随桌面）或 %1 到 %2 的数字</translation>
        </message>
        <message>
            <source>an absolute path</source>
            <translation>绝对路径</translation>
        </message>
        <message>
            <source>words of: ended failed hang nan plateau rule</source>
            <translation>以下单词：ended failed hang nan plateau rule</translation>
        </message>
        <message>
            <source>rules with ; between them: loss &gt; 10 for 50 steps; acc1 &lt; 0.1</source>
            <translation>以 ; 分隔的规则：loss &gt; 10 for 50 steps; acc1 &lt; 0.1</translation>
        </message>
        <message>
            <source>a program and its arguments, without what only a shell understands</source>
            <translation>程序及其参数，不含只有 shell 才懂的内容</translation>
        </message>
        <message>
            <source>the name of a metric</source>
            <translation>指标名称</translation>
        </message>
        <message>
            <source>a number of steps from 1 to %1</source>
            <translation>1 到 %1 的步数</translation>
        </message>
        <message>
            <source>keys, for example Ctrl+Shift+K</source>
            <translation>按键，例如 Ctrl+Shift+K</translation>
        </message>
        <message>
            <source>the name of an installed font</source>
            <translation>已安装字体的名称</translation>
        </message>
    </context>
    <context>
        <name>SlurmFailures</name>
        <message>
            <source>`sinfo -s` there lists the partitions: correct slurm.partition.</source>
            <translation>在那里执行 `sinfo -s` 会列出分区：更正 slurm.partition。</translation>
        </message>
        <message>
            <source>`sacctmgr show associations user=$USER` there lists yours: correct slurm.account.</source>
            <translation>在那里执行 `sacctmgr show associations user=$USER` 会列出你的账户：更正 slurm.account。</translation>
        </message>
        <message>
            <source>`sacctmgr show qos` there lists them: correct slurm.qos.</source>
            <translation>在那里执行 `sacctmgr show qos` 会列出它们：更正 slurm.qos。</translation>
        </message>
        <message>
            <source>`sinfo -o '%P %l'` there shows the limits: correct slurm.time.</source>
            <translation>在那里执行 `sinfo -o '%P %l'` 会显示各项限制：更正 slurm.time。</translation>
        </message>
        <message>
            <source>`sinfo -o '%N %G'` there lists the resources of the nodes: correct slurm.gres.</source>
            <translation>在那里执行 `sinfo -o '%N %G'` 会列出节点的资源：更正 slurm.gres。</translation>
        </message>
        <message>
            <source>The Slurm controller does not answer: run `scontrol ping` there, then ask the administrator.</source>
            <translation>Slurm 控制器没有应答：在那里执行 `scontrol ping`，然后询问管理员。</translation>
        </message>
        <message>
            <source>Correct slurm.extra: `sbatch --help` there lists the options.</source>
            <translation>更正 slurm.extra：在那里执行 `sbatch --help` 会列出选项。</translation>
        </message>
        <message>
            <source>Correct the section slurm of the job file.</source>
            <translation>更正作业文件的 slurm 部分。</translation>
        </message>
        <message>
            <source>a limit of your account or QOS</source>
            <translation>你的账户或 QOS 的限制</translation>
        </message>
        <message>
            <source>Slurm does not accept the job: %1.</source>
            <translation>Slurm 不接受该作业：%1。</translation>
        </message>
        <message>
            <source>The nodes of job %1 do not share the cache folder of the login node.</source>
            <translation>作业 %1 的节点没有共享登录节点的缓存文件夹。</translation>
        </message>
        <message>
            <source>Set cache_dir: of %1 in the inventory to a folder that all nodes share.</source>
            <translation>在节点清单中把 %1 的 cache_dir: 设为所有节点共享的文件夹。</translation>
        </message>
        <message>
            <source>The nodes of job %1 do not run programs from the cache folder.</source>
            <translation>作业 %1 的节点不允许运行缓存文件夹中的程序。</translation>
        </message>
        <message>
            <source>Set cache_dir: of %1 to a shared folder that is not mounted noexec.</source>
            <translation>把 %1 的 cache_dir: 设为未以 noexec 挂载的共享文件夹。</translation>
        </message>
        <message>
            <source>Slurm ended job %1 at its time limit of %2.</source>
            <translation>作业 %1 达到时限 %2，被 Slurm 结束。</translation>
        </message>
        <message>
            <source>Request more time with slurm.time, or train for fewer epochs.</source>
            <translation>用 slurm.time 申请更多时间，或减少训练的轮次。</translation>
        </message>
        <message>
            <source>Slurm gave the nodes of job %1 to a job with a higher priority.</source>
            <translation>Slurm 把作业 %1 的节点给了优先级更高的作业。</translation>
        </message>
        <message>
            <source>Start the run again, or use a partition or QOS without preemption.</source>
            <translation>再次启动该运行，或使用不会抢占的分区或 QOS。</translation>
        </message>
        <message>
            <source>A node of job %1 failed (%2).</source>
            <translation>作业 %1 的一个节点发生故障（%2）。</translation>
        </message>
        <message>
            <source>`sinfo -R` on %1 shows the node and the reason. Start the run again.</source>
            <translation>在 %1 上执行 `sinfo -R` 会显示该节点和原因。再次启动该运行。</translation>
        </message>
        <message>
            <source>Job %1 used more memory than Slurm granted.</source>
            <translation>作业 %1 使用的内存超过了 Slurm 分配的内存。</translation>
        </message>
        <message>
            <source>Request more, for example slurm.extra: [--mem=16G], or use a smaller batch.</source>
            <translation>申请更多内存，例如 slurm.extra: [--mem=16G]，或使用更小的批。</translation>
        </message>
        <message>
            <source>Job %1 was cancelled in Slurm (%2).</source>
            <translation>作业 %1 已在 Slurm 中取消（%2）。</translation>
        </message>
        <message>
            <source>Job %1 was cancelled in Slurm, not by Rankscope.</source>
            <translation>作业 %1 在 Slurm 中被取消，不是由 Rankscope 取消的。</translation>
        </message>
        <message>
            <source>You or an administrator used scancel.</source>
            <translation>你或管理员使用了 scancel。</translation>
        </message>
        <message>
            <source>Job %1 failed before a rank started (exit %2, signal %3).</source>
            <translation>作业 %1 在任何 rank 启动之前失败（退出码 %2，信号 %3）。</translation>
        </message>
        <message>
            <source>The output of its script is below. If it is empty, check that all nodes share the cache folder of %1.</source>
            <translation>其脚本的输出见下方。如果为空，检查所有节点是否共享 %1 的缓存文件夹。</translation>
        </message>
        <message>
            <source>job %1: %2</source>
            <translation>作业 %1：%2</translation>
        </message>
        <message>
            <source>, start estimated %1</source>
            <translation>，预计 %1 启动</translation>
        </message>
        <message>
            <source>; Slurm did not answer: %1</source>
            <translation>；Slurm 没有应答：%1</translation>
        </message>
        <message>
            <source>Slurm job %1: %2, exit %3:%4, elapsed %5</source>
            <translation>Slurm 作业 %1：%2，退出码 %3:%4，用时 %5</translation>
        </message>
        <message>
            <source>, largest memory of a task %1 MB</source>
            <translation>，单个任务的最大内存 %1 MB</translation>
        </message>
        <message>
            <source>sbatch: </source>
            <translation>sbatch: </translation>
        </message>
        <message>
            <source>error: </source>
            <translation>error: </translation>
        </message>
        <message>
            <source>Batch job submission failed: </source>
            <translation>Batch job submission failed: </translation>
        </message>
        <message>
            <source>Try "sbatch --help"</source>
            <translation>Try "sbatch --help"</translation>
        </message>
        <message>
            <source>time limit</source>
            <translation>time limit</translation>
        </message>
        <message>
            <source>node configuration</source>
            <translation>node configuration</translation>
        </message>
        <message>
            <source>More processors</source>
            <translation>More processors</translation>
        </message>
        <message>
            <source>node count</source>
            <translation>node count</translation>
        </message>
        <message>
            <source>Unable to contact</source>
            <translation>Unable to contact</translation>
        </message>
        <message>
            <source>Connection refused</source>
            <translation>Connection refused</translation>
        </message>
        <message>
            <source>unrecognized option</source>
            <translation>unrecognized option</translation>
        </message>
        <message>
            <source>invalid option</source>
            <translation>invalid option</translation>
        </message>
        <message>
            <source>waits for nodes to become free</source>
            <translation>等待节点空闲</translation>
        </message>
        <message>
            <source>jobs with a higher priority come first</source>
            <translation>优先级更高的作业先运行</translation>
        </message>
        <message>
            <source>the partition does not have the requested resources</source>
            <translation>该分区没有所申请的资源</translation>
        </message>
        <message>
            <source>the partition has fewer nodes</source>
            <translation>该分区的节点较少</translation>
        </message>
        <message>
            <source>the partition does not allow so much time</source>
            <translation>该分区不允许这么长的时间</translation>
        </message>
        <message>
            <source>held: scontrol release starts it</source>
            <translation>已暂缓 (held)：用 scontrol release 启动它</translation>
        </message>
        <message>
            <source>held by an administrator</source>
            <translation>被管理员暂缓 (held)</translation>
        </message>
        <message>
            <source>nodes are down or reserved</source>
            <translation>节点已停机或被预留</translation>
        </message>
        <message>
            <source>waits for another job</source>
            <translation>等待另一个作业</translation>
        </message>
        <message>
            <source>Exited with exit code </source>
            <translation>Exited with exit code </translation>
        </message>
        <message>
            <source>CANCELLED by</source>
            <translation>CANCELLED by</translation>
        </message>
        <message>
            <source> (sacct)</source>
            <translation> (sacct)</translation>
        </message>
        <message>
            <source> (scontrol)</source>
            <translation> (scontrol)</translation>
        </message>
        <message>
            <source>%1 is %2</source>
            <translation>%1 的状态为 %2</translation>
        </message>
        <message>
            <source>%1 is %2 (%3)</source>
            <translation>%1 的状态为 %2（%3）</translation>
        </message>
        <message>
            <source>A node of job %1 failed (%2): %3.</source>
            <translation>作业 %1 的一个节点出现故障（%2）：%3。</translation>
        </message>
        <message>
            <source>Slurm no longer knows job %1: its ranks tell how it ended.</source>
            <translation>Slurm 已不再记录作业 %1：由其各 rank 说明它如何结束。</translation>
        </message>
        <message>
            <source>the nodes are down, drained or reserved</source>
            <translation>所需节点已停机、被排空或被预留</translation>
        </message>
        <message>
            <source>waits for its start time</source>
            <translation>等待其开始时间</translation>
        </message>
        <message>
            <source>the partition does not start jobs now</source>
            <translation>该分区目前不启动作业</translation>
        </message>
        <message>
            <source>`sinfo -o '%P %D %c %m %G'` there shows the resources: correct slurm.nodes, procs_per_node, slurm.gres or slurm.extra.</source>
            <translation>在该节点上用 `sinfo -o '%P %D %c %m %G'` 查看资源：请更正 slurm.nodes、procs_per_node、slurm.gres 或 slurm.extra。</translation>
        </message>
    </context>
    <context>
        <name>SlurmLauncher</name>
        <message>
            <source>The desk has no connection to the nodes of a Slurm job.</source>
            <translation>桌面端没有到 Slurm 作业节点的连接。</translation>
        </message>
        <message>
            <source>submitting on %1</source>
            <translation>正在 %1 上提交</translation>
        </message>
        <message>
            <source>Stopped by the user.</source>
            <translation>已由用户停止。</translation>
        </message>
        <message>
            <source>job %1 submitted on %2</source>
            <translation>作业 %1 已在 %2 上提交</translation>
        </message>
        <message>
            <source>job %1 runs on %2</source>
            <translation>作业 %1 在 %2 上运行</translation>
        </message>
        <message>
            <source>Slurm could not be asked for the job's state: %1</source>
            <translation>无法向 Slurm 查询该作业的状态：%1</translation>
        </message>
        <message>
            <source>Slurm ended the ranks although no user stopped the run: %1</source>
            <translation>没有用户停止该运行，Slurm 却结束了各 rank：%1</translation>
        </message>
        <message>
            <source>Was a supervisor killed there, by a user or by the kernel's OOM killer? `sacct -j %1` may say more.</source>
            <translation>那里是否有监管进程被用户或内核的 OOM killer 杀死？`sacct -j %1` 也许能提供更多信息。</translation>
        </message>
        <message>
            <source>Slurm no longer knows job %1, and nothing of it was started.</source>
            <translation>Slurm 已不再知道作业 %1，且其中没有任何内容启动过。</translation>
        </message>
        <message>
            <source>`sacct -j %1` there may say more.</source>
            <translation>在那里执行 `sacct -j %1` 也许能提供更多信息。</translation>
        </message>
        <message>
            <source>Slurm has suspended job %1; an administrator resumes it.</source>
            <translation>Slurm 已挂起作业 %1；由管理员恢复它。</translation>
        </message>
        <message>
            <source>Slurm has resumed job %1.</source>
            <translation>Slurm 已恢复作业 %1。</translation>
        </message>
        <message>
            <source>The ranks of a Slurm job with more than %1 nodes are not inspected.</source>
            <translation>不检查超过 %1 个节点的 Slurm 作业的 rank。</translation>
        </message>
    </context>
    <context>
        <name>SlurmOptions</name>
        <message>
            <source>an empty word</source>
            <translation>空词</translation>
        </message>
        <message>
            <source>Leave it out.</source>
            <translation>去掉它。</translation>
        </message>
        <message>
            <source>"%1" is no option of sbatch</source>
            <translation>“%1”不是 sbatch 的选项</translation>
        </message>
        <message>
            <source>Write options in one word each, for example --mem=4G.</source>
            <translation>每个选项写成一个词，例如 --mem=4G。</translation>
        </message>
        <message>
            <source>%1 is Rankscope's own</source>
            <translation>%1 由 Rankscope 自己使用</translation>
        </message>
        <message>
            <source>Use the key %1.</source>
            <translation>使用键 %1。</translation>
        </message>
        <message>
            <source>%1: an array is one job for each index, and a run is one job</source>
            <translation>%1：作业数组的每个下标是一个作业，而一次运行是一个作业</translation>
        </message>
        <message>
            <source>Leave it out, and start the run once for each value.</source>
            <translation>请去掉它，并为每个值各启动一次运行。</translation>
        </message>
        <message>
            <source>%1: the second start of a run would mix its events with the first</source>
            <translation>%1：运行再次启动时，其事件会与第一次的混在一起</translation>
        </message>
        <message>
            <source>Leave it out, and start the run again from its checkpoint.</source>
            <translation>请去掉它，并从检查点重新启动运行。</translation>
        </message>
    </context>
    <context>
        <name>SlurmPlan</name>
        <message>
            <source>slurm.nodes times procs_per_node is %1 ranks; %2 are the most.</source>
            <translation>slurm.nodes 乘以 procs_per_node 等于 %1 个 rank；最多 %2 个。</translation>
        </message>
        <message>
            <source>Lower one of them.</source>
            <translation>减小其中一个。</translation>
        </message>
        <message>
            <source>Ask Slurm for GPUs: slurm: { gres: "gpu:1" }.</source>
            <translation>向 Slurm 申请 GPU：slurm: { gres: "gpu:1" }。</translation>
        </message>
        <message>
            <source>Submitted on %1: %2</source>
            <translation>在 %1 上提交：%2</translation>
        </message>
        <message>
            <source>Slurm chooses the nodes; the first of them is the master. Their names follow.</source>
            <translation>Slurm 选择节点；其中第一个是主节点。节点名称稍后得知。</translation>
        </message>
        <message>
            <source>The port becomes 10000 + job id % 20000.</source>
            <translation>端口为 10000 + 作业 id % 20000。</translation>
        </message>
    </context>
    <context>
        <name>SshAuthenticate</name>
        <message>
            <source>no authentication</source>
            <translation>无认证</translation>
        </message>
        <message>
            <source>%1 asks for a second factor.</source>
            <translation>%1 要求第二因素。</translation>
        </message>
        <message>
            <source>Set transport: openssh for this node: OpenSSH asks for both.</source>
            <translation>为此节点设置 transport: openssh：OpenSSH 会询问两者。</translation>
        </message>
        <message>
            <source>a key of the agent</source>
            <translation>ssh-agent 中的密钥</translation>
        </message>
        <message>
            <source>%1 of the agent</source>
            <translation>ssh-agent 中的 %1</translation>
        </message>
        <message>
            <source>Password</source>
            <translation>密码</translation>
        </message>
        <message>
            <source>a password</source>
            <translation>密码</translation>
        </message>
        <message>
            <source>authenticating as %1</source>
            <translation>正在以 %1 的身份认证</translation>
        </message>
    </context>
    <context>
        <name>SshFailures</name>
        <message>
            <source>The name "%1" cannot be resolved.</source>
            <translation>无法解析名称“%1”。</translation>
        </message>
        <message>
            <source>Correct host: in the inventory, or give the node's address.</source>
            <translation>更正节点清单中的 host:，或填写该节点的地址。</translation>
        </message>
        <message>
            <source>%1 refuses the connection: no SSH server listens there.</source>
            <translation>%1 拒绝连接：那里没有 SSH 服务器在监听。</translation>
        </message>
        <message>
            <source>On the node: `sudo systemctl start ssh`; check the port in the inventory.</source>
            <translation>在该节点上执行 `sudo systemctl start ssh`；检查节点清单中的端口。</translation>
        </message>
        <message>
            <source>%1 did not answer within %2 s.</source>
            <translation>%1 在 %2 s 内没有应答。</translation>
        </message>
        <message>
            <source>There is no route to %1.</source>
            <translation>没有到 %1 的路由。</translation>
        </message>
        <message>
            <source>Check the address, the VPN and `ip route get %1`.</source>
            <translation>检查地址、VPN 和 `ip route get %1`。</translation>
        </message>
        <message>
            <source>%1 cannot be reached.</source>
            <translation>无法到达 %1。</translation>
        </message>
        <message>
            <source>Check address and network.</source>
            <translation>检查地址和网络。</translation>
        </message>
        <message>
            <source>%1 accepts the connection, but sends nothing.</source>
            <translation>%1 接受了连接，但什么也没有发送。</translation>
        </message>
        <message>
            <source>Is this the SSH port? `ssh -v -p %1 %2` shows where it stops.</source>
            <translation>这是 SSH 端口吗？`ssh -v -p %1 %2` 会显示停在哪一步。</translation>
        </message>
        <message>
            <source>%1 closed the connection during its setup.</source>
            <translation>%1 在建立连接的过程中关闭了连接。</translation>
        </message>
        <message>
            <source>Common causes: MaxStartups or fail2ban on the node, or another service on that port; see `journalctl -u ssh` there.</source>
            <translation>常见原因：该节点上的 MaxStartups 或 fail2ban，或者该端口上是其他服务；在那里查看 `journalctl -u ssh`。</translation>
        </message>
        <message>
            <source>%1 and this program share no algorithm.</source>
            <translation>%1 与此程序没有共同的算法。</translation>
        </message>
        <message>
            <source>Update the SSH server there, or allow an algorithm both have.</source>
            <translation>更新那里的 SSH 服务器，或允许一种双方都支持的算法。</translation>
        </message>
        <message>
            <source>The host key of %1 is not known: %2 %3.</source>
            <translation>%1 的主机密钥未知：%2 %3。</translation>
        </message>
        <message>
            <source>Compare it with `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on the node, then accept it (rankscopectl: --accept-new-host-keys).</source>
            <translation>与该节点上 `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` 的输出比较，然后接受它（rankscopectl：--accept-new-host-keys）。</translation>
        </message>
        <message>
            <source>The host key of %1 has changed: it is now %2 %3. Nothing was sent to it.</source>
            <translation>%1 的主机密钥已改变：现在是 %2 %3。没有向它发送任何内容。</translation>
        </message>
        <message>
            <source>known_hosts has another type of key for %1 than the one that it sends: %2 %3.</source>
            <translation>known_hosts 中 %1 的密钥类型与它发送的不同：%2 %3。</translation>
        </message>
        <message>
            <source>Compare the fingerprint on the node. `ssh-keyscan -t %1 %2` prints the line to add to known_hosts.</source>
            <translation>在该节点上核对指纹。`ssh-keyscan -t %1 %2` 会打印要添加到 known_hosts 的行。</translation>
        </message>
        <message>
            <source>%1 sends a host key that is marked as revoked: %2 %3. Nothing was sent to it.</source>
            <translation>%1 发送的主机密钥被标记为已吊销：%2 %3。没有向它发送任何内容。</translation>
        </message>
        <message>
            <source>Give the machine a new host key, or remove the @revoked line (%1) if it is wrong.</source>
            <translation>为该机器换一个新的主机密钥；如果 @revoked 行（%1）有误，则删除该行。</translation>
        </message>
        <message>
            <source>known_hosts cannot be read.</source>
            <translation>无法读取 known_hosts。</translation>
        </message>
        <message>
            <source>Check ~/.ssh/known_hosts.</source>
            <translation>检查 ~/.ssh/known_hosts。</translation>
        </message>
        <message>
            <source>The key cannot be added to %1.</source>
            <translation>无法把密钥添加到 %1。</translation>
        </message>
        <message>
            <source>Check that the file and its folder belong to you and are writable.</source>
            <translation>检查该文件及其文件夹是否归你所有并且可写。</translation>
        </message>
        <message>
            <source>%1 closed the connection while it waited for an answer.</source>
            <translation>%1 在等待回答时关闭了连接。</translation>
        </message>
        <message>
            <source>Connect again; LoginGraceTime of the node's sshd is the time for an answer.</source>
            <translation>重新连接；该节点 sshd 的 LoginGraceTime 就是允许回答的时间。</translation>
        </message>
        <message>
            <source>%1 closed the connection during the login.</source>
            <translation>%1 在登录过程中关闭了连接。</translation>
        </message>
        <message>
            <source>Connect again. If this happens each time, `journalctl -u ssh` on the node shows the reason (LoginGraceTime, MaxAuthTries, fail2ban).</source>
            <translation>重新连接。如果每次都这样，该节点上的 `journalctl -u ssh` 会显示原因（LoginGraceTime, MaxAuthTries, fail2ban）。</translation>
        </message>
        <message>
            <source>%1 asks for a password, and there is no terminal to type it in.</source>
            <translation>%1 要求密码，但没有可供输入的终端。</translation>
        </message>
        <message>
            <source>Install your key from a terminal: `rankscopectl keys install %1`, or `ssh-copy-id -p %2 %3`.</source>
            <translation>在终端中安装你的密钥：`rankscopectl keys install %1`，或 `ssh-copy-id -p %2 %3`。</translation>
        </message>
        <message>
            <source>There is no key to offer to %1.</source>
            <translation>没有可提供给 %1 的密钥。</translation>
        </message>
        <message>
            <source>There is no key to offer to %1; it allows: %2.</source>
            <translation>没有可提供给 %1 的密钥；它允许：%2。</translation>
        </message>
        <message>
            <source>%1 accepts none of the keys offered (%2).</source>
            <translation>%1 不接受所提供的任何密钥（%2）。</translation>
        </message>
        <message>
            <source>%1 accepts none of the keys offered (%2); it allows: %3.</source>
            <translation>%1 不接受所提供的任何密钥（%2）；它允许：%3。</translation>
        </message>
        <message>
            <source>%1 does not accept the password.</source>
            <translation>%1 不接受该密码。</translation>
        </message>
        <message>
            <source>Check user name and password; `ssh %1` should succeed.</source>
            <translation>检查用户名和密码；`ssh %1` 应能成功。</translation>
        </message>
        <message>
            <source>The key %1 for %2 needs its passphrase.</source>
            <translation>用于 %2 的密钥 %1 需要密码短语。</translation>
        </message>
        <message>
            <source>Unlock it for all programs with `ssh-add %1`, or start Rankscope from a terminal and type it.</source>
            <translation>用 `ssh-add %1` 为所有程序解锁，或从终端启动 Rankscope 并输入密码短语。</translation>
        </message>
        <message>
            <source>The key file %1 can be read by others, so it is not used for %2.</source>
            <translation>密钥文件 %1 可被他人读取，因此不用于 %2。</translation>
        </message>
        <message>
            <source>`chmod 600 %1`; if others use this machine, make a new key.</source>
            <translation>`chmod 600 %1`；如果有其他人使用此机器，则生成新密钥。</translation>
        </message>
        <message>
            <source>%1 closed the connection after too many keys: the agent offers %2, and the server accepts only a few (MaxAuthTries).</source>
            <translation>%1 因密钥尝试过多而关闭了连接：ssh-agent 提供 %2，而服务器只接受少数几个（MaxAuthTries）。</translation>
        </message>
        <message>
            <source>Name the right key: identity_file: for this node, with IdentitiesOnly yes in ~/.ssh/config.</source>
            <translation>指定正确的密钥：为此节点设置 identity_file:，并在 ~/.ssh/config 中写 IdentitiesOnly yes。</translation>
        </message>
        <message>
            <source>Check that the node is up and that no firewall drops the port: `nc -vz %1 %2`.</source>
            <translation>请检查该节点是否已开机，以及是否有防火墙丢弃该端口的数据包：`nc -vz %1 %2`。</translation>
        </message>
        <message>
            <source>If the machine was reinstalled, compare the fingerprint there and remove the old key: `ssh-keygen -R %1`. If not, another machine may intercept the connection: ask the administrator.</source>
            <translation>如果该机器重装过系统，请在那里核对指纹并删除旧密钥：`ssh-keygen -R %1`。否则可能有另一台机器在拦截连接：请询问管理员。</translation>
        </message>
        <message>
            <source>Install your key there: `rankscopectl keys install %1`, or `ssh-copy-id -p %2 %3`. If it is there, the node refuses the account: DenyUsers or AllowUsers, a locked or expired account, or a login shell that does not exist; `journalctl -u ssh` there says which.</source>
            <translation>在该节点上安装你的密钥：`rankscopectl keys install %1`，或 `ssh-copy-id -p %2 %3`。如果已安装，则是该节点拒绝此账户：DenyUsers 或 AllowUsers、账户被锁定或过期，或登录 shell 不存在；在该节点上运行 `journalctl -u ssh` 可知是哪一种。</translation>
        </message>
        <message>
            <source>The node refuses the account for now. It says: %1</source>
            <translation>该节点目前拒绝此账户。它说：%1</translation>
        </message>
        <message>
            <source>The login itself is right. /run/nologin closes a node to all users but root, account rules close it to one; ask its administrator.</source>
            <translation>登录本身没有问题。/run/nologin 使节点只允许 root 登录，账户规则则只拒绝某个用户；请询问其管理员。</translation>
        </message>
        <message>
            <source>The node accepts the login, but opens no session.</source>
            <translation>该节点接受登录，但不打开会话。</translation>
        </message>
        <message>
            <source>Check MaxSessions in sshd_config there (0 forbids commands), and the account's login shell.</source>
            <translation>检查该节点 sshd_config 中的 MaxSessions（0 表示禁止命令），以及账户的登录 shell。</translation>
        </message>
        <message>
            <source>The node accepts the login, but has no process for the account: its limit (ulimit -u) is reached, or memory is full.</source>
            <translation>该节点接受登录，但无法为此账户创建进程：已达到其上限（ulimit -u），或内存已满。</translation>
        </message>
        <message>
            <source>There, as root: `ps -u %1 -L --no-headers | wc -l` counts them, `su - %1 -c 'ulimit -u'` is the limit; end what is left over, or raise nproc in /etc/security/limits.d.</source>
            <translation>在该节点上以 root 身份：`ps -u %1 -L --no-headers | wc -l` 统计数量，`su - %1 -c 'ulimit -u'` 是上限；结束遗留的进程，或在 /etc/security/limits.d 中提高 nproc。</translation>
        </message>
        <message>
            <source>The node accepts the login, but did not start a command within %1 s.</source>
            <translation>该节点接受登录，但在 %1 秒内没有启动命令。</translation>
        </message>
        <message>
            <source>Check the load of the node, its disks (a home folder that hangs) and the network.</source>
            <translation>检查该节点的负载、磁盘（主文件夹无响应）和网络。</translation>
        </message>
        <message>
            <source>Large packets from this computer to the node vanish: a VPN or tunnel on the path has a smaller MTU. Test: `ping -c 3 -M do -s %1 %2` gets no answer, `ping -c 3 -M do -s 1000 %2` does.</source>
            <translation>从本机到该节点的大数据包丢失：路径上的 VPN 或隧道的 MTU 更小。测试：`ping -c 3 -M do -s %1 %2` 没有应答，`ping -c 3 -M do -s 1000 %2` 有应答。</translation>
        </message>
        <message>
            <source>Lower the MTU of the interface that leads there, for example to 1300.</source>
            <translation>降低通往该节点的接口的 MTU，例如降到 1300。</translation>
        </message>
        <message>
            <source>On this computer: `sudo ip link set dev %1 mtu 1300` (back: `sudo ip link set dev %1 mtu %2`).</source>
            <translation>在本机上：`sudo ip link set dev %1 mtu 1300`（还原：`sudo ip link set dev %1 mtu %2`）。</translation>
        </message>
        <message>
            <source>Packets of %1 bytes from this computer do not reach the node, small ones do.</source>
            <translation>从本机发出的 %1 字节数据包到不了该节点，小数据包可以。</translation>
        </message>
    </context>
    <context>
        <name>SshHostKey</name>
        <message>
            <source>The server sent no host key.</source>
            <translation>服务器没有发送主机密钥。</translation>
        </message>
        <message>
            <source>The host key's fingerprint cannot be computed.</source>
            <translation>无法计算主机密钥的指纹。</translation>
        </message>
    </context>
    <context>
        <name>SshLauncher</name>
        <message>
            <source>%1 passed, %2 warnings, %3 not checked, in %4 ms</source>
            <translation>%1 项通过，%2 项警告，%3 项未查看，用时 %4 ms</translation>
        </message>
        <message>
            <source>The run's node "%1" is no longer in the inventory.</source>
            <translation>该运行的节点“%1”已不在节点清单中。</translation>
        </message>
        <message>
            <source>Add it again with `rankscopectl nodes add %1`.</source>
            <translation>用 `rankscopectl nodes add %1` 重新添加它。</translation>
        </message>
        <message>
            <source>Stopped by the user.</source>
            <translation>已由用户停止。</translation>
        </message>
        <message>
            <source>The node takes no part in this run any more.</source>
            <translation>该节点不再参与此运行。</translation>
        </message>
        <message>
            <source>The program was closed.</source>
            <translation>程序已关闭。</translation>
        </message>
    </context>
    <context>
        <name>SshTarget</name>
        <message>
            <source>The SSH configuration has a fault: %1.</source>
            <translation>SSH 配置有错误：%1。</translation>
        </message>
        <message>
            <source>Fix that line; `ssh -G %1` must print no error.</source>
            <translation>修正该行；`ssh -G %1` 不应打印任何错误。</translation>
        </message>
        <message>
            <source>The key file %1 does not exist.</source>
            <translation>密钥文件 %1 不存在。</translation>
        </message>
        <message>
            <source>Correct identity_file: in the inventory, or make one: `rankscopectl keys generate`.</source>
            <translation>更正节点清单中的 identity_file:，或生成一个：`rankscopectl keys generate`。</translation>
        </message>
        <message>
            <source>Reading the SSH configuration took more than %1 s.</source>
            <translation>读取 SSH 配置用时超过 %1 s。</translation>
        </message>
        <message>
            <source>A `Match exec` in ssh_config waits: try `ssh -G %1`.</source>
            <translation>ssh_config 中有一个 `Match exec` 在等待：试试 `ssh -G %1`。</translation>
        </message>
        <message>
            <source>%1 through %2</source>
            <translation>%1，经由 %2</translation>
        </message>
        <message>
            <source>%1 with %2</source>
            <translation>%1，使用 %2</translation>
        </message>
        <message>
            <source>%1 through "%2"</source>
            <translation>%1，经由“%2”</translation>
        </message>
    </context>
    <context>
        <name>Straggler</name>
        <message>
            <source>it is too hot</source>
            <translation>温度过高</translation>
        </message>
        <message>
            <source>its power supply slows it down</source>
            <translation>供电使其降速</translation>
        </message>
        <message>
            <source>its board slows it down</source>
            <translation>板卡使其降速</translation>
        </message>
        <message>
            <source>it reaches its power limit</source>
            <translation>达到功率上限</translation>
        </message>
        <message>
            <source>GPU %1 of %2 runs slower than the others: %3.</source>
            <translation>%2 的 GPU %1 比其他 GPU 慢：%3。</translation>
        </message>
        <message>
            <source>its clock is at %1 MHz, those of the others at %2 MHz</source>
            <translation>时钟频率为 %1 MHz，其他 GPU 为 %2 MHz</translation>
        </message>
        <message>
            <source>On %1: check cooling, power limit and power supply: nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE</source>
            <translation>在 %1 上：检查散热、功率上限和供电：nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE</translation>
        </message>
        <message>
            <source>it computes %1 of the time, the others %2</source>
            <translation>计算占 %1 的时间，其他 rank 为 %2</translation>
        </message>
        <message>
            <source>it waits for files %1 of the time, the others %2</source>
            <translation>等待文件占 %1 的时间，其他 rank 为 %2</translation>
        </message>
        <message>
            <source>it waits for its own processes %1 of the time, the others %2</source>
            <translation>等待自己的进程占 %1 的时间，其他 rank 为 %2</translation>
        </message>
        <message>
            <source>it sleeps %1 of the time, the others %2</source>
            <translation>休眠占 %1 的时间，其他 rank 为 %2</translation>
        </message>
        <message>
            <source>it waits for data %1 of the time, the others %2</source>
            <translation>等待数据占 %1 的时间，其他 rank 为 %2</translation>
        </message>
        <message>
            <source>it waits for a CPU %1 of the time, the others %2</source>
            <translation>等待 CPU 占 %1 的时间，其他 rank 为 %2</translation>
        </message>
        <message>
            <source>its control group stops it %1 of the time, the others %2</source>
            <translation>被控制组停住占 %1 的时间，其他 rank 为 %2</translation>
        </message>
        <message>
            <source>it waits for memory %1 of the time, the others %2</source>
            <translation>等待内存占 %1 的时间，其他 rank 为 %2</translation>
        </message>
        <message>
            <source>it reads %1 pages of memory from disk per second, the others %2</source>
            <translation>每秒从磁盘读入 %1 个内存页，其他 rank 为 %2</translation>
        </message>
        <message>
            <source>its control group %1 permits %2 CPUs</source>
            <translation>其控制组 %1 允许 %2 个 CPU</translation>
        </message>
        <message>
            <source>Raise the CPU limit of the control group %1 on %2 (cpu.max).</source>
            <translation>提高 %2 上控制组 %1 的 CPU 限额（cpu.max）。</translation>
        </message>
        <message>
            <source>its control group %1 limits its CPU time</source>
            <translation>其控制组 %1 限制了 CPU 时间</translation>
        </message>
        <message>
            <source>its memory is short</source>
            <translation>内存不足</translation>
        </message>
        <message>
            <source>On %1: end what uses memory, or use smaller batches or fewer loader processes.</source>
            <translation>在 %1 上：结束占用内存的程序，或使用更小的批或更少的加载进程。</translation>
        </message>
        <message>
            <source>it waits for a disk</source>
            <translation>等待磁盘</translation>
        </message>
        <message>
            <source>it waits for the file %1</source>
            <translation>等待文件 %1</translation>
        </message>
        <message>
            <source>On %1: check the disk or the file server, or copy the data to a faster one.</source>
            <translation>在 %1 上：检查磁盘或文件服务器，或把数据复制到更快的位置。</translation>
        </message>
        <message>
            <source>%1 (pid %2, user %3) uses %4 CPUs</source>
            <translation>%1（pid %2，用户 %3）使用 %4 个 CPU</translation>
        </message>
        <message>
            <source>other processes use its CPUs</source>
            <translation>其他进程占用了它的 CPU</translation>
        </message>
        <message>
            <source>On %1: look for other programs, and give the ranks CPUs of their own.</source>
            <translation>在 %1 上：查找其他程序，并为各 rank 分配专用的 CPU。</translation>
        </message>
        <message>
            <source>%1 (pid %2, user %3) uses its CPUs</source>
            <translation>%1（pid %2，用户 %3）占用了它的 CPU</translation>
        </message>
        <message>
            <source>On %1: end process %2, or give the ranks CPUs of their own.</source>
            <translation>在 %1 上：结束进程 %2，或为各 rank 分配专用的 CPU。</translation>
        </message>
        <message>
            <source>its CPU runs at %1 GHz, those of the others at %2 GHz</source>
            <translation>其 CPU 运行在 %1 GHz，其他为 %2 GHz</translation>
        </message>
        <message>
            <source>On %1: check frequency governor, power limit and cooling.</source>
            <translation>在 %1 上：检查频率调节器、功率上限和散热。</translation>
        </message>
        <message>
            <source>it waits for its data</source>
            <translation>等待数据</translation>
        </message>
        <message>
            <source>Use more loader processes, or data that is faster to read, on %1.</source>
            <translation>在 %1 上使用更多加载进程，或读取更快的数据。</translation>
        </message>
        <message>
            <source>the PCIe link of its GPU has %1 lanes, those of the others %2</source>
            <translation>其 GPU 的 PCIe 链路有 %1 条通路，其他 GPU 为 %2</translation>
        </message>
        <message>
            <source>On %1: check the GPU's slot and its riser.</source>
            <translation>在 %1 上：检查该 GPU 的插槽及其转接卡。</translation>
        </message>
        <message>
            <source>its program sleeps</source>
            <translation>其程序在休眠</translation>
        </message>
        <message>
            <source>Look for sleep() in the program, where it depends on the rank.</source>
            <translation>在程序中查找依赖于 rank 的 sleep()。</translation>
        </message>
        <message>
            <source>it computes more than the others</source>
            <translation>它的计算比其他 rank 多</translation>
        </message>
        <message>
            <source>Look for what the program does on this rank alone: larger batches, logging, evaluation.</source>
            <translation>查找程序只在此 rank 上做的事：更大的批、日志记录、评估。</translation>
        </message>
        <message>
            <source>Compare the node %1 with the others: `rankscopectl preflight`.</source>
            <translation>将节点 %1 与其他节点比较：`rankscopectl preflight`。</translation>
        </message>
        <message>
            <source>The network from %1 to %2 is slow, and the ranks wait for it: it moves %3 MB/s.</source>
            <translation>从 %1 到 %2 的网络较慢，各 rank 在等待它：传输速率 %3 MB/s。</translation>
        </message>
        <message>
            <source>The network of %1 is slow, and the ranks wait for it: it moves %2 MB/s.</source>
            <translation>%1 的网络较慢，各 rank 在等待它：传输速率 %2 MB/s。</translation>
        </message>
        <message>
            <source>from %1 to %2: data is on the way %3 of the time, elsewhere %4</source>
            <translation>从 %1 到 %2：%3 的时间有数据在途，其他路径为 %4</translation>
        </message>
        <message>
            <source>it moves %1 MB/s while it has data, with answers after %2 ms</source>
            <translation>有数据时传输速率为 %1 MB/s，应答时间 %2 ms</translation>
        </message>
        <message>
            <source>%1 segments were sent again</source>
            <translation>重传了 %1 个报文段</translation>
        </message>
        <message>
            <source>%1 of %2: %3 packets per second</source>
            <translation>%2 的 %1：每秒 %3 个包</translation>
        </message>
        <message>
            <source>On %1: check speed, errors and drops of its network interface, its cable and its switch port.</source>
            <translation>在 %1 上：检查其网络接口的速率、错误和丢包，以及网线和交换机端口。</translation>
        </message>
        <message>
            <source>Rank %1 on %2 is slow: the others wait for it in every step.</source>
            <translation>%2 上的 rank %1 较慢：其他 rank 每一步都在等待它。</translation>
        </message>
        <message>
            <source>Rank %1 on %2 is slow, and the others wait for it: %3.</source>
            <translation>%2 上的 rank %1 较慢，其他 rank 在等待它：%3。</translation>
        </message>
        <message>
            <source>the others lose %1 of their time by it</source>
            <translation>其他 rank 因此损失 %1 的时间</translation>
        </message>
        <message>
            <source>, %1 s of a step of %2 s</source>
            <translation>，每步 %2 s 中占 %1 s</translation>
        </message>
    </context>
    <context>
        <name>Throughput</name>
        <message>
            <source>Steps per second: no rank reports steps.</source>
            <translation>每秒步数：没有 rank 报告步数。</translation>
        </message>
        <message>
            <source>Steps per second: too few steps are reported, or all at once.</source>
            <translation>每秒步数：报告的步数太少，或一次全部报告。</translation>
        </message>
        <message>
            <source>Steps per second: a validation lies between any two reported steps.</source>
            <translation>每秒步数：任意两次报告的步之间都有验证。</translation>
        </message>
        <message>
            <source>Steps per second: the program reports epochs, no steps.</source>
            <translation>每秒步数：程序报告 epoch，不报告步数。</translation>
        </message>
        <message>
            <source>Samples per second: "%1" does not say whether it is for one rank or for all. Add throughput.batch_per_rank or throughput.batch to the job.</source>
            <translation>每秒样本数：“%1”没有说明是一个 rank 的还是所有 rank 的。请在作业中添加 throughput.batch_per_rank 或 throughput.batch。</translation>
        </message>
        <message>
            <source>Samples per second: ranks share a batch ("%1"). Add throughput.batch to the job.</source>
            <translation>每秒样本数：多个 rank 共用一个批次（“%1”）。请在作业中添加 throughput.batch。</translation>
        </message>
        <message>
            <source>Samples per second: with "%1", a reported step may be one pass or all of them. Add throughput.batch to the job.</source>
            <translation>每秒样本数：使用“%1”时，报告的一步可能是一次前向与反向，也可能是全部。请在作业中添加 throughput.batch。</translation>
        </message>
        <message>
            <source>Samples per second: "%1" may be a part of a step. Add throughput.batch to the job.</source>
            <translation>每秒样本数：“%1”可能只是一步的一部分。请在作业中添加 throughput.batch。</translation>
        </message>
        <message>
            <source>Samples per second: a reported step may be a round with many batches. Add throughput.batch to the job.</source>
            <translation>每秒样本数：报告的一步可能是包含多个批次的一轮。请在作业中添加 throughput.batch。</translation>
        </message>
        <message>
            <source>Samples per second: neither output nor command says the batch size. Add throughput.batch to the job.</source>
            <translation>每秒样本数：输出和命令都没有说明批次大小。请在作业中添加 throughput.batch。</translation>
        </message>
        <message>
            <source>MFU: samples or tokens per second are unknown.</source>
            <translation>MFU：每秒样本数和每秒 token 数未知。</translation>
        </message>
        <message>
            <source>MFU: a token passes only a part of the model ("%1"). Add throughput.parameters to the job.</source>
            <translation>MFU：每个 token 只经过模型的一部分（“%1”）。请在作业中添加 throughput.parameters。</translation>
        </message>
        <message>
            <source>MFU: "%1" may be a part of the model. Add throughput.parameters to the job.</source>
            <translation>MFU：“%1”可能只是模型的一部分。请在作业中添加 throughput.parameters。</translation>
        </message>
        <message>
            <source>MFU: how many GPUs each rank uses is unknown.</source>
            <translation>MFU：不知道每个 rank 使用多少 GPU。</translation>
        </message>
        <message>
            <source>MFU: the GPU is unknown. Add throughput.peak_tflops to the job.</source>
            <translation>MFU：GPU 未知。请在作业中添加 throughput.peak_tflops。</translation>
        </message>
        <message>
            <source>MFU: the peak of %1 is unknown. Add throughput.peak_tflops to the job.</source>
            <translation>MFU：%1 的峰值未知。请在作业中添加 throughput.peak_tflops。</translation>
        </message>
        <message>
            <source>MFU: the figures give more than the GPUs can compute. Check throughput in the job.</source>
            <translation>MFU：这些数值超出了 GPU 的计算能力。请检查作业中的 throughput。</translation>
        </message>
        <message>
            <source>MFU: the FLOPs of the model are unknown. Add throughput.flops_per_sample or throughput.parameters to the job.</source>
            <translation>MFU：模型的 FLOPs 未知。请在作业中添加 throughput.flops_per_sample 或 throughput.parameters。</translation>
        </message>
        <message>
            <source>"%1" and "%2" contradict each other.</source>
            <translation>“%1”和“%2”互相矛盾。</translation>
        </message>
        <message>
            <source>printed by the program (%1)</source>
            <translation>由程序输出（%1）</translation>
        </message>
        <message>
            <source>measured over %1 s</source>
            <translation>在 %1 秒内测得</translation>
        </message>
    </context>
    <context>
        <name>Transport</name>
        <message>
            <source>this computer</source>
            <translation>本机</translation>
        </message>
        <message>
            <source>connecting to %1</source>
            <translation>正在连接 %1</translation>
        </message>
        <message>
            <source>%1 is busy; trying again</source>
            <translation>%1 正忙；正在重试</translation>
        </message>
        <message>
            <source>Cancelled.</source>
            <translation>已取消。</translation>
        </message>
        <message>
            <source>%1 cannot be started on this computer.</source>
            <translation>无法在本机上启动 %1。</translation>
        </message>
        <message>
            <source>Install it.</source>
            <translation>安装它。</translation>
        </message>
        <message>
            <source>Check the limits of processes and memory (ulimit -u).</source>
            <translation>检查进程数和内存的限制（ulimit -u）。</translation>
        </message>
    </context>
    <context>
        <name>TransportChoice</name>
        <message>
            <source>certificate %1</source>
            <translation>证书 %1</translation>
        </message>
        <message>
            <source>security key %1</source>
            <translation>安全密钥 %1</translation>
        </message>
        <message>
            <source>IdentitiesOnly, and only the agent has %1</source>
            <translation>设置了 IdentitiesOnly，而 %1 只在 ssh-agent 中</translation>
        </message>
        <message>
            <source>GSSAPI with a Kerberos ticket</source>
            <translation>使用 Kerberos 票据的 GSSAPI</translation>
        </message>
        <message>
            <source>as the inventory says</source>
            <translation>按节点清单的设置</translation>
        </message>
        <message>
            <source>there is no ssh program</source>
            <translation>没有 ssh 程序</translation>
        </message>
        <message>
            <source>@cert-authority in %1</source>
            <translation>%1 中的 @cert-authority</translation>
        </message>
    </context>
    <context>
        <name>TreePush</name>
        <message>
            <source>pushing the program's files</source>
            <translation>正在推送程序文件</translation>
        </message>
        <message>
            <source>%1 changed while it was pushed.</source>
            <translation>%1 在推送期间发生了变化。</translation>
        </message>
        <message>
            <source>Start again when nothing writes to it.</source>
            <translation>等没有程序写入它时再启动。</translation>
        </message>
    </context>
    <context>
        <name>UserTree</name>
        <message>
            <source>push: %1 is not there: %2.</source>
            <translation>push: %1 不存在：%2。</translation>
        </message>
        <message>
            <source>Paths count from the folder of the job file.</source>
            <translation>路径相对于作业文件所在的文件夹。</translation>
        </message>
        <message>
            <source>push: names more than %1 files.</source>
            <translation>push: 指定的文件超过 %1 个。</translation>
        </message>
        <message>
            <source>Name the folders that the program needs, and keep data sets on the nodes.</source>
            <translation>指定程序需要的文件夹，数据集则保留在节点上。</translation>
        </message>
        <message>
            <source>Stopped.</source>
            <translation>已停止。</translation>
        </message>
        <message>
            <source>push: %1 cannot be read: %2.</source>
            <translation>push: 无法读取 %1：%2。</translation>
        </message>
        <message>
            <source>Check its permissions, or name what the program needs one by one.</source>
            <translation>检查其权限，或逐一指定程序需要的内容。</translation>
        </message>
    </context>
    <context>
        <name>Variables</name>
        <message>
            <source>0 or 1</source>
            <translation>0 或 1</translation>
        </message>
        <message>
            <source>a number from %1 on</source>
            <translation>不小于 %1 的数</translation>
        </message>
        <message>
            <source>a number up to %1</source>
            <translation>不大于 %1 的数</translation>
        </message>
        <message>
            <source>a number from %1 to %2</source>
            <translation>%1 到 %2 之间的数</translation>
        </message>
        <message>
            <source>%1 has no variable %2. Did you mean %3?</source>
            <translation>%1 没有变量 %2。是否指 %3？</translation>
        </message>
        <message>
            <source>Rankscope does not know the variable %1.</source>
            <translation>Rankscope 不认识变量 %1。</translation>
        </message>
        <message>
            <source>%1 is replaced by %2.</source>
            <translation>%1 已被 %2 取代。</translation>
        </message>
        <message>
            <source>%1 has no effect: version %2 was the last to read it.</source>
            <translation>%1 不起作用：版本 %2 是最后一个读取它的版本。</translation>
        </message>
        <message>
            <source>%1 has no effect: version %2 was the last to read it. Use %3.</source>
            <translation>%1 不起作用：版本 %2 是最后一个读取它的版本。改用 %3。</translation>
        </message>
        <message>
            <source>%1 has no effect: version %2 is the first to read it.</source>
            <translation>%1 不起作用：版本 %2 起才读取它。</translation>
        </message>
        <message>
            <source>%1=%2 is out of range: %3.</source>
            <translation>%1=%2 超出范围：%3。</translation>
        </message>
    </context>
    <context>
        <name>Verdict</name>
        <message>
            <source>rank %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>rank %1 on %2</source>
            <translation>%2 上的 rank %1</translation>
        </message>
        <message>
            <source>%1 and %2</source>
            <translation>%1 和 %2</translation>
        </message>
        <message>
            <source>the run</source>
            <translation>此次运行</translation>
        </message>
        <message>
            <source>Probably: %1</source>
            <translation>很可能：%1</translation>
        </message>
        <message>
            <source>Possibly: %1</source>
            <translation>可能：%1</translation>
        </message>
        <message>
            <source>since %1, %2 s</source>
            <translation>自 %1 起，%2 秒</translation>
        </message>
        <message>
            <source>%1 was stopped.</source>
            <translation>%1 曾被停住。</translation>
        </message>
        <message>
            <source>a debugger held %1.</source>
            <translation>调试器曾停住 %1。</translation>
        </message>
        <message>
            <source>%1 was slower than the others.</source>
            <translation>%1 曾比其他 rank 慢。</translation>
        </message>
        <message>
            <source>%1 did not answer.</source>
            <translation>%1 曾没有响应。</translation>
        </message>
        <message>
            <source>the network of %1 was slow.</source>
            <translation>%1 的网络曾很慢。</translation>
        </message>
        <message>
            <source>the network held %1.</source>
            <translation>网络曾使 %1 停滞。</translation>
        </message>
        <message>
            <source>the ranks waited in different collectives.</source>
            <translation>各 rank 曾等待不同的集合通信。</translation>
        </message>
        <message>
            <source>%1 made no progress.</source>
            <translation>%1 曾没有进展。</translation>
        </message>
        <message>
            <source>Over after %1 s: %2</source>
            <translation>%1 秒后结束：%2</translation>
        </message>
        <message>
            <source>Over: %1</source>
            <translation>已结束：%1</translation>
        </message>
    </context>
    <context>
        <name>VersionNames</name>
        <message>
            <source>NVIDIA driver</source>
            <translation>NVIDIA 驱动程序</translation>
        </message>
        <message>
            <source>%1 of the system</source>
            <translation>系统的 %1</translation>
        </message>
    </context>
    <context>
        <name>Watcher</name>
        <message>
            <source>rank %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>ranks %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>a collective</source>
            <translation>某个集合通信</translation>
        </message>
        <message>
            <source>%1 %2 of %3</source>
            <translation>%3 的 %1 %2</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%2 的 %1</translation>
        </message>
        <message>
            <source> at %1</source>
            <translation> 位于 %1</translation>
        </message>
        <message>
            <source>The ranks do not call the same collective in %1 (%2).</source>
            <translation>各 rank 在 %1 中调用的集合通信不同（%2）。</translation>
        </message>
        <message>
            <source>%1 calls %2 with another size than the other ranks (%3).</source>
            <translation>%1 调用 %2 时的大小与其他 rank 不同（%3）。</translation>
        </message>
        <message>
            <source>%1 calls %2 with another type than the other ranks (%3).</source>
            <translation>%1 调用 %2 时的类型与其他 rank 不同（%3）。</translation>
        </message>
        <message>
            <source>%1 calls another collective where the others call %2 (%3).</source>
            <translation>其他 rank 调用 %2 时，%1 调用了另一个集合通信（%3）。</translation>
        </message>
        <message>
            <source>Make the control flow of all ranks identical: a branch that depends on the rank or on its data must not skip a collective.</source>
            <translation>使所有 rank 的控制流一致：依赖于 rank 或其数据的分支不得跳过集合通信。</translation>
        </message>
        <message>
            <source>Pass tensors of the same size and type on all ranks: pad the last batch, or use drop_last=True.</source>
            <translation>在所有 rank 上传入相同大小和类型的张量：填充最后一批，或使用 drop_last=True。</translation>
        </message>
        <message>
            <source>The process of %1 does not answer NCCL's RAS service, and the run makes no progress.</source>
            <translation>%1 的进程没有应答 NCCL 的 RAS 服务，且运行没有进展。</translation>
        </message>
        <message>
            <source>Check the state of the process and the network of its node.</source>
            <translation>检查该进程的状态及其节点的网络。</translation>
        </message>
        <message>
            <source>NCCL reports an error on %1: %2 (%3).</source>
            <translation>NCCL 报告 %1 上出错：%2（%3）。</translation>
        </message>
        <message>
            <source>Read the log of these ranks with NCCL_DEBUG=WARN: NCCL names the failed call there.</source>
            <translation>用 NCCL_DEBUG=WARN 查看这些 rank 的日志：NCCL 在其中指出失败的调用。</translation>
        </message>
        <message>
            <source>%1 waits in %2, which the other ranks have not called.</source>
            <translation>%1 在 %2 中等待，而其他 rank 没有调用它。</translation>
        </message>
        <message>
            <source>All ranks have entered %1, and it does not end: the network or a GPU holds it.</source>
            <translation>所有 rank 都已进入 %1，但它没有结束：被网络或 GPU 卡住。</translation>
        </message>
        <message>
            <source>%1 has entered %2 and does not finish it; the other ranks have finished it.</source>
            <translation>%1 已进入 %2，但没有完成；其他 rank 已完成。</translation>
        </message>
        <message>
            <source>Check the GPUs of these ranks (`nvidia-smi`, Xid lines in the kernel log) and the network between their nodes.</source>
            <translation>检查这些 rank 的 GPU（`nvidia-smi`，内核日志中的 Xid 行）以及它们节点之间的网络。</translation>
        </message>
        <message>
            <source>process group %1</source>
            <translation>进程组 %1</translation>
        </message>
        <message>
            <source>Flight Recorder: %1 (%2, collective %3): %4</source>
            <translation>Flight Recorder：%1（%2，集合通信 %3）：%4</translation>
        </message>
        <message>
            <source>Flight Recorder: %1 has called nothing in this group</source>
            <translation>Flight Recorder：%1 在此组中没有调用过任何操作</translation>
        </message>
        <message>
            <source>Flight Recorder: %1 called last: %2</source>
            <translation>Flight Recorder：%1 最后调用的是：%2</translation>
        </message>
        <message>
            <source>a file</source>
            <translation>一个文件</translation>
        </message>
        <message>
            <source>a file on %1</source>
            <translation>%1 上的一个文件</translation>
        </message>
        <message>
            <source>its main thread</source>
            <translation>其主线程</translation>
        </message>
        <message>
            <source>its process %1</source>
            <translation>其进程 %1</translation>
        </message>
        <message>
            <source>%1 uses %2, and the file server %3 does not answer</source>
            <translation>%1 正在使用 %2，而文件服务器 %3 没有应答</translation>
        </message>
        <message>
            <source>%1 uses %2, and gets no answer</source>
            <translation>%1 正在使用 %2，但得不到应答</translation>
        </message>
        <message>
            <source>%1 uses %2, and the file system (%3) does not answer</source>
            <translation>%1 正在使用 %2，而文件系统（%3）没有应答</translation>
        </message>
        <message>
            <source>its process %1 is stopped by a signal</source>
            <translation>其进程 %1 已被信号停止</translation>
        </message>
        <message>
            <source>a debugger holds it</source>
            <translation>被调试器停住</translation>
        </message>
        <message>
            <source>a debugger holds it: %1</source>
            <translation>被调试器停住：%1</translation>
        </message>
        <message>
            <source>its cgroup %1 permits %2 cores, and throttles it</source>
            <translation>其 cgroup %1 允许 %2 个核，并对它限流</translation>
        </message>
        <message>
            <source>its cgroup %1 throttles it</source>
            <translation>其 cgroup %1 对它限流</translation>
        </message>
        <message>
            <source>it waits for a lock on a file</source>
            <translation>等待文件锁</translation>
        </message>
        <message>
            <source>it waits for the lock on %1</source>
            <translation>等待 %1 上的锁</translation>
        </message>
        <message>
            <source>it waits for data from another process, for example a data loader</source>
            <translation>等待来自其他进程的数据，例如数据加载进程</translation>
        </message>
        <message>
            <source>it waits for data from %1</source>
            <translation>等待来自 %1 的数据</translation>
        </message>
        <message>
            <source>it waits for a lock, a queue or another thread of the program</source>
            <translation>等待程序中的锁、队列或其他线程</translation>
        </message>
        <message>
            <source>it waits for a process that it has started</source>
            <translation>等待它启动的进程</translation>
        </message>
        <message>
            <source>it sleeps</source>
            <translation>在休眠</translation>
        </message>
        <message>
            <source>it uses a CPU without end</source>
            <translation>一直占用 CPU</translation>
        </message>
        <message>
            <source>it computes</source>
            <translation>在计算</translation>
        </message>
        <message>
            <source>it waits for data from %1:%2</source>
            <translation>等待来自 %1:%2 的数据</translation>
        </message>
        <message>
            <source>its process has ended</source>
            <translation>其进程已结束</translation>
        </message>
        <message>
            <source>what it does cannot be seen</source>
            <translation>无法看到它在做什么</translation>
        </message>
        <message>
            <source> and %1</source>
            <translation> 和 %1</translation>
        </message>
        <message>
            <source>rank %1 on %2</source>
            <translation>%2 上的 rank %1</translation>
        </message>
        <message>
            <source> (%1)</source>
            <translation> (%1)</translation>
        </message>
        <message>
            <source>, %1 bytes not acknowledged</source>
            <translation>，%1 字节未确认</translation>
        </message>
        <message>
            <source>, %1 bytes not read</source>
            <translation>，%1 字节未读取</translation>
        </message>
        <message>
            <source>, sent again %1 times</source>
            <translation>，重传 %1 次</translation>
        </message>
        <message>
            <source>, zero window</source>
            <translation>，零窗口</translation>
        </message>
        <message>
            <source>, nothing received for %1 s</source>
            <translation>，已有 %1 s 未收到数据</translation>
        </message>
        <message>
            <source>, nothing acknowledged for %1 s</source>
            <translation>，已有 %1 s 未得到确认</translation>
        </message>
        <message>
            <source>, %1 cores used</source>
            <translation>，使用 %1 个核</translation>
        </message>
        <message>
            <source>file %1, file system %2, mounted from %3</source>
            <translation>文件 %1，文件系统 %2，挂载自 %3</translation>
        </message>
        <message>
            <source>no Python stack: %1</source>
            <translation>没有 Python 栈：%1</translation>
        </message>
        <message>
            <source>On %1: `kill -CONT %2` continues it.</source>
            <translation>在 %1 上执行 `kill -CONT %2` 可使其继续。</translation>
        </message>
        <message>
            <source>Let the debugger continue the process, or detach it.</source>
            <translation>让调试器继续该进程，或脱离它。</translation>
        </message>
        <message>
            <source>Raise the CPU limit (cpu.max) of the cgroup %1 on %2.</source>
            <translation>提高 %2 上 cgroup %1 的 CPU 限额（cpu.max）。</translation>
        </message>
        <message>
            <source>Check the file system there: kernel log and mount.</source>
            <translation>检查那里的文件系统：内核日志和挂载。</translation>
        </message>
        <message>
            <source>Check the file server %1 and the network to it.</source>
            <translation>检查文件服务器 %1 和到它的网络。</translation>
        </message>
        <message>
            <source>`lslocks` on %1 shows who holds the lock.</source>
            <translation>在 %1 上执行 `lslocks` 会显示谁持有该锁。</translation>
        </message>
        <message>
            <source>Check the processes that rank %1 has started: `pstree -p %2`.</source>
            <translation>检查 rank %1 启动的进程：`pstree -p %2`。</translation>
        </message>
        <message>
            <source>On %1: `py-spy dump --pid %2` shows where it is.</source>
            <translation>在 %1 上执行 `py-spy dump --pid %2` 会显示它停在哪里。</translation>
        </message>
        <message>
            <source>Check the program at %1.</source>
            <translation>检查位于 %1 的程序。</translation>
        </message>
        <message>
            <source>Ranks %1</source>
            <translation>Rank %1</translation>
        </message>
        <message>
            <source>Ranks %1 on %2</source>
            <translation>%2 上的 rank %1</translation>
        </message>
        <message>
            <source>%1: the agent has not answered for %2 s</source>
            <translation>%1：代理程序已有 %2 s 没有应答</translation>
        </message>
        <message>
            <source>%1 does not answer, and the ranks on the other nodes wait.</source>
            <translation>%1 没有应答，其他节点上的 rank 在等待。</translation>
        </message>
        <message>
            <source>Check that %1 is up, its load and its network.</source>
            <translation>检查 %1 是否在运行，以及其负载和网络。</translation>
        </message>
        <message>
            <source>%1 has ended without an error, and %2 still wait for it.</source>
            <translation>%1 没有报错就结束了，而 %2 仍在等待它。</translation>
        </message>
        <message>
            <source>Ranks %1 have ended without an error, and %2 still wait for them.</source>
            <translation>Rank %1 没有报错就结束了，而 %2 仍在等待它们。</translation>
        </message>
        <message>
            <source>Give all ranks the same number of steps: DistributedSampler, drop_last=True, or the join() context.</source>
            <translation>使所有 rank 的步数相同：DistributedSampler、drop_last=True 或 join() 上下文。</translation>
        </message>
        <message>
            <source>%1 at %2</source>
            <translation>%1，位于 %2</translation>
        </message>
        <message>
            <source>The ranks wait in different collectives (%1).</source>
            <translation>各 rank 在不同的集合通信中等待（%1）。</translation>
        </message>
        <message>
            <source>%1 waits in another collective than the others (%2).</source>
            <translation>%1 等待的集合通信与其他 rank 不同（%2）。</translation>
        </message>
        <message>
            <source>Read the stacks of the ranks.</source>
            <translation>查看各 rank 的栈。</translation>
        </message>
        <message>
            <source>no stack could be read</source>
            <translation>无法读取任何栈</translation>
        </message>
        <message>
            <source>kernel of %1: %2</source>
            <translation>%1 的内核：%2</translation>
        </message>
        <message>
            <source>%1, %2 of %3 channels done</source>
            <translation>%1，%3 个通道中已完成 %2 个</translation>
        </message>
        <message>
            <source>%1 of %2 bytes, %3</source>
            <translation>%1（%2 字节，%3）</translation>
        </message>
        <message>
            <source>%1: rank %2: %3 %4 of %5: %6, for %7 s</source>
            <translation>%1：rank %2：%5 的 %3，序号 %4：%6，已持续 %7 s</translation>
        </message>
        <message>
            <source>%1 and %2</source>
            <translation>%1 和 %2</translation>
        </message>
        <message>
            <source>%1 does not answer, neither the other nodes nor this computer.</source>
            <translation>%1 对其他节点和本机都没有应答。</translation>
        </message>
        <message>
            <source>%1 cannot reach %2 port %3: SYN sent, no answer.</source>
            <translation>%1 无法到达 %2 的端口 %3：已发送 SYN，无应答。</translation>
        </message>
        <message>
            <source>%1 cannot reach %2: SYN sent, no answer.</source>
            <translation>%1 无法到达 %2：已发送 SYN，无应答。</translation>
        </message>
        <message>
            <source>Check that %1 is up, and its network.</source>
            <translation>检查 %1 是否在运行，以及其网络。</translation>
        </message>
        <message>
            <source>Open the port on %1 for the other nodes alone.</source>
            <translation>在 %1 上只对其他节点开放该端口。</translation>
        </message>
        <message>
            <source>Check the network and the firewalls between %1.</source>
            <translation>检查 %1 之间的网络和防火墙。</translation>
        </message>
        <message>
            <source>The firewall of %1 drops packets from %2 to %3 port %4.</source>
            <translation>%1 的防火墙丢弃从 %2 到 %3 端口 %4 的包。</translation>
        </message>
        <message>
            <source>new connections between these nodes pass, on other ports</source>
            <translation>这些节点之间的新连接在其他端口上可以通过</translation>
        </message>
        <message>
            <source>collectives</source>
            <translation>集合通信</translation>
        </message>
        <message>
            <source>%1 (%2): considered dead</source>
            <translation>%1（%2）：视为已失效</translation>
        </message>
        <message>
            <source>%1 (%2): no answer</source>
            <translation>%1（%2）：无应答</translation>
        </message>
        <message>
            <source>%1 (%2): error of the initialization: %3</source>
            <translation>%1（%2）：初始化错误：%3</translation>
        </message>
        <message>
            <source>%1 (%2): error: %3</source>
            <translation>%1（%2）：错误：%3</translation>
        </message>
        <message>
            <source>%1 (%2): %3 launched where the others have launched %4</source>
            <translation>%1（%2）：启动的是 %3，而其他 rank 启动的是 %4</translation>
        </message>
        <message>
            <source>%1 (%2): %3 launched %4 times, by most others %5 times</source>
            <translation>%1（%2）：%3 启动了 %4 次，其他多数 rank 启动了 %5 次</translation>
        </message>
        <message>
            <source>communicator 0x%1</source>
            <translation>通信域 0x%1</translation>
        </message>
        <message>
            <source>This run makes no progress, and its ranks cannot be inspected: %1</source>
            <translation>此运行没有进展，且无法检查其 rank：%1</translation>
        </message>
        <message>
            <source>%1 waits</source>
            <translation>%1 在其中等待</translation>
        </message>
        <message>
            <source>%1 wait</source>
            <translation>%1 在其中等待</translation>
        </message>
        <message>
            <source>%1 has not entered %2, in which %3.</source>
            <translation>%1 尚未进入 %2，而 %3。</translation>
        </message>
        <message>
            <source>%1 has not entered %2, in which %3: %4.</source>
            <translation>%1 尚未进入 %2（%3）：%4。</translation>
        </message>
        <message>
            <source>%1, for at least %2 s</source>
            <translation>%1，至少 %2 秒</translation>
        </message>
        <message>
            <source>%1 makes no progress: %2.</source>
            <translation>%1 没有进展：%2。</translation>
        </message>
        <message>
            <source>%1 has not entered the collective that rank %2 waits in: %3.</source>
            <translation>%1 尚未进入 rank %2 等待的集合通信：%3。</translation>
        </message>
        <message>
            <source>%1 has not entered the collective that the other %2 ranks wait in: %3.</source>
            <translation>%1 尚未进入其他 %2 个 rank 等待的集合通信：%3。</translation>
        </message>
        <message>
            <source>All ranks wait in a collective, and no cause was found.</source>
            <translation>所有 rank 都在集合通信中等待，未找到原因。</translation>
        </message>
        <message>
            <source>%1 and the other nodes do not reach each other: data is not acknowledged.</source>
            <translation>%1 与其他节点互相无法到达：数据未被确认。</translation>
        </message>
        <message>
            <source>%1 gets no answer from %2 (%3 port %4): data is not acknowledged.</source>
            <translation>%1 收不到 %2（%3 端口 %4）的应答：数据未被确认。</translation>
        </message>
        <message>
            <source>%1 get no answer from %2 (%3 port %4): data is not acknowledged.</source>
            <translation>%1 收不到 %2（%3 端口 %4）的应答：数据未被确认。</translation>
        </message>
        <message>
            <source>Open port %1 of %2 for the other nodes alone, also for connections that exist.</source>
            <translation>请仅对其他节点开放 %2 的端口 %1，包括已有的连接。</translation>
        </message>
        <message>
            <source>Connections of %1 to port %2 of %3, where the ranks met, get no answer.</source>
            <translation>%1 与 %3 的端口 %2（各 rank 会合之处）之间的连接没有应答。</translation>
        </message>
        <message>
            <source>the steps went on; a run ends once its ranks miss each other there</source>
            <translation>训练步仍在继续；一旦各 rank 在那里发现彼此缺失，运行就会结束</translation>
        </message>
    </context>
    <context>
        <name>WindowActions</name>
        <message>
            <source>&amp;Fleet</source>
            <translation>集群(&amp;F)</translation>
        </message>
        <message>
            <source>&amp;Launch</source>
            <translation>启动(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Doctor</source>
            <translation>诊断(&amp;D)</translation>
        </message>
        <message>
            <source>L&amp;ive</source>
            <translation>实时(&amp;I)</translation>
        </message>
        <message>
            <source>&amp;Runs</source>
            <translation>运行记录(&amp;R)</translation>
        </message>
        <message>
            <source>Lo&amp;gs</source>
            <translation>日志(&amp;G)</translation>
        </message>
        <message>
            <source>Page</source>
            <translation>页面</translation>
        </message>
        <message>
            <source>File</source>
            <translation>文件</translation>
        </message>
        <message>
            <source>The run store is not open.</source>
            <translation>运行存储未打开。</translation>
        </message>
        <message>
            <source>&amp;Open job file…</source>
            <translation>打开作业文件(&amp;O)…</translation>
        </message>
        <message>
            <source>&amp;Save as job file…</source>
            <translation>另存为作业文件(&amp;S)…</translation>
        </message>
        <message>
            <source>Correct the values in Launch first.</source>
            <translation>请先更正“启动”中的值。</translation>
        </message>
        <message>
            <source>From a &amp;command line…</source>
            <translation>从命令行(&amp;C)…</translation>
        </message>
        <message>
            <source>Open failure &amp;bundle…</source>
            <translation>打开故障包(&amp;B)…</translation>
        </message>
        <message>
            <source>&amp;Import runs from a folder…</source>
            <translation>从文件夹导入运行(&amp;I)…</translation>
        </message>
        <message>
            <source>Sa&amp;ve failure bundle…</source>
            <translation>保存故障包(&amp;V)…</translation>
        </message>
        <message>
            <source>Scaling &amp;run of the job in Launch…</source>
            <translation>对启动页的作业做扩展性运行(&amp;R)…</translation>
        </message>
        <message>
            <source>Open &amp;logs…</source>
            <translation>打开日志(&amp;L)…</translation>
        </message>
        <message>
            <source>&amp;Quit</source>
            <translation>退出(&amp;Q)</translation>
        </message>
        <message>
            <source>Theme</source>
            <translation>主题</translation>
        </message>
        <message>
            <source>&amp;Command palette…</source>
            <translation>命令面板(&amp;C)…</translation>
        </message>
        <message>
            <source>View</source>
            <translation>视图</translation>
        </message>
        <message>
            <source>&amp;Settings…</source>
            <translation>设置(&amp;S)…</translation>
        </message>
        <message>
            <source>Edit</source>
            <translation>编辑</translation>
        </message>
        <message>
            <source>&amp;Keyboard shortcuts…</source>
            <translation>键盘快捷键(&amp;K)…</translation>
        </message>
        <message>
            <source>As the &amp;system</source>
            <translation>跟随系统(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;Light</source>
            <translation>浅色(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Dark</source>
            <translation>深色(&amp;D)</translation>
        </message>
        <message>
            <source>&amp;High contrast</source>
            <translation>高对比度(&amp;H)</translation>
        </message>
        <message>
            <source>&amp;Larger text</source>
            <translation>放大文字(&amp;L)</translation>
        </message>
        <message>
            <source>S&amp;maller text</source>
            <translation>缩小文字(&amp;M)</translation>
        </message>
        <message>
            <source>&amp;Normal text</source>
            <translation>正常文字(&amp;N)</translation>
        </message>
        <message>
            <source>Nodes</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>Correct the inventory's errors first; Fleet shows them.</source>
            <translation>请先更正清单中的错误；“集群”会列出它们。</translation>
        </message>
        <message>
            <source>&amp;Add node…</source>
            <translation>添加节点(&amp;A)…</translation>
        </message>
        <message>
            <source>&amp;Import…</source>
            <translation>导入(&amp;I)…</translation>
        </message>
        <message>
            <source>&amp;Edit…</source>
            <translation>编辑(&amp;E)…</translation>
        </message>
        <message>
            <source>&amp;Remove…</source>
            <translation>移除(&amp;R)…</translation>
        </message>
        <message>
            <source>SSH &amp;key…</source>
            <translation>SSH 密钥(&amp;K)…</translation>
        </message>
        <message>
            <source>&amp;Leftovers…</source>
            <translation>残留(&amp;L)…</translation>
        </message>
        <message>
            <source>&amp;Open shell</source>
            <translation>打开 shell(&amp;O)</translation>
        </message>
        <message>
            <source>&amp;Probe</source>
            <translation>探测(&amp;P)</translation>
        </message>
        <message>
            <source>Probe a&amp;ll</source>
            <translation>全部探测(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Cancel probes</source>
            <translation>取消探测(&amp;C)</translation>
        </message>
        <message>
            <source>No probe is running.</source>
            <translation>没有正在进行的探测。</translation>
        </message>
        <message>
            <source>Run</source>
            <translation>运行</translation>
        </message>
        <message>
            <source>No run is in progress in this window.</source>
            <translation>此窗口中没有进行中的运行。</translation>
        </message>
        <message>
            <source>&amp;Start</source>
            <translation>启动(&amp;S)</translation>
        </message>
        <message>
            <source>The job cannot start yet; Launch says why.</source>
            <translation>作业还不能启动；“启动”会说明原因。</translation>
        </message>
        <message>
            <source>Run pre&amp;flight</source>
            <translation>运行预检(&amp;F)</translation>
        </message>
        <message>
            <source>The job has errors, or a preflight is running; Doctor says which.</source>
            <translation>作业有错误，或预检正在进行；“诊断”会说明是哪一种。</translation>
        </message>
        <message>
            <source>&amp;Pause or continue</source>
            <translation>暂停或继续(&amp;P)</translation>
        </message>
        <message>
            <source>No run that can be paused is in progress in this window.</source>
            <translation>此窗口中没有可以暂停的进行中的运行。</translation>
        </message>
        <message>
            <source>S&amp;top</source>
            <translation>停止(&amp;T)</translation>
        </message>
        <message>
            <source>Run &amp;again…</source>
            <translation>再次运行(&amp;A)…</translation>
        </message>
        <message>
            <source>Show a run in Live that is over.</source>
            <translation>请在“实时”中显示一个已结束的运行。</translation>
        </message>
        <message>
            <source>A&amp;ttach to the run in progress</source>
            <translation>附加到进行中的运行(&amp;T)</translation>
        </message>
        <message>
            <source>The run store has no run in progress.</source>
            <translation>运行存储中没有进行中的运行。</translation>
        </message>
        <message>
            <source>Runs</source>
            <translation>运行记录</translation>
        </message>
        <message>
            <source>Select a run in Runs.</source>
            <translation>请在“运行记录”中选择一个运行。</translation>
        </message>
        <message>
            <source>&amp;Open the selected run</source>
            <translation>打开所选运行(&amp;O)</translation>
        </message>
        <message>
            <source>Run the selected job a&amp;gain…</source>
            <translation>再次运行所选作业(&amp;G)…</translation>
        </message>
        <message>
            <source>&amp;Delete the selected run…</source>
            <translation>删除所选运行(&amp;D)…</translation>
        </message>
        <message>
            <source>Select a run in Runs that is over.</source>
            <translation>请在“运行记录”中选择一个已结束的运行。</translation>
        </message>
        <message>
            <source>&amp;First steps</source>
            <translation>第一步(&amp;F)</translation>
        </message>
        <message>
            <source>Help</source>
            <translation>帮助</translation>
        </message>
        <message>
            <source>&amp;About Rankscope</source>
            <translation>关于 Rankscope(&amp;A)</translation>
        </message>
        <message>
            <source>About Rankscope</source>
            <translation>关于 Rankscope</translation>
        </message>
        <message>
            <source>&lt;h3&gt;Rankscope %1&lt;/h3&gt;&lt;p&gt;Launch, watch and diagnose distributed training.&lt;/p&gt;&lt;p&gt;Free software under the GNU General Public License, version 3 or later.&lt;/p&gt;</source>
            <translation>&lt;h3&gt;Rankscope %1&lt;/h3&gt;&lt;p&gt;启动、观察和诊断分布式训练。&lt;/p&gt;&lt;p&gt;基于 GNU 通用公共许可证第 3 版或更高版本的自由软件。&lt;/p&gt;</translation>
        </message>
        <message>
            <source>&amp;File</source>
            <translation>文件(&amp;F)</translation>
        </message>
        <message>
            <source>&amp;Edit</source>
            <translation>编辑(&amp;E)</translation>
        </message>
        <message>
            <source>&amp;View</source>
            <translation>视图(&amp;V)</translation>
        </message>
        <message>
            <source>&amp;Theme</source>
            <translation>主题(&amp;T)</translation>
        </message>
        <message>
            <source>&amp;Run</source>
            <translation>运行(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;Nodes</source>
            <translation>节点(&amp;N)</translation>
        </message>
        <message>
            <source>&amp;Help</source>
            <translation>帮助(&amp;H)</translation>
        </message>
        <message>
            <source>Panes of Live</source>
            <translation>“实时”的窗格</translation>
        </message>
        <message>
            <source>Show a run in Live first.</source>
            <translation>请先在“实时”中显示一个运行。</translation>
        </message>
        <message>
            <source>&amp;Curves</source>
            <translation>曲线(&amp;C)</translation>
        </message>
        <message>
            <source>&amp;NCCL</source>
            <translation>NCCL(&amp;N)</translation>
        </message>
        <message>
            <source>&amp;Ranks</source>
            <translation>Rank(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;Log</source>
            <translation>日志(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Move panes</source>
            <translation>移动窗格(&amp;M)</translation>
        </message>
        <message>
            <source>R&amp;eset layout</source>
            <translation>重置布局(&amp;E)</translation>
        </message>
        <message>
            <source>&amp;Panes</source>
            <translation>窗格(&amp;P)</translation>
        </message>
        <message>
            <source>Open the selected run in a new &amp;window</source>
            <translation>在新窗口中打开所选运行(&amp;W)</translation>
        </message>
        <message>
            <source>Select a run in Runs, or show one in Live.</source>
            <translation>请在“运行记录”中选择一个运行，或在“实时”中显示一个运行。</translation>
        </message>
        <message>
            <source>Co&amp;mpare the selected runs</source>
            <translation>比较所选运行(&amp;M)</translation>
        </message>
        <message>
            <source>Select two runs or more in Runs.</source>
            <translation>请在“运行记录”中选择两个或更多运行。</translation>
        </message>
        <message>
            <source>&amp;Labels of the selected runs…</source>
            <translation>所选运行的标签(&amp;L)…</translation>
        </message>
        <message>
            <source>Select runs in Runs.</source>
            <translation>请在“运行记录”中选择运行。</translation>
        </message>
        <message>
            <source>Export the shown run</source>
            <translation>导出显示的运行</translation>
        </message>
        <message>
            <source>E&amp;xport the shown run</source>
            <translation>导出显示的运行(&amp;X)</translation>
        </message>
        <message>
            <source>There is nothing to undo here.</source>
            <translation>这里没有可撤销的操作。</translation>
        </message>
        <message>
            <source>&amp;Undo</source>
            <translation>撤销(&amp;U)</translation>
        </message>
        <message>
            <source>&amp;Redo</source>
            <translation>重做(&amp;R)</translation>
        </message>
        <message>
            <source>There is nothing to redo here.</source>
            <translation>这里没有可重做的操作。</translation>
        </message>
        <message>
            <source>&amp;Copy</source>
            <translation>复制(&amp;C)</translation>
        </message>
        <message>
            <source>Select text or rows first.</source>
            <translation>请先选择文本或行。</translation>
        </message>
        <message>
            <source>&amp;Find…</source>
            <translation>查找(&amp;F)…</translation>
        </message>
        <message>
            <source>Show a run in Live, or open Runs: these can be searched.</source>
            <translation>请在“实时”中显示一次运行，或打开“运行记录”：它们可以搜索。</translation>
        </message>
        <message>
            <source>Search in the log of Live first.</source>
            <translation>请先在“实时”的日志中搜索。</translation>
        </message>
        <message>
            <source>Find &amp;next</source>
            <translation>查找下一个(&amp;N)</translation>
        </message>
        <message>
            <source>Find &amp;previous</source>
            <translation>查找上一个(&amp;P)</translation>
        </message>
        <message>
            <source>&amp;New window</source>
            <translation>新建窗口(&amp;N)</translation>
        </message>
        <message>
            <source>Reci&amp;pes…</source>
            <translation>配方(&amp;P)…</translation>
        </message>
        <message>
            <source>Save the &amp;job</source>
            <translation>保存作业(&amp;J)</translation>
        </message>
        <message>
            <source>&amp;Telemetry</source>
            <translation>遥测(&amp;T)</translation>
        </message>
        <message>
            <source>&amp;Start-up</source>
            <translation>启动过程(&amp;S)</translation>
        </message>
        <message>
            <source>E&amp;vents</source>
            <translation>事件(&amp;V)</translation>
        </message>
        <message>
            <source>Fo&amp;rce stop</source>
            <translation>强制停止(&amp;R)</translation>
        </message>
        <message>
            <source>Force stop is for a run that does not end after a stop.</source>
            <translation>强制停止用于停止后仍不结束的运行。</translation>
        </message>
        <message>
            <source>The run is stopping. Force stop ends it at once.</source>
            <translation>运行正在停止。强制停止会立即结束它。</translation>
        </message>
        <message>
            <source>Fewer than two runs are open in this window.</source>
            <translation>此窗口中打开的运行少于两个。</translation>
        </message>
        <message>
            <source>&amp;Next open run</source>
            <translation>下一个打开的运行(&amp;N)</translation>
        </message>
        <message>
            <source>Previo&amp;us open run</source>
            <translation>上一个打开的运行(&amp;U)</translation>
        </message>
        <message>
            <source>Mo&amp;ve the shown run to a window of its own</source>
            <translation>将显示的运行移到单独的窗口(&amp;V)</translation>
        </message>
        <message>
            <source>C&amp;lose the shown run</source>
            <translation>关闭显示的运行(&amp;L)</translation>
        </message>
        <message>
            <source>C&amp;olumns of Runs…</source>
            <translation>“运行记录”的列(&amp;O)…</translation>
        </message>
        <message>
            <source>There are no runs yet.</source>
            <translation>还没有运行记录。</translation>
        </message>
        <message>
            <source>Deleted ru&amp;ns…</source>
            <translation>已删除的运行(&amp;N)…</translation>
        </message>
        <message>
            <source>&amp;Documentation</source>
            <translation>文档(&amp;D)</translation>
        </message>
        <message>
            <source>The documentation is not installed with this program.</source>
            <translation>此程序没有安装文档。</translation>
        </message>
        <message>
            <source>Select a node in Fleet that is not this computer.</source>
            <translation>请在“集群”中选择一个不是本机的节点。</translation>
        </message>
        <message>
            <source>Add a node first.</source>
            <translation>请先添加一个节点。</translation>
        </message>
        <message>
            <source>R&amp;uns on the selected nodes…</source>
            <translation>所选节点上的运行(&amp;U)…</translation>
        </message>
        <message>
            <source>Select a node in Fleet.</source>
            <translation>请在“集群”中选择一个节点。</translation>
        </message>
        <message>
            <source>Select one node in Fleet.</source>
            <translation>请在“集群”中只选择一个节点。</translation>
        </message>
        <message>
            <source>Select a node in Fleet that is not being probed.</source>
            <translation>请在“集群”中选择一个未在探测的节点。</translation>
        </message>
    </context>
    <context>
        <name>XLogButton</name>
        <message>
            <source>Log x</source>
            <translation>对数 X</translation>
        </message>
        <message>
            <source>Logarithmic x axis</source>
            <translation>对数 X 轴</translation>
        </message>
        <message>
            <source>Logarithmic x axis (Shift+L in the curves): the first steps as wide as the last ones</source>
            <translation>对数 X 轴（曲线中按 Shift+L）：最初的步与最后的步一样宽</translation>
        </message>
        <message>
            <source>A clock has no logarithmic axis: choose steps, epochs, samples or the time since the start.</source>
            <translation>时钟时间没有对数轴：请选择步数、轮次、样本数或自开始以来的时间。</translation>
        </message>
    </context>
    <context>
        <name>XScale</name>
        <message>
            <source>Epoch</source>
            <translation>Epoch</translation>
        </message>
        <message>
            <source>Time since start</source>
            <translation>启动后的时间</translation>
        </message>
        <message>
            <source>Clock</source>
            <translation>时钟</translation>
        </message>
        <message>
            <source>Samples</source>
            <translation>样本数</translation>
        </message>
        <message>
            <source>Step</source>
            <translation>步</translation>
        </message>
        <message>
            <source>epoch %1</source>
            <translation>epoch %1</translation>
        </message>
        <message>
            <source>%1 samples</source>
            <translation>%1 个样本</translation>
        </message>
        <message>
            <source>step %1</source>
            <translation>第 %1 步</translation>
        </message>
        <message>
            <source>%1 d %2</source>
            <translation>%1 天 %2</translation>
        </message>
    </context>
    <context>
        <name>YamlEdit</name>
        <message>
            <source>The text cannot be edited.</source>
            <translation>无法编辑该文本。</translation>
        </message>
        <message>
            <source>It must be a YAML mapping in which no key stands twice.</source>
            <translation>它必须是没有重复键的 YAML 映射。</translation>
        </message>
    </context>
    <context>
        <name>YamlReader</name>
        <message>
            <source>nested deeper than %1 levels</source>
            <translation>嵌套超过 %1 层</translation>
        </message>
        <message>
            <source>Check the aliases (*name): one may contain itself.</source>
            <translation>检查别名（*name）：可能有别名包含自身。</translation>
        </message>
        <message>
            <source>more than %1 values</source>
            <translation>超过 %1 个值</translation>
        </message>
        <message>
            <source>An alias (*name) counts each time it is used.</source>
            <translation>别名（*name）每使用一次都计数。</translation>
        </message>
        <message>
            <source>contains a zero byte</source>
            <translation>包含零字节</translation>
        </message>
        <message>
            <source>Leave out the \0.</source>
            <translation>去掉 \0。</translation>
        </message>
        <message>
            <source>given twice</source>
            <translation>出现了两次</translation>
        </message>
        <message>
            <source>Keep one of the two.</source>
            <translation>只保留其中一个。</translation>
        </message>
        <message>
            <source>not UTF-8 text</source>
            <translation>不是 UTF-8 文本</translation>
        </message>
        <message>
            <source>Save the file as UTF-8.</source>
            <translation>将文件保存为 UTF-8。</translation>
        </message>
        <message>
            <source>not valid YAML: %1</source>
            <translation>不是有效的 YAML：%1</translation>
        </message>
        <message>
            <source>Check indentation, quotes and brackets near column %1.</source>
            <translation>检查第 %1 列附近的缩进、引号和括号。</translation>
        </message>
        <message>
            <source>longer than %1 bytes</source>
            <translation>长于 %1 字节</translation>
        </message>
    </context>
    <context>
        <name>config</name>
        <message>
            <source>a list</source>
            <translation>列表</translation>
        </message>
        <message>
            <source>a mapping</source>
            <translation>映射</translation>
        </message>
        <message>
            <source>nothing</source>
            <translation>空值</translation>
        </message>
        <message>
            <source>Write one of: %1.</source>
            <translation>写以下之一：%1。</translation>
        </message>
        <message>
            <source>Did you mean "%1"?</source>
            <translation>是否想写“%1”？</translation>
        </message>
        <message>
            <source>has no effect with %1</source>
            <translation>对 %1 无效</translation>
        </message>
        <message>
            <source>Leave it out; it is only for %1.</source>
            <translation>去掉它；它只用于 %1。</translation>
        </message>
        <message>
            <source>missing</source>
            <translation>缺失</translation>
        </message>
        <message>
            <source>Name the folder that contains the folders %1 and %2.</source>
            <translation>指定包含文件夹 %1 和 %2 的文件夹。</translation>
        </message>
        <message>
            <source>Write for example: %1</source>
            <translation>例如写：%1</translation>
        </message>
        <message>
            <source>Leave it out: the values have mean 0 and deviation 1 already.</source>
            <translation>去掉它：这些值的均值已为 0，标准差已为 1。</translation>
        </message>
        <message>
            <source>%1 is too small</source>
            <translation>%1 太小</translation>
        </message>
        <message>
            <source>A random_crop of image_size %1 needs more.</source>
            <translation>image_size 为 %1 的 random_crop 需要更大的值。</translation>
        </message>
        <message>
            <source>the samples are no images</source>
            <translation>样本不是图像</translation>
        </message>
        <message>
            <source>Leave it out, or give a shape of three numbers.</source>
            <translation>去掉它，或填写由三个数字组成的形状。</translation>
        </message>
        <message>
            <source>has %1 values for the %2 channels of %3</source>
            <translation>有 %1 个值，而 %3 有 %2 个通道</translation>
        </message>
        <message>
            <source>Give one value, or one per channel.</source>
            <translation>填写一个值，或每个通道一个值。</translation>
        </message>
        <message>
            <source>is the same as name</source>
            <translation>与 name 相同</translation>
        </message>
        <message>
            <source>Name another set, for example synthetic-digits.</source>
            <translation>指定另一个数据集，例如 synthetic-digits。</translation>
        </message>
        <message>
            <source>the samples or classes of %1 are not those of %2</source>
            <translation>%1 的样本或类别与 %2 的不同</translation>
        </message>
        <message>
            <source>Name a set of the same shape and classes.</source>
            <translation>指定形状和类别都相同的数据集。</translation>
        </message>
        <message>
            <source>%1 is not right</source>
            <translation>%1 不正确</translation>
        </message>
        <message>
            <source>%1 is not known</source>
            <translation>%1 未知</translation>
        </message>
        <message>
            <source>%1 is not a normalisation</source>
            <translation>%1 不是归一化</translation>
        </message>
        <message>
            <source>Write {mean: 0.1307, std: 0.3081}, one per channel, or a name such as imagenet.</source>
            <translation>写成 {mean: 0.1307, std: 0.3081}，每个通道一个值，或写名称，例如 imagenet。</translation>
        </message>
        <message>
            <source>Give [from, to] with 0 &lt; from ≤ to ≤ %1.</source>
            <translation>填写 [from, to]，其中 0 &lt; from ≤ to ≤ %1。</translation>
        </message>
        <message>
            <source>the entry %1 is not known</source>
            <translation>条目 %1 未知</translation>
        </message>
        <message>
            <source>Write a name, or one name with its values: %1.</source>
            <translation>写一个名称，或一个带值的名称：%1。</translation>
        </message>
        <message>
            <source>"%1" is not known</source>
            <translation>“%1”未知</translation>
        </message>
        <message>
            <source>has both random_crop and random_resized_crop</source>
            <translation>同时有 random_crop 和 random_resized_crop</translation>
        </message>
        <message>
            <source>Keep one of the two.</source>
            <translation>只保留其中一个。</translation>
        </message>
        <message>
            <source>Write none, standard, or a list such as [random_crop, horizontal_flip].</source>
            <translation>写 none、standard，或列表，例如 [random_crop, horizontal_flip]。</translation>
        </message>
        <message>
            <source>%1 is not a shape</source>
            <translation>%1 不是形状</translation>
        </message>
        <message>
            <source>Give [channels, height, width] or [features]: whole numbers with a product of at most 100000000.</source>
            <translation>填写 [channels, height, width] 或 [features]：整数，乘积不超过 100000000。</translation>
        </message>
        <message>
            <source>%1 is not a number</source>
            <translation>%1 不是数字</translation>
        </message>
        <message>
            <source>%1 in quotes is a text</source>
            <translation>带引号的 %1 是文本</translation>
        </message>
        <message>
            <source>Leave out the quotes.</source>
            <translation>去掉引号。</translation>
        </message>
        <message>
            <source>%1 is not a whole number</source>
            <translation>%1 不是整数</translation>
        </message>
        <message>
            <source>%1 is out of range</source>
            <translation>%1 超出范围</translation>
        </message>
        <message>
            <source>%1 has no effect with %2: %3</source>
            <translation>%1 在 %2: %3 时不起作用</translation>
        </message>
        <message>
            <source>Leave it out, or set %1 to %2.</source>
            <translation>去掉它，或把 %1 设为 %2。</translation>
        </message>
        <message>
            <source>%1 is not a mapping</source>
            <translation>%1 不是映射</translation>
        </message>
        <message>
            <source>Add it, for example: %1</source>
            <translation>请添加，例如：%1</translation>
        </message>
        <message>
            <source>unknown key</source>
            <translation>未知的键</translation>
        </message>
        <message>
            <source>Known keys are: %1.</source>
            <translation>已知的键有：%1。</translation>
        </message>
        <message>
            <source>Give a whole number from %1 to %2.</source>
            <translation>填写 %1 到 %2 之间的整数。</translation>
        </message>
        <message>
            <source>Give a whole number from %1.</source>
            <translation>填写不小于 %1 的整数。</translation>
        </message>
        <message>
            <source>Give a number greater than %1 and less than %2.</source>
            <translation>填写大于 %1 且小于 %2 的数字。</translation>
        </message>
        <message>
            <source>Give a number greater than %1.</source>
            <translation>填写大于 %1 的数字。</translation>
        </message>
        <message>
            <source>Give a number from %1 and less than %2.</source>
            <translation>填写不小于 %1 且小于 %2 的数字。</translation>
        </message>
        <message>
            <source>Give a number.</source>
            <translation>填写一个数字。</translation>
        </message>
        <message>
            <source>Give a number from %1 to %2.</source>
            <translation>填写 %1 到 %2 之间的数字。</translation>
        </message>
        <message>
            <source>Give a number from %1.</source>
            <translation>填写不小于 %1 的数字。</translation>
        </message>
        <message>
            <source>%1 is neither true nor false</source>
            <translation>%1 既不是 true 也不是 false</translation>
        </message>
        <message>
            <source>Write true or false.</source>
            <translation>写 true 或 false。</translation>
        </message>
        <message>
            <source>%1 is not a text</source>
            <translation>%1 不是文本</translation>
        </message>
        <message>
            <source>Write one value, in quotes where it contains ':' or '#'.</source>
            <translation>写一个值；如果包含 ':' 或 '#'，要加引号。</translation>
        </message>
        <message>
            <source>contains a zero byte</source>
            <translation>包含零字节</translation>
        </message>
        <message>
            <source>Leave it out.</source>
            <translation>去掉它。</translation>
        </message>
        <message>
            <source>%1 is not a list of texts</source>
            <translation>%1 不是文本列表</translation>
        </message>
        <message>
            <source>Write it as [first, second].</source>
            <translation>写成 [first, second]。</translation>
        </message>
        <message>
            <source>%1 is not a mapping of names to texts</source>
            <translation>%1 不是名称到文本的映射</translation>
        </message>
        <message>
            <source>Write it as { NAME: value, OTHER: value }.</source>
            <translation>写成 { NAME: value, OTHER: value }。</translation>
        </message>
        <message>
            <source>is set beside clip_norm</source>
            <translation>与 clip_norm 同时设置</translation>
        </message>
        <message>
            <source>is empty</source>
            <translation>为空</translation>
        </message>
        <message>
            <source>Write auto, never or the path of a checkpoint.</source>
            <translation>写 auto、never 或检查点的路径。</translation>
        </message>
        <message>
            <source>every_steps is set: add the folder for the checkpoints.</source>
            <translation>已设置 every_steps：请添加检查点的文件夹。</translation>
        </message>
        <message>
            <source>is true without a momentum</source>
            <translation>为 true，但没有 momentum</translation>
        </message>
        <message>
            <source>Nesterov needs a momentum greater than 0 and dampening 0.</source>
            <translation>Nesterov 需要 momentum 大于 0，且 dampening 为 0。</translation>
        </message>
        <message>
            <source>needs either epochs or steps</source>
            <translation>需要 epochs 或 steps 其中之一</translation>
        </message>
        <message>
            <source>%1 is not a section of keys</source>
            <translation>%1 不是由键组成的一节</translation>
        </message>
        <message>
            <source>Give epochs in ascending order, for example [30, 60, 90].</source>
            <translation>按升序填写轮次，例如 [30, 60, 90]。</translation>
        </message>
        <message>
            <source>%1 is not a list</source>
            <translation>%1 不是列表</translation>
        </message>
        <message>
            <source>%1 is in the list</source>
            <translation>列表中有 %1</translation>
        </message>
        <message>
            <source>differs from bucket_mb beside ddp, its older name</source>
            <translation>与 ddp 旁的 bucket_mb（其旧名称）不一致</translation>
        </message>
    </context>
    <context>
        <name>metrics</name>
        <message>
            <source>all ranks</source>
            <translation>所有 rank</translation>
        </message>
        <message>
            <source>%1 of %2 ranks</source>
            <translation>%2 个 rank 中的 %1 个</translation>
        </message>
        <message>
            <source>rank %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>ranks %1</source>
            <translation>rank %1</translation>
        </message>
    </context>
    <context>
        <name>rankscope</name>
        <message>
            <source>waiting</source>
            <translation>等待中</translation>
        </message>
        <message>
            <source>starting</source>
            <translation>启动中</translation>
        </message>
        <message>
            <source>rendezvous</source>
            <translation>会合中</translation>
        </message>
        <message>
            <source>training</source>
            <translation>训练中</translation>
        </message>
        <message>
            <source>validating</source>
            <translation>验证中</translation>
        </message>
        <message>
            <source>done</source>
            <translation>已完成</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>已失败</translation>
        </message>
        <message>
            <source>ended with the run</source>
            <translation>随运行结束</translation>
        </message>
        <message>
            <source>running</source>
            <translation>运行中</translation>
        </message>
        <message>
            <source>stopped</source>
            <translation>已停止</translation>
        </message>
        <message>
            <source>lost</source>
            <translation>失联</translation>
        </message>
        <message>
            <source>Connect</source>
            <translation>连接</translation>
        </message>
        <message>
            <source>Push</source>
            <translation>推送</translation>
        </message>
        <message>
            <source>Start</source>
            <translation>启动</translation>
        </message>
        <message>
            <source>Rendezvous</source>
            <translation>会合</translation>
        </message>
        <message>
            <source>First step</source>
            <translation>第一步</translation>
        </message>
        <message>
            <source>Data</source>
            <translation>数据</translation>
        </message>
        <message>
            <source>Train</source>
            <translation>训练</translation>
        </message>
        <message>
            <source>Validate</source>
            <translation>验证</translation>
        </message>
        <message>
            <source>Done</source>
            <translation>完成</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>停止</translation>
        </message>
        <message>
            <source>Queue</source>
            <translation>排队</translation>
        </message>
        <message>
            <source>Paused</source>
            <translation>已暂停</translation>
        </message>
        <message>
            <source>Resumed</source>
            <translation>已继续</translation>
        </message>
        <message>
            <source>Restart</source>
            <translation>重启</translation>
        </message>
        <message>
            <source>Checkpoint signal sent</source>
            <translation>已发送检查点信号</translation>
        </message>
        <message>
            <source>Link of the nodes</source>
            <translation>节点连接</translation>
        </message>
        <message>
            <source>Note</source>
            <translation>备注</translation>
        </message>
        <message>
            <source>Preflight</source>
            <translation>预检</translation>
        </message>
        <message>
            <source>connected again</source>
            <translation>已重新连接</translation>
        </message>
        <message>
            <source>no answer</source>
            <translation>无应答</translation>
        </message>
        <message>
            <source>no answer for %1</source>
            <translation>已有 %1 无应答</translation>
        </message>
        <message>
            <source>presumed lost</source>
            <translation>推定失联</translation>
        </message>
        <message>
            <source>presumed lost: no answer for %1</source>
            <translation>推定失联：已有 %1 无应答</translation>
        </message>
        <message>
            <source>The connection is lost.</source>
            <translation>连接已断开。</translation>
        </message>
        <message>
            <source>Trying again.</source>
            <translation>正在重试。</translation>
        </message>
        <message>
            <source>Trying again in %1.</source>
            <translation>%1 后重试。</translation>
        </message>
        <message>
            <source>silent for %1</source>
            <translation>已有 %1 无响应</translation>
        </message>
        <message>
            <source>linked</source>
            <translation>已连接</translation>
        </message>
        <message>
            <source>silent</source>
            <translation>无响应</translation>
        </message>
        <message>
            <source>retry in %1</source>
            <translation>%1 后重试</translation>
        </message>
        <message>
            <source>trying again</source>
            <translation>正在重试</translation>
        </message>
        <message>
            <source>presumed lost, %1</source>
            <translation>推定失联，%1</translation>
        </message>
        <message>
            <source>ended</source>
            <translation>已结束</translation>
        </message>
        <message>
            <source>%1 ms</source>
            <translation>%1 ms</translation>
        </message>
        <message>
            <source>%1 s</source>
            <translation>%1 s</translation>
        </message>
        <message>
            <source>%1 min %2 s</source>
            <translation>%1 min %2 s</translation>
        </message>
        <message>
            <source>%1 h %2 min</source>
            <translation>%1 h %2 min</translation>
        </message>
        <message>
            <source>%1 µs</source>
            <translation>%1 µs</translation>
        </message>
        <message>
            <source>%1 %</source>
            <translation>%1 %</translation>
        </message>
        <message>
            <source>signal %1</source>
            <translation>信号 %1</translation>
        </message>
        <message>
            <source>signal %1 (%2)</source>
            <translation>信号 %1（%2）</translation>
        </message>
        <message>
            <source>exit code %1</source>
            <translation>退出码 %1</translation>
        </message>
        <message>
            <source>Rank %1</source>
            <translation>Rank %1</translation>
        </message>
        <message>
            <source>Rank %1 on %2</source>
            <translation>%2 上的 rank %1</translation>
        </message>
        <message>
            <source>Node %1 failed</source>
            <translation>节点 %1 失败</translation>
        </message>
        <message>
            <source>%1 was killed by signal %2 (%3)</source>
            <translation>%1 被信号 %2（%3）杀死</translation>
        </message>
        <message>
            <source>%1 ended with exit code %2</source>
            <translation>%1 以退出码 %2 结束</translation>
        </message>
        <message>
            <source>%1 failed</source>
            <translation>%1 失败</translation>
        </message>
        <message>
            <source>What runs there may continue.</source>
            <translation>那里正在运行的程序可能仍在继续。</translation>
        </message>
        <message>
            <source>%1 stopped answering: its process is stopped (state %2)</source>
            <translation>%1 停止应答：其进程已被停止（状态 %2）</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::AbsenceState</name>
        <message>
            <source>No logs yet</source>
            <translation>尚无日志</translation>
        </message>
        <message>
            <source>Reading…</source>
            <translation>正在读取…</translation>
        </message>
        <message>
            <source>No line of NCCL yet</source>
            <translation>尚无 NCCL 的行</translation>
        </message>
        <message>
            <source>This run uses Gloo</source>
            <translation>此运行使用 Gloo</translation>
        </message>
        <message>
            <source>NCCL printed nothing</source>
            <translation>NCCL 没有打印任何内容</translation>
        </message>
        <message>
            <source>Open the logs of a run: nodes, rings and transports of NCCL appear here.</source>
            <translation>打开一个运行的日志：NCCL 的节点、环和传输方式会显示在这里。</translation>
        </message>
        <message>
            <source>The lines of NCCL appear here as soon as one is found.</source>
            <translation>一旦找到 NCCL 的行，就会显示在这里。</translation>
        </message>
        <message>
            <source>NCCL prints its lines when the ranks create a communicator, and only with the variable NCCL_DEBUG=INFO in the job's environment.</source>
            <translation>NCCL 在各 rank 创建通信域时打印这些行，并且仅当作业的环境中有变量 NCCL_DEBUG=INFO 时才打印。</translation>
        </message>
        <message>
            <source>Gloo has no rings, trees or NCCL settings to show. NCCL needs a GPU for each rank: set the backend to nccl in Launch.</source>
            <translation>Gloo 没有可显示的环、树或 NCCL 设置。NCCL 需要每个 rank 有一个 GPU：在“启动”中把后端设为 nccl。</translation>
        </message>
        <message>
            <source>NCCL prints what it does only with the variable NCCL_DEBUG=INFO in the job's environment. With NCCL_DEBUG_FILE it prints into a file: open that in Logs.</source>
            <translation>仅当作业的环境中有变量 NCCL_DEBUG=INFO 时，NCCL 才打印它所做的事。设置了 NCCL_DEBUG_FILE 时，它打印到文件：在“日志”中打开该文件。</translation>
        </message>
        <message>
            <source>These logs have no line of NCCL. Start the job with NCCL_DEBUG=INFO, and open the output of all ranks.</source>
            <translation>这些日志中没有 NCCL 的行。用 NCCL_DEBUG=INFO 启动作业，并打开所有 rank 的输出。</translation>
        </message>
        <message>
            <source>Set NCCL_DEB&amp;UG=INFO in Launch</source>
            <translation>在“启动”中设置 NCCL_DEBUG=INFO(&amp;U)</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::AddedBar</name>
        <message>
            <source>Set up ke&amp;ys…</source>
            <translation>设置密钥(&amp;Y)…</translation>
        </message>
        <message>
            <source>P&amp;robe</source>
            <translation>探测(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;Group…</source>
            <translation>分组(&amp;G)…</translation>
        </message>
        <message>
            <source>Dismiss</source>
            <translation>关闭</translation>
        </message>
        <message numerus="yes">
            <source>%n node(s) added</source>
            <translation>
                <numerusform>已添加 %n 个节点</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::AdvicePanel</name>
        <message>
            <source>Scale the rate</source>
            <translation>缩放学习率</translation>
        </message>
        <message numerus="yes">
            <source> × %n rank(s)</source>
            <translation>
                <numerusform> × %n 个 rank</numerusform>
            </translation>
        </message>
        <message>
            <source> × %1 batches</source>
            <translation> × %1 个批次</translation>
        </message>
        <message>
            <source>Global batch: %1 = %2</source>
            <translation>全局批量：%1 = %2</translation>
        </message>
        <message>
            <source>; %1 updates per epoch</source>
            <translation>；每轮 %1 次更新</translation>
        </message>
        <message>
            <source>By linear scaling, %1 for %2 is %3 for %4.</source>
            <translation>按线性缩放，%2 个样本的 %1 对 %4 个样本为 %3。</translation>
        </message>
        <message>
            <source>Sets reference_batch: the rate follows the number of ranks</source>
            <translation>设置 reference_batch：学习率随 rank 数变化</translation>
        </message>
        <message>
            <source>The rate is scaled from %1 to %2.</source>
            <translation>学习率从 %1 缩放到 %2。</translation>
        </message>
        <message>
            <source>Activations %1, parameters with gradients and optimizer %2, CUDA and its libraries about %3. An estimate, right within a quarter.</source>
            <translation>激活值 %1，参数及其梯度和优化器状态 %2，CUDA 及其库约 %3。此为估计值，误差在四分之一以内。</translation>
        </message>
        <message>
            <source>A rank needs about %1 of the %2 that its GPU has for it.</source>
            <translation>每个 rank 约需 %1，其 GPU 可为其提供 %2。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::AppearanceSection</name>
        <message>
            <source>Colours of ranks 0 to 15</source>
            <translation>rank 0 到 15 的颜色</translation>
        </message>
        <message>
            <source>Appearance</source>
            <translation>外观</translation>
        </message>
        <message>
            <source>As the system</source>
            <translation>跟随系统</translation>
        </message>
        <message>
            <source>Light</source>
            <translation>浅色</translation>
        </message>
        <message>
            <source>Dark</source>
            <translation>深色</translation>
        </message>
        <message>
            <source>High contrast</source>
            <translation>高对比度</translation>
        </message>
        <message>
            <source>&amp;Theme</source>
            <translation>主题(&amp;T)</translation>
        </message>
        <message>
            <source> pt</source>
            <translation> pt</translation>
        </message>
        <message>
            <source>&amp;Font size</source>
            <translation>字号(&amp;F)</translation>
        </message>
        <message>
            <source>Okabe and Ito: for colour-blind eyes, too</source>
            <translation>Okabe–Ito：色觉异常者也能区分</translation>
        </message>
        <message>
            <source>Tableau: as in matplotlib</source>
            <translation>Tableau：与 matplotlib 相同</translation>
        </message>
        <message>
            <source>One hue, from dark to light: for print</source>
            <translation>单一色相，由深到浅：适合打印</translation>
        </message>
        <message>
            <source>&amp;Colours of ranks</source>
            <translation>rank 的颜色(&amp;C)</translation>
        </message>
        <message>
            <source>&amp;Language</source>
            <translation>语言(&amp;L)</translation>
        </message>
        <message>
            <source>From the next start on</source>
            <translation>从下次启动起生效</translation>
        </message>
        <message>
            <source>F&amp;ont</source>
            <translation>字体(&amp;O)</translation>
        </message>
        <message>
            <source>%1 (not installed)</source>
            <translation>%1（未安装）</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::ApplyDialog</name>
        <message>
            <source>%1 nodes</source>
            <translation>%1 个节点</translation>
        </message>
        <message>
            <source>Undo on %1</source>
            <translation>在 %1 上撤销</translation>
        </message>
        <message>
            <source>Apply on %1</source>
            <translation>在 %1 上应用</translation>
        </message>
        <message>
            <source>This runs on %1, exactly as shown:</source>
            <translation>以下内容将在 %1 上原样运行：</translation>
        </message>
        <message>
            <source>Commands</source>
            <translation>命令</translation>
        </message>
        <message>
            <source>Undo runs:</source>
            <translation>撤销时运行：</translation>
        </message>
        <message>
            <source>Commands of undo</source>
            <translation>撤销命令</translation>
        </message>
        <message>
            <source>There is no undo for it.</source>
            <translation>它没有撤销操作。</translation>
        </message>
        <message>
            <source>It needs root there. If sudo asks for a password, so does Rankscope; the password is kept in memory only.</source>
            <translation>它在那里需要 root。如果 sudo 要求密码，Rankscope 也会询问；密码只保留在内存中。</translation>
        </message>
        <message>
            <source>&amp;Undo</source>
            <translation>撤销(&amp;U)</translation>
        </message>
        <message>
            <source>&amp;Apply</source>
            <translation>应用(&amp;A)</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::AttachBar</name>
        <message>
            <source>A&amp;ttach</source>
            <translation>附加(&amp;T)</translation>
        </message>
        <message>
            <source>The run %1 of %2 has not ended.</source>
            <translation>%2 的运行 %1 尚未结束。</translation>
        </message>
        <message>
            <source>Show in R&amp;uns</source>
            <translation>在“运行记录”中显示(&amp;U)</translation>
        </message>
        <message>
            <source>%1 runs have not ended, the last of %2.</source>
            <translation>有 %1 个运行尚未结束，最近的是 %2。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::AwayBar</name>
        <message>
            <source>S&amp;how</source>
            <translation>显示(&amp;H)</translation>
        </message>
        <message>
            <source>%1 done in %2</source>
            <translation>%1 已完成，用时 %2</translation>
        </message>
        <message>
            <source>%1 %2: %3</source>
            <translation>%1 %2：%3</translation>
        </message>
        <message>
            <source>and %1 more</source>
            <translation>以及另外 %1 个</translation>
        </message>
        <message>
            <source>A run ended while you were away: %1</source>
            <translation>您离开期间有一个运行结束：%1</translation>
        </message>
        <message>
            <source>%1 runs ended while you were away: %2</source>
            <translation>您离开期间有 %1 个运行结束：%2</translation>
        </message>
        <message>
            <source>, </source>
            <comment>between runs</comment>
            <translation>、</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::BatchNodeDialog</name>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>Edit %1 nodes</source>
            <translation>编辑 %1 个节点</translation>
        </message>
        <message>
            <source>%1 and %2 more</source>
            <translation>%1 和另外 %2 个</translation>
        </message>
        <message>
            <source>&amp;Port</source>
            <translation>端口(&amp;P)</translation>
        </message>
        <message>
            <source>22, or from ssh_config</source>
            <translation>22，或取自 ssh_config</translation>
        </message>
        <message>
            <source>&amp;User</source>
            <translation>用户(&amp;U)</translation>
        </message>
        <message>
            <source>from ssh_config, else your name</source>
            <translation>取自 ssh_config，否则为你的用户名</translation>
        </message>
        <message>
            <source>&amp;Key file</source>
            <translation>密钥文件(&amp;K)</translation>
        </message>
        <message>
            <source>SSH agent and usual keys</source>
            <translation>ssh-agent 和常用密钥</translation>
        </message>
        <message>
            <source>&amp;Jump host</source>
            <translation>跳板机(&amp;J)</translation>
        </message>
        <message>
            <source>user@host:port of a bastion</source>
            <translation>跳板机的 user@host:port</translation>
        </message>
        <message>
            <source>&amp;GPUs</source>
            <translation>GPU(&amp;G)</translation>
        </message>
        <message>
            <source>auto</source>
            <translation>auto</translation>
        </message>
        <message>
            <source>auto, none, or indices: 0, 1, 3</source>
            <translation>auto、none 或编号：0, 1, 3</translation>
        </message>
        <message>
            <source>&amp;CPU slots</source>
            <translation>CPU 槽位(&amp;C)</translation>
        </message>
        <message>
            <source>1</source>
            <translation>1</translation>
        </message>
        <message>
            <source>Ranks when there is no GPU</source>
            <translation>没有 GPU 时的 rank 数</translation>
        </message>
        <message>
            <source>Cache &amp;folder</source>
            <translation>缓存文件夹(&amp;F)</translation>
        </message>
        <message>
            <source>Folder for agent and worker on the nodes</source>
            <translation>节点上存放代理程序和工作进程的文件夹</translation>
        </message>
        <message>
            <source>Only ticked fields change. A ticked empty field returns to its default.</source>
            <translation>只更改勾选的字段。勾选但留空的字段恢复默认值。</translation>
        </message>
        <message>
            <source>&amp;Save</source>
            <translation>保存(&amp;S)</translation>
        </message>
        <message>
            <source>Change %1</source>
            <translation>更改 %1</translation>
        </message>
        <message>
            <source>different values</source>
            <translation>值不同</translation>
        </message>
        <message>
            <source>Change transport</source>
            <translation>更改传输方式</translation>
        </message>
        <message>
            <source>auto: as the node needs</source>
            <translation>auto：按节点需要</translation>
        </message>
        <message>
            <source>OpenSSH program</source>
            <translation>OpenSSH 程序</translation>
        </message>
        <message>
            <source>&amp;Transport</source>
            <translation>传输方式(&amp;T)</translation>
        </message>
        <message>
            <source>%1: %2. %3</source>
            <translation>%1：%2。%3</translation>
        </message>
        <message>
            <source>Give a number from 1 to 65535, or nothing.</source>
            <translation>填写 1 到 65535 之间的数，或留空。</translation>
        </message>
        <message>
            <source>Give a number from 1 to 1024, or nothing.</source>
            <translation>填写 1 到 1024 之间的数，或留空。</translation>
        </message>
        <message>
            <source>Write auto, none, or different indices: 0, 1, 3.</source>
            <translation>填写 auto、none 或互不相同的编号：0, 1, 3。</translation>
        </message>
        <message>
            <source>Gr&amp;oup</source>
            <translation>组(&amp;O)</translation>
        </message>
        <message>
            <source>Nodes of a group are shown and chosen together</source>
            <translation>同组的节点可以一起显示和选择</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::CheckChooser</name>
        <message>
            <source>%1 %2 of %3</source>
            <translation>%1 %2/%3</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::CheckDetails</name>
        <message>
            <source>Evidence</source>
            <translation>证据</translation>
        </message>
        <message>
            <source>Re-chec&amp;k</source>
            <translation>重新检查(&amp;K)</translation>
        </message>
        <message>
            <source>Runs the preflight again</source>
            <translation>重新运行预检</translation>
        </message>
        <message>
            <source>Choose a check to see what it found.</source>
            <translation>选择一项检查以查看其发现。</translation>
        </message>
        <message>
            <source>Fix</source>
            <translation>修复</translation>
        </message>
        <message>
            <source>Fixes</source>
            <translation>修复</translation>
        </message>
        <message>
            <source>Apply all %1…</source>
            <translation>应用全部 %1 项…</translation>
        </message>
        <message>
            <source>What to do</source>
            <translation>怎么办</translation>
        </message>
        <message>
            <source>The evidence above says what is known.</source>
            <translation>已知的情况见上面的证据。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::CheckListPopup</name>
        <message>
            <source>Nothing found.</source>
            <translation>未找到。</translation>
        </message>
        <message>
            <source>Search</source>
            <translation>搜索</translation>
        </message>
        <message>
            <source>Search the list</source>
            <translation>搜索列表</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::CheckedNodesModel</name>
        <message>
            <source>no fault</source>
            <translation>无故障</translation>
        </message>
        <message>
            <source>Node</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>Result</source>
            <translation>结果</translation>
        </message>
        <message>
            <source>What differs</source>
            <translation>差异</translation>
        </message>
        <message>
            <source>Interface</source>
            <translation>网络接口</translation>
        </message>
        <message>
            <source>Address</source>
            <translation>地址</translation>
        </message>
        <message>
            <source>Why this interface</source>
            <translation>选用此接口的原因</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::ChecksModel</name>
        <message>
            <source>Result</source>
            <translation>结果</translation>
        </message>
        <message>
            <source>Check</source>
            <translation>检查项</translation>
        </message>
        <message>
            <source>Nodes</source>
            <translation>节点</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::CollectiveTableModel</name>
        <message>
            <source>unknown</source>
            <translation>未知</translation>
        </message>
        <message>
            <source>%1 of %2, %3 times</source>
            <translation>%1，%2，%3 次</translation>
        </message>
        <message>
            <source>Latency %1 (%2 to %3), of the ranks' means %4 apart</source>
            <translation>延迟 %1（%2 至 %3），各 rank 均值相差 %4</translation>
        </message>
        <message>
            <source>Bandwidth from %1: without waiting for the last rank</source>
            <translation>带宽按 %1 计算：不含等待最后一个 rank 的时间</translation>
        </message>
        <message>
            <source>Rank %1 entered last in %2 of %3 compared operations</source>
            <translation>Rank %1 在 %2 的操作中最后进入（共比较 %3 次）</translation>
        </message>
        <message>
            <source>The network waited for a peer in %1 of the time</source>
            <translation>网络有 %1 的时间在等待对端</translation>
        </message>
        <message>
            <source>Link: %1 (%2)</source>
            <translation>链路：%1（%2）</translation>
        </message>
        <message>
            <source>Times of the host: this NCCL gives no times of the GPU</source>
            <translation>主机侧时间：此 NCCL 不提供 GPU 侧时间</translation>
        </message>
        <message>
            <source>%1 of %2 ranks were seen</source>
            <translation>观察到 %1 个 rank，共 %2 个</translation>
        </message>
        <message>
            <source>Function</source>
            <translation>函数</translation>
        </message>
        <message>
            <source>Ranks</source>
            <translation>Rank</translation>
        </message>
        <message>
            <source>Ranks of the communicator; 16 × 8: 16 communicators of 8 ranks</source>
            <translation>通信域的 rank 数；16 × 8：16 个通信域，各 8 个 rank</translation>
        </message>
        <message>
            <source>Size</source>
            <translation>大小</translation>
        </message>
        <message>
            <source>Mean bytes of a call: elements × size</source>
            <translation>每次调用的平均字节数：元素数 × 元素大小</translation>
        </message>
        <message>
            <source>Count</source>
            <translation>次数</translation>
        </message>
        <message>
            <source>Latency</source>
            <translation>延迟</translation>
        </message>
        <message>
            <source>From the launch to the end, mean of all ranks, with the waiting for others</source>
            <translation>从启动到结束，所有 rank 的均值，包含等待其他 rank 的时间</translation>
        </message>
        <message>
            <source>Min</source>
            <translation>最小</translation>
        </message>
        <message>
            <source>Shortest latency of a rank</source>
            <translation>单个 rank 的最短延迟</translation>
        </message>
        <message>
            <source>Max</source>
            <translation>最大</translation>
        </message>
        <message>
            <source>Longest latency of a rank</source>
            <translation>单个 rank 的最长延迟</translation>
        </message>
        <message>
            <source>Algbw</source>
            <translation>Algbw</translation>
        </message>
        <message>
            <source>Algorithm bandwidth: bytes / time, without waiting for the last rank</source>
            <translation>算法带宽：字节数 / 时间，不含等待最后一个 rank 的时间</translation>
        </message>
        <message>
            <source>Busbw</source>
            <translation>Busbw</translation>
        </message>
        <message>
            <source>Bus bandwidth: algorithm bandwidth × the factor of nccl-tests</source>
            <translation>总线带宽：算法带宽 × nccl-tests 的系数</translation>
        </message>
        <message>
            <source>Of link</source>
            <translation>占链路</translation>
        </message>
        <message>
            <source>Bus bandwidth as a share of the link's rate</source>
            <translation>总线带宽占链路速率的比例</translation>
        </message>
        <message>
            <source>Slowest</source>
            <translation>最慢</translation>
        </message>
        <message>
            <source>The rank with the longest mean latency: it waits for the others</source>
            <translation>平均延迟最长的 rank：它在等待其他 rank</translation>
        </message>
        <message>
            <source>Last</source>
            <translation>最后</translation>
        </message>
        <message>
            <source>The rank that most often enters last: the others wait for it</source>
            <translation>最常最后进入的 rank：其他 rank 都在等它</translation>
        </message>
        <message>
            <source>Waits</source>
            <translation>等待</translation>
        </message>
        <message>
            <source>Share of the time inside in which others had not entered</source>
            <translation>操作内其他 rank 尚未进入的时间占比</translation>
        </message>
        <message>
            <source>Network</source>
            <translation>网络</translation>
        </message>
        <message>
            <source>Share of the time inside with a network transfer</source>
            <translation>操作内有网络传输的时间占比</translation>
        </message>
        <message>
            <source>Algorithm</source>
            <translation>算法</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::CollectiveTimeline</name>
        <message>
            <source>open for %1 s</source>
            <translation>已进行 %1 s</translation>
        </message>
        <message>
            <source>open for %1 min %2 s</source>
            <translation>已进行 %1 min %2 s</translation>
        </message>
        <message>
            <source>has not entered %1 %2 (it entered %3)</source>
            <translation>未进入 %1 %2（已进入 %3）</translation>
        </message>
        <message>
            <source>Operations of each rank over time</source>
            <translation>各 rank 的操作随时间的变化</translation>
        </message>
        <message>
            <source>rank %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>now</source>
            <translation>现在</translation>
        </message>
        <message>
            <source>in NCCL · waits</source>
            <translation>NCCL 内 · 等待</translation>
        </message>
        <message>
            <source>%1 %2, %3</source>
            <translation>%1 %2，%3</translation>
        </message>
        <message>
            <source>, peer %1</source>
            <translation>，对端 %1</translation>
        </message>
        <message>
            <source>Rank %1</source>
            <translation>Rank %1</translation>
        </message>
        <message>
            <source>Ranks %1–%2</source>
            <translation>Rank %1–%2</translation>
        </message>
        <message>
            <source>nothing was heard of its NCCL</source>
            <translation>未收到其 NCCL 的任何消息</translation>
        </message>
        <message>
            <source>No operation of these times is kept: only the newest of each rank are.</source>
            <translation>这段时间的操作没有保留：只保留每个 rank 最新的操作。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::CollectivesTab</name>
        <message>
            <source>Ranks %1: %2</source>
            <translation>Rank %1：%2</translation>
        </message>
        <message>
            <source>This run uses Gloo. It reports no operations: only NCCL can be observed.</source>
            <translation>此运行使用 Gloo。它不报告操作：只能观测 NCCL。</translation>
        </message>
        <message>
            <source>The job says nccl_profiler: off.</source>
            <translation>作业中设置了 nccl_profiler: off。</translation>
        </message>
        <message>
            <source>NCCL %1 has no profiler interface: it came with NCCL 2.23.</source>
            <translation>NCCL %1 没有 profiler 接口：该接口自 NCCL 2.23 起提供。</translation>
        </message>
        <message>
            <source>These logs list no operations. Add the files that NCCL Inspector writes (NCCL_INSPECTOR_ENABLE=1), or start the job with Rankscope.</source>
            <translation>这些日志没有列出操作。请添加 NCCL Inspector 写出的文件 (NCCL_INSPECTOR_ENABLE=1)，或用 Rankscope 启动作业。</translation>
        </message>
        <message>
            <source>No operation of NCCL was reported in this run.</source>
            <translation>此运行没有报告任何 NCCL 操作。</translation>
        </message>
        <message>
            <source>No operation of NCCL yet.</source>
            <translation>尚无 NCCL 操作。</translation>
        </message>
        <message>
            <source>Rank %1 %2</source>
            <translation>Rank %1 %2</translation>
        </message>
        <message numerus="yes">
            <source>%n ranks are behind: %1</source>
            <translation>
                <numerusform>%n 个 rank 落后：%1</numerusform>
            </translation>
        </message>
        <message>
            <source>Rank %1 enters %2 last: the others wait for it %3 of their time there</source>
            <translation>Rank %1 最后进入 %2：其他 rank 在其中有 %3 的时间在等它</translation>
        </message>
        <message>
            <source>%1 of the time in NCCL is waiting for other ranks</source>
            <translation>NCCL 中 %1 的时间在等待其他 rank</translation>
        </message>
        <message>
            <source>Communicator</source>
            <translation>通信域</translation>
        </message>
        <message>
            <source>These files do not say when an operation began: set NCCL_INSPECTOR_DUMP_VERBOSE=1 for a timeline.</source>
            <translation>这些文件没有记录操作的开始时间：要查看时间线，请设置 NCCL_INSPECTOR_DUMP_VERBOSE=1。</translation>
        </message>
        <message>
            <source>Operations by function and size</source>
            <translation>按函数和大小列出的操作</translation>
        </message>
        <message>
            <source>The operations cannot be seen</source>
            <translation>无法看到操作</translation>
        </message>
        <message>
            <source>Calls that NCCL's lines list</source>
            <translation>NCCL 日志行列出的调用</translation>
        </message>
        <message>
            <source>All communicators</source>
            <translation>所有通信域</translation>
        </message>
        <message>
            <source>Function</source>
            <translation>函数</translation>
        </message>
        <message>
            <source>Size</source>
            <translation>大小</translation>
        </message>
        <message>
            <source>Algorithm</source>
            <translation>算法</translation>
        </message>
        <message>
            <source>Count</source>
            <translation>次数</translation>
        </message>
        <message>
            <source>NCCL's lines list %1 calls of each rank.</source>
            <translation>NCCL 日志行为每个 rank 列出了 %1 次调用。</translation>
        </message>
        <message>
            <source>NCCL's lines list %1 to %2 calls a rank; the fewest: rank %3.</source>
            <translation>NCCL 日志行为每个 rank 列出了 %1 至 %2 次调用；最少的是 rank %3。</translation>
        </message>
        <message>
            <source>Of the whole run: NCCL Inspector does not say when. %1</source>
            <translation>整个运行的数据：NCCL Inspector 不记录时间。%1</translation>
        </message>
        <message>
            <source>Reading what happened in this part of the run…</source>
            <translation>正在读取这段时间内的数据…</translation>
        </message>
        <message>
            <source>No operation of NCCL in this part of the run</source>
            <translation>这段时间内没有 NCCL 操作</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::ColumnDialog</name>
        <message>
            <source>Columns of the runs</source>
            <translation>运行列表的列</translation>
        </message>
        <message>
            <source>Search columns</source>
            <translation>搜索列</translation>
        </message>
        <message>
            <source>Search: loss, batch_size, verdict</source>
            <translation>搜索：loss、batch_size、verdict</translation>
        </message>
        <message>
            <source>Columns</source>
            <translation>列</translation>
        </message>
        <message>
            <source>Run</source>
            <translation>运行</translation>
        </message>
        <message>
            <source>Star</source>
            <translation>星标</translation>
        </message>
        <message>
            <source>Metrics</source>
            <translation>指标</translation>
        </message>
        <message>
            <source>Job</source>
            <translation>作业</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::CommandPalette</name>
        <message>
            <source>Commands</source>
            <translation>命令</translation>
        </message>
        <message>
            <source>Command</source>
            <translation>命令</translation>
        </message>
        <message>
            <source>Action, page, node, run or recipe</source>
            <translation>操作、页面、节点、运行或配方</translation>
        </message>
        <message>
            <source>No command fits.</source>
            <translation>没有匹配的命令。</translation>
        </message>
        <message>
            <source>↑ ↓ choose · Enter runs · Esc closes</source>
            <translation>↑ ↓ 选择 · Enter 执行 · Esc 关闭</translation>
        </message>
        <message>
            <source>unavailable</source>
            <translation>不可用</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::ComparePlot</name>
        <message>
            <source>Curves of the compared runs</source>
            <translation>所比较运行的曲线</translation>
        </message>
        <message>
            <source>step</source>
            <translation>步</translation>
        </message>
        <message>
            <source>epoch</source>
            <translation>轮次</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1：%2</translation>
        </message>
        <message>
            <source>time since the start</source>
            <translation>自开始的时间</translation>
        </message>
        <message>
            <source>&amp;Show everything</source>
            <translation>显示全部(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;Export these plots</source>
            <translation>导出这些图(&amp;E)</translation>
        </message>
        <message>
            <source>Logarithmic &amp;x axis</source>
            <translation>对数 X 轴(&amp;X)</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::CompareView</name>
        <message>
            <source>&amp;Cancel</source>
            <translation>取消(&amp;C)</translation>
        </message>
        <message>
            <source>← &amp;Runs</source>
            <translation>← 运行(&amp;R)</translation>
        </message>
        <message>
            <source>Back to the list (Esc)</source>
            <translation>返回列表 (Esc)</translation>
        </message>
        <message>
            <source>&amp;Mean ± spread of groups</source>
            <translation>各组平均 ± 离散度(&amp;M)</translation>
        </message>
        <message>
            <source>Align curves</source>
            <translation>对齐曲线</translation>
        </message>
        <message>
            <source>By step</source>
            <translation>按步</translation>
        </message>
        <message>
            <source>By epoch</source>
            <translation>按轮次</translation>
        </message>
        <message>
            <source>By time</source>
            <translation>按时间</translation>
        </message>
        <message>
            <source>Differences</source>
            <translation>差异</translation>
        </message>
        <message>
            <source>Statistics</source>
            <translation>统计</translation>
        </message>
        <message>
            <source>&amp;Differences</source>
            <translation>差异(&amp;D)</translation>
        </message>
        <message>
            <source>S&amp;tatistics</source>
            <translation>统计(&amp;T)</translation>
        </message>
        <message>
            <source>Target</source>
            <translation>目标</translation>
        </message>
        <message>
            <source>Time to… acc1=0.95</source>
            <translation>达到时间… acc1=0.95</translation>
        </message>
        <message>
            <source>METRIC=VALUE and Enter: how long each run took to reach it</source>
            <translation>指标=值，然后回车：每次运行达到它用了多久</translation>
        </message>
        <message>
            <source>A&amp;ll values</source>
            <translation>所有值(&amp;L)</translation>
        </message>
        <message>
            <source>Also what is the same in all runs</source>
            <translation>也显示所有运行中相同的值</translation>
        </message>
        <message>
            <source>&amp;Copy as CSV</source>
            <translation>复制为 CSV(&amp;C)</translation>
        </message>
        <message>
            <source>"%1" is not a metric and its value.</source>
            <translation>“%1”不是指标和它的值。</translation>
        </message>
        <message>
            <source>Write for example acc1=0.95.</source>
            <translation>例如写 acc1=0.95。</translation>
        </message>
        <message>
            <source>Compare %1 runs</source>
            <translation>比较 %1 次运行</translation>
        </message>
        <message>
            <source>Reading %1 runs…</source>
            <translation>正在读取 %1 次运行…</translation>
        </message>
        <message>
            <source>Reading runs: %1 of %2</source>
            <translation>正在读取运行：%1 / %2</translation>
        </message>
        <message>
            <source>The runs could not be compared.</source>
            <translation>无法比较这些运行。</translation>
        </message>
        <message>
            <source>Not everything could be compared; the rest is shown.</source>
            <translation>并非全部都能比较；其余已显示。</translation>
        </message>
        <message>
            <source>All</source>
            <translation>全部</translation>
        </message>
        <message>
            <source>Configuration, environment and versions are the same.</source>
            <translation>配置、环境和版本相同。</translation>
        </message>
        <message>
            <source>Written: %1</source>
            <translation>已写入：%1</translation>
        </message>
        <message>
            <source>Metr&amp;ics</source>
            <translation>指标(&amp;I)</translation>
        </message>
        <message>
            <source>Which metrics are shown; those that all runs report come first</source>
            <translation>显示哪些指标；所有运行都报告的指标在前</translation>
        </message>
        <message>
            <source>E&amp;xport</source>
            <translation>导出(&amp;X)</translation>
        </message>
        <message>
            <source>The curves as a picture or a table</source>
            <translation>将曲线导出为图片或表格</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::DataSection</name>
        <message>
            <source>Data</source>
            <translation>数据</translation>
        </message>
        <message>
            <source>reading…</source>
            <translation>正在读取…</translation>
        </message>
        <message>
            <source>for ever</source>
            <translation>永久</translation>
        </message>
        <message>
            <source> days</source>
            <translation> 天</translation>
        </message>
        <message>
            <source>without limit</source>
            <translation>不限</translation>
        </message>
        <message>
            <source> MiB</source>
            <translation> MiB</translation>
        </message>
        <message>
            <source>&amp;Preview…</source>
            <translation>预览(&amp;P)…</translation>
        </message>
        <message>
            <source>Starred runs and runs in progress are never removed. Nothing is removed before you have seen the list and confirmed it.</source>
            <translation>加星标的运行和进行中的运行永远不会被移除。在您看过列表并确认之前，不会移除任何内容。</translation>
        </message>
        <message>
            <source>Refresh</source>
            <translation>刷新</translation>
        </message>
        <message>
            <source>once a second</source>
            <translation>每秒一次</translation>
        </message>
        <message>
            <source>%1 times a second</source>
            <translation>每秒 %1 次</translation>
        </message>
        <message>
            <source>&amp;Live shows new data</source>
            <translation>“实时”显示新数据(&amp;L)</translation>
        </message>
        <message>
            <source>every </source>
            <translation>每 </translation>
        </message>
        <message>
            <source> s</source>
            <translation> 秒</translation>
        </message>
        <message>
            <source>&amp;Runs reads its list</source>
            <translation>“运行记录”读取列表(&amp;R)</translation>
        </message>
        <message>
            <source>Stored runs</source>
            <translation>已保存的运行</translation>
        </message>
        <message>
            <source>Used now</source>
            <translation>当前占用</translation>
        </message>
        <message>
            <source>&amp;Keep runs</source>
            <translation>保留运行(&amp;K)</translation>
        </message>
        <message>
            <source>Keep at &amp;most</source>
            <translation>最多保留(&amp;M)</translation>
        </message>
        <message>
            <source>Preview what would be removed</source>
            <translation>预览将被移除的内容</translation>
        </message>
        <message>
            <source>The runs that these limits would remove now</source>
            <translation>这些限制现在会移除的运行</translation>
        </message>
        <message>
            <source>%1 in %2</source>
            <translation>%1，位于 %2</translation>
        </message>
        <message>
            <source> · %1 free on its disk</source>
            <translation> · 其磁盘剩余 %1</translation>
        </message>
        <message>
            <source>as the disk allows</source>
            <translation>由磁盘空间决定</translation>
        </message>
        <message>
            <source> MB</source>
            <translation> MB</translation>
        </message>
        <message>
            <source>&amp;Fleet reads its nodes</source>
            <translation>“集群”读取节点(&amp;F)</translation>
        </message>
        <message>
            <source>Use, memory and temperature, while Fleet is on view</source>
            <translation>显示“集群”时的使用率、内存和温度</translation>
        </message>
        <message>
            <source>Output of the ranks</source>
            <translation>rank 的输出</translation>
        </message>
        <message>
            <source>&amp;Output kept of each run</source>
            <translation>每次运行保留的输出(&amp;O)</translation>
        </message>
        <message>
            <source>The default is a tenth of the free space of the run store's disk, from %1 MB to 2000 MB: now %2 MB. Beyond the limit, a few lines per second and rank are kept. It counts for runs that start or are attached to from now on.</source>
            <translation>默认值是运行存储所在磁盘可用空间的十分之一，从 %1 MB 到 2000 MB：现在是 %2 MB。超出后，每个 rank 每秒只保留几行。对此后启动或连接的运行生效。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::DocsWindow</name>
        <message>
            <source>Documentation — Rankscope</source>
            <translation>文档 — Rankscope</translation>
        </message>
        <message>
            <source>Documentation</source>
            <translation>文档</translation>
        </message>
        <message>
            <source>Pages</source>
            <translation>页面</translation>
        </message>
        <message>
            <source>← Back</source>
            <translation>← 返回</translation>
        </message>
        <message>
            <source>All pages</source>
            <translation>所有页面</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::DoctorPage</name>
        <message>
            <source>Go to &amp;Launch</source>
            <translation>转到启动页(&amp;L)</translation>
        </message>
        <message>
            <source>Re-c&amp;heck</source>
            <translation>重新检查(&amp;H)</translation>
        </message>
        <message>
            <source>Find faults before the run does</source>
            <translation>在运行之前发现故障</translation>
        </message>
        <message>
            <source>A preflight inspects the nodes of the job in Launch and every path between them, as the run will use them: ports, firewalls, interfaces, names, limits, versions. It starts nothing and changes nothing.</source>
            <translation>预检按运行将要使用的方式，检查启动页中作业的节点以及它们之间的每条路径：端口、防火墙、网络接口、名称、限制、版本。它不启动任何程序，也不更改任何内容。</translation>
        </message>
        <message>
            <source>Run &amp;preflight</source>
            <translation>运行预检(&amp;P)</translation>
        </message>
        <message>
            <source>Doctor</source>
            <translation>诊断</translation>
        </message>
        <message>
            <source>&amp;Open job file…</source>
            <translation>打开作业文件(&amp;O)…</translation>
        </message>
        <message>
            <source>Which nodes of the job are inspected</source>
            <translation>要检查作业的哪些节点</translation>
        </message>
        <message>
            <source>&amp;Quick</source>
            <translation>快速(&amp;Q)</translation>
        </message>
        <message>
            <source>About a second: without loss, bandwidth and versions</source>
            <translation>约一秒：不含丢包、带宽和版本</translation>
        </message>
        <message>
            <source>&amp;Cancel</source>
            <translation>取消(&amp;C)</translation>
        </message>
        <message>
            <source>Preflight in progress</source>
            <translation>预检进行中</translation>
        </message>
        <message>
            <source>Applied from here</source>
            <translation>已在此处应用</translation>
        </message>
        <message>
            <source>Connections</source>
            <translation>连接</translation>
        </message>
        <message>
            <source>Nodes</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>The job has one node: there are no connections to test.</source>
            <translation>作业只有一个节点：没有需要测试的连接。</translation>
        </message>
        <message>
            <source>What was tried, and what came back</source>
            <translation>尝试的内容与得到的结果</translation>
        </message>
        <message>
            <source>Choose a square: what was tried there, and what came back.</source>
            <translation>选择一个方格：查看在该处尝试的内容与得到的结果。</translation>
        </message>
        <message>
            <source>Show &amp;all</source>
            <translation>显示全部(&amp;A)</translation>
        </message>
        <message>
            <source>Checks</source>
            <translation>检查项</translation>
        </message>
        <message>
            <source>Open a job file</source>
            <translation>打开作业文件</translation>
        </message>
        <message>
            <source>Job files (*.yaml *.yml);;All files (*)</source>
            <translation>作业文件 (*.yaml *.yml);;所有文件 (*)</translation>
        </message>
        <message>
            <source>The job in Launch now has %1.</source>
            <translation>启动页中的作业现在包含 %1。</translation>
        </message>
        <message>
            <source>Choose at least one node.</source>
            <translation>至少选择一个节点。</translation>
        </message>
        <message>
            <source>The job in Launch cannot be inspected yet.</source>
            <translation>启动页中的作业还不能检查。</translation>
        </message>
        <message>
            <source>The preflight could not run.</source>
            <translation>无法运行预检。</translation>
        </message>
        <message>
            <source>connecting</source>
            <translation>正在连接</translation>
        </message>
        <message>
            <source>%1 of %2 checks failed</source>
            <translation>%2 项检查中有 %1 项失败</translation>
        </message>
        <message>
            <source>No check failed, 1 warning</source>
            <translation>没有检查失败，1 个警告</translation>
        </message>
        <message>
            <source>No check failed, %1 warnings</source>
            <translation>没有检查失败，%1 个警告</translation>
        </message>
        <message>
            <source>All %1 checks passed</source>
            <translation>全部 %1 项检查通过</translation>
        </message>
        <message>
            <source>1 node</source>
            <translation>1 个节点</translation>
        </message>
        <message>
            <source>%1 nodes</source>
            <translation>%1 个节点</translation>
        </message>
        <message>
            <source>the ranks meet at %1:%2</source>
            <translation>各 rank 在 %1:%2 会合</translation>
        </message>
        <message>
            <source>Not tested: %1</source>
            <translation>未测试：%1</translation>
        </message>
        <message>
            <source>Checks of %1</source>
            <translation>%1 的检查项</translation>
        </message>
        <message>
            <source>Checks of %1 → %2</source>
            <translation>%1 → %2 的检查项</translation>
        </message>
        <message>
            <source>No fault from %1 to %2</source>
            <translation>从 %1 到 %2 无故障</translation>
        </message>
        <message>
            <source>Everything: some seconds</source>
            <translation>全部检查：几秒钟</translation>
        </message>
        <message>
            <source>The job in Launch</source>
            <translation>“启动”中的作业</translation>
        </message>
        <message>
            <source>Nodes of the inventory</source>
            <translation>节点清单中的节点</translation>
        </message>
        <message>
            <source>Run %1, in progress</source>
            <translation>运行 %1，进行中</translation>
        </message>
        <message>
            <source>Run %1</source>
            <translation>运行 %1</translation>
        </message>
        <message>
            <source>the run %1, in progress</source>
            <translation>运行 %1，进行中</translation>
        </message>
        <message>
            <source>the run %1</source>
            <translation>运行 %1</translation>
        </message>
        <message>
            <source>nodes, for no job in particular</source>
            <translation>节点，不针对特定作业</translation>
        </message>
        <message>
            <source>Inspect the &amp;run</source>
            <translation>检查运行(&amp;R)</translation>
        </message>
        <message>
            <source>The nodes cannot be inspected yet.</source>
            <translation>还不能检查这些节点。</translation>
        </message>
        <message>
            <source>The run could not be inspected.</source>
            <translation>无法检查该运行。</translation>
        </message>
        <message>
            <source>&amp;Start it again</source>
            <translation>再次启动(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;Start</source>
            <translation>启动(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;Inspect…</source>
            <translation>检查对象(&amp;I)…</translation>
        </message>
        <message>
            <source>The job in Launch, a run, or nodes of the inventory</source>
            <translation>“启动”中的作业、一次运行，或节点清单中的节点</translation>
        </message>
        <message>
            <source>Ranks</source>
            <translation>Rank</translation>
        </message>
        <message>
            <source>&amp;Undo…</source>
            <translation>撤销(&amp;U)…</translation>
        </message>
        <message numerus="yes">
            <source>and %n more check(s)</source>
            <translation>
                <numerusform>以及另外 %n 项检查</numerusform>
            </translation>
        </message>
        <message>
            <source>The fix cannot be undone from here.</source>
            <translation>无法在此撤销该修复。</translation>
        </message>
        <message>
            <source>Worse after the fix: %1</source>
            <translation>修复之后更糟：%1</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::DoctorSubject</name>
        <message>
            <source>what the run %1 shows</source>
            <translation>运行 %1 所显示的</translation>
        </message>
        <message>
            <source>found for the run %1</source>
            <translation>为运行 %1 所发现</translation>
        </message>
        <message>
            <source>the run %1, inspected in %2</source>
            <translation>运行 %1，检查用时 %2</translation>
        </message>
        <message>
            <source>full preflight in %1</source>
            <translation>完整预检，用时 %1</translation>
        </message>
        <message>
            <source>quick preflight in %1</source>
            <translation>快速预检，用时 %1</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::EnvDialog</name>
        <message>
            <source>Variables</source>
            <translation>变量</translation>
        </message>
        <message>
            <source>Variable</source>
            <translation>变量</translation>
        </message>
        <message>
            <source>Value</source>
            <translation>值</translation>
        </message>
        <message>
            <source>Meaning</source>
            <translation>含义</translation>
        </message>
        <message>
            <source>&amp;Remove the variable</source>
            <translation>移除该变量(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;Use</source>
            <translation>使用(&amp;U)</translation>
        </message>
        <message>
            <source>"%1" cannot be the name of a variable.</source>
            <translation>“%1”不能用作变量的名称。</translation>
        </message>
        <message>
            <source>Give the value in line %1 a name.</source>
            <translation>请为第 %1 行的值输入名称。</translation>
        </message>
        <message>
            <source>all ranks</source>
            <translation>所有 rank</translation>
        </message>
        <message>
            <source>node %1</source>
            <translation>节点 %1</translation>
        </message>
        <message>
            <source>rank %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>For which ranks</source>
            <translation>用于哪些 rank</translation>
        </message>
        <message>
            <source>Environment of the ranks</source>
            <translation>rank 的环境变量</translation>
        </message>
        <message>
            <source>For</source>
            <translation>用于</translation>
        </message>
        <message>
            <source>%1 stands here twice for %2.</source>
            <translation>%1 对%2出现了两次。</translation>
        </message>
        <message>
            <source>%1 is not the number of a rank.</source>
            <translation>%1 不是 rank 编号。</translation>
        </message>
        <message>
            <source>%1 is not a rank of this job: they are 0 to %2.</source>
            <translation>%1 不是此作业的 rank：rank 为 0 到 %2。</translation>
        </message>
        <message>
            <source>The launcher chooses the nodes of this job: choose all ranks, or one rank.</source>
            <translation>此作业的节点由启动器选择：请选择所有 rank，或一个 rank。</translation>
        </message>
        <message>
            <source>%1 is not a node of this job.</source>
            <translation>%1 不是此作业的节点。</translation>
        </message>
        <message>
            <source>"%1" names no ranks. Write %2, %3 or %4.</source>
            <translation>“%1”没有指明 rank。请写 %2、%3 或 %4。</translation>
        </message>
        <message>
            <source>NAME</source>
            <translation>名称</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::EventsPane</name>
        <message>
            <source>Kind of the events</source>
            <translation>事件的类型</translation>
        </message>
        <message>
            <source>All kinds</source>
            <translation>所有类型</translation>
        </message>
        <message>
            <source>Whose events</source>
            <translation>谁的事件</translation>
        </message>
        <message>
            <source>Filter the events</source>
            <translation>筛选事件</translation>
        </message>
        <message>
            <source>Filter</source>
            <translation>筛选</translation>
        </message>
        <message>
            <source>Events</source>
            <translation>事件</translation>
        </message>
        <message>
            <source>Events of the run</source>
            <translation>运行的事件</translation>
        </message>
        <message>
            <source>All ranks</source>
            <translation>所有 rank</translation>
        </message>
        <message>
            <source>Rank %1</source>
            <translation>Rank %1</translation>
        </message>
        <message numerus="yes">
            <source>%n event(s)</source>
            <translation>
                <numerusform>%n 个事件</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%1 of %n event(s)</source>
            <translation>
                <numerusform>%n 个事件中的 %1 个</numerusform>
            </translation>
        </message>
        <message>
            <source>%1 older ones are in the log.</source>
            <translation>另有 %1 个更早的事件在日志中。</translation>
        </message>
        <message>
            <source>Nothing has happened yet.</source>
            <translation>还没有发生任何事件。</translation>
        </message>
        <message>
            <source>Show this &amp;moment on the curves</source>
            <translation>在曲线上显示此时刻(&amp;M)</translation>
        </message>
        <message>
            <source>Show it in the &amp;log</source>
            <translation>在日志中显示(&amp;L)</translation>
        </message>
        <message>
            <source>Show only the &amp;times of the selected rows</source>
            <translation>只显示所选各行的时间范围(&amp;T)</translation>
        </message>
        <message>
            <source>Select &amp;rank %1</source>
            <translation>选择 rank %1(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;Copy</source>
            <translation>复制(&amp;C)</translation>
        </message>
        <message>
            <source>Copy &amp;all shown rows</source>
            <translation>复制所有显示的行(&amp;A)</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::ExaminedRanksModel</name>
        <message>
            <source>Rank</source>
            <translation>Rank</translation>
        </message>
        <message>
            <source>Node</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>Process</source>
            <translation>进程</translation>
        </message>
        <message>
            <source>State</source>
            <translation>状态</translation>
        </message>
        <message>
            <source>CPU</source>
            <translation>CPU</translation>
        </message>
        <message>
            <source>Does</source>
            <translation>正在做</translation>
        </message>
        <message>
            <source>Where</source>
            <translation>位置</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::ExportBar</name>
        <message>
            <source>Cancel ex&amp;port</source>
            <translation>取消导出(&amp;P)</translation>
        </message>
        <message>
            <source>Show fol&amp;der</source>
            <translation>显示文件夹(&amp;D)</translation>
        </message>
        <message>
            <source>Exporting %1: %2</source>
            <translation>正在导出 %1：%2</translation>
        </message>
        <message>
            <source>Exporting %1…</source>
            <translation>正在导出 %1…</translation>
        </message>
        <message>
            <source>%1 was not exported.</source>
            <translation>%1 未能导出。</translation>
        </message>
        <message>
            <source>Written: %1</source>
            <translation>已写入：%1</translation>
        </message>
        <message>
            <source>The run has not ended: this is what was stored until %1.</source>
            <translation>运行尚未结束：这是截至 %1 已保存的内容。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::FailureBanner</name>
        <message>
            <source>Last lines of the rank</source>
            <translation>该 rank 的最后几行</translation>
        </message>
        <message>
            <source>&amp;Copy</source>
            <translation>复制(&amp;C)</translation>
        </message>
        <message>
            <source>Dismiss</source>
            <translation>忽略</translation>
        </message>
        <message>
            <source>Show in &amp;Doctor</source>
            <translation>在诊断中显示(&amp;D)</translation>
        </message>
        <message>
            <source>&amp;Log of rank %1</source>
            <translation>rank %1 的日志(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Who holds port %1…</source>
            <translation>谁占用端口 %1(&amp;W)…</translation>
        </message>
        <message>
            <source>Show this line in the log</source>
            <translation>在日志中显示此行</translation>
        </message>
        <message>
            <source>Ran&amp;ks of %1</source>
            <translation>%1 的 rank(&amp;K)</translation>
        </message>
        <message>
            <source>&amp;Why ▴</source>
            <translation>原因(&amp;W) ▴</translation>
        </message>
        <message>
            <source>&amp;Why ▾</source>
            <translation>原因(&amp;W) ▾</translation>
        </message>
        <message>
            <source>Show less</source>
            <translation>收起</translation>
        </message>
        <message>
            <source>Why, and what to do</source>
            <translation>原因与解决办法</translation>
        </message>
        <message>
            <source>What shows it</source>
            <translation>依据</translation>
        </message>
        <message>
            <source>Evidence</source>
            <translation>证据</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::FileLog</name>
        <message>
            <source>Lines of the log</source>
            <translation>日志行</translation>
        </message>
        <message>
            <source>Which file</source>
            <translation>哪个文件</translation>
        </message>
        <message>
            <source>All files</source>
            <translation>所有文件</translation>
        </message>
        <message>
            <source>%1, line %2</source>
            <translation>%1，第 %2 行</translation>
        </message>
        <message>
            <source>Lines</source>
            <translation>行</translation>
        </message>
        <message>
            <source>The lines cannot be written to the cache folder (%1): only the last of them can be shown. Free space there, then open the files again.</source>
            <translation>这些行无法写入缓存文件夹（%1）：只能显示最后一部分。请在该处释放空间，然后重新打开文件。</translation>
        </message>
        <message>
            <source>&amp;Save shown lines…</source>
            <translation>保存显示的行(&amp;S)…</translation>
        </message>
        <message>
            <source>Save shown lines</source>
            <translation>保存显示的行</translation>
        </message>
        <message>
            <source>By time</source>
            <translation>按时间</translation>
        </message>
        <message>
            <source>Lines of all files by time</source>
            <translation>所有文件的行按时间排列</translation>
        </message>
        <message>
            <source>The lines of all files by the times that they print, with the clocks of the hosts corrected where both log the same moments. A line without a time follows the one before it.</source>
            <translation>所有文件的行按其打印的时间排列；如果主机记录了相同的时刻，则校正其时钟。没有时间的行跟在前一行之后。</translation>
        </message>
        <message>
            <source>The lines are put into the order of their times: %1 %</source>
            <translation>正在按时间排列各行：%1 %</translation>
        </message>
        <message>
            <source>The lines are put into the order of their times when all of them are read.</source>
            <translation>读完所有行后按时间排列。</translation>
        </message>
        <message>
            <source>%1 of %2 lines have no time: they follow the line before them, or come first.</source>
            <translation>%2 行中有 %1 行没有时间：它们跟在前一行之后，或排在最前面。</translation>
        </message>
        <message>
            <source>The clock of %1 is %2 s ahead of %3: corrected.</source>
            <translation>%1 的时钟比 %3 快 %2 秒：已校正。</translation>
        </message>
        <message>
            <source>The clock of %1 is %2 s behind %3: corrected.</source>
            <translation>%1 的时钟比 %3 慢 %2 秒：已校正。</translation>
        </message>
        <message>
            <source>The clocks of %1 more hosts are corrected, too.</source>
            <translation>另有 %1 台主机的时钟也已校正。</translation>
        </message>
        <message>
            <source>Line %1 was not read: the reading was cancelled. Open the files again.</source>
            <translation>第 %1 行没有读取：读取已取消。请重新打开文件。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::FirstSteps</name>
        <message>
            <source>First steps</source>
            <translation>第一步</translation>
        </message>
        <message>
            <source>Hide</source>
            <translation>隐藏</translation>
        </message>
        <message>
            <source>Help ▸ First steps shows them again</source>
            <translation>“帮助 ▸ 第一步”可再次显示</translation>
        </message>
        <message>
            <source>Train on MNIST with this computer. It needs no GPU.</source>
            <translation>在本机上训练 MNIST。不需要 GPU。</translation>
        </message>
        <message>
            <source>Run MNIST &amp;here</source>
            <translation>在本机运行 MNIST(&amp;H)</translation>
        </message>
        <message>
            <source>Imp&amp;ort…</source>
            <translation>导入(&amp;O)…</translation>
        </message>
        <message>
            <source>See a run</source>
            <translation>看一次运行</translation>
        </message>
        <message>
            <source>Add your nodes</source>
            <translation>添加您的节点</translation>
        </message>
        <message>
            <source>Add no&amp;des…</source>
            <translation>添加节点(&amp;D)…</translation>
        </message>
        <message>
            <source>Reach them</source>
            <translation>连接它们</translation>
        </message>
        <message>
            <source>Install your SSH key, so that no password is needed, and look at what they have.</source>
            <translation>安装 SSH 密钥，以后不再需要密码；并查看它们有哪些资源。</translation>
        </message>
        <message>
            <source>SSH ke&amp;y…</source>
            <translation>SSH 密钥(&amp;Y)…</translation>
        </message>
        <message>
            <source>Probe the&amp;m</source>
            <translation>探测它们(&amp;M)</translation>
        </message>
        <message>
            <source>%1: done</source>
            <translation>%1：已完成</translation>
        </message>
        <message>
            <source>Name the nodes that you train on, or take them from ~/.ssh/config, /etc/hosts or a list. Rankscope reaches them by SSH; nothing is installed there.</source>
            <translation>填写用来训练的节点，或者从 ~/.ssh/config、/etc/hosts 或列表中导入。Rankscope 通过 SSH 连接它们，不在上面安装任何东西。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::FixRow</name>
        <message>
            <source>Set %1 in the job</source>
            <translation>在作业中设置 %1</translation>
        </message>
        <message>
            <source>on %1, as root</source>
            <translation>在 %1 上，以 root 身份</translation>
        </message>
        <message>
            <source>on %1</source>
            <translation>在 %1 上</translation>
        </message>
        <message>
            <source>undo: %1</source>
            <translation>撤销：%1</translation>
        </message>
        <message>
            <source>Copy</source>
            <translation>复制</translation>
        </message>
        <message>
            <source>Copy the fix</source>
            <translation>复制修复命令</translation>
        </message>
        <message>
            <source>Apply to the job</source>
            <translation>应用到作业</translation>
        </message>
        <message>
            <source>Apply…</source>
            <translation>应用…</translation>
        </message>
        <message>
            <source>Undo…</source>
            <translation>撤销…</translation>
        </message>
        <message>
            <source>applying…</source>
            <translation>正在应用…</translation>
        </message>
        <message>
            <source>applied</source>
            <translation>已应用</translation>
        </message>
        <message>
            <source>undoing…</source>
            <translation>正在撤销…</translation>
        </message>
        <message>
            <source>Set and start again</source>
            <translation>设置并再次启动</translation>
        </message>
        <message>
            <source>Apply and start again…</source>
            <translation>应用并再次启动…</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::FleetModel</name>
        <message>
            <source>This computer</source>
            <translation>本机</translation>
        </message>
        <message>
            <source>without SSH</source>
            <translation>不使用 SSH</translation>
        </message>
        <message>
            <source>%1 min ago</source>
            <translation>%1 分钟前</translation>
        </message>
        <message>
            <source>%1 h ago</source>
            <translation>%1 小时前</translation>
        </message>
        <message>
            <source>1 day ago</source>
            <translation>1 天前</translation>
        </message>
        <message>
            <source>%1 days ago</source>
            <translation>%1 天前</translation>
        </message>
        <message>
            <source>lost by the run</source>
            <translation>运行已与其失联</translation>
        </message>
        <message>
            <source>no answer to the run for %1</source>
            <translation>对运行无应答已 %1</translation>
        </message>
        <message>
            <source>no answer to the run</source>
            <translation>对运行无应答</translation>
        </message>
        <message>
            <source>not probed</source>
            <translation>未探测</translation>
        </message>
        <message>
            <source>probed %1</source>
            <translation>探测于 %1</translation>
        </message>
        <message>
            <source>connecting…</source>
            <translation>正在连接…</translation>
        </message>
        <message>
            <source>ready</source>
            <translation>就绪</translation>
        </message>
        <message>
            <source>ready, %1</source>
            <translation>就绪，%1</translation>
        </message>
        <message>
            <source>failed: %1</source>
            <translation>失败：%1</translation>
        </message>
        <message numerus="yes">
            <source>%n GPU(s)</source>
            <translation>
                <numerusform>%n 个 GPU</numerusform>
            </translation>
        </message>
        <message>
            <source>1 CPU slot</source>
            <translation>1 个 CPU 槽位</translation>
        </message>
        <message>
            <source>%1 CPU slots</source>
            <translation>%1 个 CPU 槽位</translation>
        </message>
        <message>
            <source>%1 of %2 GiB</source>
            <translation>%1 / %2 GiB</translation>
        </message>
        <message>
            <source>Node</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>Address</source>
            <translation>地址</translation>
        </message>
        <message>
            <source>State</source>
            <translation>状态</translation>
        </message>
        <message>
            <source>GPUs and slots</source>
            <translation>GPU 与槽位</translation>
        </message>
        <message>
            <source>Use</source>
            <translation>使用情况</translation>
        </message>
        <message>
            <source>Devices</source>
            <translation>设备</translation>
        </message>
        <message>
            <source>CPUs</source>
            <translation>CPU</translation>
        </message>
        <message>
            <source>Memory free</source>
            <translation>空闲内存</translation>
        </message>
        <message>
            <source>System</source>
            <translation>系统</translation>
        </message>
        <message>
            <source>Round trip</source>
            <translation>往返时延</translation>
        </message>
        <message>
            <source>Clock</source>
            <translation>时钟</translation>
        </message>
        <message>
            <source>Group</source>
            <translation>组</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::FleetPage</name>
        <message>
            <source>%1 nodes</source>
            <translation>%1 个节点</translation>
        </message>
        <message>
            <source>Fleet</source>
            <translation>集群</translation>
        </message>
        <message>
            <source>&amp;Read again</source>
            <translation>重新读取(&amp;R)</translation>
        </message>
        <message>
            <source>Nodes</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>&amp;Add node…</source>
            <translation>添加节点(&amp;A)…</translation>
        </message>
        <message>
            <source>&amp;Import…</source>
            <translation>导入(&amp;I)…</translation>
        </message>
        <message>
            <source>Re&amp;move</source>
            <translation>移除(&amp;M)</translation>
        </message>
        <message>
            <source>SSH &amp;key…</source>
            <translation>SSH 密钥(&amp;K)…</translation>
        </message>
        <message>
            <source>&amp;Open shell</source>
            <translation>打开 shell(&amp;O)</translation>
        </message>
        <message>
            <source>&amp;Probe</source>
            <translation>探测(&amp;P)</translation>
        </message>
        <message>
            <source>Probe a&amp;ll</source>
            <translation>全部探测(&amp;L)</translation>
        </message>
        <message>
            <source>Cancel pro&amp;bes</source>
            <translation>取消探测(&amp;B)</translation>
        </message>
        <message>
            <source>The inventory has errors. Fix %1; Rankscope does not write it until then.</source>
            <translation>节点清单有错误。请修复 %1；在此之前 Rankscope 不会写入它。</translation>
        </message>
        <message>
            <source>The inventory could not be saved.</source>
            <translation>无法保存节点清单。</translation>
        </message>
        <message>
            <source> · %1 selected</source>
            <translation> · 已选 %1 个</translation>
        </message>
        <message>
            <source> · probing %1</source>
            <translation> · 正在探测 %1 个</translation>
        </message>
        <message>
            <source>Open shell</source>
            <translation>打开 shell</translation>
        </message>
        <message>
            <source>No terminal program starts on this computer.</source>
            <translation>本机上没有可启动的终端程序。</translation>
        </message>
        <message>
            <source>Install one, for example xterm, or set TERMINAL to its name. The command:
%1</source>
            <translation>请安装一个，例如 xterm，或将 TERMINAL 设为其名称。命令：
%1</translation>
        </message>
        <message>
            <source>&amp;Copy command</source>
            <translation>复制命令(&amp;C)</translation>
        </message>
        <message>
            <source>Remove node</source>
            <translation>移除节点</translation>
        </message>
        <message>
            <source>Remove nodes</source>
            <translation>移除节点</translation>
        </message>
        <message>
            <source>Remove %1 from the inventory?</source>
            <translation>从节点清单中移除 %1？</translation>
        </message>
        <message>
            <source>&amp;Remove</source>
            <translation>移除(&amp;R)</translation>
        </message>
        <message>
            <source>E&amp;dit…</source>
            <translation>编辑(&amp;D)…</translation>
        </message>
        <message>
            <source>Lef&amp;tovers…</source>
            <translation>残留(&amp;T)…</translation>
        </message>
        <message>
            <source>&amp;Copy its name</source>
            <translation>复制名称(&amp;C)</translation>
        </message>
        <message>
            <source>Copy its add&amp;ress</source>
            <translation>复制地址(&amp;R)</translation>
        </message>
        <message>
            <source>Group of nodes</source>
            <translation>节点组</translation>
        </message>
        <message>
            <source>Show only the nodes of a group</source>
            <translation>仅显示某个组的节点</translation>
        </message>
        <message>
            <source>All groups</source>
            <translation>所有组</translation>
        </message>
        <message>
            <source>Without a group</source>
            <translation>未分组</translation>
        </message>
        <message>
            <source>Processes, ports, shared memory and GPU memory that runs left on this node, and how to free them</source>
            <translation>运行在这个节点上残留的进程、端口、共享内存和 GPU 内存，以及释放它们的方法</translation>
        </message>
        <message>
            <source>Log in on this node by ssh, in a terminal window</source>
            <translation>在终端窗口中通过 ssh 登录这个节点</translation>
        </message>
        <message>
            <source>R&amp;uns on this node…</source>
            <translation>此节点上的运行(&amp;U)…</translation>
        </message>
        <message>
            <source>R&amp;uns on these nodes…</source>
            <translation>这些节点上的运行(&amp;U)…</translation>
        </message>
        <message>
            <source>This computer. Add the nodes you train on.</source>
            <translation>这是本机。请添加用于训练的节点。</translation>
        </message>
        <message>
            <source>%1 of %2 nodes</source>
            <translation>%1 / %2 个节点</translation>
        </message>
        <message>
            <source>Its entry is removed from %1. The node itself does not change, and stored runs stay.</source>
            <translation>它的条目将从 %1 中移除。节点本身不变，已保存的运行会保留。</translation>
        </message>
        <message>
            <source>Their entries are removed from %1. The nodes themselves do not change, and stored runs stay.</source>
            <translation>它们的条目将从 %1 中移除。节点本身不变，已保存的运行会保留。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::FoldedModel</name>
        <message>
            <source>does not print this line</source>
            <translation>没有打印此行</translation>
        </message>
        <message>
            <source>prints this line alone</source>
            <translation>只有它打印此行</translation>
        </message>
        <message>
            <source>%1 instead of %2</source>
            <translation>%1，而非 %2</translation>
        </message>
        <message>
            <source>–</source>
            <translation>–</translation>
        </message>
        <message>
            <source>Processes</source>
            <translation>进程</translation>
        </message>
        <message>
            <source>Ranks</source>
            <translation>Rank</translation>
        </message>
        <message>
            <source>Line</source>
            <translation>行</translation>
        </message>
        <message>
            <source>Subsystem</source>
            <translation>子系统</translation>
        </message>
        <message>
            <source>Lines</source>
            <translation>行数</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::FoldedTab</name>
        <message>
            <source>Lines of NCCL, folded over the ranks</source>
            <translation>按 rank 折叠的 NCCL 日志行</translation>
        </message>
        <message>
            <source>Subsystem</source>
            <translation>子系统</translation>
        </message>
        <message>
            <source>Communicator</source>
            <translation>通信域</translation>
        </message>
        <message>
            <source>Level</source>
            <translation>级别</translation>
        </message>
        <message>
            <source>All levels</source>
            <translation>所有级别</translation>
        </message>
        <message>
            <source>Warnings</source>
            <translation>警告</translation>
        </message>
        <message>
            <source>All subsystems</source>
            <translation>所有子系统</translation>
        </message>
        <message>
            <source>All communicators</source>
            <translation>所有通信域</translation>
        </message>
        <message>
            <source>Ranks: 0-6,8</source>
            <translation>Rank：0-6,8</translation>
        </message>
        <message>
            <source>Filter by text</source>
            <translation>按文本筛选</translation>
        </message>
        <message>
            <source>Only what &amp;differs</source>
            <translation>仅显示差异(&amp;D)</translation>
        </message>
        <message>
            <source>Show in l&amp;og</source>
            <translation>在日志中显示(&amp;O)</translation>
        </message>
        <message>
            <source>Write ranks as 0-6,8.</source>
            <translation>rank 请写作 0-6,8。</translation>
        </message>
        <message>
            <source>%1 lines in %2 rows</source>
            <translation>%1 行，合并为 %2 行</translation>
        </message>
        <message>
            <source>no rank differs</source>
            <translation>没有 rank 存在差异</translation>
        </message>
        <message>
            <source>1 row differs</source>
            <translation>1 行存在差异</translation>
        </message>
        <message>
            <source>%1 rows differ</source>
            <translation>%1 行存在差异</translation>
        </message>
        <message>
            <source>No line passes the filter.</source>
            <translation>没有符合筛选条件的行。</translation>
        </message>
        <message>
            <source>rank %1 printed nothing</source>
            <translation>rank %1 没有任何输出</translation>
        </message>
        <message>
            <source>ranks %1 printed nothing</source>
            <translation>rank %1 没有任何输出</translation>
        </message>
        <message>
            <source>%1 lines of too many kinds are not shown</source>
            <translation>种类过多，有 %1 行未显示</translation>
        </message>
        <message>
            <source>the lines do not say which rank printed them: processes are numbered</source>
            <translation>日志行没有注明由哪个 rank 打印：改为对进程编号</translation>
        </message>
        <message>
            <source>Choose a line to see what it means.</source>
            <translation>选择一行以查看其含义。</translation>
        </message>
        <message>
            <source>Rankscope does not know this line.</source>
            <translation>Rankscope 不认识此行。</translation>
        </message>
        <message>
            <source>NCCL %1 and newer</source>
            <translation>NCCL %1 及更新版本</translation>
        </message>
        <message>
            <source>up to NCCL %1</source>
            <translation>截至 NCCL %1</translation>
        </message>
        <message>
            <source>communicator %1</source>
            <translation>通信域 %1</translation>
        </message>
        <message>
            <source>%1 communicators</source>
            <translation>%1 个通信域</translation>
        </message>
        <message numerus="yes">
            <source>%n rows in this part of the run</source>
            <translation>
                <numerusform>这段时间内有 %n 行</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::FormulaDialog</name>
        <message>
            <source>Add a formula</source>
            <translation>添加公式</translation>
        </message>
        <message>
            <source>Change the formula</source>
            <translation>修改公式</translation>
        </message>
        <message>
            <source>&amp;Formula</source>
            <translation>公式(&amp;F)</translation>
        </message>
        <message>
            <source>&amp;Insert a metric</source>
            <translation>插入指标(&amp;I)</translation>
        </message>
        <message>
            <source>The formula names no metric.</source>
            <translation>公式中没有指标。</translation>
        </message>
        <message>
            <source>Metrics, numbers, + - * / ( ), mean min max median sum log, world_size. After a metric: @rank3, @mean, @min, @max, @median, @sum; without: of each rank. Names with other signs stand in quotation marks.</source>
            <translation>指标、数字、+ - * / ( )、mean min max median sum log、world_size。指标之后可写：@rank3、@mean、@min、@max、@median、@sum；不写表示每个 rank。含其他符号的名称须加引号。</translation>
        </message>
        <message>
            <source>The formula itself</source>
            <translation>公式本身</translation>
        </message>
        <message>
            <source>Number</source>
            <translation>数字</translation>
        </message>
        <message>
            <source>Percent (1 is 100 %)</source>
            <translation>百分比（1 即 100 %）</translation>
        </message>
        <message>
            <source>Milliseconds</source>
            <translation>毫秒</translation>
        </message>
        <message>
            <source>Per second</source>
            <translation>每秒</translation>
        </message>
        <message>
            <source>&amp;Title</source>
            <translation>标题(&amp;T)</translation>
        </message>
        <message>
            <source>&amp;Unit</source>
            <translation>单位(&amp;U)</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::GpuPicker</name>
        <message numerus="yes">
            <source>%n more node(s): name their GPUs in the field below.</source>
            <translation>
                <numerusform>另有 %n 个节点：请在下面的字段中指定其 GPU。</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::GpuSquares</name>
        <message>
            <source>GPU %1 on %2</source>
            <translation>%2 上的 GPU %1</translation>
        </message>
        <message>
            <source>%1, no rank of this run</source>
            <translation>%1，没有本次运行的 rank</translation>
        </message>
        <message>
            <source>%1, rank %2</source>
            <translation>%1，rank %2</translation>
        </message>
        <message>
            <source>%1, ranks %2</source>
            <translation>%1，rank %2</translation>
        </message>
        <message>
            <source>Use: %1</source>
            <translation>使用率：%1</translation>
        </message>
        <message>
            <source>as of %1 ago: the node is silent</source>
            <translation>%1 前的数据：节点没有应答</translation>
        </message>
        <message>
            <source>%1 GPUs</source>
            <translation>%1 个 GPU</translation>
        </message>
        <message>
            <source>mean use %1</source>
            <translation>平均使用率 %1</translation>
        </message>
        <message>
            <source>lowest %1: GPU %2 on %3</source>
            <translation>最低 %1：%3 上的 GPU %2</translation>
        </message>
        <message>
            <source>use of %1 not reported</source>
            <translation>%1 个未报告使用率</translation>
        </message>
        <message>
            <source>%1 with memory errors</source>
            <translation>%1 个有显存错误</translation>
        </message>
        <message>
            <source>%1 slowed down</source>
            <translation>%1 个降速</translation>
        </message>
        <message>
            <source>%1 on silent nodes</source>
            <translation>%1 个在无应答的节点上</translation>
        </message>
        <message>
            <source>Not sampled in the chosen range</source>
            <translation>所选范围内没有采样</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::HostKeyDialog</name>
        <message>
            <source>Unknown host key</source>
            <translation>未知的主机密钥</translation>
        </message>
        <message>
            <source>Host keys</source>
            <translation>主机密钥</translation>
        </message>
        <message>
            <source>Node</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>Host</source>
            <translation>主机</translation>
        </message>
        <message>
            <source>Key type</source>
            <translation>密钥类型</translation>
        </message>
        <message>
            <source>Fingerprint</source>
            <translation>指纹</translation>
        </message>
        <message>
            <source>&amp;Don't connect</source>
            <translation>不连接(&amp;D)</translation>
        </message>
        <message>
            <source>&amp;Trust selected and connect</source>
            <translation>信任所选并连接(&amp;T)</translation>
        </message>
        <message>
            <source>&amp;Trust %1 selected and connect</source>
            <translation>信任所选 %1 台并连接(&amp;T)</translation>
        </message>
        <message>
            <source>&amp;Trust and connect</source>
            <translation>信任并连接(&amp;T)</translation>
        </message>
        <message>
            <source>Compare with the output on the node itself: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub</source>
            <translation>与该节点自身的输出比对：ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub</translation>
        </message>
        <message>
            <source>This node is not known yet. Trust it if its fingerprint is correct: Rankscope then adds it to your known_hosts file. If you did not expect this question, don't connect.</source>
            <translation>这个节点尚属未知。如果指纹正确，就信任它：Rankscope 随后会将其加入你的 known_hosts 文件。如果没有料到会出现此询问，请不要连接。</translation>
        </message>
        <message>
            <source>These %1 nodes are not known yet. Trust those whose fingerprint is correct: Rankscope then adds them to your known_hosts file. The others are not connected.</source>
            <translation>这 %1 个节点尚属未知。信任其中指纹正确的节点：Rankscope 随后会将它们加入你的 known_hosts 文件。其余节点不会连接。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::ImportDialog</name>
        <message>
            <source>an ssh_config</source>
            <translation>ssh_config</translation>
        </message>
        <message>
            <source>a DeepSpeed hostfile</source>
            <translation>DeepSpeed hostfile</translation>
        </message>
        <message>
            <source>a list of hosts</source>
            <translation>主机列表</translation>
        </message>
        <message>
            <source>Import nodes</source>
            <translation>导入节点</translation>
        </message>
        <message>
            <source>From ~/.ssh/&amp;config</source>
            <translation>从 ~/.ssh/config 导入(&amp;C)</translation>
        </message>
        <message>
            <source>Choose &amp;file…</source>
            <translation>选择文件(&amp;F)…</translation>
        </message>
        <message>
            <source>Parsed lines</source>
            <translation>已解析的行</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>Host</source>
            <translation>主机</translation>
        </message>
        <message>
            <source>Port</source>
            <translation>端口</translation>
        </message>
        <message>
            <source>User</source>
            <translation>用户</translation>
        </message>
        <message>
            <source>Line</source>
            <translation>行</translation>
        </message>
        <message>
            <source>Remark</source>
            <translation>说明</translation>
        </message>
        <message>
            <source>&amp;Add</source>
            <translation>添加(&amp;A)</translation>
        </message>
        <message>
            <source>%1 cannot be read: %2.</source>
            <translation>无法读取 %1：%2。</translation>
        </message>
        <message>
            <source>line</source>
            <translation>行</translation>
        </message>
        <message>
            <source>… and %1 more lines that cannot be parsed</source>
            <translation>… 以及另外 %1 行无法解析</translation>
        </message>
        <message>
            <source>Check the list here before you add it.</source>
            <translation>添加前请在此检查列表。</translation>
        </message>
        <message>
            <source>Format: %1.</source>
            <translation>格式：%1。</translation>
        </message>
        <message>
            <source>&amp;Add 1 node</source>
            <translation>添加 1 个节点(&amp;A)</translation>
        </message>
        <message>
            <source>&amp;Add %1 nodes</source>
            <translation>添加 %1 个节点(&amp;A)</translation>
        </message>
        <message>
            <source>&amp;Paste nodes, one per line: a name, an address, user@host:port, lines of a hosts file, of a DeepSpeed hostfile or of an ssh_config.</source>
            <translation>粘贴节点列表，每行一个：名称、地址、user@host:port、hosts 文件、DeepSpeed hostfile 或 ssh_config 中的行(&amp;P)。</translation>
        </message>
        <message>
            <source>List of nodes</source>
            <translation>节点列表</translation>
        </message>
        <message>
            <source>A list of nodes</source>
            <translation>节点列表</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::JobForm</name>
        <message>
            <source>More settings</source>
            <translation>更多设置</translation>
        </message>
        <message>
            <source>Where</source>
            <translation>位置</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1：%2</translation>
        </message>
        <message>
            <source>Laun&amp;cher</source>
            <translation>启动器(&amp;C)</translation>
        </message>
        <message>
            <source>Nodes</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>&amp;Nodes</source>
            <translation>节点(&amp;N)</translation>
        </message>
        <message>
            <source>&amp;Ranks per node</source>
            <translation>每个节点的 rank 数(&amp;R)</translation>
        </message>
        <message>
            <source>auto: one per GPU, else one per CPU slot; or per node: node1: 4, node2: 2</source>
            <translation>auto：每个 GPU 一个，否则每个 CPU 槽位一个；或按节点：node1: 4, node2: 2</translation>
        </message>
        <message>
            <source>Master &amp;port</source>
            <translation>主节点端口(&amp;P)</translation>
        </message>
        <message>
            <source>Where the ranks meet; 0: a free port on the master</source>
            <translation>各 rank 会合的位置；0：使用主节点上的空闲端口</translation>
        </message>
        <message>
            <source>Name of the r&amp;un</source>
            <translation>运行名称(&amp;U)</translation>
        </message>
        <message>
            <source>Kind of environment</source>
            <translation>环境类型</translation>
        </message>
        <message>
            <source>the node's</source>
            <translation>节点自带</translation>
        </message>
        <message>
            <source>Add…</source>
            <translation>添加…</translation>
        </message>
        <message>
            <source>Add files to push</source>
            <translation>添加要推送的文件</translation>
        </message>
        <message>
            <source>one a line: it {step} margin {margin}</source>
            <translation>每行一个：it {step} margin {margin}</translation>
        </message>
        <message>
            <source>Learn from an example line…</source>
            <translation>从示例行学习…</translation>
        </message>
        <message>
            <source>Python &amp;of</source>
            <translation>Python 来源(&amp;O)</translation>
        </message>
        <message>
            <source>Folder of a virtual environment, or name or folder of one of conda's, on the nodes</source>
            <translation>节点上虚拟环境的文件夹，或 conda 环境的名称或文件夹</translation>
        </message>
        <message>
            <source>read curves from lines of known shapes</source>
            <translation>从已知格式的行读取曲线</translation>
        </message>
        <message>
            <source>Metrics</source>
            <translation>指标</translation>
        </message>
        <message>
            <source>PyTorch's examples, Lightning, Hugging Face, tqdm, Megatron-LM and others</source>
            <translation>PyTorch 示例、Lightning、Hugging Face、tqdm、Megatron-LM 等</translation>
        </message>
        <message>
            <source>Own l&amp;ines</source>
            <translation>自定义行(&amp;I)</translation>
        </message>
        <message>
            <source>{name} is a number that becomes a curve, {} any number, {*} any text</source>
            <translation>{name} 是要画成曲线的数字，{} 是任意数字，{*} 是任意文本</translation>
        </message>
        <message>
            <source>cache on the node, or download</source>
            <translation>节点上的缓存，或下载</translation>
        </message>
        <message>
            <source>&amp;Browse…</source>
            <translation>浏览(&amp;B)…</translation>
        </message>
        <message>
            <source>What</source>
            <translation>训练内容</translation>
        </message>
        <message>
            <source>the native engine</source>
            <translation>原生引擎</translation>
        </message>
        <message>
            <source>a program of my own</source>
            <translation>自己的程序</translation>
        </message>
        <message>
            <source>Program</source>
            <translation>程序</translation>
        </message>
        <message>
            <source>Co&amp;mmand</source>
            <translation>命令(&amp;M)</translation>
        </message>
        <message>
            <source>As in a shell; every rank runs it with torchrun's environment</source>
            <translation>与在 shell 中一样；每个 rank 都用 torchrun 的环境变量运行它</translation>
        </message>
        <message>
            <source>&amp;Model</source>
            <translation>模型(&amp;M)</translation>
        </message>
        <message>
            <source>&amp;Data set</source>
            <translation>数据集(&amp;D)</translation>
        </message>
        <message>
            <source>Data &amp;folder</source>
            <translation>数据文件夹(&amp;F)</translation>
        </message>
        <message>
            <source>On the nodes. Empty: the user's cache there; what is missing is downloaded.</source>
            <translation>在节点上。留空：用户在该处的缓存；缺少的内容会下载。</translation>
        </message>
        <message>
            <source>&amp;Epochs</source>
            <translation>轮次(&amp;E)</translation>
        </message>
        <message>
            <source>B&amp;atch per rank</source>
            <translation>每个 rank 的批大小(&amp;A)</translation>
        </message>
        <message>
            <source>&amp;Learning rate</source>
            <translation>学习率(&amp;L)</translation>
        </message>
        <message>
            <source>M&amp;omentum</source>
            <translation>动量(&amp;O)</translation>
        </message>
        <message>
            <source>&amp;Weight decay</source>
            <translation>权重衰减(&amp;W)</translation>
        </message>
        <message>
            <source>Nesterov</source>
            <translation>Nesterov</translation>
        </message>
        <message>
            <source>The first one ticked is the master</source>
            <translation>第一个勾选的节点是主节点</translation>
        </message>
        <message>
            <source>name or folder</source>
            <translation>名称或文件夹</translation>
        </message>
        <message>
            <source>Files to push</source>
            <translation>要推送的文件</translation>
        </message>
        <message>
            <source>Folder of the data set</source>
            <translation>数据集文件夹</translation>
        </message>
        <message>
            <source>%1 — %2</source>
            <translation>%1 — %2</translation>
        </message>
        <message>
            <source>%1 — not in the inventory</source>
            <translation>%1 — 不在节点清单中</translation>
        </message>
        <message>
            <source>GPU</source>
            <translation>GPU</translation>
        </message>
        <message>
            <source>CPU</source>
            <translation>CPU</translation>
        </message>
        <message>
            <source>GPUs</source>
            <translation>GPU</translation>
        </message>
        <message>
            <source>Group</source>
            <translation>组</translation>
        </message>
        <message>
            <source>All nodes of a group</source>
            <translation>某个组的所有节点</translation>
        </message>
        <message>
            <source>Ticks the nodes of a group of the fleet, and no others</source>
            <translation>仅勾选集群中某个组的节点</translation>
        </message>
        <message>
            <source>%1: 1 node</source>
            <translation>%1：1 个节点</translation>
        </message>
        <message>
            <source>%1: %2 nodes</source>
            <translation>%1：%2 个节点</translation>
        </message>
        <message>
            <source>Measurements</source>
            <translation>测量</translation>
        </message>
        <message>
            <source>Safety</source>
            <translation>安全</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::JobTextEdit</name>
        <message>
            <source>Text of the job file</source>
            <translation>作业文件的文本</translation>
        </message>
        <message>
            <source>Keys and values</source>
            <translation>键和值</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::JobTextPane</name>
        <message>
            <source>Ctrl+Space: the keys and values that may stand here.</source>
            <translation>Ctrl+空格：此处可用的键和值。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::KeyDialog</name>
        <message>
            <source>SSH key</source>
            <translation>SSH 密钥</translation>
        </message>
        <message>
            <source>With a key on your nodes, no password is needed any more. Rankscope tries the password that you type now on all ticked nodes, keeps it in memory only, and forgets it afterwards.</source>
            <translation>在节点上安装密钥后，就不再需要密码。Rankscope 会在所有勾选的节点上尝试你现在输入的密码，只将其保存在内存中，之后即清除。</translation>
        </message>
        <message>
            <source>&amp;Close</source>
            <translation>关闭(&amp;C)</translation>
        </message>
        <message>
            <source>&amp;Key file</source>
            <translation>密钥文件(&amp;K)</translation>
        </message>
        <message>
            <source>The private key; the public key is beside it</source>
            <translation>私钥；公钥在其旁边</translation>
        </message>
        <message>
            <source>&amp;Passphrase</source>
            <translation>密码短语(&amp;P)</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>Of the new key. With one, an SSH agent keeps it unlocked</source>
            <translation>新密钥的密码短语。设置后，由 SSH 代理保持其解锁状态</translation>
        </message>
        <message>
            <source>&amp;Repeat</source>
            <translation>重复(&amp;R)</translation>
        </message>
        <message>
            <source>Nodes</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>Node</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>Key</source>
            <translation>密钥</translation>
        </message>
        <message>
            <source>Login with it</source>
            <translation>用它登录</translation>
        </message>
        <message>
            <source>Name a file, for example ~/.ssh/id_ed25519.</source>
            <translation>请指定一个文件，例如 ~/.ssh/id_ed25519。</translation>
        </message>
        <message>
            <source>The passphrases differ.</source>
            <translation>两次输入的密码短语不一致。</translation>
        </message>
        <message>
            <source>This key exists and will be used.</source>
            <translation>此密钥已存在，将使用它。</translation>
        </message>
        <message>
            <source>This key does not exist yet: Rankscope will create it (ed25519).</source>
            <translation>此密钥尚不存在：Rankscope 将创建它 (ed25519)。</translation>
        </message>
        <message>
            <source>&amp;Install on %1 nodes</source>
            <translation>安装到 %1 个节点(&amp;I)</translation>
        </message>
        <message>
            <source>&amp;Create key, install on %1 nodes</source>
            <translation>创建密钥并安装到 %1 个节点(&amp;C)</translation>
        </message>
        <message>
            <source>&amp;Create key</source>
            <translation>创建密钥(&amp;C)</translation>
        </message>
        <message>
            <source>…</source>
            <translation>…</translation>
        </message>
        <message>
            <source>Working…</source>
            <translation>正在处理…</translation>
        </message>
        <message>
            <source>not installed</source>
            <translation>未安装</translation>
        </message>
        <message>
            <source>added</source>
            <translation>已添加</translation>
        </message>
        <message>
            <source>already there</source>
            <translation>已存在</translation>
        </message>
        <message>
            <source>works</source>
            <translation>可用</translation>
        </message>
        <message>
            <source>fails</source>
            <translation>失败</translation>
        </message>
        <message>
            <source>The key exists, but its public key is missing: `ssh-keygen -y -f %1` prints it.</source>
            <translation>密钥存在，但缺少其公钥：`ssh-keygen -y -f %1` 可输出公钥。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::KeyRows</name>
        <message>
            <source>choose…</source>
            <translation>选择…</translation>
        </message>
        <message>
            <source>default: %1</source>
            <translation>默认：%1</translation>
        </message>
        <message>
            <source>yes</source>
            <translation>是</translation>
        </message>
        <message>
            <source>no</source>
            <translation>否</translation>
        </message>
        <message>
            <source>default: %1 (%2)</source>
            <translation>默认：%1 (%2)</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1：%2</translation>
        </message>
        <message>
            <source>Table…</source>
            <translation>表格…</translation>
        </message>
        <message>
            <source>Environment as a table</source>
            <translation>以表格编辑环境变量</translation>
        </message>
        <message>
            <source>Values to choose from</source>
            <translation>可选的值</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LabelEditor</name>
        <message>
            <source>The labels of %1 were not stored.</source>
            <translation>%1 的标签未能存储。</translation>
        </message>
        <message>
            <source>Labels of %1</source>
            <translation>%1 的标签</translation>
        </message>
        <message numerus="yes">
            <source>%n run(s)</source>
            <translation>
                <numerusform>%n 个运行</numerusform>
            </translation>
        </message>
        <message>
            <source>The labels could not be put back.</source>
            <translation>无法恢复原来的标签。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LabelsDialog</name>
        <message>
            <source>&amp;Starred</source>
            <translation>星标(&amp;S)</translation>
        </message>
        <message>
            <source>baseline, paper</source>
            <translation>baseline, paper</translation>
        </message>
        <message>
            <source>&amp;Tags</source>
            <translation>标签(&amp;T)</translation>
        </message>
        <message>
            <source>runs that belong together, for example one per seed</source>
            <translation>属于一组的运行，例如每个随机种子一个</translation>
        </message>
        <message>
            <source>&amp;Group</source>
            <translation>分组(&amp;G)</translation>
        </message>
        <message>
            <source>Note</source>
            <translation>备注</translation>
        </message>
        <message>
            <source>&amp;Note</source>
            <translation>备注(&amp;N)</translation>
        </message>
        <message>
            <source>Separated by commas. A blank within a tag becomes a hyphen: tag:NAME ends at a blank.</source>
            <translation>以逗号分隔。标签中的空格会变为连字符：tag:NAME 在空格处结束。</translation>
        </message>
        <message>
            <source>&amp;Tags of all</source>
            <translation>共有的标签(&amp;T)</translation>
        </message>
        <message>
            <source>Tags of s&amp;ome</source>
            <translation>部分运行的标签(&amp;O)</translation>
        </message>
        <message>
            <source>different ones, which stay</source>
            <translation>各不相同，保持不变</translation>
        </message>
        <message>
            <source>different ones, which stay unless you write here</source>
            <translation>各不相同，除非在此输入，否则保持不变</translation>
        </message>
        <message>
            <source>A tag that stays here is not changed; one that you remove is taken from all of them.</source>
            <translation>保留在此处的标签不变；删除的标签会从所有这些运行中移除。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LaunchPage</name>
        <message>
            <source>Launch</source>
            <translation>启动</translation>
        </message>
        <message>
            <source>&amp;Open job file…</source>
            <translation>打开作业(&amp;O)…</translation>
        </message>
        <message>
            <source>Save as &amp;job file…</source>
            <translation>另存为作业(&amp;J)…</translation>
        </message>
        <message>
            <source>From a command &amp;line…</source>
            <translation>从命令行(&amp;L)…</translation>
        </message>
        <message>
            <source>&amp;Start</source>
            <translation>启动(&amp;S)</translation>
        </message>
        <message>
            <source>the job of %1 again; files to push are read from %2</source>
            <translation>再次使用 %1 的作业；要推送的文件从 %2 读取</translation>
        </message>
        <message>
            <source>the job of %1 again</source>
            <translation>再次使用 %1 的作业</translation>
        </message>
        <message>
            <source>Line %1: %2</source>
            <translation>第 %1 行：%2</translation>
        </message>
        <message>
            <source>appears when all fields are right</source>
            <translation>所有字段都正确后显示</translation>
        </message>
        <message>
            <source>appears when a node is chosen</source>
            <translation>选择节点后显示</translation>
        </message>
        <message>
            <source>The run store cannot be used, so this run will not be kept: %1</source>
            <translation>无法使用运行存储，因此不会保存此运行：%1</translation>
        </message>
        <message>
            <source>Open a job file</source>
            <translation>打开作业文件</translation>
        </message>
        <message>
            <source>Job files (*.yaml *.yml);;All files (*)</source>
            <translation>作业文件 (*.yaml *.yml);;所有文件 (*)</translation>
        </message>
        <message>
            <source>from a command line</source>
            <translation>来自命令行</translation>
        </message>
        <message>
            <source>Save as a job file</source>
            <translation>另存为作业文件</translation>
        </message>
        <message>
            <source>Job files (*.yaml *.yml)</source>
            <translation>作业文件 (*.yaml *.yml)</translation>
        </message>
        <message>
            <source>Cannot write %1.</source>
            <translation>无法写入 %1。</translation>
        </message>
        <message>
            <source>Dis&amp;miss</source>
            <translation>关闭(&amp;M)</translation>
        </message>
        <message>
            <source>Recipes…</source>
            <translation>配方…</translation>
        </message>
        <message>
            <source>Pla&amp;n</source>
            <translation>计划(&amp;N)</translation>
        </message>
        <message>
            <source>Job &amp;file</source>
            <translation>作业文件(&amp;F)</translation>
        </message>
        <message>
            <source>Discard draft</source>
            <translation>放弃草稿</translation>
        </message>
        <message>
            <source>The job as it was opened or saved</source>
            <translation>恢复为打开或保存时的作业</translation>
        </message>
        <message>
            <source>Undo</source>
            <translation>撤销</translation>
        </message>
        <message>
            <source>Redo</source>
            <translation>重做</translation>
        </message>
        <message>
            <source>recipe %1</source>
            <translation>配方 %1</translation>
        </message>
        <message>
            <source>It is larger than %1 KiB.</source>
            <translation>它大于 %1 KiB。</translation>
        </message>
        <message>
            <source>The job file %1 cannot be read.</source>
            <translation>无法读取作业文件 %1。</translation>
        </message>
        <message>
            <source>from %1 of Distribuuuu</source>
            <translation>来自 Distribuuuu 的 %1</translation>
        </message>
        <message numerus="yes">
            <source>Job &amp;file: %n error(s)</source>
            <translation>
                <numerusform>作业文件(&amp;F)：%n 个错误</numerusform>
            </translation>
        </message>
        <message>
            <source>&amp;Remove the wrong keys</source>
            <translation>移除错误的键(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;Go to the line</source>
            <translation>转到该行(&amp;G)</translation>
        </message>
        <message>
            <source>The job file has errors. Correct the marked fields or lines.</source>
            <translation>作业文件有错误。请更正标出的字段或行。</translation>
        </message>
        <message>
            <source>The job file cannot be read. Correct the marked line; the form keeps its values.</source>
            <translation>无法读取作业文件。请更正标出的行；表单保留其值。</translation>
        </message>
        <message>
            <source>a new job</source>
            <translation>新作业</translation>
        </message>
        <message>
            <source>%1, changed</source>
            <translation>%1，已更改</translation>
        </message>
        <message>
            <source>The draft of the job cannot be kept.</source>
            <translation>无法保存作业的草稿。</translation>
        </message>
        <message numerus="yes">
            <source>%n runs</source>
            <translation>
                <numerusform>%n 个运行</numerusform>
            </translation>
        </message>
        <message>
            <source>appears when the job file is right</source>
            <translation>作业文件正确后显示</translation>
        </message>
        <message>
            <source>A job has no key %1.</source>
            <translation>作业没有键 %1。</translation>
        </message>
        <message>
            <source>%1 has no key %2.</source>
            <translation>%1 没有键 %2。</translation>
        </message>
        <message>
            <source>&amp;Remove line</source>
            <translation>删除该行(&amp;R)</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LearnDialog</name>
        <message>
            <source>Learn from an example line</source>
            <translation>从示例行学习</translation>
        </message>
        <message>
            <source>A &amp;line as the program prints it</source>
            <translation>程序打印的一行(&amp;L)</translation>
        </message>
        <message>
            <source>Example line</source>
            <translation>示例行</translation>
        </message>
        <message>
            <source>&amp;Name the numbers to draw as curves. step and epoch place the line in the run; loss, acc1 and lr are known names, others are yours.</source>
            <translation>为要画成曲线的数字命名(&amp;N)。step 和 epoch 用于确定该行在运行中的位置；loss、acc1 和 lr 是已知名称，其余由你自定。</translation>
        </message>
        <message>
            <source>Numbers of the line</source>
            <translation>该行中的数字</translation>
        </message>
        <message>
            <source>After</source>
            <translation>前文</translation>
        </message>
        <message>
            <source>Number</source>
            <translation>数字</translation>
        </message>
        <message>
            <source>Becomes</source>
            <translation>变为</translation>
        </message>
        <message>
            <source>The pattern</source>
            <translation>模式</translation>
        </message>
        <message>
            <source>&amp;Add</source>
            <translation>添加(&amp;A)</translation>
        </message>
        <message>
            <source>Paste a line first.</source>
            <translation>请先粘贴一行。</translation>
        </message>
        <message>
            <source>There is no number in this line.</source>
            <translation>此行中没有数字。</translation>
        </message>
        <message>
            <source>Name at least one number.</source>
            <translation>至少为一个数字命名。</translation>
        </message>
        <message>
            <source>No pattern can be made of this: %1.</source>
            <translation>无法由此生成模式：%1。</translation>
        </message>
        <message>
            <source>Names are letters, digits and _, each once.</source>
            <translation>名称由字母、数字和 _ 组成，且各不相同。</translation>
        </message>
        <message>
            <source>Reads from this line: %1</source>
            <translation>从此行读出：%1</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LeftoversDialog</name>
        <message>
            <source>port %1</source>
            <translation>端口 %1</translation>
        </message>
        <message>
            <source>shared memory</source>
            <translation>共享内存</translation>
        </message>
        <message>
            <source>GPU memory</source>
            <translation>GPU 内存</translation>
        </message>
        <message>
            <source>process</source>
            <translation>进程</translation>
        </message>
        <message>
            <source>Leftover: Clean up frees it</source>
            <translation>残留：用“清理”释放</translation>
        </message>
        <message>
            <source>Your own: End process</source>
            <translation>你自己的：用“结束进程”</translation>
        </message>
        <message>
            <source>Another user's: kept</source>
            <translation>其他用户的：保留</translation>
        </message>
        <message>
            <source>%1's: kept</source>
            <translation>%1 的：保留</translation>
        </message>
        <message>
            <source>Port %1 on %2</source>
            <translation>%2 上的端口 %1</translation>
        </message>
        <message>
            <source>Leftovers on %1</source>
            <translation>%1 上的残留</translation>
        </message>
        <message>
            <source>&amp;Refresh</source>
            <translation>刷新(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;End process…</source>
            <translation>结束进程(&amp;E)…</translation>
        </message>
        <message>
            <source>&amp;Clean up…</source>
            <translation>清理(&amp;C)…</translation>
        </message>
        <message>
            <source>Leftovers</source>
            <translation>残留</translation>
        </message>
        <message>
            <source>What</source>
            <translation>项目</translation>
        </message>
        <message>
            <source>Pid</source>
            <translation>Pid</translation>
        </message>
        <message>
            <source>User</source>
            <translation>用户</translation>
        </message>
        <message>
            <source>Since</source>
            <translation>开始时间</translation>
        </message>
        <message>
            <source>Size</source>
            <translation>大小</translation>
        </message>
        <message>
            <source>Command</source>
            <translation>命令</translation>
        </message>
        <message>
            <source>Clean-up command</source>
            <translation>清理命令</translation>
        </message>
        <message>
            <source>Working on %1…</source>
            <translation>正在处理 %1…</translation>
        </message>
        <message>
            <source>Reading %1…</source>
            <translation>正在读取 %1…</translation>
        </message>
        <message>
            <source>No process listens on port %1.</source>
            <translation>没有进程在监听端口 %1。</translation>
        </message>
        <message>
            <source>No run has left anything: no process, port, shared memory or GPU memory.</source>
            <translation>没有任何运行的残留：没有进程、端口、共享内存或 GPU 内存。</translation>
        </message>
        <message>
            <source>Everything that belongs to runs, and all processes that hold GPU memory. Rankscope never changes other users' processes.</source>
            <translation>属于各运行的全部内容，以及所有占用 GPU 内存的进程。Rankscope 从不更改其他用户的进程。</translation>
        </message>
        <message>
            <source>, pid %1</source>
            <translation>，pid %1</translation>
        </message>
        <message>
            <source>Clean up</source>
            <translation>清理</translation>
        </message>
        <message>
            <source>Free the leftovers of finished runs on %1?</source>
            <translation>释放 %1 上已结束运行的残留？</translation>
        </message>
        <message>
            <source>The spools of finished runs on the node are deleted, too. Runs stored on this computer stay.</source>
            <translation>节点上已结束运行的 spool 也会删除。保存在本机的运行会保留。</translation>
        </message>
        <message>
            <source>&amp;Clean up</source>
            <translation>清理(&amp;C)</translation>
        </message>
        <message>
            <source>%1 items were removed, %2.</source>
            <translation>已移除 %1 项，%2。</translation>
        </message>
        <message>
            <source>End process</source>
            <translation>结束进程</translation>
        </message>
        <message>
            <source>End process %1 on %2?</source>
            <translation>结束 %2 上的进程 %1？</translation>
        </message>
        <message>
            <source>%1

It receives SIGTERM; three seconds later it is killed. Unsaved data is lost.</source>
            <translation>%1

它会收到 SIGTERM；三秒后被强制终止。未保存的数据会丢失。</translation>
        </message>
        <message>
            <source>&amp;End process</source>
            <translation>结束进程(&amp;E)</translation>
        </message>
        <message>
            <source>Process %1 ignored SIGTERM and was killed.</source>
            <translation>进程 %1 忽略了 SIGTERM，已被强制终止。</translation>
        </message>
        <message>
            <source>Process %1 has ended.</source>
            <translation>进程 %1 已结束。</translation>
        </message>
        <message>
            <source>Also delete the &amp;programs that Rankscope pushed there; the next start pushes them again</source>
            <translation>同时删除 Rankscope 推送到该处的程序(&amp;P)；下次启动时会重新推送</translation>
        </message>
        <message>
            <source>Kept, in use or your own: %1.</source>
            <translation>已保留（使用中或属于您）：%1。</translation>
        </message>
        <message>
            <source>Your own, no program uses it: `rm %1`</source>
            <translation>属于你，没有程序在使用：`rm %1`</translation>
        </message>
        <message>
            <source>In use by the run: kept</source>
            <translation>运行正在使用：保留</translation>
        </message>
        <message>
            <source>Left by the run: Clean up frees it</source>
            <translation>运行遗留：“清理”可释放</translation>
        </message>
        <message>
            <source>The run %1 is over. It has left:</source>
            <translation>运行 %1 已结束，遗留：</translation>
        </message>
        <message>
            <source>in progress</source>
            <translation>进行中</translation>
        </message>
        <message>
            <source>running for %1</source>
            <translation>已运行 %1</translation>
        </message>
        <message>
            <source>%1, %2, of another Rankscope of yours (%3). Nothing of it is freed.</source>
            <translation>%1，%2，属于您的另一个 Rankscope（%3）。不会释放其任何内容。</translation>
        </message>
        <message>
            <source>%1, %2. Nothing of it is freed.</source>
            <translation>%1，%2。不会释放其任何内容。</translation>
        </message>
        <message>
            <source>&amp;Attach</source>
            <translation>接入(&amp;A)</translation>
        </message>
        <message>
            <source>Shows the run in Live and continues to watch it</source>
            <translation>在“实时”中显示该运行并继续观察</translation>
        </message>
        <message>
            <source>Reading the events of the run…</source>
            <translation>正在读取该运行的事件…</translation>
        </message>
        <message>
            <source>The run cannot be shown here.</source>
            <translation>无法在此显示该运行。</translation>
        </message>
        <message>
            <source>Process %1 had already ended.</source>
            <translation>进程 %1 在此之前已经结束。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LegendStrip</name>
        <message>
            <source>Legend: %1</source>
            <translation>图例：%1</translation>
        </message>
        <message>
            <source>median of %1 ranks</source>
            <translation>%1 个 rank 的中位数</translation>
        </message>
        <message>
            <source>p10–p90</source>
            <translation>p10–p90</translation>
        </message>
        <message>
            <source>min–max</source>
            <translation>最小–最大</translation>
        </message>
        <message>
            <source>rank %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>Select rank %1</source>
            <translation>选择 rank %1</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LinesOffer</name>
        <message>
            <source>The ranks print numbers that no curve shows yet:</source>
            <translation>各 rank 输出的这些数字尚未绘成曲线：</translation>
        </message>
        <message>
            <source>Reads the whole log with the pattern, and that of the next runs of this job</source>
            <translation>用该模式读取整个日志，以及此作业以后各次运行的日志</translation>
        </message>
        <message>
            <source>&amp;Change…</source>
            <translation>更改(&amp;C)…</translation>
        </message>
        <message>
            <source>Choose which numbers become curves, and what to call them</source>
            <translation>选择哪些数字绘成曲线，以及它们的名称</translation>
        </message>
        <message>
            <source>&amp;Draw %1 and %2 more</source>
            <translation>绘制 %1 等另外 %2 项(&amp;D)</translation>
        </message>
        <message>
            <source>&amp;Draw %1</source>
            <translation>绘制 %1(&amp;D)</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LivePage</name>
        <message>
            <source>No run yet</source>
            <translation>尚无运行</translation>
        </message>
        <message>
            <source>Go to &amp;Launch</source>
            <translation>转到启动页(&amp;L)</translation>
        </message>
        <message>
            <source>Start-up</source>
            <translation>启动过程</translation>
        </message>
        <message>
            <source>How long each rank took from the connection to its first step</source>
            <translation>每个 rank 从连接到第一步所用的时间</translation>
        </message>
        <message>
            <source>NCCL</source>
            <translation>NCCL</translation>
        </message>
        <message>
            <source>Rings, trees and transports, collectives, log and settings of NCCL, in place of the curves</source>
            <translation>NCCL 的环、树和传输方式、集合通信、日志与设置，替代曲线显示</translation>
        </message>
        <message>
            <source>Ranks</source>
            <translation>Rank</translation>
        </message>
        <message>
            <source>GPU squares</source>
            <translation>GPU 方块</translation>
        </message>
        <message>
            <source>Each GPU as a square coloured by its use, instead of a row with its figures</source>
            <translation>每个 GPU 显示为按使用率着色的方块，而不是一行数值</translation>
        </message>
        <message>
            <source>Range</source>
            <translation>范围</translation>
        </message>
        <message>
            <source>Only %1  ×</source>
            <translation>仅 %1  ×</translation>
        </message>
        <message>
            <source>Only %1: show the whole run again</source>
            <translation>仅 %1：重新显示整个运行</translation>
        </message>
        <message>
            <source>%1. Log, events, ranks, telemetry and NCCL's operations and lines are those of this part of the run. A click shows the whole run again.</source>
            <translation>%1。日志、事件、rank、遥测以及 NCCL 的操作和日志行都只显示运行的这一部分。单击可重新显示整个运行。</translation>
        </message>
        <message>
            <source>Choose nodes and what to train on the Launch page and press Start: every rank's curves, state and output then appear here. A finished run opens again from Runs.</source>
            <translation>在启动页选择节点和训练内容，然后按“启动”：每个 rank 的曲线、状态和输出会显示在这里。已结束的运行可从“运行记录”再次打开。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LivePanes</name>
        <message>
            <source>Curves</source>
            <translation>曲线</translation>
        </message>
        <message>
            <source>NCCL</source>
            <translation>NCCL</translation>
        </message>
        <message>
            <source>Ranks</source>
            <translation>Rank</translation>
        </message>
        <message>
            <source>Log</source>
            <translation>日志</translation>
        </message>
        <message>
            <source>&amp;Window of its own</source>
            <translation>独立窗口(&amp;W)</translation>
        </message>
        <message>
            <source>&amp;Left of</source>
            <translation>左侧(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Right of</source>
            <translation>右侧(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;Above</source>
            <translation>上方(&amp;A)</translation>
        </message>
        <message>
            <source>&amp;Below</source>
            <translation>下方(&amp;B)</translation>
        </message>
        <message>
            <source>As a &amp;tab of</source>
            <translation>与其合为标签页(&amp;T)</translation>
        </message>
        <message>
            <source>Telemetry</source>
            <translation>遥测</translation>
        </message>
        <message>
            <source>Start-up</source>
            <translation>启动过程</translation>
        </message>
        <message>
            <source>Events</source>
            <translation>事件</translation>
        </message>
        <message>
            <source>%1 — Rankscope</source>
            <translation>%1 — Rankscope</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LogPane</name>
        <message>
            <source>Log</source>
            <translation>日志</translation>
        </message>
        <message>
            <source>Lo&amp;g</source>
            <translation>日志(&amp;G)</translation>
        </message>
        <message>
            <source>Whose log</source>
            <translation>谁的日志</translation>
        </message>
        <message>
            <source>Follow</source>
            <translation>跟随</translation>
        </message>
        <message>
            <source>Keep the newest line in view</source>
            <translation>始终显示最新的行</translation>
        </message>
        <message>
            <source>All ranks</source>
            <translation>所有 rank</translation>
        </message>
        <message>
            <source>Rank %1 · %2</source>
            <translation>Rank %1 · %2</translation>
        </message>
        <message>
            <source>View</source>
            <translation>视图</translation>
        </message>
        <message>
            <source>Times, wrapping, save</source>
            <translation>时间、换行、保存</translation>
        </message>
        <message>
            <source>&amp;Clock time</source>
            <translation>时钟时间(&amp;C)</translation>
        </message>
        <message>
            <source>Time since the &amp;start</source>
            <translation>自开始的时间(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;No time</source>
            <translation>不显示时间(&amp;N)</translation>
        </message>
        <message>
            <source>&amp;Save shown lines…</source>
            <translation>保存显示的行(&amp;S)…</translation>
        </message>
        <message>
            <source>Save &amp;all lines…</source>
            <translation>保存所有行(&amp;A)…</translation>
        </message>
        <message>
            <source>Node %1</source>
            <translation>节点 %1</translation>
        </message>
        <message>
            <source>New lines cannot be written to the cache folder (%1): the newest of them stay in memory, earlier ones are in the run store only. Free space there, then open the run again.</source>
            <translation>新的行无法写入缓存文件夹（%1）：其中最新的保留在内存中，较早的仅在运行库中。请在那里腾出空间，然后重新打开此运行。</translation>
        </message>
        <message>
            <source>Save all lines</source>
            <translation>保存所有行</translation>
        </message>
        <message>
            <source>Save shown lines</source>
            <translation>保存显示的行</translation>
        </message>
        <message>
            <source>log</source>
            <translation>日志</translation>
        </message>
        <message>
            <source>Show only &amp;rank %1</source>
            <translation>仅显示 rank %1(&amp;R)</translation>
        </message>
        <message>
            <source>Show all &amp;ranks</source>
            <translation>显示所有 rank(&amp;R)</translation>
        </message>
        <message>
            <source>Show this &amp;moment on the curves</source>
            <translation>在曲线上显示此时刻(&amp;M)</translation>
        </message>
        <message>
            <source>Fold</source>
            <translation>折叠</translation>
        </message>
        <message>
            <source>The same line of several ranks once, with the ranks that printed it. What differs is dotted or has a line of its own.</source>
            <translation>多个 rank 的相同行只显示一次，并标明打印它的 rank。不同之处以点线标出，或单独成行。</translation>
        </message>
        <message>
            <source>Show the lines of &amp;each rank here</source>
            <translation>在此显示各 rank 的行(&amp;E)</translation>
        </message>
        <message numerus="yes">
            <source>%1 of the output are left out, in %n place(s): these ranks write more than is kept. The lines marked with • show where.</source>
            <translation>
                <numerusform>省略了 %1 输出，共 %n 处：这些 rank 写出的内容多于保留的量。标有 • 的行指出位置。</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n line(s) are not shown: the log is full. The run store has them.</source>
            <translation>
                <numerusform>有 %n 行未显示：日志已满。运行存储中有这些行。</numerusform>
            </translation>
        </message>
        <message>
            <source>Show only the &amp;times of the selected lines</source>
            <translation>只显示所选各行的时间范围(&amp;T)</translation>
        </message>
        <message>
            <source>Se&amp;lect rank %1</source>
            <translation>选择 rank %1(&amp;L)</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LogPanel</name>
        <message>
            <source>The selection is larger than %1. Save the lines to a file instead.</source>
            <translation>所选内容超过 %1。请改为将这些行保存到文件。</translation>
        </message>
        <message>
            <source>Saving: %1 %</source>
            <translation>正在保存：%1 %</translation>
        </message>
        <message>
            <source>%1 lines are saved in %2.</source>
            <translation>%1 行已保存到 %2。</translation>
        </message>
        <message>
            <source>%1 could not be written: %2. Free space there, or choose another folder.</source>
            <translation>无法写入 %1：%2。请在那里腾出空间，或选择其他文件夹。</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Saving was cancelled. No file was written.</source>
            <translation>已取消保存。未写入任何文件。</translation>
        </message>
        <message>
            <source>&amp;Wrap long lines</source>
            <translation>长行自动换行(&amp;W)</translation>
        </message>
        <message>
            <source>&amp;Explain this line</source>
            <translation>解释此行(&amp;E)</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LogSearchBar</name>
        <message>
            <source>Search in the log</source>
            <translation>在日志中搜索</translation>
        </message>
        <message>
            <source>Up and Down bring back earlier searches</source>
            <translation>按上下键可找回之前的搜索</translation>
        </message>
        <message>
            <source>Aa</source>
            <translation>Aa</translation>
        </message>
        <message>
            <source>Match case</source>
            <translation>区分大小写</translation>
        </message>
        <message>
            <source>W</source>
            <translation>W</translation>
        </message>
        <message>
            <source>Whole words only</source>
            <translation>仅全字匹配</translation>
        </message>
        <message>
            <source>.*</source>
            <translation>.*</translation>
        </message>
        <message>
            <source>Regular expression</source>
            <translation>正则表达式</translation>
        </message>
        <message>
            <source>Filter</source>
            <translation>筛选</translation>
        </message>
        <message>
            <source>Show only the lines that match</source>
            <translation>仅显示匹配的行</translation>
        </message>
        <message>
            <source>Previous match</source>
            <translation>上一个匹配</translation>
        </message>
        <message>
            <source>Next match</source>
            <translation>下一个匹配</translation>
        </message>
        <message>
            <source>wrong pattern</source>
            <translation>模式有误</translation>
        </message>
        <message>
            <source>%1, %2 % searched</source>
            <translation>%1，已搜索 %2 %</translation>
        </message>
        <message>
            <source>not found</source>
            <translation>未找到</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>第 %1 个，共 %2 个</translation>
        </message>
        <message>
            <source>, from the other end</source>
            <translation>，从另一端开始</translation>
        </message>
        <message>
            <source>%1 found</source>
            <translation>找到 %1 个</translation>
        </message>
        <message>
            <source>The search pattern is wrong: %1.</source>
            <translation>搜索模式有误：%1。</translation>
        </message>
        <message>
            <source>The search pattern is wrong at character %1: %2.</source>
            <translation>搜索模式在第 %1 个字符处有误：%2。</translation>
        </message>
        <message>
            <source>Search</source>
            <translation>搜索</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LogView</name>
        <message>
            <source>&amp;Copy</source>
            <translation>复制(&amp;C)</translation>
        </message>
        <message>
            <source>Select &amp;all</source>
            <translation>全选(&amp;A)</translation>
        </message>
        <message>
            <source>[%1 ranks]</source>
            <translation>[%1 rank]</translation>
        </message>
        <message>
            <source>By no other one.</source>
            <translation>其他 rank 都没有打印。</translation>
        </message>
        <message numerus="yes">
            <source>Printed by rank(s) %1.</source>
            <translation>
                <numerusform>由 rank %1 打印。</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>Not by rank(s) %1.</source>
            <translation>
                <numerusform>rank %1 没有打印。</numerusform>
            </translation>
        </message>
        <message>
            <source>Folding the lines: %1</source>
            <translation>正在折叠各行：%1</translation>
        </message>
        <message>
            <source>Sorting the lines: %1</source>
            <translation>正在排序各行：%1</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LogsPage</name>
        <message>
            <source>&amp;Open files…</source>
            <translation>打开文件(&amp;O)…</translation>
        </message>
        <message>
            <source>Logs of one or all ranks, or archives of them (.tar.gz, .zip)</source>
            <translation>一个或所有 rank 的日志，或其归档文件 (.tar.gz, .zip)</translation>
        </message>
        <message>
            <source>Open fol&amp;der…</source>
            <translation>打开文件夹(&amp;D)…</translation>
        </message>
        <message>
            <source>Every log below a folder: of torchrun --log-dir, NCCL_DEBUG_FILE, Slurm</source>
            <translation>文件夹下的所有日志：来自 torchrun --log-dir、NCCL_DEBUG_FILE、Slurm</translation>
        </message>
        <message>
            <source>&amp;Paste</source>
            <translation>粘贴(&amp;P)</translation>
        </message>
        <message>
            <source>The text of the clipboard</source>
            <translation>剪贴板中的文本</translation>
        </message>
        <message>
            <source>Progress of the reading</source>
            <translation>读取进度</translation>
        </message>
        <message>
            <source>&amp;Cancel</source>
            <translation>取消(&amp;C)</translation>
        </message>
        <message>
            <source>Logs from anywhere</source>
            <translation>任意来源的日志</translation>
        </message>
        <message>
            <source>Open the output of a failed run, whoever started it: files, a folder, an archive, or drop them here. The more ranks, the better. Rankscope names the cause, shows the lines that prove it, and draws what NCCL did.</source>
            <translation>打开失败运行的输出，无论由谁启动：文件、文件夹、归档文件，或将它们拖放到这里。rank 越多越好。Rankscope 会指出原因，显示作为证据的行，并画出 NCCL 的行为。</translation>
        </message>
        <message>
            <source>Timeline</source>
            <translation>时间线</translation>
        </message>
        <message>
            <source>Time</source>
            <translation>时间</translation>
        </message>
        <message>
            <source>What</source>
            <translation>事件</translation>
        </message>
        <message>
            <source>Who</source>
            <translation>来源</translation>
        </message>
        <message>
            <source>Line</source>
            <translation>行</translation>
        </message>
        <message>
            <source>Facts</source>
            <translation>事实</translation>
        </message>
        <message>
            <source>Fact</source>
            <translation>事实</translation>
        </message>
        <message>
            <source>Value</source>
            <translation>值</translation>
        </message>
        <message>
            <source>NCCL</source>
            <translation>NCCL</translation>
        </message>
        <message>
            <source>Open logs</source>
            <translation>打开日志</translation>
        </message>
        <message>
            <source>Open a folder of logs</source>
            <translation>打开日志文件夹</translation>
        </message>
        <message>
            <source>pasted text</source>
            <translation>粘贴的文本</translation>
        </message>
        <message>
            <source>%1 lines so far</source>
            <translation>目前 %1 行</translation>
        </message>
        <message>
            <source>%1 files</source>
            <translation>%1 个文件</translation>
        </message>
        <message>
            <source>%1, %2 lines</source>
            <translation>%1，%2 行</translation>
        </message>
        <message>
            <source>Not ruled out: %1</source>
            <translation>未排除：%1</translation>
        </message>
        <message>
            <source>The cause is named when everything is read.</source>
            <translation>全部读取后给出原因。</translation>
        </message>
        <message>
            <source>There is no line to read in what you opened. Facts lists what was skipped.</source>
            <translation>打开的内容中没有可读取的行。“事实”列出了跳过的内容。</translation>
        </message>
        <message>
            <source>Nothing in these logs points to a fault.</source>
            <translation>这些日志中没有指向故障的内容。</translation>
        </message>
        <message>
            <source>Timeline (%1)</source>
            <translation>时间线 (%1)</translation>
        </message>
        <message>
            <source>%1, %2 lines, dumps of %3 ranks</source>
            <translation>%1，%2 行，%3 个 rank 的转储</translation>
        </message>
        <message>
            <source>Paste</source>
            <translation>粘贴</translation>
        </message>
        <message>
            <source>The pasted text cannot be written to %1, so it cannot be read: %2. Free some space there, or set TMPDIR to another folder.</source>
            <translation>粘贴的文本无法写入 %1，因此无法读取：%2。请在那里释放一些空间，或将 TMPDIR 设为另一个文件夹。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::MainWindow</name>
        <message>
            <source>Rankscope</source>
            <translation>Rankscope</translation>
        </message>
        <message>
            <source>%1 — Rankscope</source>
            <translation>%1 — Rankscope</translation>
        </message>
        <message>
            <source>%1 cannot be done now.</source>
            <translation>现在无法执行“%1”。</translation>
        </message>
        <message>
            <source>A notification could not be sent.</source>
            <translation>无法发送通知。</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1：%2</translation>
        </message>
        <message>
            <source>A notification of Rankscope</source>
            <translation>Rankscope 的通知</translation>
        </message>
        <message>
            <source>This is what it looks like.</source>
            <translation>通知就是这个样子。</translation>
        </message>
        <message numerus="yes">
            <source>%1 and %n more in progress — Rankscope</source>
            <translation>
                <numerusform>%1，另有 %n 个正在进行 — Rankscope</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::MapTab</name>
        <message>
            <source>1 rank</source>
            <translation>1 个 rank</translation>
        </message>
        <message>
            <source>%1 ranks</source>
            <translation>%1 个 rank</translation>
        </message>
        <message>
            <source>Communicator</source>
            <translation>通信域</translation>
        </message>
        <message>
            <source>Where NCCL fell back to a slower path</source>
            <translation>NCCL 退回到较慢路径的位置</translation>
        </message>
        <message>
            <source>No communicator was set up yet: NCCL prints its rings when it is.</source>
            <translation>尚未建立通信域：建立后 NCCL 会打印它的环。</translation>
        </message>
        <message>
            <source>The communicator that is shown</source>
            <translation>显示的通信域</translation>
        </message>
        <message>
            <source>Connections</source>
            <translation>连接</translation>
        </message>
        <message>
            <source>Which connections are shown</source>
            <translation>显示哪些连接</translation>
        </message>
        <message>
            <source>Rings and trees</source>
            <translation>环和树</translation>
        </message>
        <message>
            <source>Rings</source>
            <translation>环</translation>
        </message>
        <message>
            <source>Trees</source>
            <translation>树</translation>
        </message>
        <message>
            <source>All connections</source>
            <translation>所有连接</translation>
        </message>
        <message>
            <source>Channel</source>
            <translation>通道</translation>
        </message>
        <message>
            <source>The channel that is shown</source>
            <translation>显示的通道</translation>
        </message>
        <message>
            <source>All channels</source>
            <translation>所有通道</translation>
        </message>
        <message>
            <source>Channel %1</source>
            <translation>通道 %1</translation>
        </message>
        <message>
            <source>Click: show the line</source>
            <translation>点击：显示该行</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::MapView</name>
        <message>
            <source>1 connection</source>
            <translation>1 条连接</translation>
        </message>
        <message>
            <source>%1 connections</source>
            <translation>%1 条连接</translation>
        </message>
        <message>
            <source>Rank %1 → rank %2: %3</source>
            <translation>Rank %1 → rank %2：%3</translation>
        </message>
        <message>
            <source>, GPUDirect RDMA</source>
            <translation>，GPUDirect RDMA</translation>
        </message>
        <message>
            <source>, through the network device of rank %1 (PXN)</source>
            <translation>，经由 rank %1 的网络设备 (PXN)</translation>
        </message>
        <message>
            <source>, device %1 → %2</source>
            <translation>，设备 %1 → %2</translation>
        </message>
        <message>
            <source>Map of the communicator</source>
            <translation>通信域拓扑图</translation>
        </message>
        <message>
            <source>%1 → %2: %3</source>
            <translation>%1 → %2：%3</translation>
        </message>
        <message>
            <source>… and %1 more</source>
            <translation>… 以及另外 %1 个</translation>
        </message>
        <message>
            <source>Ranks %1</source>
            <translation>Rank %1</translation>
        </message>
        <message>
            <source>No line of ranks %1</source>
            <translation>没有 rank %1 的日志行</translation>
        </message>
        <message>
            <source>Rank %1: the logs have no line of it</source>
            <translation>Rank %1：日志中没有它的行</translation>
        </message>
        <message>
            <source>Rank %1</source>
            <translation>Rank %1</translation>
        </message>
        <message>
            <source>CUDA device %1</source>
            <translation>CUDA 设备 %1</translation>
        </message>
        <message>
            <source>PCI bus %1</source>
            <translation>PCI 总线 %1</translation>
        </message>
        <message>
            <source>Process %1</source>
            <translation>进程 %1</translation>
        </message>
        <message>
            <source>Initialised in %1 s</source>
            <translation>初始化用时 %1 s</translation>
        </message>
        <message>
            <source>%1: in use</source>
            <translation>%1：使用中</translation>
        </message>
        <message>
            <source>%1: no connection of this view uses it</source>
            <translation>%1：此视图中没有连接使用它</translation>
        </message>
        <message>
            <source>rank %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>no line</source>
            <translation>没有日志行</translation>
        </message>
        <message>
            <source>GPU %1</source>
            <translation>GPU %1</translation>
        </message>
        <message>
            <source>1 rank</source>
            <translation>1 个 rank</translation>
        </message>
        <message>
            <source>%1 ranks</source>
            <translation>%1 个 rank</translation>
        </message>
        <message>
            <source>, %1 without a line</source>
            <translation>，%1 个没有日志行</translation>
        </message>
        <message>
            <source>and %1 more</source>
            <translation>以及另外 %1 个</translation>
        </message>
        <message>
            <source>Node not known</source>
            <translation>未知节点</translation>
        </message>
        <message>
            <source>GPU %1 of the node</source>
            <translation>节点的 GPU %1</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::MetricArea</name>
        <message>
            <source>S&amp;moothing</source>
            <translation>平滑(&amp;M)</translation>
        </message>
        <message>
            <source>X axis</source>
            <translation>X 轴</translation>
        </message>
        <message>
            <source>What the x axis counts</source>
            <translation>X 轴的计量单位</translation>
        </message>
        <message>
            <source>Smoothing of the curves</source>
            <translation>曲线的平滑程度</translation>
        </message>
        <message>
            <source>Exponential moving average over the steps; far left: none</source>
            <translation>按步数的指数移动平均；最左：不平滑</translation>
        </message>
        <message>
            <source>Follow</source>
            <translation>跟随</translation>
        </message>
        <message>
            <source>Show all steps and follow new ones (double click in a plot, or key 0)</source>
            <translation>显示所有步并跟随新的步（在图中双击，或按 0 键）</translation>
        </message>
        <message>
            <source>Written: %1</source>
            <translation>已写入：%1</translation>
        </message>
        <message>
            <source>Steps began again at %1 in epoch %2: the values of each epoch stand behind those of the one before.</source>
            <translation>第 %2 轮的步数又从 %1 开始：每一轮的值排在上一轮之后。</translation>
        </message>
        <message>
            <source>Steps began again at %1 without a new epoch: later values replace earlier ones here. The run store has all of them.</source>
            <translation>步数又从 %1 开始，但没有新的一轮：后来的值在这里替换先前的值。运行存储中保留全部值。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::MetricChooser</name>
        <message>
            <source>&amp;Metrics</source>
            <translation>指标(&amp;M)</translation>
        </message>
        <message>
            <source>Choose which of the reported metrics are shown</source>
            <translation>选择显示哪些已报告的指标</translation>
        </message>
        <message>
            <source>Search the metrics</source>
            <translation>搜索指标</translation>
        </message>
        <message>
            <source>Metrics to show</source>
            <translation>要显示的指标</translation>
        </message>
        <message>
            <source>Show the &amp;default</source>
            <translation>显示默认指标(&amp;D)</translation>
        </message>
        <message>
            <source>&amp;Metrics %1 of %2</source>
            <translation>指标 %1 / %2(&amp;M)</translation>
        </message>
        <message>
            <source>Add a &amp;formula…</source>
            <translation>添加公式(&amp;F)…</translation>
        </message>
        <message>
            <source>More than %1 names: values with other names are in the run store only. Export the run to read them.</source>
            <translation>名称超过 %1 个：其他名称的值只保存在运行存储中。导出此运行即可读取。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::MetricPlot</name>
        <message>
            <source>Curves: %1</source>
            <translation>曲线：%1</translation>
        </message>
        <message>
            <source>No metrics are chosen. Choose some under Metrics.</source>
            <translation>未选择指标。请在“指标”中选择。</translation>
        </message>
        <message>
            <source>This run does not report the chosen metrics. Choose others under Metrics.</source>
            <translation>此运行没有报告所选的指标。请在“指标”中另选。</translation>
        </message>
        <message>
            <source>This run reported no measurements.</source>
            <translation>此运行没有报告任何测量值。</translation>
        </message>
        <message>
            <source>No measurements yet. The curves begin with the first step.</source>
            <translation>尚无测量值。曲线从第一步开始。</translation>
        </message>
        <message>
            <source>step %1</source>
            <translation>第 %1 步</translation>
        </message>
        <message>
            <source>It runs; no steps are read. The curves begin with the first one.</source>
            <translation>运行正在进行；尚未读取到训练步。曲线从第一步开始。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::NavBar</name>
        <message>
            <source>Pages</source>
            <translation>页面</translation>
        </message>
        <message>
            <source>Fleet</source>
            <translation>集群</translation>
        </message>
        <message>
            <source>Launch</source>
            <translation>启动</translation>
        </message>
        <message>
            <source>Doctor</source>
            <translation>诊断</translation>
        </message>
        <message>
            <source>Live</source>
            <translation>实时</translation>
        </message>
        <message>
            <source>Runs</source>
            <translation>运行记录</translation>
        </message>
        <message>
            <source>Logs</source>
            <translation>日志</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::NcclLevel</name>
        <message>
            <source>&amp;Pause</source>
            <translation>暂停(&amp;P)</translation>
        </message>
        <message>
            <source>&amp;Light</source>
            <translation>轻量(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Auto</source>
            <translation>自动(&amp;A)</translation>
        </message>
        <message>
            <source>&amp;Full</source>
            <translation>完整(&amp;F)</translation>
        </message>
        <message>
            <source>Changing what is observed of NCCL in %1…</source>
            <translation>正在更改 %1 中对 NCCL 的观察…</translation>
        </message>
        <message numerus="yes">
            <source>NCCL in %1: %2, on %n node(s).</source>
            <translation>
                <numerusform>%1 中的 NCCL：%2，%n 个节点。</numerusform>
            </translation>
        </message>
        <message>
            <source>%1 is not running.</source>
            <translation>%1 未在运行。</translation>
        </message>
        <message>
            <source>Not every node of %1 has changed what it observes of NCCL.</source>
            <translation>并非 %1 的所有节点都更改了对 NCCL 的观察。</translation>
        </message>
        <message>
            <source>The node is not in the inventory.</source>
            <translation>该节点不在清单中。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::NcclPane</name>
        <message>
            <source>Views of NCCL</source>
            <translation>NCCL 视图</translation>
        </message>
        <message>
            <source>Map</source>
            <translation>拓扑图</translation>
        </message>
        <message>
            <source>Collectives</source>
            <translation>集合通信</translation>
        </message>
        <message>
            <source>NCCL log</source>
            <translation>NCCL 日志</translation>
        </message>
        <message>
            <source>Settings</source>
            <translation>设置</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::NodeDetails</name>
        <message>
            <source>Connected as</source>
            <translation>连接身份</translation>
        </message>
        <message>
            <source>Time to connect</source>
            <translation>连接用时</translation>
        </message>
        <message>
            <source>Slow login shell</source>
            <translation>登录 shell 缓慢</translation>
        </message>
        <message>
            <source>%1 s until the first byte: check ~/.bashrc and ~/.profile there</source>
            <translation>首字节等待 %1 s：请检查该机器上的 ~/.bashrc 和 ~/.profile</translation>
        </message>
        <message>
            <source>Round trip</source>
            <translation>往返时延</translation>
        </message>
        <message>
            <source>Host name</source>
            <translation>主机名</translation>
        </message>
        <message>
            <source>User</source>
            <translation>用户</translation>
        </message>
        <message>
            <source>System</source>
            <translation>系统</translation>
        </message>
        <message>
            <source>Kernel</source>
            <translation>内核</translation>
        </message>
        <message>
            <source>C library</source>
            <translation>C 库</translation>
        </message>
        <message>
            <source>Agent</source>
            <translation>代理程序</translation>
        </message>
        <message>
            <source>Cache folder</source>
            <translation>缓存文件夹</translation>
        </message>
        <message>
            <source>%1 (%2 free)</source>
            <translation>%1（空闲 %2）</translation>
        </message>
        <message>
            <source>CPU</source>
            <translation>CPU</translation>
        </message>
        <message>
            <source>Load (1 min)</source>
            <translation>负载（1 分钟）</translation>
        </message>
        <message>
            <source>Memory</source>
            <translation>内存</translation>
        </message>
        <message>
            <source>%1 free of %2</source>
            <translation>空闲 %1，共 %2</translation>
        </message>
        <message>
            <source>GPU %1</source>
            <translation>GPU %1</translation>
        </message>
        <message>
            <source>GPUs</source>
            <translation>GPU</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>up</source>
            <translation>已启用</translation>
        </message>
        <message>
            <source>down</source>
            <translation>未启用</translation>
        </message>
        <message>
            <source>MTU %1</source>
            <translation>MTU %1</translation>
        </message>
        <message>
            <source>Interface %1</source>
            <translation>网络接口 %1</translation>
        </message>
        <message>
            <source>Address seen from here</source>
            <translation>从本机看到的地址</translation>
        </message>
        <message>
            <source>Our address seen from there</source>
            <translation>从该机器看到的本机地址</translation>
        </message>
        <message>
            <source>&amp;Copy</source>
            <translation>复制(&amp;C)</translation>
        </message>
        <message>
            <source>Facts of the node</source>
            <translation>节点信息</translation>
        </message>
        <message>
            <source>Message of the system</source>
            <translation>系统消息</translation>
        </message>
        <message>
            <source>No node selected</source>
            <translation>未选择节点</translation>
        </message>
        <message>
            <source>probed in an earlier session</source>
            <translation>在之前的会话中探测</translation>
        </message>
        <message>
            <source>probed just now</source>
            <translation>刚刚探测</translation>
        </message>
        <message>
            <source>probed %1</source>
            <translation>探测于 %1</translation>
        </message>
        <message>
            <source>%1 · figures as of %2 ago</source>
            <translation>%1 · 数值为 %2 前</translation>
        </message>
        <message>
            <source>Clock against this computer</source>
            <translation>与本机的时钟差</translation>
        </message>
        <message>
            <source>No facts of this node yet. Probe connects to it, copies Rankscope's agent to your cache folder there, and shows its GPUs, memory, network and clock.</source>
            <translation>还没有这个节点的信息。“探测”会连接它，将 Rankscope 的代理程序复制到你在该节点上的缓存文件夹，并显示其 GPU、内存、网络和时钟。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::NodeDialog</name>
        <message>
            <source>Add a node</source>
            <translation>添加节点</translation>
        </message>
        <message>
            <source>Edit %1</source>
            <translation>编辑 %1</translation>
        </message>
        <message>
            <source>&amp;Add</source>
            <translation>添加(&amp;A)</translation>
        </message>
        <message>
            <source>&amp;Save</source>
            <translation>保存(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;Name</source>
            <translation>名称(&amp;N)</translation>
        </message>
        <message>
            <source>node1</source>
            <translation>node1</translation>
        </message>
        <message>
            <source>&amp;Host</source>
            <translation>主机(&amp;H)</translation>
        </message>
        <message>
            <source>same as the name</source>
            <translation>与名称相同</translation>
        </message>
        <message>
            <source>Name, address, or a Host of your ssh_config</source>
            <translation>名称、地址，或 ssh_config 中的 Host</translation>
        </message>
        <message>
            <source>&amp;Port</source>
            <translation>端口(&amp;P)</translation>
        </message>
        <message>
            <source>22, or from ssh_config</source>
            <translation>22，或取自 ssh_config</translation>
        </message>
        <message>
            <source>&amp;User</source>
            <translation>用户(&amp;U)</translation>
        </message>
        <message>
            <source>from ssh_config, else your name</source>
            <translation>取自 ssh_config，否则为你的用户名</translation>
        </message>
        <message>
            <source>SSH agent and usual keys</source>
            <translation>SSH 代理与常用密钥</translation>
        </message>
        <message>
            <source>Browse…</source>
            <translation>浏览…</translation>
        </message>
        <message>
            <source>&amp;Key file</source>
            <translation>密钥文件(&amp;K)</translation>
        </message>
        <message>
            <source>&amp;Jump host</source>
            <translation>跳板机(&amp;J)</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>user@host:port of a bastion</source>
            <translation>跳板机的 user@host:port</translation>
        </message>
        <message>
            <source>auto: as the node needs</source>
            <translation>自动：按节点需要</translation>
        </message>
        <message>
            <source>OpenSSH program</source>
            <translation>OpenSSH 程序</translation>
        </message>
        <message>
            <source>&amp;Transport</source>
            <translation>传输方式(&amp;T)</translation>
        </message>
        <message>
            <source>libssh is faster to connect; OpenSSH supports certificates, security keys and GSSAPI</source>
            <translation>libssh 连接更快；OpenSSH 支持证书、安全密钥和 GSSAPI</translation>
        </message>
        <message>
            <source>&amp;GPUs</source>
            <translation>GPU(&amp;G)</translation>
        </message>
        <message>
            <source>auto</source>
            <translation>auto</translation>
        </message>
        <message>
            <source>auto, or indices: 0, 1, 3</source>
            <translation>auto，或索引：0, 1, 3</translation>
        </message>
        <message>
            <source>&amp;CPU slots</source>
            <translation>CPU 槽位(&amp;C)</translation>
        </message>
        <message>
            <source>1</source>
            <translation>1</translation>
        </message>
        <message>
            <source>Ranks when there is no GPU</source>
            <translation>没有 GPU 时的 rank 数</translation>
        </message>
        <message>
            <source>&amp;Address</source>
            <translation>地址(&amp;A)</translation>
        </message>
        <message>
            <source>detected</source>
            <translation>自动检测</translation>
        </message>
        <message>
            <source>Used as MASTER_ADDR by the other nodes</source>
            <translation>其他节点将其用作 MASTER_ADDR</translation>
        </message>
        <message>
            <source>Cache &amp;folder</source>
            <translation>缓存文件夹(&amp;F)</translation>
        </message>
        <message>
            <source>Folder for agent and worker on the node</source>
            <translation>节点上存放代理程序和工作进程的文件夹</translation>
        </message>
        <message>
            <source>A node with this name exists already. Choose another name.</source>
            <translation>已有同名节点。请另选名称。</translation>
        </message>
        <message>
            <source>Give a number from 1 to 65535, or nothing.</source>
            <translation>填写 1 到 65535 的数字，或留空。</translation>
        </message>
        <message>
            <source>Give a number from 1 to 1024, or nothing.</source>
            <translation>填写 1 到 1024 的数字，或留空。</translation>
        </message>
        <message>
            <source>Write auto, none, or different indices: 0, 1, 3.</source>
            <translation>填写 auto、none，或互不相同的索引：0, 1, 3。</translation>
        </message>
        <message>
            <source>Reading the ssh configuration…</source>
            <translation>正在读取 ssh 配置…</translation>
        </message>
        <message>
            <source>OpenSSH</source>
            <translation>OpenSSH</translation>
        </message>
        <message>
            <source>Connects as %1</source>
            <translation>以 %1 身份连接</translation>
        </message>
        <message>
            <source>by %1</source>
            <translation>通过 %1</translation>
        </message>
        <message>
            <source>by %1 (%2)</source>
            <translation>通过 %1 (%2)</translation>
        </message>
        <message>
            <source>Key file</source>
            <translation>密钥文件</translation>
        </message>
        <message>
            <source>Gr&amp;oup</source>
            <translation>组(&amp;O)</translation>
        </message>
        <message>
            <source>Nodes of a group are shown and chosen together</source>
            <translation>同组的节点可以一起显示和选择</translation>
        </message>
        <message>
            <source>A unique name for the node</source>
            <translation>节点的唯一名称</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::NodeRunsDialog</name>
        <message>
            <source>Runs on %1</source>
            <translation>%1 上的运行</translation>
        </message>
        <message>
            <source>Runs on %1 nodes</source>
            <translation>%1 个节点上的运行</translation>
        </message>
        <message>
            <source>&amp;Attach</source>
            <translation>附加(&amp;A)</translation>
        </message>
        <message>
            <source>Reads the events of the run from its nodes, shows it in Live and continues to watch</source>
            <translation>从节点读取此运行的事件，在“实时”中显示并继续观察</translation>
        </message>
        <message>
            <source>&amp;Stop…</source>
            <translation>停止(&amp;S)…</translation>
        </message>
        <message>
            <source>&amp;Force stop…</source>
            <translation>强制停止(&amp;F)…</translation>
        </message>
        <message>
            <source>&amp;Refresh</source>
            <translation>刷新(&amp;R)</translation>
        </message>
        <message>
            <source>Runs on the nodes</source>
            <translation>节点上的运行</translation>
        </message>
        <message>
            <source>Node</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>Run</source>
            <translation>运行</translation>
        </message>
        <message>
            <source>Since</source>
            <translation>开始时间</translation>
        </message>
        <message>
            <source>State</source>
            <translation>状态</translation>
        </message>
        <message>
            <source>Processes</source>
            <translation>进程</translation>
        </message>
        <message>
            <source>Started by</source>
            <translation>启动者</translation>
        </message>
        <message>
            <source>Working…</source>
            <translation>正在处理…</translation>
        </message>
        <message>
            <source>Reading the runs…</source>
            <translation>正在读取运行…</translation>
        </message>
        <message>
            <source>Runs of this user on the node, whichever computer started them. A stop reaches all nodes of the run.</source>
            <translation>此用户在该节点上的运行，不论由哪台计算机启动。停止会作用于运行的所有节点。</translation>
        </message>
        <message>
            <source>No runs here: none is in progress, and none has left its events.</source>
            <translation>这里没有运行：没有正在进行的运行，也没有留下事件的运行。</translation>
        </message>
        <message>
            <source>Reading the events of %1…</source>
            <translation>正在读取 %1 的事件…</translation>
        </message>
        <message>
            <source>Reading the events: %1</source>
            <translation>正在读取事件：%1</translation>
        </message>
        <message>
            <source>The run cannot be shown here.</source>
            <translation>无法在此显示该运行。</translation>
        </message>
        <message>
            <source>Force stop</source>
            <translation>强制停止</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>停止</translation>
        </message>
        <message>
            <source>Stop %1 on all its nodes?</source>
            <translation>在所有节点上停止 %1？</translation>
        </message>
        <message>
            <source>%1, started by %2.</source>
            <translation>%1，由 %2 启动。</translation>
        </message>
        <message>
            <source>All its processes are killed at once; unsaved data is lost.</source>
            <translation>其所有进程会立即被终止；未保存的数据会丢失。</translation>
        </message>
        <message>
            <source>Its ranks receive SIGTERM; those that have not ended after the grace period of the job are killed.</source>
            <translation>其 rank 会收到 SIGTERM；在作业的宽限时间后仍未结束的会被强制终止。</translation>
        </message>
        <message>
            <source>&amp;Force stop</source>
            <translation>强制停止(&amp;F)</translation>
        </message>
        <message>
            <source>&amp;Stop</source>
            <translation>停止(&amp;S)</translation>
        </message>
        <message>
            <source>The supervisors stop %1.</source>
            <translation>监管进程正在停止 %1。</translation>
        </message>
        <message>
            <source>%1 was not running.</source>
            <translation>%1 未在运行。</translation>
        </message>
        <message>
            <source>waiting</source>
            <translation>等待中</translation>
        </message>
        <message>
            <source>Slurm ends job %1 of %2.</source>
            <translation>Slurm 正在结束 %2 的作业 %1。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::NodeSamplesModel</name>
        <message>
            <source>mean %1, most %2 since the start</source>
            <translation>启动以来平均 %1，最高 %2</translation>
        </message>
        <message>
            <source>%1, sampled at %2</source>
            <translation>%1，采样于 %2</translation>
        </message>
        <message>
            <source>%1: %2 in, %3 out</source>
            <translation>%1：入 %2，出 %3</translation>
        </message>
        <message>
            <source>Free where Rankscope's cache folder is</source>
            <translation>Rankscope 缓存文件夹所在处的空闲空间</translation>
        </message>
        <message>
            <source>Mean of its GPUs</source>
            <translation>其各 GPU 的均值</translation>
        </message>
        <message>
            <source>Of its GPUs together</source>
            <translation>其所有 GPU 合计</translation>
        </message>
        <message>
            <source>Of the hottest</source>
            <translation>最热 GPU 的温度</translation>
        </message>
        <message>
            <source>%1 · as of %2 ago</source>
            <translation>%1 · %2 前的数据</translation>
        </message>
        <message>
            <source>GPU %1</source>
            <translation>GPU %1</translation>
        </message>
        <message>
            <source>%1 °C</source>
            <translation>%1 °C</translation>
        </message>
        <message>
            <source>%1 W</source>
            <translation>%1 W</translation>
        </message>
        <message>
            <source>%1 kW</source>
            <translation>%1 kW</translation>
        </message>
        <message>
            <source>%1 GiB</source>
            <translation>%1 GiB</translation>
        </message>
        <message>
            <source>%1 / %2 GiB</source>
            <translation>%1 / %2 GiB</translation>
        </message>
        <message>
            <source>Node</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>CPU</source>
            <translation>CPU</translation>
        </message>
        <message>
            <source>Memory</source>
            <translation>内存</translation>
        </message>
        <message>
            <source>Net in</source>
            <translation>网络入</translation>
        </message>
        <message>
            <source>Net out</source>
            <translation>网络出</translation>
        </message>
        <message>
            <source>Disk free</source>
            <translation>空闲磁盘</translation>
        </message>
        <message>
            <source>GPU</source>
            <translation>GPU</translation>
        </message>
        <message>
            <source>GPU memory</source>
            <translation>GPU 内存</translation>
        </message>
        <message>
            <source>Temp.</source>
            <translation>温度</translation>
        </message>
        <message>
            <source>Power</source>
            <translation>功耗</translation>
        </message>
        <message>
            <source>Not available: no GPU of this node reports it.</source>
            <translation>不可用：此节点的 GPU 均不报告此值。</translation>
        </message>
        <message>
            <source>Not available: the node does not report it.</source>
            <translation>不可用：节点不报告此值。</translation>
        </message>
        <message>
            <source>Of the slowest</source>
            <translation>最慢 GPU 的频率</translation>
        </message>
        <message>
            <source>The most serious of its GPUs</source>
            <translation>其 GPU 中最严重的原因</translation>
        </message>
        <message>
            <source>Its limit: %1 W</source>
            <translation>上限：%1 W</translation>
        </message>
        <message>
            <source>The highest possible: %1</source>
            <translation>最高可达：%1</translation>
        </message>
        <message>
            <source>What holds its clock down, as the driver says</source>
            <translation>驱动所报告的限制频率的原因</translation>
        </message>
        <message>
            <source>Uncorrected memory errors since the driver was loaded; corrected: %1</source>
            <translation>驱动加载以来未纠正的显存错误；已纠正：%1</translation>
        </message>
        <message>
            <source>Uncorrected memory errors since the driver was loaded</source>
            <translation>驱动加载以来未纠正的显存错误</translation>
        </message>
        <message>
            <source>GPU %1 · rank %2</source>
            <translation>GPU %1 · rank %2</translation>
        </message>
        <message>
            <source>GPU %1 · ranks %2</source>
            <translation>GPU %1 · rank %2</translation>
        </message>
        <message>
            <source>Clock</source>
            <translation>频率</translation>
        </message>
        <message>
            <source>Limited by</source>
            <translation>受限于</translation>
        </message>
        <message>
            <source>ECC</source>
            <translation>ECC</translation>
        </message>
        <message>
            <source>Link</source>
            <translation>链路</translation>
        </message>
        <message>
            <source>Mean of the chosen range</source>
            <translation>所选范围的平均值</translation>
        </message>
        <message>
            <source>Not sampled in the chosen range</source>
            <translation>所选范围内没有采样</translation>
        </message>
        <message>
            <source>%1: means of the chosen range; of temperatures and counted errors the highest</source>
            <translation>%1：所选范围的平均值；温度和错误计数取最大值</translation>
        </message>
        <message>
            <source>%1, sampled at %2
At fault: %3</source>
            <translation>%1，采样于 %2
故障方：%3</translation>
        </message>
        <message>
            <source>%1 · unknown since %2</source>
            <translation>%1 · 自 %2 起未知</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::NodesButton</name>
        <message>
            <source>Nodes to inspect</source>
            <translation>要检查的节点</translation>
        </message>
        <message>
            <source>%1 of %2 nodes</source>
            <translation>%1 / %2 个节点</translation>
        </message>
        <message>
            <source>1 node</source>
            <translation>1 个节点</translation>
        </message>
        <message>
            <source>%1 nodes</source>
            <translation>%1 个节点</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::NoticeBar</name>
        <message>
            <source>Dismiss</source>
            <translation>忽略</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::NoticeList</name>
        <message>
            <source>Notices of the nodes</source>
            <translation>节点通知</translation>
        </message>
        <message>
            <source>&amp;Dismiss</source>
            <translation>忽略(&amp;D)</translation>
        </message>
        <message>
            <source>They stay in the log of the run</source>
            <translation>它们保留在运行的日志中</translation>
        </message>
        <message>
            <source>and %1 earlier ones: see the log</source>
            <translation>以及更早的 %1 条：见日志</translation>
        </message>
        <message>
            <source>this computer</source>
            <translation>本机</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::NotificationSection</name>
        <message>
            <source>Notifications</source>
            <translation>通知</translation>
        </message>
        <message>
            <source>On the &amp;desktop</source>
            <translation>在桌面上(&amp;D)</translation>
        </message>
        <message>
            <source>&amp;Sound</source>
            <translation>声音(&amp;S)</translation>
        </message>
        <message>
            <source>Of the run that this window follows. The command runs without a shell; RANKSCOPE_ALERT (ended, failed, hang, nan, plateau, rule), RANKSCOPE_ALERT_TITLE, _TEXT, _RUN, _NAME, _RANK and _STEP are in its environment.</source>
            <translation>针对此窗口跟随的运行。命令不经 shell 运行；其环境中有 RANKSCOPE_ALERT（ended、failed、hang、nan、plateau、rule）、RANKSCOPE_ALERT_TITLE、_TEXT、_RUN、_NAME、_RANK 和 _STEP。</translation>
        </message>
        <message>
            <source>Report</source>
            <translation>报告</translation>
        </message>
        <message>
            <source>The &amp;end of a run</source>
            <translation>运行结束(&amp;E)</translation>
        </message>
        <message>
            <source>A &amp;failed run</source>
            <translation>运行失败(&amp;F)</translation>
        </message>
        <message>
            <source>A run that is &amp;held up</source>
            <translation>运行被阻塞(&amp;H)</translation>
        </message>
        <message>
            <source>&amp;NaN or infinity in a metric</source>
            <translation>指标中的 NaN 或无穷大(&amp;N)</translation>
        </message>
        <message>
            <source>A &amp;plateau:</source>
            <translation>停滞(&amp;P)：</translation>
        </message>
        <message>
            <source>Own &amp;rules:</source>
            <translation>自定规则(&amp;R)：</translation>
        </message>
        <message>
            <source>Metric of the plateau</source>
            <translation>停滞的指标</translation>
        </message>
        <message>
            <source>Steps of the plateau</source>
            <translation>停滞的步数</translation>
        </message>
        <message>
            <source> steps</source>
            <translation> 步</translation>
        </message>
        <message>
            <source>not better for</source>
            <translation>没有改善的步数：</translation>
        </message>
        <message>
            <source>loss &gt; 10 for 50 steps
acc1 &lt; 0.2 for 1000 steps</source>
            <translation>loss &gt; 10 for 50 steps
acc1 &lt; 0.2 for 1000 steps</translation>
        </message>
        <message>
            <source>R&amp;ules, one a line</source>
            <translation>规则，每行一条(&amp;U)</translation>
        </message>
        <message>
            <source>By</source>
            <translation>方式</translation>
        </message>
        <message>
            <source>ntfy-of-mine --topic training</source>
            <translation>ntfy-of-mine --topic training</translation>
        </message>
        <message>
            <source>&amp;Command</source>
            <translation>命令(&amp;C)</translation>
        </message>
        <message>
            <source>&amp;Try it</source>
            <translation>试一试(&amp;T)</translation>
        </message>
        <message>
            <source>Line %1: %2 %3</source>
            <translation>第 %1 行：%2 %3</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::OverrideBar</name>
        <message>
            <source>Put the pairs in one line without ; &amp; and |.</source>
            <translation>请将这些键值对写在一行中，不要使用 ;、&amp; 和 |。</translation>
        </message>
        <message>
            <source>KEY VALUE pairs for the configuration of Distribuuuu</source>
            <translation>用于 Distribuuuu 配置的 KEY VALUE 对</translation>
        </message>
        <message>
            <source>As on the command line of Distribuuuu; Enter makes the job again</source>
            <translation>与 Distribuuuu 命令行中的写法相同；按 Enter 重新生成作业</translation>
        </message>
        <message>
            <source>Appl&amp;y</source>
            <translation>应用(&amp;Y)</translation>
        </message>
        <message>
            <source>Makes the job again from the file and these values; Undo brings the one before back</source>
            <translation>用该文件和这些值重新生成作业；“撤销”可恢复之前的作业</translation>
        </message>
        <message>
            <source>%1 with</source>
            <translation>%1，加上</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::PairMatrix</name>
        <message>
            <source>Connections between the nodes</source>
            <translation>节点之间的连接</translation>
        </message>
        <message>
            <source>from ↓  to →</source>
            <translation>从 ↓  到 →</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::PaneTitle</name>
        <message>
            <source>Move</source>
            <translation>移动</translation>
        </message>
        <message>
            <source>Move %1</source>
            <translation>移动%1</translation>
        </message>
        <message>
            <source>Drag this bar, or choose a place</source>
            <translation>拖动此栏，或选择一个位置</translation>
        </message>
        <message>
            <source>Hide</source>
            <translation>隐藏</translation>
        </message>
        <message>
            <source>Hide %1</source>
            <translation>隐藏%1</translation>
        </message>
        <message>
            <source>View ▸ Panes shows it again</source>
            <translation>可在“视图 ▸ 窗格”中重新显示</translation>
        </message>
        <message>
            <source>Pin</source>
            <translation>固定</translation>
        </message>
        <message>
            <source>Pin %1</source>
            <translation>固定%1</translation>
        </message>
        <message>
            <source>This window stays while another page is on view</source>
            <translation>显示其他页面时，此窗口保持可见</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::PanelMenu</name>
        <message>
            <source>&amp;Copy values</source>
            <translation>复制数值(&amp;C)</translation>
        </message>
        <message>
            <source>&amp;Heat map: ranks × steps</source>
            <translation>热图：rank × 步(&amp;H)</translation>
        </message>
        <message>
            <source>&amp;Log scale</source>
            <translation>对数刻度(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Reset zoom</source>
            <translation>重置缩放(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;Smoothing</source>
            <translation>平滑(&amp;S)</translation>
        </message>
        <message>
            <source>As the other panels</source>
            <translation>与其他面板相同</translation>
        </message>
        <message>
            <source>None</source>
            <translation>无</translation>
        </message>
        <message>
            <source>Select an &amp;outlier</source>
            <translation>选择离群 rank(&amp;O)</translation>
        </message>
        <message>
            <source>&amp;Export this plot</source>
            <translation>导出此图(&amp;E)</translation>
        </message>
        <message>
            <source>Export &amp;all plots</source>
            <translation>导出所有图(&amp;A)</translation>
        </message>
        <message>
            <source>%1…</source>
            <translation>%1…</translation>
        </message>
        <message>
            <source>Move &amp;before</source>
            <translation>前移(&amp;B)</translation>
        </message>
        <message>
            <source>Move b&amp;ehind</source>
            <translation>后移(&amp;E)</translation>
        </message>
        <message>
            <source>Change the &amp;formula…</source>
            <translation>修改公式(&amp;F)…</translation>
        </message>
        <message>
            <source>Re&amp;move this panel</source>
            <translation>移除此面板(&amp;M)</translation>
        </message>
        <message>
            <source>Export</source>
            <translation>导出</translation>
        </message>
        <message>
            <source>Show the lo&amp;g at this moment (%1)</source>
            <translation>显示此时刻的日志（%1）(&amp;G)</translation>
        </message>
        <message>
            <source>Show the lo&amp;g at this moment</source>
            <translation>显示此时刻的日志(&amp;G)</translation>
        </message>
        <message>
            <source>Show o&amp;nly this range in the log</source>
            <translation>日志中仅显示此范围(&amp;N)</translation>
        </message>
        <message>
            <source>Remove the mar&amp;k</source>
            <translation>移除标记(&amp;K)</translation>
        </message>
        <message>
            <source>Logarithmic &amp;x axis of all panels</source>
            <translation>所有图使用对数 X 轴(&amp;X)</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::PasteDialog</name>
        <message>
            <source>From a command line</source>
            <translation>从命令行</translation>
        </message>
        <message>
            <source>Command line</source>
            <translation>命令行</translation>
        </message>
        <message>
            <source>The job it makes</source>
            <translation>由此生成的作业</translation>
        </message>
        <message>
            <source>&amp;Use</source>
            <translation>使用(&amp;U)</translation>
        </message>
        <message>
            <source>How it runs</source>
            <translation>运行方式</translation>
        </message>
        <message>
            <source>Nodes</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>This computer</source>
            <translation>本机</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1：%2</translation>
        </message>
        <message>
            <source>Tick the node to submit the job on.</source>
            <translation>勾选用于提交作业的节点。</translation>
        </message>
        <message>
            <source>The line names no nodes: tick them; none: all nodes.</source>
            <translation>命令行没有指定节点：请勾选；不勾选：所有节点。</translation>
        </message>
        <message numerus="yes">
            <source>The line asks for %n node(s): tick them.</source>
            <translation>
                <numerusform>命令行需要 %n 个节点：请勾选。</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>The job is submitted on one node, and %n are ticked.</source>
            <translation>
                <numerusform>作业在一个节点上提交，而勾选了 %n 个。</numerusform>
            </translation>
        </message>
        <message>
            <source>Tick one node that has %1.</source>
            <translation>勾选一个有 %1 的节点。</translation>
        </message>
        <message>
            <source>The line asks for %1 nodes, and %2 are ticked.</source>
            <translation>命令行需要 %1 个节点，而勾选了 %2 个。</translation>
        </message>
        <message>
            <source>The inventory has fewer nodes: add the others in Fleet.</source>
            <translation>节点清单中的节点不足：请在“集群”中添加其余节点。</translation>
        </message>
        <message numerus="yes">
            <source>Tick %n node(s) above.</source>
            <translation>
                <numerusform>在上方勾选 %n 个节点。</numerusform>
            </translation>
        </message>
        <message>
            <source>The &amp;first %1</source>
            <translation>前 %1 个(&amp;F)</translation>
        </message>
        <message>
            <source>Group %1 (%2)</source>
            <translation>组 %1（%2）</translation>
        </message>
        <message>
            <source>&amp;Command line or script: torchrun, srun, sbatch, deepspeed, accelerate, mpirun, python …</source>
            <translation>命令行或脚本(&amp;C)：torchrun、srun、sbatch、deepspeed、accelerate、mpirun、python 等</translation>
        </message>
        <message>
            <source>Argument %1</source>
            <translation>参数 %1</translation>
        </message>
        <message>
            <source>The script is evaluated…</source>
            <translation>正在求值脚本…</translation>
        </message>
        <message>
            <source>&amp;Open a script…</source>
            <translation>打开脚本…(&amp;O)</translation>
        </message>
        <message>
            <source>Which job of the text</source>
            <translation>文本中的哪个任务</translation>
        </message>
        <message>
            <source>%1 of %2: %3</source>
            <translation>第 %1 个，共 %2 个：%3</translation>
        </message>
        <message>
            <source>Open a script</source>
            <translation>打开脚本</translation>
        </message>
        <message>
            <source>Scripts (*.sh *.sbatch *.slurm *.bash *.job *.txt);;All files (*)</source>
            <translation>脚本 (*.sh *.sbatch *.slurm *.bash *.job *.txt);;所有文件 (*)</translation>
        </message>
        <message>
            <source>%1 cannot be read: %2</source>
            <translation>无法读取 %1：%2</translation>
        </message>
        <message>
            <source>it is larger than 1 MiB</source>
            <translation>它大于 1 MiB</translation>
        </message>
        <message>
            <source>Open the script that starts the training.</source>
            <translation>请打开启动训练的脚本。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::PathSection</name>
        <message>
            <source>Write an absolute path: /data/rankscope.</source>
            <translation>请写绝对路径：/data/rankscope。</translation>
        </message>
        <message>
            <source>%1 is a file. Choose a folder.</source>
            <translation>%1 是文件。请选择文件夹。</translation>
        </message>
        <message>
            <source>You may not write to %1. Choose another folder.</source>
            <translation>您无权写入 %1。请选择其他文件夹。</translation>
        </message>
        <message>
            <source>Paths</source>
            <translation>路径</translation>
        </message>
        <message>
            <source>Used from the next start on. Stored runs stay where they are.</source>
            <translation>下次启动时生效。已保存的运行留在原处。</translation>
        </message>
        <message>
            <source>&amp;Choose…</source>
            <translation>选择(&amp;C)…</translation>
        </message>
        <message>
            <source>&amp;Run store's folder</source>
            <translation>运行存储的文件夹(&amp;R)</translation>
        </message>
        <message>
            <source>Run store</source>
            <translation>运行存储</translation>
        </message>
        <message>
            <source>Inventory</source>
            <translation>清单</translation>
        </message>
        <message>
            <source>Settings</source>
            <translation>设置</translation>
        </message>
        <message>
            <source>--data-dir and --cluster of the command line choose other ones for one start. rankscopectl finds a run store in another folder by --data-dir.</source>
            <translation>命令行的 --data-dir 和 --cluster 为一次启动选择其他位置。rankscopectl 用 --data-dir 找到其他文件夹中的运行存储。</translation>
        </message>
        <message>
            <source>Folder of the run store</source>
            <translation>运行存储的文件夹</translation>
        </message>
        <message>
            <source>Show</source>
            <translation>显示</translation>
        </message>
        <message>
            <source>Show the folder of %1</source>
            <translation>显示 %1 的文件夹</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::PlanModel</name>
        <message>
            <source>(found on start)</source>
            <translation>（启动时确定）</translation>
        </message>
        <message>
            <source>%1, a free port</source>
            <translation>%1，空闲端口</translation>
        </message>
        <message>
            <source>Rank</source>
            <translation>Rank</translation>
        </message>
        <message>
            <source>Node</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>Local rank</source>
            <translation>本地 rank</translation>
        </message>
        <message>
            <source>Device</source>
            <translation>设备</translation>
        </message>
        <message>
            <source>MASTER_ADDR:PORT</source>
            <translation>MASTER_ADDR:PORT</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::PlanView</name>
        <message>
            <source>1 rank</source>
            <translation>1 个 rank</translation>
        </message>
        <message>
            <source>%1 ranks</source>
            <translation>%1 个 rank</translation>
        </message>
        <message>
            <source>1 node</source>
            <translation>1 个节点</translation>
        </message>
        <message>
            <source>%1 nodes</source>
            <translation>%1 个节点</translation>
        </message>
        <message>
            <source>%1 on %2 · %3 · master %4</source>
            <translation>%2 上的 %1 · %3 · 主节点 %4</translation>
        </message>
        <message>
            <source>Plan</source>
            <translation>计划</translation>
        </message>
        <message>
            <source>&amp;Copy plan</source>
            <translation>复制计划(&amp;C)</translation>
        </message>
        <message>
            <source>Copy &amp;as</source>
            <translation>复制为(&amp;A)</translation>
        </message>
        <message>
            <source>What to type into another launcher to start the same ranks</source>
            <translation>在其他启动器中输入什么来启动相同的 rank</translation>
        </message>
        <message>
            <source>Plan, rank by rank</source>
            <translation>计划，逐 rank 列出</translation>
        </message>
        <message>
            <source>Command and environment of the selected rank</source>
            <translation>所选 rank 的命令和环境变量</translation>
        </message>
        <message>
            <source>Rank %1: command and environment</source>
            <translation>Rank %1：命令和环境变量</translation>
        </message>
        <message>
            <source>Command and environment of a rank</source>
            <translation>rank 的命令和环境变量</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::PlotFiles</name>
        <message>
            <source>%1…</source>
            <translation>%1…</translation>
        </message>
        <message>
            <source>Export</source>
            <translation>导出</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::PlotMoment</name>
        <message>
            <source>Marked: %1</source>
            <translation>已标记：%1</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::PlotSections</name>
        <message>
            <source>Title of the section</source>
            <translation>分组的标题</translation>
        </message>
        <message>
            <source>New section</source>
            <translation>新建分组</translation>
        </message>
        <message>
            <source>&amp;Unfold</source>
            <translation>展开(&amp;U)</translation>
        </message>
        <message>
            <source>&amp;Fold</source>
            <translation>折叠(&amp;F)</translation>
        </message>
        <message>
            <source>Fold &amp;all sections</source>
            <translation>折叠所有分组(&amp;A)</translation>
        </message>
        <message>
            <source>Unfold a&amp;ll sections</source>
            <translation>展开所有分组(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Rename…</source>
            <translation>重命名(&amp;R)…</translation>
        </message>
        <message>
            <source>Rename the section</source>
            <translation>重命名分组</translation>
        </message>
        <message>
            <source>Re&amp;move the section, keep its panels</source>
            <translation>移除分组，保留其面板(&amp;M)</translation>
        </message>
        <message>
            <source>&amp;New section…</source>
            <translation>新建分组(&amp;N)…</translation>
        </message>
        <message>
            <source>As its &amp;name says</source>
            <translation>按名称归组(&amp;N)</translation>
        </message>
        <message>
            <source>Sec&amp;tion</source>
            <translation>分组(&amp;T)</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::PreflightLine</name>
        <message>
            <source>Check nodes</source>
            <translation>检查节点</translation>
        </message>
        <message>
            <source>A quick preflight: about a second, starts nothing</source>
            <translation>快速预检：约一秒，不启动任何程序</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Show in Doctor</source>
            <translation>在诊断中显示</translation>
        </message>
        <message>
            <source>Checking the nodes…</source>
            <translation>正在检查节点…</translation>
        </message>
        <message>
            <source>Checking the nodes: %1</source>
            <translation>正在检查节点：%1</translation>
        </message>
        <message>
            <source>The job has changed since its nodes were checked.</source>
            <translation>检查节点之后作业已更改。</translation>
        </message>
        <message>
            <source>The nodes are not checked yet.</source>
            <translation>节点尚未检查。</translation>
        </message>
        <message>
            <source>Start does not check them: preflight is off.</source>
            <translation>启动时不检查节点：预检已关闭。</translation>
        </message>
        <message>
            <source>Start checks them first.</source>
            <translation>启动时先检查节点。</translation>
        </message>
        <message>
            <source> (and %1 more)</source>
            <translation> （以及另外 %1 个）</translation>
        </message>
        <message>
            <source>1 node</source>
            <translation>1 个节点</translation>
        </message>
        <message>
            <source>%1 nodes</source>
            <translation>%1 个节点</translation>
        </message>
        <message>
            <source>%1 checks passed in %2</source>
            <translation>%1 项检查通过，用时 %2</translation>
        </message>
        <message>
            <source>1 warning: %1</source>
            <translation>1 个警告：%1</translation>
        </message>
        <message>
            <source>%1 warnings, the first: %2</source>
            <translation>%1 个警告，第一个：%2</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RankSquares</name>
        <message>
            <source>Rank %1 on %2, %3: %4</source>
            <translation>Rank %1，在 %2 上，%3：%4</translation>
        </message>
        <message>
            <source>Rank %1 on %2, %3: %4
last reported: %5</source>
            <translation>Rank %1，在 %2 上，%3：%4
最后报告：%5</translation>
        </message>
        <message>
            <source>
step %1</source>
            <translation>
第 %1 步</translation>
        </message>
        <message>
            <source>
now unknown: its node does not answer</source>
            <translation>
当前未知：其节点没有应答</translation>
        </message>
        <message>
            <source>
ended with %1</source>
            <translation>
以 %1 结束</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RankStrip</name>
        <message>
            <source>%1 waiting for it</source>
            <translation>%1 个在等它</translation>
        </message>
        <message>
            <source>%1 unknown on %2 nodes</source>
            <translation>%2 个节点上有 %1 个未知</translation>
        </message>
        <message>
            <source>Ranks: %1</source>
            <translation>Rank：%1</translation>
        </message>
        <message>
            <source>%1 %2 on %3</source>
            <translation>%3 上 %1 个 rank %2</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1：%2</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RankTableModel</name>
        <message>
            <source>Rank %1 (local rank %2) on %3, %4</source>
            <translation>Rank %1（本地 rank %2），在 %3 上，%4</translation>
        </message>
        <message>
            <source>%1; last reported: %2</source>
            <translation>%1；最后报告：%2</translation>
        </message>
        <message>
            <source>before its node stopped answering: %1</source>
            <translation>在其节点停止应答之前：%1</translation>
        </message>
        <message>
            <source>ended with %1</source>
            <translation>以 %1 结束</translation>
        </message>
        <message>
            <source>parameters %1</source>
            <translation>参数 %1</translation>
        </message>
        <message>
            <source>Rank</source>
            <translation>Rank</translation>
        </message>
        <message>
            <source>Node</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>Device</source>
            <translation>设备</translation>
        </message>
        <message>
            <source>State</source>
            <translation>状态</translation>
        </message>
        <message>
            <source>Step</source>
            <translation>步</translation>
        </message>
        <message>
            <source>Epoch</source>
            <translation>轮次</translation>
        </message>
        <message>
            <source>Exit</source>
            <translation>退出</translation>
        </message>
        <message>
            <source>%1: mean over the chosen range</source>
            <translation>%1：所选范围内的平均值</translation>
        </message>
        <message>
            <source>mean %1</source>
            <translation>平均 %1</translation>
        </message>
        <message>
            <source>process %1, started by the program of rank %2</source>
            <translation>进程 %1，由 rank %2 的程序启动</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RateCurve</name>
        <message>
            <source>Learning rate: begins at %1, at most %2, ends at %3</source>
            <translation>学习率：起始 %1，最高 %2，结束 %3</translation>
        </message>
        <message>
            <source>epoch 0</source>
            <translation>第 0 轮</translation>
        </message>
        <message>
            <source>epoch %1: %2</source>
            <translation>第 %1 轮：%2</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RecipesDialog</name>
        <message>
            <source>Recipes</source>
            <translation>配方</translation>
        </message>
        <message>
            <source>&amp;Use</source>
            <translation>使用(&amp;U)</translation>
        </message>
        <message>
            <source>Recipe</source>
            <translation>配方</translation>
        </message>
        <message>
            <source>Whose</source>
            <translation>来源</translation>
        </message>
        <message>
            <source>Job file of the recipe</source>
            <translation>配方的作业文件</translation>
        </message>
        <message>
            <source>New name of the recipe</source>
            <translation>配方的新名称</translation>
        </message>
        <message>
            <source>&amp;Rename</source>
            <translation>重命名(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;Delete</source>
            <translation>删除(&amp;D)</translation>
        </message>
        <message>
            <source>Save the present job as a &amp;recipe:</source>
            <translation>将当前作业保存为配方(&amp;R)：</translation>
        </message>
        <message>
            <source>Name of the new recipe</source>
            <translation>新配方的名称</translation>
        </message>
        <message>
            <source>&amp;Save</source>
            <translation>保存(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;Undo</source>
            <translation>撤销(&amp;U)</translation>
        </message>
        <message>
            <source>yours</source>
            <translation>自己的</translation>
        </message>
        <message>
            <source>Rankscope</source>
            <translation>Rankscope</translation>
        </message>
        <message>
            <source>only your own can be renamed and deleted</source>
            <translation>只能重命名和删除自己的配方</translation>
        </message>
        <message>
            <source>Saved as %1.</source>
            <translation>已保存为 %1。</translation>
        </message>
        <message>
            <source>%1 is deleted.</source>
            <translation>%1 已删除。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RetentionDialog</name>
        <message>
            <source>Reading the run store…</source>
            <translation>正在读取运行存储…</translation>
        </message>
        <message>
            <source>Remove stored runs</source>
            <translation>移除已保存的运行</translation>
        </message>
        <message>
            <source>Runs to remove</source>
            <translation>要移除的运行</translation>
        </message>
        <message>
            <source>Run</source>
            <translation>运行</translation>
        </message>
        <message>
            <source>Started</source>
            <translation>开始时间</translation>
        </message>
        <message>
            <source>Size, about</source>
            <translation>大小（约）</translation>
        </message>
        <message>
            <source>Because of its</source>
            <translation>原因</translation>
        </message>
        <message>
            <source>&amp;Remove</source>
            <translation>移除(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;Cancel</source>
            <translation>取消(&amp;C)</translation>
        </message>
        <message>
            <source>Nothing to remove: all stored runs are within the limits.</source>
            <translation>没有可移除的：所有已保存的运行都在限制之内。</translation>
        </message>
        <message>
            <source>age</source>
            <translation>时间</translation>
        </message>
        <message>
            <source>size</source>
            <translation>大小</translation>
        </message>
        <message>
            <source>%1 kept for their star</source>
            <translation>%1 个因星标保留</translation>
        </message>
        <message>
            <source>%1 kept because they run</source>
            <translation>%1 个因正在运行而保留</translation>
        </message>
        <message>
            <source>&amp;Remove 1 run</source>
            <translation>移除 1 个运行(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;Remove %1 runs</source>
            <translation>移除 %1 个运行(&amp;R)</translation>
        </message>
        <message>
            <source>Removing runs…</source>
            <translation>正在移除运行…</translation>
        </message>
        <message>
            <source>&amp;Close</source>
            <translation>关闭(&amp;C)</translation>
        </message>
        <message>
            <source>1 run is removed.</source>
            <translation>已移除 1 个运行。</translation>
        </message>
        <message>
            <source>%1 runs are removed.</source>
            <translation>已移除 %1 个运行。</translation>
        </message>
        <message>
            <source>These %1 runs, about %2, are beyond the limits. Their plans, curves, output and job files are deleted from the run store; files on the nodes stay. This cannot be undone.</source>
            <translation>这 %1 个运行（约 %2）超出限制。它们的计划、曲线、输出和作业文件将从运行存储中删除；节点上的文件保留。此操作无法撤销。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RunDeleter</name>
        <message>
            <source>&amp;Undo</source>
            <translation>撤销(&amp;U)</translation>
        </message>
        <message>
            <source>%1 runs</source>
            <translation>%1 次运行</translation>
        </message>
        <message>
            <source>%1 could not be deleted.</source>
            <translation>%1 无法删除。</translation>
        </message>
        <message>
            <source>%1 deleted.</source>
            <translation>%1 已删除。</translation>
        </message>
        <message>
            <source>Not every run could be restored.</source>
            <translation>并非每次运行都能恢复。</translation>
        </message>
        <message>
            <source>Ctrl+Z restores; later, Deleted runs… in the Run menu. Files on the nodes stay.</source>
            <translation>按 Ctrl+Z 恢复；之后可用“运行”菜单中的“已删除的运行…”。节点上的文件会保留。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RunEventsModel</name>
        <message>
            <source>Time</source>
            <translation>时间</translation>
        </message>
        <message>
            <source>Where</source>
            <translation>位置</translation>
        </message>
        <message>
            <source>Kind</source>
            <translation>类型</translation>
        </message>
        <message>
            <source>What</source>
            <translation>内容</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RunExporter</name>
        <message>
            <source>&amp;Report in one page (HTML)…</source>
            <translation>单页报告 (HTML)(&amp;R)…</translation>
        </message>
        <message>
            <source>End, verdicts, curves, ranks, nodes, job and versions; without secrets</source>
            <translation>结束情况、诊断结论、曲线、rank、节点、作业和版本；不含机密</translation>
        </message>
        <message>
            <source>&amp;Metrics as a table (CSV)…</source>
            <translation>指标表 (CSV)(&amp;M)…</translation>
        </message>
        <message>
            <source>&amp;Telemetry as a table (CSV)…</source>
            <translation>遥测表 (CSV)(&amp;T)…</translation>
        </message>
        <message>
            <source>A row for each value of a node</source>
            <translation>节点的每个值一行</translation>
        </message>
        <message>
            <source>Event files for Tensor&amp;Board…</source>
            <translation>TensorBoard 事件文件(&amp;B)…</translation>
        </message>
        <message>
            <source>A folder for tensorboard --logdir</source>
            <translation>供 tensorboard --logdir 使用的文件夹</translation>
        </message>
        <message>
            <source>Last values for &amp;Prometheus…</source>
            <translation>Prometheus 用的最新值(&amp;P)…</translation>
        </message>
        <message>
            <source>For a textfile collector</source>
            <translation>供 textfile collector 使用</translation>
        </message>
        <message>
            <source>All &amp;events (JSON lines)…</source>
            <translation>所有事件 (JSON lines)(&amp;E)…</translation>
        </message>
        <message>
            <source>Everything that Rankscope knows of the run</source>
            <translation>Rankscope 所知的该运行的一切</translation>
        </message>
        <message>
            <source>Export %1</source>
            <translation>导出 %1</translation>
        </message>
        <message>
            <source>New folder:</source>
            <translation>新文件夹：</translation>
        </message>
        <message>
            <source>Export %1 so far</source>
            <translation>导出 %1 目前为止的内容</translation>
        </message>
        <message>
            <source>A row for each report of a rank; above 2,000 names, for each value</source>
            <translation>rank 的每次报告占一行；超过 2,000 个名称时每个值占一行</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RunGroupsModel</name>
        <message>
            <source>%1 (%2)</source>
            <translation>%1 (%2)</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>%1 ± %2</source>
            <translation>%1 ± %2</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RunHeader</name>
        <message>
            <source>&amp;Why…</source>
            <translation>查看原因(&amp;W)…</translation>
        </message>
        <message>
            <source>Shows again why the run failed</source>
            <translation>再次显示运行失败的原因</translation>
        </message>
        <message>
            <source>Progress of the epoch</source>
            <translation>轮次进度</translation>
        </message>
        <message>
            <source>Save failure &amp;bundle…</source>
            <translation>保存故障包(&amp;B)…</translation>
        </message>
        <message>
            <source>The run as one file for others, without secrets</source>
            <translation>将运行存为一个可交给他人的文件，不含机密</translation>
        </message>
        <message>
            <source>Run &amp;again…</source>
            <translation>再次运行(&amp;A)…</translation>
        </message>
        <message>
            <source>Opens Launch with the job of this run</source>
            <translation>用此运行的作业打开启动页</translation>
        </message>
        <message>
            <source>&amp;Stop</source>
            <translation>停止(&amp;S)</translation>
        </message>
        <message numerus="yes">
            <source>restarted %n time(s)</source>
            <translation>
                <numerusform>已重启 %n 次</numerusform>
            </translation>
        </message>
        <message>
            <source>%1 images/s</source>
            <translation>%1 张图像/s</translation>
        </message>
        <message>
            <source>Validation %1</source>
            <translation>验证 %1</translation>
        </message>
        <message>
            <source>Outcome: %1</source>
            <translation>结果：%1</translation>
        </message>
        <message>
            <source>Epoch %1 of %2</source>
            <translation>轮次 %1 / %2</translation>
        </message>
        <message>
            <source>%1 left</source>
            <translation>剩余 %1</translation>
        </message>
        <message>
            <source>epoch %1, run %2 left</source>
            <translation>轮次剩余 %1，运行剩余 %2</translation>
        </message>
        <message>
            <source>&amp;Pause</source>
            <translation>暂停(&amp;P)</translation>
        </message>
        <message>
            <source>&amp;Continue</source>
            <translation>继续(&amp;C)</translation>
        </message>
        <message>
            <source>The launcher of this run cannot pause it</source>
            <translation>此运行的启动器不能暂停它</translation>
        </message>
        <message>
            <source>Once all ranks are started</source>
            <translation>所有 rank 启动后可用</translation>
        </message>
        <message>
            <source>SIGSTOP to all processes of the ranks; memory and GPUs stay in use</source>
            <translation>向 rank 的所有进程发送 SIGSTOP；内存和 GPU 仍被占用</translation>
        </message>
        <message>
            <source>SIGCONT to all processes of the ranks</source>
            <translation>向 rank 的所有进程发送 SIGCONT</translation>
        </message>
        <message>
            <source>Force stop sent</source>
            <translation>已发送强制停止</translation>
        </message>
        <message>
            <source>Force &amp;stop</source>
            <translation>强制停止(&amp;S)</translation>
        </message>
        <message>
            <source>Nodes that do not answer receive it when they are back</source>
            <translation>没有应答的节点会在恢复后收到</translation>
        </message>
        <message>
            <source>SIGKILL to every rank at once</source>
            <translation>同时向每个 rank 发送 SIGKILL</translation>
        </message>
        <message>
            <source>SIGTERM to every rank on every node, then SIGKILL after the grace time</source>
            <translation>向每个节点上的每个 rank 发送 SIGTERM，宽限时间后发送 SIGKILL</translation>
        </message>
        <message>
            <source>%1 tokens/s</source>
            <translation>%1 个 token/s</translation>
        </message>
        <message>
            <source>What the nodes noticed in this run</source>
            <translation>节点在此次运行中注意到的情况</translation>
        </message>
        <message numerus="yes">
            <source>%n &amp;notice(s)</source>
            <translation>
                <numerusform>%n 条通知(&amp;N)</numerusform>
            </translation>
        </message>
        <message>
            <source>%1 samples/s</source>
            <translation>%1 样本/秒</translation>
        </message>
        <message>
            <source>%1 steps/s</source>
            <translation>%1 步/秒</translation>
        </message>
        <message>
            <source>MFU %1</source>
            <translation>MFU %1</translation>
        </message>
        <message>
            <source>Images per second</source>
            <translation>每秒图像数</translation>
        </message>
        <message>
            <source>Samples per second</source>
            <translation>每秒样本数</translation>
        </message>
        <message>
            <source>Tokens per second</source>
            <translation>每秒 token 数</translation>
        </message>
        <message>
            <source>Steps per second</source>
            <translation>每秒步数</translation>
        </message>
        <message>
            <source>Share of what the GPUs can compute (MFU)</source>
            <translation>占 GPU 计算能力的比例（MFU）</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RunLegend</name>
        <message>
            <source>Runs: %1</source>
            <translation>运行：%1</translation>
        </message>
        <message>
            <source>Lists the runs that do not fit here</source>
            <translation>列出此处放不下的运行</translation>
        </message>
        <message>
            <source>and %1 more…</source>
            <translation>以及另外 %1 个…</translation>
        </message>
        <message>
            <source>%1 more runs</source>
            <translation>另外 %1 个运行</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RunOpener</name>
        <message>
            <source>Opening %1…</source>
            <translation>正在打开 %1…</translation>
        </message>
        <message>
            <source>Opening %1: %2 of its events</source>
            <translation>正在打开 %1：已读事件的 %2</translation>
        </message>
        <message>
            <source>Opening %1: %2 events</source>
            <translation>正在打开 %1：%2 个事件</translation>
        </message>
        <message>
            <source>%1 could not be opened.</source>
            <translation>无法打开 %1。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RunRange</name>
        <message>
            <source>until step %1</source>
            <translation>到第 %1 步</translation>
        </message>
        <message>
            <source>from step %1</source>
            <translation>从第 %1 步起</translation>
        </message>
        <message>
            <source>step %1</source>
            <translation>第 %1 步</translation>
        </message>
        <message>
            <source>steps %1–%2</source>
            <translation>第 %1–%2 步</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RunTabBar</name>
        <message>
            <source>Open runs</source>
            <translation>打开的运行</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>关闭</translation>
        </message>
        <message>
            <source>Close %1</source>
            <translation>关闭 %1</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RunTabs</name>
        <message>
            <source>&amp;Cancel</source>
            <translation>取消(&amp;C)</translation>
        </message>
        <message>
            <source>Run %1</source>
            <translation>运行 %1</translation>
        </message>
        <message>
            <source>Show a run in Live first.</source>
            <translation>请先在“实时”中显示一个运行。</translation>
        </message>
        <message>
            <source>It is the only run in this window.</source>
            <translation>这是此窗口中唯一的运行。</translation>
        </message>
        <message>
            <source>The run store is not open.</source>
            <translation>运行存储未打开。</translation>
        </message>
        <message>
            <source>Its ranks are not started yet.</source>
            <translation>它的 rank 尚未启动。</translation>
        </message>
        <message>
            <source>&amp;Move to a window of its own</source>
            <translation>移到单独的窗口(&amp;M)</translation>
        </message>
        <message>
            <source>Close &amp;others that are over</source>
            <translation>关闭其他已结束的(&amp;O)</translation>
        </message>
        <message>
            <source>&amp;Close</source>
            <translation>关闭(&amp;C)</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RunsModel</name>
        <message>
            <source>Starred</source>
            <translation>已加星标</translation>
        </message>
        <message>
            <source>Click to star this run</source>
            <translation>点击为此运行加星标</translation>
        </message>
        <message>
            <source>starred</source>
            <translation>已加星标</translation>
        </message>
        <message>
            <source>not starred</source>
            <translation>未加星标</translation>
        </message>
        <message>
            <source>Run</source>
            <translation>运行</translation>
        </message>
        <message>
            <source>Started</source>
            <translation>开始时间</translation>
        </message>
        <message>
            <source>Duration</source>
            <translation>时长</translation>
        </message>
        <message>
            <source>Nodes</source>
            <translation>节点</translation>
        </message>
        <message>
            <source>Ranks</source>
            <translation>Rank</translation>
        </message>
        <message>
            <source>Outcome</source>
            <translation>结果</translation>
        </message>
        <message>
            <source>Labels</source>
            <translation>标记信息</translation>
        </message>
        <message>
            <source>Summary</source>
            <translation>摘要</translation>
        </message>
        <message>
            <source>%1
%2</source>
            <translation>%1
%2</translation>
        </message>
        <message>
            <source>%1
%2, run again from %3</source>
            <translation>%1
%2，重新运行自 %3</translation>
        </message>
        <message>
            <source>at least %1</source>
            <translation>至少 %1</translation>
        </message>
        <message>
            <source>%1
as of %2, when it was last heard of. Attach to see whether it goes on.</source>
            <translation>%1
截至 %2，即最后一次收到其消息时。附加到该运行即可查看它是否仍在进行。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RunsPage</name>
        <message>
            <source>&amp;Cancel</source>
            <translation>取消(&amp;C)</translation>
        </message>
        <message>
            <source>No runs kept yet</source>
            <translation>尚未保存运行</translation>
        </message>
        <message>
            <source>Every run you start is kept here with its plan, curves and output, and opens again exactly as it looked.</source>
            <translation>启动的每个运行都会连同计划、曲线和输出保存在这里，再次打开时与当时完全一样。</translation>
        </message>
        <message>
            <source>Go to &amp;Launch</source>
            <translation>转到启动页(&amp;L)</translation>
        </message>
        <message>
            <source>Runs</source>
            <translation>运行记录</translation>
        </message>
        <message>
            <source>Search runs</source>
            <translation>搜索运行</translation>
        </message>
        <message>
            <source>Search, tag:NAME, group:NAME, is:starred</source>
            <translation>搜索，tag:名称，group:名称，is:starred</translation>
        </message>
        <message>
            <source>Open &amp;bundle…</source>
            <translation>打开故障包(&amp;B)…</translation>
        </message>
        <message>
            <source>Adds the run of a failure bundle (*%1), or drop the file here</source>
            <translation>添加故障包 (*%1) 中的运行，或将文件拖放到这里</translation>
        </message>
        <message>
            <source>&amp;Open</source>
            <translation>打开(&amp;O)</translation>
        </message>
        <message>
            <source>&amp;Save bundle…</source>
            <translation>保存故障包(&amp;S)…</translation>
        </message>
        <message>
            <source>A failure bundle: the run as one file for others, without secrets</source>
            <translation>故障包：将运行存为一个可交给他人的文件，不含机密</translation>
        </message>
        <message>
            <source>Run a&amp;gain…</source>
            <translation>再次运行(&amp;G)…</translation>
        </message>
        <message>
            <source>Opens Launch with the job of this run</source>
            <translation>用此运行的作业打开启动页</translation>
        </message>
        <message>
            <source>&amp;Labels…</source>
            <translation>标签(&amp;L)…</translation>
        </message>
        <message>
            <source>E&amp;xport</source>
            <translation>导出(&amp;X)</translation>
        </message>
        <message>
            <source>The run for other programs</source>
            <translation>供其他程序使用的运行数据</translation>
        </message>
        <message>
            <source>Reading %1: %2</source>
            <translation>正在读取 %1：%2</translation>
        </message>
        <message>
            <source>Reading %1…</source>
            <translation>正在读取 %1…</translation>
        </message>
        <message>
            <source>%1 was not added.</source>
            <translation>未添加 %1。</translation>
        </message>
        <message>
            <source>Cannot attach to %1.</source>
            <translation>无法附加到 %1。</translation>
        </message>
        <message>
            <source>The stored runs cannot be read.</source>
            <translation>无法读取已保存的运行。</translation>
        </message>
        <message>
            <source>&amp;Show</source>
            <translation>显示(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;Attach</source>
            <translation>附加(&amp;A)</translation>
        </message>
        <message>
            <source>Show what is stored and continue to watch the run</source>
            <translation>显示已保存的内容并继续观察该运行</translation>
        </message>
        <message>
            <source>%1 of %2 runs</source>
            <translation>%1 / %2 个运行</translation>
        </message>
        <message>
            <source>1 run kept</source>
            <translation>已保存 1 个运行</translation>
        </message>
        <message>
            <source>%1 runs kept</source>
            <translation>已保存 %1 个运行</translation>
        </message>
        <message>
            <source>&amp;Save failure bundle…</source>
            <translation>保存故障包(&amp;S)…</translation>
        </message>
        <message>
            <source>Open failure bundles</source>
            <translation>打开故障包</translation>
        </message>
        <message>
            <source>Logs and archives (*)</source>
            <translation>日志和归档文件 (*)</translation>
        </message>
        <message>
            <source>Import runs from a folder: TensorBoard event files, or logs of one run</source>
            <translation>从文件夹导入运行：TensorBoard 事件文件，或一个运行的日志</translation>
        </message>
        <message>
            <source>&amp;Delete</source>
            <translation>删除(&amp;D)</translation>
        </message>
        <message>
            <source>Group runs</source>
            <translation>为运行分组</translation>
        </message>
        <message>
            <source>Groups with mean and spread; right click on a column's header for more</source>
            <translation>带平均值和离散度的分组；更多选项请右键单击列标题</translation>
        </message>
        <message>
            <source>&amp;Columns…</source>
            <translation>列(&amp;C)…</translation>
        </message>
        <message>
            <source>Which metrics and job keys the list shows</source>
            <translation>列表显示哪些指标和作业键</translation>
        </message>
        <message>
            <source>Deletes the selected runs; Ctrl+Z restores them</source>
            <translation>删除所选运行；Ctrl+Z 恢复</translation>
        </message>
        <message>
            <source>Co&amp;mpare</source>
            <translation>比较(&amp;M)</translation>
        </message>
        <message>
            <source>Curves, statistics and differences of the selected runs (Ctrl+Shift+C)</source>
            <translation>所选运行的曲线、统计和差异 (Ctrl+Shift+C)</translation>
        </message>
        <message>
            <source>Scal&amp;ing run…</source>
            <translation>扩展性(&amp;I)…</translation>
        </message>
        <message>
            <source>Runs the job of this run on 1, 2, 4 … ranks, or shows the result again</source>
            <translation>在 1、2、4 … 个 rank 上运行此运行的作业，或再次显示结果</translation>
        </message>
        <message>
            <source>Reading metrics: %1 of %2 runs</source>
            <translation>正在读取指标：%1 / %2 次运行</translation>
        </message>
        <message>
            <source>%1 of %2 selected</source>
            <translation>已选 %1 / %2</translation>
        </message>
        <message>
            <source>Open in a new &amp;window</source>
            <translation>在新窗口中打开(&amp;W)</translation>
        </message>
        <message>
            <source>Star, tags, group and note of the selected runs</source>
            <translation>所选运行的星标、标签、分组和备注</translation>
        </message>
        <message>
            <source>Observe N&amp;CCL</source>
            <translation>观察 NCCL(&amp;C)</translation>
        </message>
        <message>
            <source>Deleted ru&amp;ns…</source>
            <translation>已删除的运行(&amp;N)…</translation>
        </message>
        <message>
            <source>The run of %1 is already here; it is selected.</source>
            <translation>%1 中的运行已在此处，已将其选中。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RunsTable</name>
        <message>
            <source>Stored runs</source>
            <translation>已存储的运行</translation>
        </message>
        <message>
            <source>Stored runs by group</source>
            <translation>按组排列的已存储运行</translation>
        </message>
        <message>
            <source>Right click: columns and groups</source>
            <translation>右键单击：列和分组</translation>
        </message>
        <message>
            <source>&amp;Choose columns…</source>
            <translation>选择列(&amp;C)…</translation>
        </message>
        <message>
            <source>&amp;Hide this column</source>
            <translation>隐藏此列(&amp;H)</translation>
        </message>
        <message>
            <source>&amp;Group by this column</source>
            <translation>按此列分组(&amp;G)</translation>
        </message>
        <message>
            <source>&amp;Reset columns</source>
            <translation>重置列(&amp;R)</translation>
        </message>
        <message>
            <source>No groups</source>
            <translation>不分组</translation>
        </message>
        <message>
            <source>By group</source>
            <translation>按组</translation>
        </message>
        <message>
            <source>By tag</source>
            <translation>按标签</translation>
        </message>
        <message>
            <source>By name</source>
            <translation>按名称</translation>
        </message>
        <message>
            <source>By %1</source>
            <translation>按 %1</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::SaveBundleDialog</name>
        <message>
            <source>Save failure bundle of %1</source>
            <translation>保存 %1 的故障包</translation>
        </message>
        <message>
            <source>One file with everything that Rankscope knows of this run. It opens in another Rankscope like a stored run. Check it before you send it.</source>
            <translation>一个文件，包含 Rankscope 所知的该运行的一切。在另一个 Rankscope 中，它像已保存的运行一样打开。发送前请检查。</translation>
        </message>
        <message>
            <source>Replace names of &amp;users, too</source>
            <translation>同时替换用户名(&amp;U)</translation>
        </message>
        <message>
            <source>In paths of home folders, and before @</source>
            <translation>在主文件夹路径中，以及 @ 之前</translation>
        </message>
        <message>
            <source>Progress</source>
            <translation>进度</translation>
        </message>
        <message>
            <source>&amp;Save</source>
            <translation>保存(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;File</source>
            <translation>文件(&amp;F)</translation>
        </message>
        <message>
            <source>C&amp;hoose…</source>
            <translation>选择(&amp;H)…</translation>
        </message>
        <message>
            <source>Content: %1 before compression</source>
            <translation>内容：压缩前 %1</translation>
        </message>
        <message>
            <source>Only known shapes are found: read the output of the ranks before you send it.</source>
            <translation>只能找到已知格式的机密：发送前请阅读各 rank 的输出。</translation>
        </message>
        <message>
            <source>No secrets were found. %1</source>
            <translation>未发现机密。%1</translation>
        </message>
        <message>
            <source>Replaced by %1: %2 places. %3</source>
            <translation>替换为 %1：%2 处。%3</translation>
        </message>
        <message>
            <source>Save failure bundle</source>
            <translation>保存故障包</translation>
        </message>
        <message>
            <source>All files (*)</source>
            <translation>所有文件 (*)</translation>
        </message>
        <message>
            <source>Choose a file.</source>
            <translation>请选择文件。</translation>
        </message>
        <message>
            <source>Saved: %1 (%2). Only your user can read it: change that if you share the file in place.</source>
            <translation>已保存：%1 (%2)。只有你的用户可以读取：如果就地共享此文件，请更改权限。</translation>
        </message>
        <message>
            <source>Cancelled: nothing was written.</source>
            <translation>已取消：没有写入任何内容。</translation>
        </message>
        <message>
            <source>Replace file</source>
            <translation>替换文件</translation>
        </message>
        <message>
            <source>Replace %1?</source>
            <translation>替换 %1？</translation>
        </message>
        <message>
            <source>A file with this name is in %1. Its content is lost when it is replaced.</source>
            <translation>%1 中已有同名文件。替换后其内容会丢失。</translation>
        </message>
        <message>
            <source>&amp;Replace</source>
            <translation>替换(&amp;R)</translation>
        </message>
        <message>
            <source>Checking once more what is replaced…</source>
            <translation>正在再次检查替换的内容…</translation>
        </message>
        <message>
            <source>Reading the run: looking for secrets…</source>
            <translation>正在读取运行：查找机密…</translation>
        </message>
        <message>
            <source>Writing %1…</source>
            <translation>正在写入 %1…</translation>
        </message>
        <message>
            <source>Content</source>
            <translation>内容</translation>
        </message>
        <message>
            <source>What is replaced</source>
            <translation>替换的内容</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>关闭</translation>
        </message>
        <message>
            <source>Cancelling…</source>
            <translation>正在取消…</translation>
        </message>
        <message>
            <source>The run has not ended: the file gets what is stored so far.</source>
            <translation>运行尚未结束：文件包含目前已保存的内容。</translation>
        </message>
        <message>
            <source>Files of the bundle</source>
            <translation>故障包中的文件</translation>
        </message>
        <message>
            <source>File</source>
            <translation>文件</translation>
        </message>
        <message>
            <source>Size</source>
            <translation>大小</translation>
        </message>
        <message>
            <source>What</source>
            <translation>替换项</translation>
        </message>
        <message>
            <source>Where</source>
            <translation>位置</translation>
        </message>
        <message>
            <source>Times</source>
            <translation>次数</translation>
        </message>
        <message>
            <source>Why</source>
            <translation>原因</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::ScalingDialog</name>
        <message>
            <source>Scaling run of %1</source>
            <translation>%1 的扩展性运行</translation>
        </message>
        <message>
            <source>Results by number of ranks</source>
            <translation>按 rank 数的结果</translation>
        </message>
        <message>
            <source>Ranks</source>
            <translation>Rank 数</translation>
        </message>
        <message>
            <source>Throughput</source>
            <translation>吞吐量</translation>
        </message>
        <message>
            <source>Middle half</source>
            <translation>中间一半</translation>
        </message>
        <message>
            <source>Speed-up</source>
            <translation>加速比</translation>
        </message>
        <message>
            <source>Efficiency</source>
            <translation>效率</translation>
        </message>
        <message>
            <source>Compute</source>
            <translation>计算</translation>
        </message>
        <message>
            <source>Data</source>
            <translation>数据</translation>
        </message>
        <message>
            <source>Communication</source>
            <translation>通信</translation>
        </message>
        <message>
            <source>Outcome</source>
            <translation>结果</translation>
        </message>
        <message>
            <source>&amp;Start</source>
            <translation>开始(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;Close</source>
            <translation>关闭(&amp;C)</translation>
        </message>
        <message>
            <source>1, 2, 4 … all</source>
            <translation>1, 2, 4 … 全部</translation>
        </message>
        <message>
            <source> s</source>
            <translation> 秒</translation>
        </message>
        <message>
            <source>Weak: each rank keeps its batch</source>
            <translation>弱：每个 rank 保持其批大小</translation>
        </message>
        <message>
            <source>Strong: one batch for all ranks</source>
            <translation>强：所有 rank 共用一个批</translation>
        </message>
        <message>
            <source>&amp;Ranks</source>
            <translation>Rank(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;For each</source>
            <translation>每个时长(&amp;F)</translation>
        </message>
        <message>
            <source>&amp;Mode</source>
            <translation>模式(&amp;M)</translation>
        </message>
        <message>
            <source>The job runs with each number of ranks, one after the other. Checkpoints and restarts are off; the runs are kept under one tag.</source>
            <translation>作业依次以各个 rank 数运行。检查点和重启已关闭；这些运行保存在同一标签下。</translation>
        </message>
        <message>
            <source>Ranks: "%1" is not a number of ranks.</source>
            <translation>Rank：“%1”不是 rank 数。</translation>
        </message>
        <message>
            <source>Write for example 1, 2, 4.</source>
            <translation>例如写 1, 2, 4。</translation>
        </message>
        <message>
            <source>Ranks: %1, size %2 of %3: </source>
            <translation>Rank：%1，第 %2 个规模，共 %3 个：</translation>
        </message>
        <message>
            <source>starting…</source>
            <translation>正在启动…</translation>
        </message>
        <message>
            <source>measured %1 of %2</source>
            <translation>已测量 %1 / %2</translation>
        </message>
        <message>
            <source>Stopping the ranks on all nodes…</source>
            <translation>正在停止所有节点上的 rank…</translation>
        </message>
        <message>
            <source>The scaling run did not start.</source>
            <translation>扩展性运行未能启动。</translation>
        </message>
        <message>
            <source>Stored with the tag %1.</source>
            <translation>已存储，标签为 %1。</translation>
        </message>
        <message>
            <source>Reading %1…</source>
            <translation>正在读取 %1…</translation>
        </message>
        <message>
            <source>The scaling run cannot be shown.</source>
            <translation>无法显示扩展性运行。</translation>
        </message>
        <message>
            <source>%1: %2 scaling, %3</source>
            <translation>%1：%2扩展，%3</translation>
        </message>
        <message>
            <source>weak</source>
            <translation>弱</translation>
        </message>
        <message>
            <source>strong</source>
            <translation>强</translation>
        </message>
        <message>
            <source>%1 – %2</source>
            <translation>%1 – %2</translation>
        </message>
        <message>
            <source>%1 steps measured</source>
            <translation>已测量 %1 步</translation>
        </message>
        <message>
            <source>&amp;Stop</source>
            <translation>停止(&amp;S)</translation>
        </message>
        <message>
            <source>E&amp;xport</source>
            <translation>导出(&amp;X)</translation>
        </message>
        <message>
            <source>The plots as a picture, or their values as a table</source>
            <translation>将图导出为图片，或将其数值导出为表格</translation>
        </message>
        <message>
            <source>Written: %1</source>
            <translation>已写入：%1</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::ScalingPlot</name>
        <message>
            <source>Speed-up (dashed: ideal)</source>
            <translation>加速比（虚线：理想）</translation>
        </message>
        <message>
            <source>ranks</source>
            <translation>rank 数</translation>
        </message>
        <message>
            <source>times</source>
            <translation>倍</translation>
        </message>
        <message>
            <source>Time of a step, ms</source>
            <translation>一步的时间，毫秒</translation>
        </message>
        <message>
            <source>compute</source>
            <translation>计算</translation>
        </message>
        <message>
            <source>data</source>
            <translation>数据</translation>
        </message>
        <message>
            <source>communication</source>
            <translation>通信</translation>
        </message>
        <message>
            <source>other</source>
            <translation>其他</translation>
        </message>
        <message>
            <source>Nothing measured yet.</source>
            <translation>尚未测量。</translation>
        </message>
        <message>
            <source>Not reported by these ranks.</source>
            <translation>这些 rank 没有上报。</translation>
        </message>
        <message>
            <source>Speed-up and efficiency by ranks, and where the time goes</source>
            <translation>按 rank 数的加速比和效率，以及时间的去向</translation>
        </message>
        <message>
            <source>Efficiency (dashed: ideal)</source>
            <translation>效率（虚线：理想）</translation>
        </message>
        <message>
            <source>&amp;Export these plots</source>
            <translation>导出这些图(&amp;E)</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::SecretDialog</name>
        <message>
            <source>Passphrase</source>
            <translation>密码短语</translation>
        </message>
        <message>
            <source>Password</source>
            <translation>密码</translation>
        </message>
        <message>
            <source>Node %1 needs the passphrase of the key for %2.</source>
            <translation>节点 %1 需要 %2 的密钥的密码短语。</translation>
        </message>
        <message>
            <source>Node %1 asks for the password of %2.</source>
            <translation>节点 %1 要求输入 %2 的密码。</translation>
        </message>
        <message>
            <source>That was not accepted. Attempt %1.</source>
            <translation>未被接受。第 %1 次尝试。</translation>
        </message>
        <message>
            <source>&amp;Passphrase:</source>
            <translation>密码短语(&amp;P)：</translation>
        </message>
        <message>
            <source>&amp;Password:</source>
            <translation>密码(&amp;P)：</translation>
        </message>
        <message>
            <source>Kept in memory only, never written to disk.</source>
            <translation>只保存在内存中，从不写入磁盘。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::SectionHeader</name>
        <message numerus="yes">
            <source>%n panel(s)</source>
            <translation>
                <numerusform>%n 个面板</numerusform>
            </translation>
        </message>
        <message>
            <source>Section %1, folded, %2</source>
            <translation>分组 %1，已折叠，%2</translation>
        </message>
        <message>
            <source>Section %1, open, %2</source>
            <translation>分组 %1，已展开，%2</translation>
        </message>
        <message>
            <source>Show the panels of this section</source>
            <translation>显示此分组的面板</translation>
        </message>
        <message>
            <source>Fold the panels of this section</source>
            <translation>折叠此分组的面板</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::SettingsDialog</name>
        <message>
            <source>Settings</source>
            <translation>设置</translation>
        </message>
        <message>
            <source>The settings file has errors.</source>
            <translation>设置文件有错误。</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>关闭</translation>
        </message>
        <message>
            <source>Search settings</source>
            <translation>搜索设置</translation>
        </message>
        <message>
            <source>Search</source>
            <translation>搜索</translation>
        </message>
        <message>
            <source>Sections</source>
            <translation>分区</translation>
        </message>
        <message>
            <source>&amp;Reset %1</source>
            <translation>重置“%1”(&amp;R)</translation>
        </message>
        <message>
            <source>All values here are the defaults.</source>
            <translation>此处的值均为默认值。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::SettingsFile</name>
        <message>
            <source>The settings file %1 is damaged. What can be read of it is used; a copy is at %2.</source>
            <translation>设置文件 %1 已损坏。能读取的内容会被使用；副本位于 %2。</translation>
        </message>
        <message>
            <source>The settings file %1 is damaged, and %2 could not be written. Copy it before you change a setting: what cannot be read of it is lost then.</source>
            <translation>设置文件 %1 已损坏，且无法写入 %2。请在更改设置之前先复制它：否则无法读取的内容将会丢失。</translation>
        </message>
        <message>
            <source>%1 = "%2" is not understood; use %3. The default is used, and the value stays in %4.</source>
            <translation>无法理解 %1 = “%2”；请用%3。现使用默认值，该值保留在 %4 中。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::SettingsModel</name>
        <message>
            <source>job (%1)</source>
            <translation>作业 (%1)</translation>
        </message>
        <message>
            <source>Rankscope</source>
            <translation>Rankscope</translation>
        </message>
        <message>
            <source>environment or nccl.conf</source>
            <translation>环境变量或 nccl.conf</translation>
        </message>
        <message>
            <source>environment</source>
            <translation>环境变量</translation>
        </message>
        <message>
            <source>the program</source>
            <translation>程序</translation>
        </message>
        <message>
            <source>%1 values</source>
            <translation>%1 个值</translation>
        </message>
        <message>
            <source>Variable</source>
            <translation>变量</translation>
        </message>
        <message>
            <source>Value</source>
            <translation>值</translation>
        </message>
        <message>
            <source>Ranks</source>
            <translation>Rank</translation>
        </message>
        <message>
            <source>Set by</source>
            <translation>设置者</translation>
        </message>
        <message>
            <source>What it does</source>
            <translation>作用</translation>
        </message>
        <message>
            <source>environment of the node</source>
            <translation>节点的环境变量</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::SettingsTab</name>
        <message>
            <source>%1 %2 to %3</source>
            <translation>%1 %2 至 %3</translation>
        </message>
        <message>
            <source>up to %1 %2</source>
            <translation>截至 %1 %2</translation>
        </message>
        <message>
            <source>%1 %2 and newer</source>
            <translation>%1 %2 及更新版本</translation>
        </message>
        <message>
            <source>Variables of NCCL, PyTorch and Gloo</source>
            <translation>NCCL、PyTorch 和 Gloo 的变量</translation>
        </message>
        <message>
            <source>Variable</source>
            <translation>变量</translation>
        </message>
        <message>
            <source>Value</source>
            <translation>值</translation>
        </message>
        <message>
            <source>&amp;Set in Launch</source>
            <translation>在启动页中设置(&amp;S)</translation>
        </message>
        <message>
            <source>Opens this job in Launch with the variable in its environment.</source>
            <translation>在启动页中打开此作业，并将该变量加入其环境变量。</translation>
        </message>
        <message>
            <source>%1 variables are set.</source>
            <translation>设置了 %1 个变量。</translation>
        </message>
        <message>
            <source>%1 variables are set; one needs attention.</source>
            <translation>设置了 %1 个变量；其中一个需要注意。</translation>
        </message>
        <message>
            <source>%1 variables are set; %2 need attention.</source>
            <translation>设置了 %1 个变量；其中 %2 个需要注意。</translation>
        </message>
        <message>
            <source>The job sets no variable of NCCL, PyTorch or Gloo, and NCCL has printed none.
Write one below to set it for the next run.</source>
            <translation>作业没有设置 NCCL、PyTorch 或 Gloo 的变量，NCCL 也没有打印任何变量。
在下方填写一个，为下次运行设置。</translation>
        </message>
        <message>
            <source>No line of NCCL names a variable that is set.</source>
            <translation>NCCL 的日志行没有提到已设置的变量。</translation>
        </message>
        <message>
            <source>Choose a variable to see what it does, or write one to set it for the next run.</source>
            <translation>选择一个变量以查看其作用，或填写一个，为下次运行设置。</translation>
        </message>
        <message>
            <source>Not all ranks have the same value.</source>
            <translation>并非所有 rank 的值都相同。</translation>
        </message>
        <message>
            <source>values: %1</source>
            <translation>取值：%1</translation>
        </message>
        <message>
            <source>default: %1</source>
            <translation>默认：%1</translation>
        </message>
        <message>
            <source>source: %1</source>
            <translation>来源：%1</translation>
        </message>
        <message>
            <source>NCCL prints the same line for the environment and for nccl.conf; on the node, `grep %1 ~/.nccl.conf /etc/nccl.conf` finds the second</source>
            <translation>对于环境变量和 nccl.conf，NCCL 打印相同的行；在节点上，`grep %1 ~/.nccl.conf /etc/nccl.conf` 可找出后者</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::ShortcutSection</name>
        <message>
            <source>Shortcuts</source>
            <translation>快捷键</translation>
        </message>
        <message>
            <source>Action</source>
            <translation>操作</translation>
        </message>
        <message>
            <source>Group</source>
            <translation>分组</translation>
        </message>
        <message>
            <source>Keys</source>
            <translation>按键</translation>
        </message>
        <message>
            <source>New keys</source>
            <translation>新按键</translation>
        </message>
        <message>
            <source>&amp;Assign</source>
            <translation>分配(&amp;A)</translation>
        </message>
        <message>
            <source>Re&amp;move</source>
            <translation>移除(&amp;M)</translation>
        </message>
        <message>
            <source>&amp;Default</source>
            <translation>默认(&amp;D)</translation>
        </message>
        <message>
            <source>The default is %1.</source>
            <translation>默认为 %1。</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>fixed</source>
            <translation>固定</translation>
        </message>
        <message>
            <source>New keys for: %1</source>
            <translation>新按键用于：%1</translation>
        </message>
        <message>
            <source>These keys cannot be changed.</source>
            <translation>这些按键无法更改。</translation>
        </message>
        <message>
            <source>%1 is fixed: %2. Choose other keys.</source>
            <translation>%1 是固定的：%2。请选择其他按键。</translation>
        </message>
        <message>
            <source>%1 belongs to "%2", which loses it.</source>
            <translation>%1 属于“%2”，后者将失去它。</translation>
        </message>
        <message>
            <source>T&amp;ake it</source>
            <translation>夺用(&amp;A)</translation>
        </message>
        <message>
            <source>%1 is text for fields. Add Ctrl or Alt.</source>
            <translation>%1 用于在输入框中输入文本。请加上 Ctrl 或 Alt。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::SizePlot</name>
        <message>
            <source>Latency and bus bandwidth over the size</source>
            <translation>延迟和总线带宽随大小的变化</translation>
        </message>
        <message>
            <source>Latency</source>
            <translation>延迟</translation>
        </message>
        <message>
            <source>Bus bandwidth</source>
            <translation>总线带宽</translation>
        </message>
        <message>
            <source>%1 of %2, %3 ranks
%4, %5</source>
            <translation>%1，%2，%3 个 rank
%4，%5</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::StageCell</name>
        <message>
            <source>not begun</source>
            <translation>未开始</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>失败</translation>
        </message>
        <message>
            <source>done</source>
            <translation>完成</translation>
        </message>
        <message>
            <source>not reached</source>
            <translation>未到达</translation>
        </message>
        <message>
            <source>in progress</source>
            <translation>进行中</translation>
        </message>
        <message>
            <source>Stage %1: %2 %3</source>
            <translation>阶段 %1：%2 %3</translation>
        </message>
        <message>
            <source>no steps read</source>
            <translation>未读取到训练步</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::StageStrip</name>
        <message>
            <source>The ranks got the checkpoint signal and may save before they are stopped: %1</source>
            <translation>各 rank 已收到检查点信号，停止之前可以保存：%1</translation>
        </message>
        <message>
            <source>All processes of the ranks are stopped; memory and GPUs stay in use.</source>
            <translation>rank 的所有进程均已暂停；内存和 GPU 仍被占用。</translation>
        </message>
        <message>
            <source>Paused on %1; the other nodes have not answered yet.</source>
            <translation>已在 %1 上暂停；其他节点尚未应答。</translation>
        </message>
        <message>
            <source>Stages of the run</source>
            <translation>运行的各阶段</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::StartBars</name>
        <message>
            <source>Start of each rank</source>
            <translation>各 rank 的启动</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::StartWaterfall</name>
        <message>
            <source>%1 · %2</source>
            <translation>%1 · %2</translation>
        </message>
        <message>
            <source>Rank %1 on %2</source>
            <translation>Rank %1，在 %2 上</translation>
        </message>
        <message>
            <source>Ranks %1 on %2, the slowest of each part</source>
            <translation>Rank %1，在 %2 上，各部分取最慢者</translation>
        </message>
        <message>
            <source>%1: %2 so far</source>
            <translation>%1：目前 %2</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1：%2</translation>
        </message>
        <message>
            <source>Connect</source>
            <translation>连接</translation>
        </message>
        <message>
            <source>Push</source>
            <translation>推送</translation>
        </message>
        <message>
            <source>Process</source>
            <translation>进程</translation>
        </message>
        <message>
            <source>Imports</source>
            <translation>导入</translation>
        </message>
        <message>
            <source>Rendezvous</source>
            <translation>会合</translation>
        </message>
        <message>
            <source>First step</source>
            <translation>第一步</translation>
        </message>
        <message>
            <source>%1 nodes</source>
            <translation>%1 个节点</translation>
        </message>
        <message>
            <source>not started yet</source>
            <translation>尚未启动</translation>
        </message>
        <message>
            <source>no first step yet</source>
            <translation>尚无第一步</translation>
        </message>
        <message>
            <source>at the rendezvous, not met by the others yet</source>
            <translation>已到会合点，其他 rank 尚未到达</translation>
        </message>
        <message>
            <source>its process has started, nothing from it yet</source>
            <translation>其进程已启动，尚无来自它的消息</translation>
        </message>
        <message>
            <source>their processes have started, nothing from them yet</source>
            <translation>它们的进程已启动，尚无来自它们的消息</translation>
        </message>
        <message>
            <source>Waiting for rank %1 on %2: %3</source>
            <translation>正在等待 %2 上的 rank %1：%3</translation>
        </message>
        <message>
            <source>Waiting for %1 ranks on %2 (%3): %4</source>
            <translation>正在等待 %2 上的 %1 个 rank (%3)：%4</translation>
        </message>
        <message>
            <source>Start of the run</source>
            <translation>运行的启动</translation>
        </message>
        <message>
            <source>Start of the ranks</source>
            <translation>各 rank 的启动</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::StoreBar</name>
        <message>
            <source>Set it aside and &amp;begin a new one</source>
            <translation>将其另存并新建一个(&amp;B)</translation>
        </message>
        <message>
            <source>The run in this window writes to the run store.</source>
            <translation>此窗口中的运行正在写入运行存储。</translation>
        </message>
        <message>
            <source>Wait until it ends or leave it to its nodes, then try again.</source>
            <translation>等它结束，或让它留在各节点上运行，然后重试。</translation>
        </message>
        <message>
            <source>The run store is being renamed…</source>
            <translation>正在重命名运行存储…</translation>
        </message>
        <message>
            <source>The run store cannot be used.</source>
            <translation>无法使用运行存储。</translation>
        </message>
        <message>
            <source>A new run store is in use. The old one is kept as %1.</source>
            <translation>已启用新的运行存储。旧的保留为 %1。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::TelemetryStrip</name>
        <message>
            <source>Processors, memory, network and GPUs of the nodes</source>
            <translation>节点的处理器、内存、网络和 GPU</translation>
        </message>
        <message>
            <source>No measurements of the nodes yet: processors, memory, network and GPUs.</source>
            <translation>尚无节点的测量值：处理器、内存、网络和 GPU。</translation>
        </message>
        <message>
            <source>This run kept no measurements of its nodes (telemetry: { every_s: 0 }, or it never started).</source>
            <translation>此运行没有保存节点的测量值（telemetry: { every_s: 0 }，或从未启动）。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::TransportLegend</name>
        <message>
            <source>Legend: %1</source>
            <translation>图例：%1</translation>
        </message>
        <message>
            <source>PXN: another GPU's device</source>
            <translation>PXN：另一个 GPU 的网络设备</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::TrashDialog</name>
        <message>
            <source>Deleted runs</source>
            <translation>已删除的运行</translation>
        </message>
        <message>
            <source>&amp;Restore</source>
            <translation>恢复(&amp;R)</translation>
        </message>
        <message>
            <source>Remove &amp;now…</source>
            <translation>立即移除(&amp;N)…</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>Run</source>
            <translation>运行</translation>
        </message>
        <message>
            <source>Outcome</source>
            <translation>结果</translation>
        </message>
        <message>
            <source>Deleted</source>
            <translation>删除时间</translation>
        </message>
        <message>
            <source>Restorable for</source>
            <translation>可恢复期限</translation>
        </message>
        <message>
            <source>Size, about</source>
            <translation>大小（约）</translation>
        </message>
        <message>
            <source>Working…</source>
            <translation>正在处理…</translation>
        </message>
        <message>
            <source>Reading the run store…</source>
            <translation>正在读取运行存储…</translation>
        </message>
        <message>
            <source>less than a day</source>
            <translation>不到一天</translation>
        </message>
        <message numerus="yes">
            <source>%n day(s)</source>
            <translation>
                <numerusform>%n 天</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n run(s), about %1. A deleted run stays complete for %2 days; then it is removed for good.</source>
            <translation>
                <numerusform>%n 个运行，约 %1。已删除的运行会完整保留 %2 天，之后将被永久移除。</numerusform>
            </translation>
        </message>
        <message>
            <source>No deleted runs. A run that you delete in Runs stays here for %1 days.</source>
            <translation>没有已删除的运行。在“运行记录”中删除的运行会在此保留 %1 天。</translation>
        </message>
        <message numerus="yes">
            <source>%n run(s) restored.</source>
            <translation>
                <numerusform>已恢复 %n 个运行。</numerusform>
            </translation>
        </message>
        <message>
            <source>and %1 more</source>
            <translation>以及另外 %1 个</translation>
        </message>
        <message>
            <source>Remove now</source>
            <translation>立即移除</translation>
        </message>
        <message numerus="yes">
            <source>Remove %n run(s) for good?</source>
            <translation>
                <numerusform>永久移除 %n 个运行？</numerusform>
            </translation>
        </message>
        <message>
            <source>About %1 are freed in the run store. Their plans, curves, output, job files and labels are lost; files on the nodes stay. This cannot be undone.</source>
            <translation>运行存储中将释放约 %1。其计划、曲线、输出、作业文件和标签会丢失；节点上的文件会保留。此操作无法撤销。</translation>
        </message>
        <message>
            <source>&amp;Remove</source>
            <translation>移除(&amp;R)</translation>
        </message>
        <message numerus="yes">
            <source>%n run(s) removed.</source>
            <translation>
                <numerusform>已移除 %n 个运行。</numerusform>
            </translation>
        </message>
        <message>
            <source>The run store is %1 smaller.</source>
            <translation>运行存储减小了 %1。</translation>
        </message>
        <message>
            <source>Later runs use the room in the run store.</source>
            <translation>之后的运行会使用运行存储中的空间。</translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::WindowNews</name>
        <message>
            <source>Settin&amp;gs…</source>
            <translation>设置(&amp;G)…</translation>
        </message>
        <message>
            <source>The settings file has errors.</source>
            <translation>设置文件有错误。</translation>
        </message>
        <message>
            <source>Re&amp;view…</source>
            <translation>查看(&amp;V)…</translation>
        </message>
        <message>
            <source>%1 stored runs, about %2, are beyond what the settings keep.</source>
            <translation>%1 个已保存的运行（约 %2）超出了设置中保留的限度。</translation>
        </message>
    </context>
</TS>
