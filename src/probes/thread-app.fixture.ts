import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

// An ordinary service whose work is done in two worker threads. Nothing in it knows about probes.
const state = { trades: 0 };

function handle(amount: number): string {
  state.trades++; // BREAKPOINT: thread
  return amount > 10_000 ? 'review' : 'ok';
}

function answer(message: string): unknown {
  if (message === 'end') process.exit();
  const globals = Object.getOwnPropertyNames(globalThis).filter((name) => name.includes('surety'));
  return { decision: handle(Number(message)), globals };
}

if (isMainThread) {
  const file = fileURLToPath(import.meta.url);
  const workers = [new Worker(file), new Worker(file)];
  const server = createServer(async (request, response) => {
    const message = (request.url ?? '').slice(1);
    const asked = workers.filter(({ threadId }) => threadId > 0);
    const [all] = message === 'end' ? [asked.slice(0, 1)] : [asked];
    const answers = all.map((worker) => {
      worker.postMessage(message);
      return once(worker, message === 'end' ? 'exit' : 'message');
    });
    response.end(JSON.stringify((await Promise.all(answers)).map(([one]) => one)));
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(String((server.address() as AddressInfo).port));
  });
} else {
  parentPort?.on('message', (message) => parentPort?.postMessage(answer(message)));
}
