import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentToken, gatewayUrl } from '../harness/mcp/gateway-client.ts';
import { effectsOf, openGateway } from '../harness/mcp/gateway-workspace.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspace.ts';
import type { AttackedScene } from './expect-refusals.ts';

type Fields = Record<string, unknown>;

const word = { type: 'string', maxLength: 40 };
const policy = {
  version: 1,
  tools: {
    'order.get': {
      effect: 'read',
      arguments: { type: 'object', required: ['id'], properties: { id: word } },
    },
    'refund.issue': {
      effect: 'mutating',
      arguments: {
        type: 'object',
        required: ['orderId', 'amount'],
        properties: { orderId: word, amount: { type: 'integer', minimum: 1, maximum: 100 } },
      },
      governance: { cost: { money: 'arguments.amount' } },
    },
  },
  agents: {
    alice: { tools: ['order.get', 'refund.issue', 'task.*'] },
    mallory: { tools: ['order.get', 'task.*'] },
  },
};

const config = { people: { vera: { roles: ['viewer'] } } };

/** What an MCP client sends. */
export interface Sent {
  /** `null` sends no token. A name with a slash is that of a token file, such as `people/vera`. */
  readonly as: string | null;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  /** Text is sent as it is. */
  readonly body?: object | string;
}

/** A daemon with a tool server behind its gateway, and two agents. */
export class GatewayScene implements AttackedScene {
  readonly #workspace: Workspace;
  #ids = 0;

  private constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  static async open(): Promise<GatewayScene> {
    const scene = new GatewayScene(await openGateway({ policy, config }));
    const isPinned = async () => (await scene.readKinds(0)).includes('tool-pinned');
    await until('the tools of the server are pinned', isPinned);
    return scene;
  }

  /** What the tool server really did. */
  get effects(): string[] {
    return effectsOf(this.#workspace);
  }

  async send({ as, method = 'POST', path = '', headers = {}, body }: Sent): Promise<Response> {
    return fetch(`${gatewayUrl(this.#workspace)}${path}`, {
      method,
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(as === null ? {} : { authorization: `Bearer ${this.#token(as)}` }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
  }

  /** The status, and the code of the fault, or of the protocol's error without one. */
  async verdict(sent: Sent): Promise<string> {
    const response = await this.send(sent);
    if (sent.method === 'GET' && response.ok) {
      await response.body?.cancel();
      return String(response.status);
    }
    return `${response.status} ${codeOf(lastMessage(await response.text()))}`.trim();
  }

  /** Begins a session of an older revision, and returns its id. */
  async openSession(as: string): Promise<string> {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'attack', version: '1' },
    };
    const response = await this.send({ as, body: this.message('initialize', params) });
    await response.text();
    return response.headers.get('mcp-session-id') ?? '';
  }

  message(method: string, params: object = {}): object {
    return { jsonrpc: '2.0', id: ++this.#ids, method, params };
  }

  /** A call of 2026-07-28, which needs no session. */
  modern(
    as: string,
    name: string,
    given: unknown,
    more: Partial<Sent> & { meta?: Fields } = {},
  ): Sent {
    const { meta, ...rest } = more;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      ...meta,
    };
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...rest.headers,
    };
    const body = this.message('tools/call', { name, arguments: given, _meta });
    return { as, body, ...rest, headers };
  }

  /** A call of one of Surety's own tools. */
  own(as: string, name: string, given: Fields): Promise<string> {
    return this.verdict(this.modern(as, name, given, { path: '/surety' }));
  }

  async newestEntry(): Promise<number> {
    const { head } = await this.#workspace
      .client()
      .call('GET /v1/entries', { query: { limit: 1 } });
    return head.seq;
  }

  async readKinds(after: number): Promise<string[]> {
    const query = { from: after + 1, limit: 1_000 };
    const { entries } = await this.#workspace.client().call('GET /v1/entries', { query });
    return entries.map(({ kind }) => kind);
  }

  #token(name: string): string {
    if (!name.includes('/')) return agentToken(this.#workspace, name);
    return readFileSync(join(this.#workspace.place.state, `${name}.token`), 'utf8').trim();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#workspace[Symbol.asyncDispose]();
  }
}

/** The last message of an answer, which may be a stream of events. */
function lastMessage(text: string): Fields {
  const lines = text.split('\n').filter((line) => line.startsWith('data:'));
  try {
    return JSON.parse(lines.at(-1)?.slice(5) ?? text);
  } catch {
    return {};
  }
}

interface Answered {
  readonly fault?: { readonly code: string };
  readonly error?: { readonly code: number; readonly data?: { readonly code?: string } };
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: Fields };
}

function codeOf(message: Answered): string {
  const { fault, error, result } = message;
  if (fault) return fault.code;
  if (error) return String(error.data?.code ?? error.code);
  return result?.isError ? String(result.structuredContent?.code ?? 'error') : '';
}
