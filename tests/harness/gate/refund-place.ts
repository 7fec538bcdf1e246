import { cpSync, existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exampleOrders } from '../../../examples/refunds/orders.ts';
import { openDatabase } from '../../../examples/refunds/service/database.ts';
import type { FaultMode, FaultyCall } from '../../../examples/refunds/service/faults.ts';
import { addOrders } from '../../../examples/refunds/service/orders.ts';
import {
  type PaymentService,
  startPaymentService,
} from '../../../examples/refunds/service/process.ts';
import type { Client, OperationResponse } from '../../../src/http/index.ts';
import { type FaultReport, isFault } from '../../../src/kernel/index.ts';
import { connectWithToken } from '../../../src/runtime/connect.ts';
import { Workspace } from '../workspace.ts';

const example = fileURLToPath(new URL('../../../examples/refunds/', import.meta.url));

type Outcome = OperationResponse<'POST /v1/proposals'>;

/** What an agent is told: how its call ended, or why it was not made. */
export type Told = { readonly status: string; readonly fault?: FaultReport };

export type Notice = { readonly event: string; readonly proposal?: string };

/** The refund example with all that belongs to it, running. */
export class RefundPlace implements AsyncDisposable {
  readonly workspace = new Workspace();
  readonly #service: PaymentService;
  readonly #receiver: Server;
  /** What the webhook got. */
  readonly posted: Notice[] = [];

  private constructor(service: PaymentService, receiver: Server) {
    this.#service = service;
    this.#receiver = receiver;
  }

  static async start(databaseUrl: string): Promise<RefundPlace> {
    const database = await openDatabase(databaseUrl);
    await addOrders(database, exampleOrders);
    await database.close();
    const receiver = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => {
        place.posted.push(JSON.parse(text));
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const place = new RefundPlace(await startPaymentService(databaseUrl), receiver);
    place.#prepare();
    await place.workspace.up();
    return place;
  }

  /** The daemon finds its surroundings by environment variables, as in production. */
  #prepare(): void {
    const { port } = this.#receiver.address() as AddressInfo;
    for (const file of ['surety.yaml', 'policy.yaml']) {
      cpSync(join(example, file), join(this.workspace.root, file));
    }
    Object.assign(process.env, {
      PAYMENTS_URL: this.#service.url,
      ALERTS_URL: `http://127.0.0.1:${port}/`,
      ALERTS_FILE: this.#alertsFile,
    });
  }

  get #alertsFile(): string {
    return join(this.workspace.root, 'alerts.jsonl');
  }

  /** What the command got. */
  commanded(): Notice[] {
    if (!existsSync(this.#alertsFile)) return [];
    const lines = readFileSync(this.#alertsFile, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line));
  }

  /** Somebody with a token of their own. */
  client(name: string): Client {
    const { place } = this.workspace;
    const token = readFileSync(join(place.state, `${name}.token`), 'utf8').trim();
    return connectWithToken(place, token);
  }

  async propose(tool: string, given: Record<string, string | number>, waitMs = 0): Promise<Told> {
    const body = { tool, arguments: given, waitMs };
    try {
      const outcome: Outcome = await this.client('agents/helpdesk').call('POST /v1/proposals', {
        body,
      });
      return outcome as Told;
    } catch (error) {
      if (!isFault(error)) throw error;
      return { status: 'refused', fault: error.report() };
    }
  }

  look(id: string): Promise<Told> {
    return this.propose('order.get', { id });
  }

  refund(orderId: string, amount: number, waitMs = 0): Promise<Told> {
    return this.propose('refund.issue', { orderId, amount, reason: 'arrived broken' }, waitMs);
  }

  async orderFault(mode: FaultMode, ms = 0, on: FaultyCall = 'refund'): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ mode, ms, on });
    await fetch(`${this.#service.url}/faults`, { method: 'POST', headers, body });
  }

  /** Calls that wait go on; over when they have come to their end. */
  async endFaults(): Promise<void> {
    await fetch(`${this.#service.url}/faults`, { method: 'DELETE' });
  }

  /** What the payment service's own database says. */
  async effects(): Promise<Record<string, { payouts: number; cancellations: number }>> {
    return (await (await fetch(`${this.#service.url}/effects`)).json()) as never;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.workspace[Symbol.asyncDispose]();
    await this.#service.stop();
    this.#receiver.closeAllConnections();
    await new Promise((resolve) => this.#receiver.close(resolve));
  }
}
