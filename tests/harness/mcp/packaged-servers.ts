import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const everything = require.resolve('@modelcontextprotocol/server-everything/package.json');
const filesystem = require.resolve('@modelcontextprotocol/server-filesystem/package.json');

type Packaged = (...options: string[]) => { readonly command: readonly string[] };

/** How a server of a package is started, as surety.yaml says it. */
function packaged(file: string): Packaged {
  const program = join(dirname(file), 'dist/index.js');
  return (...options) => ({ command: [process.execPath, program, ...options] });
}

export const everythingServer: Packaged = packaged(everything);
export const filesystemServer: Packaged = packaged(filesystem);
