import type { HookProposal } from '../../../hook/index.ts';
import { hookLimits } from '../../../hook/index.ts';
import type { Client } from '../../../http/index.ts';
import type { Json, JsonObject } from '../../../kernel/index.ts';

/**
 * Adds what the daemon knows about an edit, a commit or a push: whether a task of the agent is in
 * phase `change`, and whether exactly that version has a pass. What cannot be found out is not
 * added, and the rules of the policy then apply as if it were not so.
 */
export async function withEvidence(proposal: HookProposal, client: Client): Promise<HookProposal> {
  const effects = (proposal.arguments.effects ?? []) as readonly JsonObject[];
  const added = await Promise.all(
    effects.map((effect) =>
      canHaveEvidence(effect, proposal.arguments) ? withFlag(effect, client) : effect,
    ),
  );
  return { ...proposal, arguments: { ...proposal.arguments, effects: added } };
}

/** What leaves files and commits as they are. */
const harmless = new Set([
  'file.read',
  'secret.read',
  'network.connect',
  'git.commit',
  'git.push',
  'shell.unconfined',
  'infrastructure.plan',
]);

/**
 * A verdict is about what is there before the command: it says nothing of what the same command
 * changes before it commits or pushes, of other repositories, and of further branches.
 */
export function canHaveEvidence(
  { kind, flags }: JsonObject,
  { effects, unknown, unresolved }: JsonObject,
): boolean {
  if (kind !== 'git.commit' && kind !== 'git.push') return true;
  const [own, others] = [flags, effects] as readonly [readonly string[], readonly JsonObject[]];
  if (own.includes('elsewhere') || own.includes('several')) return false;
  if ([unknown, unresolved].some((list) => Array.isArray(list) && list.length > 0)) return false;
  const kinds = others.map((one) => String(one.kind));
  return (
    kinds.every((one) => harmless.has(one)) &&
    !(kind === 'git.push' && kinds.includes('git.commit'))
  );
}

async function withFlag(effect: JsonObject, client: Client): Promise<JsonObject> {
  const flag = await flagOf(effect, client).catch(() => undefined);
  if (flag === undefined) return effect;
  return { ...effect, flags: [...((effect.flags ?? []) as readonly Json[]), flag] };
}

async function flagOf({ kind, on }: JsonObject, client: Client): Promise<string | undefined> {
  switch (kind) {
    case 'file.write':
    case 'file.delete':
      return (await isChangeDue(client)) ? 'changeIsDue' : undefined;
    case 'git.commit':
      return (await isVerified(undefined, client)) ? 'verified' : undefined;
    case 'git.push': {
      const refs = pushedRefs(Array.isArray(on) ? on.map(String) : []);
      const found = await Promise.all(refs.map((ref) => isVerified(ref, client)));
      return found.every(Boolean) ? 'verified' : undefined;
    }
    default:
      return undefined;
  }
}

/** `HEAD:main` pushes HEAD. Without a name it is the current branch. */
function pushedRefs(given: readonly string[]): readonly string[] {
  const refs = given.map((ref) => ref.replace(/^\+/, '').split(':')[0] || 'HEAD');
  return refs.length > 0 ? refs : ['HEAD'];
}

const answerMsMax = hookLimits.decisionMsMax;

async function isVerified(ref: string | undefined, client: Client): Promise<boolean> {
  const query = ref === undefined ? {} : { ref };
  return (await client.call('GET /v1/passes', { query }, { answerMsMax })).isVerified;
}

async function isChangeDue(client: Client): Promise<boolean> {
  const { tasks } = await client.call('GET /v1/tasks', { query: {} }, { answerMsMax });
  return tasks.some(({ change }) => change?.phase === 'change');
}
