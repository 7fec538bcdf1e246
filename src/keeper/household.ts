import { join } from 'node:path';
import { Enforcement, goOn, measuredBounds } from './bounds/enforcement.ts';
import { keeperIdentifier } from './children/mark.ts';
import { recoverChildren } from './children/recovery.ts';
import { Roster } from './children/roster.ts';
import { Supervisor } from './children/supervisor.ts';
import { Holds } from './holds/holds.ts';
import type { KeeperPlace } from './place.ts';
import { createStateWriter, loadState, type StateWriter } from './state-file.ts';
import { listMarked, readBootId } from './strays/processes.ts';
import { endStrays } from './strays/strays.ts';
import { createSweeper } from './strays/sweeper.ts';

/** The children of one state directory, with everything that is needed to look after them. */
export interface Household {
  readonly roster: Roster;
  readonly supervisor: Supervisor;
  readonly holds: Holds;
  readonly state: StateWriter;
  readonly enforcement: Enforcement;
  endStrays(): Promise<void>;
}

/**
 * As the last keeper left it, put in order: from then on nothing runs that is not in the roster.
 */
export async function openHousehold(place: KeeperPlace): Promise<Household> {
  const { clock, log } = place;
  const household = createHousehold(place);
  const saved = loadState(statePath(place), log);
  if (saved) {
    // Leases were measured by the last keeper's clock; ours must not be behind it.
    clock.keepAfter(saved.savedAt);
    household.supervisor.adopt(recoverChildren(saved, clock.now(), log));
    household.holds.adopt(saved.holds);
    wakeUp(place, household);
  }
  await Promise.all([household.state.save(), household.endStrays()]);
  return household;
}

/** The last keeper may have died while it let one of them stand still. */
function wakeUp({ directory }: KeeperPlace, { roster }: Household): void {
  const slowed = roster.running.filter(({ record }) => measuredBounds(record).cpu !== null);
  if (slowed.length === 0) return;
  const instances = new Set(slowed.map(({ record }) => record.instance));
  const marked = listMarked(keeperIdentifier(directory));
  goOn(marked.flatMap(({ pid, mark }) => (instances.has(mark.instance) ? pid : [])));
}

function createHousehold(place: KeeperPlace): Household {
  const { clock, log } = place;
  const keeper = keeperIdentifier(place.directory);
  const roster = new Roster();
  const sweeper = createSweeper(() => listMarked(keeper), log);
  const save = (): Promise<void> => state.save();
  const holds = new Holds({ roster, clock, log, save });
  const state = createState(place, roster, holds);
  return {
    roster,
    holds,
    state,
    supervisor: new Supervisor({ keeper, roster, holds, sweeper, clock, log, save }),
    enforcement: new Enforcement({ keeper, roster, log }),
    endStrays: () => endStrays(roster, { keeper, sweeper, log }),
  };
}

function createState(place: KeeperPlace, roster: Roster, holds: Holds): StateWriter {
  const { clock, log, isOurs } = place;
  const boot = readBootId();
  return createStateWriter({
    path: statePath(place),
    state: () => ({
      version: '1',
      savedAt: clock.now(),
      boot,
      children: roster.records,
      holds: holds.records,
    }),
    isOurs,
    log,
  });
}

function statePath({ directory }: KeeperPlace): string {
  return join(directory, 'keeper.json');
}
