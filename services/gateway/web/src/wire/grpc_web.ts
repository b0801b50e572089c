// Makes calls in gRPC-Web over fetch, in its binary form. The request is one message. The answer is
// a sequence of frames. A frame has a byte of flags, four bytes with the length, and the content.
// The frame with flag 0x80 has the trailers. See
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md.
import { fromBinary, toBinary, create } from "@bufbuild/protobuf";
import type { DescMessage, DescMethodStreaming, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { CallError, errorFromTrailers, Code } from "./errors";

export type Unary<I extends DescMessage, O extends DescMessage> = DescMethodUnary<I, O>;
export type Streaming<I extends DescMessage, O extends DescMessage> =
  DescMethodStreaming<I, O> & { methodKind: "server_streaming" };

/** The server's clock minus this machine's clock, in milliseconds, estimated from the answers. */
export let clockOffset = 0;

let exact = false;

/** Takes the server's time from a view. This time is more exact than the header of an answer. */
export function noteServerTime(milliseconds: number) {
  exact = true;
  clockOffset = milliseconds - Date.now();
}

function frame(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(5 + message.length);
  new DataView(bytes.buffer).setUint32(1, message.length);
  bytes.set(message, 5);
  return bytes;
}

function parseTrailers(text: string): Map<string, string> {
  const lines = text.split("\r\n").filter((line) => line.includes(":"));
  return new Map(lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
  }));
}

/** Splits the bytes of an answer into messages. Throws CallError unless the trailers say OK. */
export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  let rest = new Uint8Array(0);
  try {
    for (;;) {
      while (rest.length >= 5) {
        const length = new DataView(rest.buffer, rest.byteOffset).getUint32(1);
        if (rest.length < 5 + length) break;
        const bytes = rest.subarray(5, 5 + length);
        if (rest[0]! & 0x80) {
          const error = errorFromTrailers(parseTrailers(new TextDecoder().decode(bytes)));
          if (error) throw error;
          return;
        }
        yield bytes;
        rest = rest.subarray(5 + length);
      }
      const { done, value } = await reader.read();
      if (done) throw new CallError(Code.UNAVAILABLE, "the answer ended without trailers");
      const joined = new Uint8Array(rest.length + value.length);
      joined.set(rest);
      joined.set(value, rest.length);
      rest = joined;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function noteClock(response: Response, sentAt: number) {
  const date = Date.parse(response.headers.get("date") ?? "");
  // The header has whole seconds, so this code adds half a second. It assumes that the server wrote
  // the header in the middle of the time between the request and the answer.
  if (!Number.isNaN(date) && !exact) {
    const offset = date + 500 - (sentAt + Date.now()) / 2;
    clockOffset = Math.abs(offset) < 1500 ? 0 : offset;
  }
}

/** Sends one call and yields the messages of the answer. Throws CallError. */
export async function* send<I extends DescMessage, O extends DescMessage>(
  method: Unary<I, O> | Streaming<I, O>, request: MessageInitShape<I>, token: string, signal?: AbortSignal,
): AsyncGenerator<MessageShape<O>> {
  const headers: Record<string, string> = { "content-type": "application/grpc-web+proto", "x-grpc-web": "1" };
  if (token) headers.authorization = `Bearer ${token}`;
  const message = create(method.input, request);
  const sentAt = Date.now();
  let response: Response;
  try {
    response = await fetch(`/${method.parent.typeName}/${method.name}`, {
      method: "POST", headers, body: frame(toBinary(method.input, message)), signal: signal ?? null,
      cache: "no-store", credentials: "omit",
    });
  } catch (error) {
    throw signal?.aborted ? error : new CallError(Code.UNAVAILABLE, String(error));
  }
  noteClock(response, sentAt);
  // An error without a message may come in the headers alone.
  if (response.headers.has("grpc-status")) {
    const error = errorFromTrailers(new Map(response.headers.entries()));
    if (error) throw error;
  }
  if (!response.ok || !response.body) throw CallError.fromHttp(response.status);
  try {
    for await (const bytes of readFrames(response.body)) yield fromBinary(method.output, bytes);
  } catch (error) {
    if (error instanceof CallError || signal?.aborted) throw error;
    throw new CallError(Code.UNAVAILABLE, String(error));
  }
}
