import { createClock, createLog, fault, toFault } from '../kernel/index.ts';
import { runRouter } from './router.ts';

// node src/router/main.ts <stateDirectory>
try {
  const stateDirectory = process.argv[2];
  if (!stateDirectory) throw usage('The state directory is missing.');
  await runRouter(stateDirectory, readPort(process.env.SURETY_ROUTER_PORT ?? '0'));
  process.exit(0);
} catch (error) {
  const log = createLog('router', createClock(), (line) => process.stdout.write(line));
  log('error', 'router-not-started', toFault(error).report());
  process.exit(1);
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw usage(`SURETY_ROUTER_PORT must be a port from 0 to 65535, but is "${text}".`);
}

function usage(reason: string): Error {
  return fault('USAGE', { reason, help: 'src/router/main.ts' });
}
