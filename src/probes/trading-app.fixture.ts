import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

// An ordinary service, as a user might have it: nothing in it knows about probes. Its bug is that
// an amount that comes as a text is never of high value.
interface Trade {
  readonly amount: number | string;
  readonly account: { readonly owner: string; readonly password: string };
}

const state = { changes: 0, trades: 0, requests: 0 };

/** Looking at these changes something, in the way of each. */
const traps = {
  get counted(): number {
    return ++state.changes;
  },
  proxy: new Proxy(
    { a: 1 },
    {
      get(object, key) {
        state.changes++;
        return Reflect.get(object, key);
      },
      ownKeys(object) {
        state.changes++;
        return Reflect.ownKeys(object);
      },
    },
  ),
  get endless(): number {
    for (;;);
  },
  change(): number {
    return ++state.changes;
  },
};

function classify(trade: Trade, request: IncomingMessage): 'review' | 'ok' {
  const amount = trade.amount as number;
  const highValue = typeof amount === 'number' && amount > 10_000; // BREAKPOINT: before
  state.trades++; // BREAKPOINT: after
  return highValue && request && traps ? 'review' : 'ok';
}

// BREAKPOINT: no code

function pause(): string {
  // biome-ignore lint/suspicious/noDebugger: left in by somebody, as it happens
  debugger;
  return 'on';
}

function answer(request: IncomingMessage): unknown {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/state') return state;
  if (pathname === '/debugger') return pause();
  if (pathname === '/exit') setImmediate(() => process.exit(3));
  const text = searchParams.get('amount') ?? '0';
  const amount = searchParams.has('text') ? text : Number(text);
  const account = { owner: 'ada', password: 'hunter2-hunter2' };
  return { decision: classify({ amount, account }, request) };
}

const server: Server = createServer((request, response) => {
  state.requests++;
  response.end(JSON.stringify(answer(request)));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});

// Like everything that tests start, it ends by itself should a test ever fail to end it.
setTimeout(() => process.exit(), 120_000).unref();
