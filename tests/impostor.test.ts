import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../src/http/index.ts';
import { openGate } from '../src/index.ts';
import type { Fault } from '../src/kernel/index.ts';
import { agentTokenFile } from '../src/runtime/identities.ts';
import { killForGood } from './harness/kill-for-good.ts';
import { suretyProgram } from './harness/programs.ts';
import { until } from './harness/until.ts';
import { type Up, Workspace } from './harness/workspace.ts';

const policy = { version: 1, mode: 'observe', agents: { ada: { tools: ['*'] } } };
const ignore = (): undefined => undefined;
const answer = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';

/** Listens where the dead daemon listened, and keeps every byte that it gets. */
class Impostor {
  received = '';
  /** The port of a daemon that it asks for the right answers, if any. */
  relayTo: number | undefined;
  #server: Server | undefined;

  /** The system may take a moment to close the port of the killed daemon. */
  async listen(port: number): Promise<void> {
    this.#server = await until('the port is free', () => this.#tryListen(port));
  }

  close(): void {
    this.#server?.close();
  }

  #tryListen(port: number): Promise<Server | undefined> {
    const server = createServer((socket) => {
      socket.on('error', ignore);
      socket.on('data', (bytes) => {
        this.received += bytes.toString('latin1');
        if (this.relayTo === undefined) socket.write(answer);
      });
      if (this.relayTo === undefined) return;
      const daemon = connect(this.relayTo, '127.0.0.1').on('error', ignore);
      socket.pipe(daemon).pipe(socket);
    });
    server.listen(port, '127.0.0.1');
    return once(server, 'listening').then(() => server, ignore);
  }
}

let workspace: Workspace;
let port: number;
let revive: () => Promise<Up>;
const impostor = new Impostor();
beforeAll(async () => {
  workspace = new Workspace({ config: 'policy: policy.yaml\n' });
  writeFileSync(join(workspace.root, 'policy.yaml'), JSON.stringify(policy));
  const up = await workspace.up();
  port = up.port;
  revive = await killForGood(workspace, up.pid);
  await impostor.listen(port);
});
afterAll(async () => {
  impostor.close();
  await workspace[Symbol.asyncDispose]();
});

const run = promisify(execFile);
const tokenOfAda = (): string =>
  readFileSync(agentTokenFile(workspace.place, 'ada'), 'utf8').trim();

/** Every secret of the directory that a client could send. */
function tokens(): string[] {
  const { state, tokenFile } = workspace.place;
  const agents = readdirSync(join(state, 'agents')).map((name) => join(state, 'agents', name));
  return [tokenFile, ...agents].map((file) => readFileSync(file, 'utf8').trim());
}

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

/** An MCP client on standard input that says hello, and hangs up after the answer. */
async function greet(...words: string[]): Promise<void> {
  const running = run(process.execPath, [suretyProgram, ...words, '--directory', workspace.root]);
  const { stdin, stdout } = running.child;
  stdin?.write(`${JSON.stringify(hello)}\n`);
  await Promise.race([once(stdout as NodeJS.ReadableStream, 'data'), running.catch(ignore)]);
  stdin?.end(`${JSON.stringify(list)}\n`);
  await running.catch(ignore);
}

async function guardByDirectory(): Promise<void> {
  await using gate = await openGate({ daemon: workspace.root, agent: 'ada' });
  const guarded = gate.guard('effect.make', () => 1);
  await guarded({}).catch(ignore);
}

async function callByAddress(at: number): Promise<unknown> {
  const url = `http://127.0.0.1:${at}`;
  const client = createClient({ url, token: tokenOfAda(), directory: '.' });
  return client.call('GET /v1/contracts', {}).catch((error: Fault) => error.code);
}

const python = `
import sys
sys.path.insert(0, sys.argv[1])
from surety import Surety, Fault
for gate in (Surety(directory=sys.argv[2], agent="ada"),
             Surety(url=sys.argv[3], token=open(sys.argv[4]).read().strip())):
    try:
        gate.explain("prop_none")
    except Fault as refused:
        print(refused.code)
`;

/** What the client in Python got, by directory and by address. */
async function runPython(at: number): Promise<string[]> {
  const file = agentTokenFile(workspace.place, 'ada');
  const folder = join(import.meta.dirname, '..', 'clients', 'python');
  const given = [folder, workspace.root, `http://127.0.0.1:${at}`, file];
  const { stdout } = await run('python3', ['-c', python, ...given]);
  return stdout.trim().split('\n');
}

// proves: daemon.impostor
describe('a program on the port of a dead daemon gets no token from', () => {
  const clients: Record<string, () => Promise<unknown>> = {
    'surety status': () => workspace.surety('status'),
    'surety doctor': () => workspace.surety('doctor'),
    'the MCP server on standard input': () => greet('mcp', '--agent', 'ada'),
    'the MCP bridge to the gateway': () => greet('mcp', 'gateway', '--agent', 'ada'),
    'a guarded function': guardByDirectory,
    'a client that knows only the address': () => callByAddress(port),
    'the Python client': () => runPython(port),
  };

  test.each(Object.keys(clients))('%s', async (name) => {
    impostor.received = '';
    await clients[name]?.();
    for (const token of tokens()) expect(impostor.received).not.toContain(token);
    expect(impostor.received).not.toMatch(/authorization/i);
  });

  test('a client, when it gets its proof from the daemon at another port', async () => {
    const { port: moved } = await revive();
    expect(moved).not.toBe(port);
    impostor.received = '';
    impostor.relayTo = moved;
    expect(await callByAddress(port)).toBe('DAEMON_UNPROVEN');
    expect(await runPython(port)).toEqual(['NOT_FOUND', 'DAEMON_UNPROVEN']);
    expect(impostor.received).toContain('/v1/proof');
    expect(impostor.received).not.toMatch(/authorization/i);
    expect(await callByAddress(moved)).toMatchObject({ contracts: expect.anything() });
    expect(await runPython(moved)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
  });
});
