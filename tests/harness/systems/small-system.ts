import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../free-ports.ts';
import { Workspace } from '../workspace.ts';

/** A service that tells its version, and the answer of the next one if it has one. */
const code = `import { createServer } from 'node:http';
const version = 'one';
createServer(async (request, response) => {
  const next = process.env.NEXT_URL ? await (await fetch(process.env.NEXT_URL)).json() : null;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ service: process.env.NAME, version, next }));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

export interface SmallSystem {
  readonly workspace: Workspace;
  readonly ports: { readonly front: number; readonly back: number };
  /** What a plain client gets from a service. */
  ask(service: 'front' | 'back'): Promise<{ version: string; next: { version: string } | null }>;
}

/** Two services, front → back, in a git repository of their own. */
export async function makeSmallSystem(more = ''): Promise<SmallSystem> {
  const ports = await freePorts(['front', 'back']);
  const workspace = new Workspace({ config: configuration(ports) + more });
  writeFileSync(join(workspace.root, 'front.mjs'), code);
  writeFileSync(join(workspace.root, 'back.mjs'), code);
  writeFileSync(join(workspace.root, '.gitignore'), '.surety/\n');
  git(workspace.root, 'init', '--quiet', '--initial-branch=main');
  commit(workspace.root, 'first');
  const ask = async (service: 'front' | 'back') =>
    (await fetch(`http://127.0.0.1:${ports[service]}/`)).json() as ReturnType<SmallSystem['ask']>;
  return { workspace, ports, ask };
}

function configuration({ front, back }: SmallSystem['ports']): string {
  return `ingress: front
services:
  front:
    command: node front.mjs
    port: ${front}
    health: /
    environment: { NAME: front, NEXT_URL: "http://127.0.0.1:${back}/" }
    paths: [front.mjs]
    dependsOn: [back]
  back:
    command: node back.mjs
    port: ${back}
    environment: { NAME: back }
    paths: [back.mjs]
`;
}

export function git(directory: string, ...words: string[]): string {
  const identity = ['-c', 'user.name=tester', '-c', 'user.email=tester@localhost'];
  return execFileSync('git', [...identity, ...words], { cwd: directory, encoding: 'utf8' });
}

export function commit(directory: string, message: string): void {
  git(directory, 'add', '--all');
  git(directory, 'commit', '--quiet', '--message', message);
}
