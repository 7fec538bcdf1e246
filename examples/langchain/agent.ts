import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { z } from 'zod';
// In a project of your own: from 'surety'.
import { type GuardedGate, openGate } from '../../src/index.ts';

export interface AgentOptions {
  readonly model: BaseChatModel;
  readonly prompt: string;
  /** Where the notes are written. */
  readonly notes: string;
  /** Where the gate keeps its ledger. */
  readonly guard: string;
}

const policy = fileURLToPath(new URL('./policy.yaml', import.meta.url));
const turnsMax = 5;

/** A guarded function is a function: LangChain makes a tool of it as of any other. */
function noteTool(gate: GuardedGate, directory: string) {
  const write = gate.guard(
    'note.write',
    ({ name, text }: { name: string; text: string }) => {
      writeFileSync(join(directory, `${name}.txt`), text);
      return { written: `${name}.txt`, characters: text.length };
    },
    { onFault: ({ code, message, remedy }) => ({ refused: code, because: message, remedy }) },
  );
  return tool(write, {
    name: 'note_write',
    description: 'Writes a note. Sign it.',
    schema: z.object({ name: z.string(), text: z.string() }),
  });
}

/** The usual loop: the model asks for tools until it has something to say. */
export async function runAgent(options: AgentOptions): Promise<BaseMessage[]> {
  const { model, prompt, notes, guard } = options;
  await using gate = await openGate({ directory: guard, policy, agent: 'ada' });
  const writeNote = noteTool(gate, notes);
  const bound = model.bindTools?.([writeNote]) ?? model;
  const messages: BaseMessage[] = [new HumanMessage(prompt)];
  for (let turn = 0; turn < turnsMax; turn++) {
    const answer = await bound.invoke(messages);
    messages.push(answer);
    const calls = answer.tool_calls ?? [];
    if (calls.length === 0) break;
    for (const call of calls) messages.push(await writeNote.invoke({ ...call, type: 'tool_call' }));
  }
  return messages;
}
