import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { credentials, type Identity } from './postgres-identity.ts';

const execute = promisify(execFile);

export type Environment = Record<string, string>;

/** Runs a command to its end as `identity` and returns what it printed. */
export async function runCommand(
  command: string,
  args: readonly string[],
  identity: Identity | undefined,
  env: Environment = {},
): Promise<string> {
  const { stdout } = await execute(command, args, {
    ...credentials(identity),
    // initdb asks for the current directory, and that user may not be allowed into ours.
    cwd: '/',
    env: { ...commandEnvironment(), ...env },
  });
  return stdout;
}

/**
 * Made from nothing rather than inherited: PGDATA, PGPORT or a locale of the developer's shell
 * would change what the server does. macOS needs LC_ALL to start at all, and its tar would add
 * files of extended attributes.
 */
export function commandEnvironment(): Environment {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', COPYFILE_DISABLE: '1' };
}
