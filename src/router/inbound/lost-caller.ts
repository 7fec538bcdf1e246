import { type Fault, fault } from '../../kernel/index.ts';
import type { HopProtocol } from '../record/hop.ts';
import type { Caller, UpstreamResponse } from './caller.ts';

/**
 * A caller that never receives its answer: the service has done its work and believes that it
 * answered, and the connection is reset instead.
 */
export class LostCaller implements Caller {
  readonly #caller: Caller;
  #status = 0;

  constructor(caller: Caller) {
    if (caller.protocol === 'websocket') {
      throw fault('INJECTION_INVALID', { reason: 'a WebSocket has no answer that could be lost' });
    }
    this.#caller = caller;
  }

  get protocol(): HopProtocol {
    return this.#caller.protocol;
  }

  get connection(): string {
    return this.#caller.connection;
  }

  /** What the service answers while it does; in the end the caller has got none. */
  get status(): number {
    return this.#caller.status || this.#status;
  }

  /** That it may send its body is no answer yet, and without it there is nothing to serve. */
  interim(status: number, lines: string[]): void {
    if (status === 100) this.#caller.interim(status, lines);
  }

  begin({ status }: UpstreamResponse): void {
    this.#status = status;
  }

  write(): boolean {
    return true;
  }

  onDrain(resume: () => void): void {
    resume();
  }

  /** Only now: a service that is still writing would notice, and could take its work back. */
  end(): void {
    this.abort();
  }

  abort(resetCode?: number): void {
    this.#status = 0;
    this.#caller.abort(resetCode);
  }

  /** The service did not answer, so the refusal is sent as usual. */
  refuse(reason: Fault, lines?: readonly string[]): void {
    this.#caller.refuse(reason, lines);
  }

  onClose(listener: () => void): void {
    this.#caller.onClose(listener);
  }
}
