import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { runCli } from '../../src/cli/program.ts';

const root = resolve(import.meta.dirname, '..', '..');
const bundle = process.env.SURETY_TEST_BUNDLE;

/** From the bundle of these sources where there is one: it starts in a third of the time. */
export const suretyProgram: string = bundle ? join(bundle, 'cli.js') : join(root, 'bin/surety.js');

/** `node <daemonProgram> <directory>`, as the keeper starts it. */
export const daemonProgram: string = bundle
  ? join(bundle, 'runtime-daemon-main.js')
  : join(root, 'src/runtime/daemon-main.ts');

/** The command without a process of its own; `require`, as vitest would transform an import. */
export const suretyCommand: typeof runCli = (words, streams) => {
  const program = bundle ? join(bundle, 'program.js') : join(root, 'src/cli/program.ts');
  return createRequire(import.meta.url)(program).runCli(words, streams);
};
