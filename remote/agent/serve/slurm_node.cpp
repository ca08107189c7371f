// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <remote/agent/node/ask_program.h>
#include <remote/agent/serve/node_looks.h>
#include <remote/agent/serve/slurm_node.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <system_error>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr double kStepS = 40;  // srun and the answer

fs::path answer_of(const fs::path& question) {
    return fs::path(question.string() + ".answer");
}

void fail(wire::Reply& reply, const std::string& why) {
    reply.mutable_failure()->set_code("look-unavailable");
    reply.mutable_failure()->set_detail(why);
}

/// A file of the run's folder that is gone when this is.
class Question {
public:
    explicit Question(const SlurmDir& dir) {
        static std::atomic<unsigned> last{0};
        char host[256] = {};
        ::gethostname(host, sizeof host - 1);  // the folder is shared: another login node may ask as well
        path_ = dir.run.dir / (std::string("question-") + host + '-' + std::to_string(::getpid()) + '-' +
                               std::to_string(++last));
    }
    ~Question() {
        std::error_code ignored;
        fs::remove(path_, ignored);
        fs::remove(answer_of(path_), ignored);
    }
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;

    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

}  // namespace

void ask_slurm_node(const SlurmDir& dir, const wire::AskSlurmNode& asked, const std::stop_token& stop,
                    wire::Reply& reply) {
    const auto job = slurm_job_of(dir);
    const auto allocation = read_allocation(dir);
    const bool known = allocation && std::find(allocation->hosts().begin(), allocation->hosts().end(),
                                               asked.node()) != allocation->hosts().end();
    const std::string srun = find_slurm_program("srun");
    if (!job || !known || srun.empty() || !is_look(asked.request())) {
        return fail(reply, srun.empty() ? "srun was not found" : "not a node of the job");
    }
    const Question question(dir);
    if (const int error = write_file_atomically(question.path(), asked.request().SerializeAsString());
        error != 0) {
        return fail(reply, question.path().string() + ": " + std::generic_category().message(error));
    }
    std::error_code ignored;
    const auto step = ask_program(
        {{srun, "--jobid=" + std::to_string(*job), "--overlap", "--nodes=1", "--ntasks=1",
          "--nodelist=" + asked.node(), "--mpi=none", "--cpu-bind=none", "--input=none", "--mem=0",
          "--gres=none", "--quiet", fs::read_symlink("/proc/self/exe", ignored).string(), "slurm-answer",
          dir.run.dir.string(), question.path().string()},
         kStepS,
         {}},
        stop);
    const auto answer = read_file(answer_of(question.path()));
    wire::Reply said;
    if (!step.good() || !answer || !said.ParseFromString(*answer)) {
        return fail(reply, step.good() ? "its answer is missing" : step.why());
    }
    const auto id = reply.id();
    reply = std::move(said);
    reply.set_id(id);
}

int answer_slurm_question(const RunDir& run, const fs::path& question) {
    wire::Request request;
    const auto content = read_file(question);
    if (!content || !request.ParseFromString(*content)) {
        return 1;
    }
    wire::Reply reply;
    if (!answer_look(NodePaths(run.dir.parent_path().parent_path()), request, {}, reply)) {
        return 1;
    }
    return write_file_atomically(answer_of(question), reply.SerializeAsString()) == 0 ? 0 : 1;
}

}  // namespace rankscope::agent
