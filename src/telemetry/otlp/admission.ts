import { telemetryLimits } from '../limits.ts';

/** How much is being received at the moment, from all senders together. */
export class IntakeAdmission {
  /** Messages that are still arriving, the first one first. */
  readonly #arriving = new Set<ArrivingMessage>();
  #bytes = 0;
  #messages = 0;
  /** Why no message is accepted; null if messages are accepted. */
  closedBecause: string | null = null;
  /** After this time a message that is still arriving is slow. */
  slowMs: number = telemetryLimits.telemetrySlowMs;

  /**
   * Admits one more message; null if the sender has to retry later. When all places are taken, a
   * slow message gives up its place: `displace` is called.
   */
  enter(displace?: () => void): AdmittedMessage | null {
    if (this.closedBecause !== null) return null;
    if (this.#messages >= telemetryLimits.telemetryMessagesMax && !this.#displaceSlow())
      return null;
    const arriving = displace && { since: performance.now(), displace };
    if (arriving) this.#arriving.add(arriving);
    this.#messages += 1;
    let held = 0;
    let hasLeft = false;
    return {
      hold: (bytes) => {
        if (this.#bytes + bytes > telemetryLimits.telemetryReceivingBytesMax) return false;
        this.#bytes += bytes;
        held += bytes;
        return true;
      },
      arrived: () => {
        if (arriving) this.#arriving.delete(arriving);
      },
      leave: () => {
        if (hasLeft) return;
        hasLeft = true;
        if (arriving) this.#arriving.delete(arriving);
        this.#messages -= 1;
        this.#bytes -= held;
      },
    };
  }

  #displaceSlow(): boolean {
    const [first] = this.#arriving;
    if (!first || performance.now() - first.since < this.slowMs) return false;
    this.#arriving.delete(first);
    first.displace();
    return this.#messages < telemetryLimits.telemetryMessagesMax;
  }
}

interface ArrivingMessage {
  readonly since: number;
  /** Refuses the message, and leaves. */
  displace(): void;
}

export interface AdmittedMessage {
  /** Whether this many more bytes fit. */
  hold(bytes: number): boolean;
  /** From now on it is not slow, however long its rows take. */
  arrived(): void;
  leave(): void;
}
