#!/usr/bin/env python3
"""Faults for the canaries. Each fault makes a service break one promise. The checker must find each
broken promise.

CMake plants the faults in copies of the sources and links the canary binaries with the copies.

  plants.py FAULT FILE OUT   writes FILE, with the fault planted, to OUT
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Maps each fault to its files, and each file to a list of changes. A change is a text that occurs
# once in the file, and its replacement.
PLANTS = {
    # Answers the player and shows the move before the commit, and ignores the result of the commit.
    "acknowledge_early": {
        "services/rules/app/group_appender.cc": [
            ("void GroupAppender::Append(NewEntry entry, Done done) {\n",
             "void GroupAppender::Append(NewEntry entry, Done done) {\n"
             "  done(Appended{.revision = entry.entry.revision});\n"
             "  done = [](const auto&) {};\n"),
        ],
    },
    # Treats every repeated request as a new request.
    "forget_requests": {
        "services/rules/app/table_service.cc": [
            ("const bool known = table.Knows(request);",
             "const bool known = table.Knows(request) && false;"),
        ],
    },
    # Shows an action to the watchers before it is stored.
    "show_early": {
        "services/rules/app/table_service.cc": [
            ("  appender_.Append(std::move(stored), [this",
             "  (*change->lock)->Publish(change->after);\n"
             "  appender_.Append(std::move(stored), [this"),
        ],
    },
    # In the first trick, shows each player a card of the next player.
    "show_a_card": {
        "services/rules/transport/table_views.cc": [
            ("                      table->mutable_deal());\n",
             "                      table->mutable_deal());\n"
             "  const rules::Deal& deal = state.match.deal;\n"
             "  const auto at = static_cast<std::size_t>(deal.Next(seat));\n"
             "  const rules::CardSet next = deal.hands[at];\n"
             "  if (deal.trick_count == 1 && deal.turn != seat && !next.Empty()) {\n"
             "    table->mutable_deal()->add_hand("
             "static_cast<std::uint32_t>(rules::Index(next.First())));\n"
             "  }\n"),
        ],
    },
    # Delivers each finished match twice, and rates a repeated match again.
    "rate_twice": {
        "services/rules/app/outbox_relay.cc": [
            ("    Deliver(item);", "    Deliver(item), Deliver(item);"),
        ],
        "services/ratings/storage/match_rows.cc": [
            ("    state.recorded.push_back(recorded.contains(match.table));",
             "    state.recorded.push_back(recorded.contains(match.table) && false);"),
            ("    WITH batch AS MATERIALIZED (\n      SELECT *\n",
             "    WITH batch AS MATERIALIZED (\n"
             "      SELECT CASE WHEN EXISTS (SELECT FROM ratings.matches x\n"
             "                               WHERE x.table_id = m.table_id)\n"
             "                  THEN gen_random_uuid() ELSE m.table_id END AS table_id,\n"
             "             player_count, deal_count, match_time, rated, season, position\n"),
        ],
    },
}


def main():
    fault, file, out = sys.argv[1:]
    text = (ROOT / file).read_text(encoding="utf-8")
    for old, new in PLANTS[fault][file]:
        if text.count(old) != 1:
            sys.exit(f"{file}: the canary {fault} replaces a text that must occur once, not "
                     f"{text.count(old)} times; see tests/chaos/canary/plants.py:\n{old}")
        text = text.replace(old, new)
    pathlib.Path(out).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
