import { describe, expect, test } from 'vitest';
import { fault } from '../../../kernel/index.ts';
import { denialOf } from '../../denial.ts';
import { fitDenial } from './fit-denial.ts';

const denial = denialOf(fault('UPSTREAM_AWAY', { tool: 'add' }), 'add');

describe('a denial', () => {
  test('has its fields as structured content where nothing else is promised', () => {
    expect(fitDenial(denial, false)).toBe(denial);
  });

  test('keeps the promise of a tool about its structured content', () => {
    const fitted = fitDenial(denial, true);
    expect(fitted).not.toHaveProperty('structuredContent');
    expect(fitted).toMatchObject({
      isError: true,
      _meta: { 'surety/denial': { code: 'UPSTREAM_AWAY', retryable: true } },
    });
    const [words, fields] = fitted.content as { text: string }[];
    expect(words?.text).toContain('UPSTREAM_AWAY');
    expect(JSON.parse(fields?.text ?? '')).toEqual(denial.structuredContent);
  });
});
