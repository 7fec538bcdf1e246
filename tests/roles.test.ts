import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Operation, operations } from '../src/http/contract.ts';
import type { Role } from '../src/kernel/index.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

/** One person per role, and an agent. */
const names: Readonly<Record<Role, string>> = {
  viewer: 'people/vera',
  agent: 'agents/coder',
  developer: 'people/dave',
  operator: 'people/olga',
  approver: 'people/anna',
  auditor: 'people/udo',
  reporter: 'people/rita',
  admin: 'people/ada',
};

const config = `
people:
  vera: { roles: [viewer] }
  dave: { roles: [developer] }
  olga: { roles: [operator] }
  anna: { roles: [approver] }
  udo: { roles: [auditor] }
  rita: { roles: [reporter] }
  ada: { roles: [admin] }
  otto: { roles: [viewer, operator] }
agents:
  coder: { tools: [task.open] }
`;

let workspace: Workspace;
let port: number;

beforeAll(async () => {
  workspace = new Workspace({ config });
  ({ port } = await workspace.up());
});
afterAll(() => workspace[Symbol.asyncDispose]());

const tokenFile = (name: string): string => join(workspace.place.state, `${name}.token`);
const tokenOf = (name: string): string => readFileSync(tokenFile(name), 'utf8').trim();

interface Answer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Without a body: what needs one is refused for that only after the role was looked at. */
async function call(operation: string, token: string): Promise<Answer> {
  const [method = '', path = ''] = operation.split(' ');
  const url = `http://127.0.0.1:${port}${path.replace(/\{\w+\}/g, '1')}`;
  const leave = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(url, { method, headers, signal: leave.signal });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const body = isStream ? {} : ((await response.json()) as { fault?: Partial<Answer> });
  leave.abort();
  const { code = 'ok', message = '' } = ('fault' in body && body.fault) || {};
  return { status: response.status, code, message };
}

const refusals = ['ROLE_NEEDED', 'NOT_FOR_AGENTS', 'UNAUTHORIZED'];
const roles = Object.keys(names) as Role[];

// proves: roles.enforced
describe('a role', () => {
  test.each<[Role, string, string]>([
    ['viewer', 'GET /v1/entries', 'GET /v1/entries/{seq}'],
    ['viewer', 'GET /v1/system', 'POST /v1/notes'],
    ['agent', 'POST /v1/tasks', 'GET /v1/entries'],
    ['agent', 'POST /v1/tasks/{task}/promote', 'POST /v1/promotions'],
    ['developer', 'POST /v1/tasks', 'POST /v1/promotions'],
    ['developer', 'POST /v1/verdicts', 'POST /v1/system/up'],
    ['developer', 'POST /v1/lanes', 'GET /v1/entries/{seq}'],
    ['operator', 'POST /v1/system/restart', 'POST /v1/tasks'],
    ['operator', 'POST /v1/promotions', 'POST /v1/shred'],
    ['operator', 'POST /v1/grant-keys/{kid}/revoke', 'POST /v1/verdicts'],
    ['approver', 'GET /v1/tasks/{task}', 'POST /v1/tasks'],
    ['approver', 'POST /v1/notes', 'POST /v1/system/down'],
    ['auditor', 'GET /v1/entries/{seq}', 'POST /v1/grant-keys/rotate'],
    ['auditor', 'GET /v1/grant-keys', 'POST /v1/lanes'],
    ['reporter', 'POST /v1/webhooks/alerts', 'GET /v1/status'],
  ])('%s may call %s but not %s', async (role, may, mayNot) => {
    expect(refusals).not.toContain((await call(may, tokenOf(names[role]))).code);
    expect((await call(mayNot, tokenOf(names[role]))).status).toBe(403);
  });

  test.each(roles)('%s may use the operations that name it and no others', async (role) => {
    for (const [key, operation] of Object.entries<Operation>(operations)) {
      const wanted = operation.open || role === 'admin' || operation.roles.includes(role);
      const { code } = await call(key, tokenOf(names[role]));
      expect([key, role, !refusals.includes(code)]).toEqual([key, role, wanted]);
    }
  });

  test("that is missing is named in the fault, with the caller's own roles", async () => {
    expect(await call('POST /v1/shred', tokenOf('people/otto'))).toEqual({
      status: 403,
      code: 'ROLE_NEEDED',
      message: 'POST /v1/shred needs one of these roles: admin. You have: viewer, operator.',
    });
    expect(await call('POST /v1/shred', tokenOf('agents/coder'))).toMatchObject({
      status: 403,
      code: 'NOT_FOR_AGENTS',
    });
  });

  test('adds to the other roles of a caller', async () => {
    expect((await call('GET /v1/system', tokenOf('people/otto'))).status).toBe(200);
    expect((await call('POST /v1/system/down', tokenOf('people/otto'))).code).not.toBe(
      'ROLE_NEEDED',
    );
  });

  test('is named for each operation in the API description', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/openapi.json`);
    const { paths } = (await response.json()) as { paths: Record<string, never> };
    expect(paths['/v1/shred']).toMatchObject({ post: { 'x-roles': ['admin'] } });
    expect(paths['/v1/verdicts']).toMatchObject({ post: { 'x-roles': ['developer', 'admin'] } });
    expect(paths['/v1/health']).not.toMatchObject({ get: { 'x-roles': expect.anything() } });
  });
});

// proves: roles.tokens
describe('a token', () => {
  test('is readable by the owner only', () => {
    for (const name of Object.values(names)) {
      expect(statSync(tokenFile(name)).mode & 0o777).toBe(0o600);
    }
    expect(new Set(Object.values(names).map(tokenOf)).size).toBe(roles.length);
  });

  test('identifies the actor in the ledger', async () => {
    vi.stubEnv('SURETY_TOKEN', tokenOf('people/udo'));
    const { seq } = await workspace.run('ledger', 'note', 'seen by an auditor');
    const { entry } = await workspace.client().call('GET /v1/entries/{seq}', {
      path: { seq: Number(seq) },
    });
    vi.unstubAllEnvs();
    expect(entry.actor).toBe('person:udo');
  });

  test('of another person makes the command act as that person', async () => {
    vi.stubEnv('SURETY_TOKEN', tokenOf('people/vera'));
    const { code, value } = await workspace.surety('grant-keys', 'rotate');
    vi.unstubAllEnvs();
    expect([code, value.fault?.code]).toEqual([1, 'ROLE_NEEDED']);
  });

  test('that is unknown is refused and starts no second daemon', async () => {
    vi.stubEnv('SURETY_TOKEN', 'nobody');
    const status = await workspace.surety('status');
    const up = await workspace.surety('up');
    vi.unstubAllEnvs();
    expect([status.value.fault?.code, up.code, up.value.port]).toEqual(['UNAUTHORIZED', 0, port]);
  });

  test('is shown only on request', async () => {
    const { people } = (await workspace.run('people')) as { people: object[] };
    expect(people).toHaveLength(9);
    expect(people).toContainEqual({
      actor: 'person:olga',
      roles: ['operator'],
      tokenFile: tokenFile('people/olga'),
      made: true,
    });
    expect(JSON.stringify(people)).not.toContain(tokenOf('people/olga'));
    expect(await workspace.run('people', 'olga', '--token')).toMatchObject({
      people: [{ actor: 'person:olga', token: tokenOf('people/olga') }],
    });
    const missing = await workspace.surety('people', 'nobody');
    expect([missing.code, missing.value.fault?.code]).toEqual([1, 'NOT_FOUND']);
  });
});

// proves: grant.rotation, grant.revocation
describe('grant keys', () => {
  const published = async (): Promise<string[]> => {
    const response = await fetch(`http://127.0.0.1:${port}/.well-known/jwks.json`);
    const { keys } = (await response.json()) as { keys: { kid: string }[] };
    return keys.map(({ kid }) => kid);
  };

  test('are public, and are rotated and revoked by proposals in the ledger', async () => {
    const [before = ''] = await published();
    const { kid } = (await workspace.run('grant-keys', 'rotate')) as { kid: string };
    expect((await published()).slice(0, 2)).toEqual([kid, before]);
    await workspace.run('grant-keys', 'revoke', before);
    expect(await published()).not.toContain(before);
    const { keys } = await workspace.client().call('GET /v1/grant-keys', {});
    expect(keys.slice(0, 2)).toMatchObject([
      { kid, state: 'current' },
      { kid: before, state: 'revoked' },
    ]);
    expect(await recordedTools()).toEqual(
      expect.arrayContaining(['grant-keys.rotate', 'grant-keys.revoke']),
    );
  });

  test('rotate once per idempotency key', async () => {
    const client = workspace.client();
    const rotate = () => client.call('POST /v1/grant-keys/rotate', {}, { key: 'monthly-1' });
    expect(await rotate()).toEqual(await rotate());
  });

  test('survive a killed daemon', async () => {
    const before = await published();
    const { pid } = await workspace.client().call('GET /v1/status', {});
    process.kill(pid, 'SIGKILL');
    await until('the daemon is gone', () => !workspace.processes().includes(pid));
    ({ port } = await workspace.up());
    expect(await published()).toEqual(before);
  });

  test('that are unknown cannot be revoked', async () => {
    const { code, value } = await workspace.surety('grant-keys', 'revoke', 'nobody');
    expect([code, value.fault?.code]).toEqual([1, 'NOT_FOUND']);
  });
});

async function recordedTools(): Promise<unknown[]> {
  const query = { limit: 1_000 };
  const { entries } = await workspace.client().call('GET /v1/entries', { query });
  return entries.map(({ body }) => body.tool);
}

describe('surety.yaml', () => {
  test.each<[string, string, string]>([
    ['an unknown role', 'people: { eve: { roles: [root] } }\n', 'people.eve.roles.0'],
    ['the role reserved for agents', 'people: { eve: { roles: [agent] } }\n', 'people.eve.roles.0'],
    ['no role', 'people: { eve: { roles: [] } }\n', 'give at least one role'],
    ['a name that leaves its folder', 'people: { ../eve: { roles: [admin] } }\n', 'eve'],
  ])('with %s is refused', async (_, text, reason) => {
    await using other = new Workspace({ config: text });
    const { code, value } = await other.surety('up');
    expect([code, value.fault?.code]).toEqual([2, 'CONFIG_INVALID']);
    expect(value.fault?.message).toContain(reason);
  });

  test.each<[string, (token: string) => string, string]>([
    ['empty', () => '\n', 'it is empty'],
    ['in use by another', (token) => token, 'has the same one'],
  ])('with a token that is %s is refused at startup', async (_, make, reason) => {
    await using other = new Workspace({ config: 'people: { eve: { roles: [viewer] } }\n' });
    await other.up();
    await other.run('down');
    const token = readFileSync(other.place.tokenFile, 'utf8');
    writeFileSync(join(other.place.state, 'people/eve.token'), make(token));
    const { value } = await other.surety('up');
    expect(value.fault?.code).toBe('TOKEN_UNUSABLE');
    expect(value.fault?.message).toContain(reason);
  });
});

// proves: tokens.surface, tokens.rotate
test('a token is issued, used, rotated and revoked by command, and no entry contains it', async () => {
  const issue = ['token', 'issue', 'agent:coder', '--for', '1h', '--surface'];
  const issued = (await workspace.run(...issue, 'api')) as { id: string; token: string };
  expect(await call('GET /v1/contracts', issued.token)).toMatchObject({ status: 200 });
  const elsewhere = (await workspace.run(...issue, 'mcp')) as { token: string };
  const code = 'TOKEN_FOR_ANOTHER_SURFACE';
  expect(await call('GET /v1/contracts', elsewhere.token)).toMatchObject({ status: 403, code });
  expect(JSON.stringify(await workspace.run('token', 'list'))).not.toContain(issued.token);
  await workspace.run('token', 'revoke', issued.id);
  expect(await call('GET /v1/contracts', issued.token)).toMatchObject({ status: 401 });

  const before = readFileSync(workspace.place.tokenFile, 'utf8').trim();
  await workspace.run('token', 'rotate');
  expect(await call('GET /v1/status', before)).toMatchObject({ status: 401 });
  expect(await workspace.run('status')).toMatchObject({ running: true });
  const database = readFileSync(workspace.place.ledgerFile);
  const log = readFileSync(`${workspace.place.ledgerFile}-wal`);
  for (const token of [issued.token, before, elsewhere.token]) {
    expect(Buffer.concat([database, log]).includes(token)).toBe(false);
  }
});
