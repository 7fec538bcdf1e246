import { request } from 'node:http';
import { type Actor, type Clock, showInstant } from '../kernel/index.ts';
import type { AlertConfig, Config } from '../system/index.ts';
import type { AlertNotice } from './heard-alert.ts';

const answerMsMax = 2_000;

export interface AlertWatchDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly hear: (actor: Actor, notices: readonly AlertNotice[]) => Promise<unknown>;
}

/** Watches metrics of services; a rise is told once, and again when it goes on rising. */
export class AlertWatch {
  readonly #config: Config;
  readonly #deps: AlertWatchDeps;
  readonly #last = new Map<string, number>();
  #isLooking = false;

  constructor(deps: AlertWatchDeps) {
    this.#config = deps.config;
    this.#deps = deps;
  }

  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const [name, alert] of Object.entries(this.#config.alerts))
        await this.#check(name, alert);
    } finally {
      this.#isLooking = false;
    }
  }

  async #check(alert: string, { service, path, metric, rise }: AlertConfig): Promise<void> {
    const port = this.#config.services[service]?.port;
    const text = port === undefined ? null : await read(port, path);
    if (text === null) return;
    const to = sumOf(text, metric);
    // A counter that is smaller than before belongs to a process that was started since.
    const from = Math.min(this.#last.get(alert) ?? to, to);
    if (to - from < rise) {
      if (!this.#last.has(alert) || to === 0) this.#last.set(alert, to);
      return;
    }
    this.#last.set(alert, to);
    const startsAt = showInstant(this.#deps.clock.now());
    const told = { alert, service, metric, from, to, note: '', startsAt, labels: {} };
    await this.#deps.hear('surety:alerts', [{ ...told, state: 'firing' }]);
  }
}

/** All series of a metric in Prometheus' text format, added up. */
export function sumOf(text: string, metric: string): number {
  const lines = text.split('\n').filter((line) => /^[\w:]+/.exec(line)?.[0] === metric);
  return lines.reduce((sum, line) => sum + (Number(line.split(' ').at(-1)) || 0), 0);
}

function read(port: number, path: string): Promise<string | null> {
  return new Promise((resolve) => {
    const call = request({ host: '127.0.0.1', port, path, timeout: answerMsMax }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve(null));
    call.end();
  });
}
