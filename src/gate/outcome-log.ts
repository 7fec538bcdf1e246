import { closeSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { type Json, type Redact, tryOr } from '../kernel/index.ts';
import { gateLimits } from './limits.ts';
import type { Ending } from './settlement.ts';

/** A committed outcome, with everything that its entry needs besides the proposal's row. */
export interface KeptOutcome {
  readonly proposal: string;
  readonly subject: string;
  readonly value: Json;
  readonly actual: Ending['actual'];
}

/**
 * Outcomes that the chain does not have yet although their callers know them, in a file beside the
 * ledger. A killed process leaves them to the next one. Nothing waits for the disk here: after the
 * machine went down, a call without its outcome counts as interrupted.
 */
export class OutcomeLog {
  readonly #path: string;
  readonly #redact: Redact;
  readonly #kept = new Set<string>();
  #file: number | undefined;
  #bytes = 0;
  #removal: NodeJS.Timeout | undefined;

  constructor(path: string, redact: Redact) {
    this.#path = path;
    this.#redact = redact;
  }

  /** False if the outcome has to be on the chain before anybody is answered. */
  keep(outcome: KeptOutcome): boolean {
    try {
      const text = encode({ ...outcome, value: this.#redact(outcome.value) });
      const bytes = Buffer.byteLength(text);
      const isLarge = bytes > gateLimits.keptOutcomeBytesMax;
      if (isLarge || this.#bytes + bytes > gateLimits.outcomeLogBytesMax) return false;
      this.#file ??= openSync(this.#path, 'a', 0o600);
      this.#bytes += bytes;
      if (writeSync(this.#file, text) < bytes) return false;
      this.#kept.add(outcome.proposal);
      return true;
    } catch {
      // A full disk, for example. The ledger will say so.
      return false;
    }
  }

  /** The outcome is on the chain. */
  release(proposal: string): void {
    this.#kept.delete(proposal);
    if (this.#kept.size > 0) return;
    if (this.#bytes > gateLimits.outcomeLogBytesMax / 2) this.#empty();
    // Values that may have to be destroyed one day do not stay here.
    this.#removal ??= setTimeout(() => this.removeIfUnused(), removalMs).unref();
  }

  /** What an earlier process has kept, by proposal. Much of it may be on the chain. */
  left(): ReadonlyMap<string, KeptOutcome> {
    const text = tryOr(() => readFileSync(this.#path, 'utf8'), '');
    return new Map(text.split('\n').flatMap(decode));
  }

  /** For when everything else in it is on the chain. */
  removeIfUnused(): void {
    this.#removal = undefined;
    if (this.#kept.size > 0) return;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#bytes = 0;
    rmSync(this.#path, { force: true });
  }

  #empty(): void {
    if (this.#file === undefined) return;
    ftruncateSync(this.#file);
    this.#bytes = 0;
  }
}

const removalMs = 1_000;

/** On a line of its own, also behind a record that was cut off. */
function encode({ actual, ...outcome }: KeptOutcome): string {
  const costs = actual instanceof Map ? Object.fromEntries(actual) : actual;
  return `\n${JSON.stringify({ ...outcome, actual: costs })}\n`;
}

/** Nothing for a record that was cut off: it was never answered for. */
function decode(line: string): [string, KeptOutcome][] {
  return tryOr(() => [readRecord(line)], []);
}

function readRecord(line: string): [string, KeptOutcome] {
  const { actual, ...outcome } = JSON.parse(line);
  const costs = typeof actual === 'string' ? actual : new Map(Object.entries(actual));
  return [outcome.proposal, { ...outcome, actual: costs }];
}
