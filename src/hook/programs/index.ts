import { checkOptions } from './accepted/check-options.ts';
import { buildPrograms } from './build-tools.ts';
import { codePrograms } from './code.ts';
import { databasePrograms } from './databases.ts';
import { filePrograms } from './files.ts';
import { gitPrograms } from './git.ts';
import { infrastructurePrograms } from './infrastructure.ts';
import { machinePrograms } from './machine.ts';
import { networkPrograms } from './network.ts';
import { otherPackagePrograms } from './other-packages.ts';
import { checkOwnSettings } from './own-settings.ts';
import { nodePackagePrograms } from './packages.ts';
import { plainPrograms } from './plain.ts';
import type { KnownProgram, Programs } from './program.ts';
import { isProjectTool, projectPrograms } from './project-code.ts';
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
  ...buildPrograms,
};

/** A program that is known by its name. Options that its description does not name are held. */
export function findProgram(name: string): KnownProgram | undefined {
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (!program) return undefined;
  return (call) => {
    checkOptions(call, isProjectTool(name));
    checkOwnSettings(call);
    return program(call);
  };
}

export { isProjectTool } from './project-code.ts';
