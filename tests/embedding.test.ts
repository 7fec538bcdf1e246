import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  type EmbeddedGate,
  type Fault,
  inDoubt,
  isFault,
  openGate,
  type PolicyDocument,
} from '../src/index.ts';
import { sharedLimits } from '../src/kernel/index.ts';
import { openLedgerReader } from '../src/runtime/compose/ledger-reader.ts';
import { findPlace } from '../src/runtime/place.ts';
import { effectPolicy, guardEffects } from './harness/gate/effect-policy.ts';
import { EffectServer } from './harness/gate/effect-server.ts';
import { killHard } from './harness/kill-hard.ts';
import { Scratch } from './harness/scratch.ts';
import { until } from './harness/until.ts';
import { whenTestEnds } from './harness/when-test-ends.ts';

const program = fileURLToPath(new URL('./harness/gate/embedded-program.ts', import.meta.url));

function open(scratch: Scratch, policy: PolicyDocument = effectPolicy): Promise<EmbeddedGate> {
  return openGate({ directory: scratch.file('guard'), policy, agent: 'ada' });
}

async function faultOf(work: Promise<unknown>): Promise<Fault> {
  const error = await work.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(isFault(error)).toBe(true);
  return error as Fault;
}

async function kindsOf(scratch: Scratch): Promise<string[]> {
  const reader = await openLedgerReader(findPlace(scratch.path, 'guard'));
  const kinds: string[] = [];
  for await (const page of reader.scanEntries(0)) kinds.push(...page.map(({ kind }) => kind));
  await reader.close();
  return kinds;
}

// proves: embedding.own
describe('an embedded gate with its own directory', () => {
  test('denies with a remedy, holds for a person, and runs granted calls', async () => {
    using scratch = new Scratch();
    await using gate = await open(scratch);
    let runs = 0;
    const make = gate.guard('effect.make', ({ name }: { name: string }) => {
      runs++;
      return { made: name, at: new Date(0), nothing: undefined };
    });
    const denied = await faultOf(make({ name: 'Big' }));
    expect(denied).toMatchObject({
      code: 'PROPOSAL_DENIED',
      remedy: 'Use lower-case letters only.',
      details: { rule: 'effect.make/lower-case', proposal: expect.stringMatching(/^prop_/) },
    });
    const held = await faultOf(make({ name: 'big' }));
    expect(held).toMatchObject({ code: 'PROPOSAL_HELD', details: { role: 'approver' } });
    expect(runs).toBe(0);

    const [waiting] = await gate.approvals();
    expect(waiting).toMatchObject({ arguments: { name: 'big' }, tool: 'effect.make' });
    const shown = waiting as NonNullable<typeof waiting>;
    const other = { ...shown, argumentsHash: '0'.repeat(64) };
    expect(await faultOf(gate.approve(other))).toMatchObject({ code: 'APPROVAL_OTHER_ARGUMENTS' });
    await gate.approve(shown, { by: 'grace', roles: ['approver'], reason: 'seen' });
    const value = await make({ name: 'big' });
    expect(value).toEqual({ at: '1970-01-01T00:00:00.000Z', made: 'big' });
    expect(await make({ name: 'big' })).toEqual(value);
    expect(runs).toBe(1);
  });

  test('waits for an approval as long as the caller does', async () => {
    using scratch = new Scratch();
    await using gate = await open(scratch);
    const make = gate.guard('effect.make', () => 'made');
    const made = make({ name: 'big' }, { waitMs: 20_000 });
    const shown = await until('it waits', async () => (await gate.approvals())[0]);
    await gate.approve(shown, { by: 'grace' });
    expect(await made).toBe('made');
  });

  test('makes one effect of fifty identical concurrent calls', async () => {
    using scratch = new Scratch();
    await using server = await EffectServer.start();
    await using gate = await open(scratch);
    const { make } = guardEffects(gate.guard, (name) => server.effectUrl(name));
    const calls = Array.from({ length: 50 }, () => make({ name: 'once' }, { waitMs: 20_000 }));
    const values = await Promise.all(calls);
    expect(new Set(values.map((value) => value.by)).size).toBe(1);
    expect(await server.count('once')).toBe(1);
  });

  test('executes the decided arguments even if the caller changes them meanwhile', async () => {
    using scratch = new Scratch();
    await using gate = await open(scratch);
    const make = gate.guard('effect.make', ({ name }: { name: string }) => name);
    const given = { name: 'meant' };
    const made = make(given);
    given.name = 'BIG';
    expect(await made).toBe('meant');
  });

  test('distinguishes a failure, an unknown outcome, and arguments that are not JSON', async () => {
    using scratch = new Scratch();
    const policy = structuredClone(effectPolicy);
    delete policy.tools?.['effect.make']?.recovery;
    await using gate = await open(scratch, policy);
    const answers: Record<string, () => unknown> = {
      fails: () => {
        throw Object.assign(new Error('no paper'), { code: 'E_PAPER' });
      },
      doubts: () => {
        throw inDoubt('the line went dead');
      },
      breaks: () => {
        throw Object.assign(new Error('aborted'), { name: 'AbortError' });
      },
      loses: () => ({ amount: Number.NaN }),
      holds: () => 'x'.repeat(sharedLimits.contentBytesMax - 2),
      bursts: () => 'x'.repeat(sharedLimits.contentBytesMax - 1),
    };
    const make = gate.guard('effect.make', ({ name }: { name: string }) => answers[name]?.());
    expect(await faultOf(make({ name: 'fails' }))).toMatchObject({
      code: 'TOOL_FAILED',
      message: 'effect.make failed: no paper.',
      details: { code: 'E_PAPER', proposal: expect.any(String) },
      cause: { message: 'no paper' },
    });
    expect(await make({ name: 'holds' })).toHaveLength(sharedLimits.contentBytesMax - 2);
    for (const name of ['doubts', 'breaks', 'loses', 'bursts']) {
      expect(await faultOf(make({ name })), name).toMatchObject({ code: 'PROPOSAL_UNKNOWN' });
    }
    const odd = { name: 'odd', amount: Number.POSITIVE_INFINITY };
    expect(await faultOf(make(odd))).toMatchObject({ code: 'JSON_INVALID' });
    expect(await faultOf(make({ name: 'a' }, { key: 7 }))).toMatchObject({
      code: 'REQUEST_INVALID',
    });

    const doubtful = await gate.unresolved();
    expect(doubtful).toHaveLength(4);
    await gate.resolve(doubtful[0]?.proposal as string, 'committed', { by: 'grace' });
    expect(await gate.unresolved()).toHaveLength(3);
  });

  test('stops and resumes; after closing it starts no call', async () => {
    using scratch = new Scratch();
    await using gate = await open(scratch);
    const make = gate.guard('effect.make', () => 'made');
    await gate.stop('tool:effect.make', { by: 'grace', reason: 'a leak' });
    expect(await gate.stops()).toMatchObject([{ scope: 'tool:effect.make', by: 'person:grace' }]);
    const stopped = await faultOf(make({ name: 'a' }));
    expect(stopped).toMatchObject({ code: 'PROPOSAL_DENIED', details: { rule: 'stop' } });
    await gate.lift('tool:effect.make', { by: 'grace' });
    const slow = gate.guard('effect.find', async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return 'found';
    });
    const underWay = slow({ name: 'a' });
    await gate.close();
    expect(await underWay).toBe('found');
    expect(await faultOf(make({ name: 'a' }))).toMatchObject({ code: 'GATE_CLOSED' });
    expect((await kindsOf(scratch)).at(-1)).toBe('gate-closed');
  });

  test('is opened by one program at a time', async () => {
    using scratch = new Scratch();
    const first = await open(scratch);
    const options = { directory: scratch.file('guard'), policy: effectPolicy, agent: 'ada' };
    expect(await faultOf(openGate(options))).toMatchObject({
      code: 'DIRECTORY_IN_USE',
      remedy: expect.stringContaining('openGate'),
      details: { pid: process.pid },
    });
    await first.close();
    await (await openGate(options)).close();
  });

  test('reports policy mistakes before it writes anything, and follows its file', async () => {
    using scratch = new Scratch();
    const directory = scratch.file('guard');
    const policy = scratch.file('policy.yaml');
    writeFileSync(policy, 'version: 1\ntols: {}\n');
    const options = { directory, policy, agent: 'ada' };
    expect(await faultOf(openGate(options))).toMatchObject({ code: 'POLICY_INVALID' });
    expect(existsSync(directory)).toBe(false);

    const document = (tools: string) => `version: 1
tools: {hello: {effect: idempotent, arguments: {type: object, properties: {}}}}
agents: {ada: {tools: [${tools}]}}
`;
    writeFileSync(policy, document(''));
    await using gate = await openGate(options);
    const hello = gate.guard('hello', () => 'hello');
    expect(await faultOf(hello({}))).toMatchObject({ code: 'PROPOSAL_DENIED' });
    writeFileSync(policy, document('hello'));
    await until('the new policy holds', () => hello({}).catch(() => undefined));
    await gate.close();
  });
});

// proves: embedding.kill
describe('a program that is killed', () => {
  async function kill(
    directory: string,
    args: readonly string[],
    when: (child: ChildProcess) => unknown,
  ): Promise<void> {
    const child = fork(program, [directory, ...args], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    whenTestEnds(() => child.kill('SIGKILL'));
    await when(child);
    await killHard(child.pid as number);
  }

  test('after its effect finds it again and does not repeat it', async () => {
    using scratch = new Scratch();
    await using server = await EffectServer.start();
    const url = server.effectUrl('killed', 60_000);
    await kill(scratch.file('guard'), ['killed', url], () =>
      until('there is an effect', async () => (await server.count('killed')) === 1),
    );

    await using gate = await open(scratch);
    expect(gate.interrupted).toHaveLength(1);
    // The functions that recovery needs are not there yet: nothing is given up for that.
    await gate.look();
    expect(await gate.unresolved()).toMatchObject([{ status: 'unknown', found: null }]);

    const { make } = guardEffects(gate.guard, (name) => server.effectUrl(name));
    await gate.look();
    expect(await gate.unresolved()).toEqual([]);
    expect(await make({ name: 'killed' })).toEqual({ count: 1 });
    expect(await server.count('killed')).toBe(1);
    await gate.close();
    const kinds = await kindsOf(scratch);
    expect(kinds.filter((kind) => kind === 'proposal-unknown')).toHaveLength(1);
    expect(kinds).toContain('proposal-reconciled');
  });

  test('before its effect runs the guarded function once', async () => {
    using scratch = new Scratch();
    await using server = await EffectServer.start();
    await kill(scratch.file('guard'), ['early'], (child) => once(child, 'message'));

    await using gate = await open(scratch);
    const { make } = guardEffects(gate.guard, (name) => server.effectUrl(name));
    await gate.look();
    expect(await make({ name: 'early' })).toMatchObject({ made: 'early' });
    expect(await server.count('early')).toBe(1);
  });
});

// proves: embedding.tools
describe('a guarded map of tools', () => {
  test('asks the gate first, whatever form its tools have', async () => {
    using scratch = new Scratch();
    await using gate = await open(scratch);
    const seen: object[] = [];
    const tools = gate.tools(
      {
        'effect.find': async ({ name }: { name: string }) => `found ${name}`,
        'effect.make': {
          description: 'Makes one.',
          prefix: 'made',
          async *execute({ name }: { name: string }, options: object) {
            seen.push(options);
            yield 'making';
            yield `${this.prefix} ${name}`;
          },
        },
        elsewhere: { description: 'Executed by somebody else.' },
      },
      { onFault: ({ code, remedy }) => ({ code, remedy }) },
    );
    expect(tools.elsewhere).toEqual({ description: 'Executed by somebody else.' });
    expect(tools['effect.make'].description).toBe('Makes one.');
    const make = tools['effect.make'].execute;
    const abortSignal = new AbortController().signal;
    expect(await make({ name: 'a' }, { toolCallId: 'call-1', abortSignal })).toBe('made a');
    expect(seen).toMatchObject([{ toolCallId: 'call-1', proposal: expect.any(String) }]);
    expect(await make({ name: 'A' }, {})).toEqual({
      code: 'PROPOSAL_DENIED',
      remedy: 'Use lower-case letters only.',
    });
    expect(await tools['effect.find']({ name: 'a' })).toBe('found a');
  });

  test('refuses arguments that are no object and records that', async () => {
    using scratch = new Scratch();
    const gate = await open(scratch);
    const key = ({ name }: { name: string }) => name;
    const make = gate.guard('effect.make', ({ name }: { name: string }) => name, { key });
    for (const given of [null, undefined, 'name', 7, ['a']]) {
      const { code, message } = await faultOf(make(given as never));
      expect([code, message]).toEqual([
        'ARGUMENTS_INVALID',
        expect.stringContaining('effect.make'),
      ]);
    }
    await gate.close();
    const kinds = await kindsOf(scratch);
    expect(kinds.filter((kind) => kind === 'attempt-refused')).toHaveLength(5);
  });

  test('has an unknown outcome when the caller aborts', async () => {
    using scratch = new Scratch();
    await using gate = await open(scratch);
    const leaving = new AbortController();
    const tools = gate.tools({
      'effect.make': {
        execute: async (_: object, { abortSignal }: { abortSignal: AbortSignal }) => {
          leaving.abort();
          abortSignal.throwIfAborted();
        },
      },
    });
    const call = tools['effect.make'].execute({ name: 'a' }, { abortSignal: leaving.signal });
    expect(await faultOf(call)).toMatchObject({ code: 'PROPOSAL_UNKNOWN' });
  });
});
