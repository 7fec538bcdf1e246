import type { Actor, Clock, MakeIdentifier } from '../kernel/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { OutcomeLog } from './outcome-log.ts';
import type { PolicyBook } from './policy-book.ts';
import type { Agenda } from './recovery/agenda.ts';
import type { Notify, RunTool } from './tool-call.ts';

export interface GateDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly makeIdentifier: MakeIdentifier;
  /**
   * Survives restarts of the daemon, which then finds the calls that an earlier process left open.
   */
  readonly executor: string;
  readonly policies: PolicyBook;
  /** Surety's own tools: they check their arguments themselves and need no contract. */
  readonly isNative: (tool: string) => boolean;
  readonly runTool: RunTool;
  readonly notify: Notify;
  /** When this process looks at unresolved proposals again. */
  readonly agenda: Agenda;
  /** Where outcomes are until the ledger has them; absent if no caller is answered before that. */
  readonly outcomes?: OutcomeLog;
  /** A denied call costs its caller as many requests as its arguments are worth. */
  readonly chargeDenied?: (actor: Actor, requests: number) => void;
  /** Tools that this process executes without a runner in a contract; absent if there are none. */
  readonly runsHere?: (tool: string) => boolean;
  /** Whether a tool can run yet, if programs register tools after the start; absent if all can. */
  readonly isAtHand?: (tool: string) => boolean;
}
