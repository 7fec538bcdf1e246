import type { Clock } from '../../kernel/index.ts';
import type { AskedFaults } from '../faults/injected-fault.ts';
import type { Caller } from '../inbound/caller.ts';
import type { RequestHead } from '../inbound/head.ts';
import { findHeader } from '../inbound/headers.ts';
import type { Route } from '../routing/route.ts';
import { CapturedBody } from './captured-body.ts';
import { grpcStatus } from './grpc-status.ts';
import type { HopDraft, Hops } from './hops.ts';

interface Subject {
  readonly head: RequestHead;
  readonly route: Route;
  readonly caller: Caller;
}

const textCharactersMax = 256;

/** What there is to tell about an exchange. It costs every request: nothing is worked out here. */
export class HopRecording {
  readonly request: CapturedBody;
  response: CapturedBody = nothing;
  readonly #subject: Subject;
  readonly #hops: Hops;
  readonly #at: number;
  readonly #startedMs = performance.now();
  #served: string | null = null;
  #answerLines: readonly string[] | undefined;
  #isAnswered = false;
  #grpc: number | null = null;
  #wholeStatus: number | undefined;
  #isDone = false;

  constructor(subject: Subject, { hops, clock }: { hops: Hops; clock: Clock }) {
    this.#subject = subject;
    this.#hops = hops;
    this.#at = clock.now();
    const { hasBody, headers } = subject.head;
    this.request = hasBody ? new CapturedBody(headers['content-type'] as string) : nothing;
  }

  answered(raw: readonly string[]): void {
    this.#isAnswered = true;
    if (this.#subject.route.from === null) this.#answerLines = raw;
    this.#served = findHeader(raw, 'x-surety-served')?.slice(0, textCharactersMax) ?? null;
    this.response = new CapturedBody(findHeader(raw, 'content-type'));
    if (this.response.isGrpc) this.#grpc = grpcStatus(raw);
  }

  ended(trailers: readonly string[]): void {
    if (this.response.isGrpc) this.#grpc = grpcStatus(trailers) ?? this.#grpc;
    this.#wholeStatus = this.#meant(this.#subject.caller.status);
  }

  finish(status: number): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#hops.record(this.#draft(this.#meant(status)));
  }

  #meant(status: number): number {
    return status === 200 ? (this.#grpc ?? status) : status;
  }

  #draft(status: number): HopDraft {
    const { head, route, caller } = this.#subject;
    const requestId = head.headers['x-request-id'];
    return {
      at: this.#at,
      startedAt: this.#startedMs,
      key: route.key ?? '',
      requestId: typeof requestId === 'string' ? requestId.slice(0, textCharactersMax) : null,
      traceparent: findHeader(head.lines, 'traceparent'),
      from: route.from,
      to: route.to,
      instance: route.instance,
      served: this.#served,
      answered: this.#isAnswered,
      recovered: route.recovered,
      ...(route.isOwn ? { own: true as const } : {}),
      escaped: false,
      protocol: caller.protocol,
      method: head.method,
      path: head.path,
      ...(route.faults ? toldFaults(route.faults, this.#wholeStatus) : {}),
      status,
      durationMs: performance.now() - this.#startedMs,
      request: this.request,
      response: this.response,
      ...(this.#answerLines ? { answerLines: this.#answerLines } : {}),
    };
  }
}

function toldFaults(
  { text, met }: AskedFaults,
  wholeStatus: number | undefined,
): Pick<HopDraft, 'faults' | 'injected' | 'lostStatus'> {
  const isLost = met?.isLost === true && wholeStatus !== undefined;
  return {
    faults: text,
    ...(met ? { injected: met.text } : {}),
    ...(isLost ? { lostStatus: wholeStatus } : {}),
  };
}

const nothing = new CapturedBody(undefined);
