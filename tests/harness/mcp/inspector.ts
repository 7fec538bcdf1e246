import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const packageFile = require.resolve('@modelcontextprotocol/inspector/package.json');
const program = join(dirname(packageFile), 'clients/launcher/build/index.js');

const inspectMsMax = 110_000;

/** What the official inspector's CLI prints, with a home of its own. */
export function inspect(
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Record<string, unknown>> {
  const home = mkdtempSync(join(tmpdir(), 'surety-inspector-'));
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
  const options = { env: { ...process.env, ...env, HOME: home }, timeout: inspectMsMax };
  const args = [program, '--cli', ...words];
  execFile(process.execPath, args, options, (_, stdout, stderr) => {
    rmSync(home, { recursive: true, force: true });
    try {
      resolve(JSON.parse(stdout));
    } catch {
      reject(new Error(`the inspector said: ${stdout} ${stderr}`));
    }
  });
  return promise;
}
