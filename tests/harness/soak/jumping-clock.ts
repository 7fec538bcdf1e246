import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../until.ts';

/** The file that says how far the clock of all processes is ahead of the machine's, in ms. */
const clockVariable = 'SURETY_TEST_CLOCK';

/** The programs that run as long as the system does. */
const programs = ['runtime-daemon-main', 'keeper-main', 'router-main', 'telemetry-main'];

/** Runs before the program itself; the clock of `kernel/clock.ts` reads `Date.now`. */
const jumping = (program: string): string => `import { readFileSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
const wall = Date.now.bind(Date);
let aheadMs = 0;
const look = () => {
  try { aheadMs = Number(readFileSync(process.env.${clockVariable}, 'utf8')) || 0; } catch {}
};
look();
setInterval(look, 100).unref();
Date.now = () => wall() + aheadMs;
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGUSR2', () => {
  collect();
  writeFileSync(process.env.${clockVariable} + '-' + process.pid, String(process.memoryUsage().heapUsed));
});
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

/** What a process has on its heap after a collection, in MB; null if it cannot be asked. */
export async function heapMbOf(pid: number): Promise<number | null> {
  const file = `${process.env[clockVariable]}-${pid}`;
  try {
    // Children of the keeper get an environment of their own.
    if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(clockVariable)) return null;
    process.kill(pid, 'SIGUSR2');
    const bytes = await until('the heap is measured', () => existsSync(file) && readFileSync(file));
    rmSync(file);
    return Math.round(Number(bytes) / 1_048_576);
  } catch {
    return null;
  }
}
