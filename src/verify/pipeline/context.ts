import type { Confinement } from '../../confinement/index.ts';
import type { Act, Actor, Clock, MakeIdentifier, RandomBytes } from '../../kernel/index.ts';
import type { Baseline, Host, Lanes, LaneUse, Routes, Trees } from '../../lanes/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Config, UnexecutedRule } from '../../system/index.ts';
import type { Dispute } from '../api-schema.ts';
import type { ServiceLogLine } from '../compare/index.ts';
import type { CapturesDeps } from '../suites/suite-captures.ts';
import type { TrafficRecording } from '../traffic/index.ts';
import type { Progress } from './progress.ts';

/** What verification works with; each function takes the part that it needs. */
export interface VerifyContext {
  readonly act: Act;
  readonly ledger: Ledger;
  readonly progress: Progress;
  readonly clock: Clock;
  readonly host: Host;
  readonly lanes: Lanes;
  readonly baseline: Baseline;
  readonly routes: Routes;
  readonly trees: Trees;
  readonly confinement: Confinement;
  readonly config: Config;
  readonly makeIdentifier: MakeIdentifier;
  /** For suites that capture values inside candidates. */
  readonly captures?: CapturesDeps;
  /** Who asked for the run, and answers for the tests of it. */
  readonly requestedBy?: Actor;
  /** Draws which version goes first; the system's random bytes if left out. */
  readonly random?: RandomBytes;
  /** Aborts at the deadline: suites are ended, and the verdict states what is known by then. */
  readonly signal?: AbortSignal;
  /** Called with what the run is doing. */
  readonly onProgress?: (stage: string) => void;
  /** The disputes in force: their findings do not count. */
  readonly disputes?: readonly Dispute[];
  /** What code that no request ran makes of a pass; a notice if left out. */
  readonly unexecuted?: UnexecutedRule;
  /** What it makes of a pass if nothing tells the change from the baseline; the same. */
  readonly undistinguished?: UnexecutedRule;
  /** Recorded traffic of the baseline; left out where recording is not allowed. */
  readonly recorded?: () => Promise<TrafficRecording>;
  /** Called with what each lane of the run took, before it is closed. */
  readonly onUse?: (use: LaneUse) => unknown;
  /** Called with what the changed services logged, round by round. */
  readonly onLogs?: (lines: readonly ServiceLogLine[]) => unknown;
}
