import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  acceptDrift,
  behaviours,
  declareAgent,
  viewCompliance,
  viewDrift,
  viewTaskCompliance,
} from '../src/drift/index.ts';
import {
  makeDirectory,
  openTestGate,
  removeDirectory,
  type TestGate,
} from '../src/gate/gate.fixture.ts';
import { isFault } from '../src/kernel/index.ts';

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

/** What an agent writes is judged by soft rules: its length, phrases, and a classifier's label. */
const policy = {
  version: 1,
  tools: {
    'mail.send': {
      effect: 'mutating',
      arguments: text,
      reads: { tone: { tool: 'tone.classify', with: { text: 'arguments.text' } } },
      invariants: [
        { rule: 'no-password', that: '!arguments.text.contains("password")' },
        { rule: 'length', that: 'size(arguments.text) <= 40', soft: true },
        { rule: 'phrases', that: '!arguments.text.contains("as an AI")', soft: true },
        {
          rule: 'tone',
          that: 'reads.tone.label != "rude"',
          soft: true,
          message: 'the tone is rude',
        },
      ],
    },
    'tone.classify': { effect: 'read', arguments: text },
    'mail.read': { effect: 'read', arguments: text },
  },
  agents: {
    ada: {
      tools: ['*'],
      drift: {
        watch: { constraint: 'Write as you did last week.' },
        warn: { response: 'approval' },
        critical: { response: 'pause' },
      },
    },
    bob: { tools: ['*'], drift: { warn: { response: 'read-only' } } },
    eve: { tools: ['*'] },
  },
} as const;

describe('drift changes decisions', () => {
  const directory = makeDirectory();
  let gate: TestGate;
  let count = 0;

  beforeAll(async () => {
    gate = await openTestGate({
      directory,
      policy: policy as never,
      more: [behaviours],
      tools: {
        'mail.send': async () => 'sent',
        'mail.read': async () => 'read',
        // A program in place of the function would be `run: {command: [...]}`.
        'tone.classify': async ({ arguments: { text: given } }) => ({
          label: String(given).includes('fool') ? 'rude' : 'friendly',
        }),
      },
    });
  });

  afterAll(async () => {
    await gate.close();
    removeDirectory(directory);
  });

  const propose = async (who: string, words: string, tool = 'mail.send') => {
    const given = { text: `${words} ${++count}` };
    try {
      return await gate.propose({ actor: `agent:${who}`, tool, arguments: given });
    } catch (error) {
      if (!isFault(error)) throw error;
      return error.report();
    }
  };

  const deny = async (who: string, times: number): Promise<void> => {
    for (let index = 0; index < times; index++) await propose(who, 'password');
  };

  test('soft rules about what an agent writes warn it in its next answer', async () => {
    expect(await propose('eve', 'You fool')).toMatchObject({
      status: 'committed',
      notices: ['the tone is rude'],
    });
    expect(await propose('eve', 'Dear Sir')).not.toHaveProperty('notices');
    const long = 'This sentence is longer than forty characters';
    expect(await propose('eve', long)).toMatchObject({
      notices: [expect.stringContaining('size')],
    });
    await propose('eve', 'Speaking as an AI');
    expect(await viewCompliance(gate.ledger, 'agent:eve')).toMatchObject({
      steps: 4,
      soft: 3,
      episodes: 2,
      compliance: 0.25,
      satisfies: 'no',
    });
  });

  // proves: drift.decides
  test('violations raise the level: first approval, then a pause, and a replay agrees', async () => {
    expect(await propose('ada', 'Hello')).toMatchObject({ status: 'committed' });
    await deny('ada', 25);
    const held = await propose('ada', 'Hello');
    expect(held).toMatchObject({ code: 'PROPOSAL_HELD' });
    expect(await propose('ada', 'look', 'mail.read')).toMatchObject({
      status: 'committed',
      notices: ['Write as you did last week.'],
    });
    // Held and reading steps are clean and have pushed out nothing yet.
    await deny('ada', 50);
    const paused = await propose('ada', 'look', 'mail.read');
    expect(paused).toMatchObject({
      code: 'PROPOSAL_DENIED',
      details: { rule: 'drift.pause', notices: ['Write as you did last week.'] },
    });
    const entries = await gate.ledger.entries(1, 1_000);
    expect(entries.at(-1)?.body).toMatchObject({ drift: 'critical' });
    expect(await gate.replay()).toMatchObject({ different: 0 });
    expect((await gate.rebuild()).differences).toEqual([]);
  });

  test('an agent whose autonomy is lowered may still read', async () => {
    await deny('bob', 25);
    expect(await propose('bob', 'Hello')).toMatchObject({
      details: { rule: 'drift.read-only' },
    });
    expect(await propose('bob', 'look', 'mail.read')).toMatchObject({ status: 'committed' });
  });

  test('without "drift" in the policy, the level changes nothing', async () => {
    await deny('eve', 50);
    expect(await viewDrift(gate.ledger, 'agent:eve')).toMatchObject({ level: 'critical' });
    expect(await propose('eve', 'Hello')).toMatchObject({ status: 'committed' });
  });

  test('a person who accepts the behaviour lifts the pause', async () => {
    const acceptance = { reason: 'the new mail flow', actor: 'person:root' } as const;
    await acceptDrift(gate.ledger, { agent: 'agent:ada', ...acceptance });
    expect(await propose('ada', 'Hello')).toMatchObject({ status: 'committed' });
    expect(await viewDrift(gate.ledger, 'agent:ada')).toMatchObject({ level: 'normal' });
    await expect(
      acceptDrift(gate.ledger, { agent: 'agent:nobody', ...acceptance }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('the effect of transparency is shown: what would have run unseen', async () => {
    const seen = await viewCompliance(gate.ledger, 'agent:bob');
    expect(seen).toMatchObject({
      prevented: 25,
      withoutContracts: { compliance: 1, executed: 25 },
      sessions: 1,
      cleanSessions: 0,
    });
    expect(seen?.contracts).toContainEqual(
      expect.objectContaining({ tool: 'mail.send', prevented: 25 }),
    );
  });

  test('an agent declares its profile once, and a rebuild agrees', async () => {
    const before = (await gate.ledger.entries(1, 2_000)).length;
    const profile = { framework: 'client 1.0', model: 'm-2' };
    await declareAgent(gate.ledger, 'agent:ada', profile);
    await declareAgent(gate.ledger, 'agent:ada', profile);
    expect((await gate.ledger.entries(1, 2_000)).length).toBe(before + 1);
    expect(await viewDrift(gate.ledger, 'agent:ada')).toMatchObject({
      profile: 'client 1.0, model m-2',
    });
    expect((await gate.rebuild()).differences).toEqual([]);
    expect(await viewTaskCompliance(gate.ledger, 'task_unknown')).toBeUndefined();
  });
});
