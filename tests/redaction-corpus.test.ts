import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isLeaked, redactionCorpus } from './harness/redaction-corpus.ts';

const page = readFileSync(new URL('../docs/redaction.md', import.meta.url), 'utf8');

/** Forms that redaction does not recognise; each with the reason on the page. */
const missed = ['facebook-access-token', 'kubernetes-secret', 'password-sentence', 'pypirc'];

// proves: kernel.redaction-corpus
test('redaction removes all forms of the corpus except those that the page names', () => {
  const corpus = redactionCorpus();
  const leaked = corpus.filter(isLeaked).map(({ form }) => form);
  expect(leaked.sort()).toEqual(missed);
  expect(page).toContain(`${corpus.length - leaked.length} of ${corpus.length} forms`);
  for (const form of missed) expect(page).toContain(`\`${form}\``);
});
