import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { tryOr } from '../../kernel/index.ts';

/** What was written in an earlier life of the process. */
export interface EarlierIntake {
  readonly run: string;
  readonly taken: number;
  /** Rows that lives before that one had lost. */
  readonly lost: number;
}

const runChars = 40;
const recordChars = 64;

/**
 * How many rows were taken, in a file. It is written in place with each batch that comes in, and
 * no disk is waited for: what the process has written survives its death, though not a power cut.
 */
export class IntakeJournal {
  readonly #run: string;
  readonly #lost: number;
  readonly #file: number;

  /** What the file said before is gone with this; `lost` is all that it told of. */
  constructor(path: string, run: string, lost: number) {
    this.#run = run;
    this.#lost = lost;
    // In place: on a full disk a file that is there can still be written.
    this.#file = openSync(path, existsSync(path) ? 'r+' : 'w', 0o600);
    this.note(0);
  }

  note(taken: number): void {
    const record = `${this.#run.padEnd(runChars)} ${taken} ${this.#lost}`;
    try {
      writeSync(this.#file, `${record.padEnd(recordChars - 1)}\n`, 0);
    } catch {
      // Then a later start tells less of what was lost. Rows are not refused for that.
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
