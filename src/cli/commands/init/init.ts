import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fault } from '../../../kernel/index.ts';
import { type Discovery, discover, draftConfig, trialPort } from '../../../system/index.ts';
import { type ExitCode, exitCodes, type Invocation, type RunCommand } from '../../command.ts';
import type { Output } from '../../format/output.ts';
import { confirm } from '../../options/confirm.ts';
import { writeDemo } from './demo.ts';
import { checkCommitted } from './repository-check.ts';
import { thisMachine, withStoreStarts } from './store-starts.ts';
import { exitOfTrial, printTrial, trySystem } from './try-system.ts';

export const run: RunCommand = async (invocation) => {
  const { place, output, options } = invocation;
  const { root, configFile } = place;
  if (options.demo) return writeDemo(invocation);
  if (!options.print) await checkFree(configFile, options.force === true);
  const discovery = await lookAt(root, invocation);
  const draft = draftConfig(discovery);
  if (draft.services.length === 0 && draft.unknown.length === 0) {
    throw fault('NOTHING_DISCOVERED', { directory: root });
  }
  const found = { file: options.print ? null : configFile, ...draft, read: discovery.looked };
  if (options.print) {
    if (!output.json) await output.raw(draft.text);
    output.value(found);
    return exitOf(draft.services);
  }
  writeFileSync(configFile, draft.text);
  tell(draft, discovery, output);
  const isTried = options.try !== false && draft.services.length > 0;
  if (!isTried) {
    output.value(found);
    if (draft.services.length > 0) output.line('next: surety up && surety system up');
    return exitOf(draft.services);
  }
  return tryAndTell(invocation, found);
};

async function lookAt(root: string, { options, output }: Invocation): Promise<Discovery> {
  const looked = discover(root);
  const tried = options.trial ? await tryPorts(root, looked, output) : looked;
  return withStoreStarts(tried, thisMachine);
}

async function tryAndTell(invocation: Invocation, found: object): Promise<ExitCode> {
  const { output, place } = invocation;
  output.line('trying it (skip with --no-try):');
  const hint = checkCommitted(place.root);
  const trial = hint ? { steps: [hint], isGood: false } : await trySystem(invocation);
  output.value({ ...found, trial });
  printTrial(trial, output);
  output.line(
    trial.isGood
      ? 'next: edit a service, then surety verify --worktree (docs/quickstart.md)'
      : 'next: edit surety.yaml, then surety up && surety system up',
  );
  return exitOfTrial(trial);
}

/** Never overwrites a file, unless the user says so. */
async function checkFree(path: string, force: boolean): Promise<void> {
  if (!existsSync(path) || force) return;
  if (!process.stdin.isTTY) throw fault('FILE_EXISTS', { path });
  if (!(await confirm(`${path} already exists. Overwrite it?`, '--force'))) {
    throw fault('FILE_EXISTS', { path });
  }
}

/** Starts services with an unknown port for a moment, one after the other. */
async function tryPorts(root: string, discovery: Discovery, output: Output): Promise<Discovery> {
  const services = [];
  for (const service of discovery.services) {
    const { name, command, port, directory = '.', environment = {} } = service;
    if (command === undefined || port !== undefined) {
      services.push(service);
      continue;
    }
    output.progress(`starting ${name} to see its port …`);
    const found = await trialPort({ command, environment, directory: join(root, directory) });
    const where = found === undefined ? service.where : [...service.where, 'a trial start'];
    services.push({ ...service, port: found, where });
  }
  return { ...discovery, services };
}

function tell(
  { services, unknown }: ReturnType<typeof draftConfig>,
  { looked }: Discovery,
  output: Output,
): void {
  const what = services.length === 1 ? '1 service' : `${services.length} services`;
  output.line(`wrote surety.yaml with ${what}: ${services.join(', ') || 'none'}`);
  output.line(output.tone('dim', `read ${looked.join(', ')}`));
  if (unknown.length > 0) output.line('not found out:');
  for (const text of unknown) output.line(`  ${output.tone('warn', '?')} ${text}`);
}

function exitOf(services: readonly string[]): ExitCode {
  return services.length > 0 ? exitCodes.ok : exitCodes.bad;
}
