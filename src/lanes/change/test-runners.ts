/** Files that say which tests are run, and how. */
const runnerFile =
  /(?:^|\/)(?:(?:vitest|jest|playwright|cypress|karma)\.(?:config|workspace|conf)\.\w+|\.mocharc\.\w+|pytest\.ini|tox\.ini|conftest\.py)$/;

/** Where such a thing stands beside much else, the lines that say it. */
const runnerLines: readonly (readonly [file: RegExp, line: RegExp])[] = [
  [
    /(?:^|\/)package\.json$/,
    /"(?:pre|post)?test(?:[:\w-]*)"\s*:|"(?:testMatch|testPathIgnore\w+)"/,
  ],
  [/(?:^|\/)(?:pyproject\.toml|setup\.cfg)$/, /pytest|testpaths|addopts|norecursedirs/],
];

export function mayRunTests(file: string): boolean {
  return runnerFile.test(file) || runnerLines.some(([name]) => name.test(file));
}

/** Whether changed lines of a file decide which tests are run. */
export function changesRunner(file: string, lines: readonly string[]): boolean {
  if (runnerFile.test(file)) return true;
  return runnerLines.some(([name, told]) => name.test(file) && lines.some((one) => told.test(one)));
}
