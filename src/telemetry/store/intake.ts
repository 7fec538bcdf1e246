import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';

/** What was written in an earlier life of the process. */
export interface EarlierIntake {
  readonly run: string;
  readonly taken: number;
}

const runChars = 40;
const recordChars = 64;

/**
 * How many rows were taken, in a file. It is written in place with each batch that comes in, and
 * no disk is waited for: what the process has written survives its death, though not a power cut.
 */
export class Intake {
  readonly earlier: EarlierIntake | null;
  readonly #run: string;
  readonly #file: number;

  constructor(path: string, run: string) {
    this.earlier = readEarlier(path);
    this.#run = run;
    // In place: on a full disk a file that is there can still be written.
    this.#file = openSync(path, existsSync(path) ? 'r+' : 'w', 0o600);
    this.note(0);
  }

  note(taken: number): void {
    const record = `${this.#run.padEnd(runChars)} ${taken}`;
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

function readEarlier(path: string): EarlierIntake | null {
  const [run = '', taken = ''] = readOrEmpty(path).trim().split(/\s+/);
  return run !== '' && /^\d+$/.test(taken) ? { run, taken: Number(taken) } : null;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
