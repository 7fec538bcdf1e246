import { fault } from '../../../kernel/index.ts';
import type { Command, RunCommand } from '../../command.ts';
import { type CompletedShell, completedShells, formatCompletion } from '../../completion-script.ts';

/** Prints the script for a shell, for all these commands. */
export function printCompletionOf(commands: readonly Command[]): RunCommand {
  return async ({ output, words: [shell = ''] }) => {
    if (!(completedShells as readonly string[]).includes(shell)) {
      const reason = `there is no completion for ${shell}, only for ${completedShells.join(', ')}`;
      throw fault('USAGE', { reason, help: 'surety completion --help' });
    }
    const script = formatCompletion(shell as CompletedShell, commands);
    output.value({ shell, script });
    if (!output.json) await output.raw(script);
    return undefined;
  };
}
