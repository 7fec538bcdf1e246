import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-ports.ts';
import { killHard } from '../kill-hard.ts';
import { Scratch } from '../scratch.ts';
import { whenTestEnds } from '../when-test-ends.ts';

/**
 * The world outside: a server with a database of its own, which counts what really happened. Each
 * POST is one more effect, whoever asks and however often.
 */
export class EffectServer implements AsyncDisposable {
  readonly #scratch = new Scratch();
  #child: ChildProcess | undefined;
  #port = 0;

  static async start(): Promise<EffectServer> {
    const server = new EffectServer();
    whenTestEnds(() => server.stop());
    await server.#launch();
    return server;
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error('The effect server was stopped.');
    return this.#child.pid;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Where to POST to make an effect happen, and how long its answer is to be kept back. */
  effectUrl(key: string, answerAfterMs = 0): string {
    const path = `${this.url}/effects/${encodeURIComponent(key)}`;
    return answerAfterMs === 0 ? path : `${path}?answerAfterMs=${answerAfterMs}`;
  }

  async count(key: string): Promise<number> {
    return ((await get(this.effectUrl(key))) as { count: number }).count;
  }

  /** How many effects each key had; a key without any is not there. */
  async counts(): Promise<Readonly<Record<string, number>>> {
    return (await get(`${this.url}/effects`)) as Record<string, number>;
  }

  /** The same, once all that is on its way now has arrived. */
  async settledCounts(): Promise<Readonly<Record<string, number>>> {
    return (await get(`${this.url}/effects?settled`)) as Record<string, number>;
  }

  /** How many calls have arrived and not ended. */
  async underWay(): Promise<number> {
    return ((await get(`${this.url}/effects?underway`)) as { count: number }).count;
  }

  /** SIGKILL, and the same port and effects afterwards. */
  async crash(): Promise<void> {
    await this.kill();
    await this.revive();
  }

  /** SIGKILL; nobody answers at its address until it is revived. */
  async kill(): Promise<void> {
    await killHard(this.pid);
  }

  async revive(): Promise<void> {
    await this.#launch();
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    }
    this.#scratch[Symbol.dispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #launch(): Promise<void> {
    const script = fileURLToPath(new URL('./effect-server-main.ts', import.meta.url));
    this.#port ||= await freePort();
    const args = [this.#scratch.file('effects.db'), String(this.#port)];
    // Not ours: a test runner's loaders have no business there.
    const child = fork(script, args, { execArgv: ['--disable-warning=ExperimentalWarning'] });
    this.#child = child;
    const { promise: ended, reject } = Promise.withResolvers<never>();
    child.once('exit', () => reject(new Error('The effect server ended before it was ready.')));
    ended.catch(() => undefined);
    const [{ port }] = await Promise.race([once(child, 'message'), ended]);
    this.#port = port;
  }
}

async function get(url: string): Promise<unknown> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}
