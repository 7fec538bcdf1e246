import type { GrantKey } from '../../gate/index.ts';
import type { HandlersOf } from '../../http/api.ts';
import { committedValue, type JsonObject } from '../../kernel/index.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function grantHandlers({ act, grantKeys }: HandlerDeps): HandlersOf<'grant'> {
  return {
    'GET /.well-known/jwks.json': async () => ({ keys: [...grantKeys.jwks().keys] }),
    'GET /v1/grant-keys': async () => ({ keys: grantKeys.list() }),
    'POST /v1/grant-keys/rotate': async (_, { actor, key }) => {
      const proposal = { actor, tool: 'grant-keys.rotate', arguments: {}, key };
      return committedValue(await act(proposal, async () => shown(grantKeys.rotate())));
    },
    'POST /v1/grant-keys/{kid}/revoke': async ({ path: { kid } }, { actor, key }) => {
      const proposal = { actor, tool: 'grant-keys.revoke', arguments: { kid }, key };
      return committedValue(await act(proposal, async () => shown(grantKeys.revoke(kid))));
    },
  };
}

/** As JSON, because an interface is not assignable to JSON. */
function shown(key: GrantKey): GrantKey & JsonObject {
  return { ...key };
}
