import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationResponse } from '../../../src/http/index.ts';
import type { DataMode } from '../../../src/lanes/index.ts';
import { freePorts } from '../free-ports.ts';
import { type LocalServer, startRedis } from '../local-server.ts';
import { Workspace } from '../workspace.ts';
import { commit, git } from './small-system.ts';

export type StoredLane = OperationResponse<'POST /v1/lanes'>;

/** Tells its version, and where its datastores are. In Perl: it starts in a few milliseconds. */
const code = `use strict; use IO::Socket::INET;
my $version = 'one';
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ENV{PORT}, Listen => 64,
  ReuseAddr => 1) or die;
while (my $client = $server->accept) {
  while (defined(my $line = <$client>)) { last if $line =~ /^\\r?$/ }
  my $text = "$version $ENV{FILES_URL} $ENV{CACHE_URL}";
  print $client "HTTP/1.1 200 OK\\r\\nconnection: close\\r\\ncontent-length: " . length($text) . "\\r\\n\\r\\n$text";
  close $client;
}
`;

/** What the user of a store of any kind brings: a directory per lane. */
const branch = `set -e
place="$PWD/branches/$SURETY_LANE"
if [ "$1" = drop ]; then rm -rf "$place"; exit; fi
mkdir -p "$place"
echo "mode $SURETY_MODE of $SURETY_STORE from $FILES_URL" > "$place/made"
echo 'This line is no URL.'
echo "file://$place"
`;

/**
 * The services orders and ledger use a store that two commands branch, and a Redis; a third one
 * runs elsewhere, with a store of its own.
 */
export class StoredSystem implements AsyncDisposable {
  readonly workspace: Workspace;
  readonly live: { readonly files: string; readonly cache: string };
  readonly #redis: LocalServer;
  readonly #port: number;

  private constructor(workspace: Workspace, redis: LocalServer, port: number) {
    this.workspace = workspace;
    this.live = {
      files: `file://${workspace.root}/live`,
      cache: `redis://127.0.0.1:${redis.port}/0`,
    };
    this.#redis = redis;
    this.#port = port;
  }

  static async start(): Promise<StoredSystem> {
    const redis = await startRedis();
    const ports = await freePorts(['orders', 'ledger']);
    const system = new StoredSystem(new Workspace(), redis, ports.orders);
    const { root, place } = system.workspace;
    writeFileSync(place.configFile, configuration(ports, system.live));
    writeFileSync(join(root, 'service.pl'), code);
    writeFileSync(join(root, 'branch.sh'), branch);
    writeFileSync(join(root, '.gitignore'), '.surety/\nlive/\nbranches/\n');
    for (const name of ['live', 'branches']) mkdirSync(join(root, name));
    git(root, 'init', '--quiet', '--initial-branch=main');
    commit(root, 'first');
    try {
      await system.workspace.up();
      await system.workspace.run('system', 'up');
    } catch (error) {
      await redis.stop();
      throw error;
    }
    return system;
  }

  /** A change of both services, unless told that it is a copy of some. */
  open(
    data: Readonly<Record<string, DataMode>>,
    more: { services?: string[]; on?: string } = {},
  ): Promise<StoredLane> {
    const body = { ...(more.services ? {} : { patch: this.#patch() }), ...more, data: { ...data } };
    return this.workspace.client().call('POST /v1/lanes', { body });
  }

  close({ lane: { lane } }: StoredLane): Promise<unknown> {
    return this.workspace.client().call('POST /v1/lanes/{lane}/close', { path: { lane } });
  }

  /** Version and addresses, as the lane's orders has them. */
  async through({ lane, address }: StoredLane): Promise<string[]> {
    const headers = { baggage: `surety-lane=${lane.lane}` };
    return (await (await fetch(address, { headers })).text()).split(' ');
  }

  async baseline(): Promise<string[]> {
    return (await (await fetch(`http://127.0.0.1:${this.#port}/`)).text()).split(' ');
  }

  /** Everything that lanes have of their own, and what is noted about it. */
  left(): string[] {
    const { root, place } = this.workspace;
    const notes = existsSync(place.data) ? readdirSync(place.data) : [];
    return [...readdirSync(join(root, 'branches')), ...notes];
  }

  /** What is noted about a lane, which may be gone when it is noted about another one. */
  notesOf({ lane: { lane } }: StoredLane): (other: string) => void {
    const { root, place } = this.workspace;
    const notes = readFileSync(join(place.data, `${lane}.json`), 'utf8');
    return (other) => {
      mkdirSync(join(root, 'branches', other));
      writeFileSync(join(place.data, `${other}.json`), notes.replaceAll(lane, other));
    };
  }

  /** The lines that a step has written to a store that is a directory. */
  lines(directory: string, file: string): string[] {
    const path = join(directory.replace('file://', ''), file);
    return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  }

  #patch(): string {
    const { root } = this.workspace;
    writeFileSync(join(root, 'service.pl'), code.replace("'one'", "'two'"));
    const patch = git(root, 'diff');
    git(root, 'checkout', '--quiet', '--', '.');
    return patch;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.workspace[Symbol.asyncDispose]();
    await this.#redis.stop();
  }
}

function configuration(
  ports: { readonly orders: number; readonly ledger: number },
  live: { readonly files: string; readonly cache: string },
): string {
  const service = (name: 'orders' | 'ledger'): string =>
    `  ${name}: { command: perl service.pl, port: ${ports[name]}, tagging: none, ` +
    'build: touch built, paths: [service.pl], stores: [files, cache] }\n';
  // What builds make is there: steps run in a checkout of their version.
  const step = (file: string): string =>
    `{ command: 'test -e built && echo "for \${SURETY_LANE:-the live one}" >> "\${FILES_URL#file://}/${file}"' }`;
  return `ingress: orders
services:
${service('orders')}${service('ledger')}  theirs: { address: '${new URL(live.cache).host}', protocol: tcp, stores: [their-files] }
datastores:
  files:
    kind: postgres
    url: ${live.files}
    variable: FILES_URL
    branch: { create: sh branch.sh create, drop: sh branch.sh drop }
    migrations: ${step('migrated')}
    seeds: ${step('seeded')}
  cache: { kind: redis, url: '${live.cache}', variable: CACHE_URL }
  their-files:
    kind: postgres
    url: ${live.files}
    variable: FILES_URL
    migrations: ${step('migrated-elsewhere')}
`;
}
