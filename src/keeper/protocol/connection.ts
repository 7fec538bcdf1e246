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

/** How long a client waits for any answer, and for one answer while others arrive. */
export interface AnswerWaits {
  readonly answerMsMax: number;
  readonly workMsMax: number;
}

/** Requests and answers over one socket, matched by their id. */
export class KeeperConnection {
  readonly #socket: Socket;
  readonly #waits: AnswerWaits;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #answers = 0;
  #end: Fault | undefined;

  constructor(socket: Socket, waits: AnswerWaits) {
    this.#socket = socket;
    this.#waits = waits;
    void this.#listen();
  }

  async ask<Name extends Method>(
    method: Name,
    params: Methods[Name]['params'],
  ): Promise<Methods[Name]['result']> {
    const { id, line } = this.#request(method, params);
    if (Buffer.byteLength(line) > keeperLimits.keeperMessageBytesMax) throw tooLong();
    if (this.#end) throw this.#end;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    const watch = this.#watchSilence(method, answer);
    this.#socket.write(`${line}\n`);
    return answer.promise.finally(() => {
      clearInterval(watch);
      this.#waiting.delete(id);
    }) as Promise<Methods[Name]['result']>;
  }

  #request<Name extends Method>(method: Name, params: Methods[Name]['params']) {
    const id = ++this.#lastId;
    return { id, line: JSON.stringify({ id, method, params }) };
  }

  /**
   * A keeper that ends a hundred lanes on a busy machine takes longer than the time limit for one
   * answer. It is asked for a sign of life at half of that time, and only its silence is a fault.
   */
  #watchSilence(method: Method, { reject }: PromiseWithResolvers<unknown>): NodeJS.Timeout {
    const { answerMsMax, workMsMax } = this.#waits;
    const late = (ms: number) => unreachable(`there was no answer to ${method} in ${ms} ms`);
    const endsAt = performance.now() + workMsMax;
    let heard: number | undefined;
    const look = (): void => {
      const isSilent = heard === this.#answers;
      if (isSilent || performance.now() > endsAt) reject(late(isSilent ? answerMsMax : workMsMax));
      heard = heard === undefined ? this.#answers : undefined;
      if (heard !== undefined) this.#socket.write(`${this.#request('ping', {}).line}\n`);
    };
    // After what has arrived was read: this process may have been busy itself.
    return setInterval(() => setImmediate(look), answerMsMax / 2);
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
    this.#answers++;
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
  waits: AnswerWaits,
): Promise<KeeperConnection> {
  try {
    const place = socketPlace(stateDirectory, 'keeper');
    checkSocketPlace(place);
    const socket = connect(place.path);
    await once(socket, 'connect');
    // A socket without a listener for its errors would throw them; the reader hears of them too.
    socket.on('error', () => {});
    return new KeeperConnection(socket, waits);
  } catch (error) {
    throw error instanceof Fault ? error : unreachable((error as Error).message, error);
  }
}

export function unreachable(reason: string, cause?: unknown): Fault {
  return fault('KEEPER_UNREACHABLE', { reason }, cause);
}
