import { relative, resolve } from 'node:path';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { cliLimits } from '../../limits.ts';
import { readCallerMode } from '../../options/caller-mode.ts';
import { showVerdict } from '../verify/format-verdict.ts';
import { readPatch } from '../verify/patch-file.ts';
import { readProfile } from '../verify/profile.ts';
import { withVerificationProgress } from '../verify/verification-progress.ts';

export const submitTest: RunCommand = async ({ place, output, words: [task = '', file = ''] }) => {
  const body = { path: relative(place.root, resolve(file)), code: readPatch(file) };
  const client = connectDaemon(place);
  const options = { answerMsMax: cliLimits.systemAnswerMsMax };
  const ran = await client.call('POST /v1/tasks/{task}/test', { path: { task }, body }, options);
  output.value(ran);
  output.line(`${output.tone('good', 'fails')}  as it should, on the baseline:`);
  for (const { check, passed } of ran.checks) if (!passed) output.line(`    ${check}`);
};

export const proposeChange: RunCommand = async ({
  place,
  output,
  words: [task = '', file = '-'],
}) => {
  const body = { patch: readPatch(file) };
  const client = connectDaemon(place);
  const admitted = await client.call('POST /v1/tasks/{task}/change', { path: { task }, body });
  output.value(admitted);
  const services = admitted.services.join(', ');
  output.line(`${output.tone('good', 'admitted')}  ${admitted.change}, touches ${services}`);
};

export const verifyTask: RunCommand = async (invocation) => {
  const [task = ''] = invocation.words;
  const { place, output, options: flags } = invocation;
  const client = connectDaemon(place);
  const options = { answerMsMax: cliLimits.systemAnswerMsMax };
  const query = {
    ...(flags.profile ? { profile: readProfile(String(flags.profile)) } : {}),
    ...(flags.callers ? { callers: readCallerMode(flags.callers, 'task verify') } : {}),
  };
  const input = { path: { task }, query };
  const verdict = await withVerificationProgress(client, output, () =>
    client.call('POST /v1/tasks/{task}/verify', input, options),
  );
  return showVerdict(verdict, invocation);
};

export const promoteTask: RunCommand = async ({ place, output, words: [task = ''] }) => {
  output.progress('starting the new version beside the old one …');
  const client = connectDaemon(place);
  const options = { answerMsMax: cliLimits.systemAnswerMsMax };
  const path = { task };
  const promoted = await client.call('POST /v1/tasks/{task}/promote', { path }, options);
  output.value(promoted);
  const services = promoted.services.join(', ');
  output.line(
    `${output.tone('good', 'promoted')}  ${services} runs ${promoted.commit.slice(0, 10)}`,
  );
};
