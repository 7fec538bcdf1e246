import { Server, ServerCredentials, type UntypedHandleCall } from '@grpc/grpc-js';
import { portFrom } from '../../shared/environment.ts';
import { createLog } from '../../shared/log.ts';
import { type LimitAnswer, type LimitQuestion, RISK } from '../../shared/risk-protocol.ts';
import { checkLimit } from './limits.ts';

/** gRPC only: who wants to know whether it is there opens a connection. */
const log = createLog('risk');
const server = new Server();

const handle = (
  { request }: { request: LimitQuestion },
  answer: (error: null, value: LimitAnswer) => void,
): void => {
  const checked = checkLimit(request);
  log.info('limit checked', { ...request, ...checked });
  answer(null, checked);
};

server.addService(RISK, { checkLimit: handle as UntypedHandleCall });
const address = `127.0.0.1:${portFrom('PORT', 4307)}`;
server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  log.info('listening', { port });
});
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => server.tryShutdown(() => log.info('stopped')));
}
