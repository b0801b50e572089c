// Serves the built page and answers its calls, for tests that need no platform.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { existsSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { create, toBinary, type DescMessage, type DescMethod, type MessageInitShape } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb";
import { StatusSchema } from "../gen/google/rpc/status_pb";

/** The server's answer to a call. */
export interface Answer {
  messages: Uint8Array[];
  /** If set, the call fails with this code of gRPC and this reason. */
  error?: { code: number; reason: string; metadata?: Record<string, string> };
  /** If true, the connection breaks after the messages. */
  breaks?: boolean;
  /** If set, the stream stays open. The function gets `send`, with which it can send more messages. */
  open?(send: (message: Uint8Array) => void): void;
}

/** Makes an answer of a method, with its messages. */
export const answer = <O extends DescMessage>(method: DescMethod & { output: O }, ...messages: MessageInitShape<O>[]): Answer =>
  ({ messages: messages.map((message) => toBinary(method.output, create(method.output, message))) });

const TYPES: Record<string, string> = { ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html; charset=utf-8", ".png": "image/png" };

function frame(flags: number, bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

function trailers(error: Answer["error"]): Buffer {
  if (!error) return Buffer.from("grpc-status: 0\r\n");
  const info = toBinary(ErrorInfoSchema, create(ErrorInfoSchema, { reason: error.reason, domain: "tarot", metadata: error.metadata ?? {} }));
  const status = toBinary(StatusSchema, create(StatusSchema, { code: error.code, details: [{ typeUrl: "type.googleapis.com/google.rpc.ErrorInfo", value: info }] }));
  return Buffer.from(`grpc-status: ${error.code}\r\ngrpc-status-details-bin: ${base64Encode(status)}\r\n`);
}

function respond(response: ServerResponse, { messages, error, breaks, open }: Answer) {
  response.writeHead(200, { "content-type": "application/grpc-web+proto" });
  const send = (message: Uint8Array) => { response.write(frame(0, message)); };
  messages.forEach(send);
  if (open) open(send);
  else if (breaks) setTimeout(() => response.destroy(), 50);
  else response.end(frame(0x80, trailers(error)));
}

/** Answers a call. `method` is the name of its method, for example "WatchTable", `token` is the token of the caller, and
 *  `request` has the bytes of the request message. A call without an answer gets an empty message. */
export type Answering = (method: string, token: string, request: Uint8Array) => Answer | undefined;

/** Starts the server on a free port. `root` is the folder of the built page. */
export async function servePage(root: string, call: Answering): Promise<{ origin: string; close(): void }> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    // Without the header Date, the page takes its own clock for the server's clock. A test may set
    // the clock of the page.
    response.sendDate = false;
    const { pathname } = new URL(request.url!, "http://localhost");
    if (request.method === "POST") {
      const token = (request.headers.authorization ?? "").replace("Bearer ", "");
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const message = new Uint8Array(Buffer.concat(parts).subarray(5));
        respond(response, call(pathname.split("/").pop()!, token, message) ?? { messages: [new Uint8Array(0)] });
      });
      return;
    }
    const found = join(root, pathname);
    const file = existsSync(found) && statSync(found).isFile() ? found : join(root, "index.html");
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "content-encoding": "gzip" });
    response.end(readFileSync(`${file}.gz`));
  });
  await new Promise<void>((done) => { server.listen(0, "127.0.0.1", done); });
  const { port } = server.address() as { port: number };
  return { origin: `http://127.0.0.1:${port}`, close: () => { server.closeAllConnections(); server.close(); } };
}
