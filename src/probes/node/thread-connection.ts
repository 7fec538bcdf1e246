import { fault, type Json, type JsonObject } from '../../kernel/index.ts';
import type { AgentConnection } from './link.ts';

/** What a process or one of its threads is asked by. */
export type Agent = Pick<AgentConnection, 'call' | 'listen' | 'lost' | 'isLost' | 'cut'>;

/** The agent in a worker thread, by way of the one in its process. */
export class ThreadConnection implements Agent {
  readonly lost: Promise<void>;
  isLost = false;
  readonly #process: Agent;
  readonly #pid: number;
  readonly #thread: string;
  readonly #listeners: ((event: JsonObject) => void)[] = [];

  constructor(process: Agent, pid: number, thread: string) {
    this.#process = process;
    this.#pid = pid;
    this.#thread = thread;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.lost = Promise.race([promise, process.lost]).then(() => {
      this.isLost = true;
    });
    process.listen((message) => {
      if (message.thread !== thread) return;
      if (message.event === 'thread-ended') resolve();
      else this.#receive(message.events ?? []);
    });
  }

  listen(listener: (event: JsonObject) => void): void {
    this.#listeners.push(listener);
  }

  async call(method: string, params: JsonObject = {}): Promise<Json> {
    if (this.isLost) {
      throw fault('PROBE_INSPECTOR_FAILED', { pid: this.#pid, reason: 'its thread ended' });
    }
    return this.#process.call('inThread', { thread: this.#thread, method, params });
  }

  /** The connection is that of the process. */
  cut(): void {}

  #receive(events: Json): void {
    for (const text of Array.isArray(events) ? events : []) {
      for (const listener of this.#listeners) listener(JSON.parse(String(text)) as JsonObject);
    }
  }
}
