import type { Fault } from '../../kernel/index.ts';
import type { HopProtocol } from '../record/hop.ts';

/** Whoever asked, in whatever they speak: what upstreams tell what they hear. */
export interface Caller {
  readonly protocol: HopProtocol;
  /** The same for all that comes by one connection. */
  readonly connection: string;
  /** The status that it was given; 0 as long as there is none. */
  readonly status: number;
  /** Answers that come before the answer: 100, 103. */
  interim(status: number, lines: string[]): void;
  begin(answer: UpstreamResponse): void;
  /** False when it can't take more; `onDrain` then tells when it can. */
  write(chunk: Buffer): boolean;
  onDrain(resume: () => void): void;
  end(trailers: readonly string[]): void;
  /** In the middle of an answer: it must not look as if it were whole. */
  abort(resetCode?: number): void;
  /** An answer of the router itself. */
  refuse(reason: Fault, lines?: readonly string[]): void;
  /** It has all of its answer, or has left. */
  onClose(listener: () => void): void;
}

export interface UpstreamResponse {
  readonly status: number;
  readonly statusMessage: string;
  readonly lines: string[];
  /** Nothing follows, not even an empty body. */
  readonly isOver: boolean;
}

export function refusalBody(reason: Fault): string {
  return `${JSON.stringify({ fault: reason.report() })}\n`;
}

/** No service can say this: what begins with `x-surety-` is taken out of all that they answer. */
export function refusalLines({ code }: Fault): string[] {
  return ['x-surety-refused', code];
}
