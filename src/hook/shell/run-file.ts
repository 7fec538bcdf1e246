import { type ExpandedWord, exact } from './field.ts';
import { followKnown, followScript } from './follow-script.ts';
import type { Scope } from './scope.ts';
import type { FileRun, Shell } from './shell.ts';
import { isFetched, isHarmlessFile } from './shell-port.ts';

const shellScript = /^#! *(?:\/usr\/bin\/env +)?(?:\S*\/)?(?:ba|da|z|k)?sh\b/;

/** A file that is executed: by its name, by a shell, by `source` or by an interpreter. */
export function runFile(
  shell: Shell,
  { file, args, isShell = false }: FileRun,
  scope: Scope,
): undefined {
  const port = shell.port(scope);
  const paths = port.paths(file);
  if (!paths)
    return shell.unresolved(
      `it runs a file that is not known: ${JSON.stringify(file.text.slice(0, 120))}`,
    );
  for (const path of paths) {
    const own = shell.written.get(path);
    if (own) {
      const isHarmless = !isShell && isHarmlessFile(path, own, port);
      if (!isHarmless)
        runOwn(shell, path, own, isShell, () =>
          followScript(shell, { text: own.text, path, args }, scope),
        );
      continue;
    }
    if (isFetched(path, shell)) shell.unresolved(`it runs ${path}, which the same command brings`);
    if (path.startsWith('/dev/')) {
      shell.unresolved(`it runs ${path}`);
      continue;
    }
    shell.settings.effects.add({ kind: 'code.run', values: { paths: [path] } });
    // A shell shows the lines of a file that it cannot run.
    if (isShell) port.reads(exact(path));
    const text = shell.settings.files.at(path)?.text ?? undefined;
    if (text !== undefined && (isShell || shellScript.test(text)))
      followKnown(shell, { text, path, args }, scope);
  }
}

/** What the same call wrote is no code that anybody has looked at. */
function runOwn(
  shell: Shell,
  path: string,
  { kind, text }: ExpandedWord,
  isShell: boolean,
  run: () => void,
): undefined {
  if (kind === 'exact' && (isShell || shellScript.test(text))) run();
  else shell.unresolved(`it runs ${path}, which the same command writes`);
}
