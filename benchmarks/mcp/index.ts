import { openLedgerReader } from '../../src/runtime/compose/ledger-reader.ts';
import {
  atLeast,
  atMost,
  type Bar,
  type Benchmark,
  type BenchResult,
  interleave,
  median,
  type Say,
} from '../bench.ts';
import { allAtOnce, type Load, offered as offeredLoad, oneClient } from './loads.ts';
import { Measured } from './measured.ts';
import { openScene, type Scene } from './scene.ts';

export const benchmark: Benchmark = {
  title: 'tool calls through the gateway, with a contract and synchronous=FULL',
  parts: { gateway: measureGateway },
};

const rounds = 7;
const offeredPerSecond = 500;
const offeredClients = 32;
const rushClients = 64;

async function measureGateway(say: Say): Promise<BenchResult> {
  const scene = await openScene();
  try {
    return await measure(scene, say);
  } finally {
    await scene.close();
  }
}

async function measure(scene: Scene, say: Say): Promise<BenchResult> {
  const load = offeredLoad(offeredClients, offeredPerSecond, 2 * offeredPerSecond);
  const offered = contendersOf(`${offeredPerSecond}/s offered`, scene, load);
  const one = contendersOf('one client', scene, oneClient(400));
  // First what makes everybody warm: a daemon lives longer than this.
  const rush = contendersOf(`${rushClients} clients`, scene, allAtOnce(rushClients, 4_000));
  const all = [rush, one, offered];
  for (const each of all) await interleave(Object.values(each), rounds, say);
  const strays = await countStrays(scene, all);
  return {
    bars: [
      ...latencyBars('mcp.one', 'one client, mutating tool', one),
      ...latencyBars('mcp.offered', '500 calls/s from 32 clients', offered),
      atMost(
        'mcp.offered.cpu',
        'CPU of the daemon per call, 500 calls/s from 32 clients',
        median(offered.pay.of('cpuMicroseconds')) / 1_000,
        0.5,
        'ms',
      ),
      atLeast(
        'mcp.rate',
        'calls through the gateway per second, embedded ledger',
        median(rush.pay.of('perSecond')),
        2_500,
        '/s',
      ),
      atMost(
        'mcp.amplified',
        'calls that reached the server without being committed',
        strays,
        0,
        'calls',
      ),
    ],
    rows: all.flatMap((each) => Object.values(each).map((one) => one.row(each.direct))),
  };
}

type Contenders = Readonly<
  Record<'direct' | 'forward' | 'logged' | 'peer' | 'look' | 'pay', Measured>
>;

function contendersOf(what: string, scene: Scene, load: Load): Contenders {
  const { direct, forward, logged, peer, look, pay } = scene;
  return {
    direct: new Measured(what, direct, load),
    forward: new Measured(what, forward, load),
    logged: new Measured(what, logged, load),
    peer: new Measured(what, peer, load),
    look: new Measured(what, look, load),
    pay: new Measured(what, pay, load),
  };
}

function latencyBars(id: string, what: string, { pay, direct, logged }: Contenders): Bar[] {
  const tail = `p99 relative to the proxy with one fsync: ${what}`;
  return [
    atMost(`${id}.p50`, `added latency: ${what}`, pay.over(direct, 'p50'), 0.9, 'ms'),
    atMost(`${id}.p99`, tail, pay.relativeTo(logged, 'p99'), 1.5, '×'),
  ];
}

/** What the server did against what the ledger says, and against what was asked for. */
async function countStrays(scene: Scene, all: readonly Contenders[]): Promise<number> {
  const { pay: seen = 0 } = await scene.counts();
  const ungated = all.flatMap(({ direct, forward, logged }) => [direct, forward, logged]);
  const past = ungated.reduce((sum, { calls }) => sum + calls, 0);
  const asked = all.reduce((sum, { pay }) => sum + pay.calls, 0);
  await scene.endDaemon();
  const committed = await countCommitted(scene);
  if (committed !== asked) throw new Error(`${asked} asked for, ${committed} committed`);
  return Math.abs(seen - past - committed);
}

async function countCommitted({ place }: Scene): Promise<number> {
  const ledger = await openLedgerReader(place);
  let committed = 0;
  for await (const page of ledger.scanEntries(1)) {
    committed += page.filter(isPaid).length;
  }
  await ledger.close();
  return committed;
}

function isPaid({ kind, body }: { readonly kind: string; readonly body: string }): boolean {
  return kind === 'proposal-committed' && JSON.parse(body).tool === 'pay';
}
