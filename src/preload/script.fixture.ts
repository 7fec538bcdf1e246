import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { tagEnvironment } from './index.ts';

const prelude = `
  const net = require('node:net');
  const tls = require('node:tls');
  const server = net.createServer();
  const port = 1;
  const show = (value) => { process.stdout.write(JSON.stringify(value)); process.exit(); };
  const done = () => show([server.address()]);
`;

/** What a few lines say that run in a tagged process: they `show` one value. */
export async function runTagged(
  node: string,
  script: string,
  environment: Readonly<Record<string, string>>,
): Promise<unknown[]> {
  const tag = { service: 'a', instance: 'a/baseline/1', router: '127.0.0.1:1' };
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...tagEnvironment(tag), ...environment };
  const { stdout } = await promisify(execFile)(node, ['-e', prelude + script], {
    env,
    cwd: tmpdir(),
  });
  return JSON.parse(stdout);
}
