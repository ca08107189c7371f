// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/bundle/bundle_opener.h>
#include <gui/on_thread.h>
#include <gui/strings.h>
#include <remote/desk/archive/failure_bundle/bundle_import.h>

namespace rankscope::gui {

BundleOpener::BundleOpener(QThreadPool* pool, QObject* parent) : QObject(parent), job_(this, pool) {}

BundleOpener::~BundleOpener() {
    stop_.request_stop();
}

void BundleOpener::open(const std::shared_ptr<RunStore>& store, const QStringList& files) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    store_ = store;
    files_ += files;
    if (!job_.running()) {
        next();
    }
}

void BundleOpener::cancel() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    files_.clear();
    stop_.request_stop();
}

BundleOpener::Opened BundleOpener::read(RunStore& store, const std::string& file,
                                        const ImportProgress& progress, const std::stop_token& stop) {
    Opened opened{import_runs(store, file, progress, stop), {}};
    if (!opened.ids && opened.ids.failure().code == "run-exists") {
        if (const auto content =
                read_bundle_file(file, [](const RunRecord&, const Event&) { return false; })) {
            opened.existing = content->record.run_id;
        }
    }
    return opened;
}

void BundleOpener::next() {
    if (files_.isEmpty()) {
        emit finished();
        return;
    }
    if (stop_.stop_requested()) {
        stop_ = {};  // these files came after it
    }
    const QString file = files_.takeFirst();
    emit progress(file, 0, 0);
    job_.start(
        [this, store = store_, file, stop = stop_.get_token()](const JobHandle& job) {
            const auto report = [&](std::uint64_t done, std::uint64_t total) {
                job.post([this, file, done, total] { emit progress(file, done, total); });
            };
            return read(*store, ss(file), report, stop);
        },
        [this, file](const Opened& opened) {
            if (opened.ids) {
                for (const auto& id : *opened.ids) {
                    emit added(qs(id));
                }
            } else if (opened.ids.failure().code != "cancelled") {
                emit failed(file, opened.ids.failure(), qs(opened.existing));
            }
            next();
        });
}

}  // namespace rankscope::gui
