import type { Context, Hono } from 'hono';
import { fault, hasRole, type Identity, type JsonObject, toFault } from '../kernel/index.ts';
import { type DoorDeps, doorHeaders, enter } from './door.ts';

export interface McpPlace {
  readonly path: string;
  readonly title: string;
  readonly handle: (request: Request, caller: Identity) => Promise<Response>;
}

const metadataPath = '/.well-known/oauth-protected-resource';
const roles = ['agent', 'developer', 'operator'] as const;

/** Addresses that speak MCP. Their answers are the protocol's own: they are no operations. */
export function mountMcp(app: Hono, places: readonly McpPlace[], door: DoorDeps): void {
  for (const place of places) {
    app.get(`${metadataPath}${place.path}`, (context) => describe(place, context));
    app.all(place.path, async (context) => {
      try {
        const caller = enter(context.req.header('authorization'), door);
        checkRole(place, caller);
        return await place.handle(context.req.raw, caller);
      } catch (error) {
        return refuse(error, place, context);
      }
    });
  }
  const [first] = places;
  if (first) app.get(metadataPath, (context) => describe(first, context));
}

function checkRole({ path }: McpPlace, caller: Identity): void {
  if (hasRole(caller.roles, roles)) return;
  const have = caller.roles.join(', ');
  throw fault('ROLE_NEEDED', { operation: path, roles: [...roles, 'admin'].join(', '), have });
}

/** RFC 9728. Tokens are handed out by whoever runs this, not by a server for them. */
function describe({ path, title }: McpPlace, context: Context): Response {
  return Response.json({
    resource: `http://${context.req.header('host')}${path}`,
    resource_name: title,
    bearer_methods_supported: ['header'],
  });
}

/** For clients of the protocol: whoever is not let in has said nothing that could be answered. */
function refuse(error: unknown, { path }: McpPlace, context: Context): Response {
  const refused = toFault(error);
  const { definition, message, remedy } = refused;
  if (definition.blame !== 'caller') throw error;
  const data = refused.report() as JsonObject;
  const body = {
    jsonrpc: '2.0',
    id: null,
    error: { code: refusedCode, message: `${message} ${remedy}`, data },
  };
  return Response.json(body, {
    status: definition.status,
    headers: { ...doorHeaders(refused), ...challenge(refused.code, path, context) },
  });
}

const refusedCode = -32_000;

function challenge(code: string, path: string, { req }: Context): Record<string, string> {
  if (code !== 'UNAUTHORIZED') return {};
  const address = `http://${req.header('host')}${metadataPath}${path}`;
  const reason = req.header('authorization') ? ', error="invalid_token"' : '';
  return { 'www-authenticate': `Bearer resource_metadata="${address}"${reason}` };
}
