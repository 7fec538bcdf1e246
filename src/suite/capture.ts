import { LaneNeeded, messageOf, type SuiteEnvironment, SuiteError } from './broken.ts';

/** Where to read what, inside a service. */
export interface CapturePoint {
  readonly service: string;
  /** The path in the repository. */
  readonly file: string;
  /** From 1, in the version of the suite; the same line is found in other versions. */
  readonly line?: number;
  /** In place of a line: the first one of this function. */
  readonly function?: string;
  /** What to read there; all local variables if left out. */
  readonly expressions?: readonly string[];
  /** Only when this is truthy. */
  readonly condition?: string;
  /** Hits to read at most; 100 if left out. */
  readonly hitsMax?: number;
}

/** One hit. */
export interface SuiteCapture {
  /** By expression; null where it could not be read. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly types: Readonly<Record<string, string>>;
  /** By expression: why it could not be read. */
  readonly errors: Readonly<Record<string, string>>;
  /** The functions, the innermost first. */
  readonly stack: readonly string[];
}

export interface Captured<Result> {
  readonly result: Result;
  /** Null: the lane has no copy of the service, as the change does not touch it. */
  readonly captures: readonly SuiteCapture[] | null;
}

interface CaptureAnswer {
  readonly capture?: string | null;
  readonly captures?: readonly SuiteCapture[];
  readonly missed?: string | null;
  readonly message?: string;
}

/** Reads values inside the candidate while `work` runs. */
export async function capture<Result>(
  environment: SuiteEnvironment,
  point: CapturePoint,
  work: () => Promise<Result> | Result,
): Promise<Captured<Result>> {
  const address = environment.SURETY_CAPTURES;
  if (!address) throw new LaneNeeded('A capture needs a lane: SURETY_CAPTURES is not set.');
  const { capture: id } = await call(address, 'POST', point);
  if (!id) return { result: await work(), captures: null };
  const end = (): Promise<CaptureAnswer> => call(`${address}/${id}`, 'DELETE');
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    await end().catch(() => undefined);
    throw error;
  }
  const { captures = [], missed } = await end();
  if (missed) throw new SuiteError(`The capture is not complete: ${missed}`);
  return { result, captures };
}

async function call(url: string, method: string, body?: object): Promise<CaptureAnswer> {
  try {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(url, { method, ...sent });
    const answer = (await response.json()) as CaptureAnswer;
    if (response.ok) return answer;
    throw new SuiteError(`The capture was refused: ${answer.message}`);
  } catch (error) {
    if (error instanceof SuiteError) throw error;
    throw new SuiteError(`The capture failed: ${messageOf(error)}`);
  }
}
