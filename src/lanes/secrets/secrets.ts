import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fault, rememberSecret, sharedLimits } from '../../kernel/index.ts';
import { laneLimits } from '../limits.ts';

export interface SecretRequest {
  readonly service: string;
  /** By variable: `env:NAME`, `file:path` or `command:…`. */
  readonly references: Readonly<Record<string, string>>;
  /** What relative paths start from, and where commands run. */
  readonly root: string;
}

/**
 * The values of a service's secrets. Read each time that it starts and kept nowhere; what shows or
 * stores texts in this process leaves them out from now on.
 */
export async function readSecrets(request: SecretRequest): Promise<Record<string, string>> {
  const entries = Object.entries(request.references).map(async ([variable, reference]) => {
    const value = await read(request, reference).catch((error: Error) => {
      throw missing(request, variable, error.message);
    });
    if (value.length < laneLimits.secretCharsMin) {
      const reason = `it has ${value.length} characters, and ${laneLimits.secretCharsMin} are needed`;
      throw missing(request, variable, reason);
    }
    rememberSecret(value);
    return [variable, value] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

async function read({ root }: SecretRequest, reference: string): Promise<string> {
  const [, provider, place = ''] = /^(\w+):([\s\S]*)$/.exec(reference) ?? [];
  if (provider === 'env') return fromEnvironment(place);
  const text = provider === 'file' ? await fromFile(resolve(root, place)) : await run(place, root);
  return text.replace(/\r?\n$/, '');
}

function fromEnvironment(name: string): string {
  const value = Object.hasOwn(process.env, name) ? process.env[name] : undefined;
  if (value === undefined) throw new Error('the daemon was started without it');
  return value;
}

async function fromFile(path: string): Promise<string> {
  const { size } = await stat(path).catch(() => {
    throw new Error('there is no such file');
  });
  if (size > sharedLimits.secretBytesMax) throw tooLarge();
  return readFile(path, 'utf8');
}

/** Reports only how the command ended: its standard error may contain the secret. */
function run(command: string, cwd: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const { secretMsMax: timeout } = laneLimits;
  const { secretBytesMax } = sharedLimits;
  const options = { cwd, timeout, maxBuffer: secretBytesMax, killSignal: 'SIGKILL' } as const;
  execFile('/bin/sh', ['-c', command], options, (error, stdout) => {
    if (!error) return resolve(stdout);
    if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return reject(tooLarge());
    const late = error.killed ? `it took longer than ${timeout / 1_000} s` : undefined;
    reject(new Error(late ?? `it ended with ${error.signal ?? `code ${error.code}`}`));
  });
  return promise;
}

function tooLarge(): Error {
  return new Error(`it has more than ${sharedLimits.secretBytesMax} bytes`);
}

function missing({ service, references }: SecretRequest, variable: string, reason: string): Error {
  const reference = references[variable] ?? '';
  return fault('SECRET_MISSING', { service, variable, reference, reason });
}
