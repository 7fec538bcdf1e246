import { existsSync } from 'node:fs';
import { type Client, createClient } from '../http/index.ts';
import { fault } from '../kernel/index.ts';
import { serveMcp, unknownAgent } from '../mcp/index.ts';
import { agentTokenFile } from '../runtime/identities.ts';
import type { Place } from '../runtime/place.ts';
import { readDaemonFile, readSecret } from '../runtime/state-files.ts';
import { readVersion } from '../runtime/version.ts';
import { exitCodes, type Run } from './command.ts';

/** Standard output belongs to the protocol: nothing is printed here, not even under --json. */
export const run: Run = async ({ place, options }) => {
  const agent = readAgent(options.agent);
  const connect = () => connectAgent(place, agent);
  await serveMcp({ agent, version: readVersion(), connect });
  return exitCodes.ok;
};

/** It becomes part of a path, so that only what surety.yaml accepts as a name may pass. */
function readAgent(given: string | boolean | undefined): string {
  if (typeof given === 'string' && /^[a-z][a-z0-9-]{0,39}$/.test(given)) return given;
  const reason =
    given === undefined ? 'Say who works here: --agent <name>.' : `"${given}" names no agent.`;
  throw fault('USAGE', { reason, help: 'surety mcp --help' });
}

function connectAgent(place: Place, agent: string): Client {
  const daemon = readDaemonFile(place);
  if (!daemon) throw fault('DAEMON_NOT_RUNNING', { directory: place.root });
  const file = agentTokenFile(place, agent);
  if (!existsSync(file)) throw unknownAgent(agent);
  return createClient({ port: daemon.port, token: readSecret(file), directory: place.root });
}
