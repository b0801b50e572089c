// Makes calls with the player's token and a time limit, and repeats them. Moves are repeated in
// state/table_store.ts instead.
import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { CallError, Code } from "./errors";
import { send, type Streaming, type Unary } from "./grpc_web";

/** Gives the token, and hears that the server refuses it. state/account.ts sets it. */
export interface Identity {
  token(): string;
  refused(): void;
}
let identity: Identity = { token: () => "", refused: () => {} };
export function setIdentity(value: Identity) { identity = value; }

const CALL_LIMIT_MS = 15_000;
const BACKOFF_MS = [250, 500, 1000, 2000, 4000];

/** Returns the wait before attempt `n` (from 0), changed at random by up to a fifth. */
export function backoff(n: number): number {
  return BACKOFF_MS[Math.min(n, BACKOFF_MS.length - 1)]! * (0.8 + 0.4 * Math.random());
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", () => { clearTimeout(timer); done(); }, { once: true });
  });
}

export const newId = (): string => {
  if (crypto.randomUUID) return crypto.randomUUID();
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = (b[6]! & 15) | 64;
  b[8] = (b[8]! & 63) | 128;
  const hex = [...b].map((x) => x.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
};

/** Calls a method once. Throws CallError. */
export async function callOnce<I extends DescMessage, O extends DescMessage>(
  method: Unary<I, O>, request: MessageInitShape<I>,
): Promise<MessageShape<O>> {
  const control = new AbortController();
  const timer = setTimeout(() => control.abort(), CALL_LIMIT_MS);
  try {
    for await (const answer of send(method, request, identity.token(), control.signal)) return answer;
    throw new CallError(Code.UNKNOWN, "the answer has no message");
  } catch (error) {
    const failure = error instanceof CallError ? error : new CallError(Code.DEADLINE_EXCEEDED, String(error));
    if (failure.reason === "BAD_TOKEN") identity.refused();
    throw failure;
  } finally {
    clearTimeout(timer);
  }
}

/** Calls a method, and repeats the same request after errors that docs/errors.md lets repeat. */
export async function call<I extends DescMessage, O extends DescMessage>(
  method: Unary<I, O>, request: MessageInitShape<I>, attempts = 4,
): Promise<MessageShape<O>> {
  for (let attempt = 0; ; ++attempt) {
    try {
      return await callOnce(method, request);
    } catch (error) {
      if (!(error as CallError).repeatable || attempt + 1 >= attempts) throw error;
      await sleep(backoff(attempt));
    }
  }
}

export interface Watch<O> {
  message(value: O): void;
  /** The stream is open, or it is lost and opens again. */
  live?(open: boolean): void;
  /** The server ended the stream with OK, or with an error that does not allow a repeat. */
  end?(error?: CallError): void;
}

/** Keeps a server stream open until `stop` is called. Opens it again after every loss. */
export function watch<I extends DescMessage, O extends DescMessage>(
  method: Streaming<I, O>, request: () => MessageInitShape<I>, to: Watch<MessageShape<O>>,
): { stop(): void; reopen(): void } {
  const all = new AbortController();
  let one = new AbortController();
  let wake = new AbortController();
  async function run() {
    for (let attempt = 0; !all.signal.aborted;) {
      one = new AbortController();
      try {
        for await (const message of send(method, request(), identity.token(), one.signal)) {
          if (all.signal.aborted) return;
          attempt = 0;
          to.live?.(true);
          to.message(message);
        }
        if (!all.signal.aborted) to.end?.();
        return;
      } catch (error) {
        if (all.signal.aborted) return;
        const failure = error instanceof CallError ? error : new CallError(Code.UNAVAILABLE, String(error));
        to.live?.(false);
        if (failure.reason === "TABLE_SET_BACK") { to.end?.(failure); return; }
        if (failure.reason === "BAD_TOKEN") { identity.refused(); to.end?.(failure); return; }
        const limited = failure.reason === "RATE_LIMITED";
        if (!failure.repeatable && !limited && failure.code !== Code.INTERNAL) { to.end?.(failure); return; }
        wake = new AbortController();
        const pause = limited ? 1000 * Number(failure.metadata.retry_after_seconds ?? 1) : backoff(attempt);
        await sleep(pause, wake.signal);
        ++attempt;
      }
    }
  }
  void run();
  return {
    stop() { all.abort(); one.abort(); wake.abort(); },
    reopen() { one.abort(); wake.abort(); },
  };
}
