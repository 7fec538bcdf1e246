import type { Host, Lane } from '../../lanes/index.ts';
import { laneLogs, markLogs, readSince } from '../observe/lane-logs.ts';
import { type Difference, findNewErrors, type LogLine } from './index.ts';

interface Pair {
  readonly control: Lane;
  readonly candidate: Lane;
}

/** What both versions logged during one start of theirs. */
interface Logged {
  readonly control: readonly LogLine[];
  readonly candidate: readonly LogLine[];
}

/**
 * Reads along what changed services log while many more requests are sent than suites send: some
 * errors and warnings need a dozen of them. Held against a change once two starts show the same.
 */
export class ErrorsMeanwhile {
  readonly #services: readonly string[];
  readonly #host: Pick<Host, 'readLog'>;
  readonly #starts: Logged[] = [];

  constructor(services: readonly string[], host: Pick<Host, 'readLog'>) {
    this.#services = services;
    this.#host = host;
  }

  async during<Result>(pair: Pair, work: () => Promise<Result>): Promise<Result> {
    const open = await Promise.all(
      [pair.control, pair.candidate].map((lane) => this.#listen(lane, pair.candidate)),
    );
    const result = await work();
    const [control = [], candidate = []] = await Promise.all(open.map((read) => read()));
    this.#starts.push({ control, candidate });
    return result;
  }

  /** Seen in two starts: one hiccup may well log several lines, and hits either version. */
  get certain(): Difference[] {
    return this.#found().filter((one) => this.#isCertain(one));
  }

  /** Seen, and not again. */
  get once(): Difference[] {
    return this.#found().filter((one) => !this.#isCertain(one));
  }

  #isCertain(difference: Difference): boolean {
    const starts = this.#starts.filter(({ candidate }) =>
      this.#new(candidate).some((one) => kindOf(one) === kindOf(difference)),
    );
    return starts.length > 1;
  }

  #found(): Difference[] {
    return this.#new(this.#starts.flatMap(({ candidate }) => candidate));
  }

  #new(lines: readonly LogLine[]): Difference[] {
    const known = { hops: [], logs: this.#starts.flatMap(({ control }) => control) };
    const recordings = { baseline: known, control: known, candidate: { hops: [], logs: lines } };
    return findNewErrors(recordings).filter(({ severity }) => severity === 'fail');
  }

  async #listen(lane: Lane, changed: Lane): Promise<() => Promise<LogLine[]>> {
    const logs = laneLogs(lane, this.#services, changed).filter(({ isWhole }) => isWhole);
    const marks = await markLogs(logs, this.#host);
    return async () => (await readSince(marks, logs, [], this.#host)).lines;
  }
}

const told = /^logged \d+ times: /;

function kindOf({ service, after }: Difference): string {
  return `${service} ${after.replace(told, '')}`;
}
