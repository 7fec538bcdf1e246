import type { ShellPort } from '../programs/program.ts';

/** What code can tell about itself: the files that it names as literal text. */
export type CodePort = Pick<ShellPort, 'add' | 'directories' | 'reads' | 'writes' | 'textOf'>;

/** Whether everything that the code does is known, and told to the port. */
export type CodeJudge = (code: string, port: CodePort) => boolean;
