import { type Fault, fault, type Identity, type Surface } from '../kernel/index.ts';

export interface DoorDeps {
  /** Who the holder of a token is; undefined if nobody is. Throws if it is not valid here. */
  readonly identify: (token: string, surface: Surface) => Identity | undefined;
  /** In how many milliseconds an agent may call; 0 if now. */
  readonly waitMs: (agent: string) => number;
  readonly requestsPerMinute: (agent: string) => number;
}

/** Who calls, by their token; an agent that calls too often is not let in. */
export function enter(
  authorization: string | undefined,
  surface: Surface,
  deps: DoorDeps,
): Identity {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  const identity = deps.identify(token, surface);
  if (identity === undefined) throw fault('UNAUTHORIZED', {});
  const { actor } = identity;
  const waitMs = actor.startsWith('agent:') ? deps.waitMs(actor) : 0;
  if (waitMs === 0) return identity;
  const seconds = Math.ceil(waitMs / 1_000);
  throw fault('AGENT_TOO_FAST', { agent: actor, limit: deps.requestsPerMinute(actor), seconds });
}

/** What HTTP says besides about a request that was refused. */
export function doorHeaders({ code, values, definition }: Fault): Record<string, string> {
  // The rest of a body that is too large is not read, so nothing can follow it.
  if (definition.status === 413) return { connection: 'close' };
  if (code === 'AGENT_TOO_FAST') return { 'retry-after': String(values.seconds) };
  return definition.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
}
