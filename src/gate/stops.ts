import { type Actor, fault } from '../kernel/index.ts';
import type { Ledger, Projection, ReadRows } from '../ledger/index.ts';
import type { StopsRow } from './api-schema.ts';

/** The scope of a stop: everything, an agent (`agent:ada`) or a tool (`tool:refund.issue`). */
export type StopScope = 'workspace' | `agent:${string}` | `tool:${string}`;

export const stopsKey = 'stops';

const scopePattern = /^(?:workspace|agent:[\w.@+-]{1,100}|tool:[\w./:@+-]{1,100})$/;

/** The kill switch: one row per stop, which every decision loads. */
export const stops: Projection = {
  kinds: ['stop-set', 'stop-lifted'],
  keys: () => [stopsKey],
  apply: (rows, { kind, body, actor, at }) => {
    const { [String(body.scope)]: _, ...others } = rows.get<StopsRow>(stopsKey) ?? {};
    const set = { [String(body.scope)]: { by: actor, at, reason: String(body.reason) } };
    rows.set(stopsKey, kind === 'stop-set' ? { ...others, ...set } : others);
  },
};

/** The stop that applies to an action, if any. */
export function stopOf(rows: ReadRows, actor: Actor, tool: string): [string, string] | null {
  const set = rows.get<StopsRow>(stopsKey);
  return set ? stopIn(set, actor, tool) : null;
}

export function stopIn(set: StopsRow, actor: Actor, tool: string): [string, string] | null {
  // People must be able to work while all agents are stopped.
  const scopes = actor.startsWith('agent:')
    ? ['workspace', actor, `tool:${tool}`]
    : [`tool:${tool}`];
  const scope = scopes.find((candidate) => Object.hasOwn(set, candidate));
  return scope === undefined ? null : [scope, set[scope]?.reason ?? ''];
}

export async function setStop(
  ledger: Ledger,
  { scope, reason, actor }: { scope: string; reason: string; actor: Actor },
): Promise<void> {
  checkScope(scope);
  await ledger.append({ kind: 'stop-set', actor, body: { scope, reason } });
}

export async function liftStop(
  ledger: Ledger,
  { scope, reason, actor }: { scope: string; reason: string; actor: Actor },
): Promise<void> {
  checkScope(scope);
  await ledger.transact({
    keys: [stopsKey],
    decide: (rows) => {
      const known = Object.hasOwn(rows.get<StopsRow>(stopsKey) ?? {}, scope);
      if (!known) throw fault('NOT_FOUND', { what: `stop of ${scope}` });
      return {
        drafts: [{ kind: 'stop-lifted', actor, body: { scope, reason } }],
        result: () => undefined,
      };
    },
  });
}

function checkScope(scope: string): asserts scope is StopScope {
  if (scopePattern.test(scope)) return;
  throw fault('STOP_SCOPE_INVALID', { scope });
}
