import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { suretyProgram } from './programs.ts';
import { workspaceVariable } from './workspace-processes.ts';

/** A command of a page, and what it prints. */
export interface PageStep {
  readonly command: string;
  readonly expected: readonly string[];
}

export type PageBlock =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | { readonly kind: 'console'; readonly steps: readonly PageStep[] };

/** ```yaml policy.yaml is a file to write; ```console is what to type, and what comes. */
export function blocksOf(markdown: string): PageBlock[] {
  const found = markdown.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm);
  return Array.from(found, ([, language, name, text = '']): PageBlock => {
    if (language === 'console') return { kind: 'console', steps: stepsOf(text) };
    return { kind: 'file', name: name ?? '', text };
  });
}

function stepsOf(text: string): PageStep[] {
  return text
    .split(/^\$ /m)
    .filter((part) => part !== '')
    .map((part) => {
      const [command = '', ...expected] = part.trimEnd().split('\n');
      return { command, expected };
    });
}

/** A shell in a directory of the user, where `npx surety` is the one of this clone. */
export function shellOf(root: string, bin: string): (command: string) => Promise<string> {
  mkdirSync(bin, { recursive: true });
  const shim = `#!/bin/sh\nshift\nexec "${process.execPath}" "${suretyProgram}" "$@"\n`;
  writeFileSync(join(bin, 'npx'), shim);
  chmodSync(join(bin, 'npx'), 0o755);
  const path = [bin, join(process.execPath, '..'), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path, NO_COLOR: '1', [workspaceVariable]: root };
  return (command) =>
    new Promise((resolve) => {
      execFile('sh', ['-c', command], { cwd: root, env }, (_, stdout, stderr) =>
        resolve(stdout + withoutProgress(stderr)),
      );
    });
}

/** A busy machine shows more of it. */
const withoutProgress = (text: string): string => text.replaceAll(/^.* …\n/gm, '');

/** In their order; `…` is any text within a line, and any lines where it stands alone. */
export function matchesPage(expected: readonly string[], output: string): boolean {
  const pattern = expected.map((line) => {
    if (line === '…') return '(?:.*\\n)*?';
    const parts = line.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return `${parts.join('.*')}\\n`;
  });
  return new RegExp(`^${pattern.join('')}$`).test(output);
}
