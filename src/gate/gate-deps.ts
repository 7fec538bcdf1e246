import type { Clock, MakeIdentifier } from '../kernel/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { PolicyBook } from './policy-book.ts';
import type { Notify, RunTool } from './tool-call.ts';

export interface GateDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly makeIdentifier: MakeIdentifier;
  /** Survives restarts of the daemon, so that it can find what an earlier process left open. */
  readonly executor: string;
  readonly policies: PolicyBook;
  /** Surety's own tools: they check their arguments themselves and need no contract. */
  readonly isNative: (tool: string) => boolean;
  readonly runTool: RunTool;
  readonly notify: Notify;
  /** Tools that this process executes although no contract says how; absent: none. */
  readonly runsHere?: (tool: string) => boolean;
  /** Whether a tool can be run yet, where programs bring theirs after the start; absent: always. */
  readonly isAtHand?: (tool: string) => boolean;
}
