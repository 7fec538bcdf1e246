import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { mcpLimits } from '../../limits.ts';
import { exactResult, shallow } from './exact-json.ts';
import { LineReader } from './line-reader.ts';
import type { Traffic } from './traffic.ts';

export interface StdioProgram {
  readonly command: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

const stopMs = 2_000;

/**
 * A server that is a child process and speaks in lines. The SDK's transport neither bounds what a
 * server makes the daemon keep and read, nor keeps the digits of a number.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** By this and `pid` the SDK recognises a server on standard input and output. */
  readonly stderr = null;
  readonly #program: StdioProgram;
  readonly #traffic: Traffic;
  readonly #lines = new LineReader();
  /** Requests that it has not answered. */
  readonly #awaited = new Set<string | number>();
  #child: ChildProcess | undefined;

  constructor(program: StdioProgram, traffic: Traffic) {
    this.#program = program;
    this.#traffic = traffic;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async start(): Promise<void> {
    const { command, directory, environment } = this.#program;
    const [file = '', ...options] = command;
    const child = spawn(file, options, { cwd: directory, env: environment, stdio: 'pipe' });
    this.#child = child;
    const { stdin, stdout, stderr } = child;
    stdin.on('error', (error) => this.onerror?.(error));
    stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    stdout.on('error', (error) => this.onerror?.(error));
    stderr.on('data', (chunk: Buffer) => this.#traffic.said(chunk.toString('utf8').trimEnd()));
    stderr.on('error', () => undefined);
    child.on('close', () => this.#ended(child));
    await once(child, 'spawn');
    child.on('error', (error) => this.onerror?.(error));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (!stdin) throw new Error('Not connected');
    if (stdin.writableLength > mcpLimits.upstreamUnreadBytesMax) {
      this.#traffic.cutOff(
        `it left more than ${mcpLimits.upstreamUnreadBytesMax} bytes of its input unread`,
      );
      throw new Error('Not connected');
    }
    if ('method' in message && 'id' in message) this.#awaited.add(message.id);
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** A server that behaves gets time to leave. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#ended(child);
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
    if (!gone) return;
    child.stdin?.end();
    // What it still writes is not read, and must not keep it from leaving.
    child.stdout?.removeAllListeners('data').resume();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const isGone = await Promise.race([gone, delay(stopMs, false, { ref: false })]);
      if (isGone) return;
      child.kill(signal);
    }
  }

  /** At once: what it has written already is not read any more. */
  kill(): void {
    const child = this.#child;
    child?.stdout?.destroy();
    child?.stderr?.destroy();
    child?.kill('SIGKILL');
    if (child) this.#ended(child);
  }

  #ended(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    try {
      for (const line of this.#lines.take(chunk)) {
        if (!this.#child) return;
        if (line !== '') this.#take(line);
      }
    } catch (error) {
      this.#traffic.cutOff((error as Error).message);
    }
  }

  #take(line: string): void {
    let message: JSONRPCMessage;
    const text = shallow(line);
    try {
      message = parseJSONRPCMessage(JSON.parse(text ?? ''));
    } catch (error) {
      this.#traffic.count('unreadable', line.length);
      this.onerror?.(error as Error);
      return;
    }
    const isAwaited = 'id' in message && this.#awaited.delete(message.id as string | number);
    if (!this.#traffic.admits(message, line, isAwaited)) return;
    const result = 'result' in message ? exactResult(text ?? '') : undefined;
    if (result && 'result' in message) message.result = result;
    this.onmessage?.(message);
  }
}
