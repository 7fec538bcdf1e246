import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from 'node:worker_threads';
import { toFault } from '../../kernel/index.ts';
import { SqliteDatabase } from './database.ts';
import type { WorkerAnswer, WorkerCall, WorkerOptions } from './worker-client.ts';

/**
 * The thread in which a synchronous database may wait for the disk. Opened at the first call, so
 * that what is wrong with the file is the answer to a caller and not the death of a thread.
 */
const { calls, ...options } = workerData as WorkerOptions;
let database: SqliteDatabase | undefined;

function answer({ id, method, args }: WorkerCall): WorkerAnswer {
  try {
    database ??= new SqliteDatabase(options);
    const run = database[method] as (...args: unknown[]) => unknown;
    return { id, result: run.apply(database, [...args]) };
  } catch (error) {
    const { code, values } = toFault(error);
    return { id, fault: { code, values } };
  }
}

function answerAll(port: MessagePort): void {
  for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port)) {
    port.postMessage(answer(got.message as WorkerCall));
  }
}

// It has nothing to do but to answer, and waits without an event loop: that wakes up in half the
// time, and no timer runs here.
for (let known = 0; parentPort; known = Atomics.load(calls, 0)) {
  answerAll(parentPort);
  Atomics.wait(calls, 0, known);
}
