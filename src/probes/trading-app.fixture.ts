import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

// An ordinary service, as a user might have it: nothing in it knows about probes. Its bug is that
// an amount that comes as a text is never of high value.
interface Trade {
  readonly amount: number | string;
  readonly account: { readonly owner: string; readonly password: string; readonly token: string };
}

const state = { changes: 0, trades: 0, requests: 0 }; // BREAKPOINT: top

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

function settle(amount: number): string {
  if (amount > 10_000) {
    // BREAKPOINT: branch
    return 'large';
  } else {
    return 'small';
  }
}

function fail(amount: number): string {
  try {
    if (amount > 0) throw new TypeError(`no ${amount}`); // BREAKPOINT: fail
    return 'fine';
  } catch {
    return 'failed';
  }
}

async function wait(ms: number): Promise<string> {
  const began = 1; // BREAKPOINT: wait
  await new Promise((resolve) => setTimeout(resolve, ms));
  return `waited ${began}`;
}

function pause(): string {
  // biome-ignore lint/suspicious/noDebugger: left in by somebody, as it happens
  debugger;
  return 'on';
}

async function relay(ms: number): Promise<string> {
  const answered = await wait(ms); // BREAKPOINT: relay
  return `${answered}!`;
}

async function answer(request: IncomingMessage): Promise<unknown> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/state') return state;
  if (pathname === '/debugger') return pause();
  if (pathname === '/globals') {
    return Object.getOwnPropertyNames(globalThis).filter((name) => name.startsWith('__surety'));
  }
  if (pathname === '/settle') return settle(Number(searchParams.get('amount')));
  if (pathname === '/fail') return fail(Number(searchParams.get('amount')));
  if (pathname === '/wait') return wait(Number(searchParams.get('ms')));
  if (pathname === '/relay') return relay(Number(searchParams.get('ms')));
  if (pathname === '/late') {
    const { double } = await import('./late-file.fixture.ts');
    return double(Number(searchParams.get('amount')));
  }
  if (pathname === '/exit') setImmediate(() => process.exit(3));
  const text = searchParams.get('amount') ?? '0';
  const amount = searchParams.has('text') ? text : Number(text);
  const account = { owner: 'ada', password: 'hunter2-hunter2', token: 'f3a9c1d07b22e45f9a1c' };
  return { decision: classify({ amount, account }, request) };
}

const server: Server = createServer(async (request, response) => {
  state.requests++;
  response.end(JSON.stringify(await answer(request)));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});

// Like everything that tests start, it ends by itself should a test ever fail to end it.
setTimeout(() => process.exit(), 120_000).unref();
