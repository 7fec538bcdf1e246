import { createHmac, timingSafeEqual } from 'node:crypto';
import { telemetryLimits } from '../limits.ts';
import type { MessageSender } from './origin.ts';
import { OtlpRefusal } from './refusal.ts';

/** `<who>:<proof>`, in HTTP and gRPC. */
export const senderHeader = 'surety-sender';

/** Before the name of a collector, which speaks for the services that report to it. */
export const collectorPrefix = 'collector:';

/** The key of an instance or collector, from the secret that only daemon and telemetry have. */
export function senderKey(secret: string, who: string): string {
  return createHmac('sha256', secret).update(who).digest('hex');
}

/** The header of a sender that cannot sign its messages, such as an OpenTelemetry SDK. */
export function senderCredential(secret: string, who: string): string {
  return signed(who, senderKey(secret, who), 'every message');
}

function signed(who: string, key: string, body: string | Buffer): string {
  return `${who}:${createHmac('sha256', key).update(body).digest('hex')}`;
}

/** Senders whose keys are remembered. */
const sendersMax = 1_000;

interface KnownSender {
  readonly key: string;
  readonly credential: string;
}

/** Who sent a message. Our preload signs each one, so that its key reaches nobody. */
export class Senders {
  readonly #secret: string;
  readonly #known = new Map<string, KnownSender>();
  /** Signatures of stored messages; the oldest are dropped first. */
  readonly #stored = new Set<string>();

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** The sender that has proven itself; empty for one that does not say who it is. */
  identify(header: string | undefined, body: Buffer): string {
    if (header === undefined || header === '') return '';
    const who = header.slice(0, Math.max(0, header.lastIndexOf(':')));
    const { key, credential } = this.#known.get(who) ?? this.#make(who);
    const isProven = isSame(header, credential) || isSame(header, signed(who, key, body));
    if (!isProven || this.#secret === '') {
      throw new OtlpRefusal(401, `${senderHeader} is not that of a sender of this system`);
    }
    if (this.#known.size >= sendersMax) this.#known.clear();
    this.#known.set(who, { key, credential });
    return who;
  }

  /** Whether this very message was stored before; anybody who got it could send it again. */
  isStored(header: string | undefined): boolean {
    return header !== undefined && this.#stored.has(header);
  }

  noteStored(who: string, header: string | undefined): void {
    if (header === undefined || this.#known.get(who)?.credential === header) return;
    if (this.#stored.size >= telemetryLimits.telemetrySignaturesMax) {
      const [oldest] = this.#stored;
      this.#stored.delete(oldest as string);
    }
    this.#stored.add(header);
  }

  #make(who: string): KnownSender {
    const key = senderKey(this.#secret, who);
    return { key, credential: senderCredential(this.#secret, who) };
  }
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Before an instance or lane that a sender names without proof. */
export const unprovenPrefix = 'unproven:';

/** `pricing/baseline/run_…`, `pricing/lane_…/run_…`: who reports so has proven it. */
const instanceForm = /^[^/]+\/(?:baseline|lane_[^/]*)\//;

/** What a sender says about itself, as far as it may say that. */
export function provenSender(claimed: MessageSender, proven: string): MessageSender {
  if (proven.startsWith(collectorPrefix)) return claimed;
  const [service = '', version = ''] = proven.split('/');
  if (service !== '') {
    const lane = version.startsWith('lane_') ? version : '';
    return { ...claimed, service, instance: proven, lane };
  }
  if (!instanceForm.test(claimed.instance)) return claimed;
  return { ...claimed, instance: `${unprovenPrefix}${claimed.instance}` };
}
