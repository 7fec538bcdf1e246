import { relative, resolve } from 'node:path';
import type { OperationInput } from '../../../http/contract.ts';
import { fault } from '../../../kernel/index.ts';
import type { Invocation, RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { cliLimits } from '../../limits.ts';
import { readCallerMode } from '../../options/caller-mode.ts';
import { neededOption } from '../../options/required-option.ts';
import { changeSource } from './change-source.ts';
import { showVerdict } from './format-verdict.ts';
import { readPatch } from './patch-file.ts';
import { readProfile } from './profile.ts';
import { readTraffic } from './traffic-file.ts';
import { withVerificationProgress } from './verification-progress.ts';

type Body = OperationInput<'POST /v1/verdicts'>['body'];

export const run: RunCommand = async (invocation) => {
  const { place, output, options } = invocation;
  const intended = readIntended(options);
  const { findings, reason } = intended;
  const body: Body = {
    ...(findings.length > 0 ? { intended: { findings, reason } } : {}),
    ...(options.unnecessary ? { unnecessary: true } : {}),
    ...(options.profile ? { profile: readProfile(String(options.profile)) } : {}),
    ...changeOf('verify', invocation),
    ...(options.callers ? { callers: readCallerMode(options.callers, 'verify') } : {}),
    ...(options.suite ? { suites: String(options.suite).split(',') } : {}),
    ...(options.traffic ? trafficOf(String(options.traffic)) : {}),
    ...(typeof options.test === 'string' ? { test: testOf(invocation, options.test) } : {}),
  };
  const client = connectDaemon(place);
  if (intended.suites) await allowSuites(body, reason, client);
  const verdict = await withVerificationProgress(client, output, () =>
    client.call('POST /v1/verdicts', { body }, { answerMsMax: cliLimits.systemAnswerMsMax }),
  );
  return showVerdict(verdict, invocation);
};

interface Intended {
  readonly suites: boolean;
  readonly findings: string[];
  readonly reason: string;
}

function readIntended({ intend, reason }: Invocation['options']): Intended {
  if (intend === undefined) return { suites: false, findings: [], reason: '' };
  const all = String(intend).split(',');
  const findings = all.filter((one) => one !== 'suites');
  const needed = neededOption('verify --intend', '--reason', reason);
  return { suites: all.includes('suites'), findings, reason: needed };
}

/** Lets exactly this change edit suites, so that they judge it as it edits them. */
async function allowSuites(
  { patch, ref, worktree, base }: Body,
  reason: string,
  client: ReturnType<typeof connectDaemon>,
): Promise<void> {
  const body = { patch, ref, worktree, base, reason, suites: true };
  await client.call('POST /v1/overrides', { body });
}

/** Recorded traffic is sent if there is any; `none` turns it off. */
function trafficOf(given: string): Pick<Body, 'traffic' | 'recorded'> {
  if (given === 'recorded') return { recorded: true };
  return given === 'none' ? { recorded: false } : { traffic: readTraffic(given) };
}

function testOf({ place }: Invocation, path: string): Body['test'] {
  const within = relative(place.root, resolve(path));
  // Known at once; the daemon would find it out only after it has opened the lanes.
  if (within.startsWith('..')) {
    throw fault('TEST_OUTSIDE', { path, reason: `it is not below ${place.root}` });
  }
  return { path: within, code: readPatch(path) };
}

/** A new change, or an earlier one by its id. */
export function changeOf(
  command: string,
  { words: [path], options }: Pick<Invocation, 'words' | 'options'>,
): ReturnType<typeof changeSource> & { readonly change?: string } {
  const { patch = path, change, ref, worktree, base } = options;
  const given = [path, options.patch, change, ref, worktree].filter((one) => one !== undefined);
  if (given.length !== 1 || (change !== undefined && base !== undefined)) {
    const reason = 'give one of a patch, --ref, --worktree and --change; --base not with --change';
    throw fault('USAGE', { reason, help: `surety ${command} --help` });
  }
  if (change !== undefined) return { change: String(change) };
  const source = { words: patch === undefined ? [] : [String(patch)], options };
  return changeSource(command, source);
}
