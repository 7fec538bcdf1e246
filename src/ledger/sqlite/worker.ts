import { parentPort, workerData } from 'node:worker_threads';
import { toFault } from '../../kernel/index.ts';
import { SqliteDatabase } from './database.ts';
import type { SqliteOptions } from './open-file.ts';
import type { WorkerAnswer, WorkerCall } from './worker-client.ts';

/**
 * The thread in which a synchronous database may wait for the disk. Opened at the first call, so
 * that what is wrong with the file is the answer to a caller and not the death of a thread.
 */
let database: SqliteDatabase | undefined;

function answer({ id, method, args }: WorkerCall): WorkerAnswer {
  try {
    database ??= new SqliteDatabase(workerData as SqliteOptions);
    const run = database[method] as (...args: unknown[]) => unknown;
    return { id, result: run.apply(database, [...args]) };
  } catch (error) {
    const { code, values } = toFault(error);
    return { id, fault: { code, values } };
  }
}

parentPort?.on('message', (call: WorkerCall) => {
  parentPort?.postMessage(answer(call));
});
