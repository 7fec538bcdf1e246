import { codePrograms } from './code.ts';
import { databasePrograms } from './databases.ts';
import { filePrograms } from './files.ts';
import { gitPrograms } from './git.ts';
import { infrastructurePrograms } from './infrastructure.ts';
import { machinePrograms } from './machine.ts';
import { networkPrograms } from './network.ts';
import { otherPackagePrograms } from './other-packages.ts';
import { nodePackagePrograms } from './packages.ts';
import { plainPrograms } from './plain.ts';
import type { KnownProgram, Programs } from './program.ts';
import { projectPrograms } from './project-code.ts';
import { readerPrograms } from './readers.ts';
import { shellPrograms } from './shells.ts';

/** Every program that is known. What is not here could do anything, and is held. */
const programs: Programs = {
  ...projectPrograms,
  ...plainPrograms,
  ...readerPrograms,
  ...filePrograms,
  ...shellPrograms,
  ...networkPrograms,
  ...gitPrograms,
  ...nodePackagePrograms,
  ...otherPackagePrograms,
  ...codePrograms,
  ...databasePrograms,
  ...infrastructurePrograms,
  ...machinePrograms,
};

export function findProgram(name: string): KnownProgram | undefined {
  return Object.hasOwn(programs, name) ? programs[name] : undefined;
}
