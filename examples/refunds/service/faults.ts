/**
 * How the next calls go wrong:
 * - `stuck`: the money moves, its booking fails, the answer is 500;
 * - `crash-before-answer`: all is done, and the connection breaks before the answer;
 * - `error-before-effect`: the answer is 500, and nothing was done;
 * - `slow`: waits before it does anything;
 * - `slow-answer`: all is done, and the answer comes late.
 * Who waits goes on at once when everything is to go right again.
 */
export const faultModes = [
  'stuck',
  'crash-before-answer',
  'error-before-effect',
  'slow',
  'slow-answer',
] as const;

export type FaultMode = (typeof faultModes)[number];
export type FaultyCall = 'refund' | 'cancel';

export interface Fault {
  readonly on: FaultyCall;
  readonly mode: FaultMode;
  readonly times: number;
  readonly ms: number;
}

export interface TakenFault extends Fault {
  readonly isOver: AbortSignal;
}

/** Faults as they were ordered, each used up by as many calls as it was ordered for. */
export class Faults {
  #ordered: Fault[] = [];
  #over = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();

  order(fault: Fault): void {
    this.#ordered.push(fault);
  }

  /** And until those that waited have come to their end. */
  async clear(): Promise<void> {
    this.#ordered = [];
    this.#over.abort();
    this.#over = new AbortController();
    await Promise.allSettled(this.#underWay);
  }

  watch<Answer>(call: Promise<Answer>): Promise<Answer> {
    this.#underWay.add(call);
    return call.finally(() => this.#underWay.delete(call));
  }

  take(on: FaultyCall): TakenFault | undefined {
    const index = this.#ordered.findIndex((fault) => fault.on === on);
    const fault = this.#ordered[index];
    if (!fault) return undefined;
    const left = fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : [];
    this.#ordered.splice(index, 1, ...left);
    return { ...fault, isOver: this.#over.signal };
  }
}
