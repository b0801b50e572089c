#!/usr/bin/env python3
"""A complete engine for docs/engine_protocol.md that plays at random. It knows no rules and shares
no code with the platform: it chooses among the `legal` lines that the host sends after each view.

For tests, an argument makes it misbehave: "crash", "hang", "illegal" or "babble".
"""
import random
import sys


def say(line):
    print(line, flush=True)


def cards_of(hand):
    """Splits "X,21/KQ/-/T9/-" into the names of its trumps and of its other cards."""
    groups = hand.split("/")
    trumps = [] if groups[0] == "-" else groups[0].split(",")
    suits = zip("SHDC", groups[1:])
    plain = [suit + rank for suit, group in suits for rank in group if rank != "-"]
    return trumps, plain


def hand_of(trumps, plain):
    ranks = ["".join(card[1] for card in plain if card[0] == suit) or "-" for suit in "SHDC"]
    return "/".join([",".join(trumps) or "-"] + ranks)


def discard(words):
    """Chooses a discard. `words` follow "legal discard", for example: 6 trumps 0 of HAND."""
    count, trumps_needed = int(words[0]), int(words[2])
    trumps, plain = cards_of(words[4])
    if trumps_needed == 0:
        chosen = random.sample(trumps + plain, count)
    else:
        chosen = plain + random.sample(trumps, trumps_needed)
    return hand_of([c for c in chosen if c in trumps], [c for c in chosen if c in plain])


def action(legal):
    kind, words = next((kind, legal[kind]) for kind in legal if kind != "handful")
    return f"{kind} {discard(words) if kind == 'discard' else random.choice(words)}"


def answer(legal, fault):
    if fault == "crash":
        sys.exit(3)
    if fault == "hang":
        return
    if fault == "babble":
        return say("bestaction whatever is best")
    say("info dice " + str(random.randrange(6) + 1))
    say("bestaction " + ("play T22" if fault == "illegal" else action(legal)))


def main(fault):
    in_view, legal = False, {}
    for line in sys.stdin:
        words = line.split()
        if in_view:
            in_view = words != ["*"]
        elif not words:
            continue
        elif words[0] == "tarot":
            say("id name random")
            say("protocol 1")
            say("tarotok")
        elif words[0] == "isready":
            say("readyok")
        elif words[0] == "newdeal":
            random.seed(words[words.index("seed") + 1])
        elif words[0] == "view":
            in_view, legal = True, {}
        elif words[0] == "legal" and len(words) > 2:
            legal[words[1]] = words[2:]
        elif words[0] == "go":
            if legal:
                answer(legal, fault)
            else:
                say("error no legal actions before go")
        elif words[0] == "quit":
            return
        elif words[0] not in ("setoption", "stop"):
            say("error unknown: " + words[0])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
