import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { tryOr } from '../../kernel/index.ts';

/** What an earlier run of the process has written. */
export interface EarlierIntake {
  readonly run: string;
  readonly taken: number;
  /** Rows that runs before that one had lost. */
  readonly lost: number;
}

const runChars = 40;
const recordChars = 64;

/**
 * Counts accepted rows in a file. It is written in place with each batch, without waiting for the
 * disk: it survives the death of the process, but not a power cut.
 */
export class IntakeJournal {
  readonly #run: string;
  readonly #lost: number;
  readonly #file: number;

  /** Replaces the earlier content of the file, of which only `lost` is kept. */
  constructor(path: string, run: string, lost: number) {
    this.#run = run;
    this.#lost = lost;
    // In place, because an existing file can be written even on a full disk.
    this.#file = openSync(path, existsSync(path) ? 'r+' : 'w', 0o600);
    this.note(0);
  }

  note(taken: number): void {
    const record = `${this.#run.padEnd(runChars)} ${taken} ${this.#lost}`;
    try {
      writeSync(this.#file, `${record.padEnd(recordChars - 1)}\n`, 0);
    } catch {
      // A later start then reports fewer lost rows. Rows are not refused for that.
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

export function readEarlier(path: string): EarlierIntake | null {
  const [run = '', taken = '', lost = '0'] = tryOr(() => readFileSync(path, 'utf8'), '')
    .trim()
    .split(/\s+/);
  const isWhole = run !== '' && [taken, lost].every((count) => /^\d+$/.test(count));
  return isWhole ? { run, taken: Number(taken), lost: Number(lost) } : null;
}
