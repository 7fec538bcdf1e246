import {
  type CoverageRecords,
  type Hop,
  type Lane,
  type Lanes,
  type Trees,
  takeRecords,
} from '../../lanes/index.ts';
import { type Config, servicesOf } from '../../system/index.ts';
import { changedServices, type LanePair } from '../pipeline/lane-pair.ts';
import type { VerifyRequest } from '../pipeline/request.ts';
import type { ChangeCoverage } from './api-schema.ts';
import {
  type ChangedFile,
  readChangedCode,
  type WatchedChange,
  watchedLines,
  wholeFileLines,
} from './changed-code.ts';
import { judgeCoverage } from './judge-coverage.ts';

/** The code of a change, and the lines that both versions have to watch. */
export interface ChangedCode {
  readonly files: readonly ChangedFile[];
  readonly watched: WatchedChange;
}

interface CoverageContext {
  readonly lanes: Pick<Lanes, 'diffOf'>;
  readonly trees: Pick<Trees, 'relativeToSystem' | 'coverageOf' | 'topOf'>;
  readonly config: Pick<Config, 'services'>;
}

/** Null if nothing is changed. */
export async function findChangedCode(
  { patch, base, restarted }: Pick<VerifyRequest, 'patch' | 'base' | 'restarted'>,
  { lanes }: Pick<CoverageContext, 'lanes'>,
): Promise<ChangedCode | null> {
  if (restarted) return null;
  const files = readChangedCode(await lanes.diffOf({ patch, base }, wholeFileLines));
  return { files, watched: watchedLines(files) };
}

/** What the lanes of both versions recorded. */
export interface VersionRecords {
  readonly control: CoverageRecords;
  readonly candidate: CoverageRecords;
}

interface RecordedPair extends LanePair {
  readonly hops: readonly Hop[];
  /** What other lanes of the same versions recorded. */
  readonly more?: VersionRecords | undefined;
}

/** Which of the changed lines ran so far. From now on nothing is recorded any more. */
export async function takeCoverage(
  { files }: ChangedCode,
  { control, candidate, hops, more }: RecordedPair,
  { trees, config }: Omit<CoverageContext, 'lanes'>,
): Promise<ChangeCoverage> {
  const recordsOf = (lane: Lane, other?: CoverageRecords): CoverageRecords =>
    withRequests(merged(takeRecords(lane, trees), other), hops);
  const records = {
    control: recordsOf(control, more?.control),
    candidate: recordsOf(candidate, more?.candidate),
  };
  const owners = new Map<string, readonly string[]>();
  for (const { file } of files) {
    owners.set(file, servicesOf(config, await trees.relativeToSystem([file])));
  }
  const ownersOf = (file: string): readonly string[] => owners.get(file) ?? [];
  // Files of no service, such as documentation and suites, run nowhere unless something loads them.
  const own = files.filter(({ file }) => ownersOf(file).length > 0 || isLoaded(file, records));
  const isCode = ({ language, blocks }: ChangedFile): boolean =>
    language !== 'data' && blocks.length > 0;
  if (own.some(isCode)) return judgeCoverage({ files: own, ...records, servicesOf: ownersOf });
  // Shared code, for which the changed services were started: any of them could have loaded it.
  const shared = changedServices(candidate);
  return judgeCoverage({ files, ...records, servicesOf: () => shared });
}

function merged(own: CoverageRecords, other: CoverageRecords | undefined): CoverageRecords {
  if (other === undefined) return own;
  return {
    recorders: new Set([...own.recorders, ...other.recorders]),
    points: [...own.points, ...other.points],
    executed: [...own.executed, ...other.executed],
  };
}

/** A service without reports knows of its requests only their traces. */
function withRequests(records: CoverageRecords, hops: readonly Hop[]): CoverageRecords {
  const executed = records.executed.map((point) => {
    const hop = hops.find(({ traceId }) => traceId !== null && traceId === point.traceId);
    const request = hop ? `${hop.method} ${hop.path}` : point.request;
    return { ...point, request: request?.split('?')[0] ?? null };
  });
  return { ...records, executed };
}

function isLoaded(file: string, sides: Readonly<Record<string, CoverageRecords>>): boolean {
  return Object.values(sides).some(({ points }) => points.some((point) => point.file === file));
}
