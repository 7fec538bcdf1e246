import { expect, test } from 'vitest';
import type { Finding } from '../api-schema.ts';
import { hop, request } from '../compare/recorded.fixture.ts';
import { checkThatSays, found, wire } from '../report/verified.fixture.ts';
import { markExplained } from './explained-findings.ts';

const [root, call] = request([{ to: 'pricing', path: '/quotes' }]);
const below = hop({ requestId: root?.requestId ?? null });
const other = hop({ from: null, to: 'edge', path: '/health' });
const hops = [root, call, below, other].flatMap((one) => one ?? []);

const cause: Finding = { ...wire, id: 'fnd_cause' };
const status = (name: string, service: string): Finding =>
  ({ ...found('status'), id: `fnd_${service}`, hop: name, service }) as Finding;
const check = (requestId: string | null): Finding => ({ ...checkThatSays('no'), requestId });

const causes = (...findings: Finding[]): (string | undefined)[] =>
  markExplained(findings, hops).map(({ causedBy }) => causedBy);

test('statuses, checks and passed-on fields above a cause are its consequences', () => {
  const passedOn = { ...cause, id: 'fnd_on', hop: 'orders → pricing POST /quotes' } as Finding;
  expect(
    causes(
      cause,
      passedOn,
      status('pricing → validation POST /validations', 'validation'),
      status('outside → orders POST /trades', 'orders'),
      check(root?.requestId ?? null),
    ),
  ).toEqual([undefined, 'fnd_cause', 'fnd_cause', 'fnd_cause', 'fnd_cause']);
});

test('what other requests show, and other fields, are findings of their own', () => {
  const field = { ...cause, id: 'fnd_other', field: 'other' } as Finding;
  expect(
    causes(cause, field, status('outside → edge POST /health', 'edge'), check('req-unknown')),
  ).toEqual([undefined, undefined, undefined, undefined]);
});

test('a finding below another is not its consequence', () => {
  const above = status('outside → orders POST /trades', 'orders');
  const deeper = status('pricing → validation POST /validations', 'validation');
  expect(causes(above, deeper)).toEqual([undefined, undefined]);
});
