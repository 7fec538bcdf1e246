/** A person orders at the desk, pays, and reads there what became of it. */
import { type Browser, chromium } from 'playwright-core';
import { defineSuite, type Suite } from 'surety/suite';

const { CHROMIUM = '/usr/bin/chromium', TOKEN = '' } = process.env;

await defineSuite('browser', async (suite) => {
  const browser = await open(suite);
  try {
    await visitDesk(browser, suite);
  } finally {
    await browser.close();
  }
});

/** Without a browser nothing was seen, which is not the fault of the system. */
function open({ giveUp }: Suite): Promise<Browser> {
  return chromium
    .launch({ executablePath: CHROMIUM })
    .catch((error: Error) => giveUp(`${CHROMIUM} did not start: ${error.message.split('\n')[0]}`));
}

async function visitDesk(browser: Browser, { baseUrl, headers, check }: Suite): Promise<void> {
  const context = await browser.newContext({ extraHTTPHeaders: headers });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  const answer = await page.goto(new URL('/desk', baseUrl).href);
  check('the desk is there', answer?.status(), 200);
  await page.getByLabel('Token').fill(TOKEN);
  await page.getByRole('button', { name: 'Order and pay' }).click();
  const result = page.getByRole('status').filter({ hasText: /\w/ });
  await result.waitFor();
  const told = await result.textContent();
  check('the client reads that it is paid', told, /^Payment completed\. We received your order/);
  check('nothing went wrong in the browser', errors, []);
}
