import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Workspace } from '../workspace.ts';

const toolServer = fileURLToPath(new URL('./tool-server.ts', import.meta.url));

export interface GatewayOptions {
  /** YAML or JSON. */
  readonly policy: string | object;
  /** More lines under `mcp.servers`. */
  readonly servers?: Readonly<Record<string, object>>;
  /** What surety.yaml says besides. */
  readonly config?: object;
}

/** A workspace whose daemon has the fixture's tools behind its gateway. */
export async function openGateway({
  policy,
  servers,
  config: more,
}: GatewayOptions): Promise<Workspace> {
  const own = { command: [process.execPath, toolServer], directory: 'server' };
  const mcp = { servers: servers ?? { shop: own } };
  const config = JSON.stringify({ policy: 'policy.yaml', mcp, ...more });
  const workspace = new Workspace({ config });
  mkdirSync(join(workspace.root, 'server'));
  const text = typeof policy === 'string' ? policy : JSON.stringify(policy);
  writeFileSync(join(workspace.root, 'policy.yaml'), text);
  await workspace.up();
  return workspace;
}

/** What the fixture really did. */
export function effectsOf({ root }: Workspace): string[] {
  const file = join(root, 'server', 'effects');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

export function fixtureServer(): object {
  return { command: [process.execPath, toolServer], directory: 'server' };
}
