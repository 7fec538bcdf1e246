import { expect, test } from 'vitest';
import { startAdvice } from './start-advice.ts';

test.each([
  ['its command was not found (code 127)', 'services.stock.build', 'PORT'],
  ['port 8081 did not answer in 30 s', 'services.stock.builtInPort', 'services.stock.build to'],
  ['/readyz on port 8081 answered 503 for 30 s', 'services.stock.dependsOn', 'PORT'],
  ['it ended with code 1', 'The last lines of its log', 'PORT'],
])('%s is answered with words about that, and about nothing else', (reason, said, unsaid) => {
  expect(startAdvice('stock', reason)).toContain(said);
  expect(startAdvice('stock', reason)).not.toContain(unsaid);
});
