import { join } from 'node:path';
import { viewOf } from '../change/version-view.ts';
import { dataPaths } from './data-paths.ts';
import { runCommand } from './run-command.ts';
import type { BranchRecord, BranchRequest } from './store.ts';

/** The migrations of the lane's version, on its branch alone; seeds for what came without data. */
export async function runSteps(
  request: BranchRequest,
  { environment }: BranchRecord,
): Promise<void> {
  const { config, mode, tree, confinement } = request;
  const steps = [config.migrations, mode === 'empty' ? config.seeds : undefined];
  for (const step of steps) {
    if (!step) continue;
    const directory = join(tree.root, step.directory);
    const variables = { ...step.environment, ...environment, SURETY_LANE: request.lane };
    const order = { command: step.command, directory, environment: variables };
    const view = {
      ...viewOf(tree, dataPaths(environment)),
      script: step.command,
      directory,
      environment: variables,
      endsWithParent: true,
    };
    const inherited = confinement.inherited();
    await runCommand(order, { command: confinement.command(view), inherited });
  }
}
