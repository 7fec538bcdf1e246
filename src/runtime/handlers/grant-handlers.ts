import type { GrantKey } from '../../gate/index.ts';
import type { GrantHandlers } from '../../http/api.ts';
import { committedValue, type JsonObject } from '../../kernel/index.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function grantHandlers({ act, grantKeys }: HandlerDeps): GrantHandlers {
  return {
    'GET /.well-known/jwks.json': async () => ({ keys: [...grantKeys.jwks().keys] }),
    'GET /v1/grant-keys': async () => ({ keys: grantKeys.list() }),
    'POST /v1/grant-keys/rotate': async (_, { actor, key }) => {
      const proposal = { actor, tool: 'grant-keys.rotate', arguments: {}, ...keyed(key) };
      return committedValue(await act(proposal, async () => shown(grantKeys.rotate())));
    },
    'POST /v1/grant-keys/{kid}/revoke': async ({ path: { kid } }, { actor, key }) => {
      const proposal = { actor, tool: 'grant-keys.revoke', arguments: { kid }, ...keyed(key) };
      return committedValue(await act(proposal, async () => shown(grantKeys.revoke(kid))));
    },
  };
}

function keyed(key: string | undefined): { key?: string } {
  return key === undefined ? {} : { key };
}

/** As JSON, which an interface is not by itself. */
function shown(key: GrantKey): GrantKey & JsonObject {
  return { ...key };
}
