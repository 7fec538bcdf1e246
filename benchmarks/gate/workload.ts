import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AttemptLimit } from '../../src/gate/attempts.ts';
import {
  createGate,
  type Gate,
  gateProjections,
  KeyRing,
  PolicyBook,
} from '../../src/gate/index.ts';
import { compilePolicy, type PolicyDocument } from '../../src/gate/language/index.ts';
import type { OutsideDeps } from '../../src/gate/outside.ts';
import { Agenda } from '../../src/gate/recovery/agenda.ts';
import {
  createClock,
  createIdentifiers,
  openSigningKey,
  type Proposal,
  redactSecrets,
  systemRandom,
} from '../../src/kernel/index.ts';
import { type Ledger, openLedger, type Store } from '../../src/ledger/index.ts';

const agents = 8;

type Runner = NonNullable<PolicyDocument['tools']>[string]['run'];

/** Rules, a budget, a rate and a key: what a payment has. */
export function policy(agentCount: number = agents, run?: Runner): PolicyDocument {
  const budgets = [{ dimension: 'money', limit: 10 ** 15 }];
  const names = Array.from({ length: agentCount }, (_, index) => `agent-${index}`);
  return {
    version: 1,
    tools: {
      'refund.issue': {
        effect: 'mutating',
        arguments: {
          type: 'object',
          required: ['orderId', 'amount', 'currency'],
          properties: {
            orderId: { type: 'string', maxLength: 40 },
            amount: { type: 'integer', minimum: 1, maximum: 1_000_000 },
            currency: { type: 'string', maxLength: 3 },
          },
        },
        invariants: [
          { rule: 'small', that: 'arguments.amount <= 50000' },
          { rule: 'known-currency', that: 'arguments.currency in ["EUR", "USD"]' },
          { rule: 'an-order', that: 'arguments.orderId.startsWith("ord_")' },
        ],
        governance: { key: 'arguments.orderId', cost: { money: 'arguments.amount' } },
        ...(run ? { run } : {}),
      },
    },
    agents: Object.fromEntries(
      names.map((name) => [name, { tools: ['refund.*', 'task.open'], budgets }]),
    ),
  };
}

export function refund(index: number, task?: string): Proposal {
  return {
    actor: `agent:agent-${index % agents}`,
    tool: 'refund.issue',
    arguments: { orderId: `ord_${index}`, amount: 1 + (index % 40_000), currency: 'EUR' },
    ...(task === undefined ? {} : { task }),
  };
}

export interface BenchGate {
  readonly gate: Gate;
  readonly deps: OutsideDeps;
  readonly ledger: Ledger;
}

export async function openBenchGate(
  store: Store,
  document: PolicyDocument = policy(),
): Promise<BenchGate> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-bench-keys-'));
  const clock = createClock();
  const ledger = await openLedger({
    store,
    clock,
    random: systemRandom,
    redact: redactSecrets,
    key: openSigningKey(join(directory, 'key.pem')),
    projections: gateProjections,
  });
  const policies = new PolicyBook(ledger);
  const deps: OutsideDeps = {
    ledger,
    clock,
    makeIdentifier: createIdentifiers(clock, systemRandom),
    executor: 'here',
    policies,
    isNative: (tool) => /^(?:task|lock)\./.test(tool),
    runTool: async () => null,
    notify: () => undefined,
    agenda: new Agenda(),
    attempts: new AttemptLimit(() => clock.now()),
    keys: new KeyRing(join(directory, 'grant-keys.json'), clock),
  };
  rmSync(directory, { recursive: true });
  await policies.adopt(compilePolicy(document), 'person:ada');
  return { gate: createGate(deps), deps, ledger };
}
