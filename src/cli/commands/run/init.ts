import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fault } from '../../../kernel/index.ts';
import { type Discovery, discover, draftConfig, trialPort } from '../../../system/index.ts';
import { type ExitCode, exitCodes, type RunCommand } from '../../command.ts';
import type { Output } from '../../format/output.ts';
import { confirm } from '../../options/confirm.ts';

export const run: RunCommand = async ({ place, output, options }) => {
  const { root, configFile } = place;
  if (!options.print) await checkFree(configFile, options.force === true);
  const looked = discover(root);
  const discovery = options.trial ? await tryPorts(root, looked, output) : looked;
  const draft = draftConfig(discovery);
  if (draft.services.length === 0 && draft.unknown.length === 0) {
    throw fault('NOTHING_DISCOVERED', { directory: root });
  }
  if (!options.print) writeFileSync(configFile, draft.text);
  else if (!output.json) await output.raw(draft.text);
  output.value({ file: options.print ? null : configFile, ...draft, read: discovery.looked });
  if (!options.print) tell(draft, discovery, output);
  return exitOf(draft.services);
};

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
  if (services.length > 0) output.line('next: surety up && surety system up');
}

function exitOf(services: readonly string[]): ExitCode {
  return services.length > 0 ? exitCodes.ok : exitCodes.bad;
}
