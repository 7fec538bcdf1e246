import { readDaemonFile } from '../../../runtime/state-files.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

/** Base addresses for clients, and what was used. */
export const run: RunCommand = async ({ place, output }) => {
  const { providers, usage } = await connectDaemon(place).call('GET /v1/models', {});
  const port = readDaemonFile(place)?.port;
  output.value({ providers, usage });
  for (const { provider, api, path } of providers) {
    const base = `http://127.0.0.1:${port}${path}${api === 'openai' ? '/v1' : ''}`;
    output.line(`${output.tone('bold', provider)}  ${api}, base address ${base}`);
  }
  if (providers.length === 0) output.line('surety.yaml names no models.');
  for (const { agent, task, provider, model, calls, ...tokens } of usage) {
    const whose = task === null ? agent : `${agent} for ${task}`;
    const counts = `${tokens.inputTokens} tokens in, ${tokens.outputTokens} out`;
    output.line(`${whose}  ${provider} ${model}: ${calls} calls, ${counts}`);
  }
};
