import type { Actor } from '../../kernel/index.ts';
import { verifyLimits } from '../limits.ts';
import { type HasRoom, hasRoom, type Occupancy } from './machine-room.ts';

interface Waiting {
  readonly actor: Actor;
  readonly report: (stage: string) => void;
  readonly admit: (isAdmitted: boolean) => void;
}

/**
 * Verifications wait here while the machine has no room for them: run all at once, they would take
 * longer and measure each other. Whoever has the fewest running is next, then who came first.
 */
export class VerificationQueue {
  readonly #hasRoom: HasRoom;
  #waiting: Waiting[] = [];
  readonly #running: Actor[] = [];
  #lastStart = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(room: HasRoom = hasRoom) {
    this.#hasRoom = room;
  }

  /** Resolves to null if the signal aborts before the work could start. */
  async during<Result>(
    actor: Actor,
    work: () => Promise<Result>,
    report: (stage: string) => void,
    signal?: AbortSignal,
  ): Promise<Result | null> {
    if (!(await this.#admission(actor, report, signal))) return null;
    try {
      return await work();
    } finally {
      this.#running.splice(this.#running.indexOf(actor), 1);
      this.#admitNext();
    }
  }

  async #admission(
    actor: Actor,
    report: (stage: string) => void,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting = { actor, report, admit: resolve };
    const leave = (): void => {
      this.#remove(waiting);
      resolve(false);
      this.#tell();
    };
    if (signal?.aborted) return false;
    signal?.addEventListener('abort', leave, { once: true });
    this.#waiting.push(waiting);
    this.#admitNext();
    const isAdmitted = await promise;
    signal?.removeEventListener('abort', leave);
    return isAdmitted;
  }

  /** Starts those for which there is room, and looks again while others wait. */
  #admitNext(): void {
    clearTimeout(this.#timer);
    for (const next of this.#inTurn()) {
      if (!this.#hasRoom(this.#occupancy())) break;
      this.#start(next);
    }
    this.#tell();
    if (this.#waiting.length === 0) return;
    this.#timer = setTimeout(() => this.#admitNext(), verifyLimits.queueLookMsEvery);
  }

  #start(next: Waiting): void {
    this.#remove(next);
    this.#running.push(next.actor);
    this.#lastStart = performance.now();
    next.admit(true);
  }

  #remove(gone: Waiting): void {
    this.#waiting = this.#waiting.filter((one) => one !== gone);
  }

  #inTurn(): readonly Waiting[] {
    const count = ({ actor }: Waiting): number =>
      this.#running.filter((one) => one === actor).length;
    return this.#waiting.toSorted((one, other) => count(one) - count(other));
  }

  #occupancy(): Occupancy {
    const sinceLastStartMs = performance.now() - this.#lastStart;
    return { running: this.#running.length, sinceLastStartMs };
  }

  #tell(): void {
    const all = this.#inTurn();
    for (const [index, { report }] of all.entries()) {
      report(`waiting until the machine has room: ${index + 1} of ${all.length} in the queue`);
    }
  }
}
