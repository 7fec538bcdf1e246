import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { keepCase } from '../tests/fuzz/cases.ts';
import { type FuzzState, fuzz, newFuzzState } from '../tests/fuzz/fuzzing.ts';
import { fuzzTargets } from '../tests/fuzz/targets.ts';
import { freshBundle } from './fresh-bundle.ts';
import { say } from './steps.ts';

/**
 * `npm run fuzz -- <target> [executions] [seed]`: damaged inputs for one target, or for `all`,
 * until it has had so many with this seed. Goes on where the last run ended. An input that is
 * neither accepted nor refused becomes a case of the tests.
 */
const [name = '', executions = '10000', seed = '1'] = process.argv.slice(2);
const names = name === 'all' ? Object.keys(fuzzTargets) : [name];
if (!names.every((one) => Object.hasOwn(fuzzTargets, one))) {
  say(`npm run fuzz -- all|${Object.keys(fuzzTargets).join('|')} [executions] [seed]`);
  process.exit(2);
}
process.env.SURETY_TEST_BUNDLE ??= await freshBundle();
const states = resolve(import.meta.dirname, '..', '.cache', 'fuzz');
const saveEveryMs = 10_000;
const hungAfterMs = 300_000;

let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isStopped = true;
  });
}
for (const one of names) await fuzzTarget(one);

async function fuzzTarget(target: string): Promise<void> {
  const file = join(states, `${target}-${seed}.json`);
  const state = existsSync(file) ? readState(file) : newFuzzState(Number(seed));
  const started = { at: performance.now(), executions: state.executions };
  const watchdog = watchForHang(target);
  const saving = setInterval(() => {
    writeState(file, state);
    say(`${target}: ${state.executions} executions, ${state.outcomes.size} kinds of outcomes`);
  }, saveEveryMs);
  {
    await using fuzzed = await (fuzzTargets[target] as (typeof fuzzTargets)[string])();
    await fuzz(fuzzed, state, Number(executions), {
      begin: watchdog.begin,
      isStopped: () => isStopped,
      found: (finding) => {
        process.exitCode = 1;
        say(`${target}: ${keepCase(target, finding)}\n${finding.error}`);
      },
    });
  }
  clearInterval(saving);
  await watchdog.stop();
  writeState(file, state);
  const seconds = ((performance.now() - started.at) / 1_000).toFixed(0);
  const added = state.executions - started.executions;
  say(`${target}: ${state.executions} executions in all, ${added} now, in ${seconds} s.`);
}

interface SavedState {
  readonly seed: number;
  readonly executions: number;
  readonly outcomes: readonly [string, number][];
  readonly corpus: readonly string[];
}

function readState(file: string): FuzzState {
  const { seed, executions, outcomes, corpus } = JSON.parse(
    readFileSync(file, 'utf8'),
  ) as SavedState;
  const inputs = corpus.map((input) => Buffer.from(input, 'base64'));
  return { seed, executions, outcomes: new Map(outcomes), corpus: inputs };
}

function writeState(file: string, { seed, executions, outcomes, corpus }: FuzzState): void {
  mkdirSync(states, { recursive: true });
  const inputs = corpus.map((input) => input.toString('base64'));
  const saved: SavedState = { seed, executions, outcomes: [...outcomes], corpus: inputs };
  writeFileSync(file, `${JSON.stringify(saved)}\n`);
}

/** A thread of its own notices when an execution never ends, and keeps its input. */
function watchForHang(target: string): { begin(input: Buffer): void; stop(): Promise<number> } {
  const bytesMax = 65_536;
  const shared = {
    count: new Int32Array(new SharedArrayBuffer(8)),
    input: new Uint8Array(new SharedArrayBuffer(bytesMax)),
  };
  const code = `const { workerData: { count, input, hungAfterMs, file } } = require('node:worker_threads');
    const { writeFileSync } = require('node:fs');
    let [last, since] = [-1, performance.now()];
    setInterval(() => {
      if (count[0] !== last) [last, since] = [count[0], performance.now()];
      if (performance.now() - since < hungAfterMs) return;
      writeFileSync(file, Buffer.from(input.slice(0, count[1])));
      process.stderr.write('An execution does not end. Its input is in ' + file + '.\\n');
      process.kill(process.pid, 'SIGKILL');
    }, 1_000);`;
  mkdirSync(states, { recursive: true });
  const workerData = { ...shared, hungAfterMs, file: join(states, `${target}.hang`) };
  const worker = new Worker(code, { eval: true, workerData });
  return {
    begin(input) {
      shared.input.set(input.subarray(0, bytesMax));
      shared.count[1] = Math.min(input.length, bytesMax);
      shared.count[0] = ((shared.count[0] ?? 0) + 1) | 0;
    },
    stop: () => worker.terminate(),
  };
}
