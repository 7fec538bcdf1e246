import { Scene } from '../../src/router/scene.fixture.ts';
import { startNats } from '../harness/local-server.ts';
import { Fleet } from './fleet.ts';
import type { Judgement } from './judge.ts';
import { planSystem, type SystemPlan } from './plan.ts';
import { runSystem } from './run-system.ts';

export interface Campaign {
  readonly systems: number;
  readonly keyed: number;
  readonly unkeyed: number;
  readonly told: number;
  readonly problems: readonly string[];
}

/** Plays so many systems, one after the other, on the same processes and one router. */
export async function runCampaign(
  first: number,
  count: number,
  onSystem: (seed: number, judgement: Judgement) => void = () => {},
  planOf: (seed: number) => SystemPlan = planSystem,
): Promise<Campaign> {
  await using scene = await Scene.open();
  const nats = await startNats();
  await using _ = { [Symbol.asyncDispose]: nats.stop };
  await using fleet = new Fleet({ routerPort: scene.port, natsPort: nats.port });
  const place = { fleet, router: scene.router, port: scene.port };
  const all: Judgement[] = [];
  const problems: string[] = [];
  for (let seed = first; seed < first + count; seed++) {
    const judgement = await runSystem(planOf(seed), place);
    onSystem(seed, judgement);
    all.push(judgement);
    problems.push(...judgement.problems);
  }
  const sum = (field: 'keyed' | 'unkeyed' | 'told'): number =>
    all.reduce((total, judgement) => total + judgement[field], 0);
  return {
    systems: all.length,
    keyed: sum('keyed'),
    unkeyed: sum('unkeyed'),
    told: sum('told'),
    problems,
  };
}
