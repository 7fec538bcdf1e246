import { fault } from '../../../kernel/index.ts';
import { readSecret } from '../../../runtime/state-files.ts';
import { collectorPrefix, senderCredential, senderHeader } from '../../../telemetry/index.ts';
import type { RunCommand } from '../../command.ts';

export const run: RunCommand = async ({ place, output, words: [name = ''] }) => {
  if (!/^[\w-]{1,64}$/.test(name)) {
    const reason = 'the name of a collector has letters, digits, - and _';
    throw fault('USAGE', { reason, help: 'surety telemetry key --help' });
  }
  const secret = readSecret(place.senderSecretFile);
  const credential = senderCredential(secret, `${collectorPrefix}${name}`);
  output.value({ header: senderHeader, value: credential });
  output.line(`${senderHeader}: ${credential}`);
};
