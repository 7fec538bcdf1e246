import { spawn } from 'node:child_process';
import { localStoreVariable } from './local-store.ts';
import { preparePostgres } from './postgres.ts';
import { redisCommand } from './redis.ts';
import type { LocalStoreRequest, ServerCommand } from './server-command.ts';

/** Runs a database by the programs of this machine, until it is told to stop. */
const request = JSON.parse(process.env[localStoreVariable] ?? '{}') as LocalStoreRequest;
const { program, words, identity } =
  request.kind === 'postgres' ? await preparePostgres(request) : redisCommand(request);

await serve({ program, words, identity });

async function serve({ program, words, identity }: ServerCommand): Promise<void> {
  const server = spawn(program, words, { ...identity, cwd: '/', stdio: 'inherit' });
  // Postgres waits for its clients after SIGTERM; after SIGINT it does not.
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => server.kill('SIGINT'));
  server.once('error', ({ message }) => {
    process.stderr.write(`${program} could not be started: ${message}\n`);
    process.exitCode = 1;
  });
  await new Promise<void>((resolve) => {
    server.once('exit', (code) => {
      process.exitCode = code ?? 1;
      resolve();
    });
  });
}
