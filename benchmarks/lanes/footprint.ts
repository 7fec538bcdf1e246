import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '../../tests/harness/postgres/postgres.ts';
import { git } from '../../tests/harness/systems/small-system.ts';
import { makeTradingSystem } from '../../tests/harness/systems/trading-system.ts';
import type { Workspace } from '../../tests/harness/workspace.ts';
import { atMost, type BenchResult, type Say } from '../bench.ts';
import { makeLargeSystem } from './large-system.ts';

/** What a lane of one service takes of the machine, beside what a copy of the system would. */
export async function measureFootprint(say: Say): Promise<BenchResult> {
  say('a system of 40 services and 12 databases');
  const processes = await startedByLane();
  say('the trading example');
  const { lane, copy } = await tradingMemory();
  const share = (100 * lane) / copy;
  return {
    bars: [
      atMost(
        'lanes.processes',
        'processes started for one changed service of 40',
        processes,
        1,
        'processes',
      ),
      atMost(
        'lanes.memory',
        'PSS of a one-service lane, relative to a copy of the system',
        share,
        20,
        '%',
      ),
    ],
    rows: [
      { contender: 'a lane of pricing (trading)', 'PSS KiB': lane },
      { contender: 'a second copy of the services', 'PSS KiB': copy },
    ],
  };
}

async function startedByLane(): Promise<number> {
  await using system = await makeLargeSystem(40, 12);
  const { workspace } = system;
  await workspace.up();
  await workspace.run('system', 'up');
  const before = workspace.processes().length;
  await system.openLane();
  return workspace.processes().length - before;
}

/** A copy takes what the services of the baseline take: the same programs, once more. */
async function tradingMemory(): Promise<{ lane: number; copy: number }> {
  const postgres = await startPostgres();
  try {
    await using workspace = await makeTradingSystem(() => postgres.createDatabase());
    await workspace.up();
    await workspace.run('system', 'up');
    const { services } = await workspace.client().call('GET /v1/system', {});
    const lane = await openTradingLane(workspace);
    const copy = sum(services.map(({ pid }) => pss(pid)));
    return { lane: sum(lane.map(pss)), copy };
  } finally {
    await postgres.stop();
  }
}

async function openTradingLane(workspace: Workspace): Promise<(number | null)[]> {
  const file = join(workspace.root, 'services', 'pricing', 'main.ts');
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n// Changed.\n`);
  const patch = git(workspace.root, 'diff');
  const client = workspace.client();
  const { lane } = await client.call('POST /v1/lanes', { body: { patch } });
  const path = { lane: lane.lane };
  const { processes } = await client.call('GET /v1/lanes/{lane}', { path });
  return processes.map(({ pid }) => pid);
}

function pss(pid: number | null): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1]);
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
