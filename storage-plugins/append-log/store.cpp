#include "storage-plugins/append-log/store.hpp"

#include <utility>

namespace sluice::append_log {

Metrics::Metrics()
    : torn_tails(metrics::counter("sluice_log_torn_tails_total", "",
                                  "Log ends cut off by a crash and dropped at open")),
      corrupt_records(metrics::counter("sluice_log_corrupt_records_total", "",
                                       "Records refused because their checksum was wrong")),
      indexes_rebuilt(metrics::counter("sluice_log_indexes_rebuilt_total", "",
                                       "Segment indexes made anew from their segment")),
      write_errors(metrics::counter("sluice_log_write_errors_total", "",
                                    "Rounds of commits that could not be written")),
      commits_refused(metrics::counter("sluice_log_commits_refused_total", "",
                                       "Commits refused because too much waited to be written")),
      segment_waits(metrics::counter("sluice_log_segment_waits_total", "",
                                     "Rounds of commits that waited for a segment")) {}

Store::Store(storage::EngineOptions options, const Settings& settings_in)
    : settings(settings_in),
      directory(std::move(options.data_directory)),
      runtime(*options.runtime),
      disk(*options.disk),
      positions(*options.positions),
      loops(runtime),
      tail(settings.tail_cache_bytes),
      segments(disk, directory, settings.segment_bytes),
      files(disk, directory, settings.open_files_max),
      index_blocks(settings.index_cache_bytes),
      ranges(settings.read_cache_bytes),
      syncer(loops),
      preparation(runtime),
      upkeep(runtime) {}

}  // namespace sluice::append_log
