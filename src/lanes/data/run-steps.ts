import { join } from 'node:path';
import { runCommand } from './run-command.ts';
import type { BranchRecord, BranchRequest } from './store.ts';

/** The migrations of the lane's version, on its branch alone; seeds for what came without data. */
export async function runSteps(
  request: BranchRequest,
  { environment }: BranchRecord,
): Promise<void> {
  const { config, mode, tree } = request;
  const steps = [config.migrations, mode === 'empty' ? config.seeds : undefined];
  for (const step of steps) {
    if (!step) continue;
    const directory = join(tree.root, step.directory);
    const variables = { ...step.environment, ...environment, SURETY_LANE: request.lane };
    await runCommand({ command: step.command, directory, environment: variables });
  }
}
