import { posix } from 'node:path';
import { exampleVariables } from './example-variables.ts';
import { type DiscoveredService, type FileDiscovery, serviceNameOf } from './found.ts';
import { programOf } from './program.ts';
import { membersOf, packageDirectories } from './programs/node-workspace.ts';
import { type Repository, text } from './repository.ts';

/** Programs of package.json: each workspace that can be started, or the packages themselves. */
export function readPackages(repository: Repository): FileDiscovery {
  const services = placesOf(repository).flatMap((directory): DiscoveredService[] => {
    const where = posix.join(directory, 'package.json');
    if (!repository.has(where)) return [];
    const name = serviceNameOf(text(repository.json(where).name) ?? posix.basename(directory));
    const environment = exampleVariables(repository, directory);
    const program = programOf(repository, { directory, name, environment });
    return program.command === undefined ? [] : [{ ...program, name, where }];
  });
  return { services };
}

/** Without workspaces, a root that can be started is the program; what lies below are its parts. */
function placesOf(repository: Repository): string[] {
  const workspaces = membersOf(repository, '.');
  if (workspaces.length > 0) return workspaces;
  const isProgram = programOf(repository, { directory: '.' }).command !== undefined;
  return isProgram && repository.has('package.json') ? ['.'] : packageDirectories(repository);
}
