import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  makeDirectory,
  openTestGate,
  removeDirectory,
  type TestGate,
} from '../../gate/gate.fixture.ts';
import { createIdentifiers, systemRandom } from '../../kernel/index.ts';
import { type Draft, type Ledger, readRow } from '../../ledger/index.ts';
import { runtimeLimits } from '../limits.ts';
import { explainProposal, showApproval } from './gate-views.ts';

let directory: string;
let gate: TestGate;
beforeAll(async () => {
  directory = makeDirectory();
  const given = { type: 'object', properties: { n: { type: 'integer' } } };
  const tools = { pay: { effect: 'mutating', arguments: given } };
  const agents = { ada: { tools: ['pay'] }, bob: { tools: ['pay'], autonomy: 'supervised' } };
  const policy = { version: 1, tools, agents } as never;
  gate = await openTestGate({ directory, policy, tools: { pay: async () => 1 } });
});
afterAll(async () => {
  await gate.close();
  removeDirectory(directory);
});

/** The ledger, and how many entries and rows were read from it. */
function counted() {
  const read = { entries: 0, rows: 0 };
  const ledger: Ledger = {
    ...gate.ledger,
    entries: async (from, limit) => {
      const page = await gate.ledger.entries(from, limit);
      read.entries += page.length;
      return page;
    },
    rows: async function* (prefix) {
      for await (const row of gate.ledger.rows<never>(prefix)) {
        read.rows++;
        yield row;
      }
    },
  };
  return { read, deps: { ledger, clock: gate.clock } };
}

function makeId(): string {
  // Past everything that is there: the first entry from here on is the next one.
  gate.clock.forward(1_000);
  return createIdentifiers(gate.clock, systemRandom)('prop');
}

const note: Draft = { kind: 'note-added', actor: 'person:ada', body: {} };
const append = (count: number) => gate.ledger.append(...Array<Draft>(count).fill(note));

const denied = (proposal: string): Draft => ({
  kind: 'proposal-denied',
  actor: 'agent:ada',
  body: { proposal, tool: 'pay', argumentsHash: '' },
});

const hold = (n: number) =>
  gate
    .propose({ actor: 'agent:bob', tool: 'pay', arguments: { n } })
    .catch((error) => error.details);

const explain = (proposal: string, { deps } = counted()) =>
  explainProposal(proposal, 'agent:ada', deps);

describe('the view of a proposal', () => {
  test('searches the ledger from the time of the proposal, up to a limit', async () => {
    const [found, missed] = [makeId(), makeId()];
    await append(runtimeLimits.explainEntriesMax - 1);
    await gate.ledger.append(denied(found), denied(missed));
    expect(await explain(found)).toMatchObject({ proposal: found, decision: 'deny' });
    await expect(explain(missed)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('finds nothing quickly for an unknown id', async () => {
    const before = makeId();
    await append(runtimeLimits.explainEntriesMax + 2_000);
    const early = counted();
    await expect(explain(before, early)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(early.read.entries).toBeLessThan(runtimeLimits.explainEntriesMax + 100);
    const late = counted();
    await expect(explain(makeId(), late)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(late.read.entries).toBeLessThan(100);
  });

  test('finds a new proposal at once, however long the ledger is', async () => {
    const { proposal } = await gate.propose({ actor: 'agent:ada', tool: 'pay', arguments: {} });
    const { read, deps } = counted();
    const shown = await explainProposal(proposal, 'agent:ada', deps);
    expect(shown).toMatchObject({ decision: 'allow', status: 'committed' });
    expect(shown.history.map(({ kind }) => kind)).toContain('proposal-committed');
    expect(read.entries).toBeLessThan(100);
  });

  test('is complete for a proposal that waits for approval', async () => {
    const { proposal, approval, argumentsHash } = await hold(1);
    await append(runtimeLimits.explainEntriesMax + 1);
    const answer = { actor: 'person:eve', roles: ['approver'], reason: '' } as const;
    await gate.approve({ approval, argumentsHash, ...answer });
    const { history } = await explainProposal(proposal, 'agent:bob', counted().deps);
    expect(history.map(({ kind }) => kind)).toEqual(['proposal-held', 'approval-given']);
  });

  test.each(['prop_nothing', '', 'a', 'prop_', '../x'])(
    'finds nothing for the invalid id %j without a search',
    async (id) => {
      const { read, deps } = counted();
      await expect(explain(id, { read, deps })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(read).toEqual({ entries: 0, rows: 0 });
    },
  );
});

describe('a row by its key', () => {
  test('is found by its whole key with one read', async () => {
    const { approval } = await hold(2);
    const { read, deps } = counted();
    expect(await readRow(deps.ledger, `approval/${approval}`)).toBeDefined();
    expect(await readRow(deps.ledger, 'a')).toBeUndefined();
    expect(read.rows).toBe(2);
  });

  test('is not read for an invalid approval id', async () => {
    const { approval } = await hold(3);
    const { read, deps } = counted();
    expect(await showApproval(approval, 'agent:bob', deps)).toMatchObject({ approval });
    read.rows = 0;
    for (const id of ['a', 'appr_', approval.slice(0, -1), `${approval}0`]) {
      const shown = showApproval(id, 'agent:bob', deps);
      await expect(shown).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(read.rows).toBe(0);
  });
});
