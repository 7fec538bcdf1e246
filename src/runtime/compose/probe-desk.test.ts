import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Act, createClock, fault, type Proposal } from '../../kernel/index.ts';
import { ProcessPool } from '../../probes/index.ts';
import { ProbeDesk } from './probe-desk.ts';
import { probeRows } from './probe-rows.ts';
import { areProbesOff, turnProbes } from './probe-switch.ts';

type Deps = ConstructorParameters<typeof ProbeDesk>[0];

/** A desk with one running service, behind a gate that does what the test says. */
function openDesk(act: Act) {
  const state = mkdtempSync(join(tmpdir(), 'surety-desk-'));
  const touched: number[] = [];
  const find = async (pid: number): Promise<readonly number[]> => {
    touched.push(pid);
    return [];
  };
  const attach = (): never => {
    throw new Error('nothing to attach to');
  };
  const instrumenter = { tier: 'production', find, attach } as const;
  const processes = new ProcessPool([instrumenter], () => areProbesOff(state));
  const own = { clock: createClock(), makeIdentifier: () => 'probe_1' };
  const running = { service: 'orders', pid: 11 };
  const baseline = { status: async () => [running] };
  const deps = { act, baseline, investigations: { processes, ...own }, place: { state } };
  return { desk: new ProbeDesk(deps as unknown as Deps), touched, running, state };
}

const request = { service: 'orders', file: 'a.js', line: 1, kind: 'counter' } as const;

test('a probe that is only checked passes the gate before any process is touched', async () => {
  const proposals: Proposal[] = [];
  const refuse: Act = async (proposal) => {
    proposals.push(proposal);
    throw fault('NOT_FOUND', { what: 'a rule that allows it' });
  };
  const { desk, touched } = openDesk(refuse);
  await expect(desk.check('agent:coder', request)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(proposals).toMatchObject([{ tool: 'probe.place', arguments: { dryRun: true } }]);
  expect(touched).toEqual([]);
});

test('an agent must not allow a stall of the process', async () => {
  const { desk } = openDesk(async () => {
    throw new Error('it must not be proposed');
  });
  const stalling = { ...request, allowStall: true };
  const refusal = { code: 'PROBE_REQUEST_INVALID', values: { field: 'allowStall' } };
  await expect(desk.place('agent:coder', stalling)).rejects.toMatchObject(refusal);
  await expect(desk.check('agent:coder', stalling)).rejects.toMatchObject(refusal);
});

test('a late approval finds the processes of now, and the switch as it is now', async () => {
  let late: () => void = () => {};
  const approve: Act = async (_, run) => {
    late();
    const value = await run({} as Parameters<typeof run>[0]);
    return { status: 'committed', proposal: 'prop_1', value };
  };
  const { desk, touched, running, state } = openDesk(approve);
  late = () => {
    running.pid = 12;
  };
  const nothing = { code: 'PROBE_NOTHING_TO_ATTACH' };
  await expect(desk.place('person:root', request)).rejects.toMatchObject(nothing);
  expect(touched).toEqual([12]);
  late = () => turnProbes(state, true);
  await expect(desk.place('person:root', request)).rejects.toMatchObject({ code: 'PROBES_OFF' });
  expect(touched).toEqual([12]);
});

test('captures become log rows with the trace id of their request', () => {
  const own = {
    owner: 'person:root',
    probe: 'probe_1',
    kind: 'log',
    file: 'a.js',
    line: 1,
  } as const;
  const capture = { at: 5, hit: 1, values: {}, stack: [], message: 'x=1', pid: 11 };
  const shown = { ...own, service: 'orders', lane: null };
  const traceId = 'a'.repeat(32);
  expect(probeRows.log(shown, { ...capture, traceId })).toMatchObject({ traceId, text: 'x=1' });
  expect(probeRows.log(shown, capture)).toMatchObject({ traceId: '', service: 'orders' });
});
