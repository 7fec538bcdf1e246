import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { say } from '../steps.ts';
import { type KnownChange, keyOf, patchText } from './corpus-changes.ts';
import { type CorpusSystem, startCorpusSystem } from './corpus-system.ts';
import { type Judged, outcomeOf } from './corpus-table.ts';
import { askSurety } from './corpus-verdict.ts';

export interface JudgedBook {
  find(change: KnownChange): Judged | undefined;
  add(change: KnownChange, said: Partial<Judged>): void;
}

/** Written after every answer, so that a campaign can be ended and goes on where it was. */
export function openBook(file: string): JudgedBook {
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Judged[]) : [];
  const book = new Map(kept.map((judged) => [keyOf(judged), judged]));
  const find = (change: KnownChange): Judged | undefined => {
    const judged = book.get(keyOf(change));
    return judged?.digest === digestOf(change) ? judged : undefined;
  };
  return {
    find,
    add(change, said) {
      const digest = digestOf(change);
      const { name, author } = change;
      book.set(keyOf(change), { ...find(change), ...said, name, author, digest });
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${JSON.stringify([...book.values()], null, 1)}\n`);
    },
  };
}

function digestOf(change: KnownChange): string {
  return createHash('sha256').update(patchText(change)).digest('hex').slice(0, 16);
}

interface Judging {
  readonly book: JudgedBook;
  /** By default what each change needs. */
  readonly profile?: 'quick' | 'full' | undefined;
  /** The repository of another system than the trading platform. */
  readonly system?: string | undefined;
}

/** A verdict on each change, one after the other, into the book. */
export async function judgeBySurety(
  changes: readonly KnownChange[],
  { book, profile, system: directory }: Judging,
): Promise<void> {
  const judge = async (system: CorpusSystem, change: KnownChange): Promise<void> => {
    const surety = await askSurety(system, change, profile ?? change.profile);
    book.add(change, { surety });
    const { status, seconds, first, reason } = surety;
    const told = first ? `${first.class} ${first.what} by ${first.service}` : reason;
    const outcome = outcomeOf(change, surety);
    say(`${change.kind} ${change.name}: ${outcome} (${status}, ${seconds} s; ${told})`);
  };
  await withSystem(changes, judge, directory);
}

/** A fresh system after so many changes: what one of them left behind must not judge the next. */
const changesPerSystem = 20;

export async function withSystem(
  changes: readonly KnownChange[],
  ask: (system: CorpusSystem, change: KnownChange) => Promise<void>,
  directory?: string,
): Promise<void> {
  const isEnding = whenEnded();
  for (let at = 0; at < changes.length && !isEnding(); at += changesPerSystem) {
    const system = await startAgain(() => startCorpusSystem(directory));
    try {
      for (const change of changes.slice(at, at + changesPerSystem)) {
        if (!isEnding()) await ask(system, change);
      }
    } finally {
      await system.stop();
    }
  }
}

const startsMax = 3;

/** Somebody else may have taken a port between its choice and its use. */
export async function startAgain(start: () => Promise<CorpusSystem>): Promise<CorpusSystem> {
  for (let attempt = 1; attempt < startsMax; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      say(`the system did not start, once more: ${(error as Error).message}`);
    }
  }
  return start();
}

/** Ended by hand, it still finishes what it is at and takes its system down. */
export function whenEnded(): () => boolean {
  let isEnding = false;
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      isEnding = true;
    });
  }
  return () => isEnding;
}
