import { join } from 'node:path';
import type { Keeper } from '../../keeper/index.ts';
import { keeperLimits } from '../../keeper/limits.ts';
import { compiledVariable, nodeCommand } from '../../kernel/index.ts';
import type { WorkspacePlace } from '../place.ts';

export interface ChildProgram {
  readonly name: string;
  /** The file that Node runs, with the state directory as its argument. */
  readonly main: string;
  readonly restartAfterMs: number;
}

/** The keeper restarts it when it is killed, even while the daemon is dead. */
export async function startChild(
  keeper: Keeper,
  { state, logs }: WorkspacePlace,
  { name, main, restartAfterMs }: ChildProgram,
): Promise<void> {
  await keeper.start({
    name,
    command: nodeCommand(main, state),
    directory: state,
    environment: { PATH: process.env.PATH ?? '', ...compiledVariable() },
    leaseMs: null,
    logFile: join(logs, `${name}.log`),
    // Never given up: services whose calls go through the router have nobody else.
    restart: { backoffMs: restartAfterMs, most: keeperLimits.restartsMax },
  });
}
