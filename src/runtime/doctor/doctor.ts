import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { connectKeeper, listMarkedProcesses } from '../../keeper/index.ts';
import {
  checkPrivate,
  createClock,
  faults,
  isPortFree,
  isSupportedNode,
  pluralize,
  toFault,
} from '../../kernel/index.ts';
import { createConfinement } from '../compose/confinement.ts';
import { openLedgerReader } from '../compose/ledger-reader.ts';
import { readPolicy } from '../compose/policy-source.ts';
import { findLoss } from '../compose/signed-history.ts';
import { connectWithToken } from '../connect.ts';
import { loadConfig } from '../load-config.ts';
import type { WorkspacePlace } from '../place.ts';
import { type DaemonFile, readDaemonFile, readToken } from '../state-files.ts';
import { checkAddresses } from './doctor-addresses.ts';
import type { DoctorCheck } from './doctor-check.ts';
import { checkLanguages } from './doctor-languages.ts';
import { checkSuites } from './doctor-suites.ts';
import { checkTelemetry } from './doctor-telemetry.ts';
import { checkToolServers } from './doctor-tool-servers.ts';

export type { DoctorCheck };

export type Examine = (
  place: WorkspacePlace,
) => Promise<Omit<DoctorCheck, 'name'>> | Omit<DoctorCheck, 'name'>;

const examinations: Readonly<Record<string, Examine>> = {
  node: checkNode,
  platform: checkPlatform,
  kernel: checkKernel,
  confinement: checkConfinement,
  disk: checkDisk,
  postgres: (place) => checkPrograms(place, 'PostgreSQL server', ['initdb'], postgresHint),
  chromium: (place) => checkPrograms(place, 'Chromium', chromiumNames, chromiumHint),
  config: checkConfig,
  addresses: checkAddresses,
  languages: checkLanguages,
  suites: checkSuites,
  policy: checkPolicy,
  secrets: checkSecrets,
  ledger: checkLedger,
  processes: checkProcesses,
  'tool servers': checkToolServers,
  port: checkPort,
  telemetry: checkTelemetry,
  leftovers: checkLeftovers,
};

const chromiumNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const postgresHint = 'apt-get install postgresql (only if you want the ledger in a local Postgres)';
const chromiumHint = 'apt-get install chromium (only for checks in a browser)';

/** Every examination gives an answer; one that breaks is itself bad news. */
export async function checkAll(
  place: WorkspacePlace,
  onStart: (name: string) => void,
): Promise<DoctorCheck[]> {
  const checks: DoctorCheck[] = [];
  for (const [name, examine] of Object.entries(examinations)) {
    onStart(name);
    checks.push({ name, ...(await attempt(() => examine(place))) });
  }
  return checks;
}

async function attempt(examine: () => ReturnType<Examine>): Promise<Omit<DoctorCheck, 'name'>> {
  try {
    return await examine();
  } catch (error) {
    const { message, remedy } = toFault(error);
    return { level: 'bad', detail: message, remedy };
  }
}

const mebibyte = 1024 * 1024;
const diskBadBytes = 100 * mebibyte;
const diskLowBytes = 1024 * mebibyte;

function checkNode(): Finding {
  const detail = `${process.version}`;
  if (isSupportedNode(process.version)) return { level: 'ok', detail };
  return { level: 'bad', detail, remedy: 'npm install --save-dev node@24' };
}

function checkPlatform(): Finding {
  const { platform, arch } = process;
  const detail = `${platform} ${arch}`;
  if (platform === 'linux') return { level: 'ok', detail };
  const remedy = 'lanes and probes need Linux; gate, ledger and MCP work here';
  return { level: platform === 'darwin' ? 'warn' : 'bad', detail, remedy };
}

/** What lanes and probes will ask of the kernel. */
function checkKernel(): Finding {
  if (process.platform !== 'linux') return { level: 'note', detail: 'not looked at' };
  const scope = read('/proc/sys/kernel/yama/ptrace_scope');
  const parts = [
    existsSync('/proc/self/environ') ? '/proc readable' : '/proc hidden',
    isCgroupWritable() ? 'cgroups writable' : 'cgroups read-only (limits are measured instead)',
    scope === undefined ? 'no ptrace restriction' : `ptrace scope ${scope}`,
  ];
  const level = existsSync('/proc/self/environ') ? 'ok' : 'bad';
  return { level, detail: parts.join(', ') };
}

/** What the level of surety.yaml gives on this machine. */
function checkConfinement(place: WorkspacePlace): Finding {
  const { level, by, reason } = createConfinement(place, loadConfig(place)).facts();
  if (by !== null) return { level: 'ok', detail: formatLevel(level, by) };
  if (reason === null) {
    const detail = 'off: what agents wrote runs as you, and can read your tokens and keys';
    return { level: 'warn', detail, remedy: 'remove `confine: off` from surety.yaml' };
  }
  const { remedy } = faults.CONFINEMENT_UNAVAILABLE;
  return { level: 'warn', detail: `changes of agents do not run: ${reason}`, remedy };
}

function formatLevel(level: string, by: string): string {
  const what = level === 'strict' ? 'changes and the baseline' : 'changes';
  const ports = by.includes('Landlock') ? 'only declared ports are' : 'all ports are';
  return `${level}: ${by} hides .surety and the home from ${what}; ${ports} reachable`;
}

function checkDisk(place: WorkspacePlace): Finding {
  const { bavail, bsize } = statfsSync(existingParent(place.state));
  const free = bavail * bsize;
  const detail = `${Math.floor(free / mebibyte)} MiB free`;
  const remedy = 'free some space: an append that does not fit on the disk is refused';
  if (free < diskBadBytes) return { level: 'bad', detail, remedy };
  return free < diskLowBytes ? { level: 'warn', detail, remedy } : { level: 'ok', detail };
}

function checkPrograms(
  _: WorkspacePlace,
  what: string,
  names: readonly string[],
  remedy: string,
): Finding {
  const found = programDirectories()
    .flatMap((directory) => names.map((name) => join(directory, name)))
    .find(isExecutable);
  if (found) return { level: 'ok', detail: found };
  return { level: 'note', detail: `no ${what} found`, remedy };
}

/** Debian keeps the server's programs off the PATH. */
function programDirectories(): string[] {
  const path = (process.env.PATH ?? '').split(delimiter);
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  return [...path, ...versions.map((version) => join(debian, version, 'bin'))];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isCgroupWritable(): boolean {
  try {
    accessSync('/sys/fs/cgroup', constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function existingParent(path: string): string {
  return existsSync(path) ? path : existingParent(dirname(path));
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

type Finding = Omit<DoctorCheck, 'name'>;

/** A head further in the future than this was written under another clock. */
const aheadMsMax = 60_000;

/** A doctor does not wait long for a patient that may be stuck. */
const answerMsMax = 2_000;

function checkConfig(place: WorkspacePlace): Finding {
  loadConfig(place);
  if (existsSync(place.configFile)) return { level: 'ok', detail: place.configFile };
  return { level: 'ok', detail: `no surety.yaml in ${place.root}; defaults are used` };
}

/** A policy that can't be read throws here, and denies all agents when a daemon starts. */
function checkPolicy(place: WorkspacePlace): Finding {
  const { mode, contracts, agents } = readPolicy(place, loadConfig(place));
  const detail = `${mode}, ${pluralize(contracts.size, 'contract')}, ${pluralize(agents.size, 'agent')}`;
  return { level: 'ok', detail };
}

function checkSecrets(place: WorkspacePlace): Finding {
  const secrets = [place.tokenFile, place.keyFile, place.executorFile].filter(existsSync);
  for (const secret of secrets) checkPrivate(secret);
  if (secrets.length === 0) return { level: 'note', detail: 'none yet: surety up makes them' };
  return { level: 'ok', detail: 'token and keys are readable by their owner only' };
}

async function checkLedger(place: WorkspacePlace): Promise<Finding> {
  const config = loadConfig(place);
  const { ledger } = config;
  const loss = await findLoss(place, config);
  if (loss !== null) return { level: 'bad', detail: loss, remedy: faults.LEDGER_DIVERGED.remedy };
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

async function checkProcesses(place: WorkspacePlace): Promise<Finding> {
  const daemon = await askDaemon(place);
  if (daemon) return { level: 'ok', detail: `daemon pid ${daemon.pid} answers` };
  if (!readDaemonFile(place)) return { level: 'note', detail: 'not running', remedy: 'surety up' };
  return { level: 'warn', detail: 'the daemon died without stopping', remedy: 'surety up' };
}

/** Zero picks a free port at each start, so only a fixed one can be taken. */
async function checkPort(place: WorkspacePlace): Promise<Finding> {
  const { port } = loadConfig(place).api;
  if (port === 0) return { level: 'ok', detail: 'any free port' };
  if ((await askDaemon(place))?.port === port) return { level: 'ok', detail: `${port}, ours` };
  if (await isPortFree(port, '127.0.0.1')) return { level: 'ok', detail: `${port} is free` };
  const remedy = 'stop the program that uses it, or set another api.port in surety.yaml';
  return { level: 'bad', detail: `${port} is in use`, remedy };
}

/** Processes that carry this directory's mark while no keeper looks after them. */
async function checkLeftovers(place: WorkspacePlace): Promise<Finding> {
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
    const client = connectWithToken(place, token);
    await client.call('GET /v1/status', {}, { answerMsMax });
    return daemon;
  } catch {
    return undefined;
  }
}
