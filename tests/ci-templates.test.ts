import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { isDeep } from './harness/deep.ts';
import { freePorts } from './harness/free-ports.ts';
import { suretyProgram } from './harness/programs.ts';
import { Workspace } from './harness/workspace.ts';
import { workspaceVariable } from './harness/workspace-processes.ts';

const repository = new URL('..', import.meta.url).pathname;
const read = (path: string) => parse(readFileSync(join(repository, path), 'utf8'));

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly if?: string;
  readonly run?: string;
  readonly env?: Record<string, string>;
}

/** A runner with the programs that steps call: npx runs this clone, gh notes its arguments. */
function makeRunner(root: string): { run(step: Pick<Step, 'run' | 'env'>): number; gh: string } {
  const bin = mkdtempSync(join(tmpdir(), 'surety-runner-'));
  onTestFinished(() => rmSync(bin, { recursive: true }));
  const gh = join(bin, 'gh.txt');
  const program = (name: string, text: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program('npx', `shift\nexec "${process.execPath}" "${suretyProgram}" "$@"`);
  program('gh', `echo "$@" >> "${gh}"`);
  const files = { GITHUB_OUTPUT: join(bin, 'output'), GITHUB_STEP_SUMMARY: join(bin, 'summary') };
  for (const file of [...Object.values(files), gh]) writeFileSync(file, '');
  const path = [bin, join(process.execPath, '..'), process.env.PATH].join(delimiter);
  return {
    gh,
    run({ run = '', env = {} }) {
      try {
        const all = { ...process.env, ...files, ...env, PATH: path, [workspaceVariable]: root };
        execFileSync('bash', ['-c', run], { cwd: root, env: all, stdio: 'pipe' });
        return 0;
      } catch (error) {
        return (error as { status: number }).status;
      }
    },
  };
}

/** The sample with ports of its own, and a pull request that turns a price into a text. */
async function makePullRequest(root: string): Promise<void> {
  const { web, prices, stock } = await freePorts(['web', 'prices', 'stock']);
  const git = (...words: readonly string[]): void => {
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
    execFileSync('git', [...author, ...words], { cwd: root, stdio: 'ignore' });
  };
  cpSync(join(repository, 'examples/quickstart'), root, { recursive: true });
  const config = join(root, 'surety.yaml');
  const text = readFileSync(config, 'utf8')
    .replaceAll('4400', String(web))
    .replaceAll('4401', String(prices))
    .replaceAll('4402', String(stock));
  writeFileSync(config, text);
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all', '--', '.', ':!.surety');
  git('commit', '--quiet', '--message=base');
  git('checkout', '--quiet', '-b', 'change');
  git('apply', 'changes/price-as-text.patch');
  git('commit', '--quiet', '--all', '--message=Prices as text');
  git('checkout', '--quiet', 'main');
  mkdirSync(join(root, '.git', 'origin'), { recursive: true });
  git('clone', '--quiet', '--bare', '.', '.git/origin');
  git('remote', 'add', 'origin', '.git/origin');
  git('--git-dir=.git/origin', 'update-ref', 'refs/pull/7/head', 'refs/heads/change');
}

/** Expressions of the runner, as they are for this pull request. */
function filled(step: Step): Pick<Step, 'run' | 'env'> {
  const values: Readonly<Record<string, string>> = {
    'github.event.number': '7',
    "inputs.change || 'surety-change'": 'surety-change',
    'inputs.profile': 'quick',
    'inputs.traffic': '',
    'inputs.disputes': '',
    'github.token': 'token',
  };
  const fill = (text: string): string =>
    text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => values[expression] ?? 'false');
  const env = Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value)]);
  return { run: fill(step.run ?? ''), env: Object.fromEntries(env) };
}

// proves: ci.action
test.runIf(isDeep)(
  'the steps of the GitHub action judge a pull request, comment and clean up',
  async () => {
    await using workspace = new Workspace();
    const { root } = workspace;
    await makePullRequest(root);
    const runner = makeRunner(root);
    const steps: Step[] = read('action.yml').runs.steps;
    const codes = steps
      .filter(({ run }) => run !== undefined)
      .map((step) => [step.name, runner.run(filled(step))]);
    expect(codes).toEqual([
      ['Fetch the change', 0],
      ['Start the system', 0],
      ['Verify', 1],
      ['Comment', 0],
      ['Stop', 0],
    ]);
    expect(readFileSync(join(root, 'verdict.md'), 'utf8')).toContain('type changed');
    const sarif = JSON.parse(readFileSync(join(root, 'verdict.sarif'), 'utf8'));
    expect(sarif.runs[0].results.length).toBeGreaterThan(0);
    expect(readFileSync(join(root, 'verdict.xml'), 'utf8')).toContain('<testsuite');
    expect(readFileSync(runner.gh, 'utf8')).toContain('pr comment 7 --body-file verdict.md');
  },
);

test('the GitLab template runs the same commands, which exist', () => {
  const { surety } = read('ci/gitlab.yml');
  const lines: string[] = [...surety.before_script, ...surety.script, ...surety.after_script];
  const commands = lines.filter((line) => line.includes('npx surety'));
  expect(commands.map((line) => line.match(/npx surety (?:system )?\w+/g))).toEqual([
    ['npx surety up', 'npx surety system up'],
    ['npx surety verify'],
    ['npx surety down'],
  ]);
  expect(surety.artifacts.reports.junit).toBe('verdict.xml');
});
