// Tests the frames of gRPC-Web, and the errors in them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb";
import { StatusSchema } from "../../gen/google/rpc/status_pb";
import { CallError, Code, errorFromTrailers } from "../../src/wire/errors";
import { readFrames } from "../../src/wire/grpc_web";

function frame(flags: number, bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(5 + bytes.length);
  out[0] = flags;
  new DataView(out.buffer).setUint32(1, bytes.length);
  out.set(bytes, 5);
  return out;
}
const text = (value: string) => new TextEncoder().encode(value);

/** Returns a body that arrives in pieces of `size` bytes. */
function body(parts: Uint8Array[], size: number): ReadableStream<Uint8Array> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return new ReadableStream({
    start(controller) {
      for (let from = 0; from < all.length; from += size) controller.enqueue(all.slice(from, from + size));
      controller.close();
    },
  });
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<string[]> {
  const list: string[] = [];
  for await (const bytes of readFrames(stream)) list.push(new TextDecoder().decode(bytes));
  return list;
}

for (const size of [1, 3, 7, 1000]) {
  test(`messages arrive whole when the network cuts them every ${size} bytes`, async () => {
    const parts = [frame(0, text("first")), frame(0, text("")), frame(0, text("third")), frame(0x80, text("grpc-status: 0\r\n"))];
    assert.deepEqual(await collect(body(parts, size)), ["first", "", "third"]);
  });
}

test("an answer without trailers is an error that may be repeated", async () => {
  await assert.rejects(collect(body([frame(0, text("first"))], 4)), (error: CallError) => error.code === Code.UNAVAILABLE && error.repeatable);
});

test("trailers carry the reason and its values", async () => {
  const info = create(ErrorInfoSchema, { reason: "ILLEGAL_CARD", domain: "tarot", metadata: { why: "MUST_OVERTRUMP", number: "12" } });
  const status = toBinary(StatusSchema, create(StatusSchema, { code: 9, message: "no", details: [anyPack(ErrorInfoSchema, info)] }));
  const details = Buffer.from(status).toString("base64").replace(/=+$/, "");
  const trailers = frame(0x80, text(`grpc-status: 9\r\ngrpc-message: You%20must\r\ngrpc-status-details-bin: ${details}\r\n`));
  await assert.rejects(collect(body([trailers], 10)), (error: CallError) => {
    assert.equal(error.code, 9);
    assert.equal(error.message, "You must");
    assert.equal(error.reason, "ILLEGAL_CARD");
    assert.deepEqual({ ...error.metadata }, { why: "MUST_OVERTRUMP", number: "12" });
    return !error.repeatable;
  });
});

test("only the errors of docs/errors.md are repeated", () => {
  const repeatable = (code: number, reason = "") => new CallError(code, "", reason).repeatable;
  assert.ok(repeatable(Code.UNAVAILABLE, "STORAGE_AWAY"));
  assert.ok(repeatable(Code.UNKNOWN));
  assert.ok(!repeatable(Code.UNKNOWN, "BUG"));
  assert.ok(!repeatable(9, "NOT_YOUR_TURN"));
  assert.ok(!repeatable(Code.UNAUTHENTICATED, "BAD_TOKEN"));
});

test("a status that is not a number of gRPC stays an error", () => {
  assert.equal(errorFromTrailers(new Map())?.code, Code.UNKNOWN);
  assert.equal(errorFromTrailers(new Map([["grpc-status", "0"]])), undefined);
});
