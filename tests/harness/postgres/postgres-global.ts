import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The superuser's url on the server that all workers of this run share. */
    postgresUrl: string;
  }
}

/** For `globalSetup`: one server per run, as workers can't share what one of them starts. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres();
  project.provide('postgresUrl', postgres.url);
  return () => postgres.stop();
}
