import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { laneLimits } from '../src/lanes/limits.ts';
import { isDeep } from './harness/deep.ts';
import { asAgent } from './harness/mcp/agent-token.ts';
import { call } from './harness/mcp/gateway-client.ts';
import { connectOwn } from './harness/mcp/own-client.ts';
import { commit, git, makeSmallSystem } from './harness/systems/small-system.ts';
import { until } from './harness/until.ts';
import type { Workspace } from './harness/workspace.ts';

const config = `
tests: { command: node }
suites: { look: { command: node look.mjs } }
agents:
  coder: { tools: ["task.*", "test.*", "change.*", "lane.*", suite.run, probe.place, investigation.run] }
  rival: { tools: ["task.*", "lane.*", suite.run] }
  reader: { tools: [] }
`;

/** Sees through the front which version the back has. */
const lookFor = (version: string): string => `
const response = await fetch(process.env.BASE_URL, { headers: JSON.parse(process.env.HEADERS) });
const { next } = await response.json();
const passed = next.version === '${version}';
const line = { check: 'the back', passed, expected: '${version}', actual: next.version };
process.stdout.write(JSON.stringify(line) + '\\n');
process.exitCode = passed ? 0 : 1;
`;

/** A back that is of another version, and says much. */
const talkative = `
for (let index = 0; index < ${laneLimits.laneLogLinesMax}; index++) console.log('even line', index);
for (let index = 0; index <= ${laneLimits.laneLogLinesMax}; index++) console.log('odd line', index);
`;

let workspace: Workspace;
let coder: Client;
let rival: Client;
let patch: string;
beforeAll(async () => {
  const system = await makeSmallSystem(config);
  workspace = system.workspace;
  writeFileSync(join(workspace.root, 'look.mjs'), lookFor('one'));
  commit(workspace.root, 'a suite');
  patch = makePatch();
  await workspace.up();
  await workspace.run('system', 'up');
  coder = await connectOwn(workspace, 'coder', 'modern', 'http');
  rival = await connectOwn(workspace, 'rival', 'legacy', 'http');
});
afterAll(async () => {
  await Promise.all([coder.close(), rival.close()]);
  await workspace[Symbol.asyncDispose]();
});

function makePatch(): string {
  const file = join(workspace.root, 'back.mjs');
  const before = git(workspace.root, 'show', 'HEAD:back.mjs');
  const asked =
    "console.log('asked', request.headers['x-request-id'], 'Bearer', 'hunter2'.repeat(3));";
  const after = before
    .replace("'one'", "'two'")
    .replace('=> {\n', `=> {\n  ${asked}\n`)
    .concat(talkative);
  writeFileSync(file, after);
  const made = git(workspace.root, 'diff', '--', 'back.mjs');
  git(workspace.root, 'checkout', '--quiet', '--', 'back.mjs');
  return made;
}

// proves: mcp.own
describe('an agent that works on a running system', () => {
  test('sees what runs, and runs its suites', async () => {
    const { value } = await call(coder, 'get_system');
    expect(value.services).toMatchObject([{ state: 'running' }, { state: 'running' }]);
    expect((await call(coder, 'list_suites')).text).toContain('- look: node look.mjs');
    const run = await call(coder, 'run_suite', { suites: ['look'] });
    expect(run).toMatchObject({
      refused: false,
      value: { runs: [{ suite: 'look', result: 'passed', checks: [{ passed: true }] }] },
    });
    const unknown = await call(coder, 'run_suite', { suites: ['nothing'] });
    expect(unknown).toMatchObject({ refused: true, value: { code: 'SUITE_UNKNOWN' } });
  });

  test('tries a change in its own lane, which other agents cannot see', async () => {
    const opened = await call(coder, 'open_lane', { patch });
    expect(opened.refused).toBe(false);
    const { lane } = opened.value.lane as { lane: string };
    const address = String(opened.value.address);
    const headers = { baggage: `surety-lane=${lane}`, 'x-request-id': 'request-7' };
    const answer = (await (await fetch(address, { headers })).json()) as { next: object };
    expect(answer.next).toMatchObject({ version: 'two' });

    expect((await call(coder, 'get_reach', { lane })).value).toMatchObject({
      reach: { proven: true },
    });
    const said = await until('the back has said it', async () => {
      const found = await call(coder, 'query_logs', { lane, request: 'request-7' });
      return (found.value.lines as object[]).length > 0 ? found : undefined;
    });
    expect(said.value.lines).toMatchObject([{ line: expect.stringContaining('asked request-7') }]);
    expect(JSON.stringify(said.value)).not.toContain('hunter2');
    expect(said.value.asked).toMatchObject({ searched: expect.stringMatching(/back.*lines\)/) });

    const none = await call(coder, 'query_logs', { lane, service: 'back', matching: 'zebra' });
    expect(none.text).toMatch(/No line matches\.\s.*searched: .*back.*\(\d+ lines\)/);
    const unknown = await call(coder, 'query_logs', { lane, request: 'of-somebody-else' });
    expect(unknown).toMatchObject({ refused: true, value: { code: 'NOT_FOUND' } });

    // An id that is a part of other words shows nothing but itself.
    const part = 'request-'.slice(0, laneLimits.requestIdCharsMin);
    for (const id of [part, part.slice(1)]) {
      await (await fetch(address, { headers: { ...headers, 'x-request-id': id } })).text();
    }
    const only = await until('the back has said it again', async () => {
      const found = await call(coder, 'query_logs', { lane, request: part });
      return (found.value.lines as object[]).length > 0 ? found : undefined;
    });
    expect(only.value.lines).toMatchObject([{ line: expect.stringContaining(`asked ${part} `) }]);
    expect(await call(coder, 'query_logs', { lane, request: part.slice(1) })).toMatchObject({
      refused: true,
      value: { code: 'NOT_FOUND' },
    });

    expect((await call(rival, 'list_lanes')).value).toMatchObject({ lanes: [], total: 0 });
    for (const tool of ['query_logs', 'get_reach', 'close_lane', 'run_suite']) {
      const refused = await call(rival, tool, { lane });
      expect([tool, refused.refused, refused.value.code]).toEqual([tool, true, 'LANE_CLOSED']);
    }

    const failed = await call(coder, 'run_suite', { lane });
    expect(failed.value).toMatchObject({
      runs: [{ result: 'failed', checks: [{ actual: 'two' }] }],
    });
    expect(failed.text).toContain('- the back: expected "one", got "two"');
    expect((await call(coder, 'extend_lane', { lane, ttlMs: 60_000 })).refused).toBe(false);
    expect((await call(coder, 'list_lanes')).text).toContain(lane);

    const lines = async (matching: string) =>
      asAgent(workspace, 'coder').call('GET /v1/lanes/{lane}/logs', {
        path: { lane },
        query: { matching },
      });
    const [even, odd] = [await lines('even line'), await lines('odd line')];
    expect([even.lines.length, even.omitted]).toEqual([laneLimits.laneLogLinesMax, 0]);
    expect([odd.lines.length, odd.omitted]).toEqual([laneLimits.laneLogLinesMax, 1]);
    expect(odd.lines.at(-1)?.line).toBe(`odd line ${laneLimits.laneLogLinesMax}`);

    expect((await call(coder, 'close_lane', { lane })).refused).toBe(false);
    expect((await call(coder, 'list_lanes')).text).toContain('No lane is open.');
  });

  test.runIf(isDeep)('reads its own verdict in full, and no verdict of others', async () => {
    const { value: opened } = await call(coder, 'open_task', { goal: 'a new back' });
    const { task } = opened;
    const code = lookFor('two');
    await call(coder, 'submit_test', { task, path: 'new-back.mjs', code });
    await call(coder, 'propose_change', { task, patch });
    const reached = await call(coder, 'verify_change', { task, callers: 'shared' });
    // The suite of the base wants the old version, so the change cannot pass; and it logs a token.
    expect(reached.value).toMatchObject({
      verdict: 'fail',
      findings: [{ class: 'security', service: 'back', place: 'the log' }, { kind: 'check' }],
    });
    const { id: verdict } = reached.value;
    const read = await call(coder, 'get_verdict', { verdict });
    expect(read.value).toMatchObject({ id: verdict, verdict: 'fail', next: null });
    const { contents } = await coder.readResource({ uri: `surety://verdicts/${verdict}` });
    expect(JSON.parse((contents as { text: string }[])[0]?.text ?? '')).toMatchObject({
      id: verdict,
      asked: { tool: 'get_verdict' },
    });
    const other = await call(rival, 'get_verdict', { verdict });
    expect(other).toMatchObject({ refused: true, value: { code: 'NOT_FOUND' } });
    const { resources } = await coder.listResources();
    expect(resources.map(({ uri }) => uri)).toContain(`surety://tasks/${task}`);
  });

  test('inspects a running service with a probe, and cannot read probes of others', async () => {
    const wish = { service: 'back', file: 'back.mjs', line: 5 };
    const changing = await call(coder, 'place_probe', { ...wish, expressions: ['next = 1'] });
    expect(changing.value.code).toMatch(/^PROBE_/);
    const placed = await call(coder, 'place_probe', {
      ...wish,
      expressions: ['version', 'request.url'],
    });
    expect(placed.refused).toBe(false);
    const { probe } = placed.value;
    await call(coder, 'run_suite', {});
    const seen = await until('it was hit', async () => {
      const read = await call(coder, 'read_probe', { probe });
      return (read.value.captures as object[]).length > 0 ? read : undefined;
    });
    const hit = { version: { type: 'string', value: 'one' }, 'request.url': { value: '/' } };
    expect(seen.value).toMatchObject({ ended: null, captures: [{ hit: 1, values: hit }] });
    for (const tool of ['read_probe', 'remove_probe']) {
      expect(await call(rival, tool, { probe })).toMatchObject({ value: { code: 'NOT_FOUND' } });
    }
    const removed = await call(coder, 'remove_probe', { probe });
    expect(removed.value).toMatchObject({ ended: { reason: 'removed' } });
    const kept = await call(coder, 'read_probe', { probe });
    expect(kept.value).toMatchObject({ ended: { reason: 'removed' }, captures: [{ hit: 1 }] });
    expect(await call(rival, 'read_probe', { probe })).toMatchObject({
      value: { code: 'NOT_FOUND' },
    });
    const lines = { service: 'back', file: 'back.mjs', lines: [3, 7], forMs: 100 };
    const context = await call(coder, 'runtime_context', lines);
    expect(context.value).toMatchObject({ fromLine: 3, toLine: 7, missing: [] });
    expect(context.value.values).toMatchObject([{ expression: 'next', isAnswer: true }]);
    const nowhere = await call(coder, 'place_probe', {
      ...wish,
      service: 'nowhere',
      expressions: ['version'],
    });
    expect(nowhere).toMatchObject({ refused: true, value: { code: 'NOT_FOUND' } });
  });

  test('is refused what its policy does not allow, and learns who can allow it', async () => {
    const reader = await connectOwn(workspace, 'reader', 'modern', 'http');
    const wanted: [string, Record<string, unknown>][] = [
      ['open_lane', { patch }],
      ['run_suite', {}],
      ['place_probe', { service: 'back', file: 'back.mjs', line: 5, expressions: ['version'] }],
      ['open_task', { goal: 'x' }],
    ];
    for (const [tool, given] of wanted) {
      const refused = await call(reader, tool, given);
      expect([tool, refused.value.rule]).toEqual([tool, 'policy.tools']);
      expect(refused.text).toContain('Ask a person');
    }
    await reader.close();
  });

  test('learns that there is nothing to investigate', async () => {
    expect((await call(coder, 'list_alerts')).text).toContain('No alert was raised.');
    const { value } = await call(coder, 'investigate', {});
    expect(value).toMatchObject({ status: 'unknown', cause: { confirmed: false, place: null } });
    const report = await call(coder, 'get_report', { report: 'inv_none' });
    expect(report).toMatchObject({ refused: true, value: { code: 'NOT_FOUND' } });
  });
});
