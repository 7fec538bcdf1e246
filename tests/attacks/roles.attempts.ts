import { attemptsOf, type Line } from './attempt.ts';
import type { GuardedScene } from './guarded-scene.ts';

const refused =
  (refusal: string) =>
  ([tries, as, operation, body]: readonly [
    string,
    string,
    string,
    unknown?,
  ]): Line<GuardedScene> => [
    tries,
    refusal,
    async (scene) => (await scene.call(as, operation, body)).verdict,
    'attempt-refused',
  ];

const reason = 'because';

/** The same refusals for every role and every operation: see tests/roles.test.ts. */
export const personAttempts = attemptsOf<GuardedScene>(
  'a person with a smaller role',
  (
    [
      ['a viewer reads the contents of an entry', 'vera', 'GET /v1/entries/1'],
      ['a viewer writes a note', 'vera', 'POST /v1/notes', { text: 'a' }],
      ['a viewer stops the system', 'vera', 'POST /v1/system/down'],
      ['a viewer opens a task', 'vera', 'POST /v1/tasks', { goal: 'a' }],
      ['a developer destroys contents', 'dave', 'POST /v1/shred', { subject: 'person:dave' }],
      [
        'a developer promotes without a verdict',
        'dave',
        'POST /v1/promotions',
        { patch: '', reason },
      ],
      ['a developer lifts a stop', 'dave', 'POST /v1/stops/lift', { scope: 'workspace', reason }],
      ['a developer adopts a policy', 'dave', 'POST /v1/policy/adopt'],
      ['a developer accepts a changed tool', 'dave', 'POST /v1/mcp/tools/a/accept', { hash: 'a' }],
      ['a developer overrides a verdict', 'dave', 'POST /v1/overrides', { patch: '', reason }],
      ['an operator destroys contents', 'olga', 'POST /v1/shred', { subject: 'person:olga' }],
      ['an operator overrides a verdict', 'olga', 'POST /v1/overrides', { patch: '', reason }],
      ['an approver rotates the grant keys', 'anna', 'POST /v1/grant-keys/rotate'],
      ['an approver proposes a call', 'anna', 'POST /v1/proposals', { tool: 'a', arguments: {} }],
      [
        'an auditor settles a call in doubt',
        'udo',
        'POST /v1/proposals/a/resolve',
        { as: 'failed', reason },
      ],
      ['an auditor stops an agent', 'udo', 'POST /v1/stops', { scope: 'agent:alice', reason }],
      ['a reporter reads the status', 'rita', 'GET /v1/status'],
      ['a reporter reads the ledger', 'rita', 'GET /v1/entries'],
      ['a reporter follows the ledger', 'rita', 'GET /v1/entries/stream'],
    ] as const
  ).map(refused('403 ROLE_NEEDED')),
);

export const agentRoleAttempts = attemptsOf<GuardedScene>(
  'an agent',
  (
    [
      ['reads the ledger', 'alice', 'GET /v1/entries'],
      ['follows the ledger', 'alice', 'GET /v1/entries/stream'],
      ['destroys contents', 'alice', 'POST /v1/shred', { subject: 'agent:alice' }],
      ['promotes a patch without a verdict', 'alice', 'POST /v1/promotions', { patch: '', reason }],
      ['starts the system', 'alice', 'POST /v1/system/up', {}],
      ['adopts a policy', 'alice', 'POST /v1/policy/adopt'],
      ['lifts its own stop', 'alice', 'POST /v1/stops/lift', { scope: 'agent:alice', reason }],
      [
        'settles its own call in doubt',
        'alice',
        'POST /v1/proposals/a/resolve',
        { as: 'failed', reason },
      ],
      ['accepts a changed tool', 'alice', 'POST /v1/mcp/tools/a/accept', { hash: 'a' }],
      ['rotates the grant keys', 'alice', 'POST /v1/grant-keys/rotate'],
      ['lists all approvals', 'alice', 'GET /v1/approvals'],
      ['overrides a verdict', 'alice', 'POST /v1/overrides', { patch: '', reason }],
      ['disputes a finding', 'alice', 'POST /v1/disputes', { finding: 'a', reason }],
      ['reports an alert', 'alice', 'POST /v1/webhooks/alerts', { source: 'a', alerts: [] }],
      ['asks for a verdict without a task', 'alice', 'POST /v1/verdicts', { patch: '' }],
      ['reads the recorded traffic', 'alice', 'GET /v1/traffic'],
      ['reads the log of a service', 'alice', 'GET /v1/system/a/log'],
    ] as const
  ).map(refused('403 NOT_FOR_AGENTS')),
);
