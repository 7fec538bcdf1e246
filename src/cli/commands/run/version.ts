import { readVersion } from '../../../kernel/index.ts';
import { exitCodes, type Run } from '../../command.ts';

export const run: Run = async ({ output }) => {
  const version = readVersion();
  output.value({ surety: version, node: process.version, platform: process.platform });
  output.line(`surety ${version} (node ${process.version}, ${process.platform})`);
  return exitCodes.ok;
};
