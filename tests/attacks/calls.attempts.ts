import { type Attempt, attemptsOf, type Line } from './attempt.ts';
import type { GuardedScene } from './guarded-scene.ts';

type Attack = Attempt<GuardedScene>['attack'];

const propose =
  (as: string, tool: string, given: object | string, more: object = {}): Attack =>
  async (scene) => {
    const body = typeof given === 'string' ? given : { tool, arguments: given, ...more };
    return (await scene.call(as, 'POST /v1/proposals', body)).verdict;
  };

const denied = (tries: string, attack: Attack): Line<GuardedScene> => [
  tries,
  '403 PROPOSAL_DENIED',
  attack,
  'proposal-denied',
];

/** Calls a tool whose address contains the order, which must not lead anywhere else. */
const address = (tries: string, id: string, entry = 'proposal-failed'): Line<GuardedScene> => [
  `puts ${tries} into the address that a tool calls`,
  'nothing but an order',
  async (scene) => {
    const before = scene.shopRequests.length;
    await scene.propose('mallory', 'order.get', { id });
    const odd = scene.shopRequests
      .slice(before)
      .filter((line) => !/^GET \/orders\/[^/?#]+$/.test(line));
    return odd.length + scene.strayRequests.length === 0 ? 'nothing but an order' : String(odd);
  },
  entry,
];

const path = (tries: string, value: string): Line<GuardedScene> =>
  denied(`leaves a directory by ${tries}`, propose('mallory', 'file.read', { path: value }));

export const callAttempts = attemptsOf<GuardedScene>('an agent', [
  denied('calls a tool that its policy does not name', propose('nobody', 'order.get', { id: '1' })),
  denied('calls a tool without a contract', propose('alice', 'shell.run', { command: 'id' })),
  denied('calls a tool named __proto__', propose('alice', '__proto__', {})),
  denied('calls a tool named constructor', propose('alice', 'constructor', {})),
  denied(
    'changes something although it may only read',
    propose('reader', 'refund.issue', { order: '1', amount: 1 }),
  ),
  denied('sends an undeclared argument', propose('alice', 'order.get', { id: '1', admin: true })),
  denied(
    'sends a text for a number',
    propose('alice', 'refund.issue', { order: '1', amount: '1' }),
  ),
  denied('sends a negative amount', propose('alice', 'refund.issue', { order: '1', amount: -1 })),
  denied('sends an amount of zero', propose('alice', 'refund.issue', { order: '1', amount: 0 })),
  denied(
    'sends a fraction of an amount',
    propose('alice', 'refund.issue', { order: '1', amount: 1.5 }),
  ),
  [
    'sends an amount beyond the largest integer',
    '400 JSON_INVALID',
    propose('alice', 'refund.issue', { order: '1', amount: 2 ** 53 }),
    'attempt-refused',
  ],
  denied(
    'sends a list for an amount',
    propose('alice', 'refund.issue', { order: '1', amount: [1] }),
  ),
  [
    'sends __proto__ as an argument',
    '400 JSON_INVALID',
    propose('alice', '', '{"tool":"order.get","arguments":{"id":"1","__proto__":{"id":"2"}}}'),
    'attempt-refused',
  ],
  [
    'sends __proto__ instead of the arguments',
    '400 JSON_INVALID',
    propose('alice', '', '{"tool":"order.get","arguments":{"__proto__":{"id":"2"}}}'),
    'attempt-refused',
  ],
  [
    'sends an amount that no double holds',
    '400 JSON_INVALID',
    propose('alice', '', '{"tool":"refund.issue","arguments":{"order":"1","amount":1e400}}'),
    'attempt-refused',
  ],
  [
    'sends an argument twice',
    '400 JSON_INVALID',
    propose(
      'alice',
      '',
      '{"tool":"refund.issue","arguments":{"order":"1","amount":1,"amount":9000}}',
    ),
    'attempt-refused',
  ],
  [
    'names another agent as the caller',
    '400 REQUEST_INVALID',
    propose('mallory', 'order.get', { id: '1' }, { actor: 'agent:alice' }),
    'attempt-refused',
  ],
  [
    'sends the time of the call itself',
    '400 REQUEST_INVALID',
    propose('mallory', 'order.get', { id: '1' }, { now: 0 }),
    'attempt-refused',
  ],
  [
    'sends the cost of the call itself',
    '400 REQUEST_INVALID',
    propose('mallory', 'refund.issue', { order: '1', amount: 1 }, { cost: { money: 0 } }),
    'attempt-refused',
  ],
  denied(
    'spends more than its budget in one call',
    propose('mallory', 'refund.issue', { order: '1', amount: 20_001 }),
  ),
  path('..', '/srv/notes/../secret'),
  path('.. at its end', '/srv/notes/..'),
  path('an absolute path', '/etc/passwd'),
  path('a name that only begins like it', '/srv/notes-of-others/a'),
  path('a relative path', '../secret'),
  path('a NUL', '/srv/notes/a\0/../../etc/passwd'),
  path('a backslash', '/srv/notes/..\\..\\secret'),
  path('capitals', '/SRV/NOTES/a'),
  path('a doubled slash', '//etc/passwd'),
  path('an address', 'file:///srv/notes/../secret'),
  path('nothing', ''),
  address('..', '..'),
  address('a path', '../refunds/1'),
  address('an encoded path', '%2e%2e%2frefunds%2f1'),
  address('a query', '1?admin=true', 'proposal-committed'),
  address('a fragment', '1#', 'proposal-committed'),
  address(
    'a line break',
    '1 HTTP/1.1\r\nhost: evil.example\r\n\r\nGET /refunds/1',
    'proposal-committed',
  ),
  address('another host', '@evil.example/', 'proposal-committed'),
  address('a backslash', '..\\refunds\\1'),
  address('a NUL', '1\0', 'proposal-committed'),
  address('a dot', '.'),
  [
    'calls a tool whose server redirects to another server',
    'no request elsewhere',
    async (scene) => {
      await scene.propose('mallory', 'page.fetch', { name: 'a' });
      return scene.strayRequests.length === 0
        ? 'no request elsewhere'
        : String(scene.strayRequests);
    },
    'proposal-failed',
  ],
  [
    'reads the proposal of another agent',
    '404 NOT_FOUND',
    async (scene, begin) => {
      const own = await scene.call('alice', 'POST /v1/proposals', {
        tool: 'order.get',
        arguments: { id: '7' },
      });
      await begin();
      return (await scene.call('mallory', `GET /v1/proposals/${own.body.proposal}`)).verdict;
    },
  ],
  [
    'reads the outcome of another agent',
    '404 NOT_FOUND',
    async (scene, begin) => {
      const own = await scene.call('alice', 'POST /v1/proposals', {
        tool: 'order.get',
        arguments: { id: '8' },
      });
      await begin();
      return (await scene.call('mallory', `GET /v1/proposals/${own.body.proposal}/outcome`))
        .verdict;
    },
  ],
  [
    'repeats a call under the same key with other arguments',
    '422 PROPOSAL_KEY_REUSED',
    async (scene, begin) => {
      const headers = { 'idempotency-key': 'refund-1' };
      const body = (amount: number) => ({
        tool: 'refund.issue',
        arguments: { order: 'k', amount },
      });
      await scene.call('alice', 'POST /v1/proposals', body(1), headers);
      await begin();
      return (await scene.call('alice', 'POST /v1/proposals', body(2), headers)).verdict;
    },
    'proposal-denied',
  ],
  [
    'repeats a call under the same key to have its effect twice',
    'one effect',
    async (scene) => {
      const headers = { 'idempotency-key': 'refund-2' };
      const body = { tool: 'refund.issue', arguments: { order: 'twice', amount: 1 } };
      await Promise.all(
        [1, 2, 3].map(() => scene.call('alice', 'POST /v1/proposals', body, headers)),
      );
      const effects = scene.shopRequests.filter((line) => line === 'POST /refunds/twice');
      return effects.length === 1 ? 'one effect' : `${effects.length} effects`;
    },
    'proposal-committed',
  ],
  [
    'asks what another agent may do',
    '404 NOT_FOUND',
    async (scene) => {
      const body = { agent: 'alice', steps: [{ tool: 'order.get', arguments: { id: '1' } }] };
      return (await scene.call('mallory', 'POST /v1/plans/check', body)).verdict;
    },
  ],
  [
    'spends the same budget in twenty calls at once',
    'at most the budget',
    async (scene) => {
      const before = scene.shopRequests.length;
      const call = (n: number) =>
        scene.propose('mallory', 'refund.issue', { order: `race-${n}`, amount: 4_000 });
      await Promise.all(Array.from({ length: 20 }, (_, n) => call(n)));
      const paid = scene.shopRequests.length - before;
      return paid * 4_000 <= 20_000 ? 'at most the budget' : `${paid} refunds`;
    },
    'proposal-denied',
  ],
]);
