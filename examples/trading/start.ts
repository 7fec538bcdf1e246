/** Runs the whole system on its usual ports until Ctrl-C. Needs a Postgres at DATABASE_URL. */
import { urlFrom } from './shared/environment.ts';
import { startSystem } from './system.ts';

const system = await startSystem({
  databaseUrl: urlFrom('DATABASE_URL', 'postgres://postgres@127.0.0.1:5432/trading'),
  ports: 'usual',
  onLine: (line) => process.stdout.write(`${line}\n`),
});
process.stdout.write(`${JSON.stringify({ message: 'ready', urls: system.urls })}\n`);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void system.stop());
