import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { unsentCodes } from '../../gate/attempt.ts';
import { fault, isFault, lazy } from '../../kernel/index.ts';
import { runtimeLimits } from '../limits.ts';

interface ToolRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

interface ToolAnswer {
  readonly status: number;
  readonly text: string;
}

/** Loaded with the first call, because most workspaces have no tool over HTTP. */
const client = lazy(async () => {
  const { Agent, request } = await import('undici');
  const dispatcher = new Agent();
  return (address: string, call: ToolRequest) => {
    const { method, headers, body, signal } = call;
    const init = { method: method as Dispatcher.HttpMethod, headers: { ...usual, ...headers } };
    return request(address, { ...init, body: body ?? null, signal, dispatcher });
  };
});

/** Some servers refuse a client without a name. */
const usual = { accept: '*/*', 'user-agent': 'surety' };

/**
 * One request and its whole answer. undici's own interface takes a fifth of the CPU of `fetch`. It
 * follows no redirect: that would be another call, and the first server may have done its work.
 */
export async function callOverHttp(address: string, call: ToolRequest): Promise<ToolAnswer> {
  const { statusCode, headers, body } = await send(address, call);
  const bytes = await readBytes(body)
    .then((all) => decode(all, String(headers['content-encoding'] ?? 'identity')))
    .catch(cutOff);
  return { status: statusCode, text: bytes.toString('utf8') };
}

async function send(address: string, call: ToolRequest): Promise<Dispatcher.ResponseData> {
  try {
    return await (await client())(address, call);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    if (unsentCodes.has(code ?? '')) throw error;
    throw fault('TOOL_IN_DOUBT', { reason: `${message} (${code ?? 'no answer'})` }, error);
  }
}

const bytesMax = runtimeLimits.toolResultBytesMax;

/** Counted while it arrives: an endless answer must not fill the memory. */
async function readBytes(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = (): Error =>
  fault('TOOL_IN_DOUBT', { reason: `its answer is larger than ${bytesMax} bytes` });

const decoders: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  identity: async (bytes) => bytes,
  gzip: (bytes) => promisify(gunzip)(bytes, { maxOutputLength: bytesMax }),
  deflate: (bytes) => promisify(inflate)(bytes, { maxOutputLength: bytesMax }),
  br: (bytes) => promisify(brotliDecompress)(bytes, { maxOutputLength: bytesMax }),
};

/** Nobody asked for an encoding, but some servers always use one. */
async function decode(bytes: Buffer, encoding: string): Promise<Buffer> {
  const decoder = decoders[encoding.toLowerCase()];
  if (!decoder) throw new Error(`it is encoded as ${encoding}`);
  return decoder(bytes);
}

/** The server answered, so it got the call; but its answer cannot be read. */
function cutOff(error: unknown): never {
  if (isFault(error)) throw error;
  const { message, code } = error as NodeJS.ErrnoException;
  const reason = `its answer broke off: ${message} (${code ?? 'no code'})`;
  throw fault('TOOL_IN_DOUBT', { reason }, error);
}
