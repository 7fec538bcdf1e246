import { parse as parseJson } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { editJson } from './edit-json.ts';
import { editToml } from './edit-toml.ts';

const entry = { command: '/usr/bin/node', args: ['surety.js', 'mcp'] };
const inJson = (text: string): string => editJson(text, ['servers', 'surety'], entry);
const inToml = (text: string): string => editToml(text, ['mcp_servers', 'surety'], entry);

describe('editing a JSON file', () => {
  test('adds the entry to an empty file', () => {
    for (const text of ['', '\n', '{}']) {
      expect(JSON.parse(inJson(text))).toEqual({ servers: { surety: entry } });
    }
  });

  test('keeps every existing line', () => {
    const text = [
      '{',
      '\t// what I use',
      '\t"inputs": [1e400, 12345678901234567890],',
      '\t"servers": {',
      '\t\t"other": { "url": "http://x/" }, // mine',
      '\t},',
      '}',
      '',
    ].join('\r\n');
    const after = inJson(text);
    for (const line of text.split('\r\n')) expect(after).toContain(line);
    expect(parseJson(after).servers).toEqual({ other: { url: 'http://x/' }, surety: entry });
    expect(after).toContain('\t"servers": {\r\n\t\t"surety": {\r\n\t\t\t"command"');
    expect(inJson(after)).toBe(after);
  });

  test('adds the entry where there are no servers, and keeps other content', () => {
    const text = '{\n  "a": 1\n}\n';
    expect(inJson(text).startsWith('{\n  "servers": {\n    "surety": {\n      "com')).toBe(true);
    expect(JSON.parse(inJson(text))).toEqual({ a: 1, servers: { surety: entry } });
    expect(inJson('{\n  "servers": {\n  }\n}')).toBe(inJson('{\n  "servers": {}\n}'));
  });

  test('replaces an older entry and keeps its additional keys', () => {
    const text = '{"servers":{"surety":{"command":"old","env":{"A":"1"}},"z":{}}}';
    expect(JSON.parse(inJson(text))).toEqual({
      servers: { surety: { env: { A: '1' }, ...entry }, z: {} },
    });
    expect(inJson(inJson(text))).toBe(inJson(text));
  });

  test.each([
    ['half of one', '{"servers": {', /line 1/],
    ['a broken line', '{\n"servers": {},\noops\n}', /line 3/],
    ['a list', '[]', 'the whole is no object'],
    ['a text for servers', '{"servers": "x"}', 'servers is no object'],
    ['a list for the entry', '{"servers": {"surety": []}}', 'surety is no object'],
    ['servers twice', '{"servers": {}, "servers": {"a": {}}}', 'says something twice'],
    ['two documents', '{} {}', /line 1/],
  ])('with %s is refused', (_, text, reason) => {
    expect(() => inJson(text)).toThrow(reason);
  });
});

describe('editing a TOML file', () => {
  test.each([
    ['nothing', ''],
    ['no line end', 'model = "x"'],
    ['comments and other servers', '# mine\nmodel = "x"\n\n[mcp_servers.other]\nurl = "u" # it\n'],
    ['long numbers and dates', 'a = 9223372036854775807\nb = 1979-05-27T07:32:00Z\n'],
  ])('adds the entry and keeps every line of a file with %s', (_, text) => {
    const after = inToml(text);
    expect(after.startsWith(text)).toBe(true);
    const { mcp_servers: servers } = parseToml(after, { integersAsBigInt: 'asNeeded' });
    expect(servers).toMatchObject({ surety: entry });
    expect(inToml(after)).toBe(after);
  });

  test('replaces an older entry and keeps its additional keys and everything around it', () => {
    const text = [
      'model = "x"',
      '[mcp_servers.surety] # ours',
      'command = "old"',
      '# patience',
      'startup_timeout_sec = 60',
      'args = [',
      '  "a",',
      ']',
      '',
      '[mcp_servers.surety.env]',
      'A = "1"',
      '',
      '[tools]',
      'web = true',
    ].join('\n');
    const after = inToml(text);
    expect(parseToml(after)).toEqual({
      model: 'x',
      mcp_servers: { surety: { startup_timeout_sec: 60, env: { A: '1' }, ...entry } },
      tools: { web: true },
    });
    expect(after).toContain('# patience');
    expect(after).toContain('[mcp_servers.surety.env]\nA = "1"\n\n[tools]\nweb = true');
  });

  test.each([
    ['half of a table', '[mcp_servers'],
    ['a value for servers', 'mcp_servers = 1'],
    ['servers on one line', 'mcp_servers = { other = { url = "u" } }'],
    ['a list for the entry', '[mcp_servers]\nsurety = []'],
    ['the entry in dots', 'mcp_servers.surety.command = "old"'],
    ['a text that looks like it', 'a = """\n[mcp_servers.surety]\ncommand = "b"\n"""'],
  ])('with %s is refused', (_, text) => {
    expect(() => inToml(text)).toThrow();
  });
});
