import { describe, expect, test } from 'vitest';
import { contradictingHeader } from './param-headers.ts';

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    plain: { type: 'string' },
    inner: { type: 'object', properties: { on: { type: 'boolean', 'x-mcp-header': 'On' } } },
  },
};

describe('headers that repeat arguments', () => {
  test.each<[string, object, Record<string, string>, string | undefined]>([
    ['agree', { region: 'eu' }, { 'Mcp-Param-Region': 'eu' }, undefined],
    ['are missing', { region: 'eu' }, {}, 'mcp-param-Region'],
    ['differ', { region: 'eu' }, { 'Mcp-Param-Region': 'us' }, 'mcp-param-Region'],
    ['are not wanted', { plain: 'x' }, {}, undefined],
    ['have nothing to repeat', { region: null }, { 'Mcp-Param-Region': 'us' }, undefined],
    ['are encoded', { region: 'Ulm ü' }, { 'Mcp-Param-Region': '=?base64?VWxtIMO8?=' }, undefined],
    [
      'lack padding',
      { region: 'Hello' },
      { 'Mcp-Param-Region': '=?base64?SGVsbG8?=' },
      'mcp-param-Region',
    ],
    [
      'are no base64',
      { region: 'Hello' },
      { 'Mcp-Param-Region': '=?base64?SGVs!!!bG8=?=' },
      'mcp-param-Region',
    ],
    [
      'are no UTF-8',
      { region: 'x' },
      { 'Mcp-Param-Region': '=?base64?//4=?=' },
      'mcp-param-Region',
    ],
    [
      'only look encoded',
      { region: '=?base64?SGVsbG8=' },
      { 'Mcp-Param-Region': '=?base64?SGVsbG8=' },
      undefined,
    ],
    ['are the same number', { count: 42 }, { 'Mcp-Param-Count': '42.0' }, undefined],
    ['are another number', { count: 42 }, { 'Mcp-Param-Count': '43' }, 'mcp-param-Count'],
    ['repeat an inner one', { inner: { on: true } }, { 'Mcp-Param-On': 'true' }, undefined],
    [
      'contradict an inner one',
      { inner: { on: true } },
      { 'Mcp-Param-On': 'false' },
      'mcp-param-On',
    ],
  ])('that %s', (_, given, headers, contradicting) => {
    expect(contradictingHeader(schema, { ...given }, new Headers(headers))).toBe(contradicting);
  });
});
