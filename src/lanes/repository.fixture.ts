import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseConfig } from '../system/index.ts';
import type { ChangeDeps } from './change/change.ts';
import { Trees } from './change/trees.ts';

export const usualConfig = `ingress: front
protected: [tests/guard]
policy: policy.yaml
services:
  front: { command: node front.mjs, port: 4001, paths: [front.mjs, front], dependsOn: [back] }
  back: { command: node back.mjs, port: 4002, paths: [back.mjs] }
  other: { command: node other.mjs, port: 4003, paths: [other.mjs] }
`;

/** For tests only: a git repository with the files of a small system, and nothing that runs. */
export class Repository implements Disposable {
  readonly root: string;
  readonly base: string;
  readonly trees: Trees;
  /** What a person has allowed, by change. */
  readonly overrides = new Map<string, string>();

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'surety-repository-')));
    const usual = { 'surety.yaml': usualConfig, 'back.mjs': 'one\n', 'front.mjs': 'one\n' };
    for (const [file, text] of Object.entries({
      ...usual,
      'policy.yaml': 'version: 1\n',
      ...files,
    }))
      this.write(file, text);
    this.write('.gitignore', '.surety/\nignored\n');
    this.git('init', '--quiet', '--initial-branch=main');
    this.commit('first');
    this.base = this.git('rev-parse', 'HEAD').trim();
    this.trees = new Trees(this.root, join(this.root, '.surety', 'trees'));
  }

  get deps(): ChangeDeps {
    const config = parseConfig(this.git('show', 'HEAD:surety.yaml'), {
      path: 'surety.yaml',
      environment: {},
    });
    const overrideOf = async (change: string): Promise<string | null> =>
      this.overrides.get(change) ?? null;
    const policyFiles = (): string[] => ['policy.yaml', 'policies/team.yaml'];
    const configAt = async () => config;
    return { trees: this.trees, config, configAt, overrideOf, policyFiles };
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.root, file)), { recursive: true });
    writeFileSync(join(this.root, file), text);
  }

  git(...words: string[]): string {
    const identity = ['-c', 'user.name=tester', '-c', 'user.email=tester@localhost'];
    return execFileSync('git', [...identity, ...words], { cwd: this.root, encoding: 'utf8' });
  }

  commit(message: string): void {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message', message);
  }

  /** These files changed or gone, as a patch on what is committed; the checkout is as before. */
  patch(files: Readonly<Record<string, string | null>>): string {
    for (const [file, text] of Object.entries(files)) {
      if (text === null) rmSync(join(this.root, file));
      else this.write(file, text);
    }
    this.git('add', '--all');
    const patch = this.git('diff', '--cached');
    this.git('reset', '--quiet', '--hard');
    return patch;
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
