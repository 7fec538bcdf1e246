/** A message that is refused, and the HTTP answer to its sender. */
export class OtlpRefusal extends Error {
  readonly status: number;

  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }

  /** Whether the same message may be accepted later. */
  get isForNow(): boolean {
    return this.status === 429 || this.status === 503;
  }
}

/** When a sender that has to retry should do so. */
export const retryMs = 1_000;

const codes: Readonly<Record<number, number>> = { 401: 16, 429: 8, 503: 14, 408: 4, 500: 13 };

/** The corresponding code of google.rpc.Status; for most, INVALID_ARGUMENT. */
export function rpcCode({ status }: OtlpRefusal): number {
  return codes[status] ?? 3;
}
