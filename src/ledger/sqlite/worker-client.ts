import { Worker } from 'node:worker_threads';
import { Fault, type FaultCode, fault } from '../../kernel/index.ts';
import type { SqliteDatabase } from './database.ts';
import type { SqliteOptions } from './open-file.ts';

export type SqliteMethod = Exclude<keyof SqliteDatabase, never>;

export interface WorkerCall {
  readonly id: number;
  readonly method: SqliteMethod;
  readonly args: readonly unknown[];
}

export interface WorkerAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly fault?: { readonly code: FaultCode; readonly values: Record<string, string | number> };
}

export interface WorkerOptions extends SqliteOptions {
  /** Counts the calls; the thread waits for it to change. */
  readonly calls: Int32Array<SharedArrayBuffer>;
}

interface Pending {
  readonly method: SqliteMethod;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls to the database's thread. A thread that died is replaced at the next call. */
export class WorkerClient {
  readonly #options: SqliteOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #calls = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #worker: Worker | undefined;
  #nextId = 1;
  #isEnding = false;

  constructor(options: SqliteOptions) {
    this.#options = options;
  }

  call(method: SqliteMethod, args: readonly unknown[]): Promise<unknown> {
    this.#worker ??= this.#start();
    const id = this.#nextId++;
    // Only a call under way keeps the process alive; an idle database has nothing left to do.
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { method, resolve, reject });
      this.#worker?.postMessage({ id, method, args } satisfies WorkerCall);
      Atomics.add(this.#calls, 0, 1);
      Atomics.notify(this.#calls, 0);
    });
  }

  /** Ends the thread; a call that it was working on fails as if the thread had crashed. */
  async terminate(): Promise<void> {
    this.#isEnding = true;
    await this.#worker?.terminate();
    this.#isEnding = false;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { ...this.#options, calls: this.#calls } satisfies WorkerOptions,
    });
    worker.on('message', (answer: WorkerAnswer) => this.#settle(answer));
    worker.on('error', (error) => this.#lost(worker, error.message));
    worker.on('exit', () => this.#lost(worker, 'its thread ended'));
    return worker;
  }

  #settle(answer: WorkerAnswer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    // An answer that comes while the thread is ended must not let the process leave before that.
    if (this.#pending.size === 0 && !this.#isEnding) this.#worker?.unref();
    if (answer.fault) pending?.reject(new Fault(answer.fault.code, answer.fault.values));
    else pending?.resolve(answer.result);
  }

  #lost(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    for (const { method, reject } of lost) {
      // Whether a commit reached the disk before the thread died, only the file can tell.
      const inDoubt = method === 'commit' || method === 'commitAfter';
      reject(
        inDoubt
          ? fault('LEDGER_IN_DOUBT', { entries: 'some' })
          : fault('STORE_UNAVAILABLE', { reason }),
      );
    }
  }
}
