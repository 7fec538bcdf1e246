import { type Identity, lazy } from '../../kernel/index.ts';
import type { OwnEndpointDeps } from '../../mcp/endpoint.ts';

/** Surety's own tools over HTTP; the protocol is loaded with the first request in it. */
export function lateEndpoint(
  deps: OwnEndpointDeps,
): (request: Request, caller: Identity) => Promise<Response> {
  const endpoint = lazy(async () => {
    const { createOwnEndpoint } = await import('../../mcp/endpoint.ts');
    return createOwnEndpoint(deps);
  });
  return async (request, caller) => (await endpoint())(request, caller);
}
