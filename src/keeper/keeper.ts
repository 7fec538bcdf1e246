import { type Clock, readVersion, socketPlace, surviveErrors } from '../kernel/index.ts';
import { lookMsEvery } from './bounds/enforcement.ts';
import { KeeperExit } from './children/leaving.ts';
import { trimLogFile } from './children/log-file.ts';
import { type Household, openHousehold } from './household.ts';
import { ownLogPath } from './own-log.ts';
import { type KeeperPlace, takePlace } from './place.ts';
import type { Pong } from './protocol/protocol.ts';
import type { KeeperHandlers } from './protocol/request.ts';
import { serve } from './protocol/server.ts';
import { hasProc } from './strays/processes.ts';

/** A keeper's life, from the lock on its directory to the end of its last child. */
export async function runKeeper(stateDirectory: string): Promise<void> {
  const place = takePlace(stateDirectory);
  // A keeper that dies of an error leaves everything it looks after without one.
  surviveErrors(place.log);
  if (!hasProc) place.log('warn', 'sweep-skipped', { reason: 'there is no /proc on this system' });
  const leaving = new KeeperExit();
  const household = await openHousehold(place);
  const { supervisor } = household;
  const socket = socketPlace(place.directory, 'keeper');
  const server = await serve(socket, createHandlers(household, leaving, place.clock), place.log);
  startUpkeep(place, household, leaving);
  place.log('info', 'keeper-started', { pid: process.pid, socket: socket.path });

  const { reason, except } = await leaving.told;
  place.log('info', 'keeper-leaving', { reason, except });
  // Stop listening at once, so that the next client starts a new keeper. In a directory that is no
  // longer ours, the socket may already belong to the next keeper.
  if (place.isOurs()) server.stopListening();
  const stopped = await supervisor.stopAll(except);
  await household.holds.endIdle();
  leaving.stopped(stopped);
  await server.close();
  place.log('info', 'keeper-left');
  place.giveUp();
}

function createHandlers(
  { supervisor, holds }: Household,
  leaving: KeeperExit,
  clock: Clock,
): KeeperHandlers {
  const pong: Pong = { pid: process.pid, startedAt: clock.now(), version: readVersion() };
  return {
    ping: async () => pong,
    start: (order) => supervisor.start(order),
    renew: (order) => supervisor.renew(order),
    stop: (order) => supervisor.stop(order),
    list: (order) => supervisor.list(order),
    forget: (order) => supervisor.forget(order),
    hold: (order) => holds.place(order),
    release: (order) => holds.release(order),
    holds: () => holds.list(),
    shutdown: ({ except }) => leaving.leave('shutdown', except),
  };
}

const choresMsEvery = 1_000;
const straysMsEvery = 10_000;

/** What has to be looked at from time to time because nothing tells us of it. */
function startUpkeep(place: KeeperPlace, household: Household, leaving: KeeperExit): void {
  setInterval(() => {
    if (!place.isOurs()) return leaving.leave('directory-gone');
    // The timer of the leases runs late when the machine slept or its clock was moved.
    household.supervisor.endLeases();
    household.holds.endLeases();
    household.state.retry();
    trimLogs(place, household);
  }, choresMsEvery);
  setInterval(() => household.enforcement.look(), lookMsEvery);
  setInterval(() => {
    if (place.isOurs()) void household.endStrays();
  }, straysMsEvery);
}

function trimLogs({ directory, log }: KeeperPlace, { roster }: Household): void {
  const logFiles = roster.running.map(({ record }) => record.logFile);
  for (const path of new Set([ownLogPath(directory), ...logFiles])) {
    if (trimLogFile(path)) log('info', 'log-trimmed', { path });
  }
}
