import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { cliLimits } from '../../limits.ts';
import { showVerdict } from '../verify/format-verdict.ts';
import { readProfile } from '../verify/profile.ts';
import { withVerificationProgress } from '../verify/verification-progress.ts';

export const run: RunCommand = async (invocation) => {
  const [task = ''] = invocation.arguments;
  const { place, output, options: flags } = invocation;
  const client = connectDaemon(place);
  const options = { answerMsMax: cliLimits.systemAnswerMsMax };
  const query = flags.profile ? { profile: readProfile(String(flags.profile)) } : {};
  const input = { path: { task }, query };
  const verdict = await withVerificationProgress(client, output, () =>
    client.call('POST /v1/tasks/{task}/verify', input, options),
  );
  return showVerdict(verdict, invocation);
};
