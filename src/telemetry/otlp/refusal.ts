/** A message that is not taken, and what the sender is answered in HTTP. */
export class OtlpRefusal extends Error {
  readonly status: number;

  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }

  /** Whether the same message may be taken later. */
  get isForNow(): boolean {
    return this.status === 429 || this.status === 503;
  }
}

/** When whoever is told to come back later should. */
export const retryMs = 1_000;

const codes: Readonly<Record<number, number>> = { 429: 8, 503: 14, 408: 4, 500: 13 };

/** The code of google.rpc.Status that says the same; of most, INVALID_ARGUMENT. */
export function rpcCode({ status }: OtlpRefusal): number {
  return codes[status] ?? 3;
}
