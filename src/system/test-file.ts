const testFile =
  /(?:^|\/)(?:__tests__|tests?|spec)\/|[._](?:test|spec)\.[\w.]+$|(?:^|\/)test_[^/]+\.py$|_test\.\w+$|Tests?\.(?:java|kt|cs)$/;

/** Whether a file contains tests, by its name or folder. */
export function isTestFile(file: string): boolean {
  return testFile.test(file);
}
