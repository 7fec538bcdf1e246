/** Fails as long as nobody prints amounts; the trade's answer is where a client can see it. */
export const FAILING_TEST = {
  path: 'suites/statement-amount.ts',
  code: `/** A trade tells its amount as it is printed on statements. */
import { runSuite } from './check.ts';

await runSuite('statement-amount', async ({ post, check }) => {
  for (const [symbol, quantity, printed] of [
    ['ACME', 100, '15,000.00'],
    ['INITECH', 2, '24.70'],
  ]) {
    const trade = await post('/trades', { symbol, quantity, side: 'buy', counterparty: 'BANK-7' });
    const name = \`a trade of \${quantity} \${symbol}\`;
    check(\`\${name} is recorded\`, trade, 201, trade.status);
    check(\`\${name} is printed as \${printed}\`, trade, printed, trade.body.displayAmount);
  }
});
`,
};
