import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationResponse } from '../../../src/http/index.ts';
import { freePort } from '../free-ports.ts';
import { Workspace } from '../workspace.ts';
import { commit, git } from './small-system.ts';

export type TinyLane = OperationResponse<'POST /v1/lanes'>;

/**
 * Takes 5 MB and a few milliseconds to start, so that a hundred of them fit into a test; and has a
 * child that no signal to its group reaches.
 */
const code = `use strict; use POSIX 'setsid'; use IO::Socket::INET;
my $version = 'one';
if (fork() == 0) { setsid(); exec 'sleep', '300'; }
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ENV{PORT}, Listen => 64,
  ReuseAddr => 1) or die;
while (my $client = $server->accept) {
  while (defined(my $line = <$client>)) { last if $line =~ /^\\r?$/ }
  print $client "HTTP/1.1 200 OK\\r\\nconnection: close\\r\\ncontent-length: " . length($version) . "\\r\\n\\r\\n$version";
  close $client;
}
`;

export interface TinyOptions {
  /** Where its directory is made, e.g. on a small disk. */
  readonly parent?: string;
  /** How many lanes may be open at once. */
  readonly lanesMax?: number;
  /** What the repository has besides. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
}

/** One service, in Perl, which every machine with git has. */
export class TinySystem implements AsyncDisposable {
  readonly workspace: Workspace;
  readonly #port: number;

  private constructor(workspace: Workspace, port: number) {
    this.workspace = workspace;
    this.#port = port;
  }

  static async start({
    parent,
    files = {},
    lanesMax = 100,
  }: TinyOptions = {}): Promise<TinySystem> {
    const port = await freePort();
    const config = `ingress: tiny
services:
  tiny: { command: perl tiny.pl, port: ${port}, tagging: none, paths: [tiny.pl] }
lanes: { perMachine: ${lanesMax} }
`;
    const workspace = new Workspace({ config, ...(parent === undefined ? {} : { parent }) });
    writeFileSync(join(workspace.root, 'tiny.pl'), code);
    writeFileSync(join(workspace.root, '.gitignore'), '.surety/\nfiller\n');
    for (const [file, bytes] of Object.entries(files)) {
      writeFileSync(join(workspace.root, file), bytes);
    }
    git(workspace.root, 'init', '--quiet', '--initial-branch=main');
    commit(workspace.root, 'first');
    await workspace.up();
    await workspace.run('system', 'up');
    return new TinySystem(workspace, port);
  }

  /**
   * Each with a version of its own: `v0`, `v1` and so on. All at once. Those that are stubborn do
   * not end when they are asked to.
   */
  openMany(count: number, { stubborn = false } = {}): Promise<TinyLane[]> {
    const client = this.workspace.client();
    const patch = this.#patch();
    const bodies = Array.from({ length: count }, (_, number) => ({
      patch: patch.replace("'two'", `'v${number}'${stubborn ? "; $SIG{TERM} = 'IGNORE'" : ''}`),
    }));
    return Promise.all(bodies.map((body) => client.call('POST /v1/lanes', { body })));
  }

  async through({ lane, address }: TinyLane): Promise<string> {
    try {
      const headers = { baggage: `surety-lane=${lane.lane}` };
      const response = await fetch(address, { headers });
      return response.ok ? await response.text() : `refused with ${response.status}`;
    } catch {
      return 'nobody is there';
    }
  }

  async baseline(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.#port}/`)).text();
  }

  #patch(): string {
    const { root } = this.workspace;
    writeFileSync(join(root, 'tiny.pl'), code.replace("'one'", "'two'"));
    const patch = git(root, 'diff');
    git(root, 'checkout', '--quiet', '--', '.');
    return patch;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.workspace[Symbol.asyncDispose]();
  }
}
