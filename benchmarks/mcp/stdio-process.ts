import { createInterface } from 'node:readline';
import { answerTo } from './answer.ts';

/** The same server over standard input and output, for proxies that start their servers. */
createInterface({ input: process.stdin }).on('line', (line) => {
  const answer = answerTo(JSON.parse(line));
  if (answer) process.stdout.write(`${JSON.stringify(answer)}\n`);
});
