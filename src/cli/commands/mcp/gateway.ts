import { existsSync } from 'node:fs';
import { fault } from '../../../kernel/index.ts';
import { bridge } from '../../../mcp/gateway/clients/bridge.ts';
import { unknownAgent } from '../../../mcp/index.ts';
import { agentTokenFile } from '../../../runtime/identities.ts';
import { readDaemonFile, readSecret } from '../../../runtime/state-files.ts';
import type { RunCommand } from '../../command.ts';
import { readAgent } from '../../options/agent-name.ts';

/** Standard output belongs to the protocol: nothing is printed here, not even under --json. */
export const run: RunCommand = async ({ place, options }) => {
  const agent = readAgent('mcp gateway', options.agent);
  const find = () => {
    const daemon = readDaemonFile(place);
    if (!daemon) throw fault('DAEMON_NOT_RUNNING', { directory: place.root });
    const file = agentTokenFile(place, agent);
    if (!existsSync(file)) throw unknownAgent(agent);
    return { url: `http://127.0.0.1:${daemon.port}/mcp`, token: readSecret(file) };
  };
  await bridge({ agent, directory: place.root, find });
};
