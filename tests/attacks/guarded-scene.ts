import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Workspace } from '../harness/workspace.ts';
import { DaemonScene, openScene } from './daemon-scene.ts';

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

/** A daemon with a policy in force, a shop that its tools call, and a token for every role. */
export class GuardedScene extends DaemonScene {
  /** The requests that reached the shop, as "POST /refunds/7". */
  readonly shopRequests: string[] = [];
  /** The requests that reached a server that no tool may reach. */
  readonly strayRequests: string[] = [];
  readonly #servers: Server[] = [];

  static async open(): Promise<GuardedScene> {
    const scene = new GuardedScene(new Workspace({ config }));
    return openScene(scene, () => scene.#prepare());
  }

  async #prepare(): Promise<void> {
    const stray = await this.#serve((request, response) => {
      this.strayRequests.push(`${request.method} ${request.url}`);
      response.end('{"stray":true}');
    });
    const shop = await this.#serve((request, response) => {
      this.shopRequests.push(`${request.method} ${request.url}`);
      response.setHeader('content-type', 'application/json');
      if (request.url?.startsWith('/moved')) response.writeHead(302, { location: stray });
      response.end('{"ok":true}');
    });
    writeFileSync(join(this.workspace.root, 'policy.yaml'), JSON.stringify(policy(shop)));
    await this.workspace.up();
  }

  /** Proposes a call of a tool, and returns the status and the code. */
  async propose(as: string, tool: string, given: object, more: object = {}): Promise<string> {
    const body = { tool, arguments: given, ...more };
    return (await this.call(as, 'POST /v1/proposals', body)).verdict;
  }

  async #serve(
    answer: (request: IncomingMessage, response: ServerResponse) => void,
  ): Promise<string> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    this.#servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) server.closeAllConnections();
    for (const server of this.#servers) server.close();
    await super[Symbol.asyncDispose]();
  }
}
