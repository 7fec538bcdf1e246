import { resolve } from 'node:path';
import { type CompiledPolicy, compilePolicy, type Notify } from '../../gate/index.ts';
import {
  type Clock,
  createClock,
  createIdentifiers,
  type Log,
  readVersion,
  systemRandom,
} from '../../kernel/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Config } from '../../system/index.ts';
import { type ComposedGate, composeGate } from '../compose/gate.ts';
import { adoptPolicy, PolicyFile } from '../compose/policy-file.ts';
import { readPolicy } from '../compose/policy-source.ts';
import { openWorkspaceLedger } from '../compose/workspace-ledger.ts';
import { loadConfig } from '../load-config.ts';
import { createNotify } from '../notices/notify.ts';
import type { WorkspacePlace } from '../place.ts';
import { openExecutor } from '../state-files.ts';
import { natives } from '../tools/natives.ts';
import type { ToolFunction } from '../tools/tool-runner.ts';
import type { EmbeddedGateOptions } from './gate-options.ts';
import { stderrLog } from './stderr-log.ts';

/** What a directory is opened with, after the policy was read without mistakes. */
export interface Plan {
  readonly place: WorkspacePlace;
  readonly config: Config;
  readonly policy: CompiledPolicy;
  /** Whether the policy is read again when its file changes. */
  readonly isFile: boolean;
  readonly log: Log;
  readonly onNotice: Notify;
}

export interface Composition extends ComposedGate {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly policyFile: PolicyFile | null;
}

export function planOwn(place: WorkspacePlace, options: EmbeddedGateOptions): Plan {
  const { policy, environment, log = stderrLog, onNotice = () => undefined } = options;
  const named = environment === undefined ? {} : { environment };
  const isFile = typeof policy === 'string';
  const file = isFile ? { policy: resolve(policy) } : {};
  const config: Config = { ...loadConfig(place), ...named, ...file };
  const name = config.environment === undefined ? {} : { name: config.environment };
  const compiled = isFile ? readPolicy(place, config) : compilePolicy(policy, { natives, ...name });
  return { place, config, policy: compiled, isFile, log, onNotice };
}

export async function composeOwn(
  plan: Plan,
  functions: ReadonlyMap<string, ToolFunction>,
): Promise<Composition> {
  const { place, config, log } = plan;
  const clock = createClock();
  const ledger = await openWorkspaceLedger(place, config, clock, log);
  try {
    const executor = openExecutor(place);
    const notify = notifyOf(plan, ledger);
    const composed = await composeGate({
      ledger,
      clock,
      makeIdentifier: createIdentifiers(clock, systemRandom),
      executor,
      place,
      functions,
      notify,
      isAtHand: (tool) => functions.has(tool) || isRunnable(composed, tool),
    });
    const policyFile = await adopt(plan, { ...composed, clock, notify });
    const body = { executor, version: readVersion(), node: process.version, pid: process.pid };
    await ledger.append({ kind: 'gate-opened', actor: 'surety:gate', body });
    return { ...composed, ledger, clock, policyFile };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

function notifyOf({ config, log, onNotice }: Plan, ledger: Ledger): Notify {
  const notify = createNotify(config, ledger, log);
  return (notice) => {
    notify(notice);
    onNotice(notice);
  };
}

function isRunnable({ policies }: ComposedGate, tool: string): boolean {
  return (policies.current?.contracts.get(tool)?.run ?? null) !== null;
}

async function adopt(
  { place, config, log, isFile, policy }: Plan,
  { gate, policies, clock, notify }: ComposedGate & { clock: Clock; notify: Notify },
): Promise<PolicyFile | null> {
  const { act } = gate;
  if (!isFile) {
    await adoptPolicy(policy, { policies, act });
    return null;
  }
  const onAdopted = (): void => undefined;
  const deps = { place, config, policies, act, log, clock, notify, onAdopted };
  const file = new PolicyFile(deps);
  await file.adopt();
  return file;
}
