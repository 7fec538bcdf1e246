import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Instant } from '../../kernel/index.ts';
import { verifyLimits } from '../limits.ts';
import type { RecordedScenario, RecordingRules } from './api-schema.ts';
import { thinScenarios } from './thin-scenarios.ts';

const dayMs = 24 * 60 * 60 * 1_000;

/** Recorded scenarios in one private file, with limits of number, size and age. */
export class RecordedStore {
  readonly #file: string;
  #scenarios: readonly RecordedScenario[] | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** The newest first, and none older than `since`. */
  async list(since: Instant = 0): Promise<readonly RecordedScenario[]> {
    this.#scenarios ??= await this.#read();
    return this.#scenarios.filter(({ at }) => at >= since);
  }

  /** Removes what is older than `since` from the disk. */
  async prune(since: Instant): Promise<void> {
    const kept = await this.list(since);
    if (kept.length === this.#scenarios?.length) return;
    await this.#write(kept);
    this.#scenarios = kept;
  }

  async add(
    scenarios: readonly RecordedScenario[],
    rules: RecordingRules,
    now: Instant,
  ): Promise<void> {
    const all = [...scenarios.toReversed(), ...(await this.list())];
    const kept = bounded(thinScenarios(all, rules.perRoute), now - rules.keepDays * dayMs);
    this.#scenarios = kept;
    await this.#write(kept);
  }

  /** Returns how many there were. */
  async clear(): Promise<number> {
    const { length } = await this.list();
    this.#scenarios = [];
    await this.#inTurn(() => rm(this.#file, { force: true }));
    return length;
  }

  async #read(): Promise<readonly RecordedScenario[]> {
    try {
      const lines = (await readFile(this.#file, 'utf8')).split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as RecordedScenario);
    } catch {
      // Missing or damaged: then nothing is recorded.
      return [];
    }
  }

  #write(scenarios: readonly RecordedScenario[]): Promise<void> {
    const text = scenarios.map((scenario) => `${JSON.stringify(scenario)}\n`).join('');
    return this.#inTurn(async () => {
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
      const draft = `${this.#file}.new`;
      await writeFile(draft, text, { mode: 0o600 });
      await chmod(draft, 0o600);
      await rename(draft, this.#file);
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#writing.then(work);
    this.#writing = done.catch(() => undefined);
    return done;
  }
}

/** The newest that fit. */
function bounded(scenarios: readonly RecordedScenario[], since: Instant): RecordedScenario[] {
  let bytes = 0;
  return scenarios
    .filter(({ at }) => at >= since)
    .slice(0, verifyLimits.recordedScenariosMax)
    .filter((scenario) => {
      bytes += Buffer.byteLength(JSON.stringify(scenario)) + 1;
      return bytes <= verifyLimits.recordedBytesMax;
    });
}
