import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  createClock,
  createLog,
  fault,
  type Log,
  lockDirectory,
  makeRefuge,
  removeSocket,
  socketPlace,
  writePrivateFile,
} from '../kernel/index.ts';
import { createAddressBook } from './address-book.ts';
import { createControl } from './control.ts';
import { Hops } from './hops.ts';
import { listenPrivately, listenTraffic } from './listen.ts';
import { emptyTable, type Table } from './table.ts';
import { createTraffic } from './traffic.ts';

/** A router's life, from the lock on its directory to the end of its last request. */
export async function runRouter(stateDirectory: string, port: number): Promise<void> {
  const directory = realDirectory(stateDirectory);
  const lock = lockDirectory(directory, 'router');
  const clock = createClock();
  const log = createLog('router', clock, (line) => process.stdout.write(line));
  outliveMishaps(log);
  const told = firstSignal();
  const hops = new Hops();
  let book = createAddressBook(emptyTable);

  const traffic = createTraffic({ book: () => book, hops, clock, log });
  await listenTraffic(traffic, port);
  const identity = { pid: process.pid, port: (traffic.address() as AddressInfo).port };
  const setTable = (table: Table): void => {
    book = createAddressBook(table);
    hops.keepLanes(new Set(Object.keys(table.lanes)));
    log('info', 'table-set', { lanes: Object.keys(table.lanes).length });
  };
  const control = createControl(
    {
      identity: () => identity,
      table: () => book.table,
      setTable,
      hops: (key, after) => hops.after(key, after),
      forget: (key) => hops.forget(key),
    },
    log,
  );
  const place = socketPlace(directory, 'router');
  makeRefuge(place);
  await listenPrivately(control, place.path);
  // It stays there: services that run on send keyed requests to this port, so the next router had
  // better take the same.
  writePrivateFile(join(directory, 'router.json'), `${JSON.stringify(identity)}\n`);
  log('info', 'router-started', identity);

  log('info', 'router-leaving', { reason: await told });
  await Promise.all([close(control), close(traffic)]);
  removeSocket(place);
  lock.release();
}

/** Taking the lock would make it: a router that comes late must not bring back what was deleted. */
function realDirectory(stateDirectory: string): string {
  if (existsSync(stateDirectory)) return realpathSync(stateDirectory);
  const reason = `There is no directory ${stateDirectory}.`;
  throw fault('USAGE', { reason, help: 'src/router/main.ts' });
}

/** One request that goes wrong in an unforeseen way must not take all others with it. */
function outliveMishaps(log: Log): void {
  process.on('uncaughtException', (error, origin) => {
    log('error', 'mishap', { origin, reason: String(error), stack: error?.stack ?? '' });
  });
}

async function firstSignal(): Promise<string> {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  return Promise.race(signals.map((signal) => once(process, signal).then(() => signal)));
}

const drainMsMax = 300;

/** Requests under way may finish, if they do so before the keeper loses its patience. */
async function close(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), drainMsMax);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(timer);
}
