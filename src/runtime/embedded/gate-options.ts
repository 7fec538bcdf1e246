import type { Notify, PolicyDocument } from '../../gate/index.ts';
import type { Log } from '../../kernel/index.ts';
import type { EmbeddedAct } from './embedded-act.ts';
import type { Guard } from './guard.ts';
import type { GuardTools } from './guarded-tools.ts';

export interface GateOptions {
  /** Where trouble is told that no caller hears of; the standard error output unless said. */
  readonly log?: Log;
}

export interface EmbeddedGateOptions extends GateOptions {
  /** Where the ledger and the keys lie. One program at a time has it open. */
  readonly directory: string;
  /** The path of a policy document, or one of `definePolicy`. */
  readonly policy: string | PolicyDocument;
  /** As whom the functions of this program are called: one of the policy's agents. */
  readonly agent: string;
  /** Which of the `environments` of the policy this is. */
  readonly environment?: string;
  /** Told when a person is needed, besides those whom a surety.yaml in the directory names. */
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
  /** Waits for calls under way. Also by `await using`. */
  close(): Promise<void>;
}
