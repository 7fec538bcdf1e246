import type { Hono } from 'hono';
import { fault, hasRole, type Identity } from '../kernel/index.ts';

export interface McpRouteDeps {
  /** Absent where there is no server behind a gateway. */
  readonly mcp?: ((request: Request, caller: Identity) => Promise<Response>) | undefined;
  /** Who the holder of a token is; undefined if nobody is. */
  readonly identify: (token: string) => Identity | undefined;
}

const path = '/mcp';
const metadataPath = '/.well-known/oauth-protected-resource';
const roles = ['agent', 'developer', 'operator'] as const;

/** The gateway's address. Its answers are the protocol's own, so that it is no operation. */
export function mountMcp(app: Hono, { mcp, identify }: McpRouteDeps): void {
  if (!mcp) return;
  for (const place of [metadataPath, `${metadataPath}${path}`]) {
    app.get(place, (context) => Response.json(metadata(context.req.header('host'))));
  }
  app.all(path, async (context) => {
    const token = context.req.header('authorization')?.replace(/^Bearer /i, '') ?? '';
    const caller = identify(token);
    if (!caller) return challenge(context.req.header('host'));
    if (!hasRole(caller.roles, roles)) {
      const have = caller.roles.join(', ');
      throw fault('ROLE_NEEDED', { operation: path, roles: [...roles, 'admin'].join(', '), have });
    }
    return mcp(context.req.raw, caller);
  });
}

/** Tokens are handed out by whoever runs this, not by a server for them. */
function metadata(host: string | undefined): object {
  return {
    resource: `http://${host}${path}`,
    resource_name: 'Surety gateway',
    bearer_methods_supported: ['header'],
  };
}

function challenge(host: string | undefined): Response {
  const address = `http://${host}${metadataPath}${path}`;
  const headers = { 'www-authenticate': `Bearer resource_metadata="${address}"` };
  return Response.json({ fault: fault('UNAUTHORIZED', {}).report() }, { status: 401, headers });
}
