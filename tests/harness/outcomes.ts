import { expect } from 'vitest';
import type { Client } from '../../src/http/index.ts';
import { Fault } from '../../src/kernel/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { accountKey, moveMoney, note } from '../../src/ledger/ledger.fixture.ts';
import type { SoundLedger } from './sound-ledger.ts';

/** What callers were told about their notes, by text; no two notes have the same one. */
export interface Outcomes {
  /** The entries that were said to be written. */
  readonly acknowledged: ReadonlyMap<string, number>;
  readonly refused: ReadonlyMap<string, Fault>;
}

export type Send = (text: string) => Promise<number>;

/** Notes over HTTP, each under its text as idempotency key. */
export function overHttp(client: Client): Send {
  return async (text) => {
    const { seq } = await client.call('POST /v1/notes', { body: { text } }, { key: text });
    return seq;
  };
}

/**
 * Notes in this process, each with a change of a row that would show if it were lost or doubled.
 */
export function inProcess(ledger: Ledger): Send {
  return async (text) => {
    const [entry] = await ledger.append(note(text), moveMoney(`account-${text.length}`, 1));
    return entry?.seq ?? 0;
  };
}

/** The same, decided over a row: such a batch holds the lock on the head from its beginning. */
export function decided(ledger: Ledger): Send {
  return (text) =>
    ledger.transact({
      keys: [accountKey('a')],
      decide: (rows) => ({
        drafts: [note(text), moveMoney('a', rows.get(accountKey('a')) === undefined ? 2 : 1)],
        result: ([entry]) => entry?.seq ?? 0,
      }),
    });
}

/**
 * Sends all of them at once. What goes wrong must reach a caller as a fault; anything else throws.
 */
export async function sendAll(
  texts: readonly string[],
  send: Send,
  onAcknowledged: (count: number) => void = () => undefined,
): Promise<Outcomes> {
  const acknowledged = new Map<string, number>();
  const refused = new Map<string, Fault>();
  await Promise.all(
    texts.map(async (text) => {
      try {
        acknowledged.set(text, await send(text));
        onAcknowledged(acknowledged.size);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        refused.set(text, error);
      }
    }),
  );
  return { acknowledged, refused };
}

/** How often each fault was the answer. */
export function faultCounts({ refused }: Outcomes): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code } of refused.values()) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

/** One after the other: what was refused first and then acknowledged is acknowledged. */
export function inAll(...all: readonly Outcomes[]): Outcomes {
  const acknowledged = new Map(all.flatMap((outcomes) => [...outcomes.acknowledged]));
  const refused = all.flatMap((outcomes) => [...outcomes.refused]);
  return { acknowledged, refused: new Map(refused.filter(([text]) => !acknowledged.has(text))) };
}

/** Faults that do not say whether the note was written. */
const doubtful = new Set([
  'DAEMON_NOT_RUNNING',
  'LEDGER_IN_DOUBT',
  'PROPOSAL_IN_FLIGHT',
  'PROPOSAL_UNKNOWN',
]);

/**
 * Nothing acknowledged is lost, nothing is doubled, and what was refused in plain words was not
 * written.
 */
export function expectKept({ acknowledged, refused }: Outcomes, { notes }: SoundLedger): void {
  const doubled = [...notes].filter(([, seqs]) => seqs.length > 1);
  const lost = [...acknowledged].filter(([text, seq]) => notes.get(text)?.[0] !== seq);
  const refusedButThere = [...refused]
    .filter(([text, { code }]) => notes.has(text) && !doubtful.has(code))
    .map(([text, { code }]) => `${text}: ${code}`);
  expect({ doubled, lost, refusedButThere }).toEqual({
    doubled: [],
    lost: [],
    refusedButThere: [],
  });
}
