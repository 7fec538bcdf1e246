import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output, words: [text = ''], options }) => {
  const body = { text, ...(options.subject ? { subject: String(options.subject) } : {}) };
  const key = options.key === undefined ? {} : { key: String(options.key) };
  const written = await connectDaemon(place).call('POST /v1/notes', { body }, key);
  output.value(written);
  output.line(`${output.tone('good', 'noted')}  entry ${written.seq}`);
};
