// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/nccl_data.h>
#include <gui/nccl/nccl_reader.h>
#include <gui/on_thread.h>
#include <remote/logs/grammar/line_parser.h>
#include <remote/logs/read/sources.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace rankscope::gui {

namespace {

using Clock = std::chrono::steady_clock;

/// When the next picture of an unfinished reading is due. Each costs a copy of the facts: they come less and less
/// often, and never for more than a small part of the time.
class Pictures {
public:
    bool due() {
        if (++calls_ % kLook != 0) {
            return false;
        }
        return Clock::now() >= next_;
    }
    void made(Clock::time_point begun) {
        const auto cost = Clock::now() - begun;
        wait_ = std::max<Clock::duration>(wait_ * 2, cost * 10);
        next_ = Clock::now() + wait_;
    }

private:
    static constexpr std::uint64_t kLook = 1024;  ///< lines between two looks at the clock

    std::uint64_t calls_ = 0;
    Clock::duration wait_ = std::chrono::milliseconds(500);
    Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(300);
};

std::string without(std::string name, const std::string& start) {
    return name.starts_with(start) ? name.substr(start.size()) : name;
}

}  // namespace

NcclData::NcclData(QThreadPool* pool, QObject* parent)
    : QObject(parent), pool_(pool), job_(this, pool), range_(pool) {
    timer_.setInterval(kEveryMs);
    connect(&timer_, &QTimer::timeout, this, &NcclData::read_pending);
    connect(&range_, &NcclRange::changed, this, &NcclData::changed);
}

NcclData::~NcclData() {
    stop_files_.request_stop();
}

void NcclData::start_over() {
    job_.cancel();
    stop_files_.request_stop();
    stop_files_ = {};
    timer_.stop();
    if (run_) {
        run_->disconnect(this);
    }
    run_ = nullptr;
    store_.reset();
    put_off_ = false;
    range_.set_run(nullptr, nullptr);
    range_.set_link({});
    reading_ = false;
    over_ = false;
    reader_.reset();
    pending_.clear();
    pending_bytes_ = 0;
    left_out_ = 0;
    snapshot_ = std::make_shared<NcclSnapshot>();
}

void NcclData::clear() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    start_over();
    emit changed();
}

void NcclData::show_run(LiveModel* model, std::shared_ptr<RunStore> store, bool live) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    start_over();
    run_ = model;
    live_ = live;
    store_ = std::move(store);
    range_.set_run(model, store_);
    put_off_ = store_ && !looked_at_;
    if (!put_off_) {
        follow();
    }
    emit changed();
}

void NcclData::set_looked_at(bool looked_at) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    looked_at_ = looked_at;
    if (looked_at && std::exchange(put_off_, false)) {
        follow();
        emit changed();
    }
}

// The store may bring what arrives meanwhile, too: the reader takes each event once.
void NcclData::follow() {
    connect(run_, &LiveModel::outputArrived, this, &NcclData::take_event);
    timer_.start();
    if (store_ && run_->data().events > 0) {
        read_stored({store_, run_->state().run_id});
    }
}

void NcclData::take_event(const Event& event) {
    if (over_) {
        return;
    }
    const auto* log = event.as<LogEvent>();
    const std::size_t size = log != nullptr ? log->text.size() : 0;
    if (pending_bytes_ + sizeof(Event) + size > kMostPending) {
        left_out_ += size;
        return;
    }
    pending_bytes_ += sizeof(Event) + size;
    pending_.push_back(event);
}

void NcclData::arrived(const std::shared_ptr<const NcclSnapshot>& snapshot) {
    snapshot_ = snapshot;
    if (snapshot_->collectives) {
        range_.set_link(snapshot_->collectives->link);
    }
    emit changed();
}

void NcclData::read_stored(Stored stored) {
    reading_ = true;
    job_.start(
        [stored = std::move(stored), this](const JobHandle& job) {
            auto reader = std::make_shared<NcclReader>(stored.run_id);
            Pictures pictures;
            // A run that cannot be read shows what it prints from now on.
            (void)stored.store->replay(stored.run_id, [&](const Event& event) {
                reader->take(event);
                if (reader->has_news() && pictures.due()) {
                    const auto begun = Clock::now();
                    job.post([this, snapshot = reader->snapshot()] { arrived(snapshot); });
                    pictures.made(begun);
                }
                return !job.cancelled();
            });
            return std::pair(reader, reader->snapshot());
        },
        [this](const std::pair<std::shared_ptr<NcclReader>, std::shared_ptr<const NcclSnapshot>>& read) {
            reading_ = false;
            reader_ = read.first;
            arrived(read.second);
            read_pending();
        });
}

// Takes what has arrived since the last time; at the end of the run everything is judged.
void NcclData::read_pending() {
    if (job_.running() || !run_ || over_) {
        return;
    }
    const bool ends = !live_ || run_->state().end.has_value();
    if (pending_.empty() && !ends) {
        return;
    }
    over_ = ends;
    job_.start(
        [reader = std::move(reader_), id = run_->state().run_id, events = std::exchange(pending_, {}),
         left_out = std::exchange(left_out_, 0), ends](const JobHandle&) {
            auto own = reader ? reader : std::make_shared<NcclReader>(id);
            for (const Event& event : events) {
                own->take(event);
            }
            own->leave_out(left_out);
            return std::pair(own, ends ? own->finish() : own->snapshot());
        },
        [this](const std::pair<std::shared_ptr<NcclReader>, std::shared_ptr<const NcclSnapshot>>& read) {
            reader_ = over_ ? nullptr : read.first;
            arrived(read.second);
        });
    pending_bytes_ = 0;
    if (over_) {
        timer_.stop();
    }
}

void NcclData::show_files(const std::vector<std::string>& paths, const std::string& strip) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    start_over();
    reading_ = true;
    job_.start(
        [this, paths, strip, stop = stop_files_.get_token()](const JobHandle& job) {
            NcclReader reader;
            Pictures pictures;
            std::vector<std::string> names;
            logs::LineParser parser;
            logs::RawSink sink;
            sink.begin = [&](std::uint32_t, const logs::Source& source) {
                names.push_back(without(source.name, strip));
                parser.begin(source.name, source.modified_s);
            };
            sink.line = [&](const logs::RawLine& raw) {
                reader.take(parser.parse(raw));
                if (pictures.due()) {
                    const auto begun = Clock::now();
                    job.post([this, snapshot = reader.snapshot(names)] { arrived(snapshot); });
                    pictures.made(begun);
                }
            };
            sink.whole = reader.dumps();
            const logs::ProgressSink report = [&](const logs::ReadProgress& at) {
                job.post(
                    [this, done = qint64(at.done), total = qint64(at.total)] { emit progress(done, total); });
            };
            const auto read = logs::read_raw_lines(paths, {}, sink, report, stop);
            return reader.finish(std::move(names), read.remarks);
        },
        [this](const std::shared_ptr<const NcclSnapshot>& snapshot) {
            reading_ = false;
            arrived(snapshot);
        });
    emit changed();
}

void NcclData::cancel() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    stop_files_.request_stop();
}

}  // namespace rankscope::gui
