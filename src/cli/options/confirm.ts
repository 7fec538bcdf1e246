import { createInterface } from 'node:readline/promises';
import { fault } from '../../kernel/index.ts';
import { visible } from '../format/visible.ts';

/** Asks on a terminal. Elsewhere a flag has to give the answer. */
export async function confirm(question: string, flags: string): Promise<boolean> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) {
    const reason = `nobody is here to be asked; answer with ${flags}`;
    throw fault('USAGE', { reason, help: 'surety --help' });
  }
  const terminal = createInterface({ input: stdin, output: stderr });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${visible(question)} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
