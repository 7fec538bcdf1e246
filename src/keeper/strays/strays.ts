import type { Log } from '../../kernel/index.ts';
import type { Roster } from '../children/roster.ts';
import { listMarked } from './processes.ts';
import type { Sweeper } from './sweeper.ts';

export interface StrayDeps {
  readonly keeper: string;
  readonly log: Log;
  readonly sweeper: Sweeper;
}

/**
 * Ends what carries this keeper's mark but belongs to no running child: started by a keeper that
 * died before it could write that down, or left behind by a child that ended while none was there.
 */
export async function endStrays(
  roster: Roster,
  { keeper, log, sweeper }: StrayDeps,
): Promise<void> {
  const known = new Set(roster.running.map(({ record }) => record.instance));
  const strays = listMarked(keeper).filter(({ mark }) => !known.has(mark.instance));
  for (const { pid, mark } of strays) log('warn', 'stray-found', { pid, name: mark.name });
  const instances = new Set(strays.map(({ mark }) => mark.instance));
  await Promise.all([...instances].map((instance) => sweeper.clear(instance)));
}
