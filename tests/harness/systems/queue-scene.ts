import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { tagEnvironment } from '../../../src/preload/index.ts';
import { Scene } from '../../../src/router/scene.fixture.ts';
import { type LocalServer, startNats, startRabbitmq } from '../local-server.ts';
import { until } from '../until.ts';

/** A message that was dealt with: who told so, and with which key. */
export interface Consumed {
  readonly by: string;
  readonly on: string;
  readonly text: string;
  readonly key: string | null;
}

/** A broker, and a service that uses it. */
export interface Broker {
  readonly client: string;
  readonly program: string;
  readonly protocol: string;
  start(): Promise<LocalServer>;
}

export const nats = (client: string): Broker => ({
  client,
  program: 'nats-service.cjs',
  protocol: 'nats',
  start: startNats,
});

export const rabbitmq: Broker = {
  client: 'amqplib',
  program: 'amqp-service.cjs',
  protocol: 'amqp',
  start: startRabbitmq,
};

const lanes = ['k1', 'k2', 'k3'];

/**
 * publisher → broker → worker → sink. The worker has two processes of the baseline (`a`, `b`) and
 * a candidate in each of the lanes k1 and k2; the lane k3 has none of it.
 */
export class QueueScene implements AsyncDisposable {
  readonly scene: Scene;
  readonly consumed: Consumed[] = [];
  /** The texts that workers were given, told without a call: the router could refuse that. */
  readonly given: string[] = [];
  readonly #server: LocalServer;
  readonly #broker: Broker;
  /** Where its services report to, if at all. */
  readonly #telemetry: string | undefined;
  #sink = 0;
  /** Until it is there, a port that nobody listens on. */
  #publisher = 64_999;

  private constructor(scene: Scene, server: LocalServer, broker: Broker, telemetry?: string) {
    this.scene = scene;
    this.#server = server;
    this.#broker = broker;
    this.#telemetry = telemetry;
  }

  static async open(broker: Broker, telemetry?: string): Promise<QueueScene> {
    const server = await broker.start();
    const queues = new QueueScene(await Scene.open(), server, broker, telemetry);
    try {
      await queues.#start();
      return queues;
    } catch (error) {
      await queues[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** At the publisher: with a key by the router, without one directly. */
  ask(path: string, key?: string): Promise<Response> {
    const headers = key === undefined ? {} : { baggage: `surety-lane=${key}` };
    const port = key === undefined ? this.#publisher : this.scene.port;
    return fetch(`http://127.0.0.1:${port}${path}`, { headers });
  }

  async publish(subject: string, text: string, key?: string): Promise<void> {
    await this.ask(`/publish?subject=${subject}&text=${text}`, key);
  }

  /** With a key that the router would not let through: as from a service that was too slow. */
  publishLate(subject: string, text: string, key: string): Promise<Response> {
    const headers = { baggage: `surety-lane=${key}` };
    const path = `/publish?subject=${subject}&text=${text}`;
    return fetch(`http://127.0.0.1:${this.#publisher}${path}`, { headers });
  }

  /** Who has dealt with the message, once somebody did: as `by/key`, sorted. */
  async whoGot(text: string, times: number): Promise<string[]> {
    const found = (): Consumed[] => this.consumed.filter((one) => one.text === text);
    await until(`${text} was consumed`, () => found().length >= times);
    return found()
      .map(({ by, key }) => `${by}/${key}`)
      .sort();
  }

  async setLanes(keys: readonly string[] = lanes): Promise<void> {
    const worker = (key: string) => ({ port: 1, instance: `worker/lane_${key}/1` });
    const routes = keys.map((key, index) => {
      const overrides = key === 'k3' ? {} : { worker: { ...worker(key), port: index + 1 } };
      return [key, { lane: `lane_${key}`, overrides }];
    });
    const services = {
      publisher: { port: this.#publisher },
      worker: { port: 65_000 },
      sink: { port: this.#sink },
    };
    const table = { ingress: 'publisher', services, lanes: Object.fromEntries(routes) };
    await this.scene.router.setTable(table);
  }

  async #start(): Promise<void> {
    this.#sink = await this.scene.serve((request, response) => {
      const { searchParams } = new URL(request.url ?? '/', 'http://sink');
      const [, key = null] = /surety-lane=(\w+)/.exec(String(request.headers.baggage)) ?? [];
      const { by = '', on = '', text = '' } = Object.fromEntries(searchParams);
      this.consumed.push({ by, on, text, key });
      response.end();
    });
    // Their start is work, too: the lanes must be known before.
    await this.setLanes();
    await Promise.all([
      ...['a', 'b'].map((name) => this.#service('worker', name)),
      ...['k1', 'k2'].map((key) => this.#service('worker', `candidate-${key}`, key)),
    ]);
    this.#publisher = await this.#service('publisher', 'publisher');
    await this.setLanes();
  }

  async #service(role: string, name: string, lane?: string): Promise<number> {
    const { client, program, protocol } = this.#broker;
    const instance = lane ? `${role}/lane_${lane}/1` : `${role}/baseline/${name}`;
    const router = `127.0.0.1:${this.scene.port}`;
    const telemetry = this.#telemetry ? { telemetry: this.#telemetry } : {};
    const own = lane ? { lane } : {};
    const environment = {
      ...tagEnvironment({ service: role, instance, router, ...own, ...telemetry }),
      CLIENT: createRequire(import.meta.url).resolve(client),
      QUEUE_URL: `${protocol}://127.0.0.1:${this.#server.port}`,
      ROLE: role,
      NAME: name,
      SINK: `http://127.0.0.1:${this.#sink}`,
    };
    const file = fileURLToPath(new URL(`../../fixtures/${program}`, import.meta.url));
    const child = this.scene.spawn([file], environment);
    const lines = createInterface(child.stdout as NodeJS.ReadableStream);
    lines.on('line', (text) => this.given.push(text));
    const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [])]);
    if (line === undefined) throw new Error(`${name} ended at its start`);
    return Number(line);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scene[Symbol.asyncDispose]();
    await this.#server.stop();
  }
}
