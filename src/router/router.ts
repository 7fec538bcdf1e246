import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  createClock,
  createLog,
  endSignal,
  existingDirectory,
  isFault,
  type Log,
  listenPrivately,
  lockDirectory,
  openOnPort,
  portRanges,
  removeSocket,
  socketPlace,
  surviveErrors,
  toFault,
  writePrivateFile,
} from '../kernel/index.ts';
import type { RouterIdentity } from './control/client.ts';
import { createControl, type RouterControls } from './control/control.ts';
import { createEntrance, type Entrance } from './inbound/entrance.ts';
import { listenTraffic } from './inbound/listen.ts';
import { HopFeed } from './record/hop-feed.ts';
import { KeptTable } from './table/kept-table.ts';
import { Switchboard } from './table/switchboard.ts';

/**
 * A router's life, from the lock on its directory to the end of its last request. Told no port, it
 * takes the one that was there before: services that run send keyed requests to it.
 */
export async function runRouter(stateDirectory: string, port: number): Promise<void> {
  const directory = existingDirectory(stateDirectory, 'src/router/main.ts');
  const lock = lockDirectory(directory, 'router');
  const clock = createClock();
  const log = createLog('router', clock, (line) => process.stdout.write(line));
  surviveErrors(log);
  const ending = endSignal();
  const feed = new HopFeed(directory);
  const board = new Switchboard(clock, log, (draft) => feed.add(draft));
  const kept = new KeptTable(directory, log);
  await takeUp(kept, board, log);
  const entrance = createEntrance(board.traffic, null);
  await listenOwn(entrance.server, port, directory);
  const identity = { pid: process.pid, port: (entrance.server.address() as AddressInfo).port };
  const control = createControl(controlsOf(board, kept, identity), log);
  const place = socketPlace(directory, 'router');
  await listenPrivately(control, place);
  // It stays there, for the next one.
  writePrivateFile(join(directory, 'router.json'), `${JSON.stringify(identity)}\n`);
  log('info', 'router-started', identity);

  log('info', 'router-leaving', { reason: await ending });
  kept.forget();
  const entrances = [entrance, ...board.doors.all()];
  await Promise.all([closeControl(control), ...entrances.map(closeEntrance)]);
  await feed.close();
  board.close();
  removeSocket(place);
  lock.release();
}

/** Goes on where one that was killed has stopped; without that every key is refused. */
async function takeUp(kept: KeptTable, board: Switchboard, log: Log): Promise<void> {
  const table = kept.read();
  if (!table) return;
  await board.setTable(table).catch((error) => {
    log('warn', 'kept-table-not-set', { reason: toFault(error).message });
  });
}

/** Where another program has its port by now, it takes another: no router at all is worse. */
async function listenOwn(server: Server, fixed: number, directory: string): Promise<void> {
  if (fixed !== 0) return listenTraffic(server, fixed);
  const where = { range: portRanges.own, former: formerPort(directory) };
  const isTaken = (error: unknown): boolean => isFault(error, 'ROUTER_PORT_TAKEN');
  await openOnPort(where, (port) => listenTraffic(server, port), isTaken);
}

function formerPort(directory: string): number | undefined {
  try {
    const { port } = JSON.parse(readFileSync(join(directory, 'router.json'), 'utf8'));
    return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : undefined;
  } catch {
    return undefined;
  }
}

function controlsOf(board: Switchboard, kept: KeptTable, identity: RouterIdentity): RouterControls {
  return {
    identity: () => identity,
    table: () => board.table,
    // Before it is answered: a lane that was closed must not come back with the next router.
    setTable: (table) => board.setTable(table).then(() => kept.write(table)),
    hops: (key, after) => board.hops.after(key, after),
    forget: (key) => board.forget(key),
    take: (key) => board.taken.begin(key),
    taken: (key) => board.taken.fetch(key),
    recorded: (perMille) => board.recorded.fetch(perMille),
  };
}

const drainMsMax = 300;

/** Lets requests in progress finish, within the grace period of the keeper. */
async function closeEntrance({ server, drain, closeAll }: Entrance): Promise<void> {
  const timer = setTimeout(closeAll, drainMsMax);
  const closed = new Promise((resolve) => server.close(resolve));
  drain();
  await closed;
  clearTimeout(timer);
}

async function closeControl(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), drainMsMax);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(timer);
}
