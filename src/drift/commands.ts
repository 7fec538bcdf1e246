import { type Actor, fault, sha256 } from '../kernel/index.ts';
import type { Ledger } from '../ledger/index.ts';
import {
  type BehaviourPastRow,
  type BehaviourRow,
  behaviourKey,
  behaviourPastKey,
} from './behaviour/behaviour-row.ts';

/** Who says that the recent behaviour of an agent is right, and why. */
export interface DriftAcceptance {
  readonly agent: string;
  readonly reason: string;
  readonly actor: Actor;
}

/** Takes the recent behaviour of an agent as its reference; its level is normal again. */
export async function acceptDrift(
  ledger: Ledger,
  { agent, reason, actor }: DriftAcceptance,
): Promise<void> {
  const key = behaviourKey(agent);
  await ledger.transact({
    keys: [key],
    decide: (rows) => {
      const isKnown = rows.get<BehaviourRow>(key) !== undefined;
      if (!isKnown) throw fault('NOT_FOUND', { what: `behaviour of ${agent}` });
      const draft = { kind: 'drift-accepted', actor, body: { agent, reason } };
      return { drafts: [draft], result: () => undefined };
    },
  });
}

/** What an agent says it runs as, or what its client says. */
export interface AgentProfile {
  readonly version?: string | undefined;
  readonly framework?: string | undefined;
  readonly model?: string | undefined;
}

/** As in `claude-code 2.1, model opus, version 7`; the same text means the same profile. */
export function formatProfile({ framework, model, version }: AgentProfile): string {
  const parts = [framework, model && `model ${model}`, version && `version ${version}`];
  return parts.filter((part) => part).join(', ');
}

/** Also of the empty profile, which an agent has until it declares one. */
const hashOf = (profile: string): string => sha256(profile).slice(0, 16);

function withoutGaps(given: AgentProfile): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/**
 * Records that an agent runs as another version, on another framework or model. Says nothing twice:
 * clients connect often.
 */
export async function declareAgent(
  ledger: Ledger,
  agent: Actor,
  given: AgentProfile,
): Promise<string> {
  const key = behaviourPastKey(agent);
  return ledger.transact({
    keys: [key],
    decide: (rows) => {
      const row = rows.get<BehaviourPastRow>(key);
      const before = row?.profile ?? '';
      // What is left out stays: a client knows its own name, and only the agent its model.
      const declared = { ...row?.declared, ...withoutGaps(given) };
      const profile = formatProfile(declared);
      if (before === profile) return { drafts: [], result: () => profile };
      const body = { declared, profile, hash: hashOf(profile), replaces: hashOf(before) };
      return { drafts: [{ kind: 'agent-declared', actor: agent, body }], result: () => profile };
    },
  });
}
