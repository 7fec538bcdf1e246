import { existsSync } from 'node:fs';
import { bridge } from '../../../mcp/gateway/clients/bridge.ts';
import { unknownAgent } from '../../../mcp/index.ts';
import { daemonSocket } from '../../../runtime/connect.ts';
import { agentTokenFile } from '../../../runtime/identities.ts';
import { readSecret } from '../../../runtime/state-files.ts';
import type { RunCommand } from '../../command.ts';
import { readAgent } from '../../options/agent-name.ts';

/** Standard output belongs to the protocol: nothing is printed here, not even under --json. */
export const run: RunCommand = async ({ place, options }) => {
  const agent = readAgent('mcp gateway', options.agent);
  const find = () => {
    const socketPath = daemonSocket(place);
    const file = agentTokenFile(place, agent);
    if (!existsSync(file)) throw unknownAgent(agent);
    return { socketPath, token: readSecret(file) };
  };
  await bridge({ agent, directory: place.root, find });
};
