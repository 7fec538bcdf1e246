import { connect, type Socket } from 'node:net';
import { tagsIn } from '../routing/trace-tag.ts';
import type { Address } from '../table/address.ts';
import { BrokenFraming } from './body-framing.ts';
import { BrokenHeaders, type HeaderField, HpackReader } from './hpack.ts';
import {
  FrameWalker,
  frameFlags,
  frameTypes,
  goaway,
  type Http2Frame,
  headerBlock,
  highestStream,
  makeFrame,
  prefaceBytes,
} from './http2-frames.ts';

export interface Http2PassThroughDeps {
  readonly target: Address;
  /** One more header that may carry a key, in small letters. */
  keyHeader(): string | undefined;
  /** A request with a key, or one that can't be read, was left to the next connection. */
  onKey(): void;
  /** The connection is the router's from now on. These bytes were read, but passed on to nobody. */
  takeOver(unread: Buffer): void;
}

const token = Buffer.from('surety\0\0', 'latin1');
/** How long a caller may hold up a new table. */
const farewellMsMax = 50;

const { headers, ping, goaway: goawayType, continuation } = frameTypes;

/**
 * A connection of a caller whose frames are passed on to the service as they are. Headers are read,
 * so that no request with a key is passed on. When a lane opens, the caller is asked to connect
 * again: streams that are open finish here.
 */
export class Http2PassThrough {
  readonly target: Address;
  readonly #caller: Socket;
  readonly #service: Socket;
  readonly #deps: Http2PassThroughDeps;
  readonly #fromCaller: FrameWalker;
  readonly #fromService: FrameWalker;
  readonly #hpack = new HpackReader();
  readonly #gone = Promise.withResolvers<void>();
  /** Sent to a service that has not accepted the connection yet. */
  #undelivered: Buffer[] | null = [];
  #highest = 0;
  /** Streams after this one are not passed on. */
  #last = highestStream;
  /** The same, as the service itself said: the caller must not hear of more. */
  #lastOfService = highestStream;
  /** For the caller, as soon as no frame is under way to it. */
  #said: Buffer[] = [];
  #hasSettings = false;
  #isInHeaders = false;
  #isLeaving = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(caller: Socket, deps: Http2PassThroughDeps) {
    this.target = deps.target;
    this.#caller = caller;
    this.#deps = deps;
    const service = connect({ ...deps.target, noDelay: true, allowHalfOpen: true });
    this.#service = service;
    this.#fromCaller = new FrameWalker(
      {
        whole: new Set([headers, continuation, ping]),
        visit: (frame) => this.#mayPass(frame),
        pass: (bytes) => this.#send(bytes),
      },
      prefaceBytes,
    );
    this.#fromService = new FrameWalker({
      whole: new Set([goawayType]),
      visit: (frame) => this.#watchService(frame),
      pass: (bytes) => {
        if (!caller.write(bytes)) service.pause();
      },
    });
    this.#listenToCaller();
    this.#listenToService();
  }

  /**
   * Asks the caller to connect again. Resolves when it has heard that, or may take long to: until
   * then only streams without a key are passed on, as they would be otherwise.
   */
  leave(): Promise<void> {
    if (!this.#isLeaving) {
      this.#isLeaving = true;
      this.#say(goaway(this.#lastOfService), makeFrame(ping, 0, token));
      this.#timer = setTimeout(this.#gone.resolve, farewellMsMax);
    }
    return this.#gone.promise;
  }

  #cut(last: number): void {
    clearTimeout(this.#timer);
    this.#isLeaving = true;
    if (last < this.#last) {
      this.#last = last;
      this.#say(goaway(Math.min(last, this.#lastOfService)));
    }
    this.#gone.resolve();
  }

  #listenToCaller(): void {
    const [caller, service] = [this.#caller, this.#service];
    caller.on('data', this.#onCallerData);
    caller.on('end', this.#onCallerEnd);
    caller.on('error', this.#onCallerError);
    caller.on('close', this.#onCallerClose);
    caller.on('drain', this.#onCallerDrain);
    service.on('drain', () => caller.resume());
  }

  readonly #onCallerData = (bytes: Buffer): void => {
    this.#undelivered?.push(bytes);
    this.#guard(() => this.#fromCaller.take(bytes));
  };
  readonly #onCallerEnd = (): void => void this.#service.end();
  readonly #onCallerError = (): void => void this.#caller.destroy();
  readonly #onCallerClose = (): void => {
    this.#cut(this.#last);
    this.#service.destroy();
  };
  readonly #onCallerDrain = (): void => void this.#service.resume();

  #listenToService(): void {
    const [caller, service] = [this.#caller, this.#service];
    service.once('connect', () => {
      this.#undelivered = null;
    });
    service.on('data', (bytes: Buffer) =>
      this.#guard(() => {
        this.#fromService.take(bytes);
        this.#flush();
      }),
    );
    service.on('end', () => caller.end());
    service.on('error', () => {
      if (this.#undelivered) this.#giveBack(this.#undelivered);
      else caller.destroy();
    });
    service.on('close', () => {
      if (this.#undelivered === null) caller.destroySoon();
    });
  }

  /** Bytes that are no frames can't be passed on any further. */
  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#caller.destroy();
      if (!(error instanceof BrokenFraming)) throw error;
    }
  }

  #send(bytes: Buffer): void {
    if (!this.#service.write(bytes)) this.#caller.pause();
  }

  #mayPass(frame: Http2Frame): boolean {
    if (frame.type === ping && frame.payload?.equals(token) && frame.flags & frameFlags.ack) {
      this.#cut(this.#highest);
      return false;
    }
    if (frame.stream > this.#last) return false;
    if (frame.type !== headers) return true;
    if (!this.#isPlain(frame)) {
      this.#deps.onKey();
      this.#cut(Math.max(0, Math.min(this.#highest, frame.stream - 1)));
      return false;
    }
    this.#highest = Math.max(this.#highest, frame.stream);
    return true;
  }

  /** Headers that go on in another frame are too long to be usual. */
  #isPlain(frame: Http2Frame): boolean {
    if (!(frame.flags & frameFlags.endHeaders)) return false;
    try {
      const header = this.#deps.keyHeader();
      return !this.#hpack.read(headerBlock(frame)).some((field) => mayCarryKey(field, header));
    } catch (error) {
      if (error instanceof BrokenHeaders) return false;
      throw error;
    }
  }

  #watchService({ type, flags, payload }: Http2Frame): boolean {
    this.#hasSettings = true;
    if (type === headers || type === continuation) {
      this.#isInHeaders = !(flags & frameFlags.endHeaders);
    } else if (payload && payload.length >= 8) {
      this.#lastOfService = payload.readUInt32BE(0) & highestStream;
    }
    return true;
  }

  #say(...frames: Buffer[]): void {
    this.#said.push(...frames);
    this.#flush();
  }

  #flush(): void {
    const isFree = this.#hasSettings && this.#fromService.isBetweenFrames && !this.#isInHeaders;
    if (!isFree || this.#said.length === 0 || this.#caller.destroyed) return;
    this.#caller.write(Buffer.concat(this.#said));
    this.#said = [];
  }

  #giveBack(unread: readonly Buffer[]): void {
    const caller = this.#caller;
    caller.off('data', this.#onCallerData);
    caller.off('end', this.#onCallerEnd);
    caller.off('error', this.#onCallerError);
    caller.off('close', this.#onCallerClose);
    caller.off('drain', this.#onCallerDrain);
    this.#cut(this.#last);
    this.#deps.takeOver(Buffer.concat(unread));
  }
}

function mayCarryKey({ name, value }: HeaderField, keyHeader: string | undefined): boolean {
  if (name === 'baggage' || name === 'tracestate') return value.includes('surety');
  if (name === 'traceparent') return tagsIn(value).length > 0;
  return name === keyHeader || name.startsWith('x-surety-');
}
