import { resolve } from 'node:path';
import { findBinaries, sourceFromEnvironment } from './postgres-binaries.ts';
import { openCache, scratchDirectory } from './postgres-cache.ts';
import type { ClusterPlan } from './postgres-cluster.ts';
import { createDatabase, databaseUrl } from './postgres-connection.ts';
import { chooseIdentity } from './postgres-identity.ts';
import type { PostgresSource } from './postgres-probe.ts';
import { firstStart, startAgain } from './postgres-start.ts';
import { SupervisedServer } from './postgres-supervised.ts';

export interface PostgresOptions {
  /** SURETY_POSTGRES says it too. By default an installed PostgreSQL, else the one from npm. */
  readonly source?: PostgresSource;
  /** A free one by default. */
  readonly port?: number;
  /** Where to make the fresh data directory, for a disk other than that of the temporary files. */
  readonly directory?: string;
  /** Whom to run as when we are root; SURETY_POSTGRES_USER says it too. */
  readonly user?: string;
}

/** A real server with data of its own, gone with everything it wrote after `stop()`. */
export interface Postgres {
  /** The superuser's, on the database `postgres`. */
  readonly url: string;
  readonly port: number;
  readonly version: string;
  readonly source: PostgresSource;
  /** Of the postmaster; another one after `restart()`. */
  readonly pid: number;
  /** Holds the data and the log; removed by `stop()` and when this process ends in any way. */
  readonly directory: string;
  /** Makes an empty database and returns its url. Without a name it gets a unique one. */
  createDatabase(name?: string): Promise<string>;
  stop(): Promise<void>;
  /** SIGKILL to the postmaster: a crash, after which `restart()` recovers. */
  kill(): void;
  /** Same data, same port; stops the server first when it runs. */
  restart(): Promise<void>;
}

export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const plan = await makePlan(options);
  const server = await SupervisedServer.prepare(plan);
  try {
    const port = await firstStart(server, options.port);
    return handle(server, plan, port);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function makePlan(options: PostgresOptions): Promise<ClusterPlan> {
  if (process.platform === 'win32') {
    throw new Error('The PostgreSQL harness needs Linux or macOS. On Windows use WSL.');
  }
  const identity = chooseIdentity(options.user ?? process.env.SURETY_POSTGRES_USER);
  return {
    identity,
    binaries: await findBinaries(options.source ?? sourceFromEnvironment(), identity),
    parent: options.directory ? resolve(options.directory) : await scratchDirectory(identity),
    cache: await openCache(identity),
  };
}

function handle(server: SupervisedServer, plan: ClusterPlan, port: number): Postgres {
  const url = databaseUrl(port);
  return {
    url,
    port,
    version: plan.binaries.version,
    source: plan.binaries.source,
    directory: server.directory,
    get pid() {
      return server.pid;
    },
    createDatabase: (name) => createDatabase(url, name),
    stop: () => server.stop(),
    kill: () => server.kill(),
    restart: () => startAgain(server, port),
  };
}
