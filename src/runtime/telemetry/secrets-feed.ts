import { watchSecrets } from '../../kernel/index.ts';
import type { Telemetry } from '../../telemetry/index.ts';

/** Sees to it that telemetry knows every secret of the services, before they can say one. */
export class ToldSecrets {
  readonly #telemetry: Telemetry;
  #values: readonly string[] = [];
  /** Who was told, and how many. */
  #pid = 0;
  #count = 0;

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry;
    watchSecrets((values) => {
      this.#values = values;
      if (this.#pid !== 0) void this.#send(this.#pid).catch(() => undefined);
    });
  }

  /**
   * A process that was started anew has forgotten them: it keeps them in no file, and takes nothing
   * until it is told, were it that there are none.
   */
  async tell(pid: number): Promise<void> {
    if (this.#pid !== pid || this.#count !== this.#values.length) await this.#send(pid);
  }

  async #send(pid: number): Promise<void> {
    const values = this.#values;
    await this.#telemetry.ask('PUT /control/secrets', { values });
    this.#pid = pid;
    this.#count = values.length;
  }
}
