import type { IncomingMessage, RequestOptions } from 'node:http';
import { type FaultReport, faultFromReport } from '../fault.ts';

/** One call on the control interface of a process, in JSON both ways. */
export interface ControlCall {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** Where the process listens (a socket, or a port with a token), and how long it may take. */
export interface ControlTarget extends Pick<RequestOptions, 'socketPath' | 'port' | 'headers'> {
  readonly answerMsMax: number;
}

/**
 * Throws the fault that the process answers, or the error of a connection that failed. Each call
 * opens a connection: one that was kept may lead to a process that is no longer there.
 */
export async function callControl<Value>(
  { answerMsMax, ...target }: ControlTarget,
  { method, path, body }: ControlCall,
): Promise<Value> {
  // Loaded here, because commands that call nobody import the kernel too.
  const { request: send } = await import('node:http');
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const signal = AbortSignal.timeout(answerMsMax);
  const to = { host: '127.0.0.1', ...target, method, path, signal, agent: false };
  const request = send(to, resolve);
  request.on('error', reject);
  request.end(body === undefined ? undefined : JSON.stringify(body));
  const answer = await promise;
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  const value = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  if (answer.statusCode !== 200) throw faultFromReport((value as { fault: FaultReport }).fault);
  return value as Value;
}
