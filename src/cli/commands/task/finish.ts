import { type Json, parseStrictJson } from '../../../kernel/index.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { showTask } from './task-line.ts';

export const run: RunCommand = async ({ place, output, arguments: [task = '', result] }) => {
  const body = { result: (result === undefined ? null : readResult(result)) as never };
  const client = connectDaemon(place);
  showTask(await client.call('POST /v1/tasks/{task}/finish', { path: { task }, body }), output);
  return exitCodes.ok;
};

/** JSON where it is some; any other words are a text. */
function readResult(text: string): Json {
  try {
    return parseStrictJson(text);
  } catch {
    return text;
  }
}
