import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gateLimits } from '../../../src/gate/limits.ts';
import { type Proposal, toFault } from '../../../src/kernel/index.ts';
import { readEntry } from '../../../src/ledger/index.ts';
import { projections } from '../../../src/runtime/compose/projections.ts';
import { killHard } from '../kill-hard.ts';
import { asAgent } from '../mcp/agent-token.ts';
import { seeded } from '../seeded.ts';
import { Workspace } from '../workspace.ts';
import { EffectServer } from './effect-server.ts';
import { problemsOf } from './gate-check.ts';
import { crashPolicy, type Wish } from './gate-plan.ts';
import { payOutside, type Told } from './gate-work.ts';

export interface RecoveryCampaign {
  readonly kills: { readonly daemon: number; readonly server: number };
  readonly told: Readonly<Record<string, number>>;
  /** How many calls were in doubt at some time. */
  readonly doubts: number;
  /** Proposals that are still open or unresolved in the end. */
  readonly left: number;
  readonly problems: readonly string[];
}

const config = 'policy: policy.yaml\napi: {requestsPerMinute: 100000}\n';
/** How long an executor outside of the daemon has before its call is in doubt. */
export const outsideMs = 3_000;
const clients = 6;
const modes = ['ok', 'ok', 'lost', 'stuck', 'slow', 'break', 'refuse'] as const;

/**
 * A real daemon and a real effect server, killed in the middle of calls and started again a moment
 * later, while several clients go on. In the end both answer: then nothing may stay unknown.
 */
export async function runRecoveryCampaign(kills: number, seed = 1): Promise<RecoveryCampaign> {
  await using server = await EffectServer.start();
  process.env.EFFECTS_URL = server.url;
  await using workspace = new Workspace({ config });
  writeFileSync(join(workspace.root, 'policy.yaml'), JSON.stringify(crashPolicy(`${outsideMs}ms`)));
  const daemon = { pid: (await workspace.up()).pid };
  const random = seeded(seed);
  const wishes: Wish[] = [];
  const told: Told[] = [];
  const state = { isOver: false };
  const calling = Array.from({ length: clients }, async () => {
    while (!state.isOver) {
      const wish = nextWish(random, wishes.length, seed);
      wishes.push(wish);
      told.push(await propose(workspace, wish, server.url));
    }
  });
  const killed = { daemon: 0, server: 0 };
  for (let kill = 0; kill < kills; kill++) {
    await delay(50 + random() * 400);
    const whom = random() < 0.5 ? 'server' : 'daemon';
    killed[whom]++;
    if (whom === 'server') {
      await server.kill();
      await delay(random() * 1_500);
      await server.revive();
    } else {
      await killHard(daemon.pid);
      daemon.pid = (await workspace.up()).pid;
    }
  }
  state.isOver = true;
  await Promise.all(calling);
  const left = await untilNothingIsLeft(workspace);
  const effects = await server.settledCounts();
  const reader = await workspace.openReader();
  const problems = await problemsOf(reader, { wishes, told, effects }, projections);
  let doubts = 0;
  for await (const page of reader.scanEntries(0)) {
    for (const { kind, body, seq } of page.map(readEntry)) {
      if (kind === 'proposal-unknown') doubts++;
      if (left.has(String(body.proposal))) problems.push(`${seq} ${kind} ${JSON.stringify(body)}`);
    }
  }
  await reader.close();
  return { kills: killed, told: countBy(told), doubts, left: left.size, problems };
}

export function nextWish(random: () => number, index: number, seed: number): Wish {
  const tool = (['pay', 'pay', 'put', 'pay.outside'] as const)[Math.floor(random() * 4)] ?? 'pay';
  const mode = modes[Math.floor(random() * modes.length)] ?? 'ok';
  const id = `r${seed}-${index}`;
  return {
    id,
    agent: 'eve',
    tool,
    order: id,
    amount: 1 + Math.floor(random() * 9),
    // Only a lock keeps what is late from happening after somebody has looked.
    mode: mode === 'slow' && tool === 'put' ? 'ok' : mode,
    task: 'none',
  };
}

export async function propose(workspace: Workspace, wish: Wish, effectsUrl: string): Promise<Told> {
  const { id, tool, order, amount, mode } = wish;
  const asked: Proposal = {
    actor: 'agent:eve',
    tool,
    arguments: { id, order, amount, mode },
    key: id,
  };
  try {
    const outcome =
      tool === 'pay.outside'
        ? await payOutside(gateOf(workspace), asked, effectsUrl)
        : await eve(workspace).call('POST /v1/proposals', bodyOf(asked), { key: id });
    const code = outcome.status === 'failed' ? String(outcome.fault?.code) : '';
    return { id, status: outcome.status as Told['status'], code };
  } catch (error) {
    // The daemon is away: whoever has no answer knows nothing.
    await delay(200);
    return { id, status: 'refused', code: toFault(error).code };
  }
}

const eve = (workspace: Workspace) => asAgent(workspace, 'eve');

const bodyOf = ({ tool, arguments: given }: Proposal) => ({ body: { tool, arguments: given } });

/** The gate as an executor reaches it. A daemon that is away is told later how the call ended. */
function gateOf(workspace: Workspace): Parameters<typeof payOutside>[0] {
  return {
    grant: async (proposal, audience) => {
      const { body } = bodyOf(proposal);
      const given = { body: { ...body, audience } };
      const key = String(proposal.key);
      return (await eve(workspace).call('POST /v1/grants', given, { key })) as never;
    },
    redeem: (token) => eve(workspace).call('POST /v1/grants/redeem', { body: { token } }),
    settle: async (token, report) => {
      for (;;) {
        try {
          const body = { token, report } as never;
          return (await eve(workspace).call('POST /v1/grants/settle', { body })) as never;
        } catch (error) {
          if (!toFault(error).retryable) throw error;
          await delay(100);
        }
      }
    },
  };
}

/** What is left after every recovery, and one that waits for it, had the time to look again. */
export async function untilNothingIsLeft(workspace: Workspace): Promise<ReadonlySet<string>> {
  // By then no executor outside has time left.
  await delay(outsideMs + 2_000);
  const deadline = performance.now() + 4 * gateLimits.recoveryWaitMsMax;
  for (;;) {
    const { proposals } = await workspace.client().call('GET /v1/proposals', {});
    if (proposals.length === 0 || performance.now() > deadline) {
      return new Set(proposals.map(({ proposal }) => proposal));
    }
    await delay(200);
  }
}

export function countBy(told: readonly Told[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of told) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
