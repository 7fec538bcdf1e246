import type { HandlersOf } from '../../http/api.ts';
import { committedValue, type JsonObject } from '../../kernel/index.ts';
import type { IssuedToken } from '../issued-tokens.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function tokenHandlers({ act, identities }: HandlerDeps): HandlersOf<'token'> {
  return {
    'GET /v1/tokens': async () => ({ tokens: identities.issued().map(shown) }),
    'POST /v1/tokens': async ({ body }, { actor, key }) => {
      let token = '';
      const proposal = { actor, tool: 'token.issue', arguments: { ...body }, key };
      const outcome = await act(proposal, async () => {
        const issued = identities.issue(body);
        // Outside of the outcome, which is recorded.
        token = issued.token;
        return shown(issued);
      });
      return { ...committedValue(outcome), token };
    },
    'POST /v1/tokens/rotate': async ({ body }, { actor, key }) => {
      const proposal = { actor, tool: 'token.rotate', arguments: { ...body }, key };
      return committedValue(await act(proposal, async () => identities.rotate(body.holder)));
    },
    'POST /v1/tokens/{token}/revoke': async ({ path: { token } }, { actor, key }) => {
      const proposal = { actor, tool: 'token.revoke', arguments: { token }, key };
      return committedValue(await act(proposal, async () => shown(identities.revoke(token))));
    },
  };
}

function shown({
  id,
  actor,
  surface,
  expiresAt,
}: IssuedToken): JsonObject & Omit<IssuedToken, 'token'> {
  return { id, actor, surface, expiresAt };
}
