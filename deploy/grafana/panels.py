"""The nine dashboards, from symptom to cause. make.py writes them as JSON.

$S in a query selects the processes that the variables job, cell and instance name.
"""
from make import GOOD_IS_ZERO, NO_LIMIT, Panel

CELL = 'cell=~"$cell"'
RATE = "[$__rate_interval]"


def stat(*arguments, **more):
    return Panel("stat", *arguments, **{"steps": NO_LIMIT, **more})


def lines(*arguments, **more):
    return Panel("timeseries", *arguments, **more)


def table(*arguments, **more):
    return Panel("table", *arguments, **more)


def events_stat(title, page, text, series, red, more):
    """Returns a panel with the number of events in the last 5 minutes. The number is yellow from 1
    on and red from `red` on."""
    return stat(title, "none", page, text, (f"sum(increase({series}[5m]))", ""),
                steps=[("green", None), ("yellow", 1), ("red", red)], decimals=0, more=more)


def players_stat(more=None):
    return stat("Players online", "none", "service_down",
                "These players hold a stream open at a gateway.",
                ("sum(tarot_gateway_players_active{$S})", ""), more=more)


def cpu_lines(title, service):
    selector = f'process_cpu_seconds_total{{$S, service="{service}"}}{RATE}'
    return lines(title, "none", "hosts", "The panel shows the cores in use by each replica.",
                 (f"sum by (instance) (rate({selector}))", "{{instance}}"), more="hosts")


def quantile(share, series, by=""):
    """Returns the query for a quantile of a histogram, with one result for each value of the labels
    `by`."""
    return f"histogram_quantile({share}, sum by ({by}le) (rate({series}{RATE})))"


def quantiles(series, name=""):
    """Returns the queries for the median and the 99th percentile of a histogram, with their
    legends."""
    return ((quantile(0.5, series), f"{name}median"),
            (quantile(0.99, series), f"{name}99th percentile"))


# Maps each service level to its title, its budget, its runbook, the next dashboard, and the text
# that is shown while there is no value.
LEVELS = {
    "moves": ("Moves in time", 0.001, "moves_failing", "moves", "no moves"),
    "tables": ("Tables found in time", 0.01, "tables_found_late", "matchmaking", "no people"),
    "views": ("Views in time", 0.001, "views_late", "gateway", "no views"),
    "results": ("Results in time", 0.01, "results_late", "ladder", "no results"),
}


def level_stat(level, width=None):
    title, budget, page, more, none = LEVELS[level]
    return stat(
        title, "percentunit", page,
        f"This share of the last hour kept the promise (docs/levels.md). The colour is green from "
        f"{1 - budget:.1%} on, and red if the budget burns more than 14.4 times too fast.",
        (f'1 - sum(tarot:level_bad:increase1h{{level="{level}", {CELL}}})'
         f' / sum(tarot:level_events:increase1h{{level="{level}", {CELL}}})', ""),
        steps=[("red", None), ("yellow", round(1 - 14.4 * budget, 4)), ("green", 1 - budget)],
        none=none, more=more, width=width, decimals=2)


def budget_stat(level):
    title, _, page, more, none = LEVELS[level]
    return stat(
        f"Budget left: {level}", "percentunit", page,
        "This share of the bad events that we accept in 30 days has not happened yet.",
        (f'min(tarot:level_budget_left:ratio{{level="{level}", {CELL}}})', ""),
        steps=[("red", None), ("yellow", 0.1), ("green", 0.5)], none=none, more=more, decimals=0)


# Selects the probe, which is not one of the services.
PROBE = 'job="probe", cell=~"$cell"'

OVERVIEW = [
    (4, [*map(level_stat, LEVELS), *map(budget_stat, LEVELS)]),
    (4, [
        stat("Services without a replica", "none", "service_down",
             "The door and the six services must answer, and rules in each cell.",
             ('7 - count(count by (job, service) (up{job=~"tarot|door"}))'
              ' + sum(1 - max by (job, service, cell) (up{job=~"tarot|door", cell=~"$cell"}))', ""),
             steps=GOOD_IS_ZERO, more="tables"),
        stat("Pages that fire", "none", "alerting", "These alerts wake a person.",
             ('count(ALERTS{alertstate="firing", severity="page"}) or vector(0)', ""),
             steps=GOOD_IS_ZERO),
        stat("Tables in play", "none", "queue_stuck",
             "The matches of these tables are in progress.",
             ("sum(tarot_rules_tables_open{$S})", ""), more="tables"),
        players_stat(more="gateway"),
        stat("Moves of players", "ops", "moves_failing", "People make these moves each second.",
             ('sum(rate(tarot_rules_actions_total{$S, outcome="applied"}[5m]))', ""), more="moves",
             decimals=1),
        stat("Tickets that wait", "none", "queue_stuck", "People and bots wait in all queues.",
             ("sum(max by (queue) (tarot_matchmaking_tickets_waiting{$S}))", ""),
             more="matchmaking"),
        stat("Last deal of the probe", "s", "probe_fails",
             "The probe ended a deal at the public door this long ago. It begins a deal each "
             "minute or two.",
             ("time() - max(tarot_probe_last_success_time_seconds{%s})" % PROBE, ""),
             steps=[("green", None), ("yellow", 300), ("red", 600)], more="gateway"),
    ]),
    (8, [
        lines("How fast the budgets burn", "none", "moves_failing",
              "At a rate of 1, the budget of 30 days lasts 30 days. Above 14.4, a page goes out.",
              ('max by (level) (tarot:level_burn:rate1h{cell=~"$cell"})', "{{level}}"),
              steps=[("green", None), ("red", 14.4)], none="no events"),
        table("Alerts that fire", "none", "alerting",
              "DeadMansSwitch always fires. If it is missing, no alert can reach you.",
              ('count by (alertname, severity, service, instance, queue) '
               '(ALERTS{alertstate="firing"})', "")),
        table("Versions", "none", "service_down", "During an update there are two versions.",
              ("count by (service, version, commit) (tarot_build_info{$S})", "")),
    ]),
    (8, [
        lines("Calls that failed because of the platform", "ops", "moves_failing",
              "Refusals are not counted.",
              ("sum by (service, grpc_code) (rate(grpc_server_handled_total{$S, grpc_code=~"
               f'"Unknown|DeadlineExceeded|Internal|Unavailable|DataLoss"}}{RATE}))',
               "{{service}} {{grpc_code}}"), more="moves"),
        lines("Time of a call, 99th percentile", "s", "moves_failing",
              "Streams are not counted.",
              (quantile(0.99, 'grpc_server_handling_seconds_bucket{$S, grpc_type="unary"}',
                        "service, "), "{{service}}"), none="no calls", more="moves"),
        lines("Calls", "ops", "moves_failing", "The panel shows the calls that begin each second.",
              (f"sum by (service) (rate(grpc_server_started_total{{$S}}{RATE}))", "{{service}}")),
    ]),
    (8, [
        lines("Replicas that answer", "none", "service_down",
              "Prometheus can read the metrics of these replicas.",
              ('sum by (service, cell) (up{$S})', "{{service}} {{cell}}"),
              ('sum(up{job="door", cell=~"$cell"})', "door"), more="tables"),
        lines("Restarts in an hour", "none", "service_down",
              "A process that starts again and again has a fault.",
              ("sum by (service) (changes(process_start_time_seconds{$S}[1h]))", "{{service}}"),
              more="hosts"),
        lines("Tables that the database set back", "none", "postgres_failover",
              "These tables lost acknowledged moves. The number must always be zero.",
              ("sum(increase(tarot_rules_tables_set_back_total{$S}[5m]))", "tables"),
              steps=GOOD_IS_ZERO, more="postgres"),
    ]),
    (8, [
        lines("Probe: time of each step, median", "s", "probe_fails",
              "A guest signs in, opens a room, gets a table and plays a deal. Most of the deal is "
              "the thinking time of the bots.",
              ("histogram_quantile(0.5, sum by (le, step) "
               "(rate(tarot_probe_step_seconds_bucket{%s}[10m])))" % PROBE, "{{step}}"),
              none="no step ended", more="gateway"),
        lines("Probe: time of a move, 99th percentile", "s", "probe_fails",
              "A move of the probe goes through the door, the gateway and rules to the database.",
              ("histogram_quantile(0.99, sum by (le) "
               "(rate(tarot_probe_move_seconds_bucket{%s}[10m])))" % PROBE, "move"),
              none="no moves", more="moves"),
        lines("Probe: rounds in ten minutes", "none", "probe_fails",
              "A failed round is counted at the step that failed.",
              ("sum(increase(tarot_probe_rounds_total{%s}[10m]))" % PROBE, "played"),
              ("sum by (step) (increase(tarot_probe_failures_total{%s}[10m]))" % PROBE,
               "failed: {{step}}")),
    ]),
]

MOVES = [
    (4, [
        level_stat("moves"),
        stat("99th percentile at the gateway", "s", "moves_failing",
             "A move of the last 5 minutes took at most this time.",
             ('histogram_quantile(0.99, sum by (le) (rate(grpc_server_handling_seconds_bucket{$S, '
              'service="gateway", grpc_method="SubmitAction"}[5m])))', ""),
             steps=[("green", None), ("yellow", 0.1), ("red", 0.25)], none="no moves",
             more="gateway"),
        stat("99th percentile of storing", "s", "moves_failing",
             "Making an action of the last 5 minutes durable took at most this time.",
             ("histogram_quantile(0.99, sum by (le) "
              "(rate(tarot_rules_append_seconds_bucket{$S}[5m])))", ""),
             steps=[("green", None), ("yellow", 0.05), ("red", 0.2)], none="no moves",
             more="postgres"),
        stat("Bugs", "none", "internal_errors", "These calls of the last hour ended with "
             "Internal, Unknown or DataLoss.",
             ('sum(increase(grpc_server_handled_total{$S, grpc_code=~"Internal|Unknown|DataLoss"}'
              '[1h]))', ""), steps=GOOD_IS_ZERO, decimals=0),
        stat("Bad moves", "none", "moves_failing",
             "These moves of the last hour were slow or failed.",
             ('sum(tarot:level_bad:increase1h{level="moves", cell=~"$cell"})', ""),
             steps=[("green", None), ("yellow", 5), ("red", 20)], decimals=0),
    ]),
    (9, [
        lines("Moves by source", "ops", "moves_failing",
              "People, bots and clocks that ran out make moves.",
              (f'sum(rate(tarot_rules_actions_total{{$S, outcome="applied"}}{RATE}))', "player"),
              (f"sum by (source) (rate(tarot_rules_server_moves_total{{$S}}{RATE}))", "{{source}}"),
              more="bots"),
        lines("Failed moves by code", "ops", "moves_failing",
              "FailedPrecondition and Aborted are refusals.",
              ('sum by (grpc_code) (rate(grpc_server_handled_total{$S, service="gateway", '
               f'grpc_method="SubmitAction", grpc_code!="OK"}}{RATE}))', "{{grpc_code}}")),
        lines("Calls to other services that failed", "ops", "service_down",
              "Refusals and cancelled calls are not shown.",
              (f'sum by (service, grpc_method, grpc_code) (rate(grpc_client_handled_total{{$S, '
               f'grpc_code!~"OK|Canceled|FailedPrecondition|NotFound"}}{RATE})) > 0',
               "{{service}} {{grpc_method}} {{grpc_code}}"), none="none", more="tables"),
    ]),
    (9, [
        lines("A move at each hop, 99th percentile", "s", "moves_failing",
              "The time at the gateway contains the time of storing.",
              (quantile(0.99, 'grpc_server_handling_seconds_bucket{$S, service="gateway", '
                        'grpc_method="SubmitAction"}'), "gateway"),
              (quantile(0.99, "tarot_rules_append_seconds_bucket{$S}"), "stored"),
              (quantile(0.99, "tarot_rules_append_wait_seconds_bucket{$S}"), "waits for statement"),
              none="no moves", more="postgres"),
        lines("Time to make an action durable", "s", "moves_failing",
              "The time contains the wait for a statement.",
              *quantiles("tarot_rules_append_seconds_bucket{$S}"), none="no moves",
              more="postgres"),
        lines("Actions stored by one statement", "none", "moves_failing",
              "Batches grow with the load; this is intended.",
              (f"sum(rate(tarot_rules_append_batch_rows_sum{{$S}}{RATE}))"
               f" / sum(rate(tarot_rules_append_batch_rows_count{{$S}}{RATE}))", "mean"),
              (quantile(0.99, "tarot_rules_append_batch_rows_bucket{$S}"), "99th percentile"),
              none="no moves"),
    ]),
    (9, [
        lines("Actions that changed nothing", "ops", "moves_failing",
              "The rules refuse an action, or it is stale, or the same request came before.",
              ('sum by (outcome) (rate('
               f'tarot_rules_actions_total{{$S, outcome!="applied"}}{RATE}))',
               "{{outcome}}")),
        lines("Why the rules refused", "ops", "moves_failing",
              "If a reason rises for all players at once, a client or the platform has a bug.",
              (f"sum by (reason) (rate(tarot_rules_refusals_total{{$S}}{RATE})) > 0",
               "{{reason}}"), none="none"),
        lines("Seats that bots took over", "ops", "moves_failing",
              "A bot takes the seat of a person who is away. If many people are away at once, "
              "they cannot reach the platform.",
              (f"sum(rate(tarot_rules_bot_takeovers_total{{$S}}{RATE}))", "seats"),
              more="gateway"),
    ]),
    (8, [
        lines("Calls that wait for a worker", "none", "moves_failing",
              "The limit of a service is the sum over its replicas. A call above the limit ends "
              "with OVERLOADED.",
              ("sum by (service) (tarot_rpc_calls_waiting{$S})", "{{service}}"),
              ("sum by (service) (tarot_rpc_calls_waiting_capacity{$S})", "limit of {{service}}")),
        lines("Moves of each cell", "ops", "cells",
              "A cell is a Postgres with its replicas of rules; cell 0 is called main.",
              (f'sum by (cell) (rate(tarot_rules_actions_total{{$S, outcome="applied"}}{RATE}))',
               "{{cell}}"), more="tables"),
        lines("Time to store an action in each cell, 99th percentile", "s", "cells",
              "If one cell is slow, look at its Postgres.",
              (quantile(0.99, "tarot_rules_append_seconds_bucket{$S}", "cell, "), "{{cell}}"),
              none="no moves", more="postgres"),
        lines("Unavailable, by reason", "ops", "moves_failing",
              "The reasons are explained in docs/errors.md.",
              (f"sum by (service, reason) (rate(tarot_rpc_unavailable_total{{$S}}{RATE}))",
               "{{service}} {{reason}}")),
    ]),
]

TABLES = [
    (4, [
        stat("Tables in play", "none", "replicas", "The replicas have these tables in memory.",
             ("sum(tarot_rules_tables_open{$S})", "")),
        stat("Tables without room", "none", "replicas", "No replica has room for these tables.",
             ("sum(tarot_rules_tables_waiting{$S})", ""), steps=GOOD_IS_ZERO),
        stat("Replicas that rules knows", "none", "replicas",
             "A replica knows more or fewer replicas than Prometheus, if this is not zero.",
             ("max(abs(min by (cell) (tarot_rules_nodes{$S})"
              ' - sum by (cell) (up{$S, service="rules"})))', ""), steps=GOOD_IS_ZERO),
        stat("Failed heartbeats", "none", "replicas",
             "These heartbeats of the last 5 minutes were not stored.",
             ('sum(increase(tarot_rules_beats_total{$S, outcome="failed"}[5m]))'
              ' + sum(increase(tarot_matchmaking_beats_total{$S, outcome="failed"}[5m]))', ""),
             steps=[("green", None), ("yellow", 1), ("red", 10)], decimals=0, more="postgres"),
        stat("Tables set back", "none", "postgres_failover",
             "The database lost stored moves of these tables in the last hour.",
             ("sum(increase(tarot_rules_tables_set_back_total{$S}[1h]))", ""), steps=GOOD_IS_ZERO,
             decimals=0, more="postgres"),
        stat("Clock offset", "s", "replicas",
             "This is the largest offset from the database's clock.",
             ("max(abs(tarot_cluster_clock_offset_seconds{$S}))", ""),
             steps=[("green", None), ("yellow", 5), ("red", 30)], decimals=1, more="hosts"),
    ]),
    (9, [
        lines("Tables by replica", "none", "replicas", "Each replica hosts these tables.",
              ("sum by (cell, instance) (tarot_rules_tables_open{$S})", "{{cell}} {{instance}}")),
        lines("Replicas known", "none", "replicas",
              "The panel shows the lowest number that a replica, or a gateway, knows.",
              ("min by (cell) (tarot_rules_nodes{$S})", "rules, cell {{cell}}"),
              ("min(tarot_matchmaking_nodes{$S})", "matchmaking"),
              ("min(tarot_gateway_rules_nodes{$S})", "rules, in the gateways' lists")),
        lines("Heartbeats", "ops", "replicas", "Each replica sends one heartbeat a second.",
              (f"sum by (outcome) (rate(tarot_rules_beats_total{{$S}}{RATE}))",
               "rules, {{outcome}}"),
              (f"sum by (outcome) (rate(tarot_matchmaking_beats_total{{$S}}{RATE}))",
               "matchmaking, {{outcome}}"), more="postgres"),
    ]),
    (9, [
        lines("Tables that change their host", "ops", "replicas",
              "A table is behind if another replica wrote to its log.",
              (f"sum(rate(tarot_rules_tables_taken_up_total{{$S}}{RATE}))", "acquired"),
              (f"sum(rate(tarot_rules_tables_let_go_total{{$S}}{RATE}))", "released"),
              (f"sum(rate(tarot_rules_tables_behind_total{{$S}}{RATE}))", "behind"),
              (f"sum(rate(tarot_rules_tables_set_back_total{{$S}}{RATE}))", "set back")),
        lines("Time of a takeover, 99th percentile", "s", "replicas",
              "The time begins with a change of the list. Before, the replicas need "
              "three seconds to notice a death.",
              (quantile(0.99, "tarot_rules_takeover_seconds_bucket{$S}"), "takeover"),
              none="no takeover"),
        lines("Calls forwarded to another replica", "ops", "replicas",
              "A replica forwards calls about a table that another replica hosts.",
              (f"sum by (outcome) (rate(tarot_rules_forwarded_calls_total{{$S}}{RATE}))",
               "{{outcome}}")),
    ]),
    (9, [
        lines("Deals and matches", "ops", "queue_stuck", "The panel counts them by second.",
              (f"sum(rate(tarot_rules_deals_total{{$S}}{RATE}))", "deals"),
              (f"sum(rate(tarot_rules_tables_created_total{{$S}}{RATE}))", "tables made"),
              (f"sum(rate(tarot_rules_matches_total{{$S}}{RATE}))", "matches ended"),
              more="matchmaking"),
        lines("Tables and subscriptions", "none", "service_down",
              "A gateway has one subscription to each table that its players watch.",
              ("sum by (phase) (tarot_rules_tables_open{$S})", "{{phase}}"),
              ("sum(tarot_rules_watchers_open{$S})", "subscriptions"), more="gateway"),
        lines("Clocks and tokens", "none", "replicas",
              "A wrong clock makes other services refuse the replica's tokens.",
              ("max by (instance) (abs(tarot_cluster_clock_offset_seconds{$S}))",
               "offset of {{instance}}"),
              (f"sum by (service, why) (rate(tarot_rpc_tokens_refused_total{{$S}}{RATE})) > 0",
               "{{service}} refused: {{why}}"), none="none"),
    ]),
]

WAITS = "tarot_matchmaking_wait_seconds_bucket{$S}"
MATCHMAKING = [
    (4, [
        level_stat("tables"),
        stat("Ranked tickets that wait", "none", "queue_stuck",
             "These people and bots wait for ranked tables.",
             ('sum(max by (queue) (tarot_matchmaking_tickets_waiting{$S, kind="ranked"}))', "")),
        stat("Casual tickets that wait", "none", "queue_stuck", "Bots fill these tables at once.",
             ('sum(max by (queue) (tarot_matchmaking_tickets_waiting{$S, kind="casual"}))', ""),
             steps=[("green", None), ("yellow", 4), ("red", 20)]),
        stat("Queues without a host", "none", "queue_stuck",
             "No replica makes the tables of these queues.",
             ("count(sum by (queue) (tarot_matchmaking_queue_active{$S}) == 0) or vector(0)", ""),
             steps=GOOD_IS_ZERO),
        events_stat("Refused or repeated", "queue_stuck",
                    "In the last 5 minutes, rules refused or did not answer these requests for a "
                    "table.", 'tarot_matchmaking_tables_total{$S, outcome!="made"}', 10, "tables"),
        events_stat("Waves missed", "queue_stuck",
                    "These waves of the last 5 minutes did not begin, because the wave before "
                    "still ran.", "tarot_matchmaking_waves_missed_total{$S}", 10, "postgres"),
    ]),
    (9, [
        lines("Tickets that wait", "none", "queue_stuck",
              "These tickets of people and bots wait after the last wave.",
              ("max by (queue) (tarot_matchmaking_tickets_waiting{$S})", "{{queue}}")),
        lines("Wait for a table", "s", "tables_found_late",
              "The time begins with a person's ticket and ends with the table.",
              (quantile(0.5, WAITS, "kind, "), "{{kind}}, median"),
              (quantile(0.95, WAITS, "kind, "), "{{kind}}, 95th percentile"), none="no tables"),
        lines("People whose wait is long", "none", "tables_found_late",
              "In 5 minutes, the wait of these people became longer than 60 s, with or without a "
              "table later.",
              ("sum by (kind) (increase(tarot_matchmaking_long_waits_total{$S}[5m]))", "{{kind}}")),
    ]),
    (9, [
        lines("Rating spread of made tables", "none", "queue_stuck",
              "The spread is the highest rating at a table minus the lowest.",
              (quantile(0.5, "tarot_matchmaking_rating_spread_bucket{$S}", "kind, "),
               "{{kind}}, median"),
              (quantile(0.95, "tarot_matchmaking_rating_spread_bucket{$S}", "kind, "),
               "{{kind}}, 95th percentile"), none="no tables", more="ladder"),
        lines("Tables asked of rules", "ops", "queue_stuck",
              "Rules makes a table, refuses it, or does not answer.",
              (f"sum by (outcome) (rate(tarot_matchmaking_tables_total{{$S}}{RATE}))",
               "{{outcome}}"), more="tables"),
        lines("Tables made for each queue", "ops", "queue_stuck",
              "The panel counts them by second.",
              (f'sum by (queue) (rate(tarot_matchmaking_tables_total{{$S, outcome="made", '
               f'queue!=""}}{RATE}))', "{{queue}}"), more="tables"),
        lines("Replicas that make tables of a queue", "none", "queue_stuck",
              "One replica makes the tables of a queue. After a change there are none or two for "
              "some seconds.",
              ("sum by (queue) (tarot_matchmaking_queue_active{$S})", "{{queue}}")),
    ]),
    (9, [
        lines("Time of a wave, 99th percentile", "s", "queue_stuck",
              "A wave begins every 2 s. A longer wave makes the next one late.",
              (quantile(0.99, "tarot_matchmaking_wave_seconds_bucket{$S}"), "wave"),
              none="no waves", more="postgres"),
        lines("Free tables of the cells", "none", "cells",
              "A cell with 0 gets no new tables. A platform with one cell has no such series.",
              ("max by (rules_cell) (tarot_matchmaking_cell_tables_free{$S})",
               "cell {{rules_cell}}"), none="one cell", more="tables"),
        lines("Waves missed", "ops", "queue_stuck", "The panel counts them by second.",
              (f"sum(rate(tarot_matchmaking_waves_missed_total{{$S}}{RATE}))", "missed")),
        lines("Rooms", "none", "queue_stuck", "The hosts of rooms start these matches.",
              ("max(tarot_matchmaking_rooms_open{$S})", "rooms"),
              ("sum(increase(tarot_matchmaking_room_matches_total{$S}[1h]))",
               "matches in an hour")),
    ]),
]

BOTS_SHARE = ('sum(rate(tarot_rules_server_moves_total{$S, source="bot"}%s)) / ('
              'sum(rate(tarot_rules_server_moves_total{$S}%s))'
              ' + sum(rate(tarot_rules_actions_total{$S, outcome="applied"}%s)))')
LADDER = [
    (4, [
        level_stat("results"),
        stat("Surprise of the model", "none", "rating_model_wrong",
             "This is the z-rms of the ladder that is farthest from 1. Ladders with fewer than "
             "1,000 results do not count.",
             ("max(abs((tarot_ratings_z_rms{$S} and tarot_ratings_results_total{$S} >= 1000) - 1))"
              " + 1", ""),
             steps=[("green", None), ("yellow", 1.05), ("red", 1.1)], none="few results",
             decimals=2),
        stat("Players with a rating", "none", "results_late",
             "People and bots of the house have a rating.",
             ("max(tarot_ratings_players{$S})", "")),
        stat("Matches rated in an hour", "none", "results_late",
             "All replicas together rated these matches.",
             ("sum(increase(tarot_ratings_matches_rated_total{$S}[1h]))", ""), decimals=0),
        stat("Results on their way", "none", "results_late",
             "Matchmaking or ratings have not confirmed these finished matches.",
             ("max(tarot_rules_outbox_pending{$S})", ""),
             steps=[("green", None), ("yellow", 50), ("red", 500)]),
        stat("Bots' share of the moves", "percentunit", "bots_fall_back",
             "Bots made this share of all moves of the last hour.",
             (BOTS_SHARE.replace("%s", "[1h]"), ""), none="no moves", decimals=0, more="bots"),
    ]),
    (9, [
        lines("Surprise of the ladder", "none", "rating_model_wrong",
              "The z-rms is 1 if the model is right. Above 1, ratings move too much.",
              ("avg by (players, season) (tarot_ratings_z_rms{$S})",
               "{{players}} players, season {{season}}"),
              steps=[("transparent", None), ("red", 1.1)]),
        lines("From the end of a match to its rating", "s", "results_late",
              "This is the age of a result when it is rated.",
              *quantiles("tarot_ratings_result_lag_seconds_bucket{$S}"), none="no results"),
        lines("Matches", "ops", "results_late",
              "Casual matches are stored without a rating. Some results arrive again.",
              (f"sum(rate(tarot_ratings_matches_rated_total{{$S}}{RATE}))", "rated"),
              (f"sum(rate(tarot_ratings_matches_unrated_total{{$S}}{RATE}))", "casual"),
              (f"sum(rate(tarot_ratings_matches_replayed_total{{$S}}{RATE}))", "again")),
    ]),
    (9, [
        lines("Results on their way", "none", "results_late",
              "These results are in the outbox of rules.",
              ("max(tarot_rules_outbox_pending{$S})", "results")),
        lines("Deliveries of results", "ops", "results_late",
              "Rules delivers each result until ratings and matchmaking confirm it.",
              (f"sum by (outcome) (rate(tarot_rules_outbox_deliveries_total{{$S}}{RATE}))",
               "{{outcome}}"), more="tables"),
        lines("Time to rate a match, 99th percentile", "s", "results_late",
              "Ratings rates a match in one transaction.",
              (quantile(0.99, "tarot_ratings_record_seconds_bucket{$S}"), "time"),
              none="no results", more="postgres"),
    ]),
    (9, [
        lines("Wait for a ranked table", "s", "tables_found_late", "Bots are not counted.",
              (quantile(0.5, WAITS.replace("$S", '$S, kind="ranked"')), "median"),
              (quantile(0.95, WAITS.replace("$S", '$S, kind="ranked"')), "95th percentile"),
              none="no tables", more="matchmaking"),
        lines("Rating spread of ranked tables", "none", "queue_stuck",
              "The spread is the highest rating at a table minus the lowest.",
              (quantile(0.5, 'tarot_matchmaking_rating_spread_bucket{$S, kind="ranked"}'),
               "median"),
              (quantile(0.95, 'tarot_matchmaking_rating_spread_bucket{$S, kind="ranked"}'),
               "95th percentile"), none="no tables", more="matchmaking"),
        lines("Bots' share of the moves", "percentunit", "bots_fall_back",
              "Bots make this share of all moves.", (BOTS_SHARE.replace("%s", RATE), "bots"),
              none="no moves", more="bots"),
    ]),
]

BOTS = [
    (4, [
        stat("Decisions", "ops", "bots_fall_back",
             "This is the number of decisions per second at all levels.",
             ("sum(rate(tarot_bot_decisions_total{$S}[5m]))", ""), decimals=1),
        stat("99th percentile", "s", "bots_fall_back",
             "A decision of the last 5 minutes took at most this time.",
             ("histogram_quantile(0.99, sum by (le) "
              "(rate(tarot_bot_decision_seconds_bucket{$S}[5m])))", ""),
             steps=[("green", None), ("yellow", 1), ("red", 2)], none="no decisions"),
        stat("Decisions without an answer", "percentunit", "bots_fall_back",
             "The fallback policy of rules made these decisions.",
             ('sum(rate(tarot_rules_bot_requests_total{$S, outcome="failed"}[5m]))'
              " / sum(rate(tarot_rules_bot_requests_total{$S}[5m]))", ""),
             steps=[("green", None), ("yellow", 0.01), ("red", 0.05)], none="no requests"),
        stat("Decisions cut short", "percentunit", "bots_fall_back",
             "The deadline ended these decisions.",
             ("sum(rate(tarot_bot_decisions_stopped_total{$S}[5m]))"
              " / sum(rate(tarot_bot_decisions_total{$S}[5m]))", ""),
             steps=[("green", None), ("yellow", 0.05), ("red", 0.25)], none="no decisions"),
        stat("Analyses", "none", "bots_fall_back", "These analyses run or wait.",
             ("sum(tarot_bot_analyses_open{$S})", "")),
    ]),
    (9, [
        lines("Decisions asked by rules", "ops", "bots_fall_back",
              "A failed decision is made by the fallback policy of rules.",
              (f"sum by (outcome) (rate(tarot_rules_bot_requests_total{{$S}}{RATE}))",
               "{{outcome}}"), more="moves"),
        lines("Time of a decision, 99th percentile", "s", "bots_fall_back",
              "The wait for a worker is not counted.",
              (quantile(0.99, "tarot_bot_decision_seconds_bucket{$S}", "level, "), "{{level}}"),
              none="no decisions"),
        cpu_lines("CPU of the bot service", "bot"),
    ]),
    (9, [
        lines("Decisions", "ops", "bots_fall_back", "The panel shows the decisions of each level.",
              (f"sum by (level) (rate(tarot_bot_decisions_total{{$S}}{RATE}))", "{{level}}")),
        lines("Decisions cut short", "ops", "bots_fall_back",
              "The deadline ended them with the best choice so far.",
              (f"sum by (level) (rate(tarot_bot_decisions_stopped_total{{$S}}{RATE}))",
               "{{level}}")),
        lines("Cards searched", "ops", "bots_fall_back", "Bots play these cards in their search.",
              (f"sum by (level) (rate(tarot_bot_nodes_total{{$S}}{RATE}))", "{{level}}")),
    ]),
    (9, [
        lines("Hidden hands", "ops", "bots_fall_back",
              "Bots sample worlds, and solve some of them with open hands.",
              (f"sum(rate(tarot_bot_worlds_total{{$S}}{RATE}))", "sampled"),
              (f"sum(rate(tarot_bot_solved_worlds_total{{$S}}{RATE}))", "solved")),
        lines("Analyses", "none", "bots_fall_back",
              "The panel shows the open analyses, and those that end in a minute.",
              ("sum(tarot_bot_analyses_open{$S})", "open"),
              (f"sum by (outcome) (60 * rate(tarot_bot_analyses_total{{$S}}{RATE}))",
               "{{outcome}}")),
        lines("Time of an analysis for one decision", "s", "bots_fall_back",
              "A deal has about eighty decisions.",
              *quantiles("tarot_bot_analysis_decision_seconds_bucket{$S}"), none="no analyses"),
    ]),
]

DOOR = 'job="door", cell=~"$cell"'
FRONTENDS = f'{DOOR}, proxy=~"players|browsers"'
GATEWAY = [
    (4, [
        level_stat("views"),
        stat("Gateways that the door uses", "none", "door_closed",
             "Each door finds at least this number of gateways.",
             ('min(haproxy_backend_active_servers{%s, proxy="gateways"})' % DOOR, ""),
             steps=[("red", None), ("green", 1)]),
        stat("Connections of the door", "percentunit", "door_closed",
             "The fullest door uses this share of its limit.",
             ("max(haproxy_process_current_connections{%s}"
              " / haproxy_process_max_connections{%s})" % (DOOR, DOOR), ""),
             steps=[("green", None), ("yellow", 0.7), ("red", 0.9)], decimals=0),
        players_stat(),
        stat("Limits that differ", "none", "limits",
             "The gateways do not agree on these limits. After a change they need some seconds.",
             ("count(max by (limit) (tarot_gateway_limit{$S})"
              " != min by (limit) (tarot_gateway_limit{$S})) or vector(0)", ""),
             steps=GOOD_IS_ZERO),
        stat("Refused: overload", "ops", "moves_failing",
             "The gateway refuses these calls because all players together have too many open.",
             ("sum(rate(tarot_gateway_overloaded_total{$S}[5m]))", ""), steps=GOOD_IS_ZERO),
        events_stat("Lost feeds", "views_late",
                    "These feeds from rules ended in the last 5 minutes.",
                    "tarot_gateway_feeds_lost_total{$S}", 20, "tables"),
    ]),
    (9, [
        lines("Players' streams", "none", "service_down",
              "The panel shows the open streams, and the tables that they show.",
              ("sum(tarot_gateway_streams_open{$S})", "streams"),
              ("sum(tarot_gateway_tables_open{$S})", "tables")),
        lines("Browsers", "none", "door_closed",
              "Each call and stream of a browser has a connection of its own at a gateway.",
              ("sum(tarot_gateway_http_connections_open{$S})", "connections"),
              ("sum(tarot_gateway_http_calls_open{$S})", "calls and streams")),
        lines("Sign-ins and sign-outs", "none", "moves_failing", "The panel counts them by minute.",
              (f"sum by (kind) (60 * rate(tarot_gateway_sign_ins_total{{$S}}{RATE}))",
               "sign-in, {{kind}}"),
              (f"sum by (scope) (60 * rate(tarot_gateway_sign_outs_total{{$S}}{RATE}))",
               "sign-out, {{scope}}"),
              ("max(tarot_gateway_revocations_active{$S})", "revocations known"),
              ("max(tarot_gateway_bans_active{$S})", "bans known")),
        lines("Refused calls", "ops", "moves_failing",
              "A call is refused because of its token, a limit of one player or address, or "
              "overload.",
              (f"sum(rate(tarot_gateway_bad_tokens_total{{$S}}{RATE}))", "bad token"),
              (f"sum by (limit) (rate(tarot_gateway_rate_limited_total{{$S}}{RATE}))",
               "limit: {{limit}}"),
              (f"sum(rate(tarot_gateway_overloaded_total{{$S}}{RATE}))", "overload")),
    ]),
    (9, [
        lines("From the change to the watcher", "s", "views_late",
              "The time at rules ends on the feed. The time at the gateway ends on the player's "
              "stream.",
              (quantile(0.99, "tarot_rules_watch_lag_seconds_bucket{$S}"),
               "rules, 99th percentile"),
              (quantile(0.5, "tarot_gateway_watch_lag_seconds_bucket{$S}"), "gateway, median"),
              (quantile(0.99, "tarot_gateway_watch_lag_seconds_bucket{$S}"),
               "gateway, 99th percentile"), none="no views", more="tables"),
        lines("Views to watchers", "ops", "views_late",
              "A view is replaced if a newer view comes before it is sent.",
              (f"sum by (outcome) (rate(tarot_gateway_frames_total{{$S}}{RATE}))", "{{outcome}}")),
        lines("Feeds from rules", "none", "views_late",
              "A feed carries the views of all tables from one replica to one gateway.",
              ("sum(tarot_rules_feeds_open{$S})", "open feeds"),
              (f"sum by (outcome) (rate(tarot_rules_feed_frames_total{{$S}}{RATE}))",
               "views, {{outcome}}"),
              (f"sum(rate(tarot_gateway_feeds_lost_total{{$S}}{RATE}))", "lost"), more="tables"),
    ]),
    (9, [
        lines("Connections of the door", "none", "door_closed",
              "The door refuses connections above the limit.",
              ("sum(haproxy_process_current_connections{%s})" % DOOR, "open"),
              ("sum(haproxy_process_max_connections{%s})" % DOOR, "limit")),
        lines("Refused by the door", "ops", "door_closed",
              "The door refuses these because of its limits for an address.",
              ("sum(rate(haproxy_frontend_denied_connections_total{%s}%s))" % (FRONTENDS, RATE),
               "connections"),
              ("sum(rate(haproxy_frontend_requests_denied_total{%s}%s))" % (FRONTENDS, RATE),
               "requests")),
        lines("Requests of browsers", "ops", "door_closed",
              "The HTTP doors answer these requests, and close connections for these reasons.",
              (f"sum by (outcome) (rate(tarot_gateway_http_requests_total{{$S}}{RATE}))",
               "{{outcome}}"),
              (f"sum by (reason) (rate(tarot_gateway_http_connections_closed_total{{$S}}{RATE}))",
               "closed: {{reason}}")),
        cpu_lines("CPU of the gateways", "gateway"),
    ]),
]

# On these dashboards the variable `instance` names exporters, so queries about our services do not
# use this variable.
OURS = 'job="tarot", cell=~"$cell"'
POSTGRES = [
    (4, [
        stat("Primaries", "none", "postgres_failover",
             "Each cell must have one. The number is that of the cell with the fewest.",
             ("min(count by (cell) (pg_replication_is_replica{$S} == 0)"
              " or 0 * count by (cell) (up{$S})) or vector(0)", ""),
             steps=[("red", None), ("green", 1)]),
        stat("Synchronous standbys missing", "none", "postgres_failover",
             "If commits must wait for a standby and none follows, moves wait.",
             ("sum(pg_standbys_required{$S} > bool pg_standbys_synchronous{$S})", ""),
             steps=GOOD_IS_ZERO),
        stat("Slowest standby", "s", "postgres_failover",
             "This is the age of the last transaction that a standby has applied.",
             ("max(pg_replication_lag_seconds{$S})", ""),
             steps=[("green", None), ("yellow", 5), ("red", 30)], decimals=0),
        stat("Connections", "percentunit", "postgres_upkeep",
             "The fullest server uses this share of its connections.",
             ("max(sum by (instance) (pg_stat_activity_count{$S})"
              " / on (instance) max by (instance) (pg_settings_max_connections{$S}))", ""),
             steps=[("green", None), ("yellow", 0.7), ("red", 0.9)], decimals=0),
        stat("Oldest transaction", "s", "postgres_upkeep",
             "An old transaction keeps vacuum from removing rows.",
             ('max(pg_stat_activity_max_tx_duration{$S, state!="idle"})', ""),
             steps=[("green", None), ("yellow", 300), ("red", 900)], decimals=0),
        stat("Transaction ids used", "none", "postgres_upkeep", "Postgres stops at 2.1 billion.",
             ("max(pg_transaction_ids_age{$S})", ""),
             steps=[("green", None), ("yellow", 5e8), ("red", 1e9)]),
    ]),
    (9, [
        lines("Time of a statement, 99th percentile", "s", "moves_failing",
              "This is the time that a statement of a service held its connection.",
              (quantile(0.99, "tarot_pg_statement_seconds_bucket{%s}" % OURS, "statement, "),
               "{{statement}}"), none="no statements", more="hosts"),
        lines("Statements of the services", "ops", "moves_failing",
              "The panel shows how often each statement runs.",
              ("sum by (statement) (rate(tarot_pg_statement_seconds_count{%s}%s))" % (OURS, RATE),
               "{{statement}}")),
        lines("Wait for a connection, 99th percentile", "s", "moves_failing",
              "If it is high, the pool of the service is too small, or Postgres is slow.",
              (quantile(0.99, "tarot_pg_lease_wait_seconds_bucket{%s}" % OURS, "service, "),
               "{{service}}"), none="no statements"),
    ]),
    (9, [
        lines("Transactions", "ops", "moves_failing",
              "The panel shows the commits and rollbacks of each server.",
              ("sum by (instance) (rate(pg_stat_database_xact_commit{$S}%s))" % RATE,
               "{{instance}} commits"),
              ("sum by (instance) (rate(pg_stat_database_xact_rollback{$S}%s))" % RATE,
               "{{instance}} rollbacks")),
        lines("Connections", "none", "postgres_upkeep",
              "The services lease connections; the servers show the state of all sessions.",
              ("sum by (service) (tarot_pg_connections_capacity{%s})" % OURS,
               "{{service}} may lease"),
              ("sum by (service) (tarot_pg_connections_in_use{%s})" % OURS,
               "leased by {{service}}"),
              ("sum by (state) (pg_stat_activity_count{$S})", "{{state}}")),
        lines("Connections cut", "none", "postgres_failover",
              "The services cut connections when Postgres does not answer, for example because "
              "its server is frozen.",
              ("sum by (service) (increase(tarot_pg_connections_cut_total{%s}[5m]))" % OURS,
               "{{service}}")),
    ]),
    (9, [
        lines("Size of the databases", "bytes", "postgres_disk_full",
              "The panel shows the space on disk.",
              ("max by (cell, datname) (pg_database_size_bytes{$S})", "{{cell}} {{datname}}"),
              more="hosts"),
        lines("Replication", "s", "postgres_failover",
              "The panel shows how far each standby is behind.",
              ("max by (instance) (pg_replication_lag_seconds{$S})", "{{instance}}")),
        lines("Patroni", "none", "postgres_failover",
              "The panel shows the roles of the nodes, and whether the cluster is paused or has "
              "no leader.",
              ('sum(patroni_primary{job="patroni", cell=~"$cell"})', "primaries"),
              ('sum(patroni_sync_standby{job="patroni", cell=~"$cell"})', "synchronous standbys"),
              ('max(patroni_is_paused{job="patroni", cell=~"$cell"})', "paused"),
              ('max(patroni_cluster_unlocked{job="patroni", cell=~"$cell"})', "without a leader"),
              none="no Patroni"),
    ]),
    (9, [
        lines("Deals moved to the archive", "none", "archive",
              "The panel shows the deals of an hour, and the days whose logs were made or dropped.",
              ("sum(increase(tarot_rules_archived_deals_total{%s}[1h]))" % OURS, "deals"),
              ("sum by (outcome) (increase(tarot_rules_log_partitions_total{%s}[1h]))" % OURS,
               "days {{outcome}}"),
              ("sum(increase(tarot_rules_log_upkeep_failures_total{%s}[1h]))" % OURS, "failures")),
        lines("Bytes written to the archive", "bytes", "archive",
              "The panel shows the bytes of an hour.",
              ("sum(increase(tarot_rules_archived_bytes_total{%s}[1h]))" % OURS, "bytes")),
        lines("The archive is late by", "s", "archive",
              "The oldest match that is due waits so long, and the last good run was so long ago.",
              ("max(tarot_rules_archive_overdue_seconds{%s})" % OURS, "late"),
              ("time() - max(tarot_rules_log_upkeep_success_time_seconds{%s})" % OURS,
               "since the last run")),
    ]),
]

DISK = 'cell=~"$cell", instance=~"$instance"'
HOSTS = [
    (4, [
        stat("Busiest machine", "percentunit", "hosts",
             "This machine used the largest share of its CPU in the last 5 minutes.",
             ('max(1 - avg by (instance) (rate(node_cpu_seconds_total{$S, mode="idle"}[5m])))', ""),
             steps=[("green", None), ("yellow", 0.8), ("red", 0.95)], decimals=0),
        stat("Least memory", "percentunit", "hosts",
             "The fullest machine has this share of its memory available.",
             ("min(node_memory_MemAvailable_bytes{$S} / node_memory_MemTotal_bytes{$S})", ""),
             steps=[("red", None), ("yellow", 0.05), ("green", 0.15)], decimals=0),
        stat("Least disk", "percentunit", "postgres_disk_full",
             "The fullest disk has this share free.",
             ("min(tarot:disk_free:ratio{%s})" % DISK, ""),
             steps=[("red", None), ("yellow", 0.1), ("green", 0.25)], decimals=0),
        stat("Disk is full in", "s", "postgres_disk_full",
             "The trend of the last 6 hours says when the first disk is full.",
             ("min(tarot:disk_free:bytes{%s} / (0 - deriv(tarot:disk_free:bytes{%s}[6h]) > 0))" %
              (DISK, DISK), ""),
             steps=[("red", None), ("yellow", 259200), ("green", 604800)], none="not soon"),
        stat("Descriptors", "percentunit", "hosts",
             "One of our processes uses this share of its limit; the others use less.",
             ("max(process_open_fds{%s} / process_max_fds{%s})" % (OURS, OURS), ""),
             steps=[("green", None), ("yellow", 0.7), ("red", 0.9)], decimals=0),
        stat("Restarts in an hour", "none", "service_down",
             "All our processes together started again so many times.",
             ("sum(changes(process_start_time_seconds{%s}[1h]))" % OURS, ""),
             steps=[("green", None), ("yellow", 1), ("red", 6)]),
    ]),
    (9, [
        lines("CPU of each machine", "percentunit", "hosts",
              "The panel shows the share of the CPU in use.",
              ('1 - avg by (instance) (rate(node_cpu_seconds_total{$S, mode="idle"}%s))' % RATE,
               "{{instance}}")),
        lines("Memory available", "bytes", "hosts",
              "A machine without available memory ends processes.",
              ("node_memory_MemAvailable_bytes{$S}", "{{instance}}")),
        lines("Free space", "bytes", "postgres_disk_full", "Postgres stops when its disk is full.",
              ("tarot:disk_free:bytes{%s}" % DISK, "{{instance}} {{mountpoint}}")),
    ]),
    (9, [
        lines("Disks at work", "percentunit", "moves_failing",
              "Near 100 %, the disk always has requests, and statements wait.",
              ("max by (instance, device) (rate(node_disk_io_time_seconds_total{$S}%s))" % RATE,
               "{{instance}} {{device}}"), more="postgres"),
        lines("Network", "Bps", "hosts", "The panel shows what each machine receives and sends.",
              ('sum by (instance) (rate(node_network_receive_bytes_total{$S, device!="lo"}%s))' %
               RATE, "{{instance}} received"),
              ('sum by (instance) (rate(node_network_transmit_bytes_total{$S, device!="lo"}%s))' %
               RATE, "{{instance}} sent")),
        lines("Load", "none", "hosts",
              "The load is the number of programs that run or wait for a disk.",
              ("node_load1{$S}", "{{instance}}")),
    ]),
    (9, [
        lines("CPU of our processes", "none", "hosts",
              "The panel shows the cores in use by each process.",
              ("sum by (service, instance) (rate(process_cpu_seconds_total{%s}%s))" % (OURS, RATE),
               "{{service}} {{instance}}")),
        lines("Memory of our processes", "bytes", "hosts",
              "The panel shows the memory in RAM, and the lowest limit of each service.",
              ("sum by (service, instance) (process_resident_memory_bytes{%s})" % OURS,
               "{{service}} {{instance}}"),
              ("min by (service) (process_memory_limit_bytes{%s})" % OURS,
               "limit of {{service}}")),
        lines("Descriptors and threads", "none", "hosts", "Each connection needs a descriptor.",
              ("sum by (service, instance) (process_open_fds{%s})" % OURS,
               "{{service}} {{instance}} descriptors"),
              ("sum by (service, instance) (process_threads{%s})" % OURS,
               "{{service}} {{instance}} threads")),
    ]),
]

# The arguments of make.dashboard for each dashboard: name, title, description, rows, and the value
# and the choices of the variable `job`.
DASHBOARDS = [
    ("overview", "overview",
     "The dashboard shows what players notice, which alerts fire, and which version runs.",
     OVERVIEW),
    ("moves", "moves", "Moves of players, from the gateway to the database.", MOVES),
    ("tables", "tables and replicas",
     "The dashboard shows where tables live, and whether the replicas agree.", TABLES),
    ("matchmaking", "matchmaking", "Queues, waits and tables.", MATCHMAKING),
    ("ladder", "ladder", "For operators of the ladder: results, the model, waits, spreads and the "
     "share of the bots.", LADDER),
    ("bots", "bots", "Decisions and analyses of the bot service.", BOTS),
    ("gateway", "gateway", "Players' connections, streams and views, and the door.", GATEWAY),
    ("postgres", "Postgres", "The servers, and the services' statements. Needs the exporter with "
     "deploy/prometheus/postgres_queries.yml.", POSTGRES, "postgres", "postgres.*"),
    ("hosts", "hosts", "Machines and processes. Needs the node exporter.", HOSTS, "node", "node.*"),
]

# The series of docs/metrics.md that no panel shows, each with its reason.
NOT_SHOWN = {
    "tarot_rpc_certificate_expire_time_seconds":
        "an alert watches it, and platforms without TLS do not have it",
    "tarot_admin_calls_total":
        "operators are few: `tarotctl admin calls` shows each call with its operator and reason",
    "process_virtual_memory_bytes":
        "address space says nothing about load: allocators reserve much more than they use",
}
