import { isFault } from '../../kernel/index.ts';

/** No daemon serves a gate inside a program, so its approvals are answered in the program. */
const byProgram =
  'answers it in this program: await gate.approve(approval), with one of await gate.approvals()';

/** Commands in the remedy of a fault, in words of the program that gets it. */
export function remedyInProgram(error: unknown): unknown {
  if (!isFault(error)) return error;
  const remedy = error.remedy.replace(/(?:to run|runs): surety approve \S+?(?=\.? )/, byProgram);
  return Object.assign(error, { remedy: remedy.replace('Ask a person', 'A person') });
}
