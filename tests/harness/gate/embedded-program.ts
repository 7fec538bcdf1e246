/** A program with a gate of its own: makes one effect, then waits to be ended. */
import { flushCompileCache } from 'node:module';
import { openGate } from '../../../src/index.ts';
import { effectPolicy, guardEffects } from './effect-policy.ts';

const [directory = '', name = '', url = ''] = process.argv.slice(2);
const gate = await openGate({ directory, policy: effectPolicy, agent: 'ada' });
// Node would write it at its end, which kill -9 does not let come.
flushCompileCache();
// An address that nobody answers at: the program is ended before there is an effect.
const { make } = guardEffects(gate.guard, () => url || 'http://127.0.0.1:9/');
if (url === '') {
  await gate.act({ tool: 'effect.make', arguments: { name } }, async () => {
    process.send?.('granted');
    return new Promise<never>(() => undefined);
  });
} else {
  process.send?.({ value: await make({ name }) });
}
