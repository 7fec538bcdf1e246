import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** How a server of the package is started, as surety.yaml says it. */
function packaged(name: string): (...options: string[]) => { command: string[] } {
  const file = require.resolve(`${name}/package.json`);
  const program = join(dirname(file), 'dist/index.js');
  return (...options) => ({ command: [process.execPath, program, ...options] });
}

export const everythingServer = packaged('@modelcontextprotocol/server-everything');
export const filesystemServer = packaged('@modelcontextprotocol/server-filesystem');
