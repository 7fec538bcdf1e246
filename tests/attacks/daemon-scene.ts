import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readDaemonFile } from '../../src/runtime/state-files.ts';
import type { Workspace } from '../harness/workspace.ts';
import type { AttackedScene } from './expect-refusals.ts';

export interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
  /** The status and the code of the fault, if there is one. */
  readonly verdict: string;
}

/** A daemon, and whoever calls its API. */
export class DaemonScene implements AttackedScene {
  readonly workspace: Workspace;

  constructor(workspace: Workspace) {
    this.workspace = workspace;
  }

  get port(): number {
    return readDaemonFile(this.workspace.place)?.port ?? 0;
  }

  /** The token of `owner`, of a person or of an agent. */
  token(name: string): string {
    const { state, tokenFile } = this.workspace.place;
    if (name === 'owner') return readFileSync(tokenFile, 'utf8').trim();
    const files = ['people', 'agents'].map((folder) => join(state, folder, `${name}.token`));
    return readFileSync(files.find(existsSync) ?? '', 'utf8').trim();
  }

  /** Calls the API as this person or agent; `null` sends no token. */
  async call(
    as: string | null,
    operation: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const [method = '', path = ''] = operation.split(' ');
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      headers: {
        ...(as === null ? {} : { authorization: `Bearer ${this.token(as)}` }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    });
    const answer = await response.text();
    const value = parse(answer);
    const { code = '' } = (value.fault ?? {}) as { code?: string };
    const verdict = `${response.status} ${code}`.trim();
    return { status: response.status, body: value, headers: response.headers, verdict };
  }

  /** Sends these bytes and returns the statuses of all answers, such as "400" or "200 401". */
  async sendBytes(bytes: string | Buffer): Promise<string> {
    const socket = connect(this.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.end(bytes);
    const answers = await text(socket).catch(() => '');
    const statuses = [...answers.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => status);
    return statuses.join(' ') || 'closed';
  }

  /** Sends these bytes, keeps the connection open, and returns the status of the first answer. */
  async firstAnswer(bytes: Buffer): Promise<string> {
    const socket = connect(this.port, '127.0.0.1');
    socket.write(bytes);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return answer.toString('latin1').slice(9, 12);
  }

  async newestEntry(): Promise<number> {
    const { body } = await this.call('owner', 'GET /v1/entries?limit=1');
    return (body.head as { seq: number }).seq;
  }

  async readKinds(after: number): Promise<string[]> {
    const { body } = await this.call('owner', `GET /v1/entries?limit=1000&from=${after + 1}`);
    return (body.entries as { kind: string }[]).map(({ kind }) => kind);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.workspace[Symbol.asyncDispose]();
  }
}

/** Leaves no process behind if the scene cannot be prepared. */
export async function openScene<Scene extends AsyncDisposable>(
  scene: Scene,
  prepare: () => Promise<void>,
): Promise<Scene> {
  try {
    await prepare();
    return scene;
  } catch (error) {
    await scene[Symbol.asyncDispose]();
    throw error;
  }
}

function parse(answer: string): Record<string, unknown> {
  try {
    return JSON.parse(answer);
  } catch {
    return { text: answer };
  }
}
