// Computes the hands and the trick before each decision of a finished deal, from its record.
import type { Action } from "../../gen/tarot/rules/v1/deal_pb";
import type { DealRecord } from "../../gen/tarot/rules/v1/deal_record_pb";

export interface Moment {
  /** The index of the decision in the record. For the moment after the last decision, the number of
   *  entries. */
  at: number;
  hands: number[][];
  /** The cards of the open trick, and the seat of its first card. */
  trick: number[];
  leader: number;
  trickNumber: number;
  kind: Action["kind"]["case"] | "end";
}

/** Returns the moments of a record: one before each decision, and one after the last decision. */
export function moments(record: DealRecord): Moment[] {
  const list: Moment[] = [];
  const hands = record.hands.map((hand) => [...hand.cards]);
  const seats = hands.filter((hand) => hand.length).length;
  let trick: number[] = [];
  let leader = 0;
  let number = 0;
  record.entries.forEach(({ seat, action }, at) => {
    const kind = action?.kind;
    if (kind?.case === "play" && (trick.length === seats || !number)) {
      trick = [];
      leader = seat;
      ++number;
    }
    // The taker gets the dog before the first decision that needs it.
    if (kind?.case === "discard") {
      const hand = hands[seat]!;
      for (const card of record.dog) if (!hand.includes(card)) hand.push(card);
    }
    list.push({ at, hands: hands.map((hand) => [...hand]), trick: [...trick], leader, trickNumber: number, kind: kind?.case });
    if (kind?.case === "discard") hands[seat] = hands[seat]!.filter((card) => !kind.value.cards.includes(card));
    if (kind?.case === "play") {
      hands[seat] = hands[seat]!.filter((card) => card !== kind.value.card);
      trick.push(kind.value.card);
    }
  });
  list.push({ at: record.entries.length, hands: hands.map((hand) => [...hand]), trick: [...trick], leader, trickNumber: number, kind: "end" });
  return list;
}

/** Returns the seat of each card of a trick. The entries before the moment say which seat played
 *  each card. */
export function trickSeats(record: DealRecord, moment: Moment): number[] {
  return record.entries.slice(0, moment.at).filter((entry) => entry.action?.kind.case === "play").slice(-moment.trick.length || Infinity).map((entry) => entry.seat);
}

/** `marks` are the indexes of the decisions that the analysis marks. Returns the first index after
 *  `at`. After the last mark, returns the first mark. */
export const nextOf = (marks: readonly number[], at: number): number | undefined => marks.find((mark) => mark > at) ?? marks[0];

export async function proves(seed: Uint8Array, commitment: Uint8Array): Promise<boolean> {
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(seed)));
  return sum.length === commitment.length && sum.every((byte, at) => byte === commitment[at]);
}

export const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
