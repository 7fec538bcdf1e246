import type { Files, Repository } from './repository.ts';

/** What the agent was asked for. */
export const GOAL =
  'Auditors want validation to be handed amounts as printed on statements (15,000.00).';

/** Which field of the request carries the text from pricing to validation. */
export interface Design {
  textField: string;
}

/** The obvious one: the text takes the place of the number. */
export const FIRST_DESIGN: Design = { textField: 'amount' };

const FORMAT = 'services/pricing/format-amount.ts';
const QUOTE = 'services/pricing/quote.ts';
const CLIENT = 'services/pricing/validation-client.ts';

export async function makePatch(
  design: Design,
  version: string,
  repository: Repository,
): Promise<string> {
  const [quote, client] = [
    await repository.read(version, QUOTE),
    await repository.read(version, CLIENT),
  ];
  const before: Files = new Map([
    [QUOTE, quote],
    [CLIENT, client],
  ]);
  const after: Files = new Map([
    [FORMAT, FORMAT_AMOUNT],
    [QUOTE, edit(QUOTE, quote, quoteEdits(design))],
    [CLIENT, edit(CLIENT, client, clientEdits(design))],
  ]);
  return repository.diff(before, after);
}

type Edit = [before: string, after: string];

function quoteEdits({ textField }: Design): Edit[] {
  const text = textField === 'displayAmount' ? textField : `${textField}: displayAmount`;
  const beside = textField !== 'amount';
  const [picked, sent] = beside
    ? ['amount, displayAmount', `amount, ${text}`]
    : ['displayAmount', text];
  return [
    ['import { CURRENCY', `import { formatAmount } from './format-amount.ts';\nimport { CURRENCY`],
    [
      'amount: number;',
      `amount: number;\n  /** As printed on statements. */\n  displayAmount: string;`,
    ],
    [
      'amount, currency: CURRENCY',
      'amount, displayAmount: formatAmount(amount), currency: CURRENCY',
    ],
    ['tradeId, amount, currency } = quote', `tradeId, ${picked}, currency } = quote`],
    ['request.counterparty, amount,', `request.counterparty, ${sent},`],
  ];
}

function clientEdits({ textField }: Design): Edit[] {
  const type = `/** As printed on statements. */\n  ${textField}: string;`;
  return [['amount: number;', textField === 'amount' ? type : `amount: number;\n  ${type}`]];
}

function edit(path: string, text: string, edits: Edit[]): string {
  return edits.reduce((now, [before, after]) => {
    if (now.split(before).length === 2) return now.replace(before, () => after);
    throw new Error(`${path} is not as expected: "${before}" is not there exactly once.`);
  }, text);
}

const FORMAT_AMOUNT = `const format = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** The way amounts are printed on statements: 15000 becomes "15,000.00". */
export function formatAmount(amount: number): string {
  return format.format(amount);
}
`;
