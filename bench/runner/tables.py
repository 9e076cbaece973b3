"""The figures as tables for people, in Markdown, so that they can be kept in README.md as they are."""

import statistics

from .measure import medians
from .plan import TARGETS, WORKLOADS

LOAD_COLUMNS = (
    ("messages/s", "messages_per_s", "{:,.0f}", 1),
    ("per server-CPU-s", "per_server_cpu_s", "{:,.0f}", 1),
    ("p50 ms", "p50_ms", "{:.3f}", 1),
    ("p99 ms", "p99_ms", "{:.3f}", 1),
    ("p99.9 ms", "p999_ms", "{:.3f}", 1),
    ("server cores", "server_cores", "{:.2f}", 1),
    ("client cores", "client_cores", "{:.2f}", 1),
    ("idle %", "idle_share", "{:.0f}", 100),
    ("RssAnon MB", "rss_anon_kib", "{:,.0f}", 1024 / 1e6),
    ("RssFile MB", "rss_file_kib", "{:,.0f}", 1024 / 1e6),
)
START_COLUMNS = (
    ("ready ms", "ready_ms", "{:,.1f}", 1),
    ("idle RssAnon MB", "idle_rss_anon_kib", "{:,.1f}", 1024 / 1e6),
    ("idle RssFile MB", "idle_rss_file_kib", "{:,.1f}", 1024 / 1e6),
    ("stop ms", "stop_ms", "{:,.1f}", 1),
)
IDLE_COLUMNS = (
    ("connections", "connections", "{:,.0f}", 1),
    ("bytes a connection", "bytes_per_connection", "{:,.0f}", 1),
    ("RssAnon before MB", "rss_anon_before_kib", "{:,.1f}", 1024 / 1e6),
    ("RssAnon MB", "rss_anon_kib", "{:,.1f}", 1024 / 1e6),
)
SPREAD_MEMBER = "per_server_cpu_s"


def format_tables(results):
    """All tables of one benchmark."""
    parts = [_load_table(results)]
    parts.append(_simple_table(results, "start", START_COLUMNS))
    parts.append(_simple_table(results, "idle", IDLE_COLUMNS))
    parts.append(_target_table(results))
    parts.append(_notes(results))
    return "\n\n".join(part for part in parts if part)


def _markdown(header, rows):
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"
             for row in [header, *rows]]
    lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(lines)


def _cells(median, columns):
    return [form.format(median[key] * scale) for _, key, form, scale in columns]


def _load_table(results):
    table = medians(results)
    rows = []
    for workload in WORKLOADS:
        for server, reports in results.get(workload.name, {}).items():
            if SPREAD_MEMBER in reports[0]:
                cells = _cells(table[workload.name, server], LOAD_COLUMNS)
                rows.append([workload.title, server, *cells, _spread(reports)])
    header = ["workload", "server", *(column[0] for column in LOAD_COLUMNS), "runs"]
    return _markdown(header, rows) if rows else ""


def _spread(reports):
    """Number of runs, and how far the worst and the best are from the median of the main figure."""
    values = [report[SPREAD_MEMBER] for report in reports]
    middle = statistics.median(values)
    if middle == 0:
        return str(len(values))
    low, high = (round(100 * (end(values) / middle - 1)) for end in (min, max))
    return f"{len(values)} ({low:+}..{high:+} %)"


def _simple_table(results, name, columns):
    table = medians(results)
    title = next(workload.title for workload in WORKLOADS if workload.name == name)
    rows = [
        [title, server, *_cells(table[name, server], columns), str(len(reports))]
        for server, reports in results.get(name, {}).items()
    ]
    header = ["workload", "server", *(column[0] for column in columns), "runs"]
    return _markdown(header, rows) if rows else ""


def evaluate_targets(results):
    """[{title, unit, figure, at_least, aim, verdict}] of the targets whose workloads were run."""
    table = medians(results)
    rows = []
    for target in TARGETS:
        try:
            figure, at_least = target.figure(table), target.at_least(table)
        except KeyError:
            continue
        rows.append(
            {
                "title": target.title,
                "unit": target.unit,
                "figure": figure,
                "at_least": at_least,
                "aim": target.aim,
                "verdict": _verdict(target, figure, at_least),
            }
        )
    return rows


def _verdict(target, figure, at_least):
    def reaches(bound):
        return figure <= bound if target.is_bound_above else figure >= bound

    if not reaches(at_least):
        return "NOT REACHED"
    return "aim" if target.aim is not None and reaches(target.aim) else "reached"


def _target_table(results):
    rows = [
        [
            row["title"],
            row["unit"],
            _figure(row["figure"]),
            _figure(row["at_least"]),
            _figure(row["aim"]),
            row["verdict"],
        ]
        for row in evaluate_targets(results)
    ]
    header = ["target", "in", "measured", "bound", "aim", "verdict"]
    return _markdown(header, rows) if rows else ""


def _figure(value):
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _notes(results):
    lines = []
    disk = [report for servers in results.values() for report in servers.get("disk", [])]
    if disk:
        mean = statistics.median(report["write_and_fdatasync_us"] for report in disk)
        lines.append(f"A write and fdatasync of 64 KiB takes {mean:.0f} µs on this disk.")
    reports = [r for servers in results.values() for runs in servers.values() for r in runs]
    before = [r["idle_share_before"] for r in reports if "idle_share_before" in r]
    if before:
        lines.append(
            f"Before the runs the machine was idle to {100 * statistics.median(before):.0f} % "
            f"(median; lowest {100 * min(before):.0f} %)."
        )
    refused = sum(report.get("refused", 0) for report in reports)
    if refused:
        lines.append(f"Refused as busy and sent again: {refused:,} requests.")
    return "\n".join(lines)
