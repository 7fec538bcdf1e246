import { lookMsEvery } from './bounds/enforcement.ts';
import type { KeeperExit } from './children/leaving.ts';
import { trimLogFile } from './children/log-file.ts';
import type { Household } from './household.ts';
import { ownLogPath } from './own-log.ts';
import type { KeeperPlace } from './place.ts';

const choresMsEvery = 1_000;
const straysMsEvery = 10_000;

/** What has to be looked at from time to time because nothing tells us of it. */
export function startUpkeep(place: KeeperPlace, household: Household, leaving: KeeperExit): void {
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
