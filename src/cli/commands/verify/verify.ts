import { relative, resolve } from 'node:path';
import type { OperationInput } from '../../../http/contract.ts';
import { fault } from '../../../kernel/index.ts';
import type { Invocation, RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { cliLimits } from '../../limits.ts';
import { readCallerMode } from '../../options/caller-mode.ts';
import { changeSource } from './change-source.ts';
import { showVerdict } from './format-verdict.ts';
import { readPatch } from './patch-file.ts';
import { readProfile } from './profile.ts';
import { readTraffic } from './traffic-file.ts';
import { withVerificationProgress } from './verification-progress.ts';

type Body = OperationInput<'POST /v1/verdicts'>['body'];

export const run: RunCommand = async (invocation) => {
  const { place, output, options } = invocation;
  const body: Body = {
    ...(options.unnecessary ? { unnecessary: true } : {}),
    ...(options.profile ? { profile: readProfile(String(options.profile)) } : {}),
    ...changeOf('verify', invocation),
    ...(options.callers ? { callers: readCallerMode(options.callers, 'verify') } : {}),
    ...(options.suite ? { suites: String(options.suite).split(',') } : {}),
    ...(options.traffic ? trafficOf(String(options.traffic)) : {}),
    ...(typeof options.test === 'string' ? { test: testOf(invocation, options.test) } : {}),
  };
  const client = connectDaemon(place);
  const verdict = await withVerificationProgress(client, output, () =>
    client.call('POST /v1/verdicts', { body }, { answerMsMax: cliLimits.systemAnswerMsMax }),
  );
  return showVerdict(verdict, invocation);
};

/** Recorded traffic is sent if there is any; `none` turns it off. */
function trafficOf(given: string): Pick<Body, 'traffic' | 'recorded'> {
  if (given === 'recorded') return { recorded: true };
  return given === 'none' ? { recorded: false } : { traffic: readTraffic(given) };
}

function testOf({ place }: Invocation, path: string): Body['test'] {
  return { path: relative(place.root, resolve(path)), code: readPatch(path) };
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
