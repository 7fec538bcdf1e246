import { type Attempt, attemptsOf } from './attempt.ts';
import type { GuardedScene } from './guarded-scene.ts';

type Attack = Attempt<GuardedScene>['attack'];

interface Held {
  readonly approval: string;
  readonly argumentsHash: string;
}

let orders = 0;

/** A refund of Alice that waits for an approver. */
async function hold(
  scene: GuardedScene,
  order = `held-${orders++}`,
): Promise<Held & { order: string }> {
  await scene.propose('alice', 'refund.issue', { order, amount: 6_000 });
  const { body } = await scene.call('anna', 'GET /v1/approvals');
  const approvals = body.approvals as (Held & { arguments: { order: string } | null })[];
  const found = approvals.find(({ arguments: given }) => given?.order === order);
  if (!found) throw new Error(`not held: ${JSON.stringify(body)}`);
  return { ...found, order };
}

const answer =
  (as: string | null, more: object = {}, how = 'approve'): Attack =>
  async (scene, begin) => {
    const { approval, argumentsHash } = await hold(scene);
    await begin();
    const body = { argumentsHash, ...more };
    return (await scene.call(as, `POST /v1/approvals/${approval}/${how}`, body)).verdict;
  };

async function approve(scene: GuardedScene, { approval, argumentsHash }: Held): Promise<string> {
  const body = { argumentsHash };
  return (await scene.call('anna', `POST /v1/approvals/${approval}/approve`, body)).verdict;
}

export const approvalAttempts = attemptsOf<GuardedScene>('an agent', [
  ['approves its own call', '403 APPROVAL_OWN', answer('alice'), 'attempt-refused'],
  ['has another agent approve its call', '403 APPROVAL_ROLE', answer('mallory'), 'attempt-refused'],
  [
    'refuses the call of another agent',
    '403 APPROVAL_ROLE',
    answer('mallory', {}, 'refuse'),
    'attempt-refused',
  ],
  [
    'has a person without the role approve its call',
    '403 APPROVAL_ROLE',
    answer('vera'),
    'attempt-refused',
  ],
  ['has a developer approve its call', '403 APPROVAL_ROLE', answer('dave'), 'attempt-refused'],
  ['approves without a token', '401 UNAUTHORIZED', answer(null)],
  [
    'has other arguments approved than those that wait',
    '409 APPROVAL_OTHER_ARGUMENTS',
    answer('anna', { argumentsHash: '0'.repeat(64) }),
    'attempt-refused',
  ],
  ['names a role when it approves', '400 REQUEST_INVALID', answer('alice', { role: 'approver' })],
  [
    'uses an approval for a larger amount',
    '409 PROPOSAL_HELD',
    async (scene, begin) => {
      const held = await hold(scene);
      await approve(scene, held);
      await begin();
      return scene.propose('alice', 'refund.issue', { order: held.order, amount: 6_001 });
    },
    'proposal-held',
  ],
  [
    'uses the approval of another agent',
    '409 PROPOSAL_HELD',
    async (scene, begin) => {
      const held = await hold(scene);
      await approve(scene, held);
      await begin();
      return scene.propose('mallory', 'refund.issue', { order: held.order, amount: 6_000 });
    },
    'proposal-held',
  ],
  [
    'uses an approval twice',
    '409 PROPOSAL_HELD',
    async (scene, begin) => {
      const held = await hold(scene);
      await approve(scene, held);
      const given = { order: held.order, amount: 6_000 };
      const first = await scene.propose('alice', 'refund.issue', given);
      if (first !== '200') return `first: ${first}`;
      await begin();
      return scene.propose('alice', 'refund.issue', given);
    },
    'proposal-held',
  ],
  [
    'uses an approval ten times at once',
    '1 refund',
    async (scene) => {
      const held = await hold(scene);
      await approve(scene, held);
      const given = { order: held.order, amount: 6_000 };
      await Promise.all(
        Array.from({ length: 10 }, () => scene.propose('alice', 'refund.issue', given)),
      );
      const paid = scene.shopRequests.filter((line) => line === `POST /refunds/${held.order}`);
      return `${paid.length} refund`;
    },
    'proposal-committed',
  ],
  [
    'has a refused call approved afterwards',
    '409 APPROVAL_ANSWERED',
    async (scene, begin) => {
      const held = await hold(scene);
      const body = { argumentsHash: held.argumentsHash };
      await scene.call('anna', `POST /v1/approvals/${held.approval}/refuse`, body);
      await begin();
      return approve(scene, held);
    },
    'attempt-refused',
  ],
  [
    'splits a call that needs approval into smaller ones beyond its budget',
    '403 PROPOSAL_DENIED',
    async (scene) => {
      const part = () =>
        scene.propose('mallory', 'refund.issue', { order: 'parts', amount: 5_000 });
      for (let n = 0; n < 4; n++) await part();
      return part();
    },
    'proposal-denied',
  ],
  [
    'reads the approval of another agent',
    '404 NOT_FOUND',
    async (scene, begin) => {
      const { approval } = await hold(scene);
      await begin();
      return (await scene.call('mallory', `GET /v1/approvals/${approval}`)).verdict;
    },
  ],
  [
    'uses an approval after its task was cancelled',
    '403 PROPOSAL_DENIED',
    async (scene, begin) => {
      const { body } = await scene.call('alice', 'POST /v1/tasks', { goal: 'a' });
      const task = String(body.task);
      const order = `cancelled-${orders++}`;
      const call = () => scene.propose('alice', 'refund.issue', { order, amount: 6_000 }, { task });
      await call();
      const listed = await scene.call('anna', 'GET /v1/approvals');
      const held = (
        listed.body.approvals as (Held & { arguments: { order: string } | null })[]
      ).find(({ arguments: given }) => given?.order === order);
      await scene.call('alice', `POST /v1/tasks/${task}/cancel`, { reason: 'a' });
      if (held) await approve(scene, held);
      await begin();
      return call();
    },
    'proposal-denied',
  ],
]);
