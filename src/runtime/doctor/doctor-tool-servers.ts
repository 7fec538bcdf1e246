import { pluralize } from '../../kernel/index.ts';
import { connectWithToken } from '../connect.ts';
import { loadConfig } from '../load-config.ts';
import type { WorkspacePlace } from '../place.ts';
import { readToken } from '../state-files.ts';
import type { DoctorCheck } from './doctor-check.ts';

/** Whether the servers behind the gateway are connected. */
export async function checkToolServers(place: WorkspacePlace): Promise<Omit<DoctorCheck, 'name'>> {
  const declared = Object.keys(loadConfig(place).mcp.servers);
  if (declared.length === 0) return { level: 'ok', detail: 'none' };
  const servers = await askServers(place);
  if (!servers) return { level: 'note', detail: 'not running', remedy: 'surety up' };
  const away = servers.filter(({ isConnected }) => !isConnected);
  const connected = `${servers.length - away.length} of ${pluralize(servers.length, 'server')} connected`;
  if (away.length === 0) return { level: 'ok', detail: connected };
  const reasons = away.map(({ name, reason }) => `${name}: ${reason ?? 'not connected yet'}`);
  return { level: 'bad', detail: `${connected}; ${reasons.join('; ')}`, remedy };
}

const remedy =
  'start the command under mcp.servers in surety.yaml by hand; surety logs daemon shows its output';

async function askServers(place: WorkspacePlace) {
  const token = readToken(place);
  if (!token) return undefined;
  const answer = connectWithToken(place, token).call('GET /v1/mcp/tools', {});
  return answer.then(({ servers }) => servers).catch(() => undefined);
}
