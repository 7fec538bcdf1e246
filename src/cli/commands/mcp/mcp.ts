import { existsSync } from 'node:fs';
import { type Client, createClient } from '../../../http/index.ts';
import { createClock, readVersion } from '../../../kernel/index.ts';
import { serveMcp, unknownAgent } from '../../../mcp/index.ts';
import { daemonSocket } from '../../../runtime/connect.ts';
import { agentTokenFile } from '../../../runtime/identities.ts';
import type { WorkspacePlace } from '../../../runtime/place.ts';
import { readSecret } from '../../../runtime/state-files.ts';
import type { RunCommand } from '../../command.ts';
import { readAgent } from '../../options/agent-name.ts';

/** Standard output belongs to the protocol: nothing is printed here, not even under --json. */
export const run: RunCommand = async ({ place, options }) => {
  const agent = readAgent('mcp', options.agent);
  const connect = () => connectAgent(place, agent);
  const { now } = createClock();
  await serveMcp({ actor: `agent:${agent}`, version: readVersion(), connect, now });
};

function connectAgent(place: WorkspacePlace, agent: string): Client {
  const socketPath = daemonSocket(place);
  const file = agentTokenFile(place, agent);
  if (!existsSync(file)) throw unknownAgent(agent);
  return createClient({ socketPath, token: readSecret(file), directory: place.root });
}
