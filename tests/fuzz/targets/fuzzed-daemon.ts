import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStat } from '../../../src/keeper/strays/processes.ts';
import { DaemonScene } from '../../attacks/daemon-scene.ts';
import { Workspace } from '../../harness/workspace.ts';
import { memoryDirectory } from '../memory-directory.ts';

const config = `policy: policy.yaml
people: {olga: {roles: [operator]}, dave: {roles: [developer]}, anna: {roles: [approver]}}
agents: {ada: {tools: ["*"]}}
api: {requestsPerMinute: 1000000}
`;
const policy = {
  version: 1,
  tools: {
    note: { effect: 'mutating', arguments: { type: 'object' }, run: { command: ['true'] } },
    pay: {
      effect: 'mutating',
      arguments: { type: 'object', properties: { amount: { type: 'integer' } } },
      governance: { cost: { money: '1' }, approval: { role: 'approver', within: '1h' } },
    },
  },
  agents: { ada: { tools: ['note', 'pay', 'task.*'] } },
};

export const callers = ['owner', 'ada', 'olga', 'dave', 'anna', 'nobody'] as const;

/** How long the slowest answer may take: waits that a request asks for included. */
const answerMsMax = 120_000;

/** A real daemon that must neither end, nor hang, nor answer that it has a bug. */
export class FuzzedDaemon implements AsyncDisposable {
  readonly #scene: DaemonScene;
  readonly #pid: number;
  readonly #tokens = new Map<string, string>();

  private constructor(workspace: Workspace, pid: number) {
    this.#scene = new DaemonScene(workspace);
    this.#pid = pid;
  }

  static async start(): Promise<FuzzedDaemon> {
    const workspace = new Workspace({ config, parent: memoryDirectory });
    writeFileSync(join(workspace.root, 'policy.yaml'), JSON.stringify(policy));
    const { pid } = await workspace.up();
    return new FuzzedDaemon(workspace, pid);
  }

  /** The status and the text of an answer. */
  async send(
    as: string,
    method: string,
    path: string,
    { body, headers = {} }: { body?: Buffer; headers?: Record<string, string> } = {},
  ): Promise<{ status: number; text: string }> {
    const url = `http://127.0.0.1:${this.#scene.port}${path}`;
    const authorization = `Bearer ${this.#tokenOf(as)}`;
    const sent = body && method !== 'GET' ? { body: body as never } : {};
    const signal = AbortSignal.timeout(answerMsMax);
    const given = { authorization, 'content-type': 'application/json', ...headers };
    const request = { method, headers: given, signal, ...sent };
    try {
      const response = await fetchAgain(url, request);
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
      const text = isStream && method === 'GET' ? '' : await response.text();
      if (isStream && method === 'GET') await response.body?.cancel();
      if (response.status === 401) this.#tokens.clear();
      if (response.status === 500) throw new Error(`${method} ${path} answered 500: ${text}`);
      return { status: response.status, text };
    } catch (error) {
      if (readStat(this.#pid)?.isZombie !== false)
        throw new Error(`the daemon ended at ${method} ${path}`);
      throw error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#scene[Symbol.asyncDispose]();
  }

  #tokenOf(as: string): string {
    if (as === 'nobody') return 'none';
    const known = this.#tokens.get(as) ?? this.#scene.token(as);
    this.#tokens.set(as, known);
    return known;
  }
}

/** The daemon closes idle connections, now and then just before the next request on them. */
async function fetchAgain(url: string, request: RequestInit): Promise<Response> {
  for (let tries = 1; ; tries++) {
    try {
      return await fetch(url, request);
    } catch (error) {
      if (tries === triesMax || request.signal?.aborted) throw error;
    }
  }
}

const triesMax = 10;
