import { request } from 'node:http';
import type { Ledger } from '../ledger/index.ts';
import type { AlertConfig, Config } from '../system/index.ts';

const answerMsMax = 2_000;

/** Watches metrics of services; a rise is told once, and again when it goes on rising. */
export class AlertWatch {
  readonly #config: Config;
  readonly #ledger: Ledger;
  readonly #last = new Map<string, number>();
  #isLooking = false;

  constructor({ config, ledger }: { config: Config; ledger: Ledger }) {
    this.#config = config;
    this.#ledger = ledger;
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
    const body = { alert, service, metric, from, to };
    await this.#ledger.append({ kind: 'alert-raised', actor: 'surety:alerts', body });
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
