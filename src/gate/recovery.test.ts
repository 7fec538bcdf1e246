import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fault, type Json, sharedLimits } from '../kernel/index.ts';
import { makeDirectory, removeDirectory, type TestGate } from './gate.fixture.ts';
import type { PolicyDocument } from './language/index.ts';
import { gateLimits } from './limits.ts';
import {
  cancel,
  look,
  openRefundGate,
  pay,
  policy,
  refund,
  resetWorld,
  world,
} from './refund.fixture.ts';

let directory: string;
let gate: TestGate;

async function open(): Promise<void> {
  gate = await openRefundGate(directory);
}

beforeEach(async () => {
  resetWorld();
  directory = makeDirectory();
  await open();
});
afterEach(async () => {
  await gate.close();
  removeDirectory(directory);
});

describe('recovery', () => {
  const inDoubt = () => Promise.reject(fault('TOOL_IN_DOUBT', { reason: 'the line went dead' }));

  // proves: gate.recovery
  test('commits a call that a fresh read finds paid, without paying again', async () => {
    await gate.propose(look('o1'));
    world.pay = () => {
      world.payouts++;
      world.found = 'paid';
      return inDoubt();
    };
    expect(await gate.propose(refund('o1', 500))).toMatchObject({ status: 'committed' });
    expect(await gate.propose(refund('o1', 500))).toMatchObject({ status: 'committed' });
    expect(world.payouts).toBe(1);
    expect((await gate.rebuild()).differences).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['NaN', { amount: Number.NaN }],
    ['nothing', undefined],
    ['a lone surrogate', { text: '\ud800' }],
    ['too much', { text: 'x'.repeat(sharedLimits.contentBytesMax) }],
  ])(
    'investigates a result that cannot be stored (%s) and frees its reservations',
    async (_, value) => {
      await gate.propose(look('o1'));
      world.pay = async () => {
        world.found = 'paid';
        return value as Json;
      };
      expect(await gate.propose(refund('o1', 500))).toMatchObject({
        status: 'committed',
        value: { status: 'paid' },
      });
    },
  );

  test('compensates a stuck call and returns its budget', async () => {
    await gate.propose(look('o1'));
    world.pay = () => {
      world.found = 'stuck';
      return inDoubt();
    };
    expect(await gate.propose(refund('o1', 500))).toMatchObject({
      status: 'failed',
      fault: { code: 'PROPOSAL_COMPENSATED' },
    });
    expect(world.cancelled).toBe(1);
    expect(await gate.propose(refund('o1', 500))).toMatchObject({
      fault: { code: 'PROPOSAL_COMPENSATED' },
    });
  });

  test('notifies a person when no step can tell the outcome', async () => {
    await gate.propose(look('o1'));
    world.found = 'strange';
    world.pay = inDoubt;
    expect(await gate.propose(refund('o1', 500))).toMatchObject({ status: 'unknown' });
    expect(gate.notices).toMatchObject([{ event: 'recovery-held' }]);
    const { proposal } = await gate.propose(refund('o1', 500));
    const seen = { proposal, reason: 'I called the bank', actor: 'person:grace' as const };
    await gate.resolve({ ...seen, as: 'committed' });
    await expect(gate.resolve({ ...seen, as: 'failed' })).rejects.toMatchObject({
      code: 'PROPOSAL_NOT_IN_DOUBT',
    });
    expect(await gate.propose(refund('o1', 500))).toMatchObject({ status: 'committed' });
    expect((await gate.rebuild()).differences).toEqual([]);
  });

  test('reads first after a crash and pays nothing twice', async () => {
    await gate.propose(look('o1'));
    world.pay = () => new Promise<never>(() => undefined);
    void gate.propose(refund('o1', 500)).catch(() => undefined);
    await expect.poll(() => gate.kinds()).toContain('proposal-granted');
    await expect
      .poll(async () => (await gate.kinds()).filter((kind) => kind === 'proposal-granted').length)
      .toBe(2);
    await gate.close();
    world.pay = pay;
    world.found = 'paid';
    await open();
    expect(await gate.recoverInterrupted()).toHaveLength(1);
    await gate.maintain((error) => {
      throw error;
    });
    expect(await gate.propose(refund('o1', 500))).toMatchObject({ status: 'committed' });
    expect(world.payouts).toBe(0);
  });
});

describe('recovery with a read that fails', () => {
  const lookAgain = () =>
    gate.maintain((error) => {
      throw error;
    });
  const unreadable = () => Promise.reject(new Error('nobody answers'));

  beforeEach(async () => {
    await gate.propose(look('o1'));
    world.pay = () => Promise.reject(fault('TOOL_IN_DOUBT', { reason: 'the line went dead' }));
    world.find = unreadable;
  });

  // proves: gate.recovery-finishes, kernel.limits
  test(`repeats it for ${gateLimits.recoveryMs} ms, and then asks a person`, async () => {
    expect(await gate.propose(refund('o1', 500))).toMatchObject({ status: 'unknown' });
    gate.clock.forward(gateLimits.recoveryMs - 5_000);
    await lookAgain();
    expect(gate.notices).toEqual([]);
    await expect(gate.propose(refund('o1', 500))).rejects.toMatchObject({
      code: 'PROPOSAL_IN_FLIGHT',
    });
    gate.clock.forward(gateLimits.recoveryWaitMsMax);
    await lookAgain();
    expect(gate.notices).toMatchObject([{ event: 'recovery-held' }]);
    expect((await gate.rebuild()).differences).toEqual([]);
  });

  // proves: kernel.limits
  test(`runs ${gateLimits.recoveriesMax} recoveries at a time, so that one does not delay all`, async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    for (let order = 2; order <= gateLimits.recoveriesMax + 2; order++) {
      await gate.propose(look(`o${order}`));
      await gate.propose(refund(`o${order}`, 5));
    }
    let reads = 0;
    world.find = async () => {
      reads++;
      await promise;
      return { status: 'paid' };
    };
    gate.clock.forward(gateLimits.recoveryWaitMsMax);
    const looking = lookAgain();
    await expect.poll(() => reads).toBe(gateLimits.recoveriesMax);
    resolve();
    await looking;
    expect(reads).toBe(gateLimits.recoveriesMax + 1);
  });

  test('ends as soon as the read answers', async () => {
    expect(await gate.propose(refund('o1', 500))).toMatchObject({ status: 'unknown' });
    world.find = async () => ({ status: 'paid' });
    gate.clock.forward(gateLimits.recoveryWaitMsMax);
    await lookAgain();
    expect(await gate.propose(refund('o1', 500))).toMatchObject({ status: 'committed' });
  });

  test('takes the result of a call that ends after its time', async () => {
    const { promise, resolve } = Promise.withResolvers<Json>();
    world.pay = () => promise;
    await gate.adopt(withTimeout('1s'));
    expect(await gate.propose(refund('o1', 500))).toMatchObject({ status: 'unknown' });
    resolve({ orderId: 'o1', amount: 500 });
    await expect.poll(() => gate.kinds()).toContain('proposal-reconciled');
    expect(await gate.propose(refund('o1', 500))).toMatchObject({
      status: 'committed',
      value: { amount: 500 },
    });
  });

  test('does not take "nothing is there" for an answer while the call still runs', async () => {
    const { promise, reject } = Promise.withResolvers<Json>();
    world.pay = () => promise;
    world.find = async () => ({ status: 'none' });
    await gate.adopt(withTimeout('1s'));
    expect(await gate.propose(refund('o1', 500))).toMatchObject({ status: 'unknown' });
    gate.clock.forward(gateLimits.recoveryWaitMsMax);
    await lookAgain();
    expect(await gate.kinds()).not.toContain('proposal-reconciled');
    reject(new Error('the bank refused'));
    await promise.catch(() => undefined);
    await lookAgain();
    expect(await gate.propose(refund('o1', 500))).toMatchObject({ status: 'failed' });
  });
});

function withTimeout(timeout: string): PolicyDocument {
  const { tools = {} } = policy;
  const issue = tools['refund.issue'];
  const changed = { ...issue, governance: { ...issue?.governance, timeout } };
  return { ...policy, tools: { ...tools, 'refund.issue': changed } } as PolicyDocument;
}

describe('recovery after a crash', () => {
  const crash = async (until: string): Promise<void> => {
    await expect.poll(() => gate.kinds()).toContain(until);
    await gate.close();
    await open();
    await gate.recoverInterrupted();
  };
  const lookAgain = () =>
    gate.maintain((error) => {
      throw error;
    });

  test('does not overtake a slow step', async () => {
    await gate.propose(look('o1'));
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    world.pay = () => Promise.reject(fault('TOOL_IN_DOUBT', { reason: 'the line went dead' }));
    world.find = async () => {
      await answered;
      return { status: 'paid' };
    };
    const refunding = gate.propose(refund('o1', 500));
    await expect.poll(() => gate.kinds()).toContain('recovery-stepped');
    await lookAgain();
    await expect(gate.propose(refund('o1', 500))).rejects.toMatchObject({
      code: 'PROPOSAL_IN_FLIGHT',
    });
    resolve();
    expect(await refunding).toMatchObject({ status: 'committed' });
    expect(gate.notices).toEqual([]);
  });

  test('repeats a read that the crash interrupted', async () => {
    await gate.propose(look('o1'));
    world.pay = () => Promise.reject(fault('TOOL_IN_DOUBT', { reason: 'the line went dead' }));
    world.find = () => new Promise<never>(() => undefined);
    void gate.propose(refund('o1', 500)).catch(() => undefined);
    await crash('recovery-stepped');
    world.find = async () => ({ status: 'paid' });
    await lookAgain();
    expect(await gate.propose(refund('o1', 500))).toMatchObject({ status: 'committed' });
    expect(gate.notices).toEqual([]);
  });

  test('refuses a result that breaks its contract', async () => {
    await gate.propose(look('o1'));
    world.pay = async () => {
      world.payouts++;
      return { orderId: 'o1', amount: 499 };
    };
    world.find = () => new Promise<never>(() => undefined);
    void gate.propose(refund('o1', 500)).catch(() => undefined);
    await crash('recovery-stepped');
    world.find = async () => ({ status: 'paid' });
    await lookAgain();
    expect(await gate.propose(refund('o1', 500))).toMatchObject({
      status: 'failed',
      fault: { code: 'RESULT_REFUSED' },
    });
    expect(world.payouts).toBe(1);
  });
});

describe('a compensation', () => {
  const unsent = () => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }));
  const { tools = {} } = policy;
  const run = { http: { method: 'POST', url: 'http://127.0.0.1:1/cancel', headers: {} } };
  const withRequest = {
    ...policy,
    tools: { ...tools, 'refund.cancel': { ...tools['refund.cancel'], run } },
  } as PolicyDocument;

  test('by a function is not repeated, because a function may fail after its effect', async () => {
    await gate.propose(look('o1'));
    world.pay = () => {
      world.found = 'stuck';
      return Promise.reject(fault('TOOL_IN_DOUBT', { reason: 'the line went dead' }));
    };
    world.cancel = () => {
      world.cancelled++;
      return unsent();
    };
    expect(await gate.propose(refund('o1', 500))).toMatchObject({ status: 'unknown' });
    gate.clock.forward(gateLimits.recoveryWaitMsMax);
    await gate.maintain(() => undefined);
    expect(world.cancelled).toBe(1);
    expect(gate.notices).toMatchObject([{ event: 'recovery-held' }]);
  });

  test('that could not be sent is repeated until it is', async () => {
    await gate.propose(look('o1'));
    world.pay = () => {
      world.found = 'stuck';
      return Promise.reject(fault('TOOL_IN_DOUBT', { reason: 'the line went dead' }));
    };
    world.cancel = unsent;
    await gate.adopt(withRequest);
    expect(await gate.propose(refund('o1', 500))).toMatchObject({ status: 'unknown' });
    for (let time = 0; time < 2; time++) {
      gate.clock.forward(gateLimits.recoveryWaitMsMax);
      await gate.maintain(() => undefined);
      expect(gate.notices).toEqual([]);
      world.cancel = cancel;
    }
    expect(await gate.propose(refund('o1', 500))).toMatchObject({
      fault: { code: 'PROPOSAL_COMPENSATED' },
    });
    expect(world.cancelled).toBe(1);
  });
});
