import type { Notice } from '../../gate/index.ts';
import { systemLimits } from '../../system/limits.ts';

export interface NoticeQueueDeps {
  /** Sends one notice; never throws. */
  tell(notice: Notice): Promise<void>;
  /** Records how many notices could not even wait. */
  leftOut(count: number): Promise<void>;
}

/**
 * The notices for one receiver. An agent that is held a thousand times must not start a thousand
 * processes: a few are sent at once, a bounded number waits, and the rest are counted.
 */
export class NoticeQueue {
  readonly #deps: NoticeQueueDeps;
  /** By content: the same notice is not sent twice while it waits. */
  readonly #waiting = new Map<string, Notice>();
  #telling = 0;
  #leftOut = 0;

  constructor(deps: NoticeQueueDeps) {
    this.#deps = deps;
  }

  add(notice: Notice): void {
    const content = JSON.stringify([notice.event, notice.facts]);
    if (this.#waiting.has(content)) return;
    if (this.#waiting.size >= systemLimits.notificationsQueuedMax) this.#leftOut++;
    else this.#waiting.set(content, notice);
    this.#next();
  }

  #next(): void {
    for (const [content, notice] of this.#waiting) {
      if (this.#telling >= systemLimits.notificationsMax) return;
      this.#waiting.delete(content);
      void this.#tell(notice);
    }
  }

  async #tell(notice: Notice): Promise<void> {
    this.#telling++;
    try {
      await this.#deps.tell(notice);
      await this.#count();
    } finally {
      this.#telling--;
      this.#next();
    }
  }

  /** One entry for all of them, at most once per sent notice. */
  async #count(): Promise<void> {
    const count = this.#leftOut;
    this.#leftOut = 0;
    if (count > 0) await this.#deps.leftOut(count);
  }
}
