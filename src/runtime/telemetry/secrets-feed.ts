import { watchSecrets } from '../../kernel/index.ts';
import type { Telemetry } from '../../telemetry/index.ts';

/** Makes sure that telemetry knows every secret of the services before they can log one. */
export class ToldSecrets {
  readonly #telemetry: Telemetry;
  #values: readonly string[] = [];
  /** The process that got them, and how many it got. */
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
   * A restarted process has lost them: it stores them in no file, and accepts nothing until it gets
   * them, even if there are none.
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
