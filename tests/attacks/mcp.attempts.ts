import { type Attempt, attemptsOf, type Line } from './attempt.ts';
import type { GatewayScene, Sent } from './gateway-scene.ts';

type Attack = Attempt<GatewayScene>['attack'];

const order = { id: 'o-1' };
const refund = { orderId: 'o-1', amount: 5 };
const list = (scene: GatewayScene): object => scene.message('tools/list');
const sends =
  (make: (scene: GatewayScene) => Sent): Attack =>
  (scene) =>
    scene.verdict(make(scene));

/** Sends a message in a session that Alice has opened. */
const inSession =
  (make: (scene: GatewayScene) => Sent): Attack =>
  async (scene, begin) => {
    const session = await scene.openSession('alice');
    await begin();
    const sent = make(scene);
    return scene.verdict({ ...sent, headers: { 'mcp-session-id': session, ...sent.headers } });
  };

const denied = (tries: string, attack: Attack): Line<GatewayScene> => [
  tries,
  '200 PROPOSAL_DENIED',
  attack,
  'proposal-denied',
];

/** A call whose JSON is written by hand. */
const raw = (scene: GatewayScene, given: string): Sent => {
  const { headers, ...sent } = scene.modern('alice', 'refund.issue', {});
  const body = JSON.stringify(sent.body).replace('"arguments":{}', `"arguments":${given}`);
  return { ...sent, headers: headers ?? {}, body };
};

/** A task of Alice, by the API of Surety's own tools. */
const taskOfAlice = async (scene: GatewayScene): Promise<string> => {
  const response = await scene.send(
    scene.modern('alice', 'open_task', { goal: 'private' }, { path: '/surety' }),
  );
  const found = /task_\w+/.exec(await response.text());
  if (!found) throw new Error('no task');
  return found[0];
};

/** Mallory reads a resource of Surety. */
function read(scene: GatewayScene, uri: string): Promise<string> {
  const { headers, ...sent } = scene.modern('mallory', uri, {}, { path: '/surety' });
  const { _meta } = (sent.body as { params: { _meta: object } }).params;
  const body = scene.message('resources/read', { uri, _meta });
  return scene.verdict({ ...sent, body, headers: { ...headers, 'mcp-method': 'resources/read' } });
}

const onTask =
  (tool: string, more: object = {}): Attack =>
  async (scene, begin) => {
    const task = await taskOfAlice(scene);
    await begin();
    return scene.own('mallory', tool, { task, ...more });
  };

export const sessionAttempts = attemptsOf<GatewayScene>('an agent', [
  [
    'calls the gateway without a token',
    '401 UNAUTHORIZED',
    sends((scene) => ({ as: null, body: list(scene) })),
  ],
  [
    'calls the gateway with the token of a person',
    '403 ROLE_NEEDED',
    sends((scene) => ({ as: 'people/vera', body: list(scene) })),
    'attempt-refused',
  ],
  [
    'makes up the id of a session',
    '404 NOT_FOUND',
    sends((scene) => ({
      as: 'mallory',
      body: list(scene),
      headers: { 'mcp-session-id': 'guessed' },
    })),
  ],
  [
    'works in the session of another agent',
    '404 NOT_FOUND',
    inSession((scene) => ({ as: 'mallory', body: list(scene) })),
  ],
  [
    'ends the session of another agent',
    '404 NOT_FOUND',
    inSession(() => ({ as: 'mallory', method: 'DELETE' })),
  ],
  [
    'listens to the session of another agent',
    '404 NOT_FOUND',
    inSession(() => ({ as: 'mallory', method: 'GET' })),
  ],
  [
    'resumes the stream of another agent',
    '404 NOT_FOUND',
    inSession(() => ({ as: 'mallory', method: 'GET', headers: { 'last-event-id': '1' } })),
  ],
  [
    'answers a question to another agent',
    '404 NOT_FOUND',
    inSession(() => ({
      as: 'mallory',
      body: { jsonrpc: '2.0', id: 1, result: { action: 'accept', content: {} } },
    })),
  ],
  [
    'cancels the call of another agent',
    '404 NOT_FOUND',
    inSession(() => ({
      as: 'mallory',
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    })),
  ],
  [
    'sends several calls as one message',
    '400 MESSAGES_BATCHED',
    inSession((scene) => ({ as: 'alice', body: [list(scene), list(scene)] })),
  ],
  [
    'calls a method that nobody decides about',
    '200 -32601',
    inSession((scene) => ({
      as: 'alice',
      body: scene.message('tools/execute', { name: 'refund.issue' }),
    })),
  ],
  [
    'sends a message that is no JSON',
    '400 JSON_INVALID',
    sends(() => ({ as: 'alice', body: '{"jsonrpc":' })),
  ],
  [
    'sends a message as text/plain',
    '415 CONTENT_TYPE_REFUSED',
    sends((scene) => ({
      as: 'alice',
      body: list(scene),
      headers: { 'content-type': 'text/plain' },
    })),
  ],
  [
    'sends a message of more than 8 MiB',
    '413 REQUEST_TOO_LARGE',
    sends(() => ({ as: 'alice', body: 'a'.repeat(8 * 1024 * 1024 + 1) })),
  ],
  [
    'nests a message 100,000 deep',
    '400 JSON_TOO_DEEP',
    sends(() => ({ as: 'alice', body: `${'['.repeat(100_000)}${']'.repeat(100_000)}` })),
  ],
  [
    'speaks an unknown revision',
    '400 -32000',
    sends((scene) => ({
      as: 'alice',
      body: list(scene),
      headers: { 'mcp-protocol-version': '1999-01-01' },
    })),
  ],
]);

export const gatewayCallAttempts = attemptsOf<GatewayScene>('an agent', [
  denied(
    'calls a tool of the gateway that its policy does not name',
    sends((scene) => scene.modern('mallory', 'refund.issue', refund)),
  ),
  denied(
    'calls a tool of the gateway without a contract',
    sends((scene) => scene.modern('alice', 'writes', {})),
  ),
  denied(
    'sends an undeclared argument to the gateway',
    sends((scene) => scene.modern('alice', 'order.get', { id: 'a', all: true })),
  ),
  denied(
    'sends an amount beyond its bound to the gateway',
    sends((scene) => scene.modern('alice', 'refund.issue', { orderId: 'a', amount: 101 })),
  ),
  [
    'calls a tool named __proto__ at the gateway',
    '200 TOOL_UNKNOWN',
    sends((scene) => scene.modern('alice', '__proto__', {})),
    'attempt-refused',
  ],
  [
    'calls a tool that has the name of one of Surety',
    '200 TOOL_UNKNOWN',
    sends((scene) => scene.modern('alice', 'suite.run', {})),
    'attempt-refused',
  ],
  [
    'names one tool in the header and another in the body',
    '400 -32020',
    sends((scene) =>
      scene.modern('alice', 'refund.issue', refund, { headers: { 'mcp-name': 'order.get' } }),
    ),
  ],
  [
    'names one method in the header and another in the body',
    '400 -32020',
    sends((scene) =>
      scene.modern('alice', 'refund.issue', refund, { headers: { 'mcp-method': 'tools/list' } }),
    ),
  ],
  [
    'sends an argument twice to the gateway',
    '400 JSON_INVALID',
    sends((scene) => raw(scene, '{"orderId":"a","amount":1,"amount":100}')),
    'attempt-refused',
  ],
  [
    'sends __proto__ as an argument to the gateway',
    '400 JSON_INVALID',
    sends((scene) => raw(scene, '{"orderId":"a","amount":1,"__proto__":{"amount":100}}')),
    'attempt-refused',
  ],
  [
    'sends an amount that no double holds to the gateway',
    '400 JSON_INVALID',
    sends((scene) => raw(scene, '{"orderId":"a","amount":12345678901234567890}')),
    'attempt-refused',
  ],
  ['sends a list for the arguments', '200 -32602', sends((scene) => raw(scene, '[1]'))],
  denied('works in the task of another agent at the gateway', async (scene, begin) => {
    const task = await taskOfAlice(scene);
    await begin();
    return scene.verdict(
      scene.modern('mallory', 'order.get', order, { meta: { 'surety/task': task } }),
    );
  }),
  [
    'repeats the key of another agent at the gateway',
    'its own call',
    async (scene) => {
      const meta = { 'surety/idempotency-key': 'shared' };
      await (
        await scene.send(scene.modern('alice', 'order.get', { id: 'secret' }, { meta }))
      ).text();
      const response = await scene.send(
        scene.modern('mallory', 'order.get', { id: 'mine' }, { meta }),
      );
      return (await response.text()).includes('secret')
        ? 'the answer of the other'
        : 'its own call';
    },
    'proposal-committed',
  ],
  [
    'has an effect twice by the same key at the gateway',
    '1 effect',
    async (scene) => {
      const meta = { 'surety/idempotency-key': 'once' };
      const given = { orderId: 'once', amount: 1 };
      const send = () => scene.send(scene.modern('alice', 'refund.issue', given, { meta }));
      await Promise.all(Array.from({ length: 10 }, async () => (await send()).text()));
      return `${scene.effects.filter((line) => line === 'refund once 1').length} effect`;
    },
    'proposal-committed',
  ],
  [
    'forges the answer to a question of the server',
    'no effect',
    async (scene) => {
      const before = scene.effects.length;
      const { body, ...sent } = scene.modern('mallory', 'asks', {});
      const params = {
        requestState: 'forged',
        inputResponses: { a: { action: 'accept', content: {} } },
      };
      const message = body as { params: object };
      await (
        await scene.send({
          ...sent,
          body: { ...message, params: { ...message.params, ...params } },
        })
      ).text();
      return scene.effects.length === before ? 'no effect' : 'an effect';
    },
  ],
  [
    'reads a file as a resource of the gateway',
    '200 -32601',
    inSession((scene) => ({
      as: 'alice',
      body: scene.message('resources/read', { uri: 'file:///etc/passwd' }),
    })),
  ],
]);

export const ownToolAttempts = attemptsOf<GatewayScene>('an agent', [
  ["reads another agent's task over MCP", '200 TASK_UNKNOWN', onTask('get_task')],
  [
    "cancels another agent's task over MCP",
    '200 TASK_NOT_YOURS',
    onTask('cancel_task', { reason: 'a' }),
    'attempt-refused',
  ],
  [
    "splits another agent's task over MCP",
    '200 PROPOSAL_DENIED',
    onTask('split_task', { goal: 'a' }),
    'proposal-denied',
  ],
  [
    "submits a test for another agent's task",
    '200 TASK_NOT_YOURS',
    onTask('submit_test', { path: 'a.mjs', code: 'a' }),
  ],
  [
    "reads another agent's task as a resource",
    '200 -32602',
    async (scene, begin) => {
      const task = await taskOfAlice(scene);
      await begin();
      return read(scene, `surety://tasks/${task}`);
    },
  ],
  [
    'reads a file as a resource of Surety',
    '200 -32602',
    (scene) => read(scene, 'surety://tasks/../../../.surety/token'),
  ],
  [
    'makes up a cursor',
    '200 CURSOR_UNKNOWN',
    (scene) => scene.own('mallory', 'list_contracts', { cursor: 'eyJvZmZzZXQiOjB9' }),
  ],
  [
    'reads the logs of a lane by a path',
    '200 LANE_CLOSED',
    (scene) => scene.own('mallory', 'query_logs', { lane: '../../token' }),
  ],
  [
    'proposes a tool by MCP that its policy does not name',
    '200 PROPOSAL_DENIED',
    (scene) => scene.own('mallory', 'propose', { tool: 'refund.issue', arguments: refund }),
    'proposal-denied',
  ],
  [
    'proposes a tool of Surety through propose',
    '200 PROPOSAL_DENIED',
    (scene) => scene.own('mallory', 'propose', { tool: 'change.promote', arguments: {} }),
    'proposal-denied',
  ],
  [
    'explains the proposal of another agent',
    '200 NOT_FOUND',
    async (scene, begin) => {
      const given = { tool: 'refund.issue', arguments: { ...refund, amount: 101 } };
      const response = await scene.send(
        scene.modern('alice', 'propose', given, { path: '/surety' }),
      );
      const proposal = /prop_\w+/.exec(await response.text())?.[0] ?? 'none';
      await begin();
      return scene.own('mallory', 'explain_proposal', { proposal });
    },
  ],
]);
