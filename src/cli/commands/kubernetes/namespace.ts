import { changeNamespace, formatManifests } from '../../../kubernetes/index.ts';
import type { RunCommand } from '../../command.ts';
import { wholeNumber } from '../../options/whole-number.ts';

export const run: RunCommand = async ({ output, words, options }) => {
  const [task = ''] = words;
  const minutes = wholeNumber('--minutes', options.minutes, 30, 1);
  const manifests = changeNamespace({ task, minutes });
  output.value({ manifests });
  if (!output.json) await output.raw(formatManifests(manifests));
  return undefined;
};
