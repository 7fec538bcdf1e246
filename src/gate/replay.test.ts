import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../kernel/index.ts';
import {
  makeDirectory,
  openTestGate,
  removeDirectory,
  type TestGate,
  type ToolFunctions,
} from './gate.fixture.ts';
import type { PolicyDocument } from './language/index.ts';

let directory: string;
let gate: TestGate;
beforeEach(() => {
  directory = makeDirectory();
});
afterEach(async () => {
  await gate.close();
  removeDirectory(directory);
});

const text = { type: 'string', maxLength: 200 };
const bearer = 'Bearer abcdefghijklmnopqrstuvw';

/** A note is long enough by its own length, and by that of what is read about it. */
async function open(found: Json, more: Partial<PolicyDocument> = {}): Promise<void> {
  const declared = {
    look: { effect: 'read', arguments: { type: 'object', properties: {} } },
    mail: {
      effect: 'idempotent',
      arguments: { type: 'object', required: ['note'], properties: { note: text } },
      reads: { it: { tool: 'look', with: {} } },
      invariants: [
        { rule: 'long', that: 'size(arguments.note) > 22' },
        { rule: 'read', that: 'reads.it.text == "plain" || size(reads.it.text) > 22' },
      ],
    },
  };
  const policy = { version: 1, tools: declared, agents: { ada: { tools: ['mail'] } }, ...more };
  const tools: ToolFunctions = { mail: async () => 1, look: async () => ({ text: found }) };
  gate = await openTestGate({ directory, policy: policy as PolicyDocument, tools });
}

const mail = (note: string) =>
  gate.propose({ actor: 'agent:ada', tool: 'mail', arguments: { note } });

describe('replaying a decision', () => {
  test('gives the same decision', async () => {
    await open('plain');
    await mail('a text that is long enough');
    expect(await gate.replay()).toMatchObject({ decisions: 1, forgotten: 0, different: 0 });
  });

  test('over redacted arguments counts as forgotten', async () => {
    await open('plain');
    await mail(bearer);
    expect(await gate.replay()).toMatchObject({ decisions: 1, forgotten: 1, different: 0 });
  });

  test('over redacted reads counts as forgotten', async () => {
    await open(bearer);
    await mail('a text that is long enough');
    expect(await gate.replay()).toMatchObject({ decisions: 1, forgotten: 1, different: 0 });
  });

  test('under a destroyed policy counts as forgotten', async () => {
    await open('plain');
    await mail('a text that is long enough');
    await gate.ledger.shred(`policy:${gate.policies.hash}`, 'person:ada');
    expect(await gate.replay()).toMatchObject({ decisions: 1, forgotten: 1, different: 0 });
  });

  test('under a policy with an argument named password gives the same decision', async () => {
    const given = { type: 'object', required: ['password'], properties: { password: text } };
    await open('plain', {
      tools: { 'user.set': { effect: 'idempotent', arguments: given } },
      agents: { ada: { tools: ['user.*'] } },
    } as Partial<PolicyDocument>);
    const asked = { actor: 'agent:ada' as const, tool: 'user.other', arguments: {} };
    await expect(gate.propose(asked)).rejects.toMatchObject({ code: 'PROPOSAL_DENIED' });
    expect(await gate.replay()).toMatchObject({ decisions: 1, forgotten: 0, different: 0 });
  });
});
