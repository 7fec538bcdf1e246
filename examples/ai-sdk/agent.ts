import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateText, type LanguageModel, stepCountIs, tool } from 'ai';
import { z } from 'zod';
// In a project of your own: from 'surety'.
import { openGate } from '../../src/index.ts';
import { policy } from './policy.ts';

export interface AgentOptions {
  readonly model: LanguageModel;
  readonly prompt: string;
  /** Where the notes are written. */
  readonly notes: string;
  /** Where the gate keeps its ledger. */
  readonly guard: string;
}

/** The tools as one would write them without a gate. */
function notebook(directory: string) {
  return {
    note_write: tool({
      description: 'Writes a note. Sign it.',
      inputSchema: z.object({ name: z.string(), text: z.string() }),
      execute: async ({ name, text }) => {
        writeFileSync(join(directory, `${name}.txt`), text);
        return { written: `${name}.txt`, characters: text.length };
      },
    }),
  };
}

/** An agent whose tools ask the gate first. What is refused, the model reads with its remedy. */
export async function runAgent({ model, prompt, notes, guard }: AgentOptions) {
  await using gate = await openGate({ directory: guard, policy, agent: 'ada' });
  const tools = gate.tools(notebook(notes), {
    onFault: ({ code, message, remedy }) => ({ refused: code, because: message, remedy }),
  });
  return await generateText({ model, prompt, tools, stopWhen: stepCountIs(5) });
}
