import { existsSync } from 'node:fs';
import { createClient } from '../../http/index.ts';
import { connectKeeper, listMarkedProcesses } from '../../keeper/index.ts';
import { checkPrivate, createClock, isPortFree, pluralize } from '../../kernel/index.ts';
import { openLedgerReader } from '../compose/ledger-reader.ts';
import { readPolicy } from '../compose/policy-source.ts';
import { loadConfig } from '../load-config.ts';
import type { WorkspacePlace } from '../place.ts';
import { type DaemonFile, readDaemonFile, readToken } from '../state-files.ts';
import type { DoctorCheck } from './doctor-check.ts';

type Finding = Omit<DoctorCheck, 'name'>;

/** A head further in the future than this was written under another clock. */
const aheadMsMax = 60_000;

/** A doctor does not wait long for a patient that may be stuck. */
const answerMsMax = 2_000;

export function checkConfig(place: WorkspacePlace): Finding {
  loadConfig(place);
  if (existsSync(place.configFile)) return { level: 'ok', detail: place.configFile };
  return { level: 'ok', detail: `no surety.yaml in ${place.root}; defaults are used` };
}

/** A policy that can't be read throws here, and denies all agents when a daemon starts. */
export function checkPolicy(place: WorkspacePlace): Finding {
  const { mode, contracts, agents } = readPolicy(place, loadConfig(place));
  const detail = `${mode}, ${pluralize(contracts.size, 'contract')}, ${pluralize(agents.size, 'agent')}`;
  return { level: 'ok', detail };
}

export function checkSecrets(place: WorkspacePlace): Finding {
  const secrets = [place.tokenFile, place.keyFile, place.executorFile].filter(existsSync);
  for (const secret of secrets) checkPrivate(secret);
  if (secrets.length === 0) return { level: 'note', detail: 'none yet: surety up makes them' };
  return { level: 'ok', detail: 'token and keys are readable by their owner only' };
}

export async function checkLedger(place: WorkspacePlace): Promise<Finding> {
  const { ledger } = loadConfig(place);
  if (ledger.store === 'sqlite' && !existsSync(place.ledgerFile)) {
    return { level: 'note', detail: 'none yet: surety up makes one' };
  }
  const reader = await openLedgerReader(place);
  const { seq, at } = await reader.head();
  await reader.close();
  const detail = `${ledger.store}, ${seq} entries`;
  const aheadMs = at - createClock().now();
  if (aheadMs <= aheadMsMax) return { level: 'ok', detail };
  return {
    level: 'warn',
    detail: `${detail}, the last one ${Math.round(aheadMs / 1_000)} s in the future`,
    remedy: 'correct this machine’s clock; new entries go on from the later time until then',
  };
}

export async function checkProcesses(place: WorkspacePlace): Promise<Finding> {
  const daemon = await askDaemon(place);
  if (daemon) return { level: 'ok', detail: `daemon pid ${daemon.pid} answers` };
  if (!readDaemonFile(place)) return { level: 'note', detail: 'not running', remedy: 'surety up' };
  return { level: 'warn', detail: 'the daemon died without stopping', remedy: 'surety up' };
}

/** Zero picks a free port at each start, so only a fixed one can be taken. */
export async function checkPort(place: WorkspacePlace): Promise<Finding> {
  const { port } = loadConfig(place).api;
  if (port === 0) return { level: 'ok', detail: 'any free port' };
  if ((await askDaemon(place))?.port === port) return { level: 'ok', detail: `${port}, ours` };
  if (await isPortFree(port, '127.0.0.1')) return { level: 'ok', detail: `${port} is free` };
  const remedy = 'stop the program that uses it, or set another api.port in surety.yaml';
  return { level: 'bad', detail: `${port} is in use`, remedy };
}

/** Processes that carry this directory's mark while no keeper looks after them. */
export async function checkLeftovers(place: WorkspacePlace): Promise<Finding> {
  if (!existsSync(place.state)) return { level: 'ok', detail: 'none' };
  const keeper = await connectKeeper(place.state).catch(() => undefined);
  keeper?.close();
  const found = listMarkedProcesses(place.state);
  if (keeper || found.length === 0) return { level: 'ok', detail: 'none' };
  const pids = found.map(({ pid, name }) => `${name} (pid ${pid})`).join(', ');
  const remedy = 'surety up, then surety down: the keeper finds and ends them';
  return { level: 'warn', detail: `no keeper, but still running: ${pids}`, remedy };
}

async function askDaemon(place: WorkspacePlace): Promise<DaemonFile | undefined> {
  const daemon = readDaemonFile(place);
  const token = readToken(place);
  if (!daemon || !token) return undefined;
  try {
    const client = createClient({ port: daemon.port, token, directory: place.root });
    await client.call('GET /v1/status', {}, { answerMsMax });
    return daemon;
  } catch {
    return undefined;
  }
}
