import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import {
  checkSocketPlace,
  Fault,
  fault,
  faultFromReport,
  socketPlace,
} from '../../kernel/index.ts';
import { keeperLimits } from '../limits.ts';
import { readLines, tooLong } from './line-reader.ts';
import type { KeeperResponse, Method, Methods } from './protocol.ts';

/** Requests and answers over one socket, matched by their id. */
export class KeeperConnection {
  readonly #socket: Socket;
  readonly #answerMsMax: number;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #end: Fault | undefined;

  constructor(socket: Socket, answerMsMax: number) {
    this.#socket = socket;
    this.#answerMsMax = answerMsMax;
    void this.#listen();
  }

  async ask<Name extends Method>(
    method: Name,
    params: Methods[Name]['params'],
  ): Promise<Methods[Name]['result']> {
    const id = ++this.#lastId;
    const line = JSON.stringify({ id, method, params });
    if (Buffer.byteLength(line) > keeperLimits.keeperMessageBytesMax) throw tooLong();
    if (this.#end) throw this.#end;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    const late = unreachable(`there was no answer to ${method} in ${this.#answerMsMax} ms`);
    const deadline = setTimeout(() => answer.reject(late), this.#answerMsMax);
    this.#socket.write(`${line}\n`);
    return answer.promise.finally(() => {
      clearTimeout(deadline);
      this.#waiting.delete(id);
    }) as Promise<Methods[Name]['result']>;
  }

  close(): void {
    this.#fail(unreachable('this connection was closed'));
  }

  async #listen(): Promise<void> {
    let reason = 'it hung up';
    try {
      for await (const line of readLines(this.#socket)) {
        this.#settle(JSON.parse(line.toString()) as KeeperResponse);
      }
    } catch (error) {
      reason = (error as Error).message;
    }
    this.#fail(unreachable(reason));
  }

  #settle(answer: KeeperResponse): void {
    const waiting = this.#waiting.get(answer.id as number);
    if ('fault' in answer) waiting?.reject(faultFromReport(answer.fault));
    else waiting?.resolve(answer.result);
  }

  #fail(end: Fault): void {
    this.#end ??= end;
    this.#socket.destroy();
    for (const { reject } of this.#waiting.values()) reject(this.#end);
  }
}

export async function openConnection(
  stateDirectory: string,
  answerMsMax: number,
): Promise<KeeperConnection> {
  try {
    const place = socketPlace(stateDirectory, 'keeper');
    checkSocketPlace(place);
    const socket = connect(place.path);
    await once(socket, 'connect');
    // A socket without a listener for its errors would throw them; the reader hears of them too.
    socket.on('error', () => {});
    return new KeeperConnection(socket, answerMsMax);
  } catch (error) {
    throw error instanceof Fault ? error : unreachable((error as Error).message, error);
  }
}

export function unreachable(reason: string, cause?: unknown): Fault {
  return fault('KEEPER_UNREACHABLE', { reason }, cause);
}
