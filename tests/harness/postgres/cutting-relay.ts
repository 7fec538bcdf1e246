import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * What happens to a COMMIT, and with it to the connection:
 * - `before`: cut before the server gets it;
 * - `after`: the server has answered, but nobody hears it;
 * - `late`: cut, and the server gets it when the next connection already waits for its lock;
 * - `gone`: as `after`, and nobody gets through any more.
 */
export type Cut = 'before' | 'after' | 'late' | 'gone';

/** Stands between a ledger and PostgreSQL, and cuts connections at the moment of their COMMIT. */
export class CuttingRelay implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #target: URL;
  /** Applied to one COMMIT after the other until there are none left. */
  #cuts: Cut[] = [];
  #isClosed = false;
  #whenLocked: (() => void) | undefined;
  url = '';

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((client) => this.#relay(client));
  }

  static async open(target: string): Promise<CuttingRelay> {
    const relay = new CuttingRelay(target);
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve));
    const url = new URL(target);
    url.port = String((relay.#server.address() as { port: number }).port);
    relay.url = url.href;
    return relay;
  }

  cutNext(...cuts: Cut[]): void {
    this.#cuts = cuts;
  }

  get cutsLeft(): number {
    return this.#cuts.length;
  }

  letThrough(): void {
    this.#isClosed = false;
  }

  #relay(client: Socket): void {
    if (this.#isClosed) return void client.destroy();
    const server = connect(Number(this.#target.port), this.#target.hostname);
    for (const socket of [client, server]) this.#keep(socket);
    const onAnswer = (data: Buffer): void => void client.write(data);
    server.on('data', onAnswer).once('close', () => client.destroy());
    client.on('data', (data) => {
      if (data.includes('FOR UPDATE')) this.#whenLocked?.();
      const cut = data.includes('COMMIT') ? this.#cuts.shift() : undefined;
      if (!cut) return void server.write(data);
      server.off('data', onAnswer);
      this.#cut(cut, data, { client, server });
    });
    client.once('close', () => !this.#whenLocked && server.end());
  }

  #cut(cut: Cut, data: Buffer, { client, server }: { client: Socket; server: Socket }): void {
    if (cut === 'before') return void server.destroy();
    if (cut === 'late') {
      this.#whenLocked = () => {
        this.#whenLocked = undefined;
        server.end(data);
      };
      return void client.destroy();
    }
    this.#isClosed = cut === 'gone';
    server.once('data', () => server.destroy()).write(data);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
