import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OperationResponse } from '../src/http/index.ts';
import { EffectServer } from './harness/gate/effect-server.ts';
import { killHard } from './harness/kill-hard.ts';
import { asAgent } from './harness/mcp/agent-token.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

const policyFor = (url: string): string => `version: 1
tools:
  effect.find:
    effect: read
    arguments: {type: object, required: [key], properties: {key: {type: string, maxLength: 80}}}
    run: {http: {method: GET, url: '${url}/effects/{key}'}}
${['pay', 'pay.soon'].map(payingTool(url)).join('')}
  pay.outside:
    effect: mutating
    arguments: {type: object}
    governance: {cost: {money: '5'}, timeout: 1s}
agents:
  ada: {tools: ['*'], budgets: [{dimension: money, limit: 1000}]}
`;

/** After \`within\`, a person is told. */
const payingTool = (url: string) => (tool: string) =>
  `
  ${tool}:
    effect: mutating
    arguments:
      type: object
      required: [id]
      properties:
        id: {type: string, maxLength: 40}
        effectAfterMs: {type: integer, maximum: 60000}
        answerAfterMs: {type: integer, maximum: 60000}
    run: {http: {method: POST, url: '${url}/effects'}}
    governance: {key: arguments.id, cost: {money: '5'}}
    recovery:
      within: ${tool === 'pay' ? '1h' : '1ms'}
      steps:
        - reconcile:
            read: effect.find
            with: {key: key}
            committed: read.count > 0.0
            failed: read.count == 0.0
        - hold: {reason: nothing tells whether it was paid}
`;

let workspace: Workspace;
let server: EffectServer;
let pid: number;

beforeAll(async () => {
  server = await EffectServer.start();
  workspace = new Workspace({ config: 'policy: policy.yaml\n' });
  writeFileSync(join(workspace.root, 'policy.yaml'), policyFor(server.url));
  ({ pid } = await workspace.up());
});
afterAll(async () => {
  expect(await workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
  expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
  await workspace[Symbol.asyncDispose]();
  await server.stop();
});

const ada = () => asAgent(workspace, 'ada');
let reservedBefore = 0;
const money = async () => (await ada().call('GET /v1/budgets', {})).budgets[0];
beforeEach(async () => {
  reservedBefore = (await money())?.reserved ?? 0;
});

type Proposal = OperationResponse<'POST /v1/proposals'>;

/** Kills the effect server in the middle of a call, after its effect or before it. */
async function interruptedCall(id: string, has: 'effect' | 'none', tool = 'pay'): Promise<string> {
  const before = Object.keys(await server.counts()).length;
  const more = { [has === 'effect' ? 'answerAfterMs' : 'effectAfterMs']: 60_000 };
  const body = { tool, arguments: { id, ...more } };
  const calling: Promise<Proposal> = ada().call('POST /v1/proposals', { body });
  const isThere = async () => Object.keys(await server.counts()).length > before;
  if (has === 'effect') await until('it has taken effect', isThere);
  else await until('it has arrived', async () => (await server.underWay()) > 0);
  await server.kill();
  const { status, proposal } = await calling;
  expect(status).toBe('unknown');
  return proposal;
}

const outcomeOf = async (proposal: string): Promise<string> => {
  const path = { proposal };
  return (await ada().call('GET /v1/proposals/{proposal}/outcome', { path })).status;
};
const untilOver = (proposal: string): Promise<string> =>
  until(`${proposal} is over`, async () => {
    const status = await outcomeOf(proposal);
    return status === 'committed' || status === 'failed' ? status : undefined;
  });

async function restartDaemon(): Promise<void> {
  await killHard(pid);
  ({ pid } = await workspace.up());
}

async function isHeld(proposal: string): Promise<boolean> {
  const { proposals } = await workspace.client().call('GET /v1/proposals', {});
  return proposals.some((one) => one.proposal === proposal && one.found === 'held');
}

// proves: gate.recovery-finishes
test.each([
  ['after its effect', 'committed', 'effect'],
  ['before its effect', 'failed', 'none'],
] as const)(
  'a call whose server dies %s is %s once the server answers again',
  async (_, end, has) => {
    const proposal = await interruptedCall(`server-${has}`, has);
    await delay(1_000);
    expect(await outcomeOf(proposal)).toBe('unknown');
    await server.revive();
    expect(await untilOver(proposal)).toBe(end);
    expect((await money())?.reserved).toBe(reservedBefore);
  },
);

test('a new daemon continues the recovery that the killed daemon could not finish', async () => {
  const proposal = await interruptedCall('daemon', 'effect');
  await restartDaemon();
  await server.revive();
  expect(await untilOver(proposal)).toBe('committed');
});

test('recovery of a call that waits for a person is tried again when the daemon starts', async () => {
  const proposal = await interruptedCall('held-start', 'effect', 'pay.soon');
  await until('a person is told', () => isHeld(proposal));
  await server.revive();
  await restartDaemon();
  expect(await untilOver(proposal)).toBe('committed');
});

test('recovery of a call that waits for a person is tried again when its tool is used', async () => {
  const proposal = await interruptedCall('held-use', 'none', 'pay.soon');
  await until('a person is told', () => isHeld(proposal));
  await server.revive();
  const body = { tool: 'pay.soon', arguments: { id: 'another' } };
  await ada().call('POST /v1/proposals', { body });
  expect(await untilOver(proposal)).toBe('failed');
});

/** A call by an executor outside of the daemon that says nothing within its time. */
async function silentCall(): Promise<{ proposal: string; token: string }> {
  const body = { tool: 'pay.outside', arguments: {}, audience: 'bank' };
  const granted = await ada().call('POST /v1/grants', { body });
  if (granted.status !== 'granted') throw new Error(granted.status);
  await ada().call('POST /v1/grants/redeem', { body: { token: granted.token } });
  await until('a person is told', () => isHeld(granted.proposal));
  return granted;
}

const settle = (token: string, report: object) =>
  ada().call('POST /v1/grants/settle', { body: { token, report } as never });
const explained = (proposal: string) =>
  workspace.client().call('GET /v1/proposals/{proposal}', { path: { proposal } });

test('a late report of an executor settles the call, and the first report counts', async () => {
  const { proposal, token } = await silentCall();
  const report = { status: 'committed', value: { paid: 5 } };
  expect(await settle(token, report)).toMatchObject(report);
  expect(await outcomeOf(proposal)).toBe('committed');
  expect((await money())?.reserved).toBe(reservedBefore);
  expect(await settle(token, report)).toMatchObject(report);
  expect(await explained(proposal)).toMatchObject({ status: 'committed', refusedReport: null });

  for (const other of [
    { status: 'committed', value: { paid: 6 } },
    { status: 'failed', code: 'NO', message: 'never mind' },
  ]) {
    await expect(settle(token, other)).rejects.toMatchObject({
      code: 'GRANT_REFUSED',
      message: expect.stringContaining('GRANT_SETTLED'),
    });
    expect(await explained(proposal)).toMatchObject({
      status: 'committed',
      refusedReport: { reported: other.status },
    });
  }
});

test('a late report of failure settles the call, but returns no budget', async () => {
  const { token } = await silentCall();
  const before = await money();
  const report = { status: 'failed', code: 'NO', message: 'the bank was closed' };
  expect(await settle(token, report)).toMatchObject({ status: 'failed' });
  const after = await money();
  expect([after?.free, after?.reserved]).toEqual([before?.free, (before?.reserved ?? 0) - 5]);
});

test('a report for a grant that was never redeemed is refused and recorded', async () => {
  const body = { tool: 'pay.outside', arguments: {}, audience: 'bank' };
  const granted = await ada().call('POST /v1/grants', { body });
  if (granted.status !== 'granted') throw new Error(granted.status);
  const message = expect.stringContaining('GRANT_NOT_REDEEMED');
  const refused = { code: 'GRANT_REFUSED', message };
  const report = { status: 'committed', value: null };
  await expect(settle(granted.token, report)).rejects.toMatchObject(refused);
  await until('a person is told', () => isHeld(granted.proposal));
  await expect(settle(granted.token, report)).rejects.toMatchObject(refused);
  expect(await explained(granted.proposal)).toMatchObject({
    status: 'unknown',
    refusedReport: { reported: 'committed' },
  });
});
