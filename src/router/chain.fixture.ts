import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../tests/harness/free-ports.ts';
import { Scene } from './scene.fixture.ts';
import type { RouteTable } from './table/table.ts';

const preload = fileURLToPath(new URL('../preload/tag.cjs', import.meta.url));

export interface Running {
  readonly name: string;
  readonly instance: string;
  readonly port: number;
  readonly child: ChildProcess;
}

interface Asking {
  readonly key?: string;
  readonly id?: string;
  readonly fault?: string;
}

const files = { front: 'front.mjs', middle: 'middle.cjs', last: 'last.mjs' } as const;

type Link = keyof typeof files;

/**
 * front → middle → last, as processes with the preload and a router, and two candidates of the
 * one in the middle: lane k1 has `one`, lane k2 has `two`.
 */
export class Chain implements AsyncDisposable {
  readonly scene: Scene;
  readonly #node: string;
  readonly #running = new Map<string, Running>();

  private constructor(scene: Scene, node: string) {
    this.scene = scene;
    this.#node = node;
  }

  static async open(node: string): Promise<Chain> {
    const chain = new Chain(await Scene.open(), node);
    const last = await chain.#start('last', 'last');
    const middle = await chain.#start('middle', 'middle', { NEXT: addressOf(last) });
    await chain.#start('front', 'front', { NEXT: addressOf(middle) });
    for (const name of ['one', 'two']) {
      // The port of the baseline, as a service has it in its configuration: it is moved.
      const moved = { PORT: String(middle.port), SURETY_LISTEN_PORT: String(await freePort()) };
      await chain.#start('middle', name, { NEXT: addressOf(last), ...moved });
    }
    await chain.scene.router.setTable(chain.table());
    return chain;
  }

  table(keys: readonly string[] = ['k1', 'k2']): RouteTable {
    const candidates = { k1: this.get('one'), k2: this.get('two') };
    const lanes = Object.entries(candidates)
      .filter(([key]) => keys.includes(key))
      .map(([key, { port, instance }]) => {
        return [key, { lane: `lane_${key}`, overrides: { middle: { port, instance } } }];
      });
    const services = Object.keys(files).map((link) => [link, { port: this.get(link).port }]);
    return {
      ingress: 'front',
      services: Object.fromEntries(services),
      lanes: Object.fromEntries(lanes),
    };
  }

  get(name: string): Running {
    return this.#running.get(name) as Running;
  }

  /** Enters the chain: with a key by the router, without one at the front itself. */
  ask(path: string, { key, id = 'none', fault }: Asking = {}): Promise<Response> {
    const port = key === undefined ? this.get('front').port : this.scene.port;
    const member = fault === undefined ? '' : `,surety-fault=${fault}`;
    const keyed = key === undefined ? {} : { baggage: `surety-lane=${key}${member}` };
    const headers = { 'x-request-id': id, ...keyed };
    return fetch(`http://127.0.0.1:${port}${path}`, { headers });
  }

  async trail(key?: string, id?: string): Promise<readonly string[]> {
    const options = { ...(key === undefined ? {} : { key }), ...(id === undefined ? {} : { id }) };
    const { trail } = (await (await this.ask('/', options)).json()) as { trail: string[] };
    return trail;
  }

  /** The ids of the requests that an instance has really served. */
  async served(name: string): Promise<readonly string[]> {
    return (await this.#tell(name, '/oracle')) as string[];
  }

  async release(name: string): Promise<void> {
    await this.#tell(name, '/release');
  }

  async #tell(name: string, path: string): Promise<unknown> {
    return (await fetch(`http://127.0.0.1:${this.get(name).port}${path}`)).json();
  }

  async #start(link: Link, name: string, more: Record<string, string> = {}): Promise<Running> {
    const program = fileURLToPath(new URL(`fixtures/${files[link]}`, import.meta.url));
    const instance = name === link ? `${link}/baseline/1` : `${link}/lane_${name}/1`;
    const environment = {
      NODE_OPTIONS: `--require "${preload}"`,
      SURETY_ROUTER: `127.0.0.1:${this.scene.port}`,
      SURETY_SERVICE: link,
      SURETY_INSTANCE: instance,
      NAME: name,
      PORT: '0',
      ...more,
    };
    const child = this.scene.spawn([program], environment, this.#node);
    const [line] = await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line');
    const running = { name, instance, port: JSON.parse(line).port, child };
    this.#running.set(name, running);
    return running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scene[Symbol.asyncDispose]();
  }
}

function addressOf({ port }: Running): string {
  return `http://127.0.0.1:${port}`;
}
