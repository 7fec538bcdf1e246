import { fault, runMain } from '../kernel/index.ts';
import { runRouter } from './router.ts';

await runMain('router', (stateDirectory) =>
  runRouter(stateDirectory, readPort(process.env.SURETY_ROUTER_PORT ?? '0')),
);

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  const reason = `SURETY_ROUTER_PORT must be a port from 0 to 65535, but is "${text}".`;
  throw fault('USAGE', { reason, help: 'src/router/main.ts' });
}
