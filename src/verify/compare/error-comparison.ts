import type { Host, Lane } from '../../lanes/index.ts';
import { laneLogs, markLogs, readSince } from '../observe/lane-logs.ts';
import { type Difference, findNewErrors, type ServiceLogLine } from './index.ts';

interface Pair {
  readonly control: Lane;
  readonly candidate: Lane;
}

/** What both versions logged in one start. */
interface LoggedLines {
  readonly control: readonly ServiceLogLine[];
  readonly candidate: readonly ServiceLogLine[];
}

/**
 * Compares what changed services log while many requests are sent, since some errors need a dozen
 * of them. An error counts once two starts show it.
 */
export class ErrorComparison {
  readonly #services: readonly string[];
  readonly #host: Pick<Host, 'readLog'>;
  readonly #starts: LoggedLines[] = [];

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

  /** In two starts: one hiccup may log several lines, and hits either version. */
  get certain(): Difference[] {
    return this.#found().filter((one) => this.#isCertain(one));
  }

  /** In one start only. */
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

  #new(lines: readonly ServiceLogLine[]): Difference[] {
    const known = { hops: [], logs: this.#starts.flatMap(({ control }) => control) };
    const recordings = { baseline: known, control: known, candidate: { hops: [], logs: lines } };
    return findNewErrors(recordings).filter(({ severity }) => severity === 'fail');
  }

  async #listen(lane: Lane, changed: Lane): Promise<() => Promise<ServiceLogLine[]>> {
    const logs = laneLogs(lane, this.#services, changed).filter(({ isWhole }) => isWhole);
    const marks = await markLogs(logs, this.#host);
    return async () => (await readSince(marks, logs, [], this.#host)).lines;
  }
}

const countPrefix = /^logged \d+ times: /;

function kindOf({ service, after }: Difference): string {
  return `${service} ${after.replace(countPrefix, '')}`;
}
