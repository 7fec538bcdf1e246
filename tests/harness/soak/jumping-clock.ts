import { cpSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file that says how far the clock of all processes is ahead of the machine's, in ms. */
const clockVariable = 'SURETY_TEST_CLOCK';

/** The programs that run as long as the system does. */
const programs = ['runtime-daemon-main', 'keeper-main', 'router-main', 'telemetry-main'];

/** Runs before the program itself; the clock of `kernel/clock.ts` reads `Date.now`. */
const jumping = (program: string): string => `import { readFileSync } from 'node:fs';
const wall = Date.now.bind(Date);
let aheadMs = 0;
const look = () => {
  try { aheadMs = Number(readFileSync(process.env.${clockVariable}, 'utf8')) || 0; } catch {}
};
look();
setInterval(look, 100).unref();
Date.now = () => wall() + aheadMs;
await import('./${program}-itself.js');
`;

/** A copy of a bundle, beside it, whose processes follow the clock in a file. */
export function bundleWithClock(bundle: string): string {
  const folder = `${bundle}-clock`;
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  cpSync(bundle, unfinished, { recursive: true });
  for (const program of programs) {
    renameSync(join(unfinished, `${program}.js`), join(unfinished, `${program}-itself.js`));
    writeFileSync(join(unfinished, `${program}.js`), jumping(program));
  }
  renameSync(unfinished, folder);
  return folder;
}

/** Steps the clock of every process that is started from now on, and of those that run. */
export class JumpingClock {
  readonly #file: string;
  #aheadMs = 0;

  constructor(file: string) {
    this.#file = file;
    process.env[clockVariable] = file;
    this.jump(0);
  }

  jump(byMs: number): void {
    this.#aheadMs += byMs;
    writeFileSync(this.#file, String(this.#aheadMs));
  }
}
