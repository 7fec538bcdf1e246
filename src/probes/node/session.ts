import { fault, type JsonObject } from '../../kernel/index.ts';
import { probeLimits } from '../limits.ts';
import type { InspectorSocket } from './web-socket.ts';

/** One conversation in the Chrome DevTools Protocol with one process. */
export interface InspectorSession {
  readonly pid: number;
  readonly localPort: number | undefined;
  /** Sent before this returns, so that several calls in a row arrive together and in order. */
  call(method: string, params?: JsonObject): Promise<JsonObject>;
  on(event: string, listener: (params: JsonObject) => void): void;
  /** Resolves when the connection is gone, whoever ended it. */
  readonly lost: Promise<void>;
  isLost(): boolean;
  cut(): void;
}

interface PendingCommand {
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: { readonly message: string };
}

export function createSession(pid: number, socket: InspectorSocket): InspectorSession {
  const waiting = new Map<number, PendingCommand>();
  const listeners = new Map<string, (params: JsonObject) => void>();
  let lastId = 0;
  let isLost = false;
  const lost = new Promise<void>((resolve) => socket.onClose(resolve));
  lost.then(() => {
    isLost = true;
    for (const { reject } of waiting.values()) reject(failed(pid, 'the connection ended'));
  });
  socket.onText((json) => {
    const { id, method, params, result, error } = JSON.parse(json) as Message;
    if (id === undefined) return listeners.get(method ?? '')?.(params ?? {});
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error) return asked?.reject(failed(pid, error.message));
    asked?.resolve(result ?? {});
  });
  return {
    pid,
    localPort: socket.localPort,
    lost,
    isLost: () => isLost,
    on: (event, listener) => void listeners.set(event, listener),
    cut: () => socket.cut(),
    async call(method, params = {}) {
      if (isLost) throw failed(pid, 'the connection ended');
      const id = ++lastId;
      const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
      const timer = setTimeout(() => reject(failed(pid, `${method} took too long`)), answerMs);
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params }));
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(id);
      });
    },
  };
}

const answerMs = probeLimits.probeAnswerMsMax;

function failed(pid: number, reason: string): Error {
  return fault('PROBE_INSPECTOR_FAILED', { pid, reason });
}
