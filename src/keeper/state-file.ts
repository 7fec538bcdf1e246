import { existsSync, readFileSync, renameSync } from 'node:fs';
import { type Instant, type Log, parseStrictJson, writePrivateFile } from '../kernel/index.ts';
import { type ChildRecord, childRecord } from './children/child.ts';
import { type HoldRecord, holdRecord } from './holds/hold.ts';
import { listOf, matching, objectOf, oneOf, unlessGiven, wholeNumber } from './protocol/fields.ts';

export interface KeeperState {
  readonly version: '1';
  readonly savedAt: Instant;
  /** Empty where there is none to be had. */
  readonly boot: string;
  readonly children: readonly ChildRecord[];
  readonly holds: readonly HoldRecord[];
}

const keeperState = objectOf({
  version: oneOf('1'),
  savedAt: wholeNumber(0),
  boot: matching(/^[0-9a-f-]*$/),
  children: listOf(childRecord),
  holds: unlessGiven([], listOf(holdRecord)),
});

/** Undefined when there is none, or none that can be understood; that one is kept for people. */
export function loadState(path: string, log: Log): KeeperState | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return keeperState(parseStrictJson(readFileSync(path, 'utf8')), 'keeper.json');
  } catch (error) {
    log('error', 'state-broken', { reason: (error as Error).message, movedTo: moveAside(path) });
    return undefined;
  }
}

function moveAside(path: string): string {
  let number = 1;
  while (existsSync(`${path}.broken-${number}`)) number++;
  renameSync(path, `${path}.broken-${number}`);
  return `${path}.broken-${number}`;
}

export interface StateWriter {
  /** Resolves when the present state is on disk, or when that was tried and logged. */
  save(): Promise<void>;
  /** Tries again what failed. */
  retry(): void;
}

export interface StateWriterDeps {
  readonly path: string;
  state(): KeeperState;
  /** Nothing is written into a directory that was deleted, or that is another's by now. */
  isOurs(): boolean;
  readonly log: Log;
}

/**
 * Each write waits for the disk, so all changes of one turn of the event loop share one. A disk
 * that is full does not stop the keeper: if it then dies as well, what the file does not know is
 * found by its mark and ended.
 */
export function createStateWriter({ path, state, isOurs, log }: StateWriterDeps): StateWriter {
  let next: Promise<void> | undefined;
  let isBehind = false;

  function write(): void {
    next = undefined;
    try {
      if (!isOurs()) return;
      writePrivateFile(path, `${JSON.stringify(state(), null, 2)}\n`);
      isBehind = false;
    } catch (error) {
      // Said once, not once a second until somebody makes room.
      if (!isBehind) log('error', 'state-not-saved', { reason: (error as Error).message });
      isBehind = true;
    }
  }

  return {
    save() {
      next ??= new Promise((resolve) => {
        setImmediate(() => resolve(write()));
      });
      return next;
    },
    retry() {
      if (isBehind) write();
    },
  };
}
