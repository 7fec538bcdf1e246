import type { Keeper } from '../../keeper/index.ts';
import { type Log, toFault } from '../../kernel/index.ts';
import type { Baseline, Routes } from '../../lanes/index.ts';
import type { TelemetryProcess } from './telemetry-process.ts';

export interface ReviveDeps {
  readonly baseline: Pick<Baseline, 'revive'>;
  readonly routes: Pick<Routes, 'address'>;
  readonly telemetryProcess: Pick<TelemetryProcess, 'ensure'>;
  readonly log: Log;
}

/**
 * Starts again what died together with the keeper. A new keeper restarts what it adopts, but of a
 * process that is gone it does not know the environment, which may hold secrets.
 */
export function reviveLost(deps: ReviveDeps): (keeper: Keeper) => Promise<void> {
  return (keeper) => revive(keeper, deps);
}

async function revive(keeper: Keeper, deps: ReviveDeps): Promise<void> {
  const { baseline, routes, telemetryProcess, log } = deps;
  const children = await keeper.list();
  const lost = new Set(
    children.filter(({ exit }) => exit?.reason === 'lost').map(({ name }) => name),
  );
  if (lost.size === 0) return;
  log('warn', 'lost-revived', { names: [...lost] });
  const starts = [
    ...(lost.has('telemetry') ? [telemetryProcess.ensure()] : []),
    ...(lost.has('router') ? [routes.address()] : []),
    baseline.revive(lost),
  ];
  for (const { reason } of (await Promise.allSettled(starts)).filter(isRejected))
    log('error', 'revive-failed', toFault(reason).report());
}

function isRejected(result: PromiseSettledResult<unknown>): result is PromiseRejectedResult {
  return result.status === 'rejected';
}
