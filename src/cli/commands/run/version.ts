import { readVersion } from '../../../kernel/index.ts';
import type { RunCommand } from '../../command.ts';

export const run: RunCommand = async ({ output }) => {
  const version = readVersion();
  output.value({ surety: version, node: process.version, platform: process.platform });
  output.line(`surety ${version} (node ${process.version}, ${process.platform})`);
};
