import { telemetryLimits } from '../limits.ts';

/** How much is being received at the moment, by all senders together. */
export class IntakeAdmission {
  #bytes = 0;
  #messages = 0;
  /** Why nobody is let in at all; null when they are. */
  closedBecause: string | null = null;

  /** Room for one more message; null when the sender has to come back later. */
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
  /** Whether there is room for so many bytes more. */
  hold(bytes: number): boolean;
  leave(): void;
}
