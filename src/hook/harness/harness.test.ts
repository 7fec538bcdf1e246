import { describe, expect, test } from 'vitest';
import { harnesses } from './index.ts';

const claude = { session_id: 's', cwd: '/p', hook_event_name: 'PreToolUse', tool_use_id: 'c' };
const gemini = { session_id: 's', cwd: '/p', hook_event_name: 'BeforeTool' };
const cursor = {
  conversation_id: 's',
  workspace_roots: ['/p'],
  hook_event_name: 'preToolUse',
  tool_use_id: 'c',
};

const read = (harness: string, payload: object) => harnesses[harness]?.read(payload as never);

// proves: hooks.harnesses
describe.each([
  ['claude', claude, 'Bash'],
  ['codex', claude, 'Bash'],
  ['cursor', cursor, 'Shell'],
  ['gemini', gemini, 'run_shell_command'],
])('%s', (harness, base, shell) => {
  test('reports a shell command', () => {
    const call = read(harness, { ...base, tool_name: shell, tool_input: { command: 'ls' } });
    expect(call).toMatchObject({ phase: 'before', session: 's', directory: '/p', tool: shell });
    expect(call?.action).toEqual({ kind: 'shell', command: 'ls' });
  });

  test('reports a tool that is not known by its name', () => {
    const call = read(harness, { ...base, tool_name: 'mcp__x__y', tool_input: {} });
    expect(call?.action).toEqual({ kind: 'unknown', tool: 'mcp__x__y' });
  });

  test('has events that are no tool calls', () => {
    expect(read(harness, { ...base, hook_event_name: 'SessionStart' })).toBeNull();
  });

  test('refuses a call without a session', () => {
    const payload = { hook_event_name: base.hook_event_name, tool_name: shell, cwd: '/p' };
    const broken = { ...payload, tool_input: { command: 'ls' } };
    expect(() => read(harness, broken)).toThrow(/no text/);
  });

  test('gets the reason of a denial', () => {
    expect(JSON.stringify(harnesses[harness]?.denial('because'))).toContain('because');
  });
});

describe('a tool of a harness', () => {
  test.each([
    ['claude', { ...claude, tool_name: 'Write', tool_input: { file_path: 'a' } }, 'edit'],
    ['claude', { ...claude, tool_name: 'Read', tool_input: { file_path: 'a' } }, 'read'],
    ['claude', { ...claude, tool_name: 'WebFetch', tool_input: { url: 'http://a' } }, 'fetch'],
    ['claude', { ...claude, tool_name: 'TodoWrite', tool_input: {} }, 'harmless'],
    ['cursor', { ...cursor, tool_name: 'Delete', tool_input: { path: 'a' } }, 'delete'],
    ['gemini', { ...gemini, tool_name: 'replace', tool_input: { file_path: 'a' } }, 'edit'],
    ['gemini', { ...gemini, tool_name: 'web_fetch', tool_input: { prompt: 'x' } }, 'fetch'],
  ])('of %s: %o', (harness, payload, kind) => {
    expect(read(harness, payload)?.action.kind).toBe(kind);
  });

  test('that applies a patch edits every file that the patch names', () => {
    const command = '*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n*** End Patch';
    const call = read('codex', { ...claude, tool_name: 'apply_patch', tool_input: { command } });
    expect(call?.action).toMatchObject({ kind: 'edit', paths: ['a.ts', 'b.ts'] });
  });

  test('that fetches finds the addresses in a sentence', () => {
    const prompt = 'Summarize https://a.test/x and http://b.test.';
    const call = read('gemini', { ...gemini, tool_name: 'web_fetch', tool_input: { prompt } });
    expect(call?.action).toMatchObject({ addresses: ['https://a.test/x', 'http://b.test.'] });
  });
});

test.each([
  ['claude', { ...claude, hook_event_name: 'PostToolUse' }, 'Bash', null],
  ['claude', { ...claude, hook_event_name: 'PostToolUseFailure', error: 'no' }, 'Bash', 'no'],
  ['cursor', { ...cursor, hook_event_name: 'postToolUseFailure' }, 'Shell', 'it failed'],
  ['gemini', { ...gemini, hook_event_name: 'AfterTool' }, 'run_shell_command', null],
])('%s reports how a call ended', (harness, base, tool, failure) => {
  const call = read(harness, { ...base, tool_name: tool, tool_input: { command: 'ls' } });
  expect(call).toMatchObject({ phase: 'after', failure });
});

describe('opencode', () => {
  const base = { event: 'tool.execute.before', sessionID: 's', callID: 'c', directory: '/p' };

  test.each([
    ['bash', { command: 'ls', workdir: '/p/src' }, { kind: 'shell', directory: '/p/src' }],
    ['write', { filePath: '/p/a', content: 'x' }, { kind: 'edit', paths: ['/p/a'] }],
    ['read', { filePath: '/p/a' }, { kind: 'read', paths: ['/p/a'] }],
    ['webfetch', { url: 'http://a.test' }, { kind: 'fetch', addresses: ['http://a.test'] }],
    ['todowrite', {}, { kind: 'harmless' }],
    ['tracker_close', {}, { kind: 'unknown', tool: 'tracker_close' }],
  ])('reports a call of %s', (tool, args, action) => {
    const call = read('opencode', { ...base, tool, args });
    expect(call).toMatchObject({
      phase: 'before',
      session: 's',
      call: 'c',
      directory: '/p',
      action,
    });
  });

  test('reports the end of a call, and gets the reason of a denial', () => {
    const ended = { ...base, event: 'tool.execute.after', tool: 'bash', args: { command: 'ls' } };
    expect(read('opencode', { ...ended, output: 'a' })).toMatchObject({
      phase: 'after',
      response: 'a',
    });
    expect(harnesses.opencode?.denial('because')).toEqual({ denied: 'because' });
  });
});
