import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../free-ports.ts';
import { Workspace } from '../workspace.ts';
import { commit, git } from './small-system.ts';

/** Tells what it was given, and goes wrong in whatever way it is asked to. */
const code = `import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
if (process.argv[2] === 'stubborn') process.on('SIGTERM', () => {});
console.log('my token is ' + process.env.TOKEN);
const kept = [];
const actions = {
  '/crash': () => process.exit(7),
  '/eat': () => { for (let mb = 0; mb < 200; mb++) kept.push(Buffer.alloc(1048576, 1)); },
};
createServer((request, response) => {
  actions[request.url]?.();
  const { MODE, TOKEN } = process.env;
  const built = existsSync('built.txt') ? readFileSync('built.txt', 'utf8') : null;
  response.end(JSON.stringify({ pid: process.pid, MODE, TOKEN, built }));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

export interface CareSystem extends AsyncDisposable {
  readonly workspace: Workspace;
  readonly secret: string;
  readonly elsewhere: Server;
  get(service: string, path?: string): Promise<Record<string, unknown>>;
}

/** Services that are looked after in every way that surety.yaml knows. */
export async function makeCareSystem(): Promise<CareSystem> {
  const elsewhere = createServer((_, response) => response.end('ok'));
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  const staging = (elsewhere.address() as AddressInfo).port;
  const names = ['plain', 'hungry', 'looping', 'stubborn'] as const;
  const ports: Record<string, number> = {};
  for (const name of names) ports[name] = await freePort();
  const secret = 'hunter2-is-the-token';
  const workspace = new Workspace();
  const { root, place } = workspace;
  writeFileSync(place.configFile, configuration(root, ports, staging));
  writeFileSync(join(root, 'service.mjs'), code);
  writeFileSync(join(root, 'token.txt'), `${secret}\n`);
  writeFileSync(join(root, '.gitignore'), '.surety/\ntoken.txt\nbroken\nbuilds.txt\n');
  git(root, 'init', '--quiet', '--initial-branch=main');
  commit(root, 'first');
  return {
    workspace,
    secret,
    elsewhere,
    get: async (service, path = '/') =>
      (await (await fetch(`http://127.0.0.1:${ports[service]}${path}`)).json()) as never,
    async [Symbol.asyncDispose]() {
      elsewhere.closeAllConnections();
      await new Promise((resolve) => elsewhere.close(resolve));
      await workspace[Symbol.asyncDispose]();
    },
  };
}

function configuration(
  root: string,
  ports: Readonly<Record<string, number>>,
  staging: number,
): string {
  return `services:
  plain:
    command: node service.mjs
    port: ${ports.plain}
    health: /
    build: printf built > built.txt; echo once >> ${root}/builds.txt
    environment: { MODE: plain }
    secrets: { TOKEN: "file:./token.txt" }
    dependsOn: [stubborn]
  hungry:
    command: node service.mjs
    port: ${ports.hungry}
    limits: { memoryMb: 128 }
  looping:
    command: sh -c 'test ! -e ${root}/broken && exec node service.mjs; exit 3'
    port: ${ports.looping}
  stubborn: { command: node service.mjs stubborn, port: ${ports.stubborn} }
  staging: { address: "127.0.0.1:${staging}", health: / }
overlays:
  prod-like: { services: { plain: { environment: { MODE: production } } } }
`;
}
