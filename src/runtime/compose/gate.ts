import {
  type CompiledPolicy,
  createGate,
  type Gate,
  type GateParts,
  KeyRing,
  type Notify,
  OutcomeLog,
  PolicyBook,
} from '../../gate/index.ts';
import {
  type Actor,
  type Clock,
  type Log,
  type MakeIdentifier,
  redactSecrets,
} from '../../kernel/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Config } from '../../system/index.ts';
import { createNotify } from '../notices/notify.ts';
import type { WorkspacePlace } from '../place.ts';
import { isNative } from '../tools/natives.ts';
import { createToolRunner, type ToolFunctions } from '../tools/tool-runner.ts';
import { PolicyFile } from './policy-file.ts';

export interface ComposeDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly makeIdentifier: MakeIdentifier;
  readonly executor: string;
  readonly place: WorkspacePlace;
  readonly notify: Notify;
  /** Tools that are functions of this process. */
  readonly functions: ToolFunctions;
  readonly isAtHand?: GateParts['isAtHand'];
  readonly runsHere?: GateParts['runsHere'];
  /** Counts the requests of agents; absent in a program that has none. */
  readonly limiter?: { charge(actor: Actor, requests: number): void };
}

export interface ComposedGate {
  readonly gate: Gate;
  readonly policies: PolicyBook;
  readonly grantKeys: KeyRing;
  /** To be removed when the ledger is closed. */
  readonly outcomes: OutcomeLog;
  readonly interrupted: readonly string[];
}

export interface WorkspaceGateDeps extends Omit<ComposeDeps, 'notify'> {
  readonly config: Config;
  readonly log: Log;
  readonly onAdopted: (policy: CompiledPolicy) => void;
}

export interface WorkspaceGate extends ComposedGate {
  readonly policyFile: PolicyFile;
  readonly notify: Notify;
}

/** The gate of a workspace: settles calls that a crash left open, then adopts the policy file. */
export async function openWorkspaceGate(deps: WorkspaceGateDeps): Promise<WorkspaceGate> {
  const { ledger, place, config, log, clock, onAdopted } = deps;
  const notify = createNotify(config, ledger, log);
  const composed = await composeGate({ ...deps, notify });
  const { policies } = composed;
  const { act } = composed.gate;
  const policyDeps = { place, config, policies, act, log, clock, notify, onAdopted };
  const policyFile = new PolicyFile(policyDeps);
  await policyFile.adopt();
  return { ...composed, policyFile, notify };
}

/** The gate on a ledger, with the policy in force in that ledger. */
export async function composeGate(deps: ComposeDeps): Promise<ComposedGate> {
  const { ledger, clock, makeIdentifier, executor, place, functions, notify } = deps;
  const { isAtHand, runsHere, limiter } = deps;
  const policies = new PolicyBook(ledger);
  const grantKeys = new KeyRing(place.grantKeysFile, clock);
  const outcomes = new OutcomeLog(place.outcomesFile, redactSecrets);
  const gateDeps: GateParts = {
    ledger,
    clock,
    makeIdentifier,
    executor,
    policies,
    isNative,
    runTool: createToolRunner(functions, process.env),
    notify,
    keys: grantKeys,
    outcomes,
    ...(isAtHand ? { isAtHand } : {}),
    chargeDenied: (actor, requests) => limiter?.charge(actor, requests),
    ...(runsHere ? { runsHere } : {}),
  };
  const gate = createGate(gateDeps);
  await policies.reload();
  const interrupted = await gate.recoverInterrupted();
  return { gate, policies, grantKeys, outcomes, interrupted };
}
