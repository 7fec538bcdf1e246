import { existsSync } from 'node:fs';
import { fault } from '../../../kernel/index.ts';
import { peopleOf, type TokenHolder } from '../../../runtime/identities.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import { readSecret } from '../../../runtime/state-files.ts';
import type { RunCommand } from '../../command.ts';

/**
 * Reads the current surety.yaml; the running daemon knows the people of the one that it started
 * with.
 */
export const run: RunCommand = async ({ place, output, words: [name], options }) => {
  const people = peopleOf(place, loadConfig(place)).filter(
    ({ actor }) => name === undefined || actor === `person:${name}`,
  );
  if (people.length === 0) throw fault('NOT_FOUND', { what: `person ${name}` });
  const withToken = options.token === true;
  output.value({ people: people.map((person) => show(person, withToken)) });
  for (const { actor, roles, tokenFile } of people) {
    // Alone on its line if one person was asked for, so that a script can read it.
    if (withToken && name !== undefined) output.line(readSecret(tokenFile));
    else output.line(`${actor}  ${roles.join(', ')}  ${tell(tokenFile, withToken)}`);
  }
};

function show({ actor, roles, tokenFile }: TokenHolder, withToken: boolean): object {
  const token = withToken ? { token: readSecret(tokenFile) } : {};
  return { actor, roles, tokenFile, made: existsSync(tokenFile), ...token };
}

function tell(tokenFile: string, withToken: boolean): string {
  if (withToken) return readSecret(tokenFile);
  return existsSync(tokenFile) ? tokenFile : 'gets a token when the daemon starts: surety up';
}
