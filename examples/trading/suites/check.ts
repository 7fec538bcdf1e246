/** What both suites share: an API client, and checks that print one JSON line each. */

export interface Answer {
  status: number;
  body: Record<string, unknown>;
  requestId: string;
}

export interface Suite {
  post(path: string, body: unknown): Promise<Answer>;
  get(path: string): Promise<Answer>;
  check(name: string, answer: Answer, expected: unknown, actual: unknown): void;
}

const TIMEOUT_MS = 10_000;

/**
 * Runs a suite against BASE_URL, then ends: 0 if every check held, 1 if one did not, 2 if misused.
 */
export async function runSuite(name: string, run: (suite: Suite) => Promise<void>): Promise<void> {
  let failures = 0;
  const report = (line: { check: string; passed: boolean } & Record<string, unknown>): void => {
    if (!line.passed) failures += 1;
    process.stdout.write(`${JSON.stringify({ suite: name, ...line })}\n`);
  };
  try {
    const send = createSend();
    await run({
      post: (path, body) => send('POST', path, body),
      get: (path) => send('GET', path),
      check: (check, { requestId }, expected, actual) =>
        report({ check, passed: expected === actual, expected, actual, requestId }),
    });
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    const reason = cause ? `${message}: ${cause.message}` : message;
    report({ check: 'the suite ran to its end', passed: false, reason });
  }
  process.exitCode ??= failures > 0 ? 1 : 0;
}

function createSend() {
  const baseUrl = required('BASE_URL');
  const headers = {
    authorization: `Bearer ${required('TOKEN')}`,
    'content-type': 'application/json',
    ...extraHeaders(),
  };
  return async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const requestId = response.headers.get('x-request-id') ?? '';
    const answer = (await response.json()) as Answer['body'];
    return { status: response.status, body: answer, requestId };
  };
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw misuse(`Set ${name}.`);
  return value;
}

function extraHeaders(): Record<string, string> {
  try {
    return JSON.parse(process.env.HEADERS || '{}') as Record<string, string>;
  } catch {
    throw misuse('HEADERS must be a JSON object, for example {"baggage":"key=value"}.');
  }
}

function misuse(message: string): Error {
  process.exitCode = 2;
  return new Error(message);
}
