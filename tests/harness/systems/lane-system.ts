import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OperationResponse } from '../../../src/http/index.ts';
import { freePorts } from '../free-ports.ts';
import { Workspace } from '../workspace.ts';
import { commit, git } from './small-system.ts';

export type Opened = OperationResponse<'POST /v1/lanes'>;

/** Answers with its version and what comes after it; on /slow only when the lane is gone. */
const code = `import { createServer } from 'node:http';
import { version } from './version.mjs';
const { NEXT_URL, EXTRA = '', PORT } = process.env;
createServer(async (request, response) => {
  if (request.url === '/slow') return;
  const next = NEXT_URL ? await (await fetch(NEXT_URL)).text() : '';
  response.end([version + EXTRA, next].filter(Boolean).join(' '));
}).listen(Number(PORT), '127.0.0.1', () => console.log('listens'));
`;

const names = ['front', 'middle', 'back'] as const;

export type LaneService = (typeof names)[number];

/** A request that hangs fails, so that whoever waits for an answer sends another. */
const answerMsMax = 20_000;

/** Three services, front → middle → back, each in a folder of its own. */
export class LaneSystem implements AsyncDisposable {
  readonly workspace: Workspace;
  readonly #front: number;

  private constructor(workspace: Workspace, front: number) {
    this.workspace = workspace;
    this.#front = front;
  }

  static async start(
    more = '',
    parent?: string,
    files: Readonly<Record<string, string>> = {},
  ): Promise<LaneSystem> {
    const ports = await freePorts(names);
    const config = configuration(ports) + more;
    const workspace = new Workspace({ config, ...(parent === undefined ? {} : { parent }) });
    const system = new LaneSystem(workspace, ports.front);
    for (const name of names) {
      system.write(`${name}/main.mjs`, code);
      system.write(`${name}/version.mjs`, "export const version = '1';\n");
    }
    for (const [file, text] of Object.entries(files)) system.write(file, text);
    system.write('.gitignore', '.surety/\n');
    git(workspace.root, 'init', '--quiet', '--initial-branch=main');
    commit(workspace.root, 'first');
    await workspace.up();
    await workspace.run('system', 'up');
    return system;
  }

  read(file: string): string {
    return readFileSync(join(this.workspace.root, file), 'utf8');
  }

  write(file: string, text: string): void {
    const path = join(this.workspace.root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Another version of these services, as a patch on what is committed. */
  versions(versions: Partial<Record<LaneService, string>>): string {
    const files = Object.entries(versions).map(
      ([name, version]) => [`${name}/version.mjs`, versionText(version)] as const,
    );
    return this.patch(Object.fromEntries(files));
  }

  patch(files: Readonly<Record<string, string>>): string {
    const { root } = this.workspace;
    for (const [file, text] of Object.entries(files)) this.write(file, text);
    git(root, 'add', '--all');
    const patch = git(root, 'diff', '--cached');
    git(root, 'reset', '--quiet', '--hard');
    return patch;
  }

  open(body: Parameters<typeof openBody>[0]): Promise<Opened> {
    return this.workspace.client().call('POST /v1/lanes', { body: openBody(body) });
  }

  close(lane: string): Promise<unknown> {
    return this.workspace.client().call('POST /v1/lanes/{lane}/close', { path: { lane } });
  }

  /** What the front says to a request of the lane, or with which status it is refused. */
  async through({ address }: Pick<Opened, 'address'>, lane: string, path = '/'): Promise<string> {
    const headers = { baggage: `surety-lane=${lane}` };
    const response = await fetch(new URL(path, address), { headers });
    return response.ok ? response.text() : `refused with ${response.status}`;
  }

  async baseline(): Promise<string> {
    const signal = AbortSignal.timeout(answerMsMax);
    return (await fetch(`http://127.0.0.1:${this.#front}/`, { signal })).text();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.workspace[Symbol.asyncDispose]();
  }
}

type OpenBody = {
  patch?: string;
  ref?: string;
  worktree?: boolean;
  services?: string[];
  on?: string;
  isolated?: boolean;
  control?: boolean;
  ttlMs?: number;
};

const openBody = (body: OpenBody): OpenBody => body;

export const versionText = (version: string): string => `export const version = '${version}';\n`;

function configuration(ports: Record<LaneService, number>): string {
  const url = (name: LaneService): string => `http://127.0.0.1:${ports[name]}/`;
  const service = (name: LaneService, next?: LaneService): string => `  ${name}:
    command: node ${name}/main.mjs
    port: ${ports[name]}
    environment: { ${next ? `NEXT_URL: "${url(next)}"` : ''} }
    paths: [${name}]
    dependsOn: [${next ?? ''}]
`;
  return `ingress: front
services:
${service('front', 'middle')}${service('middle', 'back')}${service('back')}`;
}

/** Who listens on a port of this machine, if anybody. */
export function isListening(port: number): boolean {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const table = readFileSync('/proc/net/tcp', 'utf8');
  return table
    .split('\n')
    .some((line) => new RegExp(`^\\s*\\d+: \\w+:${hex} \\w+:0000 0A`).test(line));
}
