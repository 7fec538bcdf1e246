import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Instant, isJsonObject, type Json } from '../../kernel/index.ts';
import { verifyLimits } from '../limits.ts';
import type { RecordedScenario, RecordingRules, StoredRequest } from './api-schema.ts';
import { findCarried } from './carried-values.ts';
import { routeName } from './outward-routes.ts';
import { asScenario } from './sessions.ts';

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

/**
 * Keeps so many requests of each route and shape, the newest first, and those whose answers they
 * need. Scenarios are given and returned newest first.
 */
export function thinScenarios(
  scenarios: readonly RecordedScenario[],
  perRoute: number,
): RecordedScenario[] {
  const counts = new Map<string, number>();
  const isWanted = (request: StoredRequest): boolean => {
    const shape = shapeOf(request);
    const count = counts.get(shape) ?? 0;
    counts.set(shape, count + 1);
    return count < perRoute;
  };
  return scenarios.flatMap((scenario) => {
    const requests = withNeeded(scenario.requests, isWanted);
    if (requests.length === scenario.requests.length) return [scenario];
    return requests.length > 0 ? [{ ...scenario, requests }] : [];
  });
}

function withNeeded(
  requests: readonly StoredRequest[],
  isWanted: (request: StoredRequest) => boolean,
): readonly StoredRequest[] {
  const wanted = new Set(requests.flatMap((request, at) => (isWanted(request) ? [at] : [])));
  const carried = findCarried(requests.map(asScenario));
  // Backwards: a needed request may need an earlier one.
  for (let at = requests.length - 1; at >= 0; at--) {
    if (wanted.has(at)) for (const { from } of carried[at] ?? []) wanted.add(from);
  }
  return requests.filter((_, at) => wanted.has(at));
}

/** Requests of the same shape probably take the same path through a service. */
function shapeOf({ method, path, body, status, credentials }: StoredRequest): string {
  const [, query = ''] = path.split('?');
  const names = query.split('&').map((part) => part.split('=')[0]);
  const route = routeName(method, path);
  return JSON.stringify([route, names.sort(), fieldsOf(body), status, credentials]);
}

function fieldsOf(body: string | null): string[] {
  if (body === null) return [];
  try {
    return fields(JSON.parse(body) as Json, '');
  } catch {
    // A form.
    return body.split('&').map((part) => part.split('=')[0] ?? '');
  }
}

function fields(json: Json, place: string): string[] {
  if (Array.isArray(json)) return [...new Set(json.flatMap((item) => fields(item, `${place}[]`)))];
  if (!isJsonObject(json)) return [`${place}:${json === null ? 'null' : typeof json}`];
  return Object.keys(json)
    .sort()
    .flatMap((name) => fields(json[name] ?? null, `${place}.${name}`));
}
