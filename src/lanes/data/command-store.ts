import { branchFailed } from './branch-failed.ts';
import { runCommand } from './run-command.ts';
import { runSteps } from './run-steps.ts';
import type { BranchRecord, BranchRequest, DataStore } from './store.ts';

/** Branches that two commands of the user's make and drop: Neon, Aurora clones, anything. */
export const commandStore: DataStore = { create, drop };

async function create(request: BranchRequest): Promise<BranchRecord> {
  const { lane, store, config, mode, root: directory } = request;
  if (typeof config.branch !== 'object') throw new Error(`${store} is not branched by commands`);
  const { create, drop } = config.branch;
  const address = config.url;
  const about = { SURETY_LANE: lane, SURETY_STORE: store, SURETY_MODE: mode };
  const environment = { ...about, [config.variable]: address };
  const record: BranchRecord = {
    lane,
    store,
    branch: lane,
    kind: 'command',
    address,
    environment: {},
    drop: { command: drop, directory, environment },
  };
  request.note(record);
  const addresses = [address];
  try {
    const printed = await runCommand({ command: create, directory, environment });
    const url = printed.trim().split('\n').at(-1)?.trim() ?? '';
    if (!/^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(url))
      throw new Error('create printed no URL at its end');
    addresses.push(url);
    const made = { ...record, environment: { [config.variable]: url } };
    request.note(made);
    await runSteps(request, made);
    return made;
  } catch (error) {
    throw branchFailed(error, {
      store,
      addresses,
      advice: 'See what `branch.create` says by hand.',
    });
  }
}

async function drop({ drop }: BranchRecord): Promise<void> {
  if (drop) await runCommand(drop);
}
