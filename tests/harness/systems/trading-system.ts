import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-ports.ts';
import { freshDatabase } from '../postgres/fresh-database.ts';
import { Workspace } from '../workspace.ts';
import { commit, git } from './small-system.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const example = join(repository, 'examples', 'trading');

/** The five services of the demo as a repository of their own, on ports that nobody else uses. */
export async function makeTradingSystem(
  databaseUrl: () => Promise<string> = freshDatabase,
): Promise<Workspace> {
  return makeRepository(await configuration('surety-core.yaml', await databaseUrl()));
}

/** The same with everything: Python, gRPC, TLS, Redis and NATS. */
export async function makeWholeTradingSystem(databaseUrl: string): Promise<Workspace> {
  return makeRepository(await configuration('surety.yaml', databaseUrl));
}

function makeRepository(config: string): Workspace {
  const workspace = new Workspace({ config });
  for (const part of ['services', 'shared', 'suites', 'schema', 'seeds', 'migrate.ts']) {
    cpSync(join(example, part), join(workspace.root, part), { recursive: true });
  }
  writeFileSync(join(workspace.root, 'package.json'), '{"type":"module"}\n');
  writeFileSync(join(workspace.root, '.gitignore'), 'node_modules\n.surety/\n.tls/\n');
  symlinkSync(join(repository, 'node_modules'), join(workspace.root, 'node_modules'));
  git(workspace.root, 'init', '--quiet', '--initial-branch=main');
  commit(workspace.root, 'first');
  return workspace;
}

/** A change of the example, as a patch for this repository. */
export function exampleChange(name: string): string {
  const patch = readFileSync(join(example, 'changes', `${name}.patch`), 'utf8');
  return patch.replaceAll('examples/trading/', '');
}

async function configuration(file: string, url: string): Promise<string> {
  const text = readFileSync(join(example, file), 'utf8');
  const port = /\b43(?:0\d|10)\b/g;
  const ports = new Map<string, number>();
  for (const [usual] of text.matchAll(port)) {
    if (!ports.has(usual)) ports.set(usual, await freePort());
  }
  // All at once: a port that was put in may look like one that is still to be replaced.
  const moved = text.replaceAll(port, (usual) => String(ports.get(usual)));
  return withoutMeasuring(moved).replaceAll('${DATABASE_URL}', url);
}

/** Hundreds of requests more for each verdict; measured.test.ts shows what they are for. */
function withoutMeasuring(config: string): string {
  const unmeasured = /^( +)environment: \{ TOKEN: .*$(?!\n +measured: false)/gm;
  return config.replaceAll(unmeasured, '$&\n$1measured: false');
}
