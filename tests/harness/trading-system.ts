import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/lanes/free-port.ts';
import { freshDatabase } from './fresh-database.ts';
import { commit, git } from './small-system.ts';
import { Workspace } from './workspace.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const example = join(repository, 'examples', 'trading');

/** The example as a repository of its own, on ports that nobody else uses. */
export async function makeTradingSystem(
  databaseUrl: () => Promise<string> = freshDatabase,
): Promise<Workspace> {
  const workspace = new Workspace({ config: await configuration(await databaseUrl()) });
  for (const part of ['services', 'shared', 'suites', 'schema', 'seeds']) {
    cpSync(join(example, part), join(workspace.root, part), { recursive: true });
  }
  writeFileSync(join(workspace.root, 'package.json'), '{"type":"module"}\n');
  writeFileSync(join(workspace.root, '.gitignore'), 'node_modules\n.surety/\n');
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

async function configuration(url: string): Promise<string> {
  const text = readFileSync(join(example, 'surety.yaml'), 'utf8');
  const ports = new Map<string, number>();
  for (const port of ['4300', '4301', '4302', '4303', '4304']) ports.set(port, await freePort());
  // All at once: a port that was put in may look like one that is still to be replaced.
  const moved = text.replaceAll(/\b430[0-4]\b/g, (port) => String(ports.get(port)));
  return moved.replaceAll('${DATABASE_URL}', url);
}
