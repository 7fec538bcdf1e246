import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface TextCall {
  readonly url: URL;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly msMax: number;
  readonly bytesMax: number;
}

export interface TextAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** One request on its own connection, limited in time and size. */
export async function callForText(call: TextCall): Promise<TextAnswer> {
  const { url, msMax, bytesMax } = call;
  try {
    const answer = await open(call, AbortSignal.timeout(msMax));
    const text = await readText(answer, bytesMax);
    const contentType = answer.headers['content-type'] ?? '';
    return { status: answer.statusCode ?? 0, contentType, text };
  } catch (error) {
    const { name, message, code } = error as NodeJS.ErrnoException;
    if (name === 'TimeoutError' || name === 'AbortError')
      throw new Error(`${url.host} did not answer within ${msMax / 1_000} s`, { cause: error });
    // Several addresses were tried, and the combined error has no message.
    throw new Error(message || code || 'the connection failed', { cause: error });
  }
}

function open(call: TextCall, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, method = 'GET', headers = {}, body } = call;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const sent = { 'user-agent': 'surety', ...headers, ...length };
  const options: RequestOptions = { method, headers: sent, signal, agent: false };
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, resolve);
  request.on('error', reject);
  request.end(body);
  return promise;
}

async function readText(answer: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error(`the answer is larger than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
