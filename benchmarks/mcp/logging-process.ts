import { writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A proxy that is as durable as the gate and does nothing else: what a client sends is on the disk
 * before the server gets it, and what the server answers is in the file before the client gets it.
 * Calls that wait at the same time share a write.
 */
const [, , upstream = '', file = ''] = process.argv;
const log = await open(file, 'a');
let waiting: { readonly text: Buffer; readonly resolve: () => void }[] = [];
let isWriting = false;

function append(text: Buffer): Promise<void> {
  return new Promise((resolve) => {
    waiting.push({ text, resolve });
    if (!isWriting) void write();
  });
}

async function write(): Promise<void> {
  isWriting = true;
  while (waiting.length > 0) {
    const batch = waiting;
    waiting = [];
    await log.appendFile(Buffer.concat(batch.map(({ text }) => text)));
    await log.datasync();
    for (const { resolve } of batch) resolve();
  }
  isWriting = false;
}

const agent = new Agent({ keepAlive: true });
const server = createServer(async (incoming, outgoing) => {
  const { method, headers } = incoming;
  const body = await bytesOf(incoming);
  await append(body);
  const options = {
    host: '127.0.0.1',
    port: Number(upstream),
    path: '/mcp',
    method,
    headers,
    agent,
  };
  const onward = request(options, async (answer) => {
    const answered = await bytesOf(answer);
    writeSync(log.fd, answered);
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    outgoing.end(answered);
  });
  onward.end(body);
});

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
// Whoever started it may have been killed.
process.stdin.resume().on('end', () => process.exit());
