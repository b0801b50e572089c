#!/usr/bin/env python3
"""Faults for the canaries. Each fault makes a service break one promise. The checker must find each
broken promise.

CMake plants the faults in copies of the sources and links the canary binaries with the copies.

  plants.py FAULT FILE OUT   writes FILE, with the fault planted, to OUT
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]

# fault -> file -> [(text that occurs once in the file, replacement)]
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
    # Treats every repeated request as a new one.
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
    # Shows each player a card of the next player in the first trick.
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
        "services/ratings/storage/pg_rating_store.cc": [
            ("            state.recorded = row[\"recorded\"].as<bool>();",
             "            state.recorded = false;"),
            ("      VALUES ($1, $2, $3, $4, nullif($23::integer, 0))\n"
             "      ON CONFLICT (table_id) DO NOTHING\n",
             "      SELECT CASE WHEN EXISTS (SELECT FROM ratings.matches WHERE table_id = $1)\n"
             "                  THEN gen_random_uuid() ELSE $1::uuid END,\n"
             "             $2::smallint, $3::integer, $4::timestamptz, nullif($23::integer, 0)\n"),
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
