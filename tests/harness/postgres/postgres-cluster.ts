import { createHash } from 'node:crypto';
import { chmod, chown, mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './postgres-command.ts';
import type { Identity } from './postgres-identity.ts';
import type { Binaries } from './postgres-probe.ts';

/** Everything that is needed to make a data directory and to run a server on it. */
export interface ClusterPlan {
  readonly binaries: Binaries;
  readonly identity: Identity | undefined;
  /** A fresh directory is made in here, and that one is removed at the end. */
  readonly parent: string;
  readonly cache: string;
}

const initdbOptions = ['-U', 'postgres', '-A', 'trust', '--locale=C', '--encoding=UTF8', '-N'];

/** Trust, but for this machine's own loopback only. */
const hostAccess = 'host all all 127.0.0.1/32 trust\n';

export function dataDirectory(directory: string): string {
  return join(directory, 'data');
}

export async function makeDirectory(plan: ClusterPlan): Promise<string> {
  const directory = await mkdtemp(join(plan.parent, 'surety-postgres-'));
  if (plan.identity) await chown(directory, plan.identity.uid, plan.identity.gid);
  return directory;
}

/**
 * initdb takes half a second, unpacking its result a tenth. The result is kept as one archive: it
 * is there or it isn't, while a directory could lose single files to a sweep of /tmp.
 */
export async function makeCluster(plan: ClusterPlan, directory: string): Promise<void> {
  const archive = join(plan.cache, archiveName(plan));
  try {
    await runCommand('tar', ['-xpf', archive, '-C', directory], plan.identity);
  } catch {
    // Missing or damaged; whatever else is wrong, initdb will say it better.
    await rm(dataDirectory(directory), { recursive: true, force: true });
    await initialise(plan, dataDirectory(directory));
    await keepArchive(directory, archive);
  }
}

function archiveName({ binaries, identity }: ClusterPlan): string {
  const layout = JSON.stringify([binaries.directory, initdbOptions, hostAccess]);
  const digest = createHash('sha256').update(layout).digest('hex').slice(0, 8);
  const user = identity?.name ?? 'self';
  return `template-${binaries.version}-${binaries.source}-${user}-${digest}.tar`;
}

async function initialise({ binaries, identity }: ClusterPlan, data: string): Promise<void> {
  const initdb = join(binaries.directory, 'initdb');
  await runCommand(initdb, ['-D', data, ...initdbOptions], identity, binaries.env);
  await writeFile(join(data, 'pg_hba.conf'), hostAccess);
}

/** Several may do this at once: each writes its own file, and every rename leaves a whole one. */
async function keepArchive(directory: string, archive: string): Promise<void> {
  const draft = `${archive}.${process.pid}.draft`;
  try {
    await runCommand('tar', ['-cf', draft, '-C', directory, 'data'], undefined);
    await chmod(draft, 0o644);
    await flush(draft);
    await rename(draft, archive);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Else a power cut could leave an empty archive under the final name. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.sync().finally(() => file.close());
}
