// The errors of calls. docs/errors.md lists the reasons; words/*.ts has a sentence for each.
import { fromBinary } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb";
import { StatusSchema } from "../../gen/google/rpc/status_pb";

/** The status codes of gRPC that the page tells apart. */
export const Code = {
  CANCELLED: 1, UNKNOWN: 2, DEADLINE_EXCEEDED: 4, RESOURCE_EXHAUSTED: 8, UNIMPLEMENTED: 12,
  INTERNAL: 13, UNAVAILABLE: 14, UNAUTHENTICATED: 16,
} as const;

export class CallError extends Error {
  constructor(
    readonly code: number, message: string, readonly reason = "",
    readonly metadata: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }

  /** Returns the error for an HTTP answer that is not from a gRPC server, by the table in gRPC's
   *  specification. */
  static fromHttp(status: number): CallError {
    const code = status === 401 ? Code.UNAUTHENTICATED
      : status === 404 ? Code.UNIMPLEMENTED
      : [429, 502, 503, 504].includes(status) ? Code.UNAVAILABLE : Code.UNKNOWN;
    return new CallError(code, `HTTP ${status}`);
  }

  /** True if the client may repeat the call with the same request id; see docs/errors.md. */
  get repeatable(): boolean {
    return this.code === Code.UNAVAILABLE || this.code === Code.CANCELLED ||
      this.code === Code.DEADLINE_EXCEEDED || (this.code === Code.UNKNOWN && !this.reason);
  }
}

export function errorFromTrailers(trailers: Map<string, string>): CallError | undefined {
  const code = Number(trailers.get("grpc-status") ?? Code.UNKNOWN);
  if (code === 0) return undefined;
  const raw = trailers.get("grpc-message") ?? "";
  let message = raw;
  try { message = decodeURIComponent(raw); } catch { /* The text stays encoded. */ }
  const details = trailers.get("grpc-status-details-bin");
  if (details) {
    try {
      const status = fromBinary(StatusSchema, base64Decode(details));
      for (const any of status.details) {
        if (!any.typeUrl.endsWith("/google.rpc.ErrorInfo")) continue;
        const info = fromBinary(ErrorInfoSchema, any.value);
        return new CallError(code, message, info.reason, info.metadata);
      }
    } catch { /* If the details cannot be read, the error has only the code and the text. */ }
  }
  return new CallError(code, message);
}
