import { telemetryLimits } from '../limits.ts';

/** How much is being received at the moment, from all senders together. */
export class IntakeAdmission {
  #bytes = 0;
  #messages = 0;
  /** Why no message is accepted; null if messages are accepted. */
  closedBecause: string | null = null;

  /** Admits one more message; null if the sender has to retry later. */
  enter(): AdmittedMessage | null {
    if (this.closedBecause !== null || this.#messages >= telemetryLimits.telemetryMessagesMax)
      return null;
    this.#messages += 1;
    let held = 0;
    return {
      hold: (bytes) => {
        if (this.#bytes + bytes > telemetryLimits.telemetryReceivingBytesMax) return false;
        this.#bytes += bytes;
        held += bytes;
        return true;
      },
      leave: () => {
        this.#messages -= 1;
        this.#bytes -= held;
        held = 0;
      },
    };
  }
}

export interface AdmittedMessage {
  /** Whether this many more bytes fit. */
  hold(bytes: number): boolean;
  leave(): void;
}
