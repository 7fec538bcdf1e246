import { connect, type Socket } from 'node:net';
import type { Address } from '../table/address.ts';
import { BrokenFraming } from './body-framing.ts';
import { type PlainHead, readPlainHead } from './request-head.ts';
import { ResponseFraming } from './response-framing.ts';

export interface PassThroughDeps {
  /** The service itself; null as soon as the router has to look at the next request. */
  target(): Address | null;
  /** One more header that may carry a key, in small letters. */
  keyHeader(): string | undefined;
  /** A request begins, and all of it is over. */
  onBegin(): void;
  onEnd(): void;
  /** The connection is the router's from now on. These bytes were read, but passed on to nobody. */
  takeOver(unread: Buffer): void;
}

const none = Buffer.alloc(0);

/** How long a caller may keep a connection whose service has closed its own. */
const idleMsMax = 65_000;

/**
 * A connection of a caller whose requests are passed on to the service as they are. Only heads are
 * looked at, to know where a message ends and whether a request carries a key: the router takes
 * over at the beginning of a request, when no response is outstanding.
 */
export class Http1PassThrough {
  readonly #caller: Socket;
  readonly #deps: PassThroughDeps;
  #service: Socket | null = null;
  #serviceAt: Address | null = null;
  /** Sent to a service that has not accepted the connection yet. */
  #undelivered: Buffer | null = null;
  /** A request that may be sent again if the service closes the connection without an answer. */
  #repeatable: Buffer | null = null;
  /** Read while an earlier request was not answered. */
  #waiting: Buffer = none;
  #request: PlainHead['body'] = null;
  #response: ResponseFraming | null = null;
  #isDraining = false;
  #isOver = false;

  constructor(caller: Socket, deps: PassThroughDeps) {
    this.#caller = caller;
    this.#deps = deps;
    caller.on('data', this.#onCallerData);
    caller.on('end', this.#onCallerEnd);
    caller.on('error', this.#onCallerError);
    caller.on('close', this.#onCallerClose);
    caller.on('drain', this.#onCallerDrain);
    caller.on('timeout', this.#onCallerError);
  }

  /** Between two requests. */
  get #isIdle(): boolean {
    return this.#response === null && this.#waiting.length === 0;
  }

  /** Closes it now, or when the request that is under way is answered. */
  drain(): void {
    this.#isDraining = true;
    if (this.#isIdle) this.#caller.destroy();
  }

  readonly #onCallerData = (bytes: Buffer): void => {
    if (this.#waiting.length > 0) this.#wait(Buffer.concat([this.#waiting, bytes]));
    else this.#guard(() => this.#advance(bytes));
  };

  readonly #onCallerEnd = (): void => {
    if (this.#isIdle) this.#caller.destroySoon();
    else if (this.#waiting.length === 0) this.#service?.end();
  };

  readonly #onCallerError = (): void => {
    this.#caller.destroy();
  };

  readonly #onCallerClose = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#service?.destroy();
    if (this.#response) this.#deps.onEnd();
  };

  readonly #onCallerDrain = (): void => {
    this.#service?.resume();
  };

  /** Broken framing ends the connection: nobody could tell where the next message begins. */
  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#caller.destroy();
      if (!(error instanceof BrokenFraming)) throw error;
    }
  }

  #advance(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#request) rest = rest.subarray(this.#sendBody(rest));
      else if (this.#response) return void this.#wait(rest);
      else {
        const head = readPlainHead(rest, this.#deps.keyHeader());
        const target = head && this.#deps.target();
        if (!head || !target) return void this.#leave(rest);
        rest = rest.subarray(this.#begin(head, rest, target));
      }
    }
  }

  #sendBody(bytes: Buffer): number {
    const taken = this.#request?.take(bytes) ?? 0;
    if (this.#request?.isDone) this.#request = null;
    this.#send(bytes.subarray(0, taken));
    this.#finish();
    return taken;
  }

  #wait(bytes: Buffer): void {
    this.#waiting = bytes;
    this.#caller.pause();
  }

  #begin(head: PlainHead, bytes: Buffer, target: Address): number {
    this.#deps.onBegin();
    this.#response = new ResponseFraming(head.isHead);
    const isReused = this.#reach(target);
    const taken = head.end + (head.body?.take(bytes.subarray(head.end)) ?? 0);
    this.#request = head.body?.isDone === false ? head.body : null;
    const message = bytes.subarray(0, taken);
    this.#repeatable = isReused && head.isRepeatable ? message : null;
    this.#send(message);
    return taken;
  }

  /** Whether the connection to the service has been used before. */
  #reach(target: Address): boolean {
    const { host, port } = this.#serviceAt ?? {};
    if (this.#service && host === target.host && port === target.port) return true;
    this.#drop();
    this.#caller.setTimeout(0);
    const service = connect({ ...target, noDelay: true, allowHalfOpen: true });
    this.#service = service;
    this.#serviceAt = target;
    this.#undelivered = none;
    service.once('connect', () => {
      if (this.#service === service) this.#undelivered = null;
    });
    service.on('data', (bytes: Buffer) => this.#guard(() => this.#onServiceData(service, bytes)));
    service.on('drain', () => this.#caller.resume());
    service.on('end', () => this.#onServiceEnd(service, true));
    service.on('error', () => this.#onServiceEnd(service, false));
    service.on('close', () => this.#onServiceEnd(service, false));
    return false;
  }

  #send(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#undelivered) this.#undelivered = Buffer.concat([this.#undelivered, bytes]);
    if (this.#service?.write(bytes) === false) this.#caller.pause();
  }

  #onServiceData(service: Socket, bytes: Buffer): void {
    if (service !== this.#service) return;
    this.#repeatable = null;
    const expected = this.#response?.take(bytes) ?? 0;
    if (!this.#caller.write(bytes)) service.pause();
    // Said without being asked, as before a service closes a connection: nothing can follow.
    if (expected < bytes.length) this.#caller.destroySoon();
    else this.#finish();
  }

  /** Goes on with the next request once this one is sent and answered. */
  #finish(): void {
    if (this.#request !== null || this.#response?.isDone !== true) return;
    const { closes } = this.#response;
    this.#response = null;
    this.#deps.onEnd();
    const isLast = this.#caller.readableEnded && this.#waiting.length === 0;
    if (closes || isLast || this.#isDraining) return void this.#caller.destroySoon();
    const waiting = this.#waiting;
    this.#waiting = none;
    if (this.#caller.isPaused()) this.#caller.resume();
    if (waiting.length > 0) this.#advance(waiting);
  }

  #onServiceEnd(service: Socket, isOrderly: boolean): void {
    if (service !== this.#service) return;
    const unsent = this.#undelivered ?? this.#repeatable;
    const response = this.#response;
    this.#drop();
    // Between two requests: the next one gets another connection.
    if (response === null) this.#caller.setTimeout(idleMsMax);
    else if (unsent) this.#sendAgain(unsent);
    else if (isOrderly && response.endsWithConnection) this.#caller.destroySoon();
    else this.#caller.destroy();
  }

  /** By the router, which says why if it can't, either. */
  #sendAgain(unsent: Buffer): void {
    this.#response = null;
    this.#deps.onEnd();
    this.#leave(Buffer.concat([unsent, this.#waiting]));
  }

  #drop(): void {
    const service = this.#service;
    this.#service = null;
    this.#undelivered = null;
    this.#repeatable = null;
    service?.destroy();
  }

  #leave(unread: Buffer): void {
    this.#isOver = true;
    const caller = this.#caller;
    caller.off('data', this.#onCallerData);
    caller.off('end', this.#onCallerEnd);
    caller.off('error', this.#onCallerError);
    caller.off('close', this.#onCallerClose);
    caller.off('drain', this.#onCallerDrain);
    caller.off('timeout', this.#onCallerError);
    caller.setTimeout(0);
    this.#drop();
    this.#deps.takeOver(unread);
  }
}
