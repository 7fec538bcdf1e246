import type { Notify, PolicyDocument } from '../../gate/index.ts';
import type { Log } from '../../kernel/index.ts';
import type { EmbeddedAct } from './embedded-act.ts';
import type { Guard } from './guard.ts';
import type { GuardTools } from './guarded-tools.ts';

export interface GateOptions {
  /** Receives problems that no caller gets; default: standard error. */
  readonly log?: Log;
}

export interface EmbeddedGateOptions extends GateOptions {
  /** The directory of the ledger and the keys. Only one program at a time can open it. */
  readonly directory: string;
  /** The path of a policy document, or one of `definePolicy`. */
  readonly policy: string | PolicyDocument;
  /** The agent of the policy that calls the functions of this program. */
  readonly agent: string;
  /** The entry of the policy's `environments` to use. */
  readonly environment?: string;
  /** Called when a person is needed, in addition to those in the directory's surety.yaml. */
  readonly onNotice?: Notify;
}

/** What both kinds of gates can do. */
export interface GuardedGate extends AsyncDisposable {
  /** A function that runs only when the gate grants it, and once. */
  readonly guard: Guard;
  /** The same for a map of tools: plain functions, or objects with `execute`. */
  readonly tools: GuardTools;
  /** One proposal, with the function that executes it. */
  readonly act: EmbeddedAct;
  /** Waits for calls in progress. Also called by `await using`. */
  close(): Promise<void>;
}
