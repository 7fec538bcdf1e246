import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Workspace } from '../harness/workspace.ts';
import type { AttackedScene } from './expect-refusals.ts';

const word = { type: 'string', maxLength: 200 };
const shape = (properties: object): object => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

/** The tools are run by the daemon, except for those whose name begins with `ticket`. */
function policy(shop: string): object {
  const amount = { type: 'integer', minimum: 1, maximum: 100_000 };
  return {
    version: 1,
    tools: {
      'order.get': {
        effect: 'read',
        arguments: shape({ id: word }),
        run: { http: { method: 'GET', url: `${shop}/orders/{id}` } },
      },
      'refund.issue': {
        effect: 'mutating',
        arguments: shape({ order: word, amount }),
        resources: ['"order:" + arguments.order'],
        governance: {
          cost: { money: 'arguments.amount' },
          approval: { when: 'arguments.amount > 5000', role: 'approver', within: '1h' },
        },
        run: { http: { method: 'POST', url: `${shop}/refunds/{order}` } },
      },
      'ticket.close': {
        effect: 'mutating',
        arguments: shape({ id: word, amount }),
        governance: { cost: { money: 'arguments.amount' } },
      },
      'file.read': {
        effect: 'read',
        arguments: shape({ path: word }),
        preconditions: [
          {
            rule: 'inside',
            that: 'arguments.path.within("/srv/notes")',
            message: 'outside',
            remedy: 'Stay.',
          },
        ],
        run: { http: { method: 'GET', url: `${shop}/files` } },
      },
      'page.fetch': {
        effect: 'read',
        arguments: shape({ name: word }),
        run: {
          http: { method: 'GET', url: `${shop}/moved/{name}`, headers: { 'x-shop': 'only' } },
        },
      },
    },
    agents: {
      mallory: {
        tools: ['order.get', 'refund.issue', 'ticket.close', 'file.read', 'page.fetch', 'task.*'],
        resources: ['order:*', 'task:*'],
        budgets: [{ dimension: 'money', limit: 20_000 }],
      },
      alice: { tools: ['*'] },
      broker: { tools: ['ticket.close'], budgets: [{ dimension: 'money', limit: 20_000 }] },
      eve: { tools: ['*'], resources: ['order:7', 'task:*'] },
      reader: { tools: ['*'], autonomy: 'read-only' },
      nobody: { tools: [] },
    },
  };
}

const config = `policy: policy.yaml
people:
  vera: { roles: [viewer] }
  dave: { roles: [developer] }
  olga: { roles: [operator] }
  anna: { roles: [approver] }
  udo: { roles: [auditor] }
  rita: { roles: [reporter] }
`;

export interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
  /** The status and the code of the fault, if there is one. */
  readonly verdict: string;
}

/** A daemon with a policy in force, a shop that its tools call, and a token for every role. */
export class GuardedScene implements AttackedScene {
  readonly workspace = new Workspace({ config });
  port = 0;
  /** The requests that reached the shop, as "POST /refunds/7". */
  readonly shopRequests: string[] = [];
  /** The requests that reached a server that no tool may reach. */
  readonly strayRequests: string[] = [];
  readonly #servers: Server[] = [];

  static async open(): Promise<GuardedScene> {
    const scene = new GuardedScene();
    const stray = await scene.#serve((request, response) => {
      scene.strayRequests.push(`${request.method} ${request.url}`);
      response.end('{"stray":true}');
    });
    const shop = await scene.#serve((request, response) => {
      scene.shopRequests.push(`${request.method} ${request.url}`);
      response.setHeader('content-type', 'application/json');
      if (request.url?.startsWith('/moved')) response.writeHead(302, { location: stray });
      response.end('{"ok":true}');
    });
    writeFileSync(join(scene.workspace.root, 'policy.yaml'), JSON.stringify(policy(shop)));
    scene.port = (await scene.workspace.up()).port;
    return scene;
  }

  /** The token of `owner`, of a person or of an agent. */
  token(name: string): string {
    const { state, tokenFile } = this.workspace.place;
    if (name === 'owner') return readFileSync(tokenFile, 'utf8').trim();
    const isPerson = config.includes(`  ${name}:`);
    return readFileSync(
      join(state, isPerson ? 'people' : 'agents', `${name}.token`),
      'utf8',
    ).trim();
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

  /** Proposes a call of a tool, and returns the status and the code. */
  async propose(as: string, tool: string, given: object, more: object = {}): Promise<string> {
    const body = { tool, arguments: given, ...more };
    return (await this.call(as, 'POST /v1/proposals', body)).verdict;
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

  async #serve(
    answer: (request: IncomingMessage, response: ServerResponse) => void,
  ): Promise<string> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    this.#servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) server.closeAllConnections();
    for (const server of this.#servers) server.close();
    await this.workspace[Symbol.asyncDispose]();
  }
}

function parse(answer: string): Record<string, unknown> {
  try {
    return JSON.parse(answer);
  } catch {
    return { text: answer };
  }
}
