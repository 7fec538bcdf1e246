import { setTimeout as delay } from 'node:timers/promises';
import type { Keeper } from '../../keeper/index.ts';
import { fault, type Log, toFault } from '../../kernel/index.ts';
import type { Baseline, Routes } from '../../lanes/index.ts';
import type { TelemetryProcess } from './telemetry-process.ts';

export interface ReviveDeps {
  readonly baseline: Pick<Baseline, 'revive'>;
  readonly routes: Pick<Routes, 'address'>;
  readonly telemetryProcess: Pick<TelemetryProcess, 'ensure'>;
  readonly log: Log;
}

type ReviveKeeper = Pick<Keeper, 'list'>;

/** For about ten minutes: after that, what is missing is for a person to see. */
const triesMax = 35;
const againAfterMs = 1_000;
const againAfterMsMax = 30_000;

/**
 * Starts again what died together with the keeper. A new keeper restarts what it adopts, but of a
 * process that is gone it does not know the environment, which may hold secrets.
 */
export function reviveLost(deps: ReviveDeps): (keeper: ReviveKeeper) => Promise<void> {
  return async (keeper) => {
    for (let tries = 1; !(await revive(keeper, deps)) && tries < triesMax; tries++) {
      await delay(Math.min(tries * againAfterMs, againAfterMsMax), undefined, { ref: false });
    }
  };
}

/** False if something could not be started, for example on a full disk. */
async function revive(keeper: ReviveKeeper, deps: ReviveDeps): Promise<boolean> {
  const { baseline, routes, telemetryProcess, log } = deps;
  const children = await keeper.list();
  const lost = new Set(
    children.filter(({ exit }) => exit?.reason === 'lost').map(({ name }) => name),
  );
  if (lost.size === 0) return true;
  log('warn', 'lost-revived', { names: [...lost] });
  const starts = [
    ...(lost.has('telemetry') ? [ensureTelemetry(telemetryProcess)] : []),
    ...(lost.has('router') ? [routes.address()] : []),
    baseline.revive(lost),
  ];
  const failures = (await Promise.allSettled(starts)).filter(isRejected);
  for (const { reason } of failures) log('error', 'revive-failed', toFault(reason).report());
  return failures.length === 0;
}

async function ensureTelemetry(process: ReviveDeps['telemetryProcess']): Promise<void> {
  if (await process.ensure()) return;
  throw fault('TELEMETRY_UNREACHABLE', { reason: 'it could not be started' });
}

function isRejected(result: PromiseSettledResult<unknown>): result is PromiseRejectedResult {
  return result.status === 'rejected';
}
