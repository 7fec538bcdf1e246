import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { createReplayGuard, type GrantJwks, verifyGrant } from '../../src/verify-grant/index.ts';
import { type Attempt, attemptsOf, type Line } from './attempt.ts';
import type { GuardedScene } from './guarded-scene.ts';

type Attack = Attempt<GuardedScene>['attack'];
type Fields = Record<string, unknown>;

let tickets = 0;
/** Each time another one: the same call again and again would be denied for that. */
const newTicket = () => ({ id: `t-${tickets++}`, amount: 10 });
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part = ''): Fields => JSON.parse(Buffer.from(part, 'base64url').toString());

/** A grant as Alice gets it, for an executor with this name. */
async function grant(scene: GuardedScene, given = newTicket()): Promise<string> {
  const body = { tool: 'ticket.close', arguments: given, audience: 'desk' };
  const reply = await scene.call('alice', 'POST /v1/grants', body);
  if (typeof reply.body.token !== 'string') throw new Error(`no grant: ${JSON.stringify(reply)}`);
  return reply.body.token;
}

/** The executor's own check of what the attacker made of a grant, with the daemon's real keys. */
const present =
  (forge: (token: string, jwks: GrantJwks) => string, more: Fields = {}): Attack =>
  async (scene, begin) => {
    const { body } = await scene.call(null, 'GET /.well-known/jwks.json');
    const jwks = body as unknown as GrantJwks;
    const ticket = newTicket();
    const token = await grant(scene, ticket);
    await begin();
    const purpose = { audience: 'desk', issuer: 'default', tool: 'ticket.close' };
    const seen = createReplayGuard();
    const given = { ...ticket, ...(more.arguments as object) };
    const options = { jwks, ...purpose, seen, ...more, arguments: given };
    const result = verifyGrant(forge(token, jwks), options);
    return result.ok ? 'accepted' : result.code;
  };

const signed = (header: Fields, claims: Fields): string => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
};

/** The same header and claims, partly replaced and signed with a key of the attacker. */
const resign =
  (header: Fields, claims: Fields = {}) =>
  (token: string): string => {
    const [head, body] = token.split('.');
    return signed({ ...decode(head), ...header }, { ...decode(body), ...claims });
  };

/** Other claims under the old signature. */
const alter =
  (claims: Fields) =>
  (token: string): string => {
    const [head, body, signature] = token.split('.');
    return `${head}.${encode({ ...decode(body), ...claims })}.${signature}`;
  };

const unsigned = (token: string): string => {
  const [head, body] = token.split('.');
  return `${encode({ ...decode(head), alg: 'none' })}.${body}.`;
};

const byPublicKey = (token: string, { keys: [key] }: GrantJwks): string => {
  const [head, body] = token.split('.');
  const text = `${encode({ ...decode(head), alg: 'HS256' })}.${body}`;
  return `${text}.${createHmac('sha256', String(key?.x)).update(text).digest('base64url')}`;
};

const ownKey = { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) };
const unchanged = (token: string): string => token;

const forged = (tries: string, code: string, attack: Attack): Line<GuardedScene> => [
  tries,
  code,
  attack,
];

const redeem = (scene: GuardedScene, token: string) =>
  scene.call(null, 'POST /v1/grants/redeem', { token });
const settle = (scene: GuardedScene, token: string, report: object) =>
  scene.call(null, 'POST /v1/grants/settle', { token, report });
const done = { status: 'committed', value: null };
const failed = { status: 'failed', code: 'A', message: 'a' };

export const grantAttempts = attemptsOf<GuardedScene>('a holder of a grant', [
  forged('presents a grant without a signature', 'GRANT_MALFORMED', present(unsigned)),
  forged(
    'signs a grant with the public key as a secret',
    'GRANT_ALGORITHM_REFUSED',
    present(byPublicKey),
  ),
  forged('signs a grant with a key of its own', 'GRANT_SIGNATURE_WRONG', present(resign({}))),
  forged('names a key of its own', 'GRANT_KEY_UNKNOWN', present(resign({ kid: 'mine' }))),
  forged(
    'names a file as the key',
    'GRANT_KEY_UNKNOWN',
    present(resign({ kid: '../../keys/mine' })),
  ),
  forged('names __proto__ as the key', 'GRANT_KEY_UNKNOWN', present(resign({ kid: '__proto__' }))),
  forged(
    'puts its own key into the header',
    'GRANT_ALGORITHM_REFUSED',
    present(resign({ jwk: ownKey })),
  ),
  forged(
    'names an address of keys',
    'GRANT_ALGORITHM_REFUSED',
    present(resign({ jku: 'http://evil.example' })),
  ),
  forged(
    'demands an unknown extension',
    'GRANT_ALGORITHM_REFUSED',
    present(resign({ crit: ['exp'] })),
  ),
  forged(
    'presents a token of another type',
    'GRANT_ALGORITHM_REFUSED',
    present(resign({ typ: 'JWT' })),
  ),
  forged(
    'alters the end of a grant',
    'GRANT_SIGNATURE_WRONG',
    present(alter({ exp: 9e9, expMs: 9e12 })),
  ),
  forged(
    'alters the agent of a grant',
    'GRANT_SIGNATURE_WRONG',
    present(alter({ sub: 'agent:bob' })),
  ),
  forged(
    'alters the tool of a grant',
    'GRANT_SIGNATURE_WRONG',
    present(alter({ tool: 'shell.run' })),
  ),
  forged(
    'presents a grant to another executor',
    'GRANT_OTHER_AUDIENCE',
    present(unchanged, { audience: 'bank' }),
  ),
  forged(
    'presents a grant of another workspace',
    'GRANT_OTHER_ISSUER',
    present(unchanged, { issuer: 'shop' }),
  ),
  forged(
    'uses a grant for another tool',
    'GRANT_OTHER_TOOL',
    present(unchanged, { tool: 'ticket.open' }),
  ),
  forged(
    'uses a grant for a larger amount',
    'GRANT_OTHER_ARGUMENTS',
    present(unchanged, { arguments: { amount: 11 } }),
  ),
  forged(
    'uses a grant with one more argument',
    'GRANT_OTHER_ARGUMENTS',
    present(unchanged, { arguments: { admin: true } }),
  ),
  forged(
    'uses a grant with text for a number',
    'GRANT_OTHER_ARGUMENTS',
    present(unchanged, { arguments: { amount: '10' } }),
  ),
  forged(
    'uses a grant after its end',
    'GRANT_EXPIRED',
    present(unchanged, { now: () => Date.now() + 66_000 }),
  ),
  forged(
    'uses a grant before its start',
    'GRANT_NOT_YET_VALID',
    present(unchanged, { now: () => Date.now() - 66_000 }),
  ),
  ['uses a grant twice', 'GRANT_USED', presentTwice],
  [
    'redeems a grant twice',
    '403 GRANT_REFUSED',
    async (scene, begin) => {
      const token = await grant(scene);
      await redeem(scene, token);
      await begin();
      return (await redeem(scene, token)).verdict;
    },
    'attempt-refused',
  ],
  [
    'redeems a grant twenty times at once',
    '1 success',
    async (scene, begin) => {
      const token = await grant(scene);
      await begin();
      const replies = await Promise.all(Array.from({ length: 20 }, () => redeem(scene, token)));
      return `${replies.filter(({ status }) => status === 200).length} success`;
    },
    'proposal-executing',
  ],
  [
    'redeems an altered grant',
    '403 GRANT_REFUSED',
    async (scene, begin) => {
      const token = await grant(scene);
      await begin();
      return (await redeem(scene, alter({ exp: 9e9 })(token))).verdict;
    },
    'attempt-refused',
  ],
  [
    'redeems a grant that it signed itself',
    '403 GRANT_REFUSED',
    async (scene, begin) => {
      const token = await grant(scene);
      await begin();
      return (await redeem(scene, resign({})(token))).verdict;
    },
    'attempt-refused',
  ],
  [
    'redeems a grant of a stopped agent',
    '403 PROPOSAL_DENIED',
    async (scene, begin) => {
      const token = await grant(scene);
      const stop = { scope: 'agent:alice', reason: 'attack' };
      await scene.call('olga', 'POST /v1/stops', stop);
      await begin();
      const { verdict } = await redeem(scene, token);
      await scene.call('olga', 'POST /v1/stops/lift', stop);
      return verdict;
    },
    'attempt-refused',
  ],
  [
    'reports the outcome of a grant that was never redeemed',
    '403 GRANT_REFUSED',
    async (scene, begin) => {
      const token = await grant(scene);
      await begin();
      return (await settle(scene, token, done)).verdict;
    },
    'report-refused',
  ],
  [
    'takes back the outcome that it reported',
    '403 GRANT_REFUSED',
    async (scene, begin) => {
      const token = await grant(scene);
      await redeem(scene, token);
      await settle(scene, token, done);
      await begin();
      return (await settle(scene, token, failed)).verdict;
    },
    'report-refused',
  ],
  [
    'reports an outcome with an altered grant',
    '403 GRANT_REFUSED',
    async (scene, begin) => {
      const token = await grant(scene);
      await redeem(scene, token);
      await begin();
      return (await settle(scene, alter({ jti: 'prop_1' })(token), done)).verdict;
    },
    'attempt-refused',
  ],
  [
    'reports failures to get its budget back',
    '403 PROPOSAL_DENIED',
    async (scene, begin) => {
      const close = (n: number) => ({
        tool: 'ticket.close',
        arguments: { id: `free-${n}`, amount: 9_000 },
        audience: 'desk',
      });
      for (let n = 0; n < 2; n++) {
        const { body } = await scene.call('broker', 'POST /v1/grants', close(n));
        const token = String(body.token);
        await redeem(scene, token);
        await settle(scene, token, failed);
      }
      await begin();
      return (await scene.call('broker', 'POST /v1/grants', close(3))).verdict;
    },
    'proposal-denied',
  ],
  [
    'asks for a grant of a tool that the daemon runs',
    '422 TOOL_RUN_HERE',
    async (scene) => {
      const body = { tool: 'order.get', arguments: { id: '1' }, audience: 'desk' };
      return (await scene.call('alice', 'POST /v1/grants', body)).verdict;
    },
    'attempt-refused',
  ],
  [
    'fills the ledger with forged grants',
    'a bounded number of entries',
    async (scene) => {
      const before = await scene.newestEntry();
      for (let sent = 0; sent < 100; sent++) await redeem(scene, `forged-${sent}`);
      const entries = (await scene.newestEntry()) - before;
      return entries <= 60 ? 'a bounded number of entries' : `${entries} entries`;
    },
    'attempt-refused',
  ],
  [
    'uses a grant as a token of the API',
    '401 UNAUTHORIZED',
    async (scene, begin) => {
      const authorization = `Bearer ${await grant(scene)}`;
      await begin();
      return (await scene.call(null, 'GET /v1/status', undefined, { authorization })).verdict;
    },
  ],
  [
    'finds a grant in the ledger',
    'no grant',
    async (scene, begin) => {
      const token = await grant(scene);
      const newest = await scene.newestEntry();
      await begin();
      const { body } = await scene.call('owner', `GET /v1/entries/${newest}`);
      return JSON.stringify(body).includes(token.split('.')[2] ?? '') ? token : 'no grant';
    },
  ],
]);

async function presentTwice(scene: GuardedScene, begin: () => Promise<void>): Promise<string> {
  const seen = createReplayGuard();
  const ticket = newTicket();
  const { body } = await scene.call(null, 'GET /.well-known/jwks.json');
  const token = await grant(scene, ticket);
  await begin();
  const purpose = { audience: 'desk', issuer: 'default', tool: 'ticket.close', arguments: ticket };
  const verify = () => verifyGrant(token, { jwks: body as unknown as GrantJwks, ...purpose, seen });
  if (!verify().ok) return 'not even once';
  const second = verify();
  return second.ok ? 'accepted' : second.code;
}
