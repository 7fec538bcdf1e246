/** Serves until SIGTERM or SIGINT, or until whoever started it is gone. */
import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { paymentApp } from './app.ts';
import { openDatabase } from './database.ts';

const databaseUrl = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/refunds';
const postgres = await openDatabase(databaseUrl);
const { fetch } = paymentApp(postgres);
const port = Number(process.env.PORT ?? 4310);
const server = serve({ fetch, port, hostname: '127.0.0.1' }, (address) => {
  process.stdout.write(`${JSON.stringify({ message: 'listening', port: address.port })}\n`);
}) as Server;

process.once('SIGTERM', stop).once('SIGINT', stop).once('disconnect', stop);

function stop(): void {
  server.close(() => void postgres.close().finally(() => process.exit()));
  server.closeAllConnections();
}
